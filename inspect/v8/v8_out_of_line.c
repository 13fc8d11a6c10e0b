/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Optimized code ends with rarely executed code: deferred code, and deoptimization exits, which are
 * calls by which execution continues in the interpreter. The position table ends before the exits
 * and has few entries for deferred code. So the position of such code is that of the instruction
 * that led to the code:
 *
 *	  call f      <- if the code was deoptimized meanwhile, returns to its exit
 *	  jo exit
 *	  cmp r9, limit
 *	  jae slow	<- the deferred code belongs here
 *	back:
 *	  ...
 *	slow:
 *	  call AllocateInYoungGeneration
 *	  mov ...	restores registers
 *	  jmp back
 *	exits:
 *	  call DeoptimizationEntry     of points 0, 1, 2 ..., those of calls last
 *
 * Exits. The exit of a check has the position of the jump to the exit. The exit of a call has the
 * position of the call, which is found by the call's deoptimization point or, in Maglev's code, by
 * the call's safepoint. If checks with different positions share an exit, the exit's position is
 * unknown. On arm64, code at exits gets no line.
 *
 * Deferred code. A write barrier is recognized by the builtin that is executing. A builtin that
 * allocates calls C++ by a tail call and so has no frame, so an allocation is recognized by the
 * call to the builtin (x86-64).
 */

#include <stdint.h>
#include <string.h>

#include "v8_out_of_line.h"

#define NO_CALL ((u32)-1)
#define NO_ENTRY (~0ull) /* of the position table */
#define MAX_EXIT_LEN 12
#define MAX_CHECKS 16 /* maximum number of checks with a common exit that are compared */
#define MAX_HOPS 8 /* limit of jumps from one piece of deferred code to the next */
#define MAX_WAY_LEN 256 /* maximum number of bytes from the call to the jump back */
#define CALL_LEN 13 /* length of the longest call */

const char v8_no_exit[] = "deoptimized; source position ambiguous";

/* ---- exits ---- */

/* Returns the length of the exit at @off, or 0. */
static u32 exit_len(const struct v8_deopt *d, u32 off)
{
	const struct v8_insn *exit = v8_deopt_insn(d, V8_INSN_EXIT, off);

	return exit ? exit->len : 0;
}

/* Returns the exit whose return address is @off, or NO_CALL. */
static u32 exit_before(const struct v8_deopt *d, u32 off)
{
	const struct v8_insn *exit =
		v8_insn_before(d->h->build->arch, V8_INSN_EXIT, d->text, d->text_len, off);

	return exit ? off - exit->len : NO_CALL;
}

/* Returns the offset of the first exit, or NO_CALL if the offset is unknown. */
static u32 first_exit(const struct v8_deopt *d)
{
	u32 i = v8_deopt_exits_idx(d->h->l);

	if (i >= d->n_data || !v8_is_smi(d->data[i]) || v8_smi(d->data[i]) < 0)
		return NO_CALL;
	return (u32)v8_smi(d->data[i]);
}

/* Same as call_of(), but for Maglev code, whose safepoints have the exits of calls. */
static u32 call_by_safepoint(struct v8_deopt *d, u32 off)
{
	if (!d->h->l->deopt_form || v8_deopt_read_calls(d) < 0)
		return NO_CALL;
	for (u32 i = 0; i < d->n_points; i++)
		if (d->points[i].exit == (s32)off)
			return d->points[i].pc;
	return NO_CALL;
}

/* Returns the offset of the last byte of the call that returns to the exit at @off, or NO_CALL. */
static u32 call_of(struct v8_deopt *d, u32 off)
{
	u32 first = first_exit(d), len = exit_len(d, off), idx;
	s32 pc;

	if (!d->h->l->deopt_entries_idx || !len || off < first || (off - first) % len)
		return NO_CALL;
	if (d->code->tier == V8_TIER_MAGLEV)
		return call_by_safepoint(d, off);
	idx = (off - first) / len;
	if (d->h->l->deopt_entries_idx + V8_ENTRY_WORDS * (idx + 1ull) > d->n_data)
		return NO_CALL;
	pc = (s32)v8_deopt_entry(d, idx, V8_ENTRY_PC);
	return pc > 0 && (u32)pc <= first ? (u32)pc - 1 : NO_CALL;
}

/* Do both offsets have the same entry of the position table, or does neither have an entry? */
static bool is_one_place(struct v8_deopt *d, u32 a, u32 b)
{
	u64 at_a = NO_ENTRY, at_b = NO_ENTRY;

	return v8_deopt_position(d, a, &at_a) == v8_deopt_position(d, b, &at_b) && at_a == at_b;
}

/*
 * Returns the first jump to the exit at @off, or NO_CALL if there is no such jump or if such jumps
 * have different positions.
 */
