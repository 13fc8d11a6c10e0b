/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A method that is compiled in tiers can have several bodies. The first body is the default
 * version; the runtime has a node with the tier for each later body:
 *
 *	versions of a method   { MethodDesc, u8 flags, u32 next id, first node }
 *	node                   { code start, MethodDesc, IL version, next node, u32 id, u32 tier }
 *
 *	.NET 9, 10   MethodDesc + 8 -> { versions of the method, ... }
 *	.NET 8       Module + 0x128 -> Assembly, + 0 -> AppDomain, + 0x9d8: hash table
 *	             { array of versions, u32 length, u32 count, u32 occupied, u32 most }
 *	             start at key % length, step 1 + key % (length - 1), 0 ends
 *
 * The tier of the default version is not stored. This tier is usually Tier0, but the runtime
 * optimizes a method at once if the method requests optimization, or has a loop that OSR cannot
 * replace. Unoptimized code usually saves no register but rbp, so default versions that save other
 * registers get no tier here.
 *
 * Source: coreclr vm/codeversion.h, vm/method.hpp, inc/shash.inl at v8.0.33, v9.0.22 and
 * v10.0.14; tests/inspect/live_dotnet.c compares the tiers with those in the runtime's perf
 * map.
 */

#include <errno.h>

#include "dotnet_method.h"
#include "dotnet_module.h"
#include "metadata.h"
#include "unwind_info.h"

#define MAX_NODES 64
#define MAX_PROBES 64
#define MAX_TABLE_LEN (1u << 24)
#define AGGRESSIVE_OPTIMIZATION 0x200 /* MethodImplAttributes, ECMA-335 II.23.1.11 */

struct versions {
	u64 method_desc, flags, first_node;
};

struct node {
	u64 code, method_desc, il_version, next;
	u32 id, tier;
};

struct table {
	u64 array;
	u32 len, n, n_occupied, max_occupied;
};

const char *dotnet_tier_name(enum dotnet_tier tier)
{
	static const char *const names[] = {
		[DOTNET_TIER_0] = "Tier0", [DOTNET_TIER_1] = "Tier1",
		[DOTNET_TIER_OSR] = "OSR", [DOTNET_TIER_OPTIMIZED] = "optimized",
		[DOTNET_TIER_R2R] = "R2R", [DOTNET_TIER_DYNAMIC] = "dynamic",
	};

	return tier < sizeof(names) / sizeof(names[0]) ? names[tier] : NULL;
}

/*
 * NativeCodeVersion::OptimizationTier; an instrumented tier is reported as the same tier
 * without instrumentation.
 */
static enum dotnet_tier tier_of_node(u32 tier)
{
	static const enum dotnet_tier tiers[] = { DOTNET_TIER_0,   DOTNET_TIER_1,
						  DOTNET_TIER_OSR, DOTNET_TIER_OPTIMIZED,
						  DOTNET_TIER_0,   DOTNET_TIER_1 };

	return tier < sizeof(tiers) / sizeof(tiers[0]) ? tiers[tier] : DOTNET_TIER_UNKNOWN;
}

static int probe(struct dotnet_runtime *rt, const struct table *t, u64 method_desc,
		 struct versions *out)
{
	u32 key = (u32)method_desc, at = key % t->len, step = 1 + key % (t->len - 1);

	for (int i = 0; i < MAX_PROBES; i++) {
		struct versions v;
		u64 addr;
		int err = dotnet_word(rt, t->array + 8ull * at, &addr);

		if (!err && !addr)
			return -ENOENT;
		if (!err)
			err = dotnet_read(rt, addr, &v, sizeof(v));
		if (err)
			return err;
		if (v.method_desc == method_desc) {
			*out = v;
			return 0;
		}
		at = (at + step) % t->len;
	}
	return -ELOOP;
}

static int find_in_domain(struct dotnet_runtime *rt, const struct dotnet_method *m,
			  struct versions *v)
{
	struct table t;
	u64 addr;
	int err = dotnet_word(rt, m->module + rt->l->module_assembly, &addr);

