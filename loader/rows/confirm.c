// SPDX-License-Identifier: BSD-2-Clause

#include "confirm.h"

#include <string.h>

#include "../../inspect/util/search.h"

#define N_WORDS (sizeof(((struct uw_sample *)0)->sp_words) / 8)

/*
 * The unwind rule for a frame that had no rows during the walk; NULL if the rows are still not
 * loaded.
 */
static const struct uw_rule *late_rule(const struct confirm_source *from, const struct uw_frame *f)
{
	if (f->kind != UW_NATIVE || !(f->flags & UW_FRAME_NO_ROWS))
		return NULL;
	return from->rule_of(from->data, f->aux, f->a - (f->pc - uw_frame_lookup_pc(f)));
}

/* Whether the unwind rule says that the function's frame contains a frame record { fp, ra }. */
static bool keeps_record(const struct uw_rule *r)
{
	return r->ra == UW_SAVED_CFA && r->fp == UW_SAVED_CFA && r->ra_off == r->fp_off + 8;
}

/*
 * Whether fp points to the frame record of the function with this unwind rule. @sp: stack pointer
 * of the function.
 */
static bool is_at_fp(const struct uw_sample *s, const struct uw_rule *r, u64 sp)
{
	u64 base = r->cfa == UW_CFA_SP ? sp : s->fp;

	return base + (u64)(s64)r->cfa_off + (u64)(s64)r->fp_off == s->fp;
}

/* Whether the unwind rule for a frame leads to the same caller as fp did in the walk. */
static bool is_confirmed(const struct uw_sample *s, const struct confirm_source *from,
			 const struct uw_frame *f)
{
	const struct uw_rule *r = late_rule(from, f);

	if (!r || !keeps_record(r))
		return false;
	if (r->cfa == UW_CFA_FP)
		return r->cfa_off == -r->fp_off;
	if (r->cfa != UW_CFA_SP)
		return false;
	return f->flags & UW_FRAME_RA ? from->fp_is_record : is_at_fp(s, r, s->sp);
}

/* Reads the word at sp + off. Return: false if the sample does not contain it. */
static bool word_at_sp(const struct uw_sample *s, s64 off, u64 *word)
{
	if (off < 0 || off % 8 || (u64)off >= 8 * N_WORDS)
		return false;
	*word = s->sp_words[off / 8];
	return true;
}

/*
 * Whether fp still has the caller's value in the interrupted function, according to the unwind
 * rule for this function.
 */
static bool has_callers_fp(const struct uw_sample *s, const struct uw_rule *r)
{
	u64 saved;

	if (r->fp == UW_SAVED_SAME)
		return true;
	return r->fp == UW_SAVED_CFA && word_at_sp(s, (s64)r->cfa_off + r->fp_off, &saved) &&
	       saved == s->fp;
}

/* The return address of an interrupted function without a frame record, or 0. */
static u64 return_address(const struct uw_sample *s, const struct uw_rule *r)
{
	u64 ra = s->lr;

	if (r->cfa != UW_CFA_SP || !has_callers_fp(s, r))
		return 0;
	if (r->ra == UW_SAVED_SAME)
		return ra;
	return r->ra == UW_SAVED_CFA && word_at_sp(s, (s64)r->cfa_off + r->ra_off, &ra) ? ra : 0;
}

const struct uw_mapping *confirm_mapping(const struct uw_mapping *maps, u32 n_maps, u64 ra)
{
	size_t n = search_first(n_maps, i, maps[i].start_addr < ra);
	const struct uw_mapping *m = n ? &maps[n - 1] : NULL;

	return m && ra <= m->end_addr && m->kind == UW_MAP_NATIVE && m->module ? m : NULL;
}

/* The return address that a walk without rows finds by decoding the leaf's instruction, or 0. */
static u64 address_by_instruction(const struct uw_sample *s, int slot)
{
	u64 ra = 0;

	if (slot == CONFIRM_IN_LR)
		return s->lr;
	return slot >= 0 && word_at_sp(s, slot, &ra) ? ra : 0;
}

