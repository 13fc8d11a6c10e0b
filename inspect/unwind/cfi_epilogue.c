/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The call frame information of .NET NativeAOT covers a function's prologue, but the last row of
 * the prologue applies up to the function's end (8.0.33 and 9.0.22, x86-64). In an epilogue, the
 * stack height in that row is therefore too high by the bytes that were already popped. All
 * epilogues have the same form (genFnEpilog() of src/coreclr/jit/codegenxarch.cpp at v9.0.0), so
 * the height is counted backwards from the end of the epilogue:
 *
 *	add $n, %rsp    cfa = sp + n + 8 * pops + 8
 *	pop ...         cfa = sp + 8 * pops + 8
 *	ret             cfa = sp + 8
 *
 * A jump out of the function may replace ret. The function is decoded from its start, so that no
 * operand is taken for an instruction; this works because its code contains no data.
 */

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "../util/cleanup.h"
#include "cfi_epilogue.h"
#include "flow_code.h"

#define MAX_FUNCTION (256u << 10) /* bytes from the function's start to the page's end */
#define MAX_EPILOGUE 64 /* bytes; enough for an add, eight pops and a jump */
#define MAX_ADD (1 << 20)

struct leaving {
	const struct cfi_code *code;
	u64 start, len; /* range of the function */
	struct flow_code insns;
};

void cfi_epilogue_code(struct elf_file *f, u64 *start, u64 *end)
{
	GElf_Ehdr eh;

	if (!gelf_getehdr(elf_file_elf(f), &eh) || eh.e_machine != EM_X86_64 ||
	    !elf_file_section_span(f, "__managedcode", start, end))
		*start = *end = 0;
}

static bool takes_off(const struct flow_insn *insn)
{
	return insn->op == FLOW_POP || insn->op == FLOW_POP_FP ||
	       (insn->op == FLOW_SP_ADD && insn->arg > 0 && insn->arg <= MAX_ADD);
}

static bool is_before(const struct flow_insn *insn, const struct flow_insn *next)
{
	return insn->off + insn->len == next->off;
}

static bool is_end(const struct leaving *l, u32 i)
{
	const struct flow_insn *insn = &l->insns.insns[i];

	if (insn->op == FLOW_RET)
		return true;
	return insn->op == FLOW_JUMP && (insn->arg < 0 || (u64)insn->arg >= l->len) && i &&
	       takes_off(insn - 1) && is_before(insn - 1, insn);
}

static void emit(const struct leaving *l, const struct flow_insn *insn, const struct uw_rule *rule)
{
	u64 at = l->start + insn->off;

	l->code->fn(rule, at, at + insn->len, l->code->data);
}

/*
 * Reports the rules of an epilogue, from its last instruction back to the first that changes the
 * stack pointer.
 */
static void report_epilogue(const struct leaving *l, u32 last)
{
	const struct flow_insn *insn = &l->insns.insns[last], *end = insn;
	struct uw_rule rule = { .cfa = UW_CFA_SP, .cfa_off = 8, .ra = UW_SAVED_CFA, .ra_off = -8 };

	emit(l, insn, &rule);
	while (insn > l->insns.insns && takes_off(insn - 1) && is_before(insn - 1, insn) &&
	       end->off - insn[-1].off <= MAX_EPILOGUE) {
		insn--;
		rule.cfa_off += insn->op == FLOW_SP_ADD ? insn->arg : 8;
		if (insn->op == FLOW_POP_FP) {
			rule.fp = UW_SAVED_CFA;
			rule.fp_off = -rule.cfa_off;
		}
		emit(l, insn, &rule);
	}
}

int cfi_epilogues(const struct cfi_code *c, struct elf_file *f, u64 start, u64 end, u64 to,
		  u32 *work)
{
	struct leaving l = { .code = c, .start = start, .len = end - start };
	u64 len = end < to + MAX_EPILOGUE ? l.len : to + MAX_EPILOGUE - start;
	_cleanup_free_ u8 *bytes = NULL;
	int err;

	if (len > MAX_FUNCTION)
		return -E2BIG;
	bytes = malloc(len);
	if (!bytes)
		return -ENOMEM;
	err = elf_file_read_addr(f, start, bytes, len);
	if (!err)
		err = flow_code_x86_64(&l.insns, bytes, (u32)len, start);
	if (err < 0)
		return err == -ENOTSUP ? 0 : err;
	*work -= *work < l.insns.n ? *work : l.insns.n;
	for (u32 i = 0; i < l.insns.n; i++)
		if (is_end(&l, i))
			report_epilogue(&l, i);
	flow_code_deinit(&l.insns);
	return 0;
}
