/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The forms of states that compilers, linkers and hand-written assembly use. There is no rule for
 * any other form.
 *
 *
 *	CFA	reg + off			reg: sp, fp, drap
 *		*(reg + off) [+ add]		reg: sp, fp
 *		sp + 8 + ((pc & 15) >= add) * 8	PLT of binutils
 *	ra	*(cfa + off)			arm64: or in lr
 *		undefined			no caller
 *	fp	unchanged, *(cfa + off), *(reg + off); else lost
 */

#include <dwarf.h>

#include "cfi_bytes.h"
#include "cfi_rule.h"

#define MAX_OPS 9

struct op {
	u8 op; /* DW_OP_*; DW_OP_breg0 stands for any register, DW_OP_lit0 for any number */
	u8 reg;
	s64 arg;
};

/*
 * Parses the operations of an expression. Returns the number of operations, or 0 if there are too
 * many or unsupported ones.
 */
static u32 parse(const struct cfi_value *v, struct op ops[MAX_OPS])
{
	struct cfi_bytes in = { v->expr, v->expr + v->expr_len, false };
	u32 n = 0;

	for (; in.p < in.end; n++) {
		u8 op = (u8)cfi_take_uint(&in, 1);

		if (n == MAX_OPS)
			return 0;
		if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
			ops[n] = (struct op){ DW_OP_breg0, op - DW_OP_breg0, cfi_take_sleb(&in) };
		else if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
			ops[n] = (struct op){ DW_OP_lit0, 0, op - DW_OP_lit0 };
		else if (op == DW_OP_plus_uconst)
			ops[n] = (struct op){ op, 0, (s64)cfi_take_uleb(&in) };
		else if (op == DW_OP_deref || op == DW_OP_and || op == DW_OP_ge ||
			 op == DW_OP_shl || op == DW_OP_plus)
			ops[n] = (struct op){ op, 0, 0 };
		else
			return 0;
	}
	return in.bad ? 0 : n;
}

static bool is_op(const struct op *op, u8 code, u8 reg, s64 arg)
{
	return op->op == code && op->reg == reg && op->arg == arg;
}

static bool fits(s64 off, s32 *to)
{
	*to = (s32)off;
	return off == *to;
}

/*
 * Matches elf_x86_64_eh_frame_plt and its variants in binutils 2.40, bfd/elfxx-x86.c. The variants
 * differ in one number.
 */
static bool is_plt(const struct cfi_regs *regs, const struct op *ops, u32 n)
{
	return n == 9 && is_op(&ops[0], DW_OP_breg0, regs->sp, 8) &&
	       is_op(&ops[1], DW_OP_breg0, regs->ra, 0) && is_op(&ops[2], DW_OP_lit0, 0, 15) &&
	       ops[3].op == DW_OP_and && ops[4].op == DW_OP_lit0 && ops[4].arg < 16 &&
	       ops[5].op == DW_OP_ge && is_op(&ops[6], DW_OP_lit0, 0, 3) &&
	       ops[7].op == DW_OP_shl && ops[8].op == DW_OP_plus;
}

static bool cfa_from_reg(const struct cfi_regs *regs, u64 reg, s64 off, struct uw_rule *rule)
{
	rule->cfa = reg == regs->sp	? UW_CFA_SP
		    : reg == regs->fp	? UW_CFA_FP
		    : reg == regs->drap ? UW_CFA_SCRATCH
					: UW_CFA_NONE;
	return rule->cfa != UW_CFA_NONE && fits(off, &rule->cfa_off);
}

static bool cfa_from_memory(const struct cfi_regs *regs, const struct op *ops, u32 n,
			    struct uw_rule *rule)
{
	bool has_uconst = n == 3 && ops[2].op == DW_OP_plus_uconst;
	bool has_lit = n == 4 && ops[2].op == DW_OP_lit0 && ops[3].op == DW_OP_plus;
	s64 add = has_uconst || has_lit ? ops[2].arg : 0;

	if (n != 2 && !has_uconst && !has_lit)
		return false;
	if (ops[1].op != DW_OP_deref || (ops[0].reg != regs->sp && ops[0].reg != regs->fp))
		return false;
	rule->cfa = ops[0].reg == regs->sp ? UW_CFA_AT_SP : UW_CFA_AT_FP;
	rule->cfa_add = (s8)add;
	return rule->cfa_add == add && fits(ops[0].arg, &rule->cfa_off);
}

