// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tasks in fake memory: a leaf is called by an async method. The word below fp in the method's
 * frame points to the state machine, which is part of a task. That task and each awaiter link to
 * the next awaiter at NEXT.
 *
 *	fp - 8 -> machine + BUILDER -> task 0 (machine lies in it) + NEXT -> task 1 -> task 2
 */

#include "dotnet_heap.h"

#define FP (DOTNET_STACK + 0x1000)
#define TASK(i) (DOTNET_STACK + 0x2000 + 0x200ull * (i))
#define MACHINE (TASK(0) + 0x40)
#define TYPE(i) (0x7fa000 + 0x100ull * (i))
#define BUILDER 0x10
#define NEXT 0x20
#define FROM 40 /* offset in the method from which on the frame has the state machine */
#define PROCESS 7
#define NOWHERE 0x123456789000ull

static const struct dotnet_await of_types[] = {
	{ .process_key = PROCESS, .key = TYPE(0), .off = NEXT },
	{ .process_key = PROCESS, .key = TYPE(1), .off = NEXT },
	{ .process_key = PROCESS, .key = TYPE(2) }, /* without an awaiter */
};

struct world {
	struct heap h;
	struct dotnet_await awaits[4];
	struct uw_state *u;
	u64 leaf, method;
};

static void world_init(struct world *w)
{
	heap_init(&w->h, true);
	w->leaf = CODE_ADDR + add_method(&w->h, 64, no_slots, 4, 0, NULL, 0);
	w->method = CODE_ADDR + add_method(&w->h, 600, pushes_rbp, sizeof(pushes_rbp), 0, NULL, 0);
	w->awaits[0] = (struct dotnet_await){ .process_key = PROCESS,
					      .key = w->method,
					      .slot = -8,
					      .off = BUILDER,
					      .from = FROM,
					      .flags = DOTNET_AWAIT_IN_TASK };
	memcpy(w->awaits + 1, of_types, sizeof(of_types));
	w->h.awaits = w->awaits;
	w->h.n_awaits = 4;
	put_u64(&w->h, DOTNET_STACK + 64, w->method + 300);
	put_u64(&w->h, DOTNET_STACK + 72, 0x1234);
	put_u64(&w->h, DOTNET_STACK + 80, ROOT_RA);
	put_u64(&w->h, FP - 8, MACHINE);
	put_u64(&w->h, MACHINE + BUILDER, TASK(0));
	for (u64 i = 0; i < 3; i++) {
		put_u64(&w->h, TASK(i), TYPE(i));
		put_u64(&w->h, TASK(i) + NEXT, i < 2 ? TASK(i + 1) : NOWHERE);
	}
	w->u = fresh_state();
}

static void world_walk(struct world *w)
{
	walk_by(w->u, &w->h, w->leaf + 8, DOTNET_STACK + 64, FP, PROCESS);
}

/*
 * Expects the leaf, the method, @n awaiters and the root. @last: status of the last awaiter. Apart
 * from the awaiters, the walk must have the same frames and status as without awaiters.
 */
static void expect(const struct world *w, u32 n, enum uw_status last)
{
	const struct uw_frame *f = w->u->sample.frames;

	assert_int_equal(w->u->sample.status, UW_END);
	assert_int_equal(w->u->sample.n_frames, 3 + n);
	assert_int_equal(f[1].a, w->method);
	assert_int_equal(f[2 + n].pc, ROOT_RA);
	assert_int_equal(f[2 + n].flags, UW_FRAME_RA);
	for (u32 i = 2; i < 2 + n; i++) {
		assert_int_equal(f[i].kind, UW_DOTNET_AWAITER);
		assert_int_equal(f[i].flags, UW_FRAME_ASYNC);
		assert_int_equal(f[i].pc, 0);
		assert_int_equal(f[i].status, i == 1 + n ? last : UW_OK);
	}
}

static void awaiter_frames_follow_the_frame_of_the_async_method(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	world_walk(&w);
	expect(&w, 3, UW_OK);
	for (u64 i = 0; i < 3; i++) {
		assert_int_equal(w.u->sample.frames[2 + i].a, TYPE(i));
		assert_int_equal(w.u->sample.frames[2 + i].b, TASK(i));
	}
	assert_false(w.u->sample.frames[1].flags & UW_FRAME_FIRST_RUN);
	sim_mem_free(&w.h.mem);
}

