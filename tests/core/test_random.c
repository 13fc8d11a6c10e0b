// SPDX-License-Identifier: BSD-2-Clause

/*
 * Random words as a stack: every walk ends with a consistent result. The seeds are
 * fixed, and a failure prints its seed.
 */

#include "random.h"
#include "sane.h"

#define N_SEEDS 100000

static void walk_random(const struct arch_row *arch, u64 seen[UW_N_STATUS])
{
	struct uw_state *u = fresh_state();
	struct sim_target target;
	const struct uw_row_page *pages;
	u32 n_pages;
	u64 *words;

	random_target(arch, &target);
	words = (u64 *)sim_image_host(target.mem, STACK_ADDR, RANDOM_WORDS * 8);
	pages = target.row_pages;
	n_pages = target.n_row_pages;
	for (u64 i = 0; i < N_SEEDS; i++) {
		u32 first_page = i % 4 ? 0 : STACK_N_APP_ROW_PAGES;
		u64 extent = target.extent, seed = i << 20;

		target.row_pages = pages + first_page;
		target.n_row_pages = n_pages - first_page;
		draw_words(&seed, words);
		draw_regs(&seed, &target.regs);
		if (i % 16 == 0)
			target.extent = 0;
		arch->sim->walk(u, &target);
		if (!sample_is_sane(&u->sample, &target))
			fail_msg("%s: seed %llu: the result of the walk is impossible",
				 arch->sim->name, i);
		seen[u->sample.status]++;
		for (u32 f = 0; f < u->sample.n_frames; f++)
			seen[u->sample.frames[f].status]++;
		target.extent = extent;
	}
	sim_mem_free(&target.mem);
}

static void walks_of_random_stacks_end_and_are_plausible(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++) {
		u64 seen[UW_N_STATUS] = { 0 };

		walk_random(&arch_rows[i], seen);
		for (u32 s = 0; s < UW_N_STATUS; s++) {
			if (s == UW_T_DEPTH || s == UW_T_STALE_TABLES || s == UW_T_STACK_SWITCHED)
				continue; /* random words are too unlikely to cause this status */
			if (s == UW_T_32_BIT)
				continue; /* a status of the BPF program, not of the core's walk */
			if (s == UW_F_UNWIND_INFO && arch_rows[i].bit != STACK_X86_64)
				continue; /* UNWIND_INFO exists only on x86-64 */
			if (s == UW_F_AWAITER_TYPE || s == UW_F_AWAITER_FAULT)
				continue; /* needs data from user space: test_await */
			if (s >= UW_F_WAITS_FAULT && s <= UW_F_WAITS_MORE)
				continue; /* the stacks contain no promises */
			if (!seen[s])
				fail_msg("%s: no walk ended with the status \"%s\"",
					 arch_rows[i].sim->name, sim_status_words(s));
		}
		print_message("%s: %.1f frames per walk; %.1f %% of the walks reach the outermost "
			      "frame\n",
			      arch_rows[i].sim->name, (double)seen[UW_OK] / N_SEEDS,
			      100.0 * (double)seen[UW_END] / N_SEEDS);
		assert_true(seen[UW_OK] > 4 * N_SEEDS); /* walks make progress */
	}
}

static bool is_insane(const struct uw_sample *good, const struct sim_target *target, u32 offset,
		      u8 value)
{
	static struct uw_sample s;

	memcpy(&s, good, sizeof(s));
	((u8 *)&s)[offset] = value;
	return !sample_is_sane(&s, target);
}

/* Negative control: the judge of the test above rejects each of these walks. */
static void judge_of_random_walks_rejects_implausible_samples(void **state)
{
	u32 frame = offsetof(struct uw_sample, frames) + 2 * sizeof(struct uw_frame);
	struct uw_state *u = fresh_state();
	struct sim_target target, no_tables;

	(void)state;
	target_of(&v8_stacks[0], &arch_rows[0], &target);
	no_tables = target;
	no_tables.extent = 0;
	arch_rows[0].sim->walk(u, &target);
	sim_mem_free(&target.mem);
	assert_true(sample_is_sane(&u->sample, &target));
	assert_false(sample_is_sane(&u->sample, &no_tables));
#define INSANE(at, value) assert_true(is_insane(&u->sample, &target, at, value))
	INSANE(offsetof(struct uw_sample, status), UW_OK);
	INSANE(offsetof(struct uw_sample, status), UW_F_NO_FRAME);
	INSANE(offsetof(struct uw_sample, status), UW_N_STATUS);
	INSANE(offsetof(struct uw_sample, status), UW_T_UNKNOWN_PROCESS);
	INSANE(offsetof(struct uw_sample, n_frames), 0);
	INSANE(offsetof(struct uw_sample, n_frames) + 1, 8);
	INSANE(offsetof(struct uw_sample, n_kernel), 1);
	INSANE(frame + offsetof(struct uw_frame, pc) + 4, 0x77);
	INSANE(frame + offsetof(struct uw_frame, kind), UW_NATIVE);
	INSANE(frame + offsetof(struct uw_frame, status), UW_E_FAULT);
	INSANE(frame + offsetof(struct uw_frame, flags), 0);
	INSANE(frame + offsetof(struct uw_frame, pad), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_of_random_stacks_end_and_are_plausible),
		cmocka_unit_test(judge_of_random_walks_rejects_implausible_samples),
	};

	return CHECK_RUN(tests);
}
