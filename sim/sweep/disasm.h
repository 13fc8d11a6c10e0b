/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../case/target.h"

/**
 * sim_disasm() - an instruction as text
 * @code:	@len bytes at @pc
 *
 * Return: @out; "(bad)" for what is no instruction.
 */
const char *sim_disasm(const struct sim_arch *arch, const u8 *code, size_t len, u64 pc, char *out,
		       size_t size);

/**
 * sim_disasm_insn() - the same, and how long the instruction is
 *
 * Return: its bytes; 0 for what is no instruction.
 */
u32 sim_disasm_insn(const struct sim_arch *arch, const u8 *code, size_t len, u64 pc, char *out,
		    size_t size);
