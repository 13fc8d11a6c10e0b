/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the helper process on valid and corrupt files. The expected lines come from the
 * compiler's __LINE__; objcopy(1) makes the debug files.
 */

#include "../check.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/util/cleanup.h"
#include "../../loader/symbols/helper.h"

static u64 bias; /* load bias of this program */
static char dir[] = "/tmp/unspool-helper-XXXXXX";

/* A label in the inlined code, which is inlined only once. The label marks an address. */
extern const char helper_test_inlined[];

static inline __attribute__((always_inline)) int inlined_one(int x)
{
	__asm__ volatile("helper_test_inlined: nop" : "+r"(x));
	return x;
}

static __attribute__((noinline, noclone)) int outer_one(int x)
{
	int y = inlined_one(x);
	return y + 1;
}

static const int outer_line = __LINE__ - 4;

struct got {
	struct helper_answer answer;
	char text[4096];
	int fds[2];
	int n;
};

static void take(const struct helper_answer *a, const char *text, int fds[2], void *data)
{
	struct got *got = data;

	got->answer = *a;
	memcpy(got->text, text, a->text_len < sizeof(got->text) ? a->text_len : sizeof(got->text));
	memcpy(got->fds, fds, sizeof(got->fds));
	got->n++;
}

/* Waits for the next answer of the helper. */
static struct got wait_for(struct helper *h)
{
	struct got got = { .fds = { -1, -1 } };

	for (int i = 0; !got.n && i < 150; i++)
		helper_poll(h, 100, take, &got);
	assert_int_equal(got.n, 1);
	return got;
}

static void close_fds(struct got *got)
{
	for (int i = 0; i < 2; i++)
		cleanup_close(&got->fds[i]);
}

static struct got open_file(struct helper *h, u32 module, const char *file, const char *root,
			    const char *path)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int root_fd = root ? open(root, O_PATH | O_CLOEXEC) : -1;

	assert_true(fd >= 0);
	assert_int_equal(helper_open(h, module, fd, root_fd, path, NULL), 0);
	return wait_for(h);
}

static struct helper *new_helper(void)
{
	struct helper *h;

	assert_int_equal(helper_new(&h), 0);
	return h;
}

/* Returns the link-time address of the code that is inlined into outer_one(). */
static u64 inlined_addr(void)
{
	return (u64)(uintptr_t)helper_test_inlined - bias;
}

static const char *next_frame(const char *text, struct helper_frame *f, const char **name,
			      const char **file)
{
	memcpy(f, text, sizeof(*f));
	*name = text + sizeof(*f);
	*file = *name + strlen(*name) + 1;
	return *file + strlen(*file) + 1;
}

static void assert_lines_of_this_program(struct helper *h, u32 module)
{
	struct helper_frame f;
	const char *name, *file, *text;
	struct got got;

	assert_int_equal(helper_lines(h, module, inlined_addr()), 0);
	got = wait_for(h);
	assert_int_equal(got.answer.err, 0);
	assert_int_equal(got.answer.n_frames, 2);
	text = next_frame(got.text, &f, &name, &file);
	assert_string_equal(name, "inlined_one");
	assert_non_null(strstr(file, "test_symbols_helper.c"));
	assert_true(f.inlined);
	next_frame(text, &f, &name, &file);
	assert_string_equal(name, "outer_one");
	assert_int_equal(f.line, outer_line);
	assert_int_equal(f.start_line, outer_line - 2);
	assert_false(f.inlined);
}

static void the_test_program_has_the_expected_lines_and_inlined_functions(void **state)
{
	struct helper *h = new_helper();
	struct got got;

	(void)state;
	assert_int_equal(outer_one(1), 2);
	got = open_file(h, 7, "/proc/self/exe", NULL, "/nowhere/at/all");
	assert_int_equal(got.answer.err, 0);
	assert_true(got.answer.flags & HELPER_HAS_LINES);
	assert_int_equal(got.fds[0], -1);
	assert_lines_of_this_program(h, 7);
	assert_int_equal(helper_lines(h, 7, 1), 0);
	assert_int_equal(wait_for(h).answer.err, -ENOENT);
	assert_int_equal(helper_lines(h, 8, 1), 0); /* no such request */
	assert_int_equal(wait_for(h).answer.err, -ESTALE);
	helper_free(&h);
}

/* ---- debug files ---- */

static void shell(const char *format, const char *arg)
{
	char command[8192];

	snprintf(command, sizeof(command), format, arg, arg, arg, arg, arg);
	assert_int_equal(system(command), 0);
}

