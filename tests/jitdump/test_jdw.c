// SPDX-License-Identifier: BSD-2-Clause

/* Tests the writer: the checker must find no fault in its files. */

#include "../check.h"

#include "../../inspect/jitdump/jd_check.h"
#include "../../inspect/jitdump/unspool-jitdump.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/unspool-jdw-XXXXXX";
static const u8 code[4096] = { 0xc3 };

static struct jdw *open_writer(void)
{
	struct jdw_options o = { .dir = dir };
	struct jdw *w = NULL;

	assert_int_equal(jdw_open(&o, &w), 0);
	return w;
}

static int add(struct jdw *w, const char *name, u64 addr, size_t size)
{
	return jdw_add(
		w, &(struct jdw_code){ .name = name, .addr = addr, .code = code, .size = size });
}

static void found(void *data, const struct jd_finding *f)
{
	(void)data;
	fail_msg("%llu: %s: %s", f->off, jd_rules[f->rule].name, f->text);
}

/*
 * Returns the number of records in the file; fails if the checker finds a
 * fault.
 */
static s64 checked(const char *path, struct jd_file *f)
{
	const char *slash = strrchr(path, '/');

	assert_int_equal(jd_file_read(f, path), 0);
	return jd_check_file(f, &(struct jd_check){ .file_name = slash + 1, .found = found });
}

static s64 n_checked(const char *path)
{
	struct jd_file f;
	s64 n = checked(path, &f);

	jd_file_deinit(&f);
	return n;
}

static void two_jit_engines_of_one_process_write_to_the_same_jitdump(void **state)
{
	struct jdw *a = open_writer(), *b = open_writer();

	(void)state;
	assert_ptr_equal(a, b);
	assert_int_equal(add(a, "of a", 0x1000, 8), 0);
	jdw_close(&a);
	assert_null(a);
	assert_int_equal(add(b, "of b", 0x2000, 8), 0);
	assert_int_equal(n_checked(jdw_path(b)), 2);
	jdw_close(&b);
}

static void the_jitdump_stays_mapped_executable_while_the_writer_is_open(void **state)
{
	struct jdw *w = open_writer();
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], want[128];
	bool is_there = false;

	(void)state;
	snprintf(want, sizeof(want), "/jit-%d.dump", getpid());
	while (fgets(line, sizeof(line), maps))
		is_there |= strstr(line, want) && strstr(line, " r-xp ");
	fclose(maps);
	assert_true(is_there);
	jdw_close(&w);
}

static void a_jitdump_of_an_earlier_process_with_the_same_pid_is_replaced(void **state)
{
	struct jdw *w;
	char path[128];
	FILE *stale;

	(void)state;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	w = open_writer();
	assert_int_equal(n_checked(jdw_path(w)), 0);
	jdw_close(&w);
	stale = fopen(path, "w");
	fputs("stale", stale);
	fclose(stale);
	w = open_writer();
	assert_int_equal(n_checked(jdw_path(w)), 0);
	jdw_close(&w);
}

static void invalid_arguments_are_refused(void **state)
{
	struct jdw *w = open_writer();

	(void)state;
	assert_int_equal(add(w, NULL, 0x1000, 8), -EINVAL);
	assert_int_equal(add(w, "", 0x1000, 8), -EINVAL);
	assert_int_equal(add(w, "wraps", -4ull, 8), -EINVAL);
	assert_int_equal(add(w, "huge", 0x1000, 1ull << 31), -E2BIG);
	assert_int_equal(add(w, "empty", 0x1000, 0), 0);
	assert_int_equal(jdw_move(w, 0x1000, 0x2000), -ENOENT);
	assert_int_equal(n_checked(jdw_path(w)), 1);
	jdw_close(&w);
}

static void line_entries_are_sorted_and_end_with_a_closing_entry(void **state)
{
	struct jdw_line lines[] = {
		{ 0x1008, "b.c", 9, 2 }, { 0x1000, "a.c", 3, 0 },  { 0x1004, "a.c", 0, 0 },
		{ 0x1010, "a.c", 5, 0 }, { 0x1008, "c.c", 10, 4 }, { 0xfff, "a.c", 5, 0 },
		{ 0x1009, NULL, 5, 0 },
	};
	struct jdw_code c = { .name = "f",
			      .addr = 0x1000,
			      .code = code,
			      .size = 16,
			      .lines = lines,
			      .n_lines = sizeof(lines) / sizeof(*lines) };
	static const struct jdr_entry want[] = {
		{ 0x1000, 3, 0, "a.c", false },
		{ 0x1008, 10, 4, "c.c", false }, /* the last of two lines at one address */
		{ 0x1010, 10, 4, "c.c", false },
	};
	struct jdr_cursor cursor = { 0 };
	struct jdw *w = open_writer();
	struct jdr_record rec;
	struct jdr_entry e;
	struct jd_file f;
	u64 at = 0;

	(void)state;
	assert_int_equal(jdw_add(w, &c), 0);
	c.n_lines = 0;
	c.addr = 0x3000;
	assert_int_equal(jdw_add(w, &c), 0);
	assert_int_equal(checked(jdw_path(w), &f), 3);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.id, JD_DEBUG_INFO);
	assert_int_equal(rec.debug.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(jdr_entry(&f.h, &rec, &cursor, &e), 1);
		assert_int_equal(e.addr, want[i].addr);
		assert_int_equal(e.line, want[i].line);
		assert_int_equal(e.column, want[i].column);
		assert_string_equal(e.file, want[i].file);
	}
	jd_file_deinit(&f);
	jdw_close(&w);
}

