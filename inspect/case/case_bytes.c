// SPDX-License-Identifier: BSD-2-Clause

/* The three states of an address: known, a fault, not recorded. */

#include "case_opened.h"

#include "../util/file_read.h"

#include <errno.h>
#include <string.h>

/* A read fails if it wraps around the end of the address space. */
int case_state(const struct case_file *c, u64 addr, u32 len, u32 *first)
{
	u64 last = addr + (len - 1);
	u32 i = CASE_FIRST_AT(c->faults, c->n_faults, addr);

	if (last < addr || (i < c->n_faults && c->faults[i].addr <= last))
		return -EFAULT;
	i = CASE_FIRST_AT(c->ranges, c->n_ranges, addr);
	*first = i;
	for (; i < c->n_ranges && c->ranges[i].addr <= addr; i++) {
		u64 end = c->ranges[i].addr + (c->ranges[i].len - 1);

		if (end >= last)
			return 0;
		addr = end + 1;
	}
	return -ENODATA;
}

static int copy(const struct case_file *c, u32 range, u64 off, void *dst, u32 len)
{
	const struct case_opened *o = (const struct case_opened *)c;

	if (c->ranges[range].bytes) {
		memcpy(dst, c->ranges[range].bytes + off, len);
		return 0;
	}
	off += o->places[range].off;
	return o->places[range].fd < 0 ? case_source_read(&o->core.source, off, dst, len)
				       : file_read(o->places[range].fd, off, dst, len);
}

int case_bytes(const struct case_file *c, u64 addr, void *dst, u32 len)
{
	u32 i = 0;
	int err = len ? case_state(c, addr, len, &i) : 0;

	for (u8 *to = dst; len && !err; i++) {
		u64 off = addr - c->ranges[i].addr, room = c->ranges[i].len - off;
		u32 n = len < room ? len : (u32)room;

		err = copy(c, i, off, to, n);
		to += n;
		addr += n;
		len -= n;
	}
	return err;
}
