/* SPDX-License-Identifier: BSD-2-Clause */

#include "../../inspect/v8/v8_translation.h"
#include "fake_world.h"

#include <string.h>

static const char source[] = "line one\n"
			     "line two\r\n"
			     "line three\r"
			     "line four\n"
			     "outer, inner\n";
#define POS_TWO 14 /* line 2, column 6 */
#define POS_FOUR 30

/*
 * Writes one entry of a position table of V8 13: the delta of the code offset (positive or 0) and
 * the delta of the position.
 */
static u32 put_number(u8 *p, u64 value)
{
	u32 n = 0;

	for (; value > 0x7f; value >>= 7)
		p[n++] = (u8)(value | 0x80);
	p[n++] = (u8)value;
	return n;
}

static u64 zigzag(s64 value)
{
	return (u64)value << 1 ^ (u64)(value >> 63);
}

struct position {
	int code;
	u64 word;
};

static u64 position_table(struct fake_v8 *v, const struct position *p, int n)
{
	u8 bytes[128];
	u32 used = 0;
	int code = -1;
	u64 word = 0;

	for (int i = 0; i < n; i++) {
		used += put_number(bytes + used, zigzag(p[i].code - code));
		used += put_number(bytes + used, zigzag((s64)(p[i].word - word)));
		code = p[i].code;
		word = p[i].word;
	}
	return fake_byte_array(v, bytes, used);
}

static u64 word_of(int offset, int inlining)
{
	return (u64)(offset + 1) << 1 | (u64)(inlining + 1) << 31;
}

struct inlining {
	u64 position;
	s32 function;
	u32 pad;
};

static u64 make_turbofan(struct fake_v8 *v, struct fake_world *w)
{
	const struct position positions[] = { { 8, word_of(POS_TWO, -1) },
					      { 16, word_of(POS_FOUR, 0) } };
	struct inlining inlining = { word_of(POS_TWO, -1), 0, 0 };
	u64 wrapper = fake_object(v, WRAPPER, 16), literals[1] = { w->inner }, deopt[10] = {};

	fake_put(v, wrapper - 1 + 8, w->outer);
	deopt[3] = fake_array(v, WEAK, literals, 1);
	deopt[7] = wrapper;
	deopt[8] = fake_byte_array(v, &inlining, sizeof(inlining));
	return fake_code(v, KIND_TURBOFAN, 64, fake_array(v, PROTECTED, deopt, 10),
			 position_table(v, positions, 2), &w->turbofan_start);
}

/*
 * Maglev's code of outer(), with inner() inlined, and without a position table:
 *
 *	 0  call		point 1: outer at bytecode 0; returns to 8
 *	16  jo 56		point 0, in inner, which outer calls at bytecode 4
 *	24  jo 41		to deferred code
 *	    call		point 2: inner at bytecode 4; returns to 36
 *	40  ret
 *	41  call		in deferred code, without a point; returns to 46
 *	46  jmp 30; int3
 *	56  exits of the points, 4 bytes each
 */
