/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Paints a page by the entries of .eh_frame or .debug_frame. If FDEs of one section overlap, each
 * ends where the next one starts, as for libgcc and elfutils, which search for the last start at or
 * before a pc.
 */

#include <errno.h>

#include "cfi_epilogue.h"
#include "cfi_page.h"
#include "cfi_rule.h"

#define WORK_A_CALL 100 /* cost of looking up the callee of a call */
#define MAX_HELD 16 /* maximum number of struct held per page; glibc 2.36's ld.so needs 2 */

/* Code whose CFA is relative to a register that callees save and that a walk does not track. */
struct held {
	u64 start, end;
	u64 reg;
	s64 off;
	struct uw_rule rule; /* without the CFA */
};

struct described {
	struct cfi_page *page;
	struct cfi_section *section;
	const struct cfi_cie *cie;
	struct held held[MAX_HELD];
	u32 n_held;
};

static bool hold(struct described *d, const struct cfi_state *s, u64 start, u64 end)
{
	const struct cfi_regs *regs = d->page->regs;
	struct held h = { .start = start, .end = end, .reg = s->cfa.reg, .off = s->cfa.off };
	struct cfi_state by_sp = *s;

	by_sp.cfa.reg = regs->sp;
	if (regs->has_lr || d->n_held == MAX_HELD || s->cfa.how != CFI_REGISTER ||
	    !cfi_reg_is_saved(h.reg) || h.off != (s8)h.off ||
	    !cfi_rule_from(regs, d->cie, &by_sp, &h.rule))
		return false;
	d->held[d->n_held++] = h;
	return true;
}

static void find_saved(const struct cfi_state *s, u64 start, u64 end, void *data)
{
	struct cfi_value *found = data;

	(void)start;
	(void)end;
	if (!found->how && s->fp.how == CFI_OFFSET)
		*found = s->fp;
}

/*
 * Whether a function saves the register @reg of its caller. Sets @off to the offset of the slot
 * from the function's CFA.
 */
static bool is_saved_by(struct described *d, u64 callee, u64 reg, s32 *off)
{
	struct cfi_page *p = d->page;
	struct cfi_regs regs = *p->regs;
	struct cfi_value found = {};
	struct cfi_fde fde;
	struct cfi_run run = {
		.regs = &regs, .fde = &fde, .from = callee, .fn = find_saved, .data = &found
	};

	regs.fp = (u8)reg;
	p->work -= p->work < WORK_A_CALL ? p->work : WORK_A_CALL;
	if (cfi_section_fde_of(d->section, callee, &fde) < 0)
		return false;
	run.to = fde.end;
	run.work = p->work;
	cfi_run(&run);
	p->work = run.work;
	*off = (s32)found.off;
	return found.how && found.off == *off;
}

/*
 * _dl_runtime_resolve of glibc aligns its frame and computes the CFA from rbx, which all its
 * callees save. Therefore, for a return address after a call,
 *
 *	cfa = *(sp + slot of rbx in the callee) + off
 */
static void paint_held(struct described *d)
{
	struct cfi_page *p = d->page;
	u64 callee;

	for (u32 i = 0; i < d->n_held; i++) {
		struct held *h = &d->held[i];
		u64 at = h->start;

		h->rule.cfa = UW_CFA_AT_SP;
		h->rule.cfa_add = (s8)h->off;
		while (p->work && cfi_code_next_call(p->code, &at, h->end, &callee))
			if (is_saved_by(d, callee, h->reg, &h->rule.cfa_off))
				paint_rule(&h->rule, at - 1, at, p->paint);
		paint_number(p->paint, h->start, h->end, 0);
		p->counts->unknown++;
	}
}

static void paint_state(const struct cfi_state *s, u64 start, u64 end, void *data)
{
	struct described *d = data;
	struct cfi_page *p = d->page;
	struct uw_rule rule;

	if (hold(d, s, start, end))
		return;
	if (!cfi_rule_from(p->regs, d->cie, s, &rule))
		p->counts->unknown++;
	if (rule.cfa == UW_CFA_SCRATCH && rule.fp == UW_SAVED_FP) {
		u64 left = cfi_code_leaves_aligned(p->code, start, end);

		paint_rule(&rule, start, left, p->paint);
		start = left;
		rule.fp = UW_SAVED_SAME;
		rule.fp_off = 0;
	}
	if (start < end)
		paint_rule(&rule, start, end, p->paint);
}

/*
 * The entries of functions that create a thread (glibc's clone() and clone3() for x86-64) end at
 * the system call, because the code after it also runs in the child, which has no caller. A frame
 * whose pc is after the system call is looked up by the last byte of the system call; this frame is
 * not in the new child, so the entry still applies to that byte.
 */
static void paint_syscall(struct cfi_page *p, u64 end)
{
	if (end > p->paint->start && end + 1 < p->paint->end && cfi_code_is_syscall(p->code, end))
		paint_number(p->paint, end + 1, end + 2, paint_at(p->paint, end - 1));
}

/* @limit: start of the next FDE. */
static int paint_fde(struct described *d, u64 pos, u64 limit)
{
	struct cfi_page *p = d->page;
	struct cfi_fde fde;
	struct cfi_run run = { .regs = p->regs,
			       .fde = &fde,
			       .from = p->paint->start,
			       .work = p->work,
			       .fn = paint_state,
			       .data = d };
	int err = cfi_section_fde(d->section, pos, &fde);

	if (err < 0)
		return err;
	run.to = limit < p->paint->end ? limit : p->paint->end;
	if (fde.end <= p->paint->start || fde.start >= run.to)
		return 0;
	p->counts->fdes++;
	d->cie = fde.cie;
	if (fde.start >= p->aot_start && fde.end <= p->aot_end)
		err = cfi_epilogues(p->code, d->section->file, fde.start, fde.end, run.to,
				    &run.work);
	if (err < 0)
		return err;
	err = cfi_run(&run);
	p->work = run.work;
	if (!err && fde.end < run.to)
		paint_syscall(p, fde.end);
	return err;
}

int cfi_paint_section(struct cfi_page *p, struct cfi_section *s)
{
	struct described d = { .page = p, .section = s };
	struct cfi_listed e, next = {};
	u32 i;
	int err = s->n ? cfi_section_find(s, p->paint->start, &i) : -ENOENT;

	if (!err)
		err = cfi_section_at(s, i, &next);
	for (; !err && i < s->n && next.start < p->paint->end; i++) {
		e = next;
		next.start = CFI_NO_NEXT;
		if (i + 1 < s->n)
			err = cfi_section_at(s, i + 1, &next);
		if (err < 0)
			break;
		if (!p->work) {
			p->counts->capped++;
			break;
		}
		p->work--;
		err = paint_fde(&d, e.pos, next.start);
		if (err == -ENOEXEC || err == -ERANGE) {
			p->counts->broken++;
			err = 0;
		}
		if (err == -E2BIG) {
			p->counts->capped++;
			err = 0;
		}
	}
	paint_held(&d);
	return err == -ENOENT ? 0 : err;
}
