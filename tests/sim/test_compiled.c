// SPDX-License-Identifier: BSD-2-Clause

/*
 * test_compiled DIR: walks from every instruction of every build of the compiled fixtures.
 * Walks with unwind rows must be exact and complete. In a build without rows, or with wrong
 * ones, a walk may be wrong only at instructions that explain it (compiled_expect.h), and may
 * miss the direct caller of a function that has no frame record; such a walk must not be
 * reported as complete.
 */

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/util/cleanup.h"
#include "../../sim/case/cases.h"
#include "../../sim/case/compiled.h"
#include "../../sim/case/where.h"
#include "../../sim/mem/image.h"
#include "../../sim/sweep/judge.h"
#include "../check.h"
#include "compiled_expect.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

static struct sim_paths paths;

static const struct sim_arch *arch_of(const char *path)
{
	return strstr(path, ".arm64.elf") ? &sim_arch_arm64 : &sim_arch_x86_64;
}

/* The unwind information that the walks of a build use. */
enum by { BY_ROWS, BY_WRONG_ROWS, BY_RECORDS, BY_FLOW, N_BYS };

static const char *const by_names[] = { "rows", "incorrect rows (clang, arm64)", "frame records",
					"rows derived from instructions" };

static enum by by_of(const char *path)
{
	if (strstr(path, "-norows"))
		return BY_RECORDS;
	if (strstr(path, "-flow"))
		return BY_FLOW;
	return strstr(path, "-clang-") && strstr(path, ".arm64.") ? BY_WRONG_ROWS : BY_ROWS;
}

static int find_result(const struct elf_symbol *s, void *data)
{
	if (strcmp(s->name, "fixture_result") != 0)
		return 0;
	*(u64 *)data = s->addr;
	return 1;
}

static bool is_corners(const char *path)
{
	return strstr(path, "/corners-") != NULL;
}

/* Reads the result that the program computes. All builds must compute the same result. */
static u64 result_of(const char *path, const struct sim_case *c)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	u64 addr = 0, result = 0;

	assert_int_equal(elf_file_open(&f, path), 0);
	assert_int_equal(elf_file_each_symbol(f, find_result, &addr), 1);
	assert_int_equal(sim_mem_read(c->target.mem, &result, sizeof(result), addr), 0);
	return result;
}

static void judge(const char *path, const struct sweep_walker *walker, struct sweep_result *r)
{
	static u64 results[2];
	u64 *result = &results[is_corners(path)];
	struct sim_error error = { "" };
	struct sim_case *c = NULL;

	if (sim_compiled_load(path, arch_of(path), &c, &error) || sweep_judge(c, walker, r, &error))
		fail_msg("%s: %s", path, error.text);
	if (!*result)
		*result = result_of(path, c);
	if (!*result || result_of(path, c) != *result)
		fail_msg("%s computes %#llx", path, result_of(path, c));
	sim_compiled_free(&c);
}

/* A native walker that counts incomplete walks. */
struct counted {
	const struct sim_arch *arch;
	u64 n_incomplete;
};

static int walk_counted(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	struct counted *c = ctx;

	c->arch->walk(u, target);
	c->n_incomplete += u->sample.status != UW_END;
	return 0;
}

/*
 * Return: whether the miss @m is unavoidable. Walks trust wrong rows; any other wrong walk
 *         must not be reported as complete.
 */
static bool is_excused(const struct sim_case *c, enum by by, const struct sweep_miss *m)
{
	if (by == BY_WRONG_ROWS)
		return compiled_is_edge(c, m->pc);
	if (by == BY_ROWS || m->status == UW_END)
		return false;
	if (by == BY_RECORDS)
		return m->n_lost_caller == m->n;
	for (u32 i = 0; i < m->n_expected; i++)
		if (compiled_hides_caller(c, m->expected[i] - (i > 0), i > 0))
			return true;
	return false;
}

