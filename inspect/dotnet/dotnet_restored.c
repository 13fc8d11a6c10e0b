/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Before ReadyToRun code is executed for the first time, the runtime prepares ("restores") the
 * code. It then records the method of the code's entry point in a table, which is for the runtime's
 * own stack walks:
 *
 *	Module -> ReadyToRunInfo, + 40 -> the composite image's (or itself) -> buckets
 *	buckets   { u64 n, ... } 64 bytes, then n times { u64 key[4], u64 value[4] }
 *	key       entry point; 0: none
 *	value     address of the MethodDesc / 2; bit 63 of the first: the bucket overflowed
 *
 * The search for a key starts at bucket h % n, h = key >> 2, and continues at
 * h += 1 + ((key >> 5) + 1) % (n - 1), in 32 bits. Source: coreclr vm/readytoruninfo.h, vm/hash.h
 * and vm/hash.cpp at v10.0.14; offsets measured on v8.0.33, v9.0.22 and v10.0.14; those of 10
 * equal its data contract descriptor.
 */

#include <errno.h>

#include "dotnet_restored.h"

#define COMPOSITE_INFO 40
#define SLOTS 4
#define MAX_BUCKETS (1u << 24)
#define MAX_PROBES 64

struct bucket {
	u64 keys[SLOTS], values[SLOTS];
};
_Static_assert(sizeof(struct bucket) == 64, "the runtime's layout");

static int find_buckets(struct dotnet_runtime *rt, u64 module, u64 *buckets)
{
	u64 info;
	int err = rt->l->module_restored ? 0 : -ENOENT;

	if (!err)
		err = dotnet_word(rt, module + rt->l->module_restored, &info);
	if (!err)
		err = dotnet_word(rt, info + COMPOSITE_INFO, &info);
	return err ? err : dotnet_word(rt, info + rt->l->restored_buckets, buckets);
}

static bool find_in_bucket(const struct bucket *b, u64 key, u64 *value)
{
	for (u32 i = 0; i < SLOTS; i++) {
		if (b->keys[i] != key)
			continue;
		*value = b->values[i] << 1;
		return true;
	}
	return false;
}

int dotnet_restored_find(struct dotnet_runtime *rt, u64 module, u64 entry, u64 *method_desc)
{
	u32 at = (u32)(entry >> 2), step;
	struct bucket b;
	u64 buckets, n;
	int err = find_buckets(rt, module, &buckets);

	if (!err)
		err = dotnet_word(rt, buckets, &n);
	if (!err && (n < 2 || n > MAX_BUCKETS))
		err = -EINVAL;
	if (err)
		return err;
	step = 1 + ((u32)(entry >> 5) + 1) % ((u32)n - 1);
	for (u32 i = 0; i < MAX_PROBES; i++, at += step) {
		err = dotnet_read(rt, buckets + (1 + at % n) * sizeof(b), &b, sizeof(b));
		if (err || find_in_bucket(&b, entry, method_desc))
			return err;
		if (!(b.values[0] >> 63))
			break;
	}
	return -ENOENT;
}