static u32 check_of(struct v8_deopt *d, u32 off)
{
	u32 found = NO_CALL, n = 0;

	if (off >= d->text_len || v8_deopt_read_positions(d) < 0)
		return NO_CALL;
	for (u32 i = 0; i + 6 <= off; i++) {
		if (v8_deopt_jump(d, i) != off)
			continue;
		if (!n++)
			found = i;
		else if (n > MAX_CHECKS || !is_one_place(d, found, i))
			return NO_CALL;
	}
	return found;
}

/* Sets the query's offset to the instruction that led to the exit at @off. */
static enum v8_verdict move_to_source(struct v8_query *q, u32 off)
{
	struct v8_deopt *d = &q->d;
	u32 source = off == NO_CALL ? NO_CALL : call_of(d, off);

	if (source == NO_CALL && off != NO_CALL)
		source = check_of(d, off);
	q->at.reason = v8_no_exit;
	if (source == NO_CALL)
		return V8_GIVES_UP;
	q->at.off = source;
	return V8_MOVES;
}

enum v8_verdict v8_resolve_eager(struct v8_query *q)
{
	const enum v8_verdict none = q->via == V8_VIA_EXIT ? V8_MEANS_NOTHING : V8_DECLINES;
	struct v8_deopt *d = &q->d;
	u32 off, first;

	q->at.reason = "not a deoptimization exit";
	if (!v8_code_is_optimized(d->code))
		return none;
	if (v8_deopt_read_data(d) < 0 || v8_deopt_read_text(d) < 0) {
		q->at.reason = v8_unreadable;
		return q->via == V8_VIA_EXIT ? none : V8_GIVES_UP;
	}
	off = exit_before(d, q->off + 1);
	first = first_exit(d);
	if (off == NO_CALL || (first != NO_CALL && off < first))
		return none;
	if (!v8_lacks(d->h, d->code, V8_NO_POSITIONS))
		return move_to_source(q, off);
	q->at.off = off;
	return V8_MOVES;
}

/* Returns the exit at @off, or the exit that contains @off - 1; NO_CALL if there is neither. */
static u32 exit_at(const struct v8_deopt *d, u32 off, u32 first)
{
	u32 len = exit_len(d, first);

	if (exit_len(d, off))
		return off;
	return len && off > first ? first + (off - 1 - first) / len * len : NO_CALL;
}

bool v8_exit_may_be_at(struct v8_query *q)
{
	u8 text[MAX_EXIT_LEN + 1];
	struct v8_heap *h = q->d.h;
	const struct v8_deopt d = { .h = h, .text = text, .text_len = sizeof(text) };

	if (!h->build->arch->knows_exits)
		return is_one_place(&q->d, q->at.off, UINT32_MAX);
	return v8_read(h, q->d.code->start_addr + q->at.off, text, sizeof(text)) < 0 ||
	       exit_len(&d, 0) || exit_len(&d, 1);
}

enum v8_verdict v8_resolve_lazy(struct v8_query *q)
{
	struct v8_deopt *d = &q->d;
	const u32 idx = v8_deopt_exits_idx(d->h->l), ra = q->off + 1;
	u64 first;

	q->at.reason = v8_no_exit;
	if (v8_array_word(d->h, d->code->deopt, idx, &first) < 0)
		return V8_GIVES_UP;
	if (!v8_is_smi(first) || v8_smi(first) <= 0 || ra < (u32)v8_smi(first)) {
		q->at.reason = "before first deoptimization exit";
		return V8_DECLINES;
	}
	if (v8_deopt_read_text(d) < 0 || v8_deopt_read_data(d) < 0)
		return V8_GIVES_UP;
	if (!v8_lacks(d->h, d->code, V8_NO_POSITIONS))
		return move_to_source(q, exit_at(d, ra, (u32)v8_smi(first)));
	q->at.off = exit_len(d, ra) ? ra : ra - 1;
	return V8_MOVES;
}

/* ---- deferred code ---- */

/*
 * Returns the target of the jump back, which is at @ra or after instructions that only load
 * registers; or 0.
 */
static u64 resumed(struct v8_heap *h, const struct v8_code *code, u64 ra)
{
	const struct v8_arch *arch = h->build->arch;
	u64 left = code->start_addr + code->len - ra, to = 0;
	u32 len = left < MAX_WAY_LEN ? (u32)left : MAX_WAY_LEN;
	const struct v8_insn *jump;
	u8 bytes[MAX_WAY_LEN];

	if (left > code->len || v8_read(h, ra, bytes, len) < 0)
		return 0;
	if (arch->jump_back)
		to = arch->jump_back(bytes, len, ra);
	else if ((jump = v8_insn_at(arch, V8_INSN_JUMP, bytes, len, 0)))
		to = v8_insn_operand(jump, bytes, ra);
	return to >= code->start_addr && to < ra ? to : 0;
}

