// SPDX-License-Identifier: BSD-2-Clause

/*
 * test_sweep COMPILED_DIR: tests the walkers and the counts of a sweep. Walkers that make
 * mistakes on purpose test the judge.
 */

#include "../../sim/case/bundled.h"
#include "../../sim/case/compiled.h"
#include "../../sim/engine/guest.h"
#include "../../sim/sweep/engines.h"
#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char program[512];

static struct sim_case *load_program(void)
{
	struct sim_error error = { "" };
	struct sim_case *c;

	assert_int_equal(sim_compiled_load(program, &sim_arch_x86_64, &c, &error), 0);
	return c;
}

static struct sim_case *load_stack(const char *name)
{
	struct sim_error error = { "" };
	struct sim_case *c;

	assert_int_equal(sim_bundled_load(name, &sim_arch_x86_64, &c, &error), 0);
	return c;
}

static struct sweep_result judge(struct sim_case *c, const struct sweep_walker *walker)
{
	struct sim_error error = { "" };
	struct sweep_result r;

	assert_int_equal(sweep_judge(c, walker, &r, &error), 0);
	return r;
}

static struct sweep_result judge_program(const struct sweep_walker *walker)
{
	struct sim_case *c = load_program();
	struct sweep_result r = judge(c, walker);

	sim_compiled_free(&c);
	return r;
}

/* A walker that changes the result of the native walk. */
struct spoiler {
	u64 n; /* number of walks so far */
	bool no_frames;
	u32 status_off;
	int err;
};

static int walk(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	struct spoiler *s = ctx;

	s->n++;
	sim_arch_x86_64.walk(u, target);
	if (s->no_frames)
		u->sample.n_frames = 0;
	u->sample.status += s->status_off;
	return s->err;
}

static void the_walker_is_called_at_each_instruction_boundary_in_a_sweep(void **state)
{
	struct spoiler s = { 0 };
	struct sweep_walker w = { "own", walk, &s, NULL, 0 };
	struct sweep_result own = judge_program(&w), native = judge_program(NULL);

	(void)state;
	assert_true(native.boundaries > 10000 && native.exact < native.boundaries);
	assert_int_equal(s.n, native.boundaries);
	assert_int_equal(own.boundaries, native.boundaries);
	assert_int_equal(own.exact, native.exact);
	assert_int_equal(own.n_misses, native.n_misses);
	assert_int_equal(own.n_lost_caller, native.n_lost_caller);
	sweep_result_deinit(&own);
	sweep_result_deinit(&native);
}

static void a_sweep_with_a_stride_of_3_calls_the_walker_at_every_third_boundary(void **state)
{
	struct spoiler s = { 0 };
	struct sweep_walker w = { "own", walk, &s, NULL, 3 };
	struct sweep_result third = judge_program(&w), all = judge_program(NULL);

	(void)state;
	assert_int_equal(third.every, 3);
	assert_int_equal(third.boundaries, (all.boundaries + 2) / 3);
	assert_int_equal(s.n, third.boundaries);
	sweep_result_deinit(&third);
	sweep_result_deinit(&all);
}

static void a_walk_that_has_no_frames_is_never_counted_as_exact(void **state)
{
	struct spoiler s = { .no_frames = true };
	struct sweep_walker w = { "own", walk, &s, NULL, 0 };
	struct sweep_result r = judge_program(&w);

	(void)state;
	assert_int_equal(r.exact, 0);
	assert_int_equal(r.n_misses, r.n_pcs);
	assert_int_equal(r.n_lost_caller, 0);
	sweep_result_deinit(&r);
}

static void a_sweep_ends_with_an_error_if_the_walker_returns_an_error(void **state)
{
	struct spoiler s = { .err = -EPROTO };
	struct sweep_walker w = { "own", walk, &s, "its pipe broke", 0 };
	struct sim_case *c = load_program();
	struct sim_error error = { "" };
	struct sweep_result r;

	(void)state;
	assert_int_equal(sweep_judge(c, &w, &r, &error), -EPROTO);
	assert_non_null(strstr(error.text, "own can't walk at 0x"));
	assert_non_null(strstr(error.text, "its pipe broke"));
	assert_int_equal(s.n, 1);
	sim_compiled_free(&c);
}

static void misses_in_the_frameless_code_of_a_case_are_counted_separately(void **state)
{
	struct sweep_result all = judge_program(NULL), r;
	const struct sweep_miss *first = &all.misses[0], *last = &all.misses[all.n_misses - 1];
	struct sim_window windows[] = { { "prologue", first->pc, 1 }, { "epilogue", last->pc, 1 } };
	struct sim_case *c = load_program();

	(void)state;
	assert_int_equal(all.n_frameless, 0);
	assert_null(first->frameless);
	c->windows = windows;
	c->n_windows = 2;
	r = judge(c, NULL);
	assert_int_equal(r.exact, all.exact);
	assert_int_equal(r.n_frameless, first->n + last->n);
	assert_string_equal(r.misses[0].frameless, "prologue");
	assert_string_equal(r.misses[r.n_misses - 1].frameless, "epilogue");
	assert_null(r.misses[1].frameless);
	c->windows = NULL;
	c->n_windows = 0;
	sweep_result_deinit(&r);
	sweep_result_deinit(&all);
	sim_compiled_free(&c);
}

