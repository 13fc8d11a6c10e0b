// SPDX-License-Identifier: BSD-2-Clause

/*
 * Compares ENGINE (guest or kernel) with the native engine: frames, statuses and the log of
 * reads must be equal, byte for byte. The comparison must detect every possible difference.
 */

#include "../core/random.h"
#include "../../sim/engine/guest.h"
#include "../../sim/engine/kernel.h"
#include "engines.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

static const struct sim_engine *const engine = &CAT(sim_engine_, ENGINE);
static struct sim_session *natives[N_ARCHS], *others[N_ARCHS];

static void all_engines_give_the_same_walk_for_each_bundled_stack(void **state)
{
	u64 n_walks = 0, n_bytes = 0, n_reads = 0;

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++)
		for (u32 g = 0; g < STACK_N_GROUPS; g++)
			for (u32 i = 0; i < stack_groups[g].n; i++) {
				const struct stack *stack = &stack_groups[g].stacks[i];
				struct sim_difference d;
				struct sim_target target;

				if (!(stack->archs & arch_rows[a].bit))
					continue;
				target_of(stack, &arch_rows[a], &target);
				d = differences(natives[a], others[a], &target, stack->name, true);
				assert_int_equal(d.n_bytes, 0);
				assert_int_equal(other_walk.log.n, other_walk.state.sample.n_reads);
				n_walks++;
				n_bytes += d.n_compared;
				n_reads += other_walk.log.n;
				sim_mem_free(&target.mem);
			}
	print_message("compared %llu walks, which have %llu bytes and %llu reads\n", n_walks,
		      n_bytes, n_reads);
	assert_true(n_reads > n_walks);
}

static void all_engines_give_the_same_walk_for_each_random_stack(void **state)
{
	u32 seen[UW_N_STATUS] = { 0 }, n_seen = 0;

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++) {
		struct sim_target target;
		u64 *words;

		random_target(&arch_rows[a], &target);
		words = (u64 *)sim_image_host(target.mem, STACK_ADDR, RANDOM_WORDS * 8);
		for (u64 i = 0; i < 2000; i++) {
			u64 seed = i << 20;
			char name[32];

			draw_words(&seed, words);
			draw_regs(&seed, &target.regs);
			snprintf(name, sizeof(name), "seed %llu", i);
			assert_int_equal(
				differences(natives[a], others[a], &target, name, true).n_bytes, 0);
			seen[other_walk.state.sample.status]++;
		}
		sim_mem_free(&target.mem);
	}
	for (u32 i = 0; i < UW_N_STATUS; i++)
		n_seen += seen[i] != 0;
	print_message("%u ways to end\n", n_seen);
	assert_true(n_seen >= 6);
}

static void all_engines_give_the_same_walk_for_each_kind_of_inaccessible_page(void **state)
{
	static const u64 pages[] = { HEAP_ADDR, APP_TEXT, BUILTINS_TEXT, STACK_ADDR };
	u32 n_faults = 0;

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++)
		for (u32 i = 0; i < 4 * 4; i++) {
			struct stack stack = v8_stacks[0];
			struct sim_target target;

			stack.bad_page_addr = pages[i / 4];
			stack.bad_page = (enum stack_page)(i % 4);
			target_of(&stack, &arch_rows[a], &target);
			assert_int_equal(
				differences(natives[a], others[a], &target, stack.name, true)
					.n_bytes,
				0);
			for (u32 r = 0; r < other_walk.log.n; r++)
				n_faults += other_walk.reads[r].result == SIM_FAULT;
			sim_mem_free(&target.mem);
		}
	print_message("%u faults\n", n_faults);
	assert_true(n_faults > 0);
}

