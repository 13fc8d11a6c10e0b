// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests on which system call each trial of the doctor depends: in a child process a seccomp
 * filter makes one call fail with a unique errno, which only the expected trials may report.
 */

#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../loader/doctor/facts.h"
#include "../check.h"

#define REFUSED 42 /* an errno that no trial returns otherwise */
#define ARG(i) (offsetof(struct seccomp_data, args) + 8 * (i)) /* low half of argument @i */
#define ALL (~0u)

enum trial { PROGRAM, ATOMIC, PT_REGS, RINGBUF, MMAPABLE, CLOCK, CYCLES, ATTACH, N_TRIALS };

static void results_of(const struct doctor_facts *f, int r[N_TRIALS])
{
	const int all[] = { f->try_program,  f->try_atomic,    f->try_task_pt_regs, f->try_ringbuf,
			    f->try_mmapable, f->try_cpu_clock, f->try_cycles,	    f->try_attach };

	memcpy(r, all, sizeof(all));
}

/*
 * Makes system call @number fail: always (@value ALL), or only if argument @arg is @value.
 * Return: 0 or -1.
 */
static int refuse(int number, u32 arg, u32 value)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (u32)number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (u32)ARG(arg)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | REFUSED),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(insns) / sizeof(insns[0]), insns };

	if (value == ALL)
		insns[3] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static const struct row {
	int number;
	u32 arg, value;
	u32 refused; /* one bit for each trial that must report the error */
	u32 may_change; /* other trials that use the call and may fail, too */
} rows[] = {
	{ SYS_bpf, 0, BPF_PROG_LOAD, 1u << PROGRAM | 1u << ATOMIC | 1u << PT_REGS, 1u << ATTACH },
	{ SYS_bpf, 0, BPF_MAP_CREATE, 1u << RINGBUF | 1u << MMAPABLE, 0 },
	{ SYS_perf_event_open, 0, ALL, 1u << CLOCK | 1u << CYCLES, 1u << ATTACH },
	{ SYS_ioctl, 1, (u32)PERF_EVENT_IOC_SET_BPF, 1u << ATTACH, 0 },
	{ SYS_getppid, 0, ALL, 0, 0 },
};

/* Runs in a child. Return: 0, or 1 + the number of the first trial with an unexpected result. */
static int compare_with(const struct row *row, const int usual[N_TRIALS])
{
	struct doctor_facts f = { 0 };
	int r[N_TRIALS];

	if (refuse(row->number, row->arg, row->value))
		return 100;
	doctor_try(&f);
	results_of(&f, r);
	for (int i = 0; i < N_TRIALS; i++) {
		bool is_refused = row->refused >> i & 1;

		if (i == ATTACH && is_refused && (usual[PROGRAM] || usual[CLOCK]))
			continue; /* as before: no program can be attached */
		if (is_refused ? r[i] != -REFUSED : r[i] != usual[i] && !(row->may_change >> i & 1))
			return 1 + i;
	}
	return 0;
}

static void a_trial_returns_the_error_of_the_system_call_that_is_forbidden(void **state)
{
	struct doctor_facts f = { 0 };
	int usual[N_TRIALS];

	(void)state;
	doctor_try(&f);
	results_of(&f, usual);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (!pid)
			_exit(compare_with(&rows[i], usual));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			fail_msg("row %zu: trial %d", i, WEXITSTATUS(status) - 1);
	}
}

/* A trial must leave no descriptor open. */
static void trials_leave_no_descriptor_open(void **state)
{
	struct doctor_facts f = { 0 };
	int before = dup(0), after;

	(void)state;
	assert_true(before >= 0);
	close(before);
	doctor_try(&f);
	after = dup(0);
	assert_int_equal(after, before);
	close(after);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trial_returns_the_error_of_the_system_call_that_is_forbidden),
		cmocka_unit_test(trials_leave_no_descriptor_open),
	};

	return CHECK_RUN(tests);
}
