// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests how frames of the kernel, of files and of code without a file are symbolized, and when a
 * sample is ready to be symbolized. Modules, symbols and JIT files are faked.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/session/naming.h"
#include "../check.h"

#define LIB 2 /* module with symbols, at LIB_ADDR */
#define DATA 3 /* file that is not ELF, at DATA_ADDR */
#define LIB_ADDR 0x400000ull
#define DATA_ADDR 0x500000ull
#define ANON_ADDR 0x600000ull
#define MEMORY_ADDR 0x700000ull /* anonymous memory with a name like a path; not openable */
#define VDSO_ADDR 0x800000ull
#define LEN 0x10000
#define FILE_OFF 0x3000

static struct naming *naming;
static struct image image;
static struct mapping maps[5];
static struct mappings mappings = { .n_refs = 1, .n = 5, .v = maps };
static struct process process = { .maps = &mappings };
static struct prof_frame named[8];
static u32 n_named, n_jit_polls, n_asked;
static bool has_jit_code, is_ready;
static const char *jit_why;
static u64 jit_start_addr; /* start of code without a name */

int profile_frame(struct profile *p, const struct prof_frame *f, u32 *id)
{
	(void)p;
	assert_in_range(n_named, 0, 7);
	named[n_named] = *f;
	named[n_named].name = f->name ? strdup(f->name) : NULL;
	*id = ++n_named;
	return 0;
}

int profile_stack(struct profile *p, const struct prof_stack *stack, u32 *id)
{
	(void)p, (void)stack;
	*id = 1;
	return 0;
}

int kallsyms_lookup(struct kallsyms *k, u64 addr, char *name, size_t len, u64 *off)
{
	(void)k;
	snprintf(name, len, "schedule");
	*off = 0;
	return addr == 0xfff ? 0 : -ENOENT;
}

const struct module_info *modules_info(struct modules *m, u32 id)
{
	static const struct module_info lib = { .path = "/lib/lib.so",
						.name = "lib.so",
						.build_id = "abcd",
						.is_elf = true },
					data = { .path = "/tmp/data", .name = "data" };

	(void)m;
	return id == LIB ? &lib : id == DATA ? &data : NULL;
}

/* A function at [0x3100, 0x3200) into which another one is inlined. */
int modules_frames(struct modules *m, u32 id, u64 off, char *name, size_t len,
		   struct module_frame *v, u32 *n)
{
	(void)m;
	if (id != LIB || off < 0x3100 || off >= 0x3200)
		return -ENOENT;
	snprintf(name, len, "outer");
	v[0] = (struct module_frame){
		.name = "inner", .file = "a.c", .line = 3, .start_line = 2, .inlined = true
	};
	v[1] = (struct module_frame){ .name = name };
	*n = 2;
	return 0;
}

int modules_symbol(struct modules *m, u32 id, u64 off, char *name, size_t len, u64 *symbol_off)
{
	(void)m, (void)symbol_off;
	snprintf(name, len, "symbol");
	return id == LIB && off == 0x3150 ? 0 : -ENOENT;
}

/* A function without a name at [0x3300, 0x3400). */
int modules_start(struct modules *m, u32 id, u64 off, struct module_start *start)
{
	(void)m;
	if (id != LIB || off < 0x3300 || off >= 0x3400)
		return -ENOENT;
	*start = (struct module_start){ .off = 0x3300, .addr = off + 0x1000 };
	return 0;
}

int modules_open(struct modules *m, const struct process *p, struct mapping *map, u32 *id)
{
	(void)m, (void)p;
	*id = map->start_addr == LIB_ADDR ? LIB : DATA;
	return map->start_addr == LIB_ADDR || map->start_addr == DATA_ADDR ? 0 : -ENOENT;
}

bool modules_is_ready(struct modules *m, u32 pid, u32 id, u64 off)
{
	(void)m, (void)pid;
	assert_int_equal(id, LIB);
	assert_int_equal(off, 0x314f); /* the offset of the call instruction */
	n_asked++;
	return is_ready;
}

