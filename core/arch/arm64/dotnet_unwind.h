/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * arm64: all CoreCLR methods keep a frame record and no stub does, so the generic arm64
 * rules (native.h) unwind both. After a step by a frame record, the caller's sp is unknown.
 */

#include "../../dotnet/dotnet_info.h"
#include "../../native/native.h"

#define DOTNET_FALLBACK_FLAGS 0 /* no guess, because each method keeps a frame record */

/* The part of RealCodeHeader that starts at DOTNET_HEADER_METHOD_DESC. */
struct dotnet_header {
	u64 method_desc;
};

/* Sets the rule of a stub, whose return address is in lr. */
UW_INLINE bool arch_dotnet_stub(struct uw_state *u, u32 kind, u64 off)
{
	(void)off;
	u->rule = (struct uw_rule){ .cfa = UW_CFA_SP, .ra = UW_SAVED_SAME, .fp = UW_SAVED_SAME };
	return kind != DOTNET_STUB_UNKNOWN;
}

/* Returns no rule, because top_step() decodes epilogues, as for native code. */
UW_INLINE enum uw_status arch_dotnet_epilogue(struct uw_state *u, u64 begin, u64 end)
{
	(void)u;
	(void)begin;
	(void)end;
	return UW_T_NO_ROW;
}

/* Sets an empty rule, so that the walk uses the frame record. */
UW_INLINE enum uw_status arch_dotnet_method(struct uw_state *u, u64 start, u64 header,
					    const struct dotnet_header *h, u64 pc)
{
	(void)start;
	(void)header;
	(void)h;
	(void)pc;
	u->rule = (struct uw_rule){ .cfa = UW_CFA_NONE };
	return UW_OK;
}
