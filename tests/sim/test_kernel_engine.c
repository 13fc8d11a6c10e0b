// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests errors that only the kernel engine can have: wrong BPF objects, and addresses that it
 * can't map.
 */

#include "engines.h"

#include "../../sim/engine/kernel.h"

#include <sys/wait.h>
#include <unistd.h>

#define USER_END (1ull << 47) /* end of user space on x86-64 with four levels of page tables */

/*
 * Walks the bundled stacks with both engines. Return: the sum of all differences between the
 * two engines.
 */
static struct sim_difference walk_all(const struct arch_row *arch, struct sim_session *kernel)
{
	struct sim_session *native = open_session(&sim_engine_native, arch->sim);
	struct sim_difference sum = { 0 };

	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++) {
			struct sim_target target;
			struct sim_difference d;

			if (!(stack_groups[g].stacks[i].archs & arch->bit))
				continue;
			target_of(&stack_groups[g].stacks[i], arch, &target);
			d = differences(native, kernel, &target, "", false);
			for (u32 part = 0; part < SIM_N_PARTS; part++)
				sum.n_bytes_in[part] += d.n_bytes_in[part];
			sum.n_bytes += d.n_bytes;
			sim_mem_free(&target.mem);
		}
	sim_session_close(&native);
	return sum;
}

/*
 * In `wN = 1024`, the length of a window, one byte is changed, which makes it 768. The frames
 * stay the same, but reads have other lengths, which only the comparison of reads detects.
 */
static void a_changed_window_length_in_the_kernel_engine_changes_the_reads(void **state)
{
	u32 n_builds = 0, n_caught = 0;

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++) {
		struct sim_blob good = a ? sim_kernel_arm64 : sim_kernel_x86_64;
		u8 *bytes = malloc(good.len);

		assert_non_null(bytes);
		memcpy(bytes, good.bytes, good.len);
		for (size_t at = 0; at + 8 <= good.len; at += 8) {
			static const u8 rest[] = { 0, 0, 0, 4, 0, 0 };
			struct sim_session *kernel;
			struct sim_difference d;

			if (bytes[at] != 0xb4 || bytes[at + 1] > 9 ||
			    memcmp(bytes + at + 2, rest, 6))
				continue;
			bytes[at + 5] = 3;
			assert_int_equal(sim_kernel_open(arch_rows[a].sim,
							 (struct sim_blob){ bytes, good.len },
							 &kernel),
					 0);
			d = walk_all(&arch_rows[a], kernel);
			assert_int_equal(d.n_bytes_in[SIM_PART_FRAMES], 0);
			n_caught += d.n_bytes_in[SIM_PART_READS] > 0;
			n_builds++;
			sim_session_close(&kernel);
			bytes[at + 5] = 4;
		}
		free(bytes);
	}
	print_message("%u of %u builds caught\n", n_caught, n_builds);
	assert_true(n_builds >= 2);
	assert_true(n_caught >= 2);
}

static void the_kernel_engine_returns_an_error_for_an_invalid_bpf_object(void **state)
{
	struct sim_session *kernel;
	struct sim_blob blob = sim_kernel_x86_64;

	(void)state;
	blob.len /= 2;
	assert_true(sim_kernel_open(&sim_arch_x86_64, blob, &kernel) < 0);
	assert_non_null(strstr(kernel->why, "conformance program"));
	sim_session_close(&kernel);
}

/* Walks a stack at @addr with one frame, whose frame record has a caller fp of 0. */
static int walk_at(struct sim_session *kernel, u64 addr)
{
	struct sim_target target = { .regs = { 0x1234, addr, addr, 0 }, .va_mask = VA52 };
	u64 record[2] = { 0x10, 0x5678 };
	int err;

	assert_int_equal(sim_image_new(&target.mem), 0);
	assert_int_equal(sim_image_map(target.mem, addr, SIM_PAGE_LEN, SIM_READ), 0);
	assert_int_equal(sim_image_write(target.mem, addr, record, sizeof(record)), 0);
	err = sim_session_walk(kernel, &target, &other_walk);
	sim_mem_free(&target.mem);
	return err;
}

static void the_kernel_engine_can_map_cases_at_usual_addresses(void **state)
{
	static const u64 addrs[] = {
		0x10000,	0x400000,	0x555555554000, 0x5600deadb000,
		0x7f0000000000, 0x7ffc12345000, 0x7fffffff0000, 0x7fffffffe000
	};
	struct sim_session *kernel = open_session(&sim_engine_kernel, &sim_arch_x86_64);

	(void)state;
	for (u32 i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		if (walk_at(kernel, addrs[i]))
			fail_msg("%#llx: %s", addrs[i], kernel->why);
		assert_int_equal(other_walk.state.sample.n_frames, 2);
		assert_int_equal(other_walk.state.sample.frames[1].pc, 0x5678);
	}
	sim_session_close(&kernel);
}

static void the_kernel_engine_rejects_a_case_with_memory_at_an_unavailable_address(void **state)
{
	static const u64 addrs[] = { USER_END, 0xffff80000000, 0x6a000000 };
	struct sim_session *kernel = open_session(&sim_engine_kernel, &sim_arch_arm64);

	(void)state;
	for (u32 i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		char words[32];
		int err = walk_at(kernel, addrs[i]);

		if (!err && i < 2)
			continue; /* a kernel with more address bits can map this address */
		assert_int_equal(err, -EOPNOTSUPP);
		snprintf(words, sizeof(words), "%#llx", addrs[i]);
		assert_non_null(strstr(kernel->why, words));
	}
	assert_int_equal(walk_at(kernel, 0x400000), 0); /* the engine still works */
	sim_session_close(&kernel);
}

static void the_kernel_engine_rejects_a_case_whose_nth_read_must_fail(void **state)
{
	struct sim_session *kernel = open_session(&sim_engine_kernel, &sim_arch_x86_64);
	struct sim_target target;

	(void)state;
	target_of(&v8_stacks[0], &arch_rows[0], &target);
	sim_mem_fail_read(target.mem, 1);
	assert_int_equal(sim_session_walk(kernel, &target, &other_walk), -EOPNOTSUPP);
	sim_mem_free(&target.mem);
	sim_session_close(&kernel);
}

/* The test runs in a child process that drops its permissions. */
static void the_kernel_engine_reports_that_the_permission_for_bpf_is_missing(void **state)
{
	struct sim_session *session;
	int status = 0;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(9);
		status = sim_session_open(&sim_engine_kernel, &sim_arch_x86_64, &session);
		_exit(status == -EOPNOTSUPP && strstr(session->why, "permission") ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_window_length_in_the_kernel_engine_changes_the_reads),
		cmocka_unit_test(the_kernel_engine_returns_an_error_for_an_invalid_bpf_object),
		cmocka_unit_test(the_kernel_engine_can_map_cases_at_usual_addresses),
		cmocka_unit_test(
			the_kernel_engine_rejects_a_case_with_memory_at_an_unavailable_address),
		cmocka_unit_test(the_kernel_engine_rejects_a_case_whose_nth_read_must_fail),
		cmocka_unit_test(the_kernel_engine_reports_that_the_permission_for_bpf_is_missing),
	};
	struct sim_session *session;
	int err = sim_session_open(&sim_engine_kernel, &sim_arch_x86_64, &session);

	if (err == -EOPNOTSUPP)
		return check_cannot_run(session->why);
	sim_session_close(&session);
	return CHECK_RUN(tests);
}