static u64 make_points(struct fake_v8 *v, const struct fake_world *w, u32 kind, u64 positions,
		       u64 tree, bool calls_itself)
{
	const u8 callee = calls_itself ? 2 : 0; /* literal << 1 */
	const u8 translations[] = {
		0x0e, 0, 4, 4, 0x01, 8, 2, 0, 0x01, 0, callee, 0, /* 0 */
		0x0e, 0, 2, 2, 0x01, 0, 2, 0, /* 12 */
		0x0e, 0, 4, 4, 0x01, 8, 2, 0, 0x01, 8, callee, 0, /* 20 */
	};
	static const u8 text[] = {
		[16] = 0x0f, 0x80, 34,	 0,    0,    0,		  [24] = 0x0f,
		0x80,	     11,   0,	 0,    0,    [40] = 0xc3, [46] = 0xe9,
		0xeb,	     0xff, 0xff, 0xff, 0xcc, [63] = 0x90,
	};
	/*
	 * Safepoint table: per entry one byte for pc, one for the point, two for other fields, and
	 * no register bits.
	 */
	static const u8 safepoints[] = { 3, 0, 0, 0, 0x91, 0, 0,  0, 0,	 0, 0,	0, 0, 0,
					 0, 0, 8, 2, 60,   0, 36, 3, 60, 0, 46, 0, 0, 0 };
	u64 wrapper = fake_object(v, WRAPPER, 16), literals[] = { w->inner, w->outer },
	    deopt[21] = {}, start;

	fake_put(v, wrapper - 1 + 8, w->outer);
	deopt[0] = fake_byte_array(v, translations, sizeof(translations));
	deopt[3] = fake_array(v, WEAK, literals, 2);
	deopt[7] = wrapper;
	deopt[8] = tree;
	/*
	 * Fields of the deoptimization data: number of inlined functions, no OSR offset, and
	 * numbers of exits, checks and calls.
	 */
	for (int i = 0; i < 7; i++)
		deopt[(const int[]){ 1, 4, 5, 6, 9, 10, 11 }[i]] =
			fake_smi((const int[]){ 1, -1, -1, 7, 56, 1, 2 }[i]);
	for (int i = 0; i < 3; i++) {
		deopt[12 + 3 * i] = fake_smi((const int[]){ 0, 0, 4 }[i]);
		deopt[12 + 3 * i + 1] = fake_smi((const int[]){ 0, 12, 20 }[i]);
		deopt[12 + 3 * i + 2] = fake_smi(56 + 4 * i);
	}
	fake_code(v, kind, 64, fake_array(v, PROTECTED, deopt, 21), positions, &start);
	fake_bytes(v, start, text, sizeof(text));
	fake_bytes(v, start + 64, safepoints, sizeof(safepoints));
	return start;
}

u64 fake_deferred_code(struct fake_v8 *v, const struct fake_world *w)
{
	static const u8 translations[] = {
		0x0e, 0, 4, 4, 0x01, 8, 2, 0, 0, 0x01, 0, 0, 0, 0, /* 0 */
		0x0e, 0, 4, 4, 0x01, 0, 2, 0, 0, 0x02, 6, 2, 0, /* 14: with a builtin */
		0x0e, 0, 4, 4, 0x01, 8, 2, 0, 0, 0x01, 8, 0, 0, 0, /* 27 */
	};
	static const u8 text[68] = {
		[16] = 0x0f, 0x80, 34,	 0,	      0,	   0,		[24] = 0x0f, 0x80,
		11,	     0,	   0,	 0,	      [40] = 0xc3, [46] = 0xe9, 0xeb,	     0xff,
		0xff,	     0xff, 0xcc, [56] = 0x41, 0xff,	   0x55,	0xd8,	     0x41,
		0xff,	     0x55, 0xe0, 0x41,	      0xff,	   0x55,	0xe0,
	};
	static const u8 safepoints[] = { 0, 0, 0, 0, 3,	 0, 0,	0, 0x91, 0, 0,	0, 0, 0,
					 0, 0, 8, 2, 61, 0, 36, 3, 65,	 0, 46, 2, 0, 0 };
	const struct position positions[] = { { 4, word_of(POS_TWO, -1) },
					      { 14, word_of(POS_FOUR, 0) },
					      { 38, word_of(POS_FOUR, -1) } };
	struct inlining tree = { word_of(POS_TWO, -1), 0, 0 };
	u64 wrapper = fake_object(v, WRAPPER, 16), literals[] = { w->inner, w->outer },
	    deopt[21] = {}, start;

	v->build.layout.deopt_form = V8_DEOPT_13_6;
	v->build.layout.lacks[V8_TIER_MAGLEV] = V8_NO_DEFERRED;
	fake_put(v, wrapper - 1 + 8, w->outer);
	deopt[0] = fake_byte_array(v, translations, sizeof(translations));
	deopt[3] = fake_array(v, WEAK, literals, 2);
	deopt[7] = wrapper;
	deopt[8] = fake_byte_array(v, &tree, sizeof(tree));
	deopt[9] = fake_smi(56);
	for (int i = 0; i < 3; i++) {
		deopt[12 + 3 * i] = fake_smi((const int[]){ 0, 0, 4 }[i]);
		deopt[12 + 3 * i + 1] = fake_smi((const int[]){ 0, 14, 27 }[i]);
		deopt[12 + 3 * i + 2] = fake_smi(56 + 4 * i);
	}
	fake_code(v, KIND_MAGLEV, sizeof(text), fake_array(v, PROTECTED, deopt, 21),
		  position_table(v, positions, 3), &start);
	fake_bytes(v, start, text, sizeof(text));
	fake_bytes(v, start + sizeof(text), safepoints, sizeof(safepoints));
	return start;
}