static void eh_frame_precedes_eh_frame_hdr_in_unwind_data(void **state)
{
	static const u8 frames[12] = { 0x14, 0, 0, 0, 0, 0, 0, 0, 1 };
	static const u8 header[20] = { 1, 0x1b, 3, 0x3b };
	struct jdw_code c = { "f",    0x1000,	      code,	      8, NULL, 0, frames,
			      header, sizeof(frames), sizeof(header), 0 };
	struct jdw *w = open_writer();
	struct jdr_record rec;
	struct jd_file f;
	u64 at = 0;

	(void)state;
	assert_int_equal(jdw_add(w, &c), 0);
	c.eh_frame_hdr = NULL; /* without it no unwind data is written */
	assert_int_equal(jdw_add(w, &c), 0);
	assert_int_equal(checked(jdw_path(w), &f), 3);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.id, JD_UNWINDING_INFO);
	assert_false(rec.unwind.hdr_is_first);
	assert_memory_equal(rec.bytes + JD_U_DATA, frames, sizeof(frames));
	assert_memory_equal(rec.unwind.hdr, header, sizeof(header));
	assert_int_equal(rec.size % 8, 0);
	jd_file_deinit(&f);
	jdw_close(&w);
}

static void *write_many(void *data)
{
	u64 base = 0x100000 + ((u64)(uintptr_t)data << 24);
	struct jdw *w = open_writer();
	struct jdw_line line = { 0, "a.c", 3, 0 };
	char name[32];

	for (u64 i = 0; i < 500; i++) {
		line.addr = base + i * 4096;
		snprintf(name, sizeof(name), "%p/%llu", data, i);
		assert_int_equal(jdw_add(w, &(struct jdw_code){ .name = name,
								.addr = line.addr,
								.code = code,
								.size = i % 4096,
								.lines = &line,
								.n_lines = 1 }),
				 0);
	}
	jdw_close(&w);
	return NULL;
}

static void records_of_code_and_of_its_lines_stay_adjacent_while_other_threads_write(void **state)
{
	struct jdw *w = open_writer();
	struct jdw_counts counts;
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, (void *)(i + 1)), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	/* Of the 500 functions of a thread one is empty and has no lines. */
	assert_int_equal(n_checked(jdw_path(w)), 4 * (2 * 500 - 1));
	jdw_counts(w, &counts);
	assert_int_equal(counts.records, 2000);
	assert_int_equal(counts.live, 4 * 499);
	assert_int_equal(counts.lost, 0);
	jdw_close(&w);
}

/*
 * A file size limit, set after the file was opened, makes writes short, as on a
 * full disk.
 */
static void a_record_that_does_not_fit_on_the_disk_is_dropped_and_counted(void **state)
{
	struct rlimit old, limit;
	struct jdw *w = open_writer();
	struct jdw_counts counts;
	u64 n_lost = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 20000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (u64 i = 0; i < 10; i++)
		n_lost += add(w, "f", 0x1000 + i * 4096, 4096) != 0;
	assert_int_equal(n_lost, 6); /* four records of 4154 bytes fit */
	assert_int_equal(n_checked(jdw_path(w)), 4);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(add(w, "after", 0x1000, 8), 0);
	assert_int_equal(n_checked(jdw_path(w)), 5);
	jdw_counts(w, &counts);
	assert_int_equal(counts.lost, 6);
	assert_int_equal(counts.records, 5);
	jdw_close(&w);
}

/* .NET 10.0.12 leaves a partial record if part of the code is unmapped. */
static void no_part_of_a_record_is_written_if_its_code_is_unreadable(void **state)
{
	u8 *half = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct jdw *w = open_writer();
	struct jdw_code c = { .name = "stub", .addr = 0x1000, .code = half, .size = 8192 };

	(void)state;
	assert_int_equal(mprotect(half + 4096, 4096, PROT_NONE), 0);
	assert_int_equal(add(w, "before", 0x8000, 8), 0);
	assert_int_equal(jdw_add(w, &c), -EFAULT);
	assert_int_equal(add(w, "after", 0x9000, 8), 0);
	assert_int_equal(n_checked(jdw_path(w)), 2);
	jdw_close(&w);
	munmap(half, 8192);
}

