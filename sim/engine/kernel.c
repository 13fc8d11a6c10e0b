// SPDX-License-Identifier: BSD-2-Clause

/*
 * The kernel engine. The program is loaded here, the helper process runs it over
 * memory that it has mapped as the target has it:
 *
 *	engine                         helper
 *	tables into the program's      pages at the target's own
 *	.bss, empties its log   --->   addresses, BPF_PROG_TEST_RUN
 *	sample and log from            |
 *	the program's maps      <---   done
 *
 * What a helper cannot have (an address above this kernel's user half, or where
 * the helper itself lies) is said, and is no result.
 */

#include "kernel.h"

#include "../mem/image.h"
#include "bpf_object.h"
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct kernel {
	struct sim_session session;
	struct sim_bpf bpf;
	pid_t helper; /* 0: none */
	int socket;
	u32 n_row_pages; /* that the program has from the last walk */
};

static int kernel_fail(struct kernel *k, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->session.why, sizeof(k->session.why), format, args);
	va_end(args);
	return err;
}

/* In the child: the helper in place of this program, on one CPU, with two files. */
static void become_helper(int exe, int socket, int prog, u32 cpu)
{
	char name[] = "unspool-sim-helper";
	char *const argv[] = { name, NULL }, *const envp[] = { NULL };
	cpu_set_t set;
	int socket_high = fcntl(socket, F_DUPFD_CLOEXEC, 10),
	    prog_high = fcntl(prog, F_DUPFD_CLOEXEC, 10),
	    exe_high = fcntl(exe, F_DUPFD_CLOEXEC, 10);

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || sched_setaffinity(0, sizeof(set), &set) ||
	    dup2(socket_high, HELPER_SOCKET_FD) < 0 || dup2(prog_high, HELPER_PROG_FD) < 0)
		_exit(1);
	fexecve(exe_high, argv, envp);
	_exit(1);
}

static int memory_file(struct sim_blob blob)
{
	int fd = memfd_create("unspool-sim-helper", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, blob.bytes, blob.len) != (ssize_t)blob.len) {
		close(fd);
		errno = ENOSPC;
		return -1;
	}
	return fd;
}

static int start_helper(struct kernel *k, u32 cpu)
{
	int ends[2], exe = memory_file(sim_kernel_helper), err = 0;

	if (exe < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		err = -errno;
		close(exe);
		return err;
	}
	k->helper = fork();
	if (k->helper == 0)
		become_helper(exe, ends[1], k->bpf.prog_fd, cpu);
	if (k->helper < 0) {
		err = -errno;
		k->helper = 0;
	}
	close(exe);
	close(ends[1]);
	k->socket = ends[0];
	return err;
}

int sim_kernel_open(const struct sim_arch *arch, struct sim_blob elf, struct sim_session **out)
{
	struct kernel *k = calloc(1, sizeof(*k));
	int cpu = sched_getcpu(), err;

	if (!k)
		return -ENOMEM;
	k->session.engine = &sim_engine_kernel;
	k->session.arch = arch;
	k->socket = -1;
	*out = &k->session;
	if (cpu < 0)
		return kernel_fail(k, -errno, "no CPU: %s", strerror(errno));
	err = sim_bpf_try();
	if (err && err != -EPERM)
		return kernel_fail(k, -EOPNOTSUPP, "BPF can't be used: %s", strerror(-err));
	if (!err)
		err = sim_bpf_load(elf, (u32)cpu, &k->bpf);
	if (err == -EPERM)
		return kernel_fail(k, -EOPNOTSUPP, "no permission to use BPF");
	if (err)
		return kernel_fail(k, err, "conformance program: %s", strerror(-err));
	err = start_helper(k, (u32)cpu);
	return err ? kernel_fail(k, err, "helper process: %s", strerror(-err)) : 0;
}

static int kernel_open(const struct sim_arch *arch, struct sim_session **out)
{
	return sim_kernel_open(
		arch, arch == &sim_arch_x86_64 ? sim_kernel_x86_64 : sim_kernel_arm64, out);
}

