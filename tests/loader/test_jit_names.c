// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests which JIT files of a process are followed, and the names that they give. Files and process
 * are faked; test_jit_file.c and the tests of jit_source use real ones.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../loader/jit/jit_names.h"
#include "../check.h"

#define OWN 10 /* pid of the process in its own namespace */
#define N_FILES 5
#define MS 1000000ull
#define AHEAD_NS (100 * MS) /* time for which the machine was suspended */
#define BORN_NS (3000 * MS) /* CLOCK_MONOTONIC */
#define SAMPLE_NS (5000 * MS)

/*
 * The jitdumps, in the order of the addresses of their mappings, then the perf map. The index
 * of a file is its inode.
 */
struct jit_source {
	u32 file;
	struct jit_source_config config;
};

static struct {
	const char *name; /* name that the file has for the code of the process; NULL: none */
	u64 start_addr; /* start that the file has for the code without a name; 0: none */
	bool is_unread, is_gone, is_full;
	u32 writer;
} files[N_FILES];
static u32 n_looks, n_open, map_inode;
static bool has_map, is_process_gone;
static const char *map_why;
static u64 polled_ns, now_ns;
static struct mapping maps[N_FILES - 1];
static struct mappings mappings = { .v = maps };
static struct process process = { .maps = &mappings };
static struct jit_names *names;
static size_t used;
static struct jit_source_config last_map;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	u64 ns = now_ns + (clock == CLOCK_BOOTTIME ? AHEAD_NS : 0);

	*t = (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	return 0;
}

int jit_owner_read(u32 pid, struct jit_owner *o)
{
	(void)pid;
	n_looks++;
	o->pid = OWN;
	return is_process_gone ? -ESRCH : 0;
}

bool jit_is_marker(const struct mapping *m, u32 *pid)
{
	*pid = files[m->start_addr].writer;
	return *pid != 0;
}

int jit_open_marker(const struct process *p, const struct mapping *m, int *fd)
{
	(void)p;
	*fd = open("/", O_PATH | O_CLOEXEC);
	map_inode = (u32)m->start_addr;
	return *fd < 0 ? -errno : 0;
}

int jit_open_map(const struct process *p, const struct jit_owner *o, int *fd, const char **why)
{
	(void)p;
	assert_int_equal(o->pid, OWN);
	if (!has_map) {
		*why = map_why;
		return -ENOENT;
	}
	*fd = open("/", O_PATH | O_CLOEXEC);
	map_inode = N_FILES - 1;
	return *fd < 0 ? -errno : 0;
}

int jit_source_new(struct jit_source **s, int fd, const struct jit_source_config *config)
{
	close(fd);
	*s = calloc(1, sizeof(**s));
	assert_non_null(*s);
	**s = (struct jit_source){ config->is_map ? N_FILES - 1 : map_inode, *config };
	if (config->is_map)
		last_map = *config;
	n_open++;
	return 0;
}

void jit_source_free(struct jit_source **s)
{
	n_open -= *s != NULL;
	free(*s);
	*s = NULL;
}

/* The file that replaces a perf map has the same name but another inode. */
bool jit_source_is(const struct jit_source *s, u64 dev, u64 inode)
{
	(void)dev, (void)inode;
	return s->file == map_inode && !files[s->file].is_gone;
}

bool jit_source_poll(struct jit_source *s, u64 until_ns)
{
	polled_ns = until_ns;
	return !files[s->file].is_unread;
}

u64 jit_source_polled_ns(const struct jit_source *s)
{
	(void)s;
	return polled_ns;
}

bool jit_source_is_gone(const struct jit_source *s)
{
	return files[s->file].is_gone;
}

bool jit_source_is_full(const struct jit_source *s)
{
	return files[s->file].is_full;
}

int jit_source_find(struct jit_source *s, u64 addr, u64 time_ns, struct jit_code *c)
{
	(void)addr;
	*c = (struct jit_code){ files[s->file].name, files[s->file].start_addr };
	return (c->name || c->start_addr) && time_ns < s->config.until_ns ? 0 : -ENOENT;
}

static int begin(void **state)
{
	(void)state;
	memset(files, 0, sizeof(files));
	memset(maps, 0, sizeof(maps));
	for (u32 i = 0; i < N_FILES - 1; i++)
		maps[i].start_addr = i;
	mappings.n = N_FILES - 1;
	process.exit_ns = 0;
	n_looks = n_open = 0;
	now_ns = 6000 * MS;
	has_map = is_process_gone = false;
	map_why = NULL;
	names = jit_names_new(&used);
	return names ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	jit_names_free(&names);
	assert_int_equal(n_open, 0);
	return 0;
}

static bool poll_names(void)
{
	const struct uw_sample s = { .pid = 1,
				     .time_ns = SAMPLE_NS,
				     .start_ns = BORN_NS + AHEAD_NS };

	return jit_names_poll(names, &process, &s);
}

static void check_name(u64 time_ns, const char *name, const char *why_not)
{
	const char *why = NULL;
	struct jit_code c;
	int err = jit_names_find(names, 0x1000, time_ns, &c, &why);

	assert_int_equal(err, name ? 0 : -ENOENT);
	if (name)
		assert_string_equal(c.name, name);
	else if (why_not)
		assert_string_equal(why, why_not);
	else
		assert_null(why);
}

