/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The BPF program, included in a test, and the processes that it samples:
 *
 *	init (1) - grandparent (500) - parent (600) - process (700), running thread (701)
 *
 * In parentheses are the pids in the first PID namespace; in the namespace inside it each pid is
 * 1000 higher. world_begin() resets everything and fills the buffer of the sample with garbage, so
 * that a row of a test has only what is special about it.
 *
 * Compiled for one architecture's flavor of the program, which the include path selects.
 */

/* The program is one file; including it gives each test its own maps and counters. */
#include "../../bpf/unspool.bpf.c" /* NOLINT(bugprone-suspicious-include) */

#include "../core/chain.h"
#include "../core/walks.h"

#include <regs.h>
#include <sys/mman.h>
#include <unistd.h>

#define PID 700
#define TID 701
#define INNER_PID (PID + 1000)
#define INNER_TID (TID + 1000)
#define START_NS 123450000000ull
#define EXEC_ID 7
#define PERIOD_NS 10000000ull
#define N_CPUS 3
#define CPU 2
#define GENERATION 8
#define MAX_ROWS 8192

/* A task's pid in each namespace, the outermost one first. */
struct made_pid {
	struct pid pid;
	struct upid more[2];
};

struct made_task {
	struct task_struct task;
	struct made_pid pid;
};

enum { INIT, GRANDPARENT, PARENT, PARENT_THREAD, PROCESS, THREAD, IDLE, N_TASKS };

static struct world {
	struct made_task tasks[N_TASKS];
	struct pid_namespace outer, inner;
	struct cfs_rq cfs_rq;
	struct rq rq;
	struct uw_perf_event event;
	struct arch_pt_regs saved_regs;
	u8 kernel_stack[ARCH_THREAD_SIZE] __attribute__((aligned(16)));
	struct sim_target target;
	struct uw_slot slots[N_CPUS];
	u32 rows[MAX_ROWS];
	struct uw_sample sample; /* the sample that was sent */
} w;

static struct uw_counters *const counters = &uw_counters[CPU];
static struct task_struct *const thread = &w.tasks[THREAD].task;
static struct task_struct *const leader = &w.tasks[PROCESS].task;

/* Sets the configuration constant of the programs, as their loader does before they run. */
static inline void set_config(const struct uw_config *config)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)&uw_config & -page;
	uintptr_t end = (uintptr_t)(&uw_config + 1);
	void *dst = (void *)&uw_config;

	assert_int_equal(mprotect((void *)at, end - at, PROT_READ | PROT_WRITE), 0);
	asm volatile("" : "+r"(dst)); /* the compiler may drop stores to a constant */
	memcpy(dst, config, sizeof(*config));
}

static inline struct uw_config usual_config(void)
{
	return (struct uw_config){
		.va_mask = USUAL_VA_MASK,
		.period_ns = PERIOD_NS,
		.tids_ns = ~0ull,
		.target_mode = UW_TARGET_ALL,
		.has_task_pt_regs = true,
	};
}

static inline void set_mode(enum uw_target_mode mode)
{
	struct uw_config config = usual_config();

	config.target_mode = mode;
	set_config(&config);
}

/* Adds a process to the table, @probe entries after the entry that a lookup reads first. */
static inline struct uw_process *enter_process(u32 pid, u32 flags, u32 probe)
{
	u32 at = (uw_process_hash(pid) + probe) & (UW_MAX_PROCESSES - 1);

	uw_processes[at] = (struct uw_process){ .pid = pid,
						.flags = UW_PROC_USED | flags,
						.start_ns = START_NS,
						.exec_id = EXEC_ID,
						.extent = w.target.extent,
						.gen = GENERATION,
						.target_time = ~0u };
	return &uw_processes[at];
}

/* Adds a page of rows at the first free entry after its hash. */
static inline struct uw_row_page *enter_page(const struct uw_row_page *page)
{
	u32 at = uw_row_page_hash(page->module, page->page);

	while (uw_row_pages[at & (UW_MAX_ROW_PAGES - 1)].module)
		at++;
	uw_row_pages[at & (UW_MAX_ROW_PAGES - 1)] = *page;
	return &uw_row_pages[at & (UW_MAX_ROW_PAGES - 1)];
}

static inline void enter_rows(const struct sim_target *t)
{
	memcpy(w.rows, t->rows, t->n_rows * sizeof(*t->rows));
	memcpy(uw_rules, t->rules, t->n_rules * sizeof(*t->rules));
	for (u32 i = 0; i < t->n_row_pages; i++)
		enter_page(&t->row_pages[i]);
}

/*
 * Makes a task. Every task has another start time and exec ID, so that a test detects the use of
 * the wrong task.
 */
