// SPDX-License-Identifier: BSD-2-Clause

/* The helpers of the fake kernel. These helpers return the errors of the real helpers. */

#include "fake/bpf/bpf_helpers.h"

#include "../../sim/mem/mem.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

struct fake fake;
bool fake_has_fields;
const char *fake_lacks;

long bpf_probe_read_user(void *dst, u32 len, const void *addr)
{
	if (++fake.n_user_reads == fake.change_at_read)
		*fake.changed += 2;
	return sim_mem_read(fake.mem, dst, len, (u64)addr);
}

long bpf_probe_read_kernel(void *dst, u32 len, const void *src)
{
	if (!src) {
		memset(dst, 0, len);
		return -EFAULT;
	}
	memcpy(dst, src, len);
	return 0;
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	u32 index = *(const u32 *)key;

	if (++fake.n_lookups == fake.clear_at_lookup)
		*fake.cleared = 0;
	for (u32 i = 0; i < FAKE_MAX_MAPS; i++) {
		const struct fake_map *array = &fake.arrays[i];

		if (array->map == map)
			return index < array->n ? (u8 *)array->values + index * array->value_len
						: NULL;
	}
	abort(); /* a map that the test did not create */
}

long bpf_ringbuf_output(void *ring, void *data, u64 len, u64 flags)
{
	struct fake_sent *sent = &fake.sent[fake.n_sent];

	if (ring == fake.full_ring)
		return -EAGAIN;
	if (fake.n_sent++ == FAKE_MAX_SENT)
		abort();
	sent->ring = ring;
	sent->len = len;
	sent->flags = flags;
	memcpy(sent->bytes, data, len);
	return 0;
}

/* @len is in bytes, not in addresses. */
long bpf_get_stack(void *ctx, void *buf, u32 len, u64 flags)
{
	u32 n = len / 8;

	(void)ctx;
	if (flags)
		return -EINVAL; /* a user stack or build IDs: not used by the programs */
	if (fake.n_kernel_pcs < 0)
		return fake.n_kernel_pcs;
	if (n > (u32)fake.n_kernel_pcs)
		n = (u32)fake.n_kernel_pcs;
	if (n)
		memcpy(buf, fake.kernel_pcs, n * 8ul);
	return n * 8;
}

long bpf_current_task_under_cgroup(void *map, u32 index)
{
	(void)map;
	return index ? -E2BIG : fake.in_cgroup;
}

long bpf_task_pt_regs(struct task_struct *task)
{
	return task == fake.task ? (long)fake.saved_regs : 0;
}