/* Judges the only boundary of a hand-laid stack. @spoil: how the walker changes the result. */
static struct sweep_result judge_stack(const char *name, struct spoiler spoil)
{
	struct sweep_walker w = { "own", walk, &spoil, NULL, 0 };
	struct sim_case *c = load_stack(name);
	struct sweep_result r = judge(c, &w);

	assert_int_equal(r.boundaries, 1);
	assert_int_equal(r.exact + r.n_misses, 1);
	sim_bundled_free(&c);
	return r;
}

static void a_bundled_stack_is_walked_once_and_needs_the_expected_status(void **state)
{
	struct sweep_result r =
		judge_stack("stack:chain_to_main_in_libc_is_complete", (struct spoiler){ 0 });

	(void)state;
	assert_int_equal(r.exact, 1);
	sweep_result_deinit(&r);
	r = judge_stack("stack:chain_to_main_in_libc_is_complete",
			(struct spoiler){ .status_off = 1 });
	assert_int_equal(r.exact, 0);
	assert_int_equal(r.misses[0].wanted_status + 1, r.misses[0].status);
	assert_int_equal(r.misses[0].n_found, r.misses[0].n_expected);
	sweep_result_deinit(&r);
	r = judge_stack("stack:chain_to_main_in_libc_is_complete",
			(struct spoiler){ .no_frames = true });
	assert_int_equal(r.exact, 0);
	sweep_result_deinit(&r);
}

static void a_miss_at_an_unmapped_pc_is_listed_without_an_instruction(void **state)
{
	struct spoiler spoil = { .no_frames = true };
	struct sweep_walker w = { "own", walk, &spoil, NULL, 0 };
	struct sim_case *c = load_stack("stack:chain_to_main_in_libc_is_complete");
	struct sweep_result r;

	(void)state;
	c->target.regs.pc = 0x10;
	r = judge(c, &w);
	assert_int_equal(r.misses[0].code_len, 0);
	sweep_result_deinit(&r);
	sim_bundled_free(&c);
}

static struct sweep_result sweep_guest(struct sim_blob image, int *err)
{
	struct sim_error error = { "" };
	struct sim_session *session;
	struct sim_case *c = load_program();
	struct sweep_result r = { 0 };
	struct sweep_engine e;

	assert_int_equal(sim_guest_open(&sim_arch_x86_64, image, &session), 0);
	assert_int_equal(sweep_engine_init(session, 101, &e), 0);
	*err = sweep_judge(c, &e.walker, &r, &error);
	sweep_engine_deinit(&e);
	sim_session_close(&session);
	sim_compiled_free(&c);
	return r;
}

static bool is_same(const struct sweep_result *a, const struct sweep_result *b)
{
	bool same = a->boundaries == b->boundaries && a->exact == b->exact &&
		    a->n_misses == b->n_misses;

	for (u32 i = 0; i < a->n_misses && same; i++)
		same = a->misses[i].pc == b->misses[i].pc && a->misses[i].n == b->misses[i].n &&
		       a->misses[i].n_found == b->misses[i].n_found &&
		       !memcmp(a->misses[i].found, b->misses[i].found, a->misses[i].n_found * 8ul);
	return same;
}

/*
 * Changes every 97th byte of the guest; the sweep of a native program executes a tenth of the
 * bytes.
 */
static void a_sweep_of_a_guest_with_a_changed_byte_differs_from_the_native_sweep(void **state)
{
	struct sim_blob good = sim_guest_x86_64;
	struct sweep_walker every = { .every = 101 };
	struct sweep_result native = judge_program(&every), r;
	u32 n_noticed = 0, n = 0;
	u8 *bytes = malloc(good.len);
	int err;

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes, good.bytes, good.len);
	r = sweep_guest(good, &err);
	assert_int_equal(err, 0);
	assert_true(is_same(&native, &r));
	sweep_result_deinit(&r);
	for (size_t at = 0; at < good.len; at += 97, n++) {
		bytes[at] ^= 0x04;
		r = sweep_guest((struct sim_blob){ bytes, good.len }, &err);
		n_noticed += err || !is_same(&native, &r);
		if (!err)
			sweep_result_deinit(&r);
		bytes[at] ^= 0x04;
	}
	printf("the sweep detects %u of %u changed bytes\n", n_noticed, n);
	assert_true(n_noticed > n / 20);
	sweep_result_deinit(&native);
	free(bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_walker_is_called_at_each_instruction_boundary_in_a_sweep),
	cmocka_unit_test(a_sweep_with_a_stride_of_3_calls_the_walker_at_every_third_boundary),
	cmocka_unit_test(a_walk_that_has_no_frames_is_never_counted_as_exact),
	cmocka_unit_test(a_sweep_ends_with_an_error_if_the_walker_returns_an_error),
	cmocka_unit_test(misses_in_the_frameless_code_of_a_case_are_counted_separately),
	cmocka_unit_test(a_bundled_stack_is_walked_once_and_needs_the_expected_status),
	cmocka_unit_test(a_miss_at_an_unmapped_pc_is_listed_without_an_instruction),
	cmocka_unit_test(a_sweep_of_a_guest_with_a_changed_byte_differs_from_the_native_sweep),
};

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: test_sweep COMPILED_DIR\n", stderr);
		return 2;
	}
	snprintf(program, sizeof(program), "%s/calls-gcc-O2-norows.x86_64.elf", argv[1]);
	return CHECK_RUN(tests);
}