int jit_names_find(struct jit_names *n, u64 addr, u64 time_ns, struct jit_code *c, const char **why)
{
	(void)n, (void)addr, (void)time_ns;
	*why = jit_why;
	*c = (struct jit_code){ .start_addr = jit_start_addr };
	if (has_jit_code)
		*c = (struct jit_code){ .name = "compiled", .file = "a.rb", .line = 4 };
	return has_jit_code || jit_start_addr ? 0 : -ENOENT;
}

bool jit_names_poll(struct jit_names *n, const struct process *p, const struct uw_sample *s)
{
	(void)n, (void)p, (void)s;
	n_jit_polls++;
	return is_ready;
}

struct jit_names *image_jit(struct image *im)
{
	return im->jit;
}

const struct runtime_build *image_runtime(const struct image *im)
{
	(void)im;
	return NULL;
}

void image_forget_names(struct image *im)
{
	(void)im;
}

static struct path_ref *path_of(const char *text)
{
	struct path_ref *path = calloc(1, sizeof(*path) + strlen(text) + 1);

	assert_non_null(path);
	strcpy(path->text, text);
	return path;
}

static void map(u32 i, u64 addr, const char *path)
{
	maps[i] = (struct mapping){ .start_addr = addr,
				    .end_addr = addr + LEN,
				    .file_off = path ? FILE_OFF : 0,
				    .inode = path && path[0] == '/',
				    .is_anon = !path,
				    .path = path_of(path ? path : "") };
}

static int begin(void **state)
{
	static const struct naming_sources sources = { .kallsyms = (struct kallsyms *)&n_named };

	(void)state;
	map(0, LIB_ADDR, "/lib/lib.so");
	map(1, DATA_ADDR, "/tmp/data");
	map(2, ANON_ADDR, NULL);
	map(3, MEMORY_ADDR, "/memfd:jit (deleted)");
	map(4, VDSO_ADDR, "[vdso]");
	image = (struct image){ .process = &process, .jit = (struct jit_names *)&n_named };
	n_named = n_jit_polls = n_asked = 0;
	has_jit_code = false;
	is_ready = true;
	jit_why = NULL;
	jit_start_addr = 0;
	return naming_new(&naming, &sources);
}

static int finish(void **state)
{
	(void)state;
	for (u32 i = 0; i < 5; i++)
		free(maps[i].path);
	for (u32 i = 0; i < n_named; i++)
		free((char *)named[i].name);
	naming_free(&naming);
	return 0;
}

static struct uw_sample sample_of(const struct uw_frame *f)
{
	struct uw_sample s = { .n_frames = 1 };

	s.frames[0] = *f;
	return s;
}

static void name_in(struct process *p, struct image *im, const struct uw_frame *f)
{
	struct uw_sample s = sample_of(f);
	struct naming_result result;

	while (n_named)
		free((char *)named[--n_named].name);
	assert_int_equal(naming_stack(naming, p, im, &s, 1, &result), 0);
	assert_in_range(n_named, 1, 2);
}

static void name(const struct uw_frame *f)
{
	name_in(&process, &image, f);
}

static void kernel_frames_have_symbol_names(void **state)
{
	(void)state;
	name(&(struct uw_frame){ .kind = UW_KERNEL, .pc = 0x1000, .flags = UW_FRAME_RA });
	assert_int_equal(named[0].kind, PROF_KERNEL);
	assert_string_equal(named[0].name, "schedule");
	assert_false(named[0].has_off);
	name(&(struct uw_frame){ .kind = UW_KERNEL, .pc = 0x1000 });
	assert_null(named[0].name);
	assert_true(named[0].has_off);
	assert_int_equal(named[0].off, 0x1000);
}

