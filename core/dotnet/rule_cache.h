/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Caches the unwind rules for return addresses in compiled code, which stay the same as long as the
 * method exists. With the cache, a caller's frame costs one read outside the stack, which checks
 * that the word before the method's first byte is still the address of the same RealCodeHeader.
 *
 *	u->rule_cache[hash(pc)]   process key, pc -> start, header, MethodDesc, rule
 *
 * Dynamic methods are not cached, because their header follows their code in the code heap: a later
 * method of the same length at the same address would also have its header at the same address, and
 * so would get the wrong cached rule. Nor are the rules for interrupted instructions cached,
 * because there are too many and each walk needs only one.
 *
 * If a driver keeps the state between walks, it sets u->process_key to identify the process,
 * because a cached rule is valid for one process. 0 disables the cache, so that the reads of a walk
 * do not depend on earlier walks.
 */

#include "../native/native.h"
#include "dotnet_info.h"

UW_INLINE struct uw_cached_rule *dotnet_cached_rule(struct uw_state *u, u64 pc)
{
	return &u->rule_cache[port_index((pc * 0x9e3779b97f4a7c15ull) >> 48,
					 UW_N_CACHED_RULES - 1)];
}

/**
 * dotnet_cache_find() - look up the cached rule of a return address
 * @f:		the frame; on success, its members identify the cached method
 *
 * Reads 8 bytes before the method. Return: true if u->rule is set to the cached rule.
 */
UW_INLINE bool dotnet_cache_find(struct uw_state *u, struct uw_frame *f, u64 pc)
{
	const struct uw_cached_rule *r = dotnet_cached_rule(u, pc);
	u64 header;

	if (u->is_top || r->pc != pc || !u->process_key || r->process_key != u->process_key)
		return false;
	if (read_user(u, &header, r->start - DOTNET_HEADER_SLOT) || header != r->header)
		return false;
	port_note(u, UW_NOTE_DOTNET_METHOD, r->start);
	f->a = r->start;
	f->b = r->method_desc;
	u->rule = r->rule;
	return true;
}

/* Caches u->rule for @pc, a return address in the method of @f, whose RealCodeHeader is @header. */
UW_INLINE void dotnet_cache_add(struct uw_state *u, const struct uw_frame *f, u64 pc, u64 header)
{
	if (u->is_top || !u->process_key ||
	    header - u->map.start_addr < u->map.end_addr - u->map.start_addr)
		return;
	*dotnet_cached_rule(u, pc) = (struct uw_cached_rule){ .process_key = u->process_key,
							      .pc = pc,
							      .start = f->a,
							      .header = header,
							      .method_desc = f->b,
							      .rule = u->rule };
}
