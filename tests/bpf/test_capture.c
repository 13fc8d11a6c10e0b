// SPDX-License-Identifier: BSD-2-Clause

/*
 * The BPF program that captures reads. The program's log of a walk's reads is compared with the
 * requests to the fake memory. Compiled once for each architecture.
 */

#include "world.h"

#include "../../fixtures/stacks/all.h"

#define MAX_READS 2048

static struct uw_log_buffer buffers[N_CPUS], sent_log;
static struct sim_read asked[MAX_READS];
static struct sim_read_log asked_log;

/*
 * Sets up a world for captures, with a log for each CPU. A run sends to two rings: first to the
 * ring for logs, then to the ring for samples.
 */
static void capture_begin_on(const struct stack *stack)
{
	world_begin_on(stack);
	memset(buffers, 0xa5, sizeof(buffers));
	memset(&sent_log, 0x5a, sizeof(sent_log));
	fake.arrays[1] = (struct fake_map){ &uw_logs, buffers, sizeof(buffers[0]), N_CPUS };
	fake.sent[0].bytes = (u8 *)&sent_log;
	fake.sent[1].bytes = (u8 *)&w.sample;
	asked_log = (struct sim_read_log){ .at = asked, .room = MAX_READS };
	w.target.mem->log = &asked_log;
}

static void capture_begin(void)
{
	const struct stack stack = chain(3, 0, CHAIN_STRIDE);

	capture_begin_on(&stack);
}

/*
 * Computes the expected log from memory. The log omits the first read, which reads the words at sp:
 * those are in the sample.
 */
static u32 expected_log(u8 *out)
{
	u32 len = 0;

	for (u32 i = 1; i < asked_log.n; i++) {
		struct uw_log_read read = { asked[i].addr, asked[i].len, asked[i].result };

		memcpy(out + len, &read, sizeof(read));
		len += (u32)sizeof(read);
		if (read.result)
			continue;
		assert_int_equal(sim_mem_read(w.target.mem, out + len, read.len, read.addr), 0);
		len += read.len;
		while (len % 8)
			out[len++] = 0xa5; /* padding keeps its old contents */
	}
	return len;
}

static void assert_log_is_what_was_read(const char *name)
{
	static u8 expected[UW_LOG_LEN];
	u32 n_reads = asked_log.n - 1, len;

	w.target.mem->log = NULL;
	len = expected_log(expected);
	assert_int_equal(fake.n_sent, 2);
	assert_ptr_equal(fake.sent[0].ring, &uw_log_ring);
	assert_ptr_equal(fake.sent[1].ring, &uw_ring);
	assert_int_equal(fake.sent[0].flags, BPF_RB_NO_WAKEUP);
	assert_int_equal(sent_log.log.n_reads, n_reads);
	assert_int_equal(sent_log.log.n_reads, w.sample.n_reads);
	assert_int_equal(sent_log.log.n_dropped, 0);
	assert_int_equal(sent_log.log.len, len);
	assert_int_equal(fake.sent[0].len, sizeof(struct uw_log) + len);
	if (memcmp(sent_log.reads, expected, len))
		fail_msg("%s: the log differs from the reads of the walk", name);
}

static void log_contains_every_read_that_the_walk_made(void **state)
{
	u32 n = 0, n_faults = 0;

	(void)state;
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++) {
			const struct stack *stack = &stack_groups[g].stacks[i];

			if (!(stack->archs & STACK_ARCH) || stack->no_tables || stack->sample_flags)
				continue;
			capture_begin_on(stack);
			run();
			assert_log_is_what_was_read(stack->name);
			assert_true(sample_is(stack, &w.sample, true));
			n_faults += w.sample.fault_addr != 0;
			n++;
			world_end();
		}
	assert_true(n > 30 && n_faults > 5);
}

static void log_has_the_same_time_cpu_and_registers_as_the_sample(void **state)
{
	(void)state;
	capture_begin();
	run();
	assert_int_equal(sent_log.log.time_ns, fake.now_ns);
	assert_int_equal(sent_log.log.cpu, CPU);
	assert_memory_equal(&sent_log.log.regs, &w.event.regs, sizeof(w.event.regs));
	assert_int_equal(w.sample.time_ns, fake.now_ns);
	assert_int_equal(w.sample.cpu, CPU);
	world_end();
}

/* The log contains the user registers even if the CPU was in the kernel. */
static void log_contains_the_user_registers_even_if_the_cpu_was_in_kernel_mode(void **state)
{
	const struct uw_regs in_kernel = { .pc = LOWEST_KERNEL_PC };

	(void)state;
	capture_begin();
	w.saved_regs = w.event.regs;
	w.event.regs = pt_regs_of(&in_kernel, 0, 0);
	fake.saved_regs = &w.saved_regs;
	run();
	assert_memory_equal(&sent_log.log.regs, &w.saved_regs, sizeof(w.saved_regs));
	world_end();
}

