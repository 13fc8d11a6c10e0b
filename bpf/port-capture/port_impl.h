/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The port in the kernel, with a log of each read and the bytes read, so that a replay reads
 * exactly the same bytes as this walk.
 */

#define port_read_user port_read_unlogged
#include "../port/port_impl.h"
#undef port_read_user

#include "../log.h"

struct uw_log_buffer {
	struct uw_log log;
	u8 reads[UW_LOG_LEN + sizeof(struct uw_log_read) + UW_LOG_MAX_READ];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* the loader sets this to the number of CPUs */
	__type(key, u32);
	__type(value, struct uw_log_buffer);
} uw_logs SEC(".maps");

UW_INLINE struct uw_log_buffer *uw_this_log(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&uw_logs, &cpu);
}

/* Copies the bytes from @dst, because the target may have changed its memory since the read. */
UW_INLINE void uw_log_append(struct uw_log_buffer *b, const void *dst, u32 len, u64 addr, long err)
{
	struct uw_log_read *read = (void *)&b->reads[port_index(b->log.len, UW_LOG_LEN - 8)];
	u32 used = sizeof(*read) + (err ? 0 : (len + 7) & ~7u);

	b->log.n_reads++;
	if (b->log.len + used > UW_LOG_LEN) {
		b->log.n_dropped++;
		return;
	}
	read->addr = addr;
	read->len = len;
	read->result = (s32)err;
	if (!err)
		bpf_probe_read_kernel(read + 1, len, dst);
	b->log.len += used;
}

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	long err = port_read_unlogged(dst, len, addr);
	struct uw_log_buffer *b = uw_this_log();

	if (b)
		uw_log_append(b, dst, len, addr, err);
	return err;
}