/* For each part of the comparison, makes a change that only this part can detect. */
static void the_comparison_of_walks_detects_a_difference_in_any_part_of_a_walk(void **state)
{
	struct sim_difference d;
	struct sim_target target;
	struct uw_sample *s = &other_walk.state.sample;

	(void)state;
	target_of(&v8_stacks[0], &arch_rows[0], &target);
	assert_int_equal(differences(natives[0], others[0], &target, "", true).n_bytes, 0);
	sim_mem_free(&target.mem);
	for (u32 i = 0; i < s->n_frames * sizeof(struct uw_frame); i++) {
		((u8 *)s->frames)[i] ^= 1;
		assert_false(sim_walk_compare(&native_walk, &other_walk, &d));
		assert_int_equal(d.n_bytes_in[SIM_PART_FRAMES], 1);
		assert_int_equal(d.frame_idx, i / sizeof(struct uw_frame));
		((u8 *)s->frames)[i] ^= 1;
	}
	for (u32 i = 0; i < other_walk.log.n * sizeof(struct sim_read); i++) {
		((u8 *)other_walk.reads)[i] ^= 1;
		assert_false(sim_walk_compare(&native_walk, &other_walk, &d));
		assert_int_equal(d.n_bytes_in[SIM_PART_READS], 1);
		assert_int_equal(d.read_idx, i / sizeof(struct sim_read));
		((u8 *)other_walk.reads)[i] ^= 1;
	}
	for (u32 i = 0; i < sizeof(s->saved); i++) {
		((u8 *)s->saved)[i] ^= 1;
		assert_false(sim_walk_compare(&native_walk, &other_walk, &d));
		assert_int_equal(d.n_bytes_in[SIM_PART_HEADER], 1);
		((u8 *)s->saved)[i] ^= 1;
	}
	s->status ^= 1;
	assert_false(sim_walk_compare(&native_walk, &other_walk, &d));
	s->status ^= 1;
	s->n_frames--;
	assert_false(sim_walk_compare(&native_walk, &other_walk, &d));
	s->n_frames++;
	other_walk.log.n--;
	assert_false(sim_walk_compare(&native_walk, &other_walk, &d));
	other_walk.log.n++;
	assert_true(sim_walk_compare(&native_walk, &other_walk, &d));
}

static void a_session_rejects_a_target_with_invalid_tables(void **state)
{
	struct uw_mapping mapping = { 0x1000, 0x2000, 0, 1, UW_MAP_V8_JIT, 0, 64 };
	struct sim_target target;

	(void)state;
	target_of(&v8_stacks[0], &arch_rows[0], &target);
	target.extent++;
	target.extent += target.n_mappings;
	assert_int_equal(sim_session_walk(others[0], &target, &other_walk), -EINVAL);
	target.mappings = &mapping;
	target.n_mappings = 1;
	target.extent = 1;
	assert_int_equal(sim_session_walk(others[0], &target, &other_walk), -EINVAL);
	mapping.info_idx = 0;
	assert_int_equal(sim_session_walk(others[0], &target, &other_walk), 0);
	sim_mem_free(&target.mem);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_engines_give_the_same_walk_for_each_bundled_stack),
		cmocka_unit_test(all_engines_give_the_same_walk_for_each_random_stack),
		cmocka_unit_test(all_engines_give_the_same_walk_for_each_kind_of_inaccessible_page),
		cmocka_unit_test(
			the_comparison_of_walks_detects_a_difference_in_any_part_of_a_walk),
		cmocka_unit_test(a_session_rejects_a_target_with_invalid_tables),
	};
	int rc;

	for (u32 a = 0; a < N_ARCHS; a++) {
		int err = sim_session_open(engine, arch_rows[a].sim, &others[a]);

		if (err == -EOPNOTSUPP)
			return check_cannot_run(others[a]->why);
		if (err) {
			fprintf(stderr, "%s: %s\n", engine->name, others[a] ? others[a]->why : "?");
			return 1;
		}
		natives[a] = open_session(&sim_engine_native, arch_rows[a].sim);
	}
	rc = CHECK_RUN(tests);
	for (u32 a = 0; a < N_ARCHS; a++) {
		sim_session_close(&natives[a]);
		sim_session_close(&others[a]);
	}
	return rc;
}
