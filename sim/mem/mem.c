// SPDX-License-Identifier: BSD-2-Clause

/* The common part of all back ends: injected faults, the log, and zeroing the destination. */

#include "mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void log_read(struct sim_read_log *log, u64 addr, u32 len, s32 result)
{
	if (log->n < log->room)
		log->at[log->n] = (struct sim_read){ addr, len, result };
	log->n++;
}

static bool is_injected(struct sim_mem *mem)
{
	return mem->fail_read && --mem->fail_read == 0;
}

long sim_mem_read(struct sim_mem *mem, void *dst, u32 len, u64 addr)
{
	long result = 0;
	int err = is_injected(mem) ? SIM_FAULT : mem->ops->read(mem, dst, len, addr);

	if (err) {
		if (err == -ENODATA && !mem->missing.len) {
			mem->missing.addr = addr;
			mem->missing.len = len;
		}
		memset(dst, 0, len);
		result = SIM_FAULT;
	}
	if (mem->log)
		log_read(mem->log, addr, len, (s32)result);
	return result;
}

void sim_mem_fail_read(struct sim_mem *mem, u32 nth)
{
	mem->fail_read = nth;
}

const char *sim_mem_missing_words(const struct sim_mem *mem, char *out, size_t len)
{
	snprintf(out, len,
		 "%u bytes at %#llx are not in the case, because the recorded walk did not read "
		 "them",
		 mem->missing.len, mem->missing.addr);
	return out;
}

void sim_mem_free(struct sim_mem **mem)
{
	if (*mem)
		(*mem)->ops->free(*mem);
	*mem = NULL;
}
