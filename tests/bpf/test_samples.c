// SPDX-License-Identifier: BSD-2-Clause

/*
 * The contents of a sample: the process, the registers, the kernel's frames and the
 * user's frames. Compiled once for each architecture.
 */

#include "world.h"

#include "../../fixtures/stacks/all.h"

#define A_KERNEL_THREAD 0x200000 /* PF_KTHREAD of include/linux/sched.h at v6.12 */

static const u64 kernel_pcs[UW_MAX_KERNEL_FRAMES + 1] = {
	LOWEST_KERNEL_PC + 0x1000,
	LOWEST_KERNEL_PC + 0x2004,
	LOWEST_KERNEL_PC + 0x3008,
};

/*
 * The thread is in the kernel with @n known kernel frames. The thread entered the kernel with the
 * registers of the usual user stack.
 */
static void enter_kernel(long n)
{
	const struct uw_regs in_kernel = { .pc = kernel_pcs[0], .sp = -64ull, .fp = -32ull };

	w.saved_regs = w.event.regs;
	w.event.regs = pt_regs_of(&in_kernel, 0, 0);
	fake.saved_regs = &w.saved_regs;
	fake.kernel_pcs = kernel_pcs;
	fake.n_kernel_pcs = n;
}

/*
 * Does the sample continue with the frames of the usual user stack after @n_kernel kernel frames?
 */
static bool user_frames_follow(u32 n_kernel)
{
	const struct uw_frame usual[] = {
		IN_APP(0x108, 0),
		IN_APP(0x200, RA),
		IN_LIBC(0x128, RA),
	};

	return w.sample.n_kernel == n_kernel && w.sample.n_frames == n_kernel + 3 &&
	       w.sample.status == UW_END &&
	       !memcmp(&w.sample.frames[n_kernel], usual, sizeof(usual));
}

static void bundled_stacks_give_the_expected_samples(void **state)
{
	u32 n = 0;

	(void)state;
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++) {
			const struct stack *stack = &stack_groups[g].stacks[i];

			if (!(stack->archs & STACK_ARCH) || stack->sample_flags)
				continue; /* the program sets the flags itself */
			world_begin_on(stack);
			if (stack->no_tables)
				enter_process(PID, UW_PROC_TARGET, 0);
			assert_non_null(run());
			assert_true(sample_is(stack, &w.sample, true));
			assert_int_equal(w.sample.flags, stack->regs.pc ? 0 : UW_SAMPLE_KTHREAD);
			world_end();
			n++;
		}
	assert_true(n > 30);
}

static void changed_return_address_changes_the_sample(void **state)
{
	const struct stack *stack = &v8_stacks[0];

	(void)state;
	world_begin_on(stack);
	*(u64 *)sim_image_host(w.target.mem, S(3), 8) += 8; /* changes a return address */
	assert_non_null(run());
	assert_false(sample_is(stack, &w.sample, false));
	world_end();
}

static void sample_header_has_the_process_and_the_time(void **state)
{
	(void)state;
	assert_non_null(run());
	assert_int_equal(w.sample.time_ns, fake.now_ns);
	assert_int_equal(w.sample.cpu, CPU);
	assert_int_equal(w.sample.pid, PID);
	assert_int_equal(w.sample.tid, TID);
	assert_int_equal(w.sample.start_ns, START_NS); /* of the process, not the thread */
	assert_int_equal(w.sample.exec_id, EXEC_ID);
	assert_int_equal(w.sample.proc_gen, GENERATION);
	assert_int_equal(w.sample.flags, 0);
	assert_int_equal(w.sample.n_reads, 1); /* one read fetches all frame records */
	assert_int_equal(w.sample.fault_addr, 0);
	assert_true(user_frames_follow(0));
}

