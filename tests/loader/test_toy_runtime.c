// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests Toy, the example runtime of docs/toy-runtime. The runtime is compiled for each
 * architecture, and stacks of that architecture are walked and symbolized. This program also uses
 * Toy itself.
 */

#include <errno.h>
#include <link.h>
#include <unistd.h>

#include "../../docs/toy-runtime/toy_runtime.h"
#include "../../docs/toy-runtime/toy_stack.h"
#include "../../docs/toy-runtime/toy_table.h"
#include "../../inspect/util/cleanup.h"
#include "../../sim/port/walk.h"
#include "../core/walks.h"

#define SIM_STR_(a) #a
#define SIM_STR(a) SIM_STR_(a)
#define N_STACKS (sizeof(toy_stacks) / sizeof(*toy_stacks))

extern _Thread_local const struct sim_target *sim_port_target;

/* The data that a program that uses Toy contains. */
struct {
	u64 n;
	struct {
		u64 start_addr, end_addr;
		char name[TOY_NAME_LEN];
	} v[2];
} toy_functions;

static const struct arch_row *arch(void)
{
	return &arch_rows[strcmp(SIM_STR(SIM_ARCH), arch_rows[0].sim->name) != 0];
}

static enum uw_status step(struct uw_state *u)
{
	return toy_or_other_step(u);
}

/* Marks the JIT code of the test stacks as Toy's code. */
static const struct uw_mapping *mappings_with_toy(const struct sim_target *t)
{
	static struct uw_mapping v[64];

	assert_true(t->n_mappings <= sizeof(v) / sizeof(*v));
	memcpy(v, t->mappings, t->n_mappings * sizeof(*v));
	for (u32 i = 0; i < t->n_mappings; i++)
		if (v[i].kind == UW_MAP_V8_JIT)
			v[i].kind = UW_MAP_TOY;
	return v;
}

static void walk(const struct stack *stack, struct uw_state *u, struct sim_target *target)
{
	target_of(stack, arch(), target);
	target->mappings = mappings_with_toy(target);
	sim_port_target = target;
	sim_walk_start(u, target);
	sim_walk_by(u, step);
	sim_port_target = NULL;
}

static void each_bundled_stack_of_the_toy_runtime_is_walked_correctly(void **state)
{
	struct uw_state *u = fresh_state();
	struct sim_target target;

	(void)state;
	for (u32 i = 0; i < N_STACKS; i++) {
		walk(&toy_stacks[i], u, &target);
		sim_mem_free(&target.mem);
		assert_true(sample_is(&toy_stacks[i], &u->sample, true));
	}
}

/* The memory of a test stack as a target. */
struct memory {
	struct target target;
	struct sim_mem *mem;
};

static int read_memory(struct target *t, u64 addr, void *dst, size_t len)
{
	return sim_mem_read(((struct memory *)t)->mem, dst, (u32)len, addr) ? -EFAULT : 0;
}

static int keep_name(const struct prof_frame *f, void *data)
{
	char *text = data;

	assert_int_equal(f->kind, PROF_JIT);
	snprintf(text, 64, "%s", f->name ? f->name : f->reason);
	return 0;
}

/* Opens Toy in this process or, with @memory, in another process. */
static struct runtime *open_toy(struct runtime_build **b, u64 bias, struct target *memory)
{
	struct runtime_home home = { .has_bias = true, .bias = bias };
	struct elf_file *elf;
	struct runtime *rt;

	assert_int_equal(elf_file_open(&elf, "/proc/self/exe"), 0);
	assert_int_equal(runtime_build_new(b, &toy_runtime, elf, 0), 0);
	elf_file_free(&elf);
	assert_string_equal((*b)->name, "Toy");
	assert_int_equal(runtime_open(&rt, *b, &home), 0);
	rt->memory = memory;
	return rt;
}

static void close_toy(struct runtime **rt, struct runtime_build **b)
{
	runtime_free(rt);
	runtime_build_free(b);
}

