/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A buffer that is read as the memory of a target at a chosen address. A test can make a selected
 * read fail.
 */

#include <errno.h>
#include <string.h>

#include "../../inspect/target/target.h"

struct fake_bytes {
	struct target target;
	u64 base_addr;
	const u8 *bytes;
	size_t len;
	u32 n_reads, fail_at; /* fail_at: number of the failing read; 0: none */
	u64 lowest; /* lowest address read so far */
};

static inline int fake_bytes_read(struct target *t, u64 addr, void *dst, size_t len)
{
	struct fake_bytes *f = (struct fake_bytes *)t;
	u64 off = addr - f->base_addr;

	if (addr < f->lowest)
		f->lowest = addr;
	if (++f->n_reads == f->fail_at || addr < f->base_addr || off > f->len || len > f->len - off)
		return -EFAULT;
	memcpy(dst, f->bytes + off, len);
	return 0;
}

static inline void fake_bytes_init(struct fake_bytes *f, u64 base, const void *bytes, size_t len)
{
	*f = (struct fake_bytes){ { .read = fake_bytes_read }, base, bytes, len, .lowest = ~0ull };
}