static void make_maglev(struct fake_v8 *v, struct fake_world *w)
{
	u64 nothing = fake_byte_array(v, "", 0);

	w->maglev_start = make_points(v, w, KIND_MAGLEV, nothing, nothing, false);
}

u64 fake_inlined_call(struct fake_v8 *v, const struct fake_world *w, enum fake_call how)
{
	const bool is_seen = how == FAKE_CALL_SEEN || how == FAKE_CALL_OF_ITSELF;
	const struct position positions[] = {
		{ 8, word_of(POS_TWO, -1) },
		{ is_seen ? 16 : 18, word_of(POS_TWO, 0) },
		{ is_seen ? 60 : 22, word_of(how == FAKE_CALL_ALSO_MADE ? POS_TWO : POS_FOUR, -1) },
	};
	const struct inlining tree[] = {
		{ word_of(POS_TWO, -1), how == FAKE_CALL_OF_ITSELF ? -1 : 0, 0 },
		{ word_of(how == FAKE_CALL_OF_TWO ? POS_TWO : POS_FOUR, -1), 0, 0 },
	};

	return make_points(v, w, KIND_TURBOFAN, position_table(v, positions, 3),
			   fake_byte_array(v, tree, sizeof(tree)), how == FAKE_CALL_OF_ITSELF);
}

/*
 * The code: checks of 6 bytes each, then exits of one byte each. At exit n, outer() is at bytecode
 * 4 + n, for which the position table of outer() has no entry.
 */
u64 fake_checks(struct fake_v8 *v, const struct fake_world *w, u32 n_checks, u32 n_exits)
{
	const struct position positions[] = { { 0, word_of(POS_TWO, 0) } };
	const struct inlining tree = { word_of(POS_TWO, -1), 0, 0 };
	const u32 first_exit = 6 * n_checks, len = first_exit + n_exits;
	u64 wrapper = fake_object(v, WRAPPER, 16), literals[] = { w->inner, w->outer },
	    deopt[12 + 3 * FAKE_MAX_EXITS] = {}, start;
	static const u8 safepoints[16] = { [4] = 0x91 };
	u8 translations[14 * FAKE_MAX_EXITS];

	fake_put(v, wrapper - 1 + 8, w->outer);
	for (u32 i = 0; i < n_exits; i++) {
		const u32 at = 2 * (4 + i);
		const u8 t[14] = { 0x0e, 0, 4, 4, 0x01, (u8)(at | 0x80), (u8)(at >> 7), 2,
				   0,	 1, 0, 0, 0 };

		memcpy(translations + 14 * i, t, sizeof(t));
		deopt[12 + 3 * i + 1] = fake_smi((s32)(14 * i));
		deopt[12 + 3 * i + 2] = fake_smi((s32)(first_exit + i));
	}
	deopt[0] = fake_byte_array(v, translations, 14 * n_exits);
	deopt[3] = fake_array(v, WEAK, literals, 2);
	deopt[7] = wrapper;
	deopt[8] = fake_byte_array(v, &tree, sizeof(tree));
	fake_code(v, KIND_TURBOFAN, len, fake_array(v, PROTECTED, deopt, 12 + 3 * n_exits),
		  position_table(v, positions, 1), &start);
	for (u32 i = 0; i < n_checks; i++) {
		const u32 to = first_exit + i % n_exits - 6 * (i + 1);
		u8 check[6] = { 0x0f, 0x80 };

		memcpy(check + 2, &to, sizeof(to));
		fake_bytes(v, start + 6 * i, check, sizeof(check));
	}
	fake_bytes(v, start + len, safepoints, sizeof(safepoints));
	return start;
}

