/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * There are three kinds of CoreCLR code, which the walk distinguishes by the kind of mapping. Each
 * kind has its own way to the unwind rule:
 *
 *	compiled while the process runs (JIT)
 *		pc -> nibble map -> start -> RealCodeHeader -> unwind information
 *	compiled ahead of time (R2R)
 *		unwind rows, made by user space from the image's unwind information
 *	stubs	pieces of machine code that jump somewhere else and never have a frame
 *
 * User space finds a method's name by the method's MethodDesc, which never moves. On x86-64
 * many methods have no frame pointer, so their callers can only be found by unwind
 * information.
 */

#include <dotnet_unwind.h>

#include "await.h"
#include "hijack.h"
#include "nibble.h"
#include "rule_cache.h"

/*
 * Returns the rule of a stub, or NULL. The header slot of a block of stubs holds the kind of the
 * stubs instead of an address.
 */
UW_INLINE const struct uw_rule *dotnet_stub_rule(struct uw_state *u, struct uw_frame *f, u32 kind,
						 u64 off)
{
	f->kind = UW_DOTNET_STUB;
	f->a = kind;
	port_note(u, UW_NOTE_DOTNET_STUB, kind);
	return u->is_top && arch_dotnet_stub(u, kind, off) ? &u->rule : NULL;
}

/* Returns the rule of a JIT-compiled method at @pc, or NULL. */
UW_INLINE const struct uw_rule *dotnet_jit_rule(struct uw_state *u, struct uw_frame *f, u64 pc)
{
	struct dotnet_header h;
	u64 start, header;
	enum uw_status err = UW_OK;

	f->kind = UW_DOTNET_METHOD;
	if (dotnet_cache_find(u, f, pc))
		return &u->rule;
	if (!dotnet_find_start(u, f, pc, &start))
		return NULL;
	if (read_user(u, &header, start - DOTNET_HEADER_SLOT))
		err = UW_F_METHOD_FAULT;
	if (!err && header <= DOTNET_STUB_LAST)
		return dotnet_stub_rule(u, f, (u32)header, pc - start);
	if (!err && read_user(u, &h, header + DOTNET_HEADER_METHOD_DESC))
		err = UW_F_METHOD_FAULT;
	if (!err) {
		port_note(u, UW_NOTE_DOTNET_METHOD, start);
		f->a = start;
		f->b = h.method_desc;
		err = arch_dotnet_method(u, start, header, &h, pc);
	}
	f->status = (u8)err;
	if (err)
		return NULL;
	dotnet_cache_add(u, f, pc, header);
	return &u->rule;
}

/**
 * dotnet_rule() - identify a frame in CoreCLR's code and find its rule
 * @u:		walk state; u->map is the mapping of f->pc
 * @f:		the frame; pc and flags are set
 *
 * Return: the rule, or NULL; if NULL, the reason is in f->status or f->flags.
 */
UW_INLINE const struct uw_rule *dotnet_rule(struct uw_state *u, struct uw_frame *f)
{
	enum uw_status status = UW_T_NO_ROW;
	u64 pc = uw_frame_lookup_pc(f);

	if (u->map.kind == UW_MAP_DOTNET_JIT)
		return dotnet_jit_rule(u, f, pc);
	if (u->map.kind == UW_MAP_DOTNET_STUBS)
		return dotnet_stub_rule(u, f, u->map.info_idx, 0);
	native_identify(u, f);
	f->kind = UW_DOTNET_R2R;
	if (u->is_top)
		status = arch_dotnet_epilogue(u, 0, 0);
	if (status == UW_F_METHOD_FAULT)
		f->status = (u8)status;
	return status == UW_T_NO_ROW ? native_row(u, f) : status ? NULL : &u->rule;
}