	if (!err)
		err = dotnet_word(rt, addr, &addr);
	if (!err)
		err = dotnet_read(rt, addr + rt->l->domain_versions, &t, sizeof(t));
	if (err)
		return err;
	if (t.len < 2 || t.len > MAX_TABLE_LEN || t.n > t.n_occupied ||
	    t.n_occupied > t.max_occupied || t.max_occupied >= t.len)
		return -EINVAL;
	return probe(rt, &t, m->addr, v);
}

/* Finds a method's versions. Returns -ENOENT if the method has only the default version. */
static int find_versions(struct dotnet_runtime *rt, const struct dotnet_method *m,
			 struct versions *v)
{
	u64 addr;
	int err;

	if (rt->l->domain_versions)
		return find_in_domain(rt, m, v);
	if (!rt->l->method_versions)
		return -ENOTSUP;
	err = dotnet_word(rt, m->addr + rt->l->method_versions, &addr);
	if (!err && addr)
		err = dotnet_word(rt, addr, &addr);
	if (err)
		return err;
	if (!addr)
		return -ENOENT;
	err = dotnet_read(rt, addr, v, sizeof(*v));
	return !err && v->method_desc != m->addr ? -EINVAL : err;
}

/* Finds the node for code that starts at @start. Returns -ENOENT if there is no such node. */
static int find_node(struct dotnet_runtime *rt, const struct versions *v, u64 start,
		     enum dotnet_tier *tier)
{
	u64 addr = v->first_node;

	for (int i = 0; addr; i++) {
		struct node node;
		int err = i == MAX_NODES ? -ELOOP : dotnet_read(rt, addr, &node, sizeof(node));

		if (!err && node.method_desc != v->method_desc)
			err = -EINVAL;
		if (err)
			return err;
		if (node.code == start) {
			*tier = tier_of_node(node.tier);
			return 0;
		}
		addr = node.next;
	}
	return -ENOENT;
}

/* Returns whether the method saves no register but rbp. */
static bool saves_rbp_alone(struct dotnet_runtime *rt, const struct dotnet_code *code)
{
	struct dotnet_function f;
	struct unwind_info info;
	u32 n_saved = 0, n_rbp = 0;

	if (dotnet_function_find(rt, code, code->start_addr, &f) ||
	    unwind_info_read(rt->target, f.unwind_addr, &info))
		return false;
	for (u32 i = 0; i < info.n_codes; i++) {
		if (info.codes[i].op != UNWIND_PUSH && info.codes[i].op != UNWIND_SAVE)
			continue;
		n_saved++;
		n_rbp += info.codes[i].op == UNWIND_PUSH && info.codes[i].reg == UNWIND_RBP;
	}
	return n_saved == 1 && n_rbp == 1;
}

/*
 * Returns whether the method requests, or may request, optimization. .NET 8 may compile such a
 * method in tiers.
 */
static bool is_optimized_at_once(struct dotnet_runtime *rt, const struct dotnet_method *m)
{
	struct dotnet_module *module;
	u32 flags;

	return dotnet_module_get(rt, m->module, &module) || module->reason ||
	       metadata_cell(&module->metadata, METADATA_METHOD_DEF, m->token & 0xffffff,
			     METHOD_DEF_IMPL_FLAGS, &flags) ||
	       flags & AGGRESSIVE_OPTIMIZATION;
}

enum dotnet_tier dotnet_tier_get(struct dotnet_runtime *rt, const struct dotnet_code *code)
{
	enum dotnet_tier tier = DOTNET_TIER_UNKNOWN;
	struct dotnet_method m;
	struct versions v;
	int err;

	if (code->kind == DOTNET_R2R)
		return DOTNET_TIER_R2R;
	if (code->kind != DOTNET_METHOD || dotnet_method_read(rt, code->method_desc, &m))
		return tier;
	if (m.class == DOTNET_CLASS_DYNAMIC)
		return DOTNET_TIER_DYNAMIC;
	err = find_versions(rt, &m, &v);
	if (!err)
		err = find_node(rt, &v, code->start_addr, &tier);
	if (err == -ENOENT && m.is_tiered && saves_rbp_alone(rt, code) &&
	    !is_optimized_at_once(rt, &m))
		tier = DOTNET_TIER_0;
	return tier;
}
