/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A translation is a list of instructions, each with an opcode and operands:
 *
 *	BEGIN		frames, frames of JavaScript
 *	a frame		bytecode offset, function, ... outermost first
 *	a value		the location of a register of that frame; one for each register
 *
 * V8 8.4 writes numbers with 7 bits in each byte; bit 0 is set in all but the last byte. In 12.9
 * opcodes are bytes, and numbers have the continuation bit in bit 7. Signed numbers have their sign
 * in bit 0. Because neighbouring translations are similar, a BEGIN of 12.9 can have the distance to
 * an earlier translation, called the basis. A MATCH instruction then stands for a number of
 * instructions of the basis, from the same position on.
 *
 * Opcodes and their operands are those of Node.js 14.21.3 (Translation::NumberOfOperandsFor),
 * 23.11.1 (v8/src/deoptimizer/translation-opcode.h at 12.9.202) and 24.21.0 (the same at
 * 13.6.233), which were compared with the tables in the binaries (25.9.0 and 26.10.0 have
 * 24.21.0's); safepoints are those of v8/src/codegen/safepoint-table.h at 8.4 and
 * maglev-safepoint-table.h at 12.9 and 13.6.
 */

#include <errno.h>
#include <string.h>

#include "v8_translation.h"

#define MAX_NUMBER_BYTES 5
#define MAX_TRANSLATION_LEN (16u << 10)

enum meaning {
	VALUE,
	BEGIN,
	FUNCTION, /* a frame of the interpreter: offset, function */
	BUILTIN, /* a frame with JavaScript linkage: a builtin's id, function */
	MATCH,
};

struct op {
	u8 n_operands, meaning;
};

static const struct op ops_8_4[] = {
	{ 3, BEGIN }, { 5, FUNCTION }, { 3, VALUE }, { 3, BUILTIN }, { 3, BUILTIN }, { 3, VALUE },
	{ 2, VALUE }, { 1, VALUE },    { 1, VALUE }, { 1, VALUE },   { 1, VALUE },   { 1, VALUE },
	{ 1, VALUE }, { 1, VALUE },    { 1, VALUE }, { 1, VALUE },   { 1, VALUE },   { 1, VALUE },
	{ 1, VALUE }, { 1, VALUE },    { 1, VALUE }, { 1, VALUE },   { 1, VALUE },   { 1, VALUE },
	{ 1, VALUE }, { 1, VALUE },    { 2, VALUE },
};

static const struct op ops_12_9[] = {
	{ 5, FUNCTION }, { 3, FUNCTION }, { 3, BUILTIN }, { 3, BUILTIN }, { 2, VALUE },
	{ 1, VALUE },	 { 3, VALUE },	  { 4, VALUE },	  { 3, VALUE },	  { 3, VALUE },
	{ 2, VALUE },	 { 1, VALUE },	  { 0, VALUE },	  { 0, VALUE },	  { 3, BEGIN },
	{ 3, BEGIN },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 0, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 2, VALUE },	  { 1, MATCH },
};

/* In 13.6 FUNCTION also has a BytecodeArray; a concatenated string is one instruction. */
static const struct op ops_13_6[] = {
	{ 6, FUNCTION }, { 4, FUNCTION }, { 3, BUILTIN }, { 3, BUILTIN }, { 2, VALUE },
	{ 1, VALUE },	 { 3, VALUE },	  { 4, VALUE },	  { 3, VALUE },	  { 3, VALUE },
	{ 3, VALUE },	 { 1, VALUE },	  { 0, VALUE },	  { 0, VALUE },	  { 3, BEGIN },
	{ 3, BEGIN },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 0, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 0, VALUE },	  { 1, VALUE },	  { 1, VALUE },
	{ 1, VALUE },	 { 1, VALUE },	  { 1, VALUE },	  { 2, VALUE },	  { 1, MATCH },
};

#define N(a) ((u32)(sizeof(a) / sizeof((a)[0])))