u64 fake_deopt_exits(struct fake_v8 *v, const struct fake_world *w, bool is_cleared)
{
	const struct position positions[] = { { 4, word_of(POS_TWO, -1) },
					      { 16, word_of(POS_FOUR, 0) },
					      { 22, word_of(POS_TWO, -1) },
					      { 28, word_of(POS_FOUR, -1) },
					      { 40, word_of(POS_TWO, -1) } };
	static const u8 text[] = {
		[8] = 0xe8,  [16] = 0x0f, 0x80, 22,   [22] = 0x0f, 0x80, 20,   [28] = 0x0f,
		0x80,	     14,	  0,	0,    0,	   0x0f, 0x80, 12,
		[44] = 0x41, 0xff,	  0x55, 0xd8, 0x41,	   0xff, 0x55, 0xd8,
		0x41,	     0xff,	  0x55, 0xd8, 0x41,	   0xff, 0x55, 0xe0,
	};
	struct inlining tree = { word_of(POS_TWO, -1), 0, 0 };
	u64 wrapper = fake_object(v, WRAPPER, 16), literals[] = { w->inner }, deopt[24] = {}, start;

	fake_put(v, wrapper - 1 + 8, w->outer);
	deopt[3] = fake_array(v, WEAK, literals, 1);
	deopt[7] = wrapper;
	deopt[8] = fake_byte_array(v, &tree, sizeof(tree));
	deopt[9] = fake_smi(44);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 3; k++)
			deopt[12 + 3 * i + k] = fake_smi(i == 3 && k == 2 ? 13 : -1);
	fake_code(v, KIND_TURBOFAN, sizeof(text),
		  fake_array(v, PROTECTED, deopt, is_cleared ? 0 : 24),
		  position_table(v, positions, 5), &start);
	fake_bytes(v, start, text, sizeof(text));
	return start;
}

void fake_world(struct fake_v8 *v, struct fake_world *w)
{
	static const u8 bytecodes[] = { FAKE_OP, 0, FAKE_OP, 0, FAKE_OP, 0, FAKE_RETURN };
	/* A prologue of 8 bytes, then 8 bytes for each bytecode. */
	static const u8 offsets[] = { 8, 8, 8, 8, 8 };
	const struct position positions[] = { { -1, word_of(POS_TWO, -1) },
					      { 4, word_of(POS_FOUR, -1) } };
	u64 undefined;

	fake_init(v);
	v->build.bytecode_sizes[0][FAKE_OP] = 2;
	v->build.bytecode_sizes[0][FAKE_RETURN] = 1;
	undefined = fake_object(v, 131, 40);
	w->script = fake_script(v, fake_string(v, "/srv/app.js"), fake_string(v, source));
	w->bytecode =
		fake_bytecode(v, bytecodes, sizeof(bytecodes), position_table(v, positions, 2));
	w->inner_bytecode =
		fake_bytecode(v, bytecodes, sizeof(bytecodes), position_table(v, positions, 2));
	w->outer = fake_sfi(v, fake_scope(v, FUNCTION_SCOPE, 3, fake_string(v, "outer"), undefined),
			    w->script, w->bytecode);
	w->inner = fake_sfi(v, fake_scope(v, FUNCTION_SCOPE, 0, fake_string(v, "inner"), undefined),
			    w->script, w->inner_bytecode);
	w->builtin = fake_sfi(v, fake_string(v, "map"), undefined, fake_smi(99));
	fake_code(v, KIND_BASELINE, 40, w->bytecode, fake_byte_array(v, offsets, sizeof(offsets)),
		  &w->baseline_start);
	make_turbofan(v, w);
	make_maglev(v, w);
}

u64 fake_offset_slot(int offset)
{
	return fake_smi(offset + 64 - 1);
}

struct list {
	struct fake_scene *at;
	u32 n;
};

static void add(struct list *l, struct uw_frame frame, struct fake_expected e)
{
	l->at[l->n++] = (struct fake_scene){ .frame = frame, .expected = e };
}

struct uw_frame fake_js(u64 pc, u64 sfi, u64 b, u64 bytecode, u8 flags)
{
	return (struct uw_frame){
		.pc = pc, .a = sfi, .b = b, .aux = (u32)bytecode, .kind = UW_V8_JS, .flags = flags
	};
}

/*
 * Frames of functions that are being entered or left, for which no return address gives the
 * position.
 */