/* Finds the leaf's caller, if fp points to the caller's frame record. */
static bool find_caller(const struct uw_sample *s, const struct confirm_source *from, u64 ra,
			u64 sp, struct uw_frame *caller)
{
	const struct uw_mapping *m = confirm_mapping(from->maps, from->n_maps, ra);
	const struct uw_rule *r;

	if (!m)
		return false;
	*caller = (struct uw_frame){ .pc = ra,
				     .a = ra - m->start_addr + m->file_off,
				     .aux = m->module,
				     .kind = UW_NATIVE,
				     .flags = UW_FRAME_RA };
	r = from->rule_of(from->data, m->module, caller->a - 1);
	return r && keeps_record(r) && (r->cfa == UW_CFA_FP || r->cfa == UW_CFA_SP) &&
	       is_at_fp(s, r, sp);
}

static struct uw_sample *insert(const struct uw_sample *s, const struct uw_frame *caller,
				struct uw_sample *room)
{
	u32 at = s->n_kernel + 1u;

	memcpy(room, s, offsetof(struct uw_sample, frames) + at * sizeof(*caller));
	room->frames[at] = *caller;
	memcpy(room->frames + at + 1, s->frames + at, (s->n_frames - at) * sizeof(*caller));
	room->frames[at + 1].flags &= (u8)~UW_FRAME_GUESS;
	room->n_frames++;
	return room;
}

/*
 * Handles an interrupted function without a frame record. The walk had no unwind rule for the
 * function. Therefore it either found the caller by decoding the interrupted instruction, or
 * missed the caller and found the caller's caller in the record at fp.
 */
static struct uw_sample *confirm_leaf(struct uw_sample *s, const struct confirm_source *from,
				      struct uw_sample *room)
{
	struct uw_frame *leaf = &s->frames[s->n_kernel], caller;
	const struct uw_rule *r = late_rule(from, leaf);
	u64 ra = r ? return_address(s, r) : 0;
	int slot = ra ? from->slot_of(from->data, leaf->aux, leaf->a) : CONFIRM_UNKNOWN;

	if (slot == CONFIRM_UNKNOWN)
		return s;
	if (address_by_instruction(s, slot) == leaf[1].pc) {
		if (leaf[1].pc == ra)
			leaf[1].flags &= (u8)~UW_FRAME_GUESS;
		return s;
	}
	if (s->n_frames == UW_MAX_FRAMES ||
	    !find_caller(s, from, ra, s->sp + (u64)(s64)r->cfa_off, &caller))
		return s;
	return insert(s, &caller, room);
}

struct uw_sample *confirm_guesses(struct uw_sample *s, const struct confirm_source *from,
				  struct uw_sample *room)
{
	const struct uw_rule *last = NULL;
	bool has_guess = false;

	for (u32 i = s->n_kernel + 1u; i < s->n_frames; i++)
		if (s->frames[i].flags & UW_FRAME_GUESS && is_confirmed(s, from, &s->frames[i - 1]))
			s->frames[i].flags &= (u8)~UW_FRAME_GUESS;
	if (s->n_frames > s->n_kernel + 1u && s->frames[s->n_kernel + 1].flags & UW_FRAME_GUESS)
		s = confirm_leaf(s, from, room);
	for (u32 i = s->n_kernel + 1u; i < s->n_frames; i++)
		has_guess |= s->frames[i].flags & UW_FRAME_GUESS;
	if (s->status == UW_T_ROWS_PENDING && s->n_frames > s->n_kernel)
		last = late_rule(from, &s->frames[s->n_frames - 1]);
	if (last && last->cfa == UW_CFA_ROOT)
		s->status = UW_T_GUESSED;
	if (s->status == UW_T_GUESSED && !has_guess)
		s->status = UW_END;
	return s;
}
