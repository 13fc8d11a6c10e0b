/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Optimized code is left for the interpreter by an exit, a call behind all other instructions:
 *
 *	  call f      <- if the code was given up meanwhile, returns to its exit
 *	  jo exit
 *	  ...
 *	exits:
 *	  call DeoptimizationEntry     of points 0, 1, 2 ..., those of calls last
 *
 * The position table ends before the exits. So what is looked up is what led to the exit: the
 * check that jumps there, by its jump, and the call, by what the exit's deoptimization point
 * tells of it, or, in Maglev's code, the call's safepoint. Checks of different places can share
 * an exit; which of them it was is not known then.
 *
 * The exits of V8 8.4 (x86-64) are "mov r13, point; call", later ones "call [r13 + distance]"
 * with four or one bytes of distance (Deoptimizer::kEagerDeoptExitSize and kLazyDeoptExitSize
 * in v8/src/deoptimizer/x64/deoptimizer-x64.cc). On arm64 there is no line.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_deopt.h"
#include "v8_exit.h"
#include "v8_location.h"

#define MAX_TEXT_LEN (1u << 20)
#define NO_CALL ((u32)-1)
#define MAX_EXIT_LEN 12
#define MAX_CHECKS 16 /* that share an exit: more are not compared */
/* Behind the index of the inlining positions in deoptimization data. */
#define EXITS_IDX 1
#define ENTRY_WORDS 3
#define ENTRY_PC 2 /* offset of the call's return address, -1: none */

const char v8_no_exit[] = "its code is given up, and does not tell where";

struct exits {
	const struct v8_code *code;
	u8 *text;
	u32 text_len;
	u64 *data;
	u32 n_data; /* 0: V8 has thrown it away */
};

static void exits_deinit(struct exits *x)
{
	free(x->text);
	free(x->data);
}