static bool cfa_from(const struct cfi_regs *regs, const struct cfi_value *cfa, struct uw_rule *rule)
{
	struct op ops[MAX_OPS];
	u32 n;

	if (cfa->how == CFI_REGISTER)
		return cfa_from_reg(regs, cfa->reg, cfa->off, rule);
	n = cfa->how == CFI_EXPR ? parse(cfa, ops) : 0;
	if (!n || ops[0].op != DW_OP_breg0)
		return false;
	if (n == 1)
		return cfa_from_reg(regs, ops[0].reg, ops[0].arg, rule);
	if (!is_plt(regs, ops, n))
		return cfa_from_memory(regs, ops, n, rule);
	rule->cfa = UW_CFA_PLT;
	rule->cfa_off = 8;
	rule->cfa_add = (s8)ops[4].arg;
	return true;
}

static bool ra_from(const struct cfi_regs *regs, const struct cfi_value *ra, struct uw_rule *rule)
{
	/* An unsaved return address can only be in a link register. */
	if (ra->how == CFI_UNSET || ra->how == CFI_SAME ||
	    (ra->how == CFI_REGISTER && ra->reg == regs->ra)) {
		rule->ra = UW_SAVED_SAME;
		return regs->has_lr;
	}
	rule->ra = UW_SAVED_CFA;
	return ra->how == CFI_OFFSET && fits(ra->off, &rule->ra_off);
}

static void fp_from_expr(const struct cfi_regs *regs, const struct cfi_value *fp,
			 struct uw_rule *rule)
{
	struct op ops[MAX_OPS];

	if (parse(fp, ops) != 1 || ops[0].op != DW_OP_breg0)
		return;
	if (ops[0].reg == regs->fp && fits(ops[0].arg, &rule->fp_off))
		rule->fp = UW_SAVED_FP;
	else if (ops[0].reg == regs->sp && rule->cfa == UW_CFA_SP &&
		 fits(ops[0].arg - rule->cfa_off, &rule->fp_off))
		rule->fp = UW_SAVED_CFA;
}

static void fp_from(const struct cfi_regs *regs, const struct cfi_value *fp, struct uw_rule *rule)
{
	rule->fp = UW_SAVED_LOST;
	if (fp->how == CFI_UNSET || fp->how == CFI_SAME ||
	    (fp->how == CFI_REGISTER && fp->reg == regs->fp))
		rule->fp = UW_SAVED_SAME;
	else if (fp->how == CFI_OFFSET && fits(fp->off, &rule->fp_off))
		rule->fp = UW_SAVED_CFA;
	else if (fp->how == CFI_EXPR)
		fp_from_expr(regs, fp, rule);
	/*
	 * If only the return address of a frame is left on the stack, fp is the caller's. In
	 * functions that align their frame, gcc 12's call frame information still has rbp saved at
	 * rbp after rbp was popped (x86-64).
	 */
	if (rule->fp == UW_SAVED_FP && rule->cfa == UW_CFA_SP && rule->cfa_off == 8)
		rule->fp = UW_SAVED_SAME;
	if (rule->fp == UW_SAVED_LOST || rule->fp == UW_SAVED_SAME)
		rule->fp_off = 0;
}

/*
 * On arm64 only the kernel marks code as a signal frame. On x86-64 the kernel's frame
 * has rsp at 160 (uc_mcontext of struct rt_sigframe, Linux 6.1,
 * arch/x86/include/asm/sigframe.h); other marked frames may have another layout.
 */
static bool is_kernels_signal(const struct cfi_regs *regs, const struct cfi_value *cfa)
{
	struct uw_rule rule = {};

	return regs->has_lr || (cfa_from(regs, cfa, &rule) && rule.cfa == UW_CFA_AT_SP &&
				rule.cfa_off == 160 && rule.cfa_add == 0);
}

/* Whether @reg is rbx or one of r12 to r15, which are callee-saved (x86-64 psABI 1.0, 3.2.1). */
bool cfi_reg_is_saved(u64 reg)
{
	return reg == 3 || (reg >= 12 && reg <= 15);
}

bool cfi_rule_from(const struct cfi_regs *regs, const struct cfi_cie *cie,
		   const struct cfi_state *s, struct uw_rule *rule)
{
	struct uw_rule made = {};

	*rule = (struct uw_rule){ .cfa = UW_CFA_NONE };
	if (cie->ra_reg != regs->ra)
		return false;
	if (cie->is_signal) {
		rule->cfa = is_kernels_signal(regs, &s->cfa) ? UW_CFA_SIGNAL : UW_CFA_NONE;
		return rule->cfa != UW_CFA_NONE;
	}
	if (s->ra.how == CFI_UNDEFINED) {
		rule->cfa = UW_CFA_ROOT;
		return true;
	}
	/*
	 * The caller's sp is normally the CFA; with any other value the function switches stacks.
	 */
	if (s->sp.how != CFI_UNSET && !(s->sp.how == CFI_VAL_OFFSET && s->sp.off == 0))
		return false;
	if (!cfa_from(regs, &s->cfa, &made) || !ra_from(regs, &s->ra, &made))
		return false;
	fp_from(regs, &s->fp, &made);
	*rule = made;
	return true;
}
