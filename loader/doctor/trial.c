/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tries the system calls that recording needs, with minimal objects: a program of two
 * instructions, both kinds of map, a sampling event, and the attachment of the program to the
 * event. Also tries two optional features: BPF_ADD with BPF_FETCH, and a helper function.
 */

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "facts.h"

#define MOV_IMM(reg_, imm_)                                                                        \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg_), .imm = (imm_)              \
	}
#define CALL(helper_)                                                                              \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .imm = (helper_)                                       \
	}
#define RETURN_0                                                                                   \
	MOV_IMM(BPF_REG_0, 0),                                                                     \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}

static int try_insns(const struct bpf_insn *insns, size_t n_insns, int *fd)
{
	int n = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "unspool_trial", "GPL", insns, n_insns,
			      NULL);

	if (n < 0)
		return -errno;
	*fd = n;
	return 0;
}

static int try_program(int *fd)
{
	const struct bpf_insn insns[] = { RETURN_0 };

	return try_insns(insns, ARRAY_SIZE(insns), fd);
}

/* A program that adds to a word on its stack and fetches the old value. */
static int try_atomic(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		MOV_IMM(BPF_REG_1, 1),
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
		  .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_1,
		  .off = -8,
		  .imm = BPF_ADD | BPF_FETCH },
		RETURN_0,
	};
	_cleanup_close_ int fd = -1;

	return try_insns(insns, ARRAY_SIZE(insns), &fd);
}

static int try_task_pt_regs(void)
{
	const struct bpf_insn insns[] = {
		CALL(BPF_FUNC_get_current_task_btf),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0 },
		CALL(BPF_FUNC_task_pt_regs),
		RETURN_0,
	};
	_cleanup_close_ int fd = -1;

	return try_insns(insns, ARRAY_SIZE(insns), &fd);
}

static int try_map(enum bpf_map_type type, u32 key_len, u32 value_len, u32 n, u32 flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);
	_cleanup_close_ int fd =
		bpf_map_create(type, "unspool_trial", key_len, value_len, n, &opts);

	return fd < 0 ? -errno : 0;
}

/* Opens an event as a recording does: for all processes on one CPU, kernel included. */
static int try_event(u32 type, u64 config, int *fd)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.sample_freq = 99,
		.freq = 1,
		.disabled = 1,
	};
	int cpu = sched_getcpu();
	int n = (int)syscall(SYS_perf_event_open, &attr, -1, cpu < 0 ? 0 : cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);

	if (n < 0)
		return -errno;
	*fd = n;
	return 0;
}

void doctor_try(struct doctor_facts *f)
{
	_cleanup_close_ int prog_fd = -1, clock_fd = -1, cycles_fd = -1;

	f->try_program = try_program(&prog_fd);
	f->try_atomic = try_atomic();
	f->try_task_pt_regs = try_task_pt_regs();
	f->try_ringbuf = try_map(BPF_MAP_TYPE_RINGBUF, 0, 0, (u32)getpagesize(), 0);
	f->try_mmapable = try_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_MMAPABLE);
	f->try_cpu_clock = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, &clock_fd);
	f->try_cycles = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &cycles_fd);
	if (prog_fd >= 0 && clock_fd >= 0 && ioctl(clock_fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		f->try_attach = -errno;
}