static const struct {
	const struct op *ops;
	u32 n;
} forms[] = {
	[V8_DEOPT_8_4] = { ops_8_4, N(ops_8_4) },
	[V8_DEOPT_12_9] = { ops_12_9, N(ops_12_9) },
	[V8_DEOPT_13_6] = { ops_13_6, N(ops_13_6) },
};

struct reader {
	const u8 *bytes;
	size_t n, at;
	enum v8_deopt_form form;
};

static bool next_number(struct reader *r, u32 *value)
{
	bool is_old = r->form == V8_DEOPT_8_4;
	u64 v = 0;

	for (u32 i = 0; i < MAX_NUMBER_BYTES && r->at < r->n; i++) {
		u8 byte = r->bytes[r->at++];

		v |= (u64)(is_old ? byte >> 1 : byte & 0x7f) << 7 * i;
		if (!(byte & (is_old ? 1 : 0x80))) {
			*value = (u32)v;
			return true;
		}
	}
	return false;
}

static s32 to_signed(u32 v)
{
	return v & 1 ? -(s32)(v >> 1) : (s32)(v >> 1);
}

struct insn {
	struct op op;
	u32 operands[3]; /* the first three; for the short MATCH (12.9), the count */
};

static bool next_insn(struct reader *r, struct insn *insn)
{
	u32 code, operand;

	*insn = (struct insn){};
	if (r->form == V8_DEOPT_8_4) {
		if (!next_number(r, &code) || code / 2 >= N(ops_8_4))
			return false;
		code /= 2;
	} else {
		if (r->at >= r->n)
			return false;
		code = r->bytes[r->at++];
	}
	if (code >= forms[r->form].n) {
		insn->op = (struct op){ 0, MATCH };
		insn->operands[0] = code - forms[r->form].n;
		return true;
	}
	insn->op = forms[r->form].ops[code];
	for (u32 i = 0; i < insn->op.n_operands; i++) {
		if (!next_number(r, &operand))
			return false;
		if (i < 3)
			insn->operands[i] = operand;
	}
	return true;
}

/* Iteration over the instructions of a translation, into which those of the basis are inserted. */
struct walk {
	struct reader own, basis;
	bool has_basis;
	u32 n_since; /* number of own instructions since the last instruction of the basis */
	u32 n_matched; /* number of instructions still to take from the basis */
};

static bool next(struct walk *w, struct insn *insn)
{
	if (!w->n_matched) {
		if (!next_insn(&w->own, insn))
			return false;
		if (insn->op.meaning != MATCH) {
			w->n_since++;
			return true;
		}
		if (!w->has_basis || !insn->operands[0])
			return false;
		w->n_matched = insn->operands[0];
		for (; w->n_since; w->n_since--)
			if (!next_insn(&w->basis, insn) || insn->op.meaning == MATCH)
				return false;
	}
	w->n_matched--;
	return next_insn(&w->basis, insn) && insn->op.meaning != MATCH;
}

/*
 * Reads BEGIN. Returns the number of JavaScript frames and sets the number of all frames; or
 * returns -EINVAL.
 */
static int begin(struct walk *w, const u8 *bytes, size_t n, u32 at, enum v8_deopt_form form,
		 int *n_all)
{
	bool is_old = form == V8_DEOPT_8_4;
	struct reader r = { bytes, n, at, form };
	struct insn insn;
	u32 before;

	*w = (struct walk){ .own = r, .basis = r };
	if (!next(w, &insn) || insn.op.meaning != BEGIN)
		return -EINVAL;
	before = is_old ? 0 : insn.operands[0];
	if (before > at)
		return -EINVAL;
	w->has_basis = before;
	w->basis.at = at - before;
	w->basis.n = before > MAX_TRANSLATION_LEN ? w->basis.at + MAX_TRANSLATION_LEN : at;
	*n_all = to_signed(insn.operands[!is_old]);
	return to_signed(insn.operands[1 + !is_old]);
}

