/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Decoders of the tables that map code to source. The decoders never read beyond the end of the
 * given bytes.
 */

#include "v8_build.h"

#define V8_NO_SCRIPT_OFFSET (-1)
#define V8_NO_INLINING (-1)
#define V8_FUNCTION_ENTRY (-1) /* bytecode offset: before the first bytecode */

/* A source position table, with the current position before the first entry or at an entry. */
struct v8_positions {
	const u8 *p, *end;
	bool is_v14; /* encoding of V8 14 on */
	u64 code; /* offset in bytecode (or V8_FUNCTION_ENTRY) or machine code */
	/* Bit 0: external; 30 bits: script offset + 1; 16 bits: index of the inlined call + 1. */
	u64 position;
};

struct v8_positions v8_positions_of(const u8 *bytes, size_t n, bool is_v14);

/* Moves to the next entry. Returns 1, 0 at the end, or -ENOENT if the entry is truncated. */
int v8_positions_next(struct v8_positions *t);

/**
 * v8_positions_find() - the source position at an offset in code
 * @t:		before its first entry
 * @code:	offset in bytecode or machine code
 * @pos:	written on success
 *
 * Return: 0, -ERANGE if @code is before the first entry, -ENOENT if there is no entry.
 */
int v8_positions_find(struct v8_positions t, s64 code, u64 *pos);

/*
 * Return a part of a position word; V8_NO_SCRIPT_OFFSET or V8_NO_INLINING if the word lacks the
 * part.
 */
s32 v8_position_offset(u64 pos);
s32 v8_position_inlining(u64 pos);

/* Returns the length of the bytecode at @off and its prefix, or -EINVAL. */
int v8_bytecode_len(const struct v8_build *b, const u8 *bytecodes, size_t n, size_t off);

/**
 * v8_baseline_find() - the bytecode offset at an offset in baseline code
 * @table:	bytecode offset table, which has the lengths of machine code, that of the prologue
 *		first
 * @delta:	offset in machine code
 *
 * Return: the bytecode offset, V8_FUNCTION_ENTRY in the prologue, or -ENOENT (the table is
 *truncated or crafted).
 */
int v8_baseline_find(const struct v8_build *b, const u8 *table, size_t table_len,
		     const u8 *bytecodes, size_t bytecodes_len, u64 delta);