/* The length of the exit at @off, or 0. */
static u32 exit_len(const struct exits *x, u32 off)
{
	static const struct {
		u8 first[3], len;
	} forms[] = { { { 0x49, 0xc7, 0xc5 }, 12 },
		      { { 0x41, 0xff, 0x95 }, 7 },
		      { { 0x41, 0xff, 0x55 }, 4 } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (off < x->text_len && x->text_len - off >= forms[i].len &&
		    !memcmp(x->text + off, forms[i].first, sizeof(forms[i].first)))
			return forms[i].len;
	return 0;
}

/* The exit that returns to @off, or NO_CALL. */
static u32 exit_before(const struct exits *x, u32 off)
{
	static const u8 lens[] = { 12, 7, 4 };

	for (size_t i = 0; i < sizeof(lens); i++)
		if (off >= lens[i] && exit_len(x, off - lens[i]) == lens[i])
			return off - lens[i];
	return NO_CALL;
}

/* Where the exits begin; NO_CALL: not known. */
static u32 first_exit(const struct exits *x, const struct v8_layout *l)
{
	u32 i = l->deopt_inlining_idx + EXITS_IDX;

	if (i >= x->n_data || !v8_is_smi(x->data[i]) || v8_smi(x->data[i]) < 0)
		return NO_CALL;
	return (u32)v8_smi(x->data[i]);
}

/* The last byte of the call that returns to the exit at @off, or NO_CALL. */
static u32 call_of(struct v8_heap *h, const struct exits *x, u32 off)
{
	const struct v8_layout *l = h->l;
	u32 first = first_exit(x, l), len = exit_len(x, off), i;
	s32 pc;

	if (!l->deopt_entries_idx || !len || off < first || (off - first) % len)
		return NO_CALL;
	if (x->code->tier == V8_TIER_MAGLEV)
		return l->deopt_form ? v8_deopt_call(h, x->code, off) - 1 : NO_CALL;
	i = l->deopt_entries_idx + ENTRY_WORDS * ((off - first) / len) + ENTRY_PC;
	if (i >= x->n_data || !v8_is_smi(x->data[i]))
		return NO_CALL;
	pc = v8_smi(x->data[i]);
	return pc > 0 && (u32)pc <= first ? (u32)pc - 1 : NO_CALL;
}

/* The jump to the exit at @off, the first of those that are for the same; or NO_CALL. */
static u32 check_of(struct v8_heap *h, const struct exits *x, u32 off)
{
	u32 found = NO_CALL, n = 0;

	if (off >= x->text_len)
		return NO_CALL;
	for (u32 i = 0; i + 6 <= off; i++) {
		if (v8_jump_at(x->text, x->text_len, i) != off)
			continue;
		if (!n++)
			found = i;
		else if (n > MAX_CHECKS || !v8_code_is_one_place(h, x->code, found, i))
			return NO_CALL;
	}
	return found;
}

static int exits_init(struct exits *x, struct v8_heap *h, const struct v8_code *code)
{
	x->code = code;
	x->text_len = code->len < MAX_TEXT_LEN ? code->len : MAX_TEXT_LEN;
	if (v8_array_words(h, code->deopt, &x->data, &x->n_data) < 0)
		x->n_data = 0;
	x->text = malloc(x->text_len + 1);
	return x->text ? v8_read(h, code->start_addr, x->text, x->text_len) : -1;
}

/* What led to the exit at @off. */
static u64 source(struct v8_heap *h, const struct exits *x, u32 off)
{
	u32 at = call_of(h, x, off);

	if (at == NO_CALL)
		at = check_of(h, x, off);
	return at == NO_CALL ? 0 : x->code->start_addr + at;
}

bool v8_exit_left(struct v8_heap *h, const struct v8_code *code, u64 ra, u64 *pc)
{
	_cleanup_(exits_deinit) struct exits x = {};
	u32 off, first;

	if (!v8_code_is_optimized(code) || ra - code->start_addr > code->len ||
	    exits_init(&x, h, code) < 0)
		return false;
	off = exit_before(&x, (u32)(ra - code->start_addr));
	first = first_exit(&x, h->l);
	if (off == NO_CALL || (first != NO_CALL && off < first))
		return false;
	*pc = v8_has_no_positions(h, code) ? code->start_addr + off : source(h, &x, off);
	return true;
}

/* The exit at @off, or else the one that @off - 1 is in; NO_CALL: neither. */
static u32 exit_at(const struct exits *x, u32 off, u32 first)
{
	u32 len = exit_len(x, first);

	if (exit_len(x, off))
		return off;
	return len && off > first ? first + (off - 1 - first) / len * len : NO_CALL;
}

bool v8_exit_may_be_at(struct v8_heap *h, const struct v8_code *code, u64 pc)
{
	u8 text[MAX_EXIT_LEN + 1];
	const struct exits x = { .code = code, .text = text, .text_len = sizeof(text) };

	if (h->build->is_arm64)
		return v8_code_is_one_place(h, code, (u32)(pc - code->start_addr), UINT32_MAX);
	return v8_read(h, pc, text, sizeof(text)) < 0 || exit_len(&x, 0) || exit_len(&x, 1);
}

bool v8_exit_waits(struct v8_heap *h, const struct v8_code *code, u64 ra, u64 *pc)
{
	_cleanup_(exits_deinit) struct exits x = {};
	u32 off = (u32)(ra - code->start_addr);
	u64 first = 0;

	if (!v8_code_is_optimized(code))
		return false;
	if (!v8_array_word(h, code->deopt, h->l->deopt_inlining_idx + EXITS_IDX, &first) &&
	    (!v8_is_smi(first) || v8_smi(first) <= 0 || off < (u32)v8_smi(first)))
		return false;
	*pc = 0;
	if (!first || exits_init(&x, h, code) < 0)
		return true;
	if (v8_has_no_positions(h, code)) {
		*pc = exit_len(&x, off) ? ra : ra - 1;
		return true;
	}
	off = exit_at(&x, off, (u32)v8_smi(first));
	if (off != NO_CALL)
		*pc = source(h, &x, off);
	return true;
}
