/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * dwarf_cfi_addrframe() of elfutils returns one row and starts each time at the FDE's first
 * instruction, so the cost of a function is quadratic in its rows. It also allocates room for any
 * register that an FDE names, up to 2 GiB, and caches every FDE. Therefore the instructions are
 * executed here, once per page; four registers are tracked, the others are ignored. The tests
 * compare the results with those of elfutils.
 */

#include <dwarf.h>
#include <errno.h>

#include "cfi_bytes.h"
#include "cfi_program.h"

#define MAX_REMEMBERED 16 /* gcc and clang need 1; hand-written assembly 2 */

/* Not in elf.h and dwarf.h of Debian 12, which are older: AADWARF64 2024Q3, 4.4.1. */
#define DW_CFA_AARCH64_NEGATE_RA_STATE_WITH_PC 0x2c

struct machine {
	struct cfi_run *run;
	const struct cfi_cie *cie;
	struct cfi_bytes in;
	struct cfi_state now, initial;
	struct cfi_state remembered[MAX_REMEMBERED];
	u32 n_remembered;
	u64 loc;
	bool done; /* the end of the requested range has been reached */
};

/* The value of a register, or NULL if the register is not tracked. */
static struct cfi_value *value_of(struct machine *m, struct cfi_state *s, u64 reg)
{
	const struct cfi_regs *regs = m->run->regs;

	return reg == regs->fp	 ? &s->fp
	       : reg == regs->ra ? &s->ra
	       : reg == regs->sp ? &s->sp
				 : NULL;
}

static void set(struct machine *m, u64 reg, struct cfi_value v)
{
	struct cfi_value *to = value_of(m, &m->now, reg);

	if (to)
		*to = v;
}

static void set_off(struct machine *m, u64 reg, enum cfi_how how, u64 factored)
{
	set(m, reg,
	    (struct cfi_value){ .how = how, .off = (s64)(factored * (u64)m->cie->data_align) });
}

static void restore(struct machine *m, u64 reg)
{
	struct cfi_value *from = value_of(m, &m->initial, reg);

	if (from)
		set(m, reg, *from);
}

static void set_cfa(struct machine *m, u64 reg, u64 off)
{
	m->now.cfa = (struct cfi_value){ .how = CFI_REGISTER, .reg = reg, .off = (s64)off };
}

static struct cfi_value take_expr(struct machine *m, enum cfi_how how)
{
	u64 len = cfi_take_uleb(&m->in);

	return (struct cfi_value){
		.how = how,
		.expr = cfi_take(&m->in, len),
		.expr_len = m->in.bad ? 0 : (u32)len,
	};
}

/* Reports the current state for the range up to @until. */
static void emit(struct machine *m, u64 until)
{
	u64 start = m->loc > m->run->from ? m->loc : m->run->from;
	u64 end = until < m->run->to ? until : m->run->to;

	if (start < end)
		m->run->fn(&m->now, start, end, m->run->data);
	m->loc = until;
	m->done = until >= m->run->to;
}

static void advance(struct machine *m, u64 delta)
{
	u64 len;

	if (__builtin_mul_overflow(delta, m->cie->code_align, &len) ||
	    len > m->run->fde->end - m->loc)
		m->in.bad = true;
	else
		emit(m, m->loc + len);
}

static void remember(struct machine *m)
{
	if (m->n_remembered == MAX_REMEMBERED)
		m->in.bad = true;
	else
		m->remembered[m->n_remembered++] = m->now;
}

static void recall(struct machine *m)
{
	if (!m->n_remembered)
		m->in.bad = true;
	else
		m->now = m->remembered[--m->n_remembered];
}

/*
 * Executes a rare instruction. Operands are read into variables first, because C leaves the order
 * of evaluation of arguments open.
 */
