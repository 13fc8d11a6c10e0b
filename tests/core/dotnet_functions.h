/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Functions as CoreCLR's compiler emits them, with hand-made UNWIND_INFO, for
 * test_dotnet.c to execute: the encoding of each instruction, and the functions.
 */

#include "../../core/types.h"

#include <string.h>

enum op {
	PUSH_RBP,
	PUSH_RBX,
	PUSH_RAX,
	SUB,
	SUB_FAR,
	ADD,
	ADD_FAR,
	POP_RBX,
	POP_RBP,
	POP_R15,
	PUSH_R15,
	LEA_RBP,
	LEA_RSP,
	LEA_RSP_FAR,
	SAVE_RBP,
	NOP,
	RET,
	JMP_OUT,
	JMP_REG,
	JMP_WORD,
	LOAD_RAX,
	VZERO,
	END
};

struct insn {
	enum op op;
	s32 n;
};

/* Encodes an instruction as llvm-mc 14 does. */
static inline u32 encode(const struct insn *i, u8 *b)
{
	static const struct {
		u8 len, arg; /* length of the instruction, and of the operand at its end */
		u8 bytes[5];
	} forms[] = {
		[PUSH_RBP] = { 1, 0, { 0x55 } },
		[PUSH_RBX] = { 1, 0, { 0x53 } },
		[PUSH_RAX] = { 1, 0, { 0x50 } },
		[SUB] = { 4, 1, { 0x48, 0x83, 0xec } },
		[SUB_FAR] = { 7, 4, { 0x48, 0x81, 0xec } },
		[ADD] = { 4, 1, { 0x48, 0x83, 0xc4 } },
		[ADD_FAR] = { 7, 4, { 0x48, 0x81, 0xc4 } },
		[POP_RBX] = { 1, 0, { 0x5b } },
		[POP_RBP] = { 1, 0, { 0x5d } },
		[POP_R15] = { 2, 0, { 0x41, 0x5f } },
		[PUSH_R15] = { 2, 0, { 0x41, 0x57 } },
		[LEA_RBP] = { 5, 1, { 0x48, 0x8d, 0x6c, 0x24 } },
		[LEA_RSP] = { 4, 1, { 0x48, 0x8d, 0x65 } },
		[LEA_RSP_FAR] = { 7, 4, { 0x48, 0x8d, 0xa5 } },
		[SAVE_RBP] = { 5, 1, { 0x48, 0x89, 0x6c, 0x24 } },
		[NOP] = { 1, 0, { 0x90 } },
		[RET] = { 1, 0, { 0xc3 } },
		[JMP_OUT] = { 5, 4, { 0xe9 } },
		[JMP_REG] = { 3, 0, { 0x48, 0xff, 0xe0 } },
		[JMP_WORD] = { 6, 4, { 0xff, 0x25 } },
		[LOAD_RAX] = { 4, 0, { 0x48, 0x8b, 0x45, 0x00 } },
		[VZERO] = { 3, 0, { 0xc5, 0xf8, 0x77 } },
	};

	memcpy(b, forms[i->op].bytes, 5);
	memcpy(b + forms[i->op].len - forms[i->op].arg, &i->n, forms[i->op].arg);
	return forms[i->op].len;
}

struct function {
	const char *name;
	struct insn insns[20];
	u8 info[24]; /* hand-made UNWIND_INFO */
	u32 entry_words; /* at the first instruction: words between sp and the return address */
	bool is_funclet; /* funclet of the preceding method */
};

/* u8 version and flags (3), prologue, slots, frame register; then { offset, op | info << 4 } */
static const struct function functions[] = {
	{ "leaf", { { NOP }, { VZERO }, { RET }, { END } }, { 0x19, 0, 0, 0 } },
	{ "one call",
	  { { SUB, 8 }, { NOP }, { ADD, 8 }, { RET }, { END } },
	  { 0x19, 4, 1, 0, 4, 0x02 } },
	{ "framed",
	  { { PUSH_RBP },
	    { PUSH_R15 },
	    { PUSH_RBX },
	    { SUB, 24 },
	    { LEA_RBP, 40 },
	    { NOP },
	    { VZERO },
	    { ADD, 24 },
	    { POP_RBX },
	    { POP_R15 },
	    { POP_RBP },
	    { RET },
	    { END } },
	  { 0x19, 13, 4, 0, 8, 0x22, 4, 0x30, 3, 0xf0, 1, 0x50 } },
	{ "large frame",
	  { { PUSH_RBP },
	    { SUB_FAR, 0x1230 },
	    { NOP },
	    { ADD_FAR, 0x1230 },
	    { POP_RBP },
	    { RET },
	    { END } },
	  { 0x19, 8, 3, 0, 8, 0x01, 0x46, 0x02, 1, 0x50 } },
	{ "tail call",
	  { { PUSH_RBX }, { NOP }, { POP_RBX }, { JMP_OUT, 0x4000 }, { END } },
	  { 0x19, 1, 1, 0, 1, 0x30 } },
	{ "tail call through a register",
	  { { PUSH_RBP }, { SUB, 16 }, { NOP }, { ADD, 16 }, { POP_RBP }, { JMP_REG }, { END } },
	  { 0x19, 5, 2, 0, 5, 0x12, 1, 0x50 } },
	{ "tail call through a word in memory",
	  { { PUSH_RBP },
	    { SUB, 16 },
	    { NOP },
	    { ADD, 16 },
	    { POP_RBP },
	    { JMP_WORD, 64 },
	    { END } },
	  { 0x19, 5, 2, 0, 5, 0x12, 1, 0x50 } },
	{ "jump within",
	  { { PUSH_RBX }, { NOP }, { JMP_OUT, -6 }, { NOP }, { POP_RBX }, { RET }, { END } },
	  { 0x19, 1, 1, 0, 1, 0x30 } },
	{ "localloc",
	  { { PUSH_RBP },
	    { SUB, 16 },
	    { LEA_RBP, 16 },
	    { SUB_FAR, 0x1000 },
	    { NOP },
	    { SUB, 0x40 },
	    { NOP },
	    { LEA_RSP, 0 },
	    { POP_RBP },
	    { RET },
	    { END } },
	  { 0x19, 10, 3, 0x15, 10, 0x03, 5, 0x12, 1, 0x50 } },
	{ "localloc, far",
	  { { PUSH_RBP },
	    { PUSH_RBX },
	    { SUB, 8 },
	    { LEA_RBP, 16 },
	    { SUB_FAR, 0x2000 },
	    { NOP },
	    { LEA_RSP_FAR, -8 },
	    { POP_RBX },
	    { POP_RBP },
	    { RET },
	    { END } },
	  { 0x19, 11, 6, 0x05, 11, 0x0b, 1, 0, 0, 0, 6, 0x02, 2, 0x30, 1, 0x50 } },
	{ "OSR",
	  { { LOAD_RAX }, { PUSH_RAX }, { NOP }, { END } },
	  { 0x19, 5, 3, 0, 5, 0x02, 0, 0x82, 0, 0x50 },
	  .entry_words = 10 },
	{ "rbp saved by a move",
	  { { SUB, 24 }, { SAVE_RBP, 8 }, { NOP }, { END } },
	  { 0x19, 9, 3, 0, 9, 0x54, 1, 0, 4, 0x22 } },
	{ "funclet",
	  { { SUB, 8 }, { NOP }, { ADD, 8 }, { RET }, { END } },
	  { 0x19, 4, 1, 0, 4, 0x02 },
	  .is_funclet = true },
};