static char *in_dir(const char *name)
{
	static char path[4][256];
	static int i;

	i = (i + 1) % 4;
	snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

/*
 * Makes DIR/stripped, DIR/debug and the folder DIR/root/usr/lib/debug/.build-id/xx. @id
 * receives the path for the debug file in that folder.
 */
static void make_files(char id[256])
{
	struct elf_file *f;
	const char *build_id;

	shell("cp /proc/$PPID/exe %s/whole && cd %s && objcopy --only-keep-debug whole debug && "
	      "strip -o stripped whole && objcopy --add-gnu-debuglink=debug stripped",
	      dir);
	assert_int_equal(elf_file_open(&f, in_dir("stripped")), 0);
	build_id = elf_file_build_id(f);
	assert_non_null(build_id);
	snprintf(id, 256, "%s/root/usr/lib/debug/.build-id/%.2s", dir, build_id);
	shell("mkdir -p %s", id);
	snprintf(id + strlen(id), 256 - strlen(id), "/%s.debug", build_id + 2);
	elf_file_free(&f);
}

static void remove_files(void)
{
	shell("rm -rf %s", dir);
	shell("mkdir %s", dir);
}

/* Symbols and lines come from a debug file that exists only under the target's root. */
static void a_debug_file_is_found_by_build_id_in_the_targets_root(void **state)
{
	struct helper *h = new_helper();
	char id[256];
	struct got got;

	(void)state;
	make_files(id);
	got = open_file(h, 1, in_dir("stripped"), in_dir("root"), "/bin/stripped");
	assert_int_equal(got.answer.flags, HELPER_LACKS_DEBUG); /* no debug file exists yet */
	assert_int_equal(rename(in_dir("debug"), id), 0);
	got = open_file(h, 2, in_dir("stripped"), in_dir("root"), "/bin/stripped");
	assert_int_equal(got.answer.flags, HELPER_HAS_LINES | HELPER_HAS_DEBUG);
	assert_true(got.fds[0] >= 0);
	assert_string_equal(got.answer.why, "");
	close_fds(&got);
	assert_lines_of_this_program(h, 2);
	helper_free(&h);
	remove_files();
}

static void a_debug_file_is_found_by_the_gnu_debuglink(void **state)
{
	static const char *const places[] = { "root/bin", "root/bin/.debug",
					      "root/usr/lib/debug/bin" };
	char id[256], place[300];
	struct got got;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct helper *h = new_helper();

		make_files(id);
		shell("mkdir -p %s", in_dir(places[i]));
		snprintf(place, sizeof(place), "%s/debug", in_dir(places[i]));
		assert_int_equal(rename(in_dir("debug"), place), 0);
		got = open_file(h, 1, in_dir("stripped"), in_dir("root"), "/bin/stripped");
		assert_int_equal(got.answer.flags, HELPER_HAS_LINES | HELPER_HAS_DEBUG);
		close_fds(&got);
		helper_free(&h);
		remove_files();
	}
}

/*
 * Runs @command with the path of the debug file; then the file must be rejected with reason
 * @why.
 */
static void refused(const char *command, const char *why)
{
	struct helper *h = new_helper();
	struct got got;
	char id[256];

	make_files(id);
	shell(command, id);
	got = open_file(h, 1, in_dir("stripped"), in_dir("root"), "/bin/stripped");
	assert_int_equal(got.answer.flags, HELPER_LACKS_DEBUG);
	assert_non_null(strstr(got.answer.why, why));
	helper_free(&h);
	remove_files();
}

static void debug_files_that_do_not_match_are_rejected_with_a_reason(void **state)
{
	(void)state;
	refused("mkfifo %s", "is not a regular file");
	refused("cp /bin/true %s", "is of another build");
	refused("echo nonsense > %s", "can't be read");
	refused("mkdir %s", "is not a regular file");
}

/*
 * The target of the symlink is the real debug file outside of the root; no file has that path
 * inside the root.
 */
static void a_symlink_out_of_the_targets_root_is_not_followed(void **state)
{
	struct helper *h = new_helper();
	struct got got;
	char id[256];

	(void)state;
	make_files(id);
	assert_int_equal(symlink(in_dir("debug"), id), 0);
	got = open_file(h, 1, in_dir("stripped"), in_dir("root"), "/bin/stripped");
	assert_int_equal(got.answer.flags, HELPER_LACKS_DEBUG);
	/* Now the target of the symlink exists inside the root. */
	shell("mkdir -p %s/root%s && mv %s/debug $(echo %s/root%s)", dir);
	got = open_file(h, 2, in_dir("stripped"), in_dir("root"), "/bin/stripped");
	assert_int_equal(got.answer.flags, HELPER_HAS_LINES | HELPER_HAS_DEBUG);
	close_fds(&got);
	helper_free(&h);
	remove_files();
}