static void judge_build(const char *path, struct sweep_result *r)
{
	struct counted counted = { arch_of(path), 0 };
	struct sweep_walker walker = { "counted", walk_counted, &counted };
	struct sim_case *c = NULL;
	struct sim_error error;
	char where[128];
	u32 n_wrong = 0;

	judge(path, &walker, r);
	assert_true(r->boundaries > (is_corners(path) ? 5000 : 50000));
	assert_int_equal(sim_compiled_load(path, arch_of(path), &c, &error), 0);
	for (u32 i = 0; i < r->n_misses; i++) {
		const struct sweep_miss *m = &r->misses[i];

		if (is_excused(c, by_of(path), m))
			continue;
		n_wrong++;
		print_message("%s: %s: %llu wrong, status %u\n", path,
			      sim_where(c, m->pc, where, sizeof(where)), m->n, m->status);
	}
	sim_compiled_free(&c);
	assert_int_equal(n_wrong, 0);
	if (by_of(path) == BY_ROWS)
		assert_int_equal(counted.n_incomplete, 0);
}

static void walks_are_exact_with_rows_and_lack_only_callers_with_frame_records(void **state)
{
	u64 n_pcs[2] = { 0, 0 }, boundaries[N_BYS] = { 0 }, exact[N_BYS] = { 0 };
	u32 n[N_BYS] = { 0 };

	(void)state;
	for (u32 i = 0; i < paths.n; i++) {
		enum by by = by_of(paths.at[i]);
		struct sweep_result r;

		judge_build(paths.at[i], &r);
		n_pcs[arch_of(paths.at[i]) == &sim_arch_arm64] += r.n_pcs;
		boundaries[by] += r.boundaries;
		exact[by] += r.exact;
		n[by]++;
		if (by == BY_WRONG_ROWS || by == BY_FLOW)
			printf("%s: %.1f %% exact\n", strrchr(paths.at[i], '/') + 1,
			       sweep_percent(r.exact, r.boundaries));
		sweep_result_deinit(&r);
	}
	for (u32 by = 0; by < N_BYS; by++)
		printf("%s: in %u builds %llu of %llu walks are exact\n", by_names[by], n[by],
		       exact[by], boundaries[by]);
	printf("walks started at %llu different pairs of build and pc on x86_64 and at %llu on "
	       "arm64\n",
	       n_pcs[0], n_pcs[1]);
	assert_true(n_pcs[0] >= 100000 && n_pcs[1] >= 100000);
	assert_true(n[BY_ROWS] && n[BY_WRONG_ROWS] && n[BY_RECORDS] && n[BY_FLOW]);
	for (u32 by = 0; by < N_BYS; by++) /* only walks with correct rows are always exact */
		assert_int_equal(exact[by] == boundaries[by], by == BY_ROWS);
}

/* Counts of special cases in the second program. */
struct corners {
	const struct sim_case *c;
	u64 n_cold; /* pc is in the cold part of a function */
	u64 n_outside; /* a return address is after the end of its function */
	u64 n_leaving; /* pc is at lea -8(%r10), %rsp */
};

static int walk_corners(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	static const u8 leave[] = { 0x49, 0x8d, 0x62, 0xf8 };
	struct corners *n = ctx;
	const struct sim_function *f = sim_function_at(n->c, target->regs.pc);
	u8 code[sizeof(leave)] = { 0 };

	n->c->arch->walk(u, target);
	sim_mem_read(target->mem, code, sizeof(code), target->regs.pc);
	n->n_leaving += !memcmp(code, leave, sizeof(leave));
	n->n_cold += f && strstr(f->name, ".cold");
	for (u32 i = 1; i < u->sample.n_frames; i++) {
		u64 pc = u->sample.frames[i].pc;

		f = sim_function_at(n->c, pc - 1);
		n->n_outside += f && pc == f->start_addr + f->len;
	}
	return 0;
}

