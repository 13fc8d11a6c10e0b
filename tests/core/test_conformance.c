// SPDX-License-Identifier: BSD-2-Clause

/*
 * The walk in the kernel gives the same result as the native walk, byte for byte.
 * Compiled once for each architecture.
 */

#include "chain.h"
#include "random.h"
#include "kernel.h"

#include "../../fixtures/stacks/all.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

static const struct sim_arch *const sim = &CAT(sim_arch_, SIM_ARCH);
static struct kernel kernel;
static const struct arch_row *arch;

/* Compares all fields of a sample that a walk sets. */
static bool samples_equal(const struct uw_sample *a, const struct uw_sample *b)
{
	return a->status == b->status && a->flags == b->flags && a->n_frames == b->n_frames &&
	       a->n_kernel == b->n_kernel && a->n_reads == b->n_reads &&
	       a->fault_addr == b->fault_addr &&
	       !memcmp(a->frames, b->frames, a->n_frames * sizeof(struct uw_frame));
}

/* Do both walks over the mapped memory give the same result? */
static bool walks_agree(const struct sim_target *target, const char *name, bool say)
{
	const struct uw_sample *k = &kernel.state->sample;
	struct uw_state *u = fresh_state();
	const struct uw_sample *s = &u->sample;

	assert_int_equal(kernel_walk(&kernel, target), 0);
	sim->walk(u, target);
	if (samples_equal(k, s))
		return true;
	if (!say)
		return false;
	print_error("%s: kernel's walk: %u frames, %u reads, %s, fault at %#llx; native walk: %u "
		    "frames, %u reads, %s, fault at %#llx\n",
		    name, k->n_frames, k->n_reads, sim_status_words(k->status), k->fault_addr,
		    s->n_frames, s->n_reads, sim_status_words(s->status), s->fault_addr);
	for (u32 i = 0; i < k->n_frames && i < s->n_frames; i++)
		if (memcmp(&k->frames[i], &s->frames[i], sizeof(struct uw_frame))) {
			print_frame("kernel", &k->frames[i]);
			print_frame("native", &s->frames[i]);
		}
	return false;
}

static void bring_up(const struct stack *stack, struct sim_target *target)
{
	target_of(stack, arch, target);
	kernel_set_tables(&kernel, target);
	assert_int_equal(kernel_map(target->mem), 0);
}

static void take_down(struct sim_target *target)
{
	kernel_unmap(target->mem);
	sim_mem_free(&target->mem);
}

static bool stack_agrees(const struct stack *stack)
{
	struct sim_target target;
	bool agrees;

	bring_up(stack, &target);
	agrees = walks_agree(&target, stack->name, true);
	take_down(&target);
	return agrees;
}

static void bundled_stacks_give_the_same_walk_in_kernel_and_user_space(void **state)
{
	u32 n = 0;

	(void)state;
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++) {
			if (!(stack_groups[g].stacks[i].archs & arch->bit))
				continue;
			assert_true(stack_agrees(&stack_groups[g].stacks[i]));
			n++;
		}
	print_message("%u stacks\n", n);
}

static void kernel_and_user_space_walks_end_at_the_same_depth_limit(void **state)
{
	static const struct {
		u32 n, n_found;
		enum uw_status status;
	} rows[] = {
		{ 1023, 1023, UW_END },
		{ 1024, 1024, UW_END },
		{ 1025, 1024, UW_T_DEPTH },
	};

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		struct stack stack = chain(rows[i].n, 0, CHAIN_STRIDE);

		assert_true(stack_agrees(&stack));
		assert_int_equal(kernel.state->sample.n_frames, rows[i].n_found);
		assert_int_equal(kernel.state->sample.status, rows[i].status);
	}
}

static void random_stacks_give_the_same_walk_in_kernel_and_user_space(void **state)
{
	struct sim_target target;
	u64 *words, *mapped = (u64 *)STACK_ADDR;

	(void)state;
	random_target(arch, &target);
	kernel_set_tables(&kernel, &target);
	assert_int_equal(kernel_map(target.mem), 0);
	words = (u64 *)sim_image_host(target.mem, STACK_ADDR, RANDOM_WORDS * 8);
	for (u64 i = 0; i < 20000; i++) {
		u64 seed = i << 20;
		char name[32];

		draw_words(&seed, words);
		draw_regs(&seed, &target.regs);
		memcpy(mapped, words, RANDOM_WORDS * 8);
		snprintf(name, sizeof(name), "seed %llu", i);
		assert_true(walks_agree(&target, name, true));
	}
	take_down(&target);
}

/* Negative control: the comparison detects one word that differs only in the kernel's memory. */
static void kernel_and_user_space_walks_differ_if_one_word_of_their_memory_differs(void **state)
{
	const u32 ra = 3, function = 15; /* word indexes in the hand-over stack */
	u64 *mapped = (u64 *)STACK_ADDR;
	struct sim_target target;

	(void)state;
	bring_up(&v8_stacks[0], &target);
	assert_true(walks_agree(&target, "unchanged", true));
	mapped[ra] += 8;
	assert_false(walks_agree(&target, "ra", false));
	mapped[ra] -= 8;
	mapped[function] = FUNCTION_C;
	assert_false(walks_agree(&target, "function", false));
	mapped[function] = FUNCTION_A;
	assert_true(walks_agree(&target, "restored", true));
	kernel.skel->bss->uw_v8_builds[1].shared_off = 32;
	assert_false(walks_agree(&target, "layout", false));
	take_down(&target);
}

/*
 * The kernel's walk reads the memory that is mapped into this process, the native walk reads the
 * image; so a page that is unmapped here faults only in the kernel's walk.
 */
static void kernel_and_user_space_walks_differ_if_only_the_kernel_lacks_a_page(void **state)
{
	struct sim_target target;

	(void)state;
	bring_up(&v8_stacks[0], &target);
	assert_int_equal(munmap((void *)HEAP_ADDR, SIM_PAGE_LEN), 0);
	assert_false(walks_agree(&target, "heap", false));
	assert_int_equal(kernel.state->sample.status, UW_END);
	assert_int_equal(kernel.state->sample.frames[2].status, UW_F_FUNCTION_FAULT);
	take_down(&target);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bundled_stacks_give_the_same_walk_in_kernel_and_user_space),
		cmocka_unit_test(kernel_and_user_space_walks_end_at_the_same_depth_limit),
		cmocka_unit_test(random_stacks_give_the_same_walk_in_kernel_and_user_space),
		cmocka_unit_test(
			kernel_and_user_space_walks_differ_if_one_word_of_their_memory_differs),
		cmocka_unit_test(
			kernel_and_user_space_walks_differ_if_only_the_kernel_lacks_a_page),
	};
	int err, rc;

	arch = sim == arch_rows[0].sim ? &arch_rows[0] : &arch_rows[1];
	if (!kernel_can_run())
		return check_cannot_run("this process has no permission to use BPF");
	err = kernel_open(&kernel);
	if (err) {
		fprintf(stderr, "conformance program: %s\n", strerror(-err));
		return 1;
	}
	rc = CHECK_RUN(tests);
	kernel_close(&kernel);
	return rc;
}
