/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Decodes consecutive x86-64 instructions with Capstone. */

#include <capstone/capstone.h>

#include "../../core/types.h"

/*
 * Called with an instruction; @in is valid during the call. Return: 0 to continue; anything else
 * ends the disassembly.
 */
typedef int disasm_fn(csh handle, const cs_insn *in, void *data);

/**
 * disasm_x86_64() - call a function for each instruction, with details
 * @bytes:	@len bytes of code
 *
 * Bytes that are not an instruction are skipped. Return: 0, -ENOMEM, -ENOTSUP (no disassembler) or
 * the last result of @fn.
 */
int disasm_x86_64(const u8 *bytes, size_t len, u64 addr, disasm_fn *fn, void *data);

#define DISASM_NO_REG (-1)
/* The number of the general register that an x86_reg is a part of, or DISASM_NO_REG. */
int disasm_reg(unsigned int reg);