static void a_native_frame_expands_to_inlined_functions(void **state)
{
	const struct uw_frame f = {
		.kind = UW_NATIVE, .pc = LIB_ADDR + 0x150, .a = FILE_OFF + 0x150, .aux = LIB
	};

	(void)state;
	name(&f);
	assert_int_equal(n_named, 2);
	assert_string_equal(named[0].name, "inner");
	assert_int_equal(named[0].start_line, 2);
	assert_true(named[0].inlined);
	assert_int_equal(named[0].line, 3);
	assert_string_equal(named[1].name, "outer");
	assert_string_equal(named[1].module, "/lib/lib.so");
	assert_string_equal(named[1].build_id, "abcd");
	assert_false(named[1].has_off || named[1].guess);
}

static void a_native_frame_without_a_name_has_the_start_of_its_function(void **state)
{
	struct uw_frame f = {
		.kind = UW_NATIVE, .pc = LIB_ADDR + 0x310, .a = FILE_OFF + 0x310, .aux = LIB
	};

	(void)state;
	name(&f);
	assert_null(named[0].name);
	assert_int_equal(named[0].off, FILE_OFF + 0x310);
	assert_int_equal(named[0].start_off, 0x3300);
	assert_int_equal(named[0].addr, 0x4310);
	f.pc = LIB_ADDR + 0x400;
	f.a = FILE_OFF + 0x400;
	f.flags = UW_FRAME_RA;
	name(&f);
	assert_int_equal(named[0].off, 0x3400);
	assert_int_equal(named[0].start_off, 0x3300);
	assert_int_equal(named[0].addr, 0x43ff);
	f.flags = 0;
	name(&f);
	assert_int_equal(named[0].off, 0x3400);
	assert_int_equal(named[0].start_off, 0);
}

/*
 * A call can be the last instruction of a function; then the return address is outside of the
 * function.
 */
static void a_return_address_is_named_after_the_function_that_contains_the_call(void **state)
{
	struct uw_frame f = { .kind = UW_NATIVE,
			      .pc = LIB_ADDR + 0x200,
			      .a = FILE_OFF + 0x200,
			      .aux = LIB,
			      .flags = UW_FRAME_RA | UW_FRAME_GUESS };

	(void)state;
	name(&f);
	assert_string_equal(named[1].name, "outer");
	assert_true(named[1].guess);
	f.flags = 0;
	name(&f);
	assert_int_equal(n_named, 1);
	assert_null(named[0].name);
	assert_int_equal(named[0].off, FILE_OFF + 0x200);
}

static void a_frame_of_a_process_without_tables_is_named_by_the_process_mappings(void **state)
{
	const struct uw_frame f = { .kind = UW_UNKNOWN, .pc = LIB_ADDR + 0x150 };

	(void)state;
	name(&f);
	assert_string_equal(named[1].name, "outer");
	name_in(NULL, NULL, &f);
	assert_int_equal(n_named, 1);
	assert_null(named[0].name);
	assert_null(named[0].module);
	assert_int_equal(named[0].off, f.pc);
	name(&(struct uw_frame){ .kind = UW_UNKNOWN, .pc = 0x10 });
	assert_null(named[0].module);
}

static void only_code_outside_of_binaries_is_named_from_a_jit_file(void **state)
{
	static const struct {
		u64 addr;
		u32 module;
		bool is_jit;
	} cases[] = {
		{ ANON_ADDR, 0, true },	  { DATA_ADDR, DATA, true }, { MEMORY_ADDR, 0, true },
		{ LIB_ADDR, LIB, false }, { VDSO_ADDR, 0, false },   { 0x10, 0, false },
	};

	(void)state;
	has_jit_code = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct uw_frame f = { .kind = UW_NATIVE,
					    .pc = cases[i].addr + 0x10,
					    .a = FILE_OFF + 0x10,
					    .aux = cases[i].module };

		name(&f);
		assert_int_equal(named[0].kind, cases[i].is_jit ? PROF_JIT : PROF_NATIVE);
		name_in(&process, NULL, &f);
		assert_int_equal(named[0].kind, PROF_NATIVE);
	}
	name(&(struct uw_frame){ .kind = UW_NATIVE, .pc = ANON_ADDR + 0x10 });
	assert_string_equal(named[0].name, "compiled");
	assert_string_equal(named[0].file, "a.rb");
	assert_int_equal(named[0].line, 4);
}

