/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "target.h"

static int bytes_read(struct target *t, u64 addr, void *dst, size_t len)
{
	struct target_bytes *b = (struct target_bytes *)t;

	if (addr > b->len || len > b->len - addr)
		return -EFAULT;
	memcpy(dst, b->bytes + addr, len);
	return 0;
}

void target_bytes_init(struct target_bytes *t, const u8 *bytes, size_t len)
{
	*t = (struct target_bytes){ { .read = bytes_read }, bytes, len };
}
