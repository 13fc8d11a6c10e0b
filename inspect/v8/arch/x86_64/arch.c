/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Deoptimization exits are "mov r13, point; call" in V8 8.4 and "call [r13 + distance]" in later
 * versions, with a distance of four bytes or one (Deoptimizer::kEagerDeoptExitSize and
 * kLazyDeoptExitSize in v8/src/deoptimizer/x64/deoptimizer-x64.cc). A call of a builtin has one of
 * these forms; in the second form, the address loaded is that of the operand of an earlier mov
 * (TurboAssembler::Call and CallBuiltin in v8/src/codegen/x64/macro-assembler-x64.cc at 8.4.371,
 * 9.4.146, 11.3.244):
 *
 *	mov r10, ADDRESS; call r10
 *	mov r10, [rip + distance]; call r10
 *	call DISTANCE
 */

#include "../../../unwind/disasm.h"
#include "../v8_arches.h"
#include "x86_64.h"

/* Can instruction @in transfer control, or store outside of the function's own frame? */
static bool has_effect(csh handle, const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;

	for (u8 i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM && x->operands[i].access & CS_AC_WRITE &&
		    x->operands[i].mem.base != X86_REG_RBP)
			return true;
	return in->id == X86_INS_PUSH || cs_insn_group(handle, in, CS_GRP_JUMP) ||
	       cs_insn_group(handle, in, CS_GRP_CALL) || cs_insn_group(handle, in, CS_GRP_RET) ||
	       cs_insn_group(handle, in, CS_GRP_INT);
}

struct jump {
	u64 addr, to;
};

static int find_jump(csh handle, const cs_insn *in, void *data)
{
	struct jump *jump = data;

	if (in->address != jump->addr) /* the bytes before in->address are no instruction */
		return 1;
	jump->addr += in->size;
	if (in->id == X86_INS_JMP && in->detail->x86.operands[0].type == X86_OP_IMM)
		jump->to = (u64)in->detail->x86.operands[0].imm;
	return has_effect(handle, in);
}

static u64 jump_back(const u8 *text, u32 len, u64 addr)
{
	struct jump jump = { .addr = addr };

	disasm_x86_64(text, len, addr, find_jump, &jump);
	return jump.to;
}

const struct v8_arch v8_x86_64 = {
	.insns = {
		[V8_INSN_EXIT] = { { 0xe800000000c5c749, 0xff00000000ffffff, 12 },
				   { 0x95ff41, 0xffffff, 7 },
				   { 0x55ff41, 0xffffff, 4 } },
		[V8_INSN_NUMBERED_EXIT] = { { 0xe800000000c5c749, 0xff00000000ffffff, 12, 3, 32 } },
		[V8_INSN_JUMP] = { { 0xe9, 0xff, 5, 1, 32, 0, true }, /* jmp */
				   { 0x800f, 0xf0ff, 6, 2, 32, 0, true } }, /* jcc */
		[V8_INSN_LAST_JUMP] = { { 0xcc00000000e9, 0xff00000000ff, 6 } }, /* jmp; int3 */
		[V8_INSN_END] = { { 0xc3, 0xff, 1 }, /* ret */
				  { 0xc2, 0xff, 3 }, /* ret n */
				  { 0xe9, 0xff, 5 } }, /* jmp */
		[V8_INSN_TRAP] = { { 0xcc, 0xff, 1 } }, /* int3 */
		[V8_INSN_CALL] = { { 0xe8, 0xff, 5, 1, 32, 0, true } },
		[V8_INSN_CALL_REG] = { { 0xd2ff41, 0xffffff, 3 } }, /* call r10 */
		[V8_INSN_SET_REG] = { { 0xba49, 0xffff, 10, 2, 64 } }, /* mov r10, n */
		[V8_INSN_LOAD_REG] = { { 0x158b4c, 0xffffff, 7, 3, 32, 0, true } },
		/* push rbp; mov rbp, rsp */
		[V8_INSN_BUILD_FRAME] = { { 0xe5894855, ~0u, 4 } },
		/* mov rcx, [rbp + 8]; mov rbp, [rbp] */
		[V8_INSN_LOAD_FRAME] = { { 0x006d8b48084d8b48, ~0ull, 8 } },
		/* mov r10, rsp; sub rsp, 8 */
		[V8_INSN_SAVE_SP] = { { 0x08ec8348e28949, 0xffffffffffffff, 7 } },
		/* and rsp, -16; mov [rsp], r10 */
		[V8_INSN_ALIGN_SP] = { { 0x2414894cf0e48348, ~0ull, 8 } },
		[V8_INSN_RESTORE_SP] = { { 0x24248b48, ~0u, 4 } }, /* mov rsp, [rsp] */
	},
	.knows_exits = true,
	.jump_back = jump_back,
	.state_size = sizeof(struct v8_row_state),
	.start = { [V8_ROW_CALLED] = &v8_row_called,
		   [V8_ROW_PUSHED] = &v8_row_pushed,
		   [V8_ROW_FRAMED] = &framed },
	.decode = flow_code_x86_64,
	.transfer = v8_row_transfer,
	.join = v8_row_join,
	.follow_exits = v8_row_follow_exits,
	.rule = v8_row_rule,
	.handler_places = v8_handler_places,
};