static void code_that_is_missing_from_the_jit_file_gets_a_reason(void **state)
{
	const struct uw_frame anon = { .kind = UW_NATIVE, .pc = ANON_ADDR + 0x10 }, data = {
		.kind = UW_NATIVE, .pc = DATA_ADDR + 0x10, .a = FILE_OFF + 0x10, .aux = DATA
	};

	(void)state;
	name(&anon);
	assert_int_equal(named[0].kind, PROF_NATIVE);
	assert_null(named[0].reason);
	jit_why = "not in its perf map";
	name(&anon);
	assert_int_equal(named[0].kind, PROF_JIT);
	assert_string_equal(named[0].reason, "not in its perf map");
	assert_int_equal(named[0].off, anon.pc);
	assert_int_equal(named[0].start_off, 0);
	name(&data); /* the address is in a file, so a name from the JIT is not used */
	assert_int_equal(named[0].kind, PROF_NATIVE);
	assert_string_equal(named[0].module, "/tmp/data");
	assert_int_equal(named[0].off, FILE_OFF + 0x10);
}

static void code_without_a_name_has_the_start_that_the_jit_recorded(void **state)
{
	const struct uw_frame frames[] = {
		{ .kind = UW_NATIVE, .pc = ANON_ADDR + 0x10 },
		{ .kind = UW_NATIVE, .pc = DATA_ADDR + 0x10, .a = FILE_OFF + 0x10, .aux = DATA }
	};

	(void)state;
	jit_why = "the JIT gave it no name";
	for (u32 i = 0; i < 2; i++) {
		jit_start_addr = frames[i].pc - 8;
		name(&frames[i]);
		assert_int_equal(named[0].kind, PROF_JIT);
		assert_null(named[0].name);
		assert_int_equal(named[0].off, frames[i].pc);
		assert_int_equal(named[0].start_off, frames[i].pc - 8);
		assert_string_equal(named[0].reason, jit_why);
	}
}

static void a_sample_is_ready_after_the_helper_has_answered_all_requests_for_it(void **state)
{
	const struct uw_frame lib = { .kind = UW_NATIVE,
				      .pc = LIB_ADDR + 0x150,
				      .a = FILE_OFF + 0x150,
				      .aux = LIB,
				      .flags = UW_FRAME_RA },
			      anon = { .kind = UW_NATIVE, .pc = ANON_ADDR + 0x10 };
	struct uw_sample s = sample_of(&anon);

	(void)state;
	s.n_frames = 3;
	s.frames[1] = lib;
	s.frames[2] = lib;
	assert_true(naming_is_ready(naming, &process, &image, &s));
	assert_int_equal(n_jit_polls, 1);
	assert_int_equal(n_asked, 2);
	is_ready = false;
	assert_false(naming_is_ready(naming, &process, &image, &s));
	assert_int_equal(n_asked, 4); /* all requests are sent at once */
	s.n_kernel = 3;
	assert_true(naming_is_ready(naming, &process, &image, &s));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(kernel_frames_have_symbol_names),
		TEST(a_native_frame_expands_to_inlined_functions),
		TEST(a_native_frame_without_a_name_has_the_start_of_its_function),
		TEST(a_return_address_is_named_after_the_function_that_contains_the_call),
		TEST(a_frame_of_a_process_without_tables_is_named_by_the_process_mappings),
		TEST(only_code_outside_of_binaries_is_named_from_a_jit_file),
		TEST(code_that_is_missing_from_the_jit_file_gets_a_reason),
		TEST(code_without_a_name_has_the_start_that_the_jit_recorded),
		TEST(a_sample_is_ready_after_the_helper_has_answered_all_requests_for_it),
	};

	return CHECK_RUN(tests);
}
