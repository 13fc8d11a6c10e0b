/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Capstone takes the instructions of x86-64 apart, one after the other. */

#include <capstone/capstone.h>

#include "../../core/types.h"

/* @in is valid until it returns. 0, or what ends the disassembly. */
typedef int disasm_fn(csh handle, const cs_insn *in, void *data);

/**
 * disasm_x86_64() - call a function for each instruction, with details
 * @bytes:	@len bytes, at the address @addr
 *
 * Bytes that are no instruction are left out. Return: 0, -ENOMEM, -ENOTSUP (no disassembler) or
 * what @fn returned.
 */
int disasm_x86_64(const u8 *bytes, size_t len, u64 addr, disasm_fn *fn, void *data);

/* The number of a general register by a part of it (x86_reg), as instructions have it, or -1. */
int disasm_reg(unsigned int reg);