static void the_test_program_named_corners_contains_cold_parts_and_noreturn_calls(void **state)
{
	struct sim_error error;
	u32 n_builds = 0;

	(void)state;
	for (u32 i = 0; i < paths.n; i++) {
		struct corners n = { 0 };
		struct sweep_walker walker = { "counted", walk_corners, &n };
		struct sim_case *c = NULL;
		struct sweep_result r;

		if (!strstr(paths.at[i], "corners-gcc-O2-nofp"))
			continue;
		assert_int_equal(sim_compiled_load(paths.at[i], arch_of(paths.at[i]), &c, &error),
				 0);
		n.c = c;
		assert_int_equal(sweep_judge(c, &walker, &r, &error), 0);
		assert_true(n.n_cold && n.n_outside);
		assert_int_equal(n.n_leaving != 0, c->arch == &sim_arch_x86_64);
		sweep_result_deinit(&r);
		sim_compiled_free(&c);
		n_builds++;
	}
	assert_int_equal(n_builds, 2);
}

/* A walker that makes the same mistake at each boundary. */
struct wrong {
	const struct sim_arch *arch;
	enum { RIGHT, DROP_LAST, ADD_ONE, OFF_BY_ONE, DROP_CALLER } how;
};

static int walk_wrong(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	const struct wrong *w = ctx;
	struct uw_sample *s = &u->sample;

	w->arch->walk(u, target);
	if (w->how == DROP_LAST)
		s->n_frames--;
	else if (w->how == ADD_ONE)
		s->frames[s->n_frames++].pc = 1;
	else if (w->how == OFF_BY_ONE)
		s->frames[s->n_frames - 1].pc++;
	else if (w->how == DROP_CALLER && s->n_frames > 1)
		memmove(&s->frames[1], &s->frames[2], (--s->n_frames - 1) * sizeof(s->frames[0]));
	return 0;
}

/* Finds a build whose walks are all exact. */
static const char *exact_path(void)
{
	for (u32 i = 0; i < paths.n; i++)
		if (strstr(paths.at[i], "calls-gcc-O0-fp.x86_64.elf"))
			return paths.at[i];
	fail_msg("no such build");
	return NULL;
}

static void a_sweep_of_a_compiled_program_detects_wrong_walks(void **state)
{
	struct wrong wrong = { &sim_arch_x86_64, RIGHT };
	struct sweep_walker walker = { "wrong", walk_wrong, &wrong };
	struct sweep_result r;

	(void)state;
	judge(exact_path(), &walker, &r);
	assert_int_equal(r.exact, r.boundaries);
	assert_int_equal(r.n_misses, 0);
	sweep_result_deinit(&r);
	for (wrong.how = DROP_LAST; wrong.how <= DROP_CALLER; wrong.how++) {
		u64 n_alone = 3; /* stops in _start itself, which has no caller */

		judge(exact_path(), &walker, &r);
		if (wrong.how != DROP_CALLER)
			assert_int_equal(r.exact, 0);
		else
			assert_true(r.exact < n_alone && r.n_lost_caller == r.boundaries - r.exact);
		if (wrong.how == ADD_ONE || wrong.how == OFF_BY_ONE)
			assert_int_equal(r.n_lost_caller, 0);
		sweep_result_deinit(&r);
	}
}

static int fail_at_once(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	(void)ctx;
	(void)target;
	(void)u;
	return -EIO;
}

static void a_sweep_with_a_failing_walker_returns_its_error(void **state)
{
	struct sweep_walker walker = { "broken", fail_at_once, NULL };
	struct sweep_result r = { 0 };
	struct sim_error error;
	struct sim_case *c = NULL;

	(void)state;
	assert_int_equal(sim_compiled_load(exact_path(), &sim_arch_x86_64, &c, &error), 0);
	assert_int_equal(sweep_judge(c, &walker, &r, &error), -EIO);
	assert_non_null(strstr(error.text, "broken can't walk"));
	sim_compiled_free(&c);
}

static void a_compiled_program_of_another_architecture_is_rejected(void **state)
{
	struct sim_case *c = NULL;
	struct sim_error error;

	(void)state;
	assert_int_equal(sim_compiled_load(exact_path(), &sim_arch_arm64, &c, &error), -ENOTSUP);
	assert_int_equal(sim_compiled_load("/dev/null", &sim_arch_arm64, &c, &error), -EINVAL);
	assert_null(c);
}