static void frames_are_named_by_the_table_of_functions(void **state)
{
	static const char *const names[] = { "inner", "outer" };
	struct uw_state *u = fresh_state();
	struct runtime_build *b;
	struct sim_target target;
	struct memory memory = { .target.read = read_memory };
	struct runtime *rt;
	char text[64];

	(void)state;
	walk(&toy_stacks[0], u, &target);
	memory.mem = target.mem;
	rt = open_toy(&b, 0, &memory.target);
	rt->home.bias = TOY_TABLE_ADDR - *(const u64 *)b->of;
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(toy_runtime.name(rt, &u->sample, i, keep_name, text), 0);
		assert_string_equal(text, names[i]);
	}
	u->sample.frames[0].pc = JIT(0x180);
	assert_int_equal(toy_runtime.name(rt, &u->sample, 0, keep_name, text), 0);
	assert_string_equal(text, "not in the table of functions");
	rt->memory = NULL;
	assert_int_equal(toy_runtime.name(rt, &u->sample, 0, keep_name, text), RUNTIME_GONE);
	close_toy(&rt, &b);
	sim_mem_free(&target.mem);
}

static int take_bias(struct dl_phdr_info *info, size_t len, void *data)
{
	(void)len;
	*(u64 *)data = info->dlpi_addr;
	return 1; /* stops the iteration, because the first entry is the program */
}

static void the_table_of_a_live_process_is_read(void **state)
{
	struct target_process memory;
	struct runtime_build *b;
	struct toy_function f;
	struct runtime *rt;
	u64 bias = 0, table;

	(void)state;
	dl_iterate_phdr(take_bias, &bias);
	assert_int_equal(target_process_init(&memory, getpid()), 0);
	rt = open_toy(&b, bias, &memory.target);
	table = *(const u64 *)b->of + bias;
	assert_int_equal(table, (u64)&toy_functions);
	toy_functions.n = 2;
	toy_functions.v[1].start_addr = 0x1000;
	toy_functions.v[1].end_addr = 0x1001;
	memset(toy_functions.v[1].name, 'x', TOY_NAME_LEN);
	assert_int_equal(toy_function_at(&memory.target, table, 0x1000, &f), 0);
	assert_string_equal(f.name, "xxxxxxxxxxxxxxxx");
	assert_int_equal(toy_function_at(&memory.target, table, 0xfff, &f), -ENOENT);
	assert_int_equal(toy_function_at(&memory.target, table, 0x1001, &f), -ENOENT);
	toy_functions.n = TOY_MAX_FUNCTIONS + 1;
	assert_int_equal(toy_function_at(&memory.target, table, 0x1000, &f), -EINVAL);
	close_toy(&rt, &b);
	target_process_deinit(&memory);
}

static void a_program_without_the_table_does_not_use_the_toy_runtime(void **state)
{
	struct runtime_build *b = NULL;
	struct elf_file *elf;

	(void)state;
	assert_int_equal(elf_file_open(&elf, "/bin/true"), 0);
	assert_int_equal(runtime_build_new(&b, &toy_runtime, elf, 0), -ENOENT);
	assert_null(b);
	elf_file_free(&elf);
}

static void the_toy_runtime_claims_anonymous_code_but_not_mapped_files(void **state)
{
	struct runtime_mapping m = { .map = { .start_addr = 0x1000, .end_addr = 0x2000 },
				     .is_anon = true };
	struct map_list l = { 0 };
	struct runtime_build *b;
	struct runtime *rt = open_toy(&b, 0, NULL);

	(void)state;
	assert_int_equal(toy_runtime.claim(rt, &m, &l), 1);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].kind, UW_MAP_TOY);
	m.is_anon = false;
	assert_int_equal(toy_runtime.claim(rt, &m, &l), 0);
	assert_int_equal(l.n, 1);
	free(l.v);
	close_toy(&rt, &b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bundled_stack_of_the_toy_runtime_is_walked_correctly),
		cmocka_unit_test(frames_are_named_by_the_table_of_functions),
		cmocka_unit_test(the_table_of_a_live_process_is_read),
		cmocka_unit_test(a_program_without_the_table_does_not_use_the_toy_runtime),
		cmocka_unit_test(the_toy_runtime_claims_anonymous_code_but_not_mapped_files),
	};

	return CHECK_RUN(tests);
}