static void a_debug_file_without_a_build_id_is_accepted_by_checksum(void **state)
{
	struct helper *h = new_helper();
	struct got got;
	char id[256];

	(void)state;
	make_files(id);
	shell("cd %s && objcopy --remove-section .note.gnu.build-id whole w && mkdir -p root/bin "
	      "&& "
	      "objcopy --only-keep-debug w debug && strip -o s w && "
	      "objcopy --add-gnu-debuglink=debug s && cp debug root/bin/debug",
	      dir);
	got = open_file(h, 1, in_dir("s"), in_dir("root"), "/bin/s");
	assert_int_equal(got.answer.flags, HELPER_HAS_LINES | HELPER_HAS_DEBUG);
	close_fds(&got);
	shell("echo >> %s/root/bin/debug", dir);
	got = open_file(h, 2, in_dir("s"), in_dir("root"), "/bin/s");
	assert_int_equal(got.answer.flags, HELPER_LACKS_DEBUG);
	assert_non_null(strstr(got.answer.why, "another checksum"));
	helper_free(&h);
	remove_files();
}

/* ---- death of a helper ---- */

static pid_t child_of_mine(void)
{
	char path[64];
	_cleanup_fclose_ FILE *f = NULL;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	return pid;
}

static void a_dead_helper_is_restarted_without_the_module_that_it_read(void **state)
{
	struct helper *h = new_helper();
	struct got got;
	u32 generation;

	(void)state;
	got = open_file(h, 1, "/proc/self/exe", NULL, "/x");
	generation = helper_generation(h);
	kill(child_of_mine(), SIGSTOP);
	assert_int_equal(helper_lines(h, 1, 1), 0);
	kill(child_of_mine(), SIGKILL);
	got = wait_for(h);
	assert_int_equal(got.answer.err, -EIO);
	assert_non_null(strstr(got.answer.why, "failed"));
	assert_int_not_equal(helper_generation(h), generation);
	open_file(h, 2, "/proc/self/exe", NULL, "/x");
	assert_lines_of_this_program(h, 2);
	helper_free(&h);
}

static void a_hanging_helper_is_killed_and_restarted_without_the_module_it_read(void **state)
{
	struct helper *h = new_helper();
	struct got got = { 0 };

	(void)state;
	open_file(h, 1, "/proc/self/exe", NULL, "/x");
	open_file(h, 2, "/proc/self/exe", NULL, "/x");
	kill(child_of_mine(), SIGSTOP);
	assert_int_equal(helper_lines(h, 1, 1), 0);
	assert_int_equal(helper_lines(h, 2, 1), 0);
	for (int i = 0; !got.n && i < 100; i++)
		helper_poll(h, 100, take, &got);
	assert_int_equal(got.n, 2); /* the second request was still in the pipe */
	assert_int_equal(got.answer.module, 2);
	assert_int_equal(got.answer.err, -ESTALE);
	open_file(h, 2, "/proc/self/exe", NULL, "/x");
	assert_lines_of_this_program(h, 2);
	helper_free(&h);
}

/* A helper that dies again and again is not restarted without limit. */
static void the_helper_is_not_restarted_after_many_deaths(void **state)
{
	struct helper *h = new_helper();
	struct got got = { 0 };
	u32 n = 0;

	(void)state;
	while (helper_generation(h)) {
		_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

		assert_int_equal(helper_open(h, 1, fd, -1, "/x", NULL), 0);
		kill(child_of_mine(), SIGKILL);
		for (got.n = 0; !got.n;)
			helper_poll(h, 10, take, &got);
		close_fds(&got);
		assert_true(++n <= 2 * HELPER_MAX_STARTS);
		poll(NULL, 0, 5);
		helper_poll(h, 0, take, &got);
	}
	assert_int_equal(helper_lines(h, 1, 1), -ENOSYS);
	helper_free(&h);
}

/* ---- damaged debug information ---- */

static u8 *read_all(const char *path, size_t *len)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct stat st;
	u8 *bytes;

	assert_int_equal(fstat(fileno(in), &st), 0);
	*len = (size_t)st.st_size;
	bytes = malloc(*len);
	assert_int_equal(fread(bytes, 1, *len, in), *len);
	return bytes;
}