/* Runs in the child, which can't fail the parent's test. */
static int child_of_fork(struct jdw *w, const char *parents)
{
	struct jdr_record rec;
	struct jd_file f;
	char want[64];
	u64 at = 0;

	snprintf(want, sizeof(want), "%s/jit-%d.dump", dir, getpid());
	if (strcmp(jdw_path(w), want) != 0 || strcmp(want, parents) == 0)
		return 1;
	if (add(w, "own", 0x9000, 8) || checked(want, &f) != 4)
		return 2;
	jd_file_next(&f, &at, &rec);
	if (strcmp(rec.load.name, "stays") != 0 || rec.load.pid != (u32)getpid())
		return 3;
	jd_file_next(&f, &at, &rec);
	if (strcmp(rec.load.name, "moves") != 0 || rec.load.addr != 0x2000)
		return 4;
	jd_file_next(&f, &at, &rec);
	if (rec.id != JD_MOVE || rec.move.new_addr != 0x4000 || rec.move.index != 1)
		return 5;
	jd_file_next(&f, &at, &rec);
	return strcmp(rec.load.name, "own") != 0 || rec.load.index != 2 ? 6 : 0;
}

static void a_forked_child_gets_a_new_jitdump_that_contains_the_live_code(void **state)
{
	struct jdw *w = open_writer();
	char parents[64];
	int status;
	pid_t pid;

	(void)state;
	snprintf(parents, sizeof(parents), "%s", jdw_path(w));
	add(w, "freed", 0x1000, 8);
	add(w, "replaced", 0x1800, 8);
	add(w, "stays", 0x1800, 16);
	add(w, "moves", 0x2000, 8);
	assert_int_equal(jdw_move(w, 0x2000, 0x4000), 0);
	jdw_forget(w, 0x1000, 8);
	pid = fork();
	if (pid == 0)
		_exit(child_of_fork(w, parents));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(add(w, "parent's", 0x5000, 8), 0);
	assert_int_equal(n_checked(parents), 6);
	jdw_close(&w);
}

static uint64_t ticks(void *data)
{
	uint64_t *now = data;

	return *now -= 5; /* each reading is earlier */
}

static void a_jitdump_at_a_specified_path_can_be_for_another_machine(void **state)
{
	uint64_t now = 1000;
	char path[64];
	struct jdw_options o = { .path = path,
				 .machine = 22,
				 .pid = 812,
				 .swap = 1,
				 .with_close = 1,
				 .clock = ticks,
				 .data = &now };
	struct jdr_record rec;
	struct jdw *w = NULL;
	struct jd_file f;
	u64 at = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/jit-812.dump", dir);
	assert_int_equal(jdw_open(&o, &w), 0);
	assert_int_equal(jdw_open(&o, &w), -EEXIST);
	add(w, "f", 0x1000, 8);
	add(w, "g", 0x2000, 8);
	jdw_close(&w);
	assert_int_equal(checked(path, &f), 3);
	assert_true(f.h.is_swapped);
	assert_int_equal(f.h.mach, 22);
	assert_int_equal(f.h.pid, 812);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.time, 995);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.time, 995);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.id, JD_CLOSE);
	jd_file_deinit(&f);
}

static void the_jitdump_is_deleted_at_close_if_option_delete_at_close_is_set(void **state)
{
	struct jdw_options o = { .dir = dir, .delete_at_close = 1 };
	struct jdw *w = NULL;
	char path[128];

	(void)state;
	assert_int_equal(jdw_open(&o, &w), 0);
	snprintf(path, sizeof(path), "%s", jdw_path(w));
	assert_int_equal(access(path, F_OK), 0);
	jdw_close(&w);
	assert_int_equal(access(path, F_OK), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(two_jit_engines_of_one_process_write_to_the_same_jitdump),
	cmocka_unit_test(the_jitdump_stays_mapped_executable_while_the_writer_is_open),
	cmocka_unit_test(a_jitdump_of_an_earlier_process_with_the_same_pid_is_replaced),
	cmocka_unit_test(invalid_arguments_are_refused),
	cmocka_unit_test(line_entries_are_sorted_and_end_with_a_closing_entry),
	cmocka_unit_test(eh_frame_precedes_eh_frame_hdr_in_unwind_data),
	cmocka_unit_test(records_of_code_and_of_its_lines_stay_adjacent_while_other_threads_write),
	cmocka_unit_test(a_record_that_does_not_fit_on_the_disk_is_dropped_and_counted),
	cmocka_unit_test(no_part_of_a_record_is_written_if_its_code_is_unreadable),
	cmocka_unit_test(a_forked_child_gets_a_new_jitdump_that_contains_the_live_code),
	cmocka_unit_test(a_jitdump_at_a_specified_path_can_be_for_another_machine),
	cmocka_unit_test(the_jitdump_is_deleted_at_close_if_option_delete_at_close_is_set),
};

int main(void)
{
	char command[64];
	int failed;

	if (!mkdtemp(dir))
		return 1;
	failed = CHECK_RUN(tests);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) ? 1 : failed;
}
