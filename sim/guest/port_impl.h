/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The port in a guest. To read the target, the port calls an empty function; the host intercepts
 * this call.
 */

#include "../port/port_plain.h"
#include "../port/tables.h"
#include "guest.h"

long guest_read(void *dst, u32 len, u64 addr);

UW_INLINE struct guest_box *guest_box(void)
{
	return (struct guest_box *)GUEST_BOX_ADDR;
}

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	return guest_read(dst, len, addr);
}

UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	return sim_find_mapping(&guest_box()->target, u->extent, pc);
}

UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off)
{
	(void)u;
	return sim_find_rule(&guest_box()->target, module, file_off);
}

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	return sim_find_v8(&guest_box()->target, info_idx);
}

UW_INLINE bool port_wants_async(void)
{
	return true;
}

/* Returns no entry, because only the native engine supports await entries. */
UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key)
{
	(void)u;
	(void)key;
	return NULL;
}
