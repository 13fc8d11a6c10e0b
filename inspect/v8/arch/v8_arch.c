/* SPDX-License-Identifier: BSD-2-Clause */

#include <string.h>

#include "v8_arch.h"

const struct uw_rule v8_rule_framed = { 16, -8, -16, UW_CFA_FP, UW_SAVED_CFA, UW_SAVED_CFA, 0 };

static bool is_at(const struct v8_insn *insn, const u8 *text, u32 len, u32 off)
{
	u64 word = 0;

	if (!insn->len || off > len || len - off < insn->len)
		return false;
	memcpy(&word, text + off, insn->len < sizeof(word) ? insn->len : sizeof(word));
	return (word & insn->mask) == insn->bytes;
}

const struct v8_insn *v8_insn_at(const struct v8_arch *arch, enum v8_insn_kind kind, const u8 *text,
				 u32 len, u32 off)
{
	for (int i = 0; i < V8_INSN_FORMS; i++)
		if (is_at(&arch->insns[kind][i], text, len, off))
			return &arch->insns[kind][i];
	return NULL;
}

const struct v8_insn *v8_insn_before(const struct v8_arch *arch, enum v8_insn_kind kind,
				     const u8 *text, u32 len, u32 off)
{
	for (int i = 0; i < V8_INSN_FORMS; i++) {
		const struct v8_insn *insn = &arch->insns[kind][i];

		if (insn->len <= off && is_at(insn, text, len, off - insn->len))
			return insn;
	}
	return NULL;
}

u64 v8_insn_operand(const struct v8_insn *insn, const u8 *text, u64 addr)
{
	u32 unused = 32u - insn->operand_bits, word;
	u64 number;
	s64 distance;

	if (insn->operand_bits == 64) {
		memcpy(&number, text + insn->operand_off, sizeof(number));
		return number;
	}
	memcpy(&word, text + insn->operand_off, sizeof(word));
	distance = (s64)((s32)(word << unused) >> unused) * (1 << insn->operand_shift);
	return addr + (insn->is_from_end ? insn->len : 0) + (u64)distance;
}
