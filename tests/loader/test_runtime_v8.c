// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests how V8 frames become profile frames: with a readable heap, without one, and after the
 * process has exited; and which mappings contain V8's code. The heap is faked.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/v8/v8.h"
#include "../../inspect/v8/v8_rows.h"
#include "../../loader/runtime/runtimes.h"
#include "../check.h"

#define MODULE 3
#define CODE_OFF 0x4000 /* file offset of the builtins */
#define CODE_LEN 0x2000
#define BLOB 0x500000ull /* address of the builtins */
#define JIT 0x900000ull

static struct runtime_build build;
static struct runtime *rt;
static struct v8_name names[2]; /* the names that the fake heap returns */
static int n_names; /* number of those names, or a negative errno */
static u32 n_regions, n_told; /* number of code regions, and how often the heap received them */
static bool has_heap, is_misread;
static struct prof_frame named[4];
static u32 n_named;

int v8_heap_new(struct v8_heap **h, const struct v8_build *b, struct target *t)
{
	(void)b, (void)t;
	*h = has_heap ? (struct v8_heap *)&n_names : NULL;
	return has_heap ? 0 : -ENOTSUP;
}

void v8_heap_free(struct v8_heap **h)
{
	*h = NULL;
}

int v8_heap_set_regions(struct v8_heap *h, const struct v8_region *r, size_t n)
{
	(void)h, (void)r;
	n_regions = (u32)n;
	n_told++;
	return 0;
}

int v8_heap_name(struct v8_heap *h, const struct uw_sample *s, u32 i, struct v8_name *out)
{
	(void)h, (void)s, (void)i;
	memcpy(out, names, sizeof(names));
	return n_names;
}

bool v8_heap_is_misread(const struct v8_heap *h)
{
	(void)h;
	return is_misread;
}

void v8_heap_forget(struct v8_heap *h)
{
	(void)h;
}

void v8_heap_explain(struct v8_heap *h, void (*tell)(void *ctx, const struct v8_asked *asked),
		     void *ctx)
{
	(void)h, (void)tell, (void)ctx;
}

int v8_build_new(struct v8_build **b, struct elf_file *f)
{
	(void)f;
	*b = (struct v8_build *)&n_names;
	return 0;
}

void v8_build_free(struct v8_build **b)
{
	*b = NULL;
}

struct v8_facts v8_build_facts(const struct v8_build *b)
{
	static const struct v8_info info = { .async.job_len = 77 };

	(void)b;
	return (struct v8_facts){ .runtime = "Node.js 24.21.0",
				  .v8 = "V8 13.6",
				  .async_why = "promises are unreadable",
				  .info = &info };
}

int v8_build_rows(const void *b, struct elf_file *f, u64 start, u64 end, rule_fn *fn, void *data)
{
	(void)b, (void)f, (void)start, (void)end, (void)fn, (void)data;
	return 0;
}

const char *v8_tier_name(enum v8_tier tier)
{
	return tier == V8_TIER_MAGLEV ? "maglev" : NULL;
}

const char *v8_build_builtin_name(const struct v8_build *b, u64 file_off)
{
	(void)b;
	return file_off == CODE_OFF + 0x10 ? "StringAdd" : NULL;
}

static int take(const struct prof_frame *f, void *data)
{
	(void)data;
	assert_in_range(n_named, 0, 3);
	named[n_named++] = *f;
	return 0;
}

/*
 * Builds the mappings that the walk uses: builtins at BLOB, compiled code at JIT. @n: how
 * many.
 */
static void place(u32 n)
{
	struct uw_mapping maps[] = {
		{ .start_addr = BLOB,
		  .end_addr = BLOB + CODE_LEN,
		  .file_off = CODE_OFF,
		  .kind = UW_MAP_V8_BUILTINS },
		{ .start_addr = JIT, .end_addr = JIT + 0x1000, .kind = UW_MAP_V8_JIT },
		{ .start_addr = JIT + 0x1000, .end_addr = JIT + 0x2000, .kind = UW_MAP_NATIVE }
	};
	struct map_list l = { .v = maps, .n = n };

	assert_int_equal(v8_runtime.place(rt, &l), 0);
}

static int begin(void **state)
{
	static const struct runtime_home home = { .module = MODULE, .info_idx = 5 };
	static struct target memory;

	(void)state;
	build = (struct runtime_build){ .ops = &v8_runtime,
					.code_off = CODE_OFF,
					.code_len = CODE_LEN };
	if (runtime_open(&rt, &build, &home))
		return -1;
	rt->memory = &memory;
	n_named = n_regions = n_told = 0;
	has_heap = true;
	is_misread = false;
	n_names = 1;
	memset(names, 0, sizeof(names));
	return 0;
}

static int finish(void **state)
{
	(void)state;
	runtime_free(&rt);
	return 0;
}

static int name(const struct uw_frame *f, u32 i)
{
	struct uw_sample s = { .n_frames = (u16)(i + 1) };

	s.frames[i] = *f;
	n_named = 0;
	return v8_runtime.name(rt, &s, i, take, NULL);
}