static void a_process_is_checked_for_new_jit_files_once_a_second(void **state)
{
	(void)state;
	assert_true(poll_names());
	check_name(SAMPLE_NS, NULL, NULL);
	map_why = "of another user";
	now_ns += 999 * MS;
	poll_names();
	assert_int_equal(n_looks, 1);
	check_name(SAMPLE_NS, NULL, NULL);
	now_ns += MS;
	poll_names();
	assert_int_equal(n_looks, 2);
	check_name(SAMPLE_NS, NULL, "of another user");
}

static void a_frame_without_a_name_has_a_reason_that_states_why_its_map_was_rejected(void **state)
{
	(void)state;
	map_why = "of another user";
	assert_true(poll_names());
	check_name(SAMPLE_NS, NULL, "of another user");
}

static void names_in_a_jitdump_are_preferred_to_names_in_a_perf_map(void **state)
{
	(void)state;
	files[1].writer = OWN;
	files[1].name = "dumped";
	files[N_FILES - 1].name = "mapped";
	has_map = true;
	assert_true(poll_names());
	assert_int_equal(n_open, 2);
	check_name(SAMPLE_NS, "dumped", NULL);
	files[1].name = NULL;
	check_name(SAMPLE_NS, "mapped", NULL);
	files[N_FILES - 1].name = NULL;
	check_name(SAMPLE_NS, NULL, "not in its jitdump or perf map");
}

static void a_frame_without_a_name_has_a_reason_that_states_which_file_lacks_the_code(void **state)
{
	(void)state;
	files[0].writer = OWN;
	poll_names();
	check_name(SAMPLE_NS, NULL, "not in its jitdump");
	files[0].is_full = true;
	check_name(SAMPLE_NS, NULL, "too many functions");
}

static void code_without_a_name_has_a_start_unless_another_file_names_it(void **state)
{
	const char *why = NULL;
	struct jit_code c;

	(void)state;
	files[0].writer = files[1].writer = OWN;
	files[1].start_addr = 0x7f00;
	poll_names();
	assert_int_equal(jit_names_find(names, 0x7f12, SAMPLE_NS, &c, &why), 0);
	assert_null(c.name);
	assert_int_equal(c.start_addr, 0x7f00);
	assert_string_equal(why, "the JIT gave it no name");
	files[0].name = "dumped";
	check_name(SAMPLE_NS, "dumped", NULL);
	files[0].name = NULL;
	files[1].start_addr = 0;
	check_name(SAMPLE_NS, NULL, "not in its jitdump");
}

static void the_jitdump_of_a_parent_names_only_code_from_before_the_fork(void **state)
{
	(void)state;
	files[0].writer = OWN + 1; /* inherited from the parent */
	files[0].name = "of the parent";
	poll_names();
	check_name(BORN_NS - 1, "of the parent", NULL);
	check_name(BORN_NS, NULL, "not in its jitdump");
}

static void the_number_of_followed_jitdumps_is_limited(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_FILES - 1; i++)
		files[i].writer = OWN;
	poll_names();
	assert_int_equal(n_open, 3);
}

static void names_are_complete_only_after_all_jit_files_are_read_completely(void **state)
{
	(void)state;
	files[0].writer = OWN;
	has_map = true;
	assert_true(poll_names());
	files[0].is_unread = true;
	assert_false(poll_names());
	files[0].is_unread = false;
	files[N_FILES - 1].is_unread = true;
	assert_false(poll_names());
}

static void names_in_a_new_perf_map_apply_from_the_time_when_the_old_map_ended(void **state)
{
	(void)state;
	has_map = true;
	assert_true(poll_names());
	assert_int_equal(last_map.since_ns, 0);
	files[N_FILES - 1].is_gone = true;
	now_ns += 19 * MS;
	poll_names();
	assert_int_equal(n_looks, 1);
	now_ns += MS; /* this check comes sooner than the usual one */
	poll_names();
	assert_int_equal(n_looks, 2);
	assert_int_equal(n_open, 1);
	assert_int_equal(last_map.since_ns, SAMPLE_NS);
}

static void a_process_that_has_exited_is_not_checked_for_jit_files(void **state)
{
	(void)state;
	files[0].writer = OWN;
	is_process_gone = true;
	assert_true(poll_names());
	assert_int_equal(n_open, 0);
	jit_names_free(&names);
	names = jit_names_new(&used);
	is_process_gone = false;
	process.exit_ns = 1;
	n_looks = 0;
	assert_true(poll_names());
	assert_int_equal(n_looks + n_open, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_process_is_checked_for_new_jit_files_once_a_second),
		TEST(a_frame_without_a_name_has_a_reason_that_states_why_its_map_was_rejected),
		TEST(names_in_a_jitdump_are_preferred_to_names_in_a_perf_map),
		TEST(a_frame_without_a_name_has_a_reason_that_states_which_file_lacks_the_code),
		TEST(code_without_a_name_has_a_start_unless_another_file_names_it),
		TEST(the_jitdump_of_a_parent_names_only_code_from_before_the_fork),
		TEST(the_number_of_followed_jitdumps_is_limited),
		TEST(names_are_complete_only_after_all_jit_files_are_read_completely),
		TEST(names_in_a_new_perf_map_apply_from_the_time_when_the_old_map_ended),
		TEST(a_process_that_has_exited_is_not_checked_for_jit_files),
	};

	return CHECK_RUN(tests);
}
