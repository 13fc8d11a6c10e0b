/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../case/target.h"

/**
 * sim_disasm() - format an instruction as text
 * @code:	@len bytes at @pc
 *
 * Return: @out; "(bad)" for an invalid instruction.
 */
const char *sim_disasm(const struct sim_arch *arch, const u8 *code, size_t len, u64 pc, char *out,
		       size_t size);

/**
 * sim_disasm_insn() - format an instruction as text, and return its length
 *
 * Return: length of the instruction in bytes; 0 for an invalid instruction.
 */
u32 sim_disasm_insn(const struct sim_arch *arch, const u8 *code, size_t len, u64 pc, char *out,
		    size_t size);