static void each_function_found_in_the_heap_becomes_a_profile_frame(void **state)
{
	static const struct uw_frame js = { .kind = UW_V8_JS, .pc = JIT, .flags = UW_FRAME_GUESS };

	(void)state;
	place(3);
	names[0] = (struct v8_name){ .kind = V8_NAME_JS,
				     .name = "inner",
				     .file = "a.js",
				     .line = 3,
				     .column = 4,
				     .tier = V8_TIER_MAGLEV,
				     .inlined = true };
	names[1] = (struct v8_name){ .kind = V8_NAME_JS, .reason = "moved" };
	n_names = 2;
	assert_int_equal(name(&js, 1), 0);
	assert_int_equal(n_named, 2);
	assert_string_equal(named[0].name, "inner");
	assert_string_equal(named[0].file, "a.js");
	assert_int_equal(named[0].line, 3);
	assert_int_equal(named[0].column, 4);
	assert_string_equal(named[0].tier, "maglev");
	assert_true(named[0].inlined && named[0].guess);
	assert_false(named[0].has_off);
	assert_null(named[1].name);
	assert_true(named[1].has_off);
	assert_int_equal(named[1].off, JIT);
	assert_string_equal(named[1].reason, "moved");
	assert_false(named[1].inlined);
}

static void each_kind_of_code_becomes_the_matching_kind_of_frame(void **state)
{
	static const enum prof_kind kinds[] = { [V8_NAME_JS] = PROF_JS,
						[V8_NAME_BUILTIN] = PROF_BUILTIN,
						[V8_NAME_STUB] = PROF_STUB,
						[V8_NAME_REGEXP] = PROF_REGEXP,
						[V8_NAME_WASM] = PROF_WASM };

	(void)state;
	place(3);
	for (u32 i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		names[0].kind = i;
		assert_int_equal(name(&(struct uw_frame){ .kind = UW_V8_JS }, 0), 0);
		assert_int_equal(named[0].kind, kinds[i]);
	}
}

/*
 * If V8 is readable but no name is found in its heap, the only possible cause is that the
 * process has exited.
 */
static void no_frame_is_named_after_the_process_has_exited(void **state)
{
	static const struct uw_frame js = { .kind = UW_V8_JS, .pc = BLOB + 0x10 };

	(void)state;
	place(3);
	n_names = -ESRCH;
	assert_int_equal(name(&js, 0), RUNTIME_GONE);
	assert_int_equal(n_named, 0);
}

static void builtins_are_named_even_if_the_heap_is_unreadable(void **state)
{
	static const struct {
		struct uw_frame f;
		u32 i, n;
		enum prof_kind kinds[2];
		const char *name; /* name of the first frame */
	} cases[] = {
		/* An interrupted builtin runs on the frame of its caller. */
		{ { .kind = UW_V8_JS, .pc = BLOB + 0x10 },
		  0,
		  2,
		  { PROF_BUILTIN, PROF_JS },
		  "StringAdd" },
		{ { .kind = UW_V8_JS, .pc = BLOB + 0x10 }, 1, 1, { PROF_BUILTIN }, "StringAdd" },
		{ { .kind = UW_V8_STUB, .pc = BLOB + 0x10 }, 0, 1, { PROF_STUB }, "StringAdd" },
		{ { .kind = UW_V8_JS, .pc = BLOB + 0x11, .flags = UW_FRAME_RA },
		  1,
		  1,
		  { PROF_BUILTIN },
		  "StringAdd" },
		{ { .kind = UW_V8_JS, .pc = BLOB + 0x20 }, 0, 1, { PROF_JS }, NULL },
		{ { .kind = UW_V8_JS, .pc = JIT + 0x10 }, 0, 1, { PROF_JS }, NULL },
	};

	(void)state;
	has_heap = false;
	build.why = "V8 99 is not supported";
	place(3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(name(&cases[i].f, cases[i].i), 0);
		assert_int_equal(n_named, cases[i].n);
		for (u32 k = 0; k < n_named; k++)
			assert_int_equal(named[k].kind, cases[i].kinds[k]);
		if (cases[i].name) {
			assert_string_equal(named[0].name, cases[i].name);
			assert_null(named[0].reason);
		} else {
			assert_null(named[0].name);
			assert_string_equal(named[0].reason, build.why);
		}
	}
}

static void a_wrong_layout_found_while_reading_the_heap_is_reported_for_the_build(void **state)
{
	(void)state;
	place(3);
	assert_int_equal(name(&(struct uw_frame){ .kind = UW_V8_JS }, 0), 0);
	assert_false(build.is_misread);
	is_misread = true;
	assert_int_equal(name(&(struct uw_frame){ .kind = UW_V8_JS }, 0), 0);
	assert_true(build.is_misread);
	is_misread = false;
	assert_int_equal(name(&(struct uw_frame){ .kind = UW_V8_JS }, 0), 0);
	assert_true(build.is_misread);
}