/* Opens @bytes as a module and requests lines. The helper must answer, whatever the answer is. */
static void use(struct helper *h, u32 module, const u8 *bytes, size_t len, u64 addr)
{
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);
	struct got got = { 0 };

	assert_int_equal(write(fd, bytes, len), len);
	if (!helper_generation(h))
		return;
	assert_int_equal(helper_open(h, module, fd, -1, "/x", NULL), 0);
	got = wait_for(h);
	close_fds(&got);
	if (got.answer.err || !(got.answer.flags & HELPER_HAS_LINES))
		return;
	assert_int_equal(helper_lines(h, module, addr), 0);
	wait_for(h);
}

static void the_helper_answers_even_if_debug_information_is_corrupt_or_truncated(void **state)
{
	static const char *const sections[] = { ".debug_info", ".debug_abbrev", ".debug_line",
						".debug_rnglists", ".debug_str" };
	struct helper *h = NULL;
	_cleanup_free_ u8 *bytes = NULL, *copy = NULL;
	struct elf_file *f;
	u64 addr = inlined_addr(), seed = 1;
	size_t len;

	(void)state;
	bytes = read_all("/proc/self/exe", &len);
	copy = malloc(len);
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	for (u32 i = 0; i < 100; i++) {
		const u8 *section = NULL;
		size_t section_len, at;

		if (!h || !helper_generation(h)) {
			helper_free(&h);
			h = new_helper();
		}
		if (elf_file_section(f, sections[i % 5], len, &section, &section_len))
			continue;
		at = (size_t)((u8 *)memmem(bytes, len, section, section_len) - bytes);
		memcpy(copy, bytes, len);
		for (int k = 0; k < 1 + (int)i / 10; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			copy[at + (seed >> 20) % section_len] = (u8)(seed >> 50);
		}
		use(h, i + 1, copy, len, addr);
	}
	for (u32 i = 1; i < 60; i++)
		use(h, 1000 + i, bytes, len * i / 60, addr);
	helper_free(&h);
	h = new_helper();
	use(h, 1, bytes, len, addr);
	assert_lines_of_this_program(h, 1); /* files that are not corrupt still have lines */
	helper_free(&h);
	elf_file_free(&f);
}

static void the_helper_has_no_capabilities_that_it_does_not_need(void **state)
{
	struct helper *h = new_helper();
	char path[64], line[256];
	_cleanup_fclose_ FILE *f = NULL;
	bool is_root = !geteuid(), saw_caps = false;

	(void)state;
	open_file(h, 1, "/proc/self/exe", NULL, "/x");
	snprintf(path, sizeof(path), "/proc/%d/status", child_of_mine());
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long caps;
		unsigned uid;

		if (is_root && sscanf(line, "Uid: %u", &uid) == 1)
			assert_in_range(uid, 0xffe00000u, 0xffefffffu);
		if (sscanf(line, "CapEff: %llx", &caps) == 1) {
			saw_caps = true;
			assert_int_equal(caps & ~4ull, 0); /* only CAP_DAC_READ_SEARCH, bit 2 */
		}
		if (!strncmp(line, "NoNewPrivs:", 11))
			assert_non_null(strchr(line, '1'));
	}
	assert_true(saw_caps);
	helper_free(&h);
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	bias = info->dlpi_addr;
	return 1;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_test_program_has_the_expected_lines_and_inlined_functions),
		cmocka_unit_test(a_debug_file_is_found_by_build_id_in_the_targets_root),
		cmocka_unit_test(a_debug_file_is_found_by_the_gnu_debuglink),
		cmocka_unit_test(debug_files_that_do_not_match_are_rejected_with_a_reason),
		cmocka_unit_test(a_symlink_out_of_the_targets_root_is_not_followed),
		cmocka_unit_test(a_debug_file_without_a_build_id_is_accepted_by_checksum),
		cmocka_unit_test(a_dead_helper_is_restarted_without_the_module_that_it_read),
		cmocka_unit_test(
			a_hanging_helper_is_killed_and_restarted_without_the_module_it_read),
		cmocka_unit_test(the_helper_is_not_restarted_after_many_deaths),
		cmocka_unit_test(
			the_helper_answers_even_if_debug_information_is_corrupt_or_truncated),
		cmocka_unit_test(the_helper_has_no_capabilities_that_it_does_not_need),
	};
	int result;

	dl_iterate_phdr(take_bias, NULL);
	assert_non_null(mkdtemp(dir));
	result = CHECK_RUN(tests);
	return rmdir(dir) ? 1 : result;
}
