// SPDX-License-Identifier: BSD-2-Clause

/*
 * The kernel engine. This process loads the program, and the helper process runs it on
 * memory that is mapped like the target's:
 *
 *	engine                         helper
 *	tables into the program's      pages at the target's own
 *	.bss, empties its log   --->   addresses, BPF_PROG_TEST_RUN
 *	sample and log from            |
 *	the program's maps      <---   done
 *
 * If the helper can't map a part of the target's memory, because the address is above this
 * kernel's user half or the helper itself uses it, the walk fails without a result.
 */

#include "kernel.h"

#include "../mem/image.h"
#include "bpf_object.h"
#include "target_process.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
	struct sim_session session;
	struct sim_bpf bpf;
	struct sim_process process;
};

static int kernel_fail(struct kernel *k, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->session.why, sizeof(k->session.why), format, args);
	va_end(args);
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
	k->process.socket = -1;
	*out = &k->session;
	if (cpu < 0)
		return kernel_fail(k, -errno, "can't pin to a CPU: %s", strerror(errno));
	err = sim_bpf_try();
	if (err && err != -EPERM)
		return kernel_fail(k, -EOPNOTSUPP, "BPF can't be used: %s", strerror(-err));
	if (!err)
		err = sim_bpf_load(elf, (u32)cpu, &k->bpf);
	if (err == -EPERM)
		return kernel_fail(k, -EOPNOTSUPP, "no permission to use BPF");
	if (err)
		return kernel_fail(k, err, "conformance program: %s", strerror(-err));
	err = sim_process_start(sim_kernel_helper, k->bpf.prog_fd, (u32)cpu, &k->process);
	return err ? kernel_fail(k, err, "helper process: %s", strerror(-err)) : 0;
}

static int kernel_open(const struct sim_arch *arch, struct sim_session **out)
{
	return sim_kernel_open(
		arch, arch == &sim_arch_x86_64 ? sim_kernel_x86_64 : sim_kernel_arm64, out);
}

/* Makes the walk in the helper process. */
static int walk_there(struct kernel *k, const struct sim_target *target,
		      const struct sim_region *regions, size_t n)
{
	struct helper_reply reply;
	int err = sim_process_walk(&k->process, HELPER_TEST_RUN, target, regions, n, &reply);

	if (err)
		return kernel_fail(k, err, "helper process: %s", strerror(-err));
	if (reply.outcome == HELPER_CANNOT_MAP)
		return kernel_fail(k, -EOPNOTSUPP, "can't map memory at %#llx: %s", reply.addr,
				   strerror(-reply.err));
	if (reply.outcome == HELPER_CANNOT_WALK)
		return kernel_fail(k, reply.err, "BPF_PROG_TEST_RUN: %s", strerror(-reply.err));
	return 0;
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

/* Checks whether the walk read unknown memory, because such memory was mapped as zeros. */
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
		return kernel_fail(k, -EOPNOTSUPP, "the kernel engine can't inject read faults");
	if (!target->mem->ops->pages || target->mem->ops->pages(target->mem, &regions, &n))
		return kernel_fail(k, -EOPNOTSUPP, "the target's memory can't be mapped as pages");
	if (sim_bpf_set_tables(&k->bpf, target))
		return kernel_fail(k, -EOPNOTSUPP, "no slot is free for a page of unwind rows");
	err = walk_there(k, target, regions, n);
	if (!err)
		take_result(k, out);
	if (!err && target->mem->ops->is_partial)
		look_for_missing(target->mem, out);
	return err;
}

static void kernel_close(struct sim_session *session)
{
	struct kernel *k = (struct kernel *)session;

	sim_process_end(&k->process);
	sim_bpf_unload(&k->bpf);
	free(k);
}

const struct sim_engine sim_engine_kernel = { "kernel", kernel_open, kernel_walk, kernel_close };
