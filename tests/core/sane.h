/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Properties that every walk has, whatever the target's memory contains. */

#include "walks.h"

#include "../../sim/port/tables.h"

static inline enum uw_class class_of(u32 status)
{
	static const u8 classes[] = {
#define X(name, class, words, meaning) UW_CLASS_##class,
		UW_STATUS_LIST(X)
#undef X
	};

	return classes[status];
}

static inline const struct uw_mapping *mapping_of(u64 pc)
{
	for (u32 i = 0; i < STACK_N_MAPPINGS; i++)
		if (pc >= stack_mappings[i].start_addr && pc < stack_mappings[i].end_addr)
			return &stack_mappings[i];
	return NULL;
}

/* Can a frame in mapping @m have this kind? */
static inline bool kind_fits(const struct uw_frame *f, const struct uw_mapping *m)
{
	switch (m->kind) {
	case UW_MAP_NATIVE:
		return f->kind == UW_NATIVE;
	case UW_MAP_DOTNET_JIT:
		return f->kind == UW_DOTNET_METHOD || f->kind == UW_DOTNET_STUB;
	case UW_MAP_DOTNET_R2R:
		return f->kind == UW_DOTNET_R2R;
	case UW_MAP_DOTNET_STUBS:
		return f->kind == UW_DOTNET_STUB;
	default:
		break;
	}
	return f->kind == UW_V8_STUB || f->kind == UW_V8_JS || f->kind == UW_V8_CODE;
}

/* The file offset by which the row of a native frame is looked up. */
static inline u64 frame_off(const struct uw_frame *f)
{
	return f->a - (f->pc - uw_frame_lookup_pc(f));
}

/*
 * Is @f, according to its row, the code to which a signal handler returns? If so, the next frame is
 * that of the interrupted code.
 */
static inline bool is_restorer(const struct uw_frame *f, const struct sim_target *t)
{
	bool has_rows = f->kind == UW_NATIVE || f->kind == UW_DOTNET_R2R;
	const struct uw_rule *r = has_rows ? sim_find_rule(t, f->aux, frame_off(f)) : NULL;

	return r && r->cfa == UW_CFA_SIGNAL;
}

static inline bool frame_is_sane(const struct uw_frame *f, u32 idx, const struct sim_target *t)
{
	bool has_tables = t->extent != 0;
	const struct uw_mapping *m = mapping_of(uw_frame_lookup_pc(f));

	if (f->kind >= UW_N_KINDS || f->status >= UW_N_STATUS || f->pad)
		return false;
	if (f->status != UW_OK && class_of(f->status) != UW_CLASS_FRAME)
		return false;
	if (f->flags & UW_FRAME_ASYNC)
		return idx && f->flags == UW_FRAME_ASYNC && !f->pc &&
		       (f->kind == UW_V8_JS || (f->kind == UW_DOTNET_AWAITER && t->n_awaits));
	if (f->flags & UW_FRAME_RA ? idx == 0 : idx && !(has_tables && is_restorer(f - 1, t)))
		return false;
	if (f->flags & UW_FRAME_NO_ROWS && f->kind != UW_NATIVE && f->kind != UW_DOTNET_R2R &&
	    (!m || m->kind != UW_MAP_V8_BUILTINS))
		return false;
	if (!has_tables || (!m && !(f->flags & UW_FRAME_RA)))
		return f->kind == UW_UNKNOWN;
	return m && kind_fits(f, m);
}

/**
 * sample_is_sane() - could this be the result of a walk of a process with the layout of
 * stacks/layout.h?
 */
static inline bool sample_is_sane(const struct uw_sample *s, const struct sim_target *t)
{
	bool has_tables = t->extent != 0;

	if (s->status >= UW_N_STATUS || s->status == UW_OK)
		return false;
	if (class_of(s->status) == UW_CLASS_FRAME || !s->n_frames || s->n_frames > UW_MAX_FRAMES)
		return false;
	if (has_tables == (s->status == UW_T_UNKNOWN_PROCESS))
		return false;
	if (s->n_kernel || s->flags != t->sample_flags)
		return false;
	for (u32 i = 0; i < s->n_frames; i++)
		if (!frame_is_sane(&s->frames[i], i, t))
			return false;
	return true;
}