static void the_heap_reader_gets_the_code_regions_only_if_they_changed(void **state)
{
	(void)state;
	place(3);
	assert_int_equal(n_regions, 2);
	place(3);
	assert_int_equal(n_told, 1);
	place(1);
	assert_int_equal(n_regions, 1);
	assert_int_equal(n_told, 2);
}

static void the_part_of_a_mapping_that_contains_builtins_becomes_a_range(void **state)
{
	static const struct {
		u64 off, len, from, to; /* of the mapping; then of the builtins in it */
	} cases[] = {
		{ 0, 0x10000, CODE_OFF, CODE_OFF + CODE_LEN },
		{ CODE_OFF, CODE_LEN, 0, CODE_LEN },
		{ CODE_OFF + 0x1000, 0x4000, 0, CODE_LEN - 0x1000 },
		{ 0, CODE_OFF + 0x1000, CODE_OFF, CODE_OFF + 0x1000 },
		{ 0, CODE_OFF, 0, 0 },
		{ CODE_OFF + CODE_LEN, 0x1000, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct runtime_mapping m = { .map = { .start_addr = BLOB,
						      .end_addr = BLOB + cases[i].len,
						      .file_off = cases[i].off,
						      .module = MODULE } };
		struct map_list l = { 0 };
		u32 n = 0;

		assert_int_equal(v8_runtime.claim(rt, &m, &l), cases[i].to != 0);
		for (u32 k = 0; k < l.n; k++) {
			if (l.v[k].kind != UW_MAP_V8_BUILTINS)
				continue;
			assert_int_equal(l.v[k].start_addr, BLOB + cases[i].from);
			assert_int_equal(l.v[k].end_addr, BLOB + cases[i].to);
			assert_int_equal(l.v[k].file_off, cases[i].off + cases[i].from);
			assert_int_equal(l.v[k].info_idx, 5);
			n++;
		}
		assert_int_equal(n, cases[i].to != 0);
		free(l.v);
	}
}

static void v8_claims_only_the_file_of_its_builtins_and_anonymous_memory(void **state)
{
	struct runtime_mapping other = { .map = { .start_addr = BLOB,
						  .end_addr = BLOB + 0x10000,
						  .module = MODULE + 1 } },
			       anon = { .map = { .start_addr = JIT, .end_addr = JIT + 0x1000 },
					.is_anon = true };
	struct map_list l = { 0 };

	(void)state;
	assert_int_equal(v8_runtime.claim(rt, &other, &l), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(v8_runtime.claim(rt, &anon, &l), 1);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].kind, UW_MAP_V8_JIT);
	free(l.v);
}

static void the_offsets_for_awaiters_are_set_only_if_async_stacks_are_requested(void **state)
{
	struct runtime_build *b;

	(void)state;
	assert_int_equal(runtime_build_new(&b, &v8_runtime, NULL, 0), 0);
	assert_string_equal(b->name, "Node.js 24.21.0");
	assert_int_equal(b->info.async.job_len, 0);
	assert_int_equal(b->code_len, 0);
	runtime_build_free(&b);
	assert_int_equal(runtime_build_new(&b, &v8_runtime, NULL, RUNTIME_WANTS_ASYNC), 0);
	assert_int_equal(b->info.async.job_len, 77);
	runtime_build_free(&b);
}

static void only_the_worst_problem_is_reported_if_a_v8_has_several_problems(void **state)
{
	char text[256];

	(void)state;
	assert_false(v8_runtime.report(&build, text, sizeof(text)));
	build.doubt = "V8 15.2 is taken for 14.6";
	assert_true(v8_runtime.report(&build, text, sizeof(text)));
	assert_string_equal(text, "V8 15.2 is taken for 14.6, which fits");
	build.wants = RUNTIME_WANTS_ASYNC;
	assert_true(v8_runtime.report(&build, text, sizeof(text)));
	assert_non_null(strstr(text, "promises are unreadable"));
	build.is_misread = true;
	assert_true(v8_runtime.report(&build, text, sizeof(text)));
	assert_non_null(strstr(text, "V8 13.6 is not laid out as expected; V8 15.2"));
	build.why = "V8 99 is not supported";
	assert_true(v8_runtime.report(&build, text, sizeof(text)));
	assert_non_null(strstr(text, "no names: V8 99 is not supported"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(each_function_found_in_the_heap_becomes_a_profile_frame),
		TEST(each_kind_of_code_becomes_the_matching_kind_of_frame),
		TEST(no_frame_is_named_after_the_process_has_exited),
		TEST(builtins_are_named_even_if_the_heap_is_unreadable),
		TEST(a_wrong_layout_found_while_reading_the_heap_is_reported_for_the_build),
		TEST(the_heap_reader_gets_the_code_regions_only_if_they_changed),
		TEST(the_part_of_a_mapping_that_contains_builtins_becomes_a_range),
		TEST(v8_claims_only_the_file_of_its_builtins_and_anonymous_memory),
		TEST(the_offsets_for_awaiters_are_set_only_if_async_stacks_are_requested),
		TEST(only_the_worst_problem_is_reported_if_a_v8_has_several_problems),
	};

	return CHECK_RUN(tests);
}