static void log_is_emptied_at_the_start_of_each_sample(void **state)
{
	(void)state;
	capture_begin();
	run();
	memset(buffers[CPU].reads, 0xa5, sizeof(buffers[CPU].reads));
	asked_log.n = 0;
	run();
	assert_log_is_what_was_read("the second");
	world_end();
}

static void sample_is_dropped_if_its_log_does_not_fit_in_the_log_ring(void **state)
{
	(void)state;
	capture_begin();
	fake.full_ring = &uw_log_ring;
	run();
	assert_int_equal(fake.n_sent, 0);
	assert_int_equal(counters->no_room, 1);
	assert_int_equal(counters->sent, 0);
	world_end();
}

static void sample_that_does_not_fit_in_its_ring_is_counted_once(void **state)
{
	(void)state;
	capture_begin();
	fake.full_ring = &uw_ring;
	run();
	assert_int_equal(fake.n_sent, 1); /* the log had been sent already */
	assert_int_equal(counters->no_room, 1);
	assert_int_equal(counters->sent, 0);
	world_end();
}

static void no_sample_is_sent_on_a_cpu_that_has_no_log_buffer(void **state)
{
	(void)state;
	capture_begin();
	fake.arrays[1].n = CPU;
	run();
	assert_int_equal(fake.n_sent, 0);
	assert_int_equal(counters->no_room, 1);
	world_end();
}

/*
 * The frame records are so far apart that each is read in a window of its own, which takes 1 KiB
 * and a header in the log. The read of the instruction at pc, before them, takes 4 bytes, padded to
 * 8. So 252 windows fit, and the 72 bytes that remain are too few for another window but enough for
 * small reads.
 */
static void reads_that_do_not_fit_in_the_log_are_counted(void **state)
{
	enum { N = 300, IN_LOG = UW_LOG_LEN / (16 + UW_WINDOW_LEN) };
	static u64 words[N * 512];
	struct stack stack = { .name = "wide", .words = words, .n_words = N * 512 };

	(void)state;
	for (u32 i = 0; i < N; i++) {
		words[i * 512] = i + 1 < N ? S((i + 1) * 512) : 1;
		words[i * 512 + 1] = i + 1 < N ? APP(0x200) : LIBC(0x128);
	}
	stack.regs = (struct uw_regs){ APP(0x108), S(0), S(0), 0 };
	capture_begin_on(&stack);
	run();
	assert_int_equal(w.sample.status, UW_END);
	assert_int_equal(w.sample.n_frames, N + 1);
	assert_int_equal(sent_log.log.n_reads, N);
	assert_int_equal(sent_log.log.n_dropped, N - IN_LOG);
	assert_int_equal(sent_log.log.len, IN_LOG * (16 + UW_WINDOW_LEN));
	assert_int_equal(fake.sent[0].len, sizeof(struct uw_log) + sent_log.log.len);
	world_end();
}

/* The last read ends at the end of the buffer, and the next one does not fit. */
static void log_buffer_is_filled_to_the_last_byte(void **state)
{
	struct uw_log_buffer *b = &buffers[CPU];
	u64 word = 0x1122334455667788, stored;

	(void)state;
	capture_begin();
	b->log = (struct uw_log){ .len = UW_LOG_LEN - 24 };
	assert_int_equal(port_read_user(&word, 8, S(0)), 0);
	assert_int_equal(b->log.len, UW_LOG_LEN);
	assert_int_equal(b->log.n_dropped, 0);
	memcpy(&stored, &b->reads[UW_LOG_LEN - 8], 8);
	assert_int_equal(stored, chained[0]);
	assert_int_equal(port_read_user(&word, 8, 0), -14);
	assert_int_equal(b->log.len, UW_LOG_LEN);
	assert_int_equal(b->log.n_dropped, 1);
	assert_int_equal(b->log.n_reads, 2);
	b->log = (struct uw_log){ .len = UW_LOG_LEN - 16 };
	assert_int_equal(port_read_user(&word, 8, S(0)), 0);
	assert_int_equal(b->log.n_dropped, 1); /* the header of this read fits, its data do not */
	assert_int_equal(b->log.len, UW_LOG_LEN - 16);
	assert_int_equal(port_read_user(&word, 8, 0), -14);
	assert_int_equal(b->log.len, UW_LOG_LEN);
	world_end();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_contains_every_read_that_the_walk_made),
		cmocka_unit_test(log_has_the_same_time_cpu_and_registers_as_the_sample),
		cmocka_unit_test(
			log_contains_the_user_registers_even_if_the_cpu_was_in_kernel_mode),
		cmocka_unit_test(log_is_emptied_at_the_start_of_each_sample),
		cmocka_unit_test(sample_is_dropped_if_its_log_does_not_fit_in_the_log_ring),
		cmocka_unit_test(sample_that_does_not_fit_in_its_ring_is_counted_once),
		cmocka_unit_test(no_sample_is_sent_on_a_cpu_that_has_no_log_buffer),
		cmocka_unit_test(reads_that_do_not_fit_in_the_log_are_counted),
		cmocka_unit_test(log_buffer_is_filled_to_the_last_byte),
	};

	return CHECK_RUN(tests);
}
