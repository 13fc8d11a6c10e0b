// SPDX-License-Identifier: BSD-2-Clause

/*
 * A hijacked thread: the return address of a leaf was replaced by that of OnHijackTripThread (code
 * whose rule is UW_CFA_HIJACKED). A pair of words elsewhere has the true return address, which is
 * in a method, and the address of the replaced stack slot. If the walk followed only fp, it would
 * skip the method.
 *
 *	sp -> TRIP_RA   KEPT { method + 300, sp }
 *	      fp        FP { 0, ROOT_RA }
 *	      ROOT_RA
 */

#include "dotnet_heap.h"

#define SP (DOTNET_STACK + 256)
#define FP (DOTNET_STACK + 0x1000)
#define KEPT (DOTNET_STACK + 0x2000)
#define TRIP_RA (ROOT_ADDR + TRIP_OFF + 0x10)
#define PROCESS 7
#define NOWHERE 0x123456789000ull

struct world {
	struct heap h;
	struct dotnet_await thread;
	struct uw_state *u;
	u64 leaf, method;
};

static void world_init(struct world *w)
{
	heap_init(&w->h, true);
	w->leaf = CODE_ADDR + add_method(&w->h, 64, no_slots, 4, 0, NULL, 0);
	w->method = CODE_ADDR + add_method(&w->h, 600, pushes_rbp, sizeof(pushes_rbp), 0, NULL, 0);
	w->thread = (struct dotnet_await){ .process_key = PROCESS,
					   .key = DOTNET_THREAD_KEY(0),
					   .hijack_addr = KEPT };
	w->h.awaits = &w->thread;
	w->h.n_awaits = 1;
	put_u64(&w->h, SP, TRIP_RA);
	put_u64(&w->h, SP + 8, FP);
	put_u64(&w->h, SP + 16, ROOT_RA);
	put_u64(&w->h, FP, 0);
	put_u64(&w->h, FP + 8, ROOT_RA);
	put_u64(&w->h, KEPT, w->method + 300);
	put_u64(&w->h, KEPT + 8, SP);
	w->u = fresh_state();
}

static void expect(const struct world *w, enum uw_status status, u32 n, const u64 *pcs)
{
	const struct uw_sample *s = &w->u->sample;

	assert_int_equal(s->status, status);
	assert_int_equal(s->n_frames, n);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(s->frames[i].pc, pcs[i]);
	assert_int_equal(s->frames[n - 1].flags,
			 UW_FRAME_RA | (status == UW_END ? 0 : UW_FRAME_GUESS));
}

static void hijacked_return_address_is_replaced_by_the_true_return_address(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	walk_by(w.u, &w.h, w.leaf + 8, SP, FP, PROCESS);
	expect(&w, UW_END, 3, (u64[]){ w.leaf + 8, w.method + 300, ROOT_RA });
	assert_int_equal(w.u->sample.frames[1].a, w.method);
	assert_int_equal(w.u->sample.frames[1].flags, UW_FRAME_RA);
	sim_mem_free(&w.h.mem);
}

/*
 * The saved pair may be left from an earlier hijack, or the words may not be a saved pair at all.
 */
static void saved_return_address_is_used_only_if_the_saved_pair_is_valid(void **state)
{
	static const struct row {
		u64 of, kept_at, ra, slot; /* 0: unchanged */
	} rows[] = {
		{ .slot = SP - 8 },	   { .slot = SP + 8 },	 { .slot = ~0ull },
		{ .ra = UW_PAGE_LEN - 1 }, { .ra = 1ull << 63 }, { .kept_at = NOWHERE },
		{ .of = PROCESS + 1 },	   { .ra = TRIP_RA }, /* would be followed forever */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct world w;

		world_init(&w);
		if (r->slot)
			put_u64(&w.h, KEPT + 8, r->slot);
		if (r->ra)
			put_u64(&w.h, KEPT, r->ra);
		if (r->kept_at)
			w.thread.hijack_addr = r->kept_at;
		walk_by(w.u, &w.h, w.leaf + 8, SP, FP, r->of ? r->of : PROCESS);
		expect(&w, UW_T_HIJACKED, 3, (u64[]){ w.leaf + 8, TRIP_RA, ROOT_RA });
		sim_mem_free(&w.h.mem);
	}
}

static void return_address_saved_for_another_thread_is_not_used(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	w.thread.key = DOTNET_THREAD_KEY(1);
	walk_by(w.u, &w.h, w.leaf + 8, SP, FP, PROCESS);
	expect(&w, UW_T_HIJACKED, 3, (u64[]){ w.leaf + 8, TRIP_RA, ROOT_RA });
	sim_mem_free(&w.h.mem);
}

/* The thread has returned to OnHijackTripThread, which has pushed some registers. */
static void walk_from_a_running_hijack_stub_finds_the_true_caller(void **state)
{
	(void)state;
	for (u64 pushed = 0; pushed <= DOTNET_MAX_TRIP_LEN + 8; pushed += 8) {
		bool is_known = pushed <= DOTNET_MAX_TRIP_LEN;
		u64 sp = SP + 8 - pushed;
		struct world w;

		world_init(&w);
		put_u64(&w.h, KEPT + 8, SP);
		walk_by(w.u, &w.h, TRIP_RA, sp, FP, PROCESS);
		assert_int_equal(w.u->sample.frames[0].pc, TRIP_RA);
		if (is_known)
			expect(&w, UW_END, 3, (u64[]){ TRIP_RA, w.method + 300, ROOT_RA });
		else
			assert_int_equal(w.u->sample.status, UW_T_HIJACKED);
		sim_mem_free(&w.h.mem);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hijacked_return_address_is_replaced_by_the_true_return_address),
		cmocka_unit_test(saved_return_address_is_used_only_if_the_saved_pair_is_valid),
		cmocka_unit_test(return_address_saved_for_another_thread_is_not_used),
		cmocka_unit_test(walk_from_a_running_hijack_stub_finds_the_true_caller),
	};

	return CHECK_RUN(tests);
}
