// SPDX-License-Identifier: BSD-2-Clause

#include "case_target.h"

#include <errno.h>

static int case_target_read(struct target *t, u64 addr, void *dst, size_t len)
{
	const struct case_target *of = (const struct case_target *)t;

	return len <= 0xffffffff && !case_bytes(of->c, addr, dst, (u32)len) ? 0 : -EFAULT;
}

void case_target_init(struct case_target *t, const struct case_file *c)
{
	*t = (struct case_target){ .target.read = case_target_read, .c = c };
}