static void sample_contains_the_registers_of_the_first_user_frame(void **state)
{
	const struct uw_regs regs = { APP(0x108), S(0), S(0), APP(0x44) };

	(void)state;
	w.event.regs = pt_regs_of(&regs, SMI(5), HEAP(0x41));
	set_callee(&w.event.regs, HEAP(0x81));
	assert_non_null(run());
	assert_int_equal(w.sample.pc, regs.pc);
	assert_int_equal(w.sample.sp, regs.sp);
	assert_int_equal(w.sample.fp, regs.fp);
	assert_int_equal(w.sample.lr, HAS_LR ? regs.lr : 0);
	assert_int_equal(w.sample.interp[0], SMI(5));
	assert_int_equal(w.sample.interp[1], HEAP(0x41));
	assert_int_equal(w.sample.callee, HEAP(0x81));
	assert_memory_equal(w.sample.sp_words, chained, 24);
}

static void words_at_sp_are_zero_in_the_sample_if_they_are_unreadable(void **state)
{
	const struct uw_regs regs = { APP(0x108), S(-4), S(0), 0 };
	static const u64 zeroes[3];

	(void)state;
	w.event.regs = pt_regs_of(&regs, 0, 0);
	assert_non_null(run());
	assert_memory_equal(w.sample.sp_words, zeroes, sizeof(zeroes));
	assert_true(user_frames_follow(0));
}

/* Kernel frame 0 has the interrupted pc; all other kernel frames have return addresses. */
static void kernel_frames_come_before_user_frames(void **state)
{
	(void)state;
	for (u32 n = 1; n <= 3; n++) {
		world_begin();
		enter_kernel(n);
		assert_non_null(run());
		assert_int_equal(w.sample.flags, UW_SAMPLE_IN_KERNEL);
		for (u32 i = 0; i < n; i++) {
			const struct uw_frame f = { .pc = kernel_pcs[i],
						    .kind = UW_KERNEL,
						    .flags = i ? UW_FRAME_RA : 0 };

			assert_memory_equal(&w.sample.frames[i], &f, sizeof(f));
		}
		assert_true(user_frames_follow(n));
		assert_int_equal(w.sample.pc, APP(0x108)); /* the user pc */
		world_end();
	}
}

/* Is the leaf looked up at an address before pc if @insn precedes pc? */
static bool is_in_syscall(u32 insn, u64 result, bool in_kernel)
{
	const struct uw_frame *leaf;
	u8 flags = in_kernel ? UW_SAMPLE_IN_KERNEL : 0;
	bool is_told;

	world_begin();
	memcpy(sim_image_host(w.target.mem, APP(0x104), 4), &insn, 4);
	set_syscall(&w.event.regs, result);
	if (in_kernel)
		enter_kernel(2);
	assert_non_null(run());
	leaf = &w.sample.frames[w.sample.n_kernel];
	is_told = w.sample.flags == (flags | UW_SAMPLE_IN_SYSCALL);
	assert_true(is_told || w.sample.flags == flags);
	assert_int_equal(leaf->flags, is_told ? UW_FRAME_SYSCALL : 0);
	assert_true(leaf->pc == APP(0x108));
	assert_true(uw_frame_lookup_pc(leaf) == APP(0x108) - is_told);
	assert_int_equal(w.sample.status, UW_END);
	world_end();
	return is_told;
}

/* The instruction before pc is a system call that the kernel is executing. */
static void system_call_instruction_is_looked_up_while_the_kernel_executes_it(void **state)
{
	struct arch_pt_regs unused;
	u32 insn = set_syscall(&unused, 0);

	(void)state;
	assert_true(is_in_syscall(insn, -38ull, true)); /* -ENOSYS: no result yet */
	assert_true(is_in_syscall(insn, 812, true));
	assert_false(is_in_syscall(insn, 0, true)); /* 0: the child of a clone returns */
	assert_false(is_in_syscall(insn ^ 1 << 24, -38ull, true));
	assert_false(is_in_syscall(insn, -38ull, false));
}

static void kernel_stack_of_the_maximum_depth_is_complete(void **state)
{
	(void)state;
	enter_kernel(UW_MAX_KERNEL_FRAMES);
	assert_non_null(run());
	assert_true(user_frames_follow(UW_MAX_KERNEL_FRAMES));
	enter_kernel(UW_MAX_KERNEL_FRAMES + 1); /* one more than bpf_get_stack() can return */
	w.saved_regs = pt_regs_of(&w.target.regs, 0, 0);
	assert_non_null(run());
	assert_true(user_frames_follow(UW_MAX_KERNEL_FRAMES));
}