/*
 * Returns the operand of the instruction of kind @kind at the end of the @len bytes of code at
 * @addr, or 0.
 */
static u64 last_operand(const struct v8_arch *arch, enum v8_insn_kind kind, const u8 *text, u32 len,
			u64 addr)
{
	const struct v8_insn *insn = v8_insn_before(arch, kind, text, len, len);
	u32 off = insn ? len - insn->len : 0;

	return insn ? v8_insn_operand(insn, text + off, addr + off) : 0;
}

/* Returns the function that the call before @ra calls, or 0. */
static u64 called(struct v8_heap *h, const struct v8_code *code, u64 ra)
{
	const struct v8_arch *arch = h->build->arch;
	const struct v8_insn *by_register;
	u64 addr = ra - CALL_LEN, word;
	u8 text[CALL_LEN];
	u32 len;

	if (ra - code->start_addr < CALL_LEN || ra - code->start_addr > code->len ||
	    v8_read(h, addr, text, CALL_LEN) < 0)
		return 0;
	by_register = v8_insn_before(arch, V8_INSN_CALL_REG, text, CALL_LEN, CALL_LEN);
	if (!by_register)
		return last_operand(arch, V8_INSN_CALL, text, CALL_LEN, addr);
	len = CALL_LEN - by_register->len;
	word = last_operand(arch, V8_INSN_SET_REG, text, len, addr);
	if (word)
		return word;
	word = last_operand(arch, V8_INSN_LOAD_REG, text, len, addr);
	if (word - code->start_addr >= code->len || v8_read(h, word, &word, sizeof(word)) < 0)
		return 0;
	return word;
}

/* Returns where execution resumes if the call before @ra calls a builtin that allocates; else 0. */
static u64 allocated(struct v8_heap *h, const struct v8_code *code, u64 ra)
{
	u64 callee = called(h, code, ra);
	const struct v8_builtin *b = v8_builtin_at(h, callee);

	return b && b->is_allocating && b->blob_off == v8_blob_offset(h, callee)
		       ? resumed(h, code, ra)
		       : 0;
}

/*
 * Returns the address at which code resumes after a write barrier, or TurboFan code after an
 * allocation; or 0. Unlike for a return address, the position is that of this address, and not of
 * the byte before it.
 */
static u64 resume_point(struct v8_query *q)
{
	const struct v8_code *code = q->d.code;
	u64 ra = code->start_addr + q->off + 1, to = 0;

	if (q->via == V8_VIA_DEFERRED)
		to = resumed(q->d.h, code, ra);
	if (!to && !q->is_cleared && q->d.h->build->arch->knows_exits &&
	    code->tier == V8_TIER_TURBOFAN)
		to = allocated(q->d.h, code, ra);
	return to;
}

/* Returns the offset of the jump to Maglev's deferred code at @off; in other code, @off. */
static u32 in_line(const struct v8_deopt *d, u32 off)
{
	const struct v8_piece *piece = v8_deopt_piece(d, off);

	for (int i = 0; piece && i < MAX_HOPS; i++) {
		off = piece->from;
		piece = v8_deopt_piece(d, off);
	}
	return off;
}

/*
 * Are the jumps to deferred code the only source of the code's position? Exits are not deferred
 * code.
 */
static bool is_told_by_jumps(const struct v8_query *q)
{
	const struct v8_heap *h = q->d.h;

	if (q->is_cleared || !h->l->deopt_form)
		return false;
	return v8_lacks(h, q->d.code, V8_NO_POSITIONS)
		       ? !q->at.is_moved
		       : v8_lacks(h, q->d.code, V8_NO_DEFERRED) && !v8_lacks_deferred(h, q->d.code);
}

enum v8_verdict v8_resolve_deferred(struct v8_query *q)
{
	struct v8_heap *h = q->d.h;
	u32 n_failed = h->n_failed, off = q->at.off;
	u64 to = q->at.is_moved ? 0 : resume_point(q);

	q->at.reason = v8_unreadable;
	if (to)
		off = (u32)(to - 1 - q->d.code->start_addr);
	else if (h->n_failed != n_failed)
		return V8_GIVES_UP;
	if (is_told_by_jumps(q)) {
		if (v8_deopt_read_checks(&q->d) < 0)
			return V8_GIVES_UP;
		off = in_line(&q->d, off);
	}
	q->at.reason = "not deferred code";
	if (off == q->at.off)
		return V8_DECLINES;
	q->at.off = off;
	return V8_MOVES;
}
