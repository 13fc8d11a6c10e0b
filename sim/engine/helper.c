// SPDX-License-Identifier: BSD-2-Clause

/*
 * The helper process, whose memory the kernel engine walks. bpf_probe_read_user() reads memory of
 * the process that calls BPF_PROG_TEST_RUN, or that a perf event interrupts, so the case's memory
 * must be in this process. The process frees as much of its address space as possible. It is a
 * small static program at an unusual base address; it moves its stack to just after its own memory,
 * and unmaps everything else that the kernel has mapped (the first stack, the vDSO). The remaining
 * address space is free for a case.
 *
 *	HELPER_BASE   text, data, heap   stack | free for the case
 *
 * The helper executes the engine's requests, and ends when the engine closes the socket.
 */

#include "helper.h"
#include "helper_fault.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_LEN 0x20000
#define MAX_RUNS 65536
#define MAX_OWN 64

static struct helper_run runs[MAX_RUNS];
static char stack[STACK_LEN] __attribute__((aligned(4096)));

static void receive(void *to, u64 len)
{
	for (u64 at = 0; at < len;) {
		ssize_t n = read(HELPER_SOCKET_FD, (u8 *)to + at, len - at);

		if (n == 0)
			_exit(0);
		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n > 0)
			at += (u64)n;
	}
}

/* Reads bytes that have no destination and drops them, so that the next request can be read. */
static void skip(u64 len)
{
	static u8 sink[4096];

	for (; len; len -= len < sizeof(sink) ? len : sizeof(sink))
		receive(sink, len < sizeof(sink) ? len : sizeof(sink));
}

static int map_run(const struct helper_run *run)
{
	int populate = run->kind == HELPER_ABSENT ? 0 : MAP_POPULATE;
	void *at = (void *)run->addr;
	void *got = mmap(at, run->len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | populate, -1, 0);

	if (got == MAP_FAILED)
		return -errno;
	if (got != at) {
		munmap(got, run->len);
		return -EEXIST;
	}
	return 0;
}

static int protect_run(const struct helper_run *run)
{
	int prot = run->kind == HELPER_NO_ACCESS ? PROT_NONE : PROT_READ;

	return mprotect((void *)run->addr, run->len, prot) ? -errno : 0;
}

static void unmap_runs(u64 n)
{
	for (u64 i = 0; i < n; i++)
		munmap((void *)runs[i].addr, runs[i].len);
}

/*
 * Receives all runs of pages from the socket, and maps those that can be mapped. Returns the number
 * of mapped runs.
 */
static u64 receive_runs(u64 n, struct helper_reply *reply)
{
	u64 n_mapped = 0;

	for (u64 i = 0; i < n; i++) {
		struct helper_run *run = &runs[n_mapped];
		int err;

		receive(run, sizeof(*run));
		err = reply->err ? reply->err : map_run(run);
		if (!err && run->kind == HELPER_READABLE)
			receive((void *)run->addr, run->len);
		else if (run->kind == HELPER_READABLE)
			skip(run->len);
		if (!err) {
			n_mapped++;
			err = protect_run(run);
		}
		if (err && !reply->err)
			*reply = (struct helper_reply){ run->addr, HELPER_CANNOT_MAP, err };
	}
	return n_mapped;
}

static int test_run(struct helper_start *start)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = HELPER_PROG_FD;
	attr.test.ctx_in = (u64)start;
	attr.test.ctx_size_in = sizeof(*start);
	return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)) ? -errno : 0;
}

static void serve_one(void)
{
	struct helper_reply reply = { 0 };
	struct helper_request request;
	u64 n_mapped;

	receive(&request, sizeof(request));
	if (request.n_runs > MAX_RUNS)
		_exit(1);
	n_mapped = receive_runs(request.n_runs, &reply);
	if (!reply.err) {
		reply.err = request.how == HELPER_FAULT ? helper_fault(&request.start.regs)
							: test_run(&request.start);
		reply.outcome = reply.err ? HELPER_CANNOT_WALK : HELPER_WALKED;
	}
	unmap_runs(n_mapped);
	if (write(HELPER_SOCKET_FD, &reply, sizeof(reply)) != sizeof(reply))
		_exit(1);
}

/* Returns whether a mapping belongs to this program or to the heap, which may be elsewhere. */
static bool is_own(const char *line, u64 start)
{
	return (start >= HELPER_BASE && start < HELPER_BASE + HELPER_SPAN) ||
	       strstr(line, "[heap]") || start >> 63;
}

/*
 * Unmaps everything else. Reads the whole list of mappings first, because unmapping changes it. If
 * the kernel refuses to unmap a region, the region stays, and cases that need its addresses fail.
 */
static int leave_the_rest(void)
{
	struct helper_run others[MAX_OWN];
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	u32 n = 0;
	u64 start, end;

	if (!maps)
		return -errno;
	while (n < MAX_OWN && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx", &start, &end) == 2 && !is_own(line, start))
			others[n++] = (struct helper_run){ .addr = start, .len = end - start };
	fclose(maps);
	for (u32 i = 0; i < n; i++)
		munmap((void *)others[i].addr, others[i].len);
	return 0;
}

static void run(void)
{
	if (leave_the_rest())
		_exit(1);
	for (;;)
		serve_one();
}

int main(void)
{
	static ucontext_t here, there;

	/*
	 * With huge pages, pages that must be absent would become present together with their
	 * neighbours.
	 */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) || getcontext(&there))
		return 1;
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	makecontext(&there, run, 0);
	swapcontext(&here, &there);
	return 1;
}