static inline void make_task(u32 which, u32 nr, u32 leads, u32 parent)
{
	struct made_task *t = &w.tasks[which];

	t->pid.pid.level = 1;
	t->pid.pid.numbers[0] = (struct upid){ (int)nr, &w.outer };
	t->pid.more[0] = (struct upid){ (int)nr + 1000, &w.inner };
	t->task = (struct task_struct){
		.se.cfs_rq = &w.cfs_rq,
		.stack = w.kernel_stack,
		.group_leader = &w.tasks[leads].task,
		.real_parent = &w.tasks[parent].task,
		.thread_pid = &t->pid.pid,
		.start_boottime = START_NS + 3 * UW_TICK_NS * (nr - PID),
		.self_exec_id = EXEC_ID + nr - PID,
	};
}

static inline void make_tasks(void)
{
	w.outer.ns.inum = 4026531836u;
	w.inner.ns.inum = 4026532001u;
	w.rq.idle = &w.tasks[IDLE].task;
	w.cfs_rq.rq = &w.rq;
	make_task(INIT, 1, INIT, INIT);
	w.tasks[INIT].task.real_parent = NULL;
	make_task(GRANDPARENT, 500, GRANDPARENT, INIT);
	make_task(PARENT, 600, PARENT, GRANDPARENT);
	make_task(PARENT_THREAD, 605, PARENT, GRANDPARENT);
	make_task(PROCESS, PID, PROCESS, PARENT_THREAD); /* forked by a thread of the parent */
	make_task(THREAD, TID, PROCESS, PARENT_THREAD);
}

static inline void clear_tables(void)
{
	memset(uw_processes, 0, sizeof(uw_processes));
	memset(uw_mappings, 0, sizeof(uw_mappings));
	memset(uw_v8_builds, 0, sizeof(uw_v8_builds));
	memset(uw_row_pages, 0, sizeof(uw_row_pages));
	memset(uw_rules, 0, sizeof(uw_rules));
	memset(uw_tids, 0, sizeof(uw_tids));
	memset(uw_files, 0, sizeof(uw_files));
	memset(uw_counters, 0, sizeof(uw_counters));
	uw_pidns_level = uw_pidns_ino = 0;
}

/* Makes the sampled process run on @stack, and enters the process in the tables as a target. */
static inline void world_begin_on(const struct stack *stack)
{
	struct uw_config config = usual_config();

	memset(&w, 0, sizeof(w));
	memset(w.slots, 0xa5, sizeof(w.slots));
	clear_tables();
	assert_int_equal(sim_stack_target(stack, STACK_ARCH, &w.target), 0);
	memcpy(uw_mappings, w.target.mappings, w.target.n_mappings * sizeof(*uw_mappings));
	memcpy(uw_v8_builds, w.target.v8_builds, w.target.n_v8_builds * sizeof(*uw_v8_builds));
	enter_rows(&w.target);
	config.va_mask = w.target.va_mask;
	set_config(&config);
	make_tasks();
	enter_process(PID, UW_PROC_TARGET | UW_PROC_TABLES, 0);
	w.event.regs = pt_regs_of(&w.target.regs, 0, 0);
	fake_has_fields = true;
	fake_lacks = NULL;
	fake = (struct fake){
		.cpu = CPU,
		.ids = (u64)PID << 32 | TID,
		.now_ns = 1000000000000ull,
		.task = thread,
		.mem = w.target.mem,
		.arrays = { { &uw_slots, w.slots, sizeof(w.slots[0]), N_CPUS },
			    { NULL },
			    { &uw_rows, w.rows, sizeof(struct uw_row_pair), MAX_ROWS / 2 } },
		.sent = { { .bytes = (u8 *)&w.sample } },
	};
}

/*
 * A stack of three frames: a function of the program, its caller, and the C library. The walk takes
 * two reads.
 */
static inline void world_begin(void)
{
	const struct stack stack = chain(3, 0, CHAIN_STRIDE);

	world_begin_on(&stack);
}

static inline void world_end(void)
{
	sim_mem_free(&w.target.mem);
}

static inline int begin_test(void **state)
{
	(void)state;
	world_begin();
	return 0;
}

static inline int end_test(void **state)
{
	(void)state;
	world_end();
	return 0;
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin_test, end_test)

/* Runs the program once. Return: the sample, or NULL if none was sent. */
static inline const struct uw_sample *run(void)
{
	fake.n_sent = 0;
	fake.n_user_reads = 0;
	memset(&w.sample, 0x5a, sizeof(w.sample));
	assert_int_equal(uw_on_sample(&w.event), 0);
	return fake.n_sent ? &w.sample : NULL;
}