static int read_functions(struct walk *w, int n_js, int n_all, struct v8_translated *frames)
{
	struct insn insn;
	int found = 0;

	while (found < n_js) {
		if (!next(w, &insn) || insn.op.meaning == BEGIN)
			return -EINVAL;
		if (insn.op.meaning != FUNCTION && insn.op.meaning != BUILTIN)
			continue;
		frames[found++] = (struct v8_translated){
			.offset = to_signed(insn.operands[0]),
			.literal = to_signed(insn.operands[1]),
			.is_builtin = insn.op.meaning == BUILTIN,
			.is_among_stubs = n_all != n_js,
		};
	}
	return found;
}

int v8_translation_read(const u8 *bytes, size_t n, u32 at, enum v8_deopt_form form,
			struct v8_translated *frames, int max, u32 *len)
{
	struct walk w;
	size_t basis;
	int n_js, n_all;

	*len = 0;
	if (at >= n || form == V8_DEOPT_UNKNOWN || form >= N(forms))
		return -EINVAL;
	if (n - at > MAX_TRANSLATION_LEN)
		n = at + MAX_TRANSLATION_LEN;
	n_js = begin(&w, bytes, n, at, form, &n_all);
	if (n_js < 1)
		return -EINVAL;
	if (n_js > max)
		return -E2BIG;
	basis = w.basis.at;
	n_js = read_functions(&w, n_js, n_all, frames);
	*len = (u32)(w.own.at - at + w.basis.at - basis);
	return n_js;
}

/* ---- safepoints ---- */

/*
 * 8.4	u32 entries, u32 bytes of a map; { u32 pc, point, trampoline } each; the maps
 * 12.9	u32 entries, configuration, tagged and other slots; { pc, point + 1, exit + 1, ... } each,
 *	of as many bytes as bits 0 (are there points?), 1-3 (registers), 4-6 (pc), 7-9 (point)
 *	of the configuration say
 * 13.6	the same after u32 slots of the stack, and without the other slots
 */
static int safepoints_12_9(u32 configuration, struct v8_safepoints *t)
{
	u32 registers = configuration >> 1 & 7;

	if (!(configuration & 1))
		return -EINVAL;
	t->pc_len = configuration >> 4 & 7;
	t->idx_len = configuration >> 7 & 7;
	t->stride = 2 * t->pc_len + t->idx_len + 1 + registers;
	t->is_biased = true;
	return t->pc_len && t->pc_len <= 4 && t->idx_len && t->idx_len <= 4 ? 0 : -EINVAL;
}

int v8_safepoints_of(const u8 *bytes, size_t n, enum v8_deopt_form form, struct v8_safepoints *t)
{
	u32 header[4] = {}, header_len = form == V8_DEOPT_8_4 ? 8 : 16;
	u32 first = form == V8_DEOPT_13_6;
	struct v8_safepoints s = { .pc_len = 4, .idx_len = 4, .stride = 12 };

	if (form == V8_DEOPT_UNKNOWN || n < header_len)
		return -EINVAL;
	memcpy(header, bytes, header_len);
	if (form != V8_DEOPT_8_4 && safepoints_12_9(header[first + 1], &s) < 0)
		return -EINVAL;
	s.entries = bytes + header_len;
	s.n = header[first];
	if (s.n > (n - header_len) / s.stride)
		return -EINVAL;
	*t = s;
	return 0;
}

static u32 number_at(const u8 *p, u32 len)
{
	u32 value = 0;

	memcpy(&value, p, len);
	return value;
}

struct v8_safepoint v8_safepoint_get(const struct v8_safepoints *t, u32 i)
{
	const u8 *p = t->entries + (size_t)i * t->stride, *point = p + t->pc_len;

	return (struct v8_safepoint){
		.pc = number_at(p, t->pc_len),
		.point = (s32)(number_at(point, t->idx_len) - t->is_biased),
		.exit = (s32)(number_at(point + t->idx_len, t->pc_len) - t->is_biased),
	};
}