static void kernel_frames_count_towards_the_depth_limit(void **state)
{
	(void)state;
	for (u32 n_user = 1022; n_user <= 1023; n_user++) {
		const struct stack stack = chain(n_user, 0, CHAIN_STRIDE);

		world_begin_on(&stack);
		enter_kernel(2);
		assert_non_null(run());
		assert_int_equal(w.sample.n_frames, UW_MAX_FRAMES);
		assert_int_equal(w.sample.n_kernel, 2);
		assert_int_equal(w.sample.status, n_user == 1022 ? UW_END : UW_T_DEPTH);
		world_end();
	}
}

static void sample_has_no_kernel_frames_if_the_kernel_stack_is_unavailable(void **state)
{
	(void)state;
	enter_kernel(-14);
	assert_non_null(run());
	assert_int_equal(w.sample.flags, UW_SAMPLE_IN_KERNEL);
	assert_true(user_frames_follow(0));
}

/* A sample must not contain parts of the previous one. */
static void sample_in_user_mode_has_no_kernel_frames_of_the_previous_sample(void **state)
{
	const struct arch_pt_regs user = w.event.regs;

	(void)state;
	enter_kernel(3);
	assert_non_null(run());
	assert_true(user_frames_follow(3));
	w.event.regs = user;
	assert_non_null(run());
	assert_int_equal(w.sample.flags, 0);
	assert_true(user_frames_follow(0));
}

/*
 * Kernels before v5.15 have no bpf_task_pt_regs(); the registers are at the end of the kernel
 * stack.
 */
static void user_registers_are_read_from_the_kernel_stack_on_old_kernels(void **state)
{
	struct uw_config config = usual_config();

	(void)state;
	config.has_task_pt_regs = false;
	set_config(&config);
	enter_kernel(2);
	fake.saved_regs = NULL;
	memcpy(w.kernel_stack + ARCH_THREAD_SIZE - FAKE_PT_REGS_LEN, &w.saved_regs,
	       sizeof(w.saved_regs));
	assert_non_null(run());
	assert_true(user_frames_follow(2));
}

static void sample_has_only_kernel_frames_if_the_user_registers_are_unreadable(void **state)
{
	(void)state;
	enter_kernel(2);
	fake.saved_regs = NULL;
	assert_non_null(run());
	assert_int_equal(w.sample.flags, UW_SAMPLE_IN_KERNEL | UW_SAMPLE_KTHREAD);
	assert_int_equal(w.sample.n_frames, 2);
	assert_int_equal(w.sample.n_kernel, 2);
	assert_int_equal(w.sample.status, UW_END);
	assert_int_equal(w.sample.pc, 0);
}

/*
 * During exec, the saved registers are those of the old program. The stack matches these registers
 * until exec replaces the memory. In a vfork child, the stack matches until the parent resumes and
 * writes to it.
 */
static void sample_during_exec_has_only_kernel_frames_after_the_stack_was_replaced(void **state)
{
	static struct mm_struct own, shared;

	(void)state;
	for (u32 i = 0; i < 16; i++) {
		bool is_executing = i & 1, is_gone = i & 2, is_shared = i & 4,
		     is_waited_for = i & 8;
		bool is_parents = is_shared && !is_waited_for;
		struct uw_regs regs;
		u8 flags = is_executing && (is_gone || is_parents) ? UW_SAMPLE_KTHREAD : 0;

		world_begin();
		enter_kernel(2);
		thread->in_execve = is_executing;
		thread->mm = is_shared ? &shared : &own;
		thread->vfork_done = is_waited_for ? &own : NULL;
		w.tasks[PARENT_THREAD].task.mm = &shared;
		regs = w.target.regs;
		regs.sp = is_gone ? 0x10000 : regs.sp;
		w.saved_regs = pt_regs_of(&regs, 0, 0);
		assert_non_null(run());
		assert_int_equal(w.sample.flags, UW_SAMPLE_IN_KERNEL | flags);
		if (flags) {
			assert_int_equal(w.sample.n_frames, 2);
			assert_int_equal(w.sample.status, UW_END);
		} else {
			assert_true(w.sample.n_frames > 2);
		}
		world_end();
	}
}