static void status_of_the_last_awaiter_says_why_the_awaiter_chain_ends(void **state)
{
	static const struct row {
		u64 addr, word; /* address and new value of the changed word */
		u32 n;
		enum uw_status last;
	} rows[] = {
		{ TASK(1), TYPE(9), 2, UW_F_AWAITER_TYPE },
		{ TASK(1), TYPE(1) | 1, 2, UW_F_AWAITER_TYPE }, /* collector's mark bit */
		{ TASK(0) + NEXT, NOWHERE, 2, UW_F_AWAITER_FAULT },
		{ TASK(0) + NEXT, 0, 1, UW_OK }, /* without an awaiter */
		{ TASK(1) + NEXT, TASK(1), DOTNET_MAX_AWAITERS, UW_F_AWAITER_TYPE },
		{ MACHINE + BUILDER, 0, 0, UW_OK },
		{ FP - 8, NOWHERE, 0, UW_OK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct world w;

		world_init(&w);
		put_u64(&w.h, rows[i].addr, rows[i].word);
		world_walk(&w);
		expect(&w, rows[i].n, rows[i].last);
		sim_mem_free(&w.h.mem);
	}
}

/*
 * The caller of such a method is still on the stack, so the walk shows awaiters only for the next
 * async method on the stack whose offsets are known.
 */
static void method_that_has_not_suspended_yet_has_no_awaiters(void **state)
{
	static const u64 tasks[] = { 0, TASK(2), MACHINE + 8, MACHINE - DOTNET_MAX_TASK_LEN };

	(void)state;
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		struct world w;

		world_init(&w);
		put_u64(&w.h, MACHINE + BUILDER, tasks[i]);
		world_walk(&w);
		expect(&w, 0, UW_OK);
		assert_int_equal(w.u->sample.frames[1].flags, UW_FRAME_RA | UW_FRAME_FIRST_RUN);
		sim_mem_free(&w.h.mem);
	}
}

static void awaiters_are_reported_only_for_the_innermost_async_method(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	put_u64(&w.h, DOTNET_STACK + 80, w.method + 300); /* makes the method recursive */
	put_u64(&w.h, DOTNET_STACK + 72, FP);
	put_u64(&w.h, DOTNET_STACK + 88, 0x1234);
	put_u64(&w.h, DOTNET_STACK + 96, ROOT_RA);
	world_walk(&w);
	assert_int_equal(w.u->sample.n_frames, 7);
	assert_int_equal(w.u->sample.frames[4].kind, UW_DOTNET_AWAITER);
	assert_int_equal(w.u->sample.frames[5].a, w.method);
	assert_int_equal(w.u->sample.frames[6].pc, ROOT_RA);
	sim_mem_free(&w.h.mem);
}

static void async_method_has_no_awaiters_while_pc_is_in_its_prologue(void **state)
{
	static const u32 offs[] = { FROM - 1, FROM };

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct world w;

		world_init(&w);
		put_u64(&w.h, DOTNET_STACK + 64, 0x1234);
		put_u64(&w.h, DOTNET_STACK + 72, ROOT_RA);
		walk_by(w.u, &w.h, w.method + offs[i], DOTNET_STACK + 64, FP, PROCESS);
		assert_int_equal(w.u->sample.n_frames, i ? 5 : 2);
		sim_mem_free(&w.h.mem);
	}
}

/* The state machine of an async iterator holds the awaiter of the next value. */
static void awaiter_of_an_iterator_is_read_from_the_state_machine(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	w.awaits[0].flags = DOTNET_AWAIT_BY_MACHINE;
	w.awaits[0].off = NEXT;
	put_u64(&w.h, FP - 8, TASK(1));
	world_walk(&w);
	expect(&w, 2, UW_OK);
	assert_int_equal(w.u->sample.frames[2].a, TYPE(1));
	put_u64(&w.h, TASK(1) + NEXT, 0);
	world_walk(&w);
	expect(&w, 0, UW_OK);
	assert_true(w.u->sample.frames[1].flags & UW_FRAME_FIRST_RUN);
	sim_mem_free(&w.h.mem);
}

static void awaiters_are_not_read_with_the_offsets_of_another_process(void **state)
{
	static const u64 others[] = { 0, PROCESS + 1 };

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct world w;

		world_init(&w);
		walk_by(w.u, &w.h, w.leaf + 8, DOTNET_STACK + 64, FP, others[i]);
		expect(&w, 0, UW_OK);
		sim_mem_free(&w.h.mem);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(awaiter_frames_follow_the_frame_of_the_async_method),
		cmocka_unit_test(status_of_the_last_awaiter_says_why_the_awaiter_chain_ends),
		cmocka_unit_test(method_that_has_not_suspended_yet_has_no_awaiters),
		cmocka_unit_test(awaiters_are_reported_only_for_the_innermost_async_method),
		cmocka_unit_test(async_method_has_no_awaiters_while_pc_is_in_its_prologue),
		cmocka_unit_test(awaiter_of_an_iterator_is_read_from_the_state_machine),
		cmocka_unit_test(awaiters_are_not_read_with_the_offsets_of_another_process),
	};

	return CHECK_RUN(tests);
}