static void at_edges(struct list *l, const struct fake_world *w)
{
	const u64 blob = FAKE_BLOB_ADDR;
	struct uw_frame half =
		fake_js(blob + FAKE_HANDLER + 8, w->outer, fake_offset_slot(0), w->bytecode, 0);
	u32 first = l->n + 1;

	add(l, fake_js(blob + FAKE_ENTRY, w->outer, fake_offset_slot(1), w->bytecode, UW_FRAME_RA),
	    (struct fake_expected){ "a frame that is about to continue in the interpreter",
				    1,
				    { { "outer", 2, 6, V8_TIER_INTERPRETED, V8_NAME_JS } } });
	add(l, half,
	    (struct fake_expected){ "a handler whose array register is overwritten",
				    1,
				    { { "outer", 4, 1, V8_TIER_INTERPRETED, V8_NAME_JS } } });
	l->at[l->n - 1].interp[0] = 64 - 1 + 4;
	l->at[l->n - 1].interp[1] = 7;
	add(l, fake_js(blob + FAKE_PROLOGUE + 8, w->outer, 0, 0, 0),
	    (struct fake_expected){
		    "a builtin that enters baseline code",
		    2,
		    { { "BaselineOutOfLinePrologue", 0, 0, V8_TIER_NONE, V8_NAME_BUILTIN },
		      { "outer", 2, 6, V8_TIER_BASELINE, V8_NAME_JS } } });
	add(l, half,
	    (struct fake_expected){
		    "a builtin without a frame that enters baseline code",
		    2,
		    { { "BaselineOutOfLinePrologue", 0, 0, V8_TIER_NONE, V8_NAME_BUILTIN },
		      { "outer", 2, 6, V8_TIER_BASELINE, V8_NAME_JS } } });
	l->at[l->n - 1].frame = (struct uw_frame){ .pc = blob + FAKE_PROLOGUE, .kind = UW_V8_CODE };
	l->at[l->n - 1].interp[1] = w->bytecode;
	add(l, fake_js(blob + FAKE_LEAVE + 8, w->outer, 0, 0, 0),
	    (struct fake_expected){ "a builtin that leaves baseline code",
				    2,
				    { { "BaselineLeaveFrame", 0, 0, V8_TIER_NONE, V8_NAME_BUILTIN },
				      { "outer", 4, 1, V8_TIER_BASELINE, V8_NAME_JS } } });
	for (; first < l->n; first++)
		l->at[first].needs_symbols = true;
}