/*
 * A 32-bit program is recognized by the processor's mode: the code segment on x86-64, a bit of the
 * processor state on arm64.
 */
static void sample_of_a_32_bit_program_has_only_one_user_frame(void **state)
{
	(void)state;
	set_32_bit(&w.event.regs);
	assert_non_null(run());
	assert_int_equal(w.sample.flags, UW_SAMPLE_32_BIT);
	assert_int_equal(w.sample.status, UW_T_32_BIT);
	assert_int_equal(w.sample.n_frames, 1);
	assert_int_equal(w.sample.frames[0].kind, UW_UNKNOWN);
	assert_true(w.sample.frames[0].pc == APP(0x108));
	enter_kernel(2);
	assert_non_null(run());
	assert_int_equal(w.sample.flags, UW_SAMPLE_IN_KERNEL | UW_SAMPLE_32_BIT);
	assert_int_equal(w.sample.n_frames, 3);
	assert_int_equal(w.sample.n_kernel, 2);
}

/*
 * In a kernel thread, the program ignores the words of the kernel stack where a user thread has its
 * registers.
 */
static void kernel_thread_has_only_kernel_frames(void **state)
{
	static const long counts[] = { 3, 0, -14 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		u32 n = counts[i] > 0 ? (u32)counts[i] : 0;

		world_begin();
		enter_kernel(counts[i]);
		thread->flags = A_KERNEL_THREAD;
		assert_non_null(run());
		assert_int_equal(w.sample.flags, UW_SAMPLE_IN_KERNEL | UW_SAMPLE_KTHREAD);
		assert_int_equal(w.sample.n_frames, n);
		assert_int_equal(w.sample.n_kernel, n);
		assert_int_equal(w.sample.status, UW_END);
		assert_int_equal(w.sample.n_reads, 0);
		world_end();
	}
}

/* User addresses up to the largest one of the architecture, and kernel addresses. */
static void sample_is_in_the_kernel_if_pc_is_a_kernel_address(void **state)
{
	static const struct {
		u64 pc;
		u8 flags;
	} rows[] = {
		{ LOWEST_KERNEL_PC, UW_SAMPLE_IN_KERNEL },
		{ ~0ull, UW_SAMPLE_IN_KERNEL },
		{ USUAL_VA_MASK, 0 },
		{ LARGEST_VA_MASK, 0 },
		{ 0x1000, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct uw_regs regs = { rows[i].pc, S(0), S(0), 0 };

		world_begin();
		enter_kernel(1);
		w.event.regs = pt_regs_of(&regs, 0, 0);
		assert_non_null(run());
		if (w.sample.flags != rows[i].flags)
			fail_msg("pc %#llx: flags %u", rows[i].pc, w.sample.flags);
		world_end();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bundled_stacks_give_the_expected_samples),
		cmocka_unit_test(changed_return_address_changes_the_sample),
		T(sample_header_has_the_process_and_the_time),
		T(sample_contains_the_registers_of_the_first_user_frame),
		T(words_at_sp_are_zero_in_the_sample_if_they_are_unreadable),
		cmocka_unit_test(kernel_frames_come_before_user_frames),
		T(system_call_instruction_is_looked_up_while_the_kernel_executes_it),
		T(kernel_stack_of_the_maximum_depth_is_complete),
		cmocka_unit_test(kernel_frames_count_towards_the_depth_limit),
		T(sample_has_no_kernel_frames_if_the_kernel_stack_is_unavailable),
		T(sample_in_user_mode_has_no_kernel_frames_of_the_previous_sample),
		T(user_registers_are_read_from_the_kernel_stack_on_old_kernels),
		T(sample_has_only_kernel_frames_if_the_user_registers_are_unreadable),
		cmocka_unit_test(
			sample_during_exec_has_only_kernel_frames_after_the_stack_was_replaced),
		T(sample_of_a_32_bit_program_has_only_one_user_frame),
		cmocka_unit_test(kernel_thread_has_only_kernel_frames),
		cmocka_unit_test(sample_is_in_the_kernel_if_pc_is_a_kernel_address),
	};

	return CHECK_RUN(tests);
}