static void step_rare(struct machine *m, u8 op)
{
	struct cfi_bytes *in = &m->in;
	u64 reg;

	switch (op) {
	case DW_CFA_register:
		reg = cfi_take_uleb(in);
		set(m, reg, (struct cfi_value){ .how = CFI_REGISTER, .reg = cfi_take_uleb(in) });
		return;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = cfi_take_uleb(in);
		set(m, reg, take_expr(m, op == DW_CFA_expression ? CFI_EXPR : CFI_VAL_EXPR));
		return;
	case DW_CFA_val_offset:
		reg = cfi_take_uleb(in);
		set_off(m, reg, CFI_VAL_OFFSET, cfi_take_uleb(in));
		return;
	case DW_CFA_val_offset_sf:
		reg = cfi_take_uleb(in);
		set_off(m, reg, CFI_VAL_OFFSET, (u64)cfi_take_sleb(in));
		return;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cfi_take_uleb(in);
		set_off(m, reg, CFI_OFFSET, -cfi_take_uleb(in));
		return;
	case DW_CFA_GNU_args_size:
		cfi_take_uleb(in);
		return;
	case DW_CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
	case DW_CFA_AARCH64_negate_ra_state: /* ignored, because the walk strips the signature of
					      * every lr */
		return;
	default:
		in->bad = true;
	}
}

static void step_cfa(struct machine *m, u8 op)
{
	struct cfi_bytes *in = &m->in;
	struct cfi_value *cfa = &m->now.cfa;
	u64 reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cfi_take_uleb(in);
		return set_cfa(m, reg, cfi_take_uleb(in));
	case DW_CFA_def_cfa_sf:
		reg = cfi_take_uleb(in);
		return set_cfa(m, reg, (u64)cfi_take_sleb(in) * (u64)m->cie->data_align);
	case DW_CFA_def_cfa_expression:
		*cfa = take_expr(m, CFI_EXPR);
		return;
	}
	if (cfa->how != CFI_REGISTER)
		in->bad = true;
	else if (op == DW_CFA_def_cfa_register)
		cfa->reg = cfi_take_uleb(in);
	else if (op == DW_CFA_def_cfa_offset)
		cfa->off = (s64)cfi_take_uleb(in);
	else
		cfa->off = (s64)((u64)cfi_take_sleb(in) * (u64)m->cie->data_align);
}

static void step_common(struct machine *m, u8 op)
{
	struct cfi_bytes *in = &m->in;
	u64 reg;

	switch (op) {
	case DW_CFA_nop:
		return;
	case DW_CFA_advance_loc1:
		return advance(m, cfi_take_uint(in, 1));
	case DW_CFA_advance_loc2:
		return advance(m, cfi_take_uint(in, 2));
	case DW_CFA_advance_loc4:
		return advance(m, cfi_take_uint(in, 4));
	case DW_CFA_remember_state:
		return remember(m);
	case DW_CFA_restore_state:
		return recall(m);
	case DW_CFA_offset_extended:
		reg = cfi_take_uleb(in);
		return set_off(m, reg, CFI_OFFSET, cfi_take_uleb(in));
	case DW_CFA_offset_extended_sf:
		reg = cfi_take_uleb(in);
		return set_off(m, reg, CFI_OFFSET, (u64)cfi_take_sleb(in));
	case DW_CFA_restore_extended:
		return restore(m, cfi_take_uleb(in));
	case DW_CFA_undefined:
		return set(m, cfi_take_uleb(in), (struct cfi_value){ .how = CFI_UNDEFINED });
	case DW_CFA_same_value:
		return set(m, cfi_take_uleb(in), (struct cfi_value){ .how = CFI_SAME });
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		return step_cfa(m, op);
	default:
		return step_rare(m, op);
	}
}

static void step(struct machine *m)
{
	u8 op = (u8)cfi_take_uint(&m->in, 1);

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(m, op & 0x3f);
	case DW_CFA_offset:
		return set_off(m, op & 0x3f, CFI_OFFSET, cfi_take_uleb(&m->in));
	case DW_CFA_restore:
		return restore(m, op & 0x3f);
	default:
		return step_common(m, op);
	}
}

static int run_all(struct machine *m, const u8 *program, size_t len)
{
	m->in = (struct cfi_bytes){ program, program + len, false };
	while (m->in.p < m->in.end && !m->done) {
		if (!m->run->work)
			return -E2BIG;
		m->run->work--;
		step(m);
		if (m->in.bad)
			return -ENOEXEC;
	}
	return 0;
}

int cfi_run(struct cfi_run *r)
{
	const struct cfi_fde *fde = r->fde;
	struct machine m = { .run = r, .cie = fde->cie, .loc = fde->start };
	int err = run_all(&m, fde->cie->program, fde->cie->program_len);

	if (err < 0)
		return err;
	if (m.loc != fde->start)
		return -ENOEXEC;
	m.initial = m.now;
	err = run_all(&m, fde->program, fde->program_len);
	if (err < 0)
		return err;
	emit(&m, fde->end);
	return 0;
}