static void in_maglev(struct list *l, const struct fake_world *w)
{
	const struct {
		const char *what;
		u8 off, flags;
		int n;
		u32 line, column; /* line and column of the innermost function */
	} cases[] = {
		{ "Maglev, a call", 8, UW_FRAME_RA, 1, 2, 6 },
		{ "Maglev, a call in an inlined function", 36, UW_FRAME_RA, 2, 4, 1 },
		{ "Maglev, a check", 16, 0, 2, 0, 0 },
		{ "Maglev, code between a check and a call", 20, 0, 2, 0, 0 },
		{ "Maglev, code before an inlined function", 12, 0, 1, 0, 0 },
		{ "Maglev, code before the first deoptimization point", 4, 0, 1, 0, 0 },
		{ "Maglev, code after the last deoptimization point", 38, 0, 1, 0, 0 },
		{ "Maglev, the deoptimization exit of a check", 58, 0, 2, 2, 6 },
		{ "Maglev, the deoptimization exit of a call", 61, 0, 1, 2, 6 },
		{ "Maglev, deferred code", 42, 0, 2, 0, 0 },
		{ "Maglev, a call in deferred code", 46, UW_FRAME_RA, 2, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fake_expected e = { cases[i].what, cases[i].n, {} };

		for (int k = 0; k < e.n; k++) {
			e.names[k].name = k < e.n - 1 ? "inner" : "outer";
			e.names[k].tier = V8_TIER_MAGLEV;
			e.names[k].kind = V8_NAME_JS;
			e.names[k].line = k ? 4 : cases[i].line;
			e.names[k].column = k ? 1 : cases[i].column;
		}
		add(l, fake_js(w->maglev_start + cases[i].off, w->outer, 0, 0, cases[i].flags), e);
	}
}

u32 fake_scenes(const struct fake_world *w, struct fake_scene *scenes)
{
	const u64 entry = FAKE_BLOB_ADDR + FAKE_ENTRY + 8,
		  handler = FAKE_BLOB_ADDR + FAKE_HANDLER + 8;
	const u64 plain = FAKE_BLOB_ADDR + FAKE_PLAIN + 8;
	struct list l = { scenes, 0 };

	add(&l, fake_js(entry, w->outer, fake_offset_slot(1), w->bytecode, UW_FRAME_RA),
	    (struct fake_expected){ "interpreted, a call",
				    1,
				    { { "outer", 2, 6, V8_TIER_INTERPRETED, V8_NAME_JS } } });
	add(&l, fake_js(handler, w->outer, fake_offset_slot(0), w->bytecode, 0),
	    (struct fake_expected){ "in a handler, the offset is in the register",
				    1,
				    { { "outer", 4, 1, V8_TIER_INTERPRETED, V8_NAME_JS } } });
	scenes[1].interp[0] = 64 - 1 + 4;
	scenes[1].interp[1] = w->bytecode;
	add(&l, fake_js(w->baseline_start + 8 + 16 + 8, w->outer, 0, 0, UW_FRAME_RA),
	    (struct fake_expected){
		    "baseline, a call", 1, { { "outer", 4, 1, V8_TIER_BASELINE, V8_NAME_JS } } });
	add(&l, fake_js(w->turbofan_start + 12, w->outer, 0, 0, 0),
	    (struct fake_expected){
		    "optimized", 1, { { "outer", 2, 6, V8_TIER_TURBOFAN, V8_NAME_JS } } });
	add(&l, fake_js(w->turbofan_start + 20, w->outer, 0, 0, UW_FRAME_RA),
	    (struct fake_expected){ "optimized code with an inlined call",
				    2,
				    { { "inner", 4, 1, V8_TIER_TURBOFAN, V8_NAME_JS },
				      { "outer", 2, 6, V8_TIER_TURBOFAN, V8_NAME_JS } } });
	add(&l, fake_js(plain, w->outer, 0, 0, 0),
	    (struct fake_expected){ "a builtin without a frame",
				    2,
				    { { "StringAdd", 0, 0, V8_TIER_NONE, V8_NAME_BUILTIN },
				      { "outer", 4, 1, V8_TIER_BASELINE, V8_NAME_JS } } });
	scenes[5].sp_words[0] = FAKE_BLOB_ADDR + FAKE_PLAIN + 0x40;
	scenes[5].sp_words[1] = w->baseline_start + 8 + 16 + 8;
	add(&l, fake_js(plain, w->builtin, 0, 0, UW_FRAME_RA),
	    (struct fake_expected){
		    "a builtin function", 1, { { "map", 0, 0, V8_TIER_NONE, V8_NAME_BUILTIN } } });
	add(&l,
	    (struct uw_frame){
		    .pc = w->turbofan_start + 12, .kind = UW_V8_CODE, .status = UW_F_NO_FRAME },
	    (struct fake_expected){ "optimized code without a frame",
				    1,
				    { { "outer", 2, 6, V8_TIER_TURBOFAN, V8_NAME_JS } } });
	add(&l, (struct uw_frame){ .pc = plain, .a = 18 << 1, .kind = UW_V8_STUB },
	    (struct fake_expected){ "a stub in a builtin",
				    1,
				    { { "StringAdd", 0, 0, V8_TIER_NONE, V8_NAME_STUB } } });
	add(&l,
	    (struct uw_frame){ .pc = FAKE_CODE_ADDR + 0x8000, .a = 18 << 1, .kind = UW_V8_STUB },
	    (struct fake_expected){ "a stub named by its frame type",
				    1,
				    { { "StubFrame", 0, 0, V8_TIER_NONE, V8_NAME_STUB } } });
	add(&l, (struct uw_frame){ .pc = plain, .a = 26 << 1, .b = w->builtin, .kind = UW_V8_STUB },
	    (struct fake_expected){
		    "a builtin in C++", 1, { { "map", 0, 0, V8_TIER_NONE, V8_NAME_BUILTIN } } });
	add(&l, (struct uw_frame){ .pc = plain, .a = 26 << 1, .b = w->outer, .kind = UW_V8_STUB },
	    (struct fake_expected){ "an exit frame whose function is not a builtin",
				    1,
				    { { "StringAdd", 0, 0, V8_TIER_NONE, V8_NAME_STUB } } });
	add(&l,
	    (struct uw_frame){ .pc = FAKE_CODE_ADDR + 0x8000, .a = 31 << 1, .kind = UW_V8_STUB },
	    (struct fake_expected){ "a regular expression",
				    1,
				    { { "RegExp", 0, 0, V8_TIER_NONE, V8_NAME_REGEXP } } });
	at_edges(&l, w);
	in_maglev(&l, w);
	return l.n;
}
