// SPDX-License-Identifier: BSD-2-Clause

#include "confirm.h"

struct asked {
	const struct uw_sample *sample;
	bool fp_is_record;
	confirm_rule_fn *rule_of;
	const void *rows;
};

/* The rule that a walk did not find, if it is there now. */
static const struct uw_rule *late_rule(const struct asked *a, u32 i)
{
	const struct uw_frame *f = &a->sample->frames[i];

	if (f->kind != UW_NATIVE || !(f->flags & UW_FRAME_NO_ROWS))
		return NULL;
	return a->rule_of(a->rows, f->aux, f->a - (f->pc - uw_frame_lookup_pc(f)));
}

/* Is the interrupted function's record where fp is? Its registers are in the sample. */
static bool is_at_fp(const struct uw_sample *s, const struct uw_rule *r)
{
	u64 base = r->cfa == UW_CFA_SP ? s->sp : s->fp;

	return base + (u64)(s64)r->cfa_off + (u64)(s64)r->fp_off == s->fp;
}

/* Would the rule of frame @i have led where fp did? */
static bool is_confirmed(const struct asked *a, u32 i)
{
	const struct uw_rule *r = late_rule(a, i);

	if (!r || r->ra != UW_SAVED_CFA || r->fp != UW_SAVED_CFA || r->ra_off != r->fp_off + 8)
		return false;
	if (r->cfa == UW_CFA_FP)
		return r->cfa_off == -r->fp_off;
	if (r->cfa != UW_CFA_SP)
		return false;
	return a->sample->frames[i].flags & UW_FRAME_RA ? a->fp_is_record : is_at_fp(a->sample, r);
}

void confirm_guesses(struct uw_sample *s, bool fp_is_record, confirm_rule_fn *rule_of,
		     const void *rows)
{
	const struct asked a = { s, fp_is_record, rule_of, rows };
	const struct uw_rule *last = NULL;
	bool has_guess = false;

	for (u32 i = s->n_kernel + 1u; i < s->n_frames; i++) {
		if (s->frames[i].flags & UW_FRAME_GUESS && is_confirmed(&a, i - 1))
			s->frames[i].flags &= (u8)~UW_FRAME_GUESS;
		has_guess |= s->frames[i].flags & UW_FRAME_GUESS;
	}
	if (s->status == UW_T_ROWS_PENDING && s->n_frames > s->n_kernel)
		last = late_rule(&a, s->n_frames - 1u);
	if (last && last->cfa == UW_CFA_ROOT)
		s->status = UW_T_GUESSED;
	if (s->status == UW_T_GUESSED && !has_guess)
		s->status = UW_END;
}