/* The last program header of the program in @bytes. */
static Elf64_Phdr *last_segment(u8 *bytes)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)bytes;
	Elf64_Phdr *p = (Elf64_Phdr *)(bytes + h->e_phoff), *last = NULL;

	for (u32 i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			last = &p[i];
	assert_non_null(last);
	return last;
}

static void expect_of(const u8 *bytes, size_t len, const char *problem)
{
	char path[] = "/tmp/unspool-patched-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct sim_error error = { "" };
	struct sim_case *c = NULL;
	int err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	err = sim_compiled_load(path, &sim_arch_x86_64, &c, &error);
	unlink(path);
	sim_compiled_free(&c);
	assert_int_equal(!err, !problem);
	if (problem && !strstr(error.text, problem))
		fail_msg("\"%s\" has no \"%s\"", error.text, problem);
}

static void a_compiled_program_that_is_relocatable_or_too_large_is_rejected(void **state)
{
	static u8 bytes[1 << 20] __attribute__((aligned(8)));
	_cleanup_fclose_ FILE *in = fopen(exact_path(), "re");
	size_t len = in ? fread(bytes, 1, sizeof(bytes), in) : 0;

	(void)state;
	assert_true(len > 1000 && len < sizeof(bytes));
	expect_of(bytes, len, NULL);
	last_segment(bytes)->p_memsz = 255u << 20;
	expect_of(bytes, len, NULL);
	last_segment(bytes)->p_memsz = 257u << 20;
	expect_of(bytes, len, "too large: at most 64 segments, 256 MiB");
	((Elf64_Ehdr *)bytes)->e_type = ET_DYN;
	expect_of(bytes, len, "link it with -static -no-pie");
}

/*
 * The section headers are at the end. Without section headers, no symbol marks where a run
 * stops.
 */
static void a_truncated_compiled_program_is_rejected(void **state)
{
	static u8 bytes[1 << 20];
	char path[] = "/tmp/unspool-truncated-XXXXXX";
	_cleanup_fclose_ FILE *in = fopen(exact_path(), "re");
	_cleanup_close_ int fd = mkstemp(path);
	size_t len, n_refused = 0;

	(void)state;
	assert_true(in && fd >= 0);
	len = fread(bytes, 1, sizeof(bytes), in);
	assert_true(len > 1000 && len < sizeof(bytes));
	assert_int_equal(write(fd, bytes, len), len);
	for (size_t n = len; n; n = n > 4096 ? n - 997 : n - 1) {
		struct sim_error error = { "" };
		struct sim_case *c = NULL;
		int err;

		assert_int_equal(ftruncate(fd, (off_t)(n - 1)), 0);
		err = sim_compiled_load(path, &sim_arch_x86_64, &c, &error);
		assert_true(err && error.text[0] && !c);
		n_refused++;
	}
	unlink(path);
	assert_true(n_refused > 3000);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			walks_are_exact_with_rows_and_lack_only_callers_with_frame_records),
		cmocka_unit_test(
			the_test_program_named_corners_contains_cold_parts_and_noreturn_calls),
		cmocka_unit_test(a_sweep_of_a_compiled_program_detects_wrong_walks),
		cmocka_unit_test(a_sweep_with_a_failing_walker_returns_its_error),
		cmocka_unit_test(a_compiled_program_of_another_architecture_is_rejected),
		cmocka_unit_test(a_truncated_compiled_program_is_rejected),
		cmocka_unit_test(a_compiled_program_that_is_relocatable_or_too_large_is_rejected),
	};
	struct sim_error error;
	int failed;

	if (argc != 2 || sim_paths_add(&paths, argv[1], &error)) {
		fprintf(stderr, "test_compiled: %s\n", argc == 2 ? error.text : "which folder?");
		return 2;
	}
	failed = CHECK_RUN(tests);
	sim_paths_deinit(&paths);
	return failed;
}
