/* SPDX-License-Identifier: BSD-2-Clause */

/* What Deno is known by, as far as TEXT and NODE_API say; nothing of it works. */

#define EXPORT __attribute__((visibility("default"), used))

EXPORT const char version[] = TEXT;
EXPORT const char headers[] = "/download/release/v21.2.0/node-v21.2.0-headers.tar.gz";

EXPORT int NODE_API(int n)
{
	return n + 1;
}