static int send_all(const struct kernel *k, const void *from, u64 len)
{
	for (u64 at = 0; at < len;) {
		ssize_t n = send(k->socket, (const u8 *)from + at, len - at, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			at += (u64)n;
	}
	return 0;
}

static enum helper_run_kind kind_of(u8 flags)
{
	if (!(flags & SIM_READ))
		return HELPER_NO_ACCESS;
	return flags & SIM_PRESENT ? HELPER_READABLE : HELPER_ABSENT;
}

/* The run of pages that are alike from page @*at on; holes are skipped. False: no more. */
static bool next_run(const struct sim_region *r, u64 *at, struct helper_run *out)
{
	u64 n = r->len / SIM_PAGE_LEN, first;

	while (*at < n && !(r->pages[*at] & SIM_MAPPED))
		++*at;
	if (*at == n)
		return false;
	first = *at;
	while (*at < n && r->pages[*at] & SIM_MAPPED &&
	       kind_of(r->pages[*at]) == kind_of(r->pages[first]))
		++*at;
	*out = (struct helper_run){ r->addr + first * SIM_PAGE_LEN, (*at - first) * SIM_PAGE_LEN,
				    kind_of(r->pages[first]) };
	return true;
}

static u64 count_runs(const struct sim_region *regions, size_t n)
{
	struct helper_run run;
	u64 n_runs = 0;

	for (size_t i = 0; i < n; i++)
		for (u64 at = 0; next_run(&regions[i], &at, &run);)
			n_runs++;
	return n_runs;
}

static int send_region(const struct kernel *k, const struct sim_region *r)
{
	struct helper_run run;
	int err = 0;

	for (u64 at = 0; !err && next_run(r, &at, &run);) {
		err = send_all(k, &run, sizeof(run));
		if (!err && run.kind == HELPER_READABLE)
			err = send_all(k, r->bytes + (run.addr - r->addr), run.len);
	}
	return err;
}

static int send_target(const struct kernel *k, const struct sim_target *t,
		       const struct sim_region *regions, size_t n)
{
	struct helper_request request = {
		.start = { t->regs, t->extent, t->va_mask },
		.n_runs = count_runs(regions, n),
	};
	int err = send_all(k, &request, sizeof(request));

	for (size_t i = 0; i < n && !err; i++)
		err = send_region(k, &regions[i]);
	return err;
}

static int receive_reply(struct kernel *k)
{
	struct helper_reply reply;
	ssize_t n = recv(k->socket, &reply, sizeof(reply), MSG_WAITALL);

	if (n != sizeof(reply))
		return kernel_fail(k, -EPIPE, "the helper process ended");
	if (reply.outcome == HELPER_CANNOT_MAP)
		return kernel_fail(k, -EOPNOTSUPP, "memory at %#llx cannot be had here: %s",
				   reply.addr, strerror(-reply.err));
	if (reply.outcome == HELPER_CANNOT_WALK)
		return kernel_fail(k, reply.err, "BPF_PROG_TEST_RUN: %s", strerror(-reply.err));
	return 0;
}

/* Where the program looks for a page; NULL when others have all the places. */
static struct uw_row_page *row_page_slot(const struct kernel *k, const struct uw_row_page *p)
{
	u32 hash = uw_row_page_hash(p->module, p->page);

	for (u32 i = 0; i < UW_ROW_PAGE_PROBES; i++) {
		struct uw_row_page *slot = &k->bpf.row_pages[(hash + i) & (UW_MAX_ROW_PAGES - 1)];

		if (!slot->module)
			return slot;
	}
	return NULL;
}

static int set_rows(struct kernel *k, const struct sim_target *t)
{
	if (k->n_row_pages)
		memset(k->bpf.row_pages, 0, UW_MAX_ROW_PAGES * sizeof(*k->bpf.row_pages));
	k->n_row_pages = t->n_row_pages;
	for (u32 i = 0; i < t->n_row_pages; i++) {
		struct uw_row_page *slot = row_page_slot(k, &t->row_pages[i]);

		if (!slot)
			return kernel_fail(k, -EOPNOTSUPP, "no room for a page of unwind rows");
		*slot = t->row_pages[i];
	}
	if (t->n_rows)
		memcpy(k->bpf.rows, t->rows, t->n_rows * sizeof(*t->rows));
	if (t->n_rules)
		memcpy(k->bpf.rules, t->rules, t->n_rules * sizeof(*t->rules));
	return 0;
}

static int set_tables(struct kernel *k, const struct sim_target *t)
{
	memset(k->bpf.v8_builds, 0, UW_MAX_V8_BUILDS * sizeof(struct v8_info));
	if (t->n_v8_builds)
		memcpy(k->bpf.v8_builds, t->v8_builds, t->n_v8_builds * sizeof(struct v8_info));
	if (t->n_mappings)
		memcpy(k->bpf.mappings, t->mappings, t->n_mappings * sizeof(struct uw_mapping));
	*k->bpf.n_reads = 0;
	return set_rows(k, t);
}

static void take_result(const struct kernel *k, struct sim_walk *out)
{
	const struct uw_sample *s = &k->bpf.state->sample;
	u32 n = *(volatile u32 *)k->bpf.n_reads, n_kept = n < SIM_MAX_READS ? n : SIM_MAX_READS;

	memcpy(&out->state.sample, s,
	       offsetof(struct uw_sample, frames) + s->n_frames * sizeof(struct uw_frame));
	memcpy(out->reads, k->bpf.reads, n_kept * sizeof(struct sim_read));
	out->log.n = n;
}

/* The pages had zeros where nothing is known: were they read? */
static void look_for_missing(struct sim_mem *mem, const struct sim_walk *walk)
{
	struct sim_read_log *log = mem->log;
	u8 bytes[SIM_PAGE_LEN];

	mem->log = NULL;
	for (u32 i = 0; i < walk->log.n && i < SIM_MAX_READS; i++)
		if (walk->reads[i].len <= sizeof(bytes))
			sim_mem_read(mem, bytes, walk->reads[i].len, walk->reads[i].addr);
	mem->log = log;
}

static int kernel_walk(struct sim_session *session, const struct sim_target *target,
		       struct sim_walk *out)
{
	struct kernel *k = (struct kernel *)session;
	const struct sim_region *regions;
	size_t n;
	int err;

	if (target->mem->fail_read)
		return kernel_fail(k, -EOPNOTSUPP, "the kernel's reads fail by themselves only");
	if (!target->mem->ops->pages || target->mem->ops->pages(target->mem, &regions, &n))
		return kernel_fail(k, -EOPNOTSUPP, "its memory is not of pages that can be mapped");
	err = set_tables(k, target);
	if (err)
		return err;
	err = send_target(k, target, regions, n);
	if (err)
		return kernel_fail(k, err, "helper process: %s", strerror(-err));
	err = receive_reply(k);
	if (!err)
		take_result(k, out);
	if (!err && target->mem->ops->is_partial)
		look_for_missing(target->mem, out);
	return err;
}

static void kernel_close(struct sim_session *session)
{
	struct kernel *k = (struct kernel *)session;

	if (k->socket >= 0)
		close(k->socket);
	if (k->helper)
		waitpid(k->helper, NULL, 0);
	sim_bpf_unload(&k->bpf);
	free(k);
}

const struct sim_engine sim_engine_kernel = { "kernel", kernel_open, kernel_walk, kernel_close };
