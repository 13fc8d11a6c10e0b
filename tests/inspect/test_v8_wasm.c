/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Functions of WebAssembly, in hand-made C++ objects with the layout of V8 13.6 (v8_wasm.c cites
 * its sources). The module imports one function and defines four. V8's map of code has code of
 * function 2, and older code of function 1. The list of new code has newer code of function 1, and
 * code of function 3, which has no name. Function 4 has no code. V8 8.4 has no list of new code.
 */

#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "fake_v8.h"

#define REGION FAKE_CODE_ADDR
#define CODE_LEN 0x100
#define WASM_FRAME 4
#define STATE_LEN 0x200
#define MODULE_LEN 0x300
#define MAP_OFF 0x28 /* offset in the state */
#define BYTES_OFF 0xf0 /* offsets in the module */
#define CODES_OFF 0x140
#define HAS_NO_CODE (-1)

static struct fake_v8 v;
static struct uw_sample sample;
static struct v8_name names[V8_MAX_NAMES];
static u64 module_addr, bytes_addr, table_addr, list_addr, inlined_addr;

/*
 * The bytes of module "mod", which defines four functions. Names: 1 "inner", 2
 * "\xff-ter" (invalid UTF-8), 3 ""
 */
static const u8 module_bytes[] = {
	0,
	'a',
	's',
	'm',
	1,
	0,
	0,
	0,
	/* 3: four functions of type 0 */
	3,
	5,
	4,
	0,
	0,
	0,
	0,
	/* an unrelated custom section */
	0,
	5,
	3,
	'p',
	'a',
	'd',
	7,
	/* names */
	0,
	29,
	4,
	'n',
	'a',
	'm',
	'e',
	0,
	4,
	3,
	'm',
	'o',
	'd',
	1,
	16,
	3,
	1,
	5,
	'i',
	'n',
	'n',
	'e',
	'r',
	2,
	4,
	0xff,
	't',
	'e',
	'r',
	3,
	0,
};

static u64 make_code(u32 at, s32 function)
{
	u64 addr = fake_alloc(&v, 0x70);

	fake_put(&v, addr, module_addr);
	fake_put(&v, addr + 8, REGION + at);
	fake_put(&v, addr + 0x20, CODE_LEN);
	fake_put(&v, addr + 0x38, (u32)function | (u64)CODE_LEN << 32);
	return addr;
}

static u64 make_node(u64 parent, u64 key, u64 first, u64 second)
{
	u64 addr = fake_alloc(&v, 56);
	const u64 node[] = { 1, parent, 0, 0, key, first, second };

	fake_bytes(&v, addr, node, sizeof(node));
	return addr;
}

static u64 pointer_to(const u64 *words, u32 n)
{
	u64 addr = fake_alloc(&v, 8 * n);

	fake_bytes(&v, addr, words, 8 * n);
	return addr;
}

/*
 * The map has the code of function 2, older code of 1, and code of no function; the list has the
 * code of 3 and newer code of 1. The table of functions has the newest code of 1, 2 and 3.
 */
static void build_module(u64 bytes_len)
{
	u64 codes = module_addr + CODES_OFF, root, right, left, functions[4];
	u64 fresh[2];

	root = make_node(codes, REGION + 0x100, make_code(0x100, 2), 0);
	left = make_node(root, REGION, make_code(0, HAS_NO_CODE), 0);
	right = make_node(root, REGION + 0x200, make_code(0x200, 1), 0);
	fake_put(&v, root + 16, left);
	fake_put(&v, root + 24, right);
	fresh[0] = make_code(0x400, 3);
	fresh[1] = make_code(0x300, 1);
	list_addr = pointer_to(fresh, 2);
	functions[0] = fresh[1];
	functions[1] = make_code(0x100, 2);
	functions[2] = fresh[0];
	functions[3] = 0;
	table_addr = pointer_to(functions, 4);
	fake_put(&v, module_addr + BYTES_OFF,
		 pointer_to((const u64[]){ bytes_addr, bytes_len }, 2));
	fake_put(&v, codes + 8, root);
	fake_put(&v, codes + 16, left);
	fake_put(&v, codes + 24, right);
	fake_put(&v, codes + 32, 3);
	fake_put(&v, codes + 40, list_addr);
	fake_put(&v, codes + 48, list_addr + 16);
	fake_put(&v, codes + 56, list_addr + 16);
	fake_put(&v, codes + 64, table_addr);
}

static void build(u64 bytes_len)
{
	u64 state, root;

	memset(&sample, 0, sizeof(sample));
	fake_init(&v);
	state = fake_alloc(&v, STATE_LEN);
	module_addr = fake_alloc(&v, MODULE_LEN);
	bytes_addr = fake_alloc(&v, 2 * sizeof(module_bytes));
	fake_bytes(&v, bytes_addr, module_bytes, sizeof(module_bytes));
	v.build.blob_addr = FAKE_BLOB_ADDR;
	v.build.wasm_state_addr = pointer_to(&state, 1);
	root = make_node(state + MAP_OFF, REGION, REGION + 0x1000, module_addr);
	fake_put(&v, state + MAP_OFF + 8, root);
	build_module(bytes_len);
}

static int name_at(struct v8_heap *h, u32 at, u8 kind)
{
	sample.n_frames = 1;
	sample.frames[0] = (struct uw_frame){
		.pc = REGION + at,
		.kind = kind,
		.a = WASM_FRAME << 1,
	};
	if (kind == UW_V8_CODE)
		sample.frames[0].a = 0;
	return v8_heap_name(h, &sample, 0, names);
}

struct expected {
	u32 at;
	const char *name; /* NULL: the function has no name */
};

#define URL "wasm://wasm/mod-"

static void each_function_has_the_expected_name_and_module(void **state)
{
	static const struct expected rows[] = {
		{ 0x10, NULL },	    { 0x100, "\xef\xbf\xbdter" }, { 0x1ff, "\xef\xbf\xbdter" },
		{ 0x200, "inner" }, { 0x310, "inner" },		  { 0x4ff, "wasm-function[3]" },
		{ 0x500, NULL },
	};
	struct v8_heap *h;

	(void)state;
	build(sizeof(module_bytes));
	h = fake_heap(&v);
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		const struct expected *e = &rows[i / 2];

		assert_int_equal(name_at(h, e->at, i % 2 ? UW_V8_CODE : UW_V8_STUB), 1);
		if (!e->name) {
			assert_null(names[0].name);
			assert_non_null(names[0].reason);
			continue;
		}
		assert_string_equal(names[0].name, e->name);
		assert_int_equal(names[0].kind, V8_NAME_WASM);
		assert_memory_equal(names[0].file, URL, strlen(URL));
	}
	v8_heap_free(&h);
}

static u32 put_number(u8 *to, u64 v)
{
	u32 n = 0;

	for (; v > 0x7f; v >>= 7)
		to[n++] = (u8)v | 0x80;
	to[n++] = (u8)v;
	return n;
}

/* A position word: source offset 10, in inlined call number @call (-1: not inlined). */
static u64 position_of(s32 call)
{
	return 11 << 1 | (u64)(call + 1) << 31;
}

/*
 * Makes code of function 2 whose bytes from 16 on are those of function 3, inlined into function 1,
 * which is inlined into function 2.
 */
static void inline_two(bool is_tail_call)
{
	u64 code = make_code(0x100, 2), meta = fake_alloc(&v, 64), root, caller;
	u8 bytes[64] = { [2] = 0xff };
	u32 n = 5, start = n;

	n += put_number(bytes + n, 1 << 1); /* to byte 0 */
	n += put_number(bytes + n, position_of(-1) << 1);
	n += put_number(bytes + n, 16 << 1);
	n += put_number(bytes + n, (position_of(1) - position_of(-1)) << 1);
	fake_put(&v, code + 0x18, meta);
	fake_put(&v, code + 0x20, CODE_LEN | 3ull << 32);
	fake_put(&v, code + 0x28, (n - start) | 26ull << 32);
	fake_put(&v, code + 0x30, 2ull << 32);
	inlined_addr = meta + n;
	for (int i = 0; i < 2; i++) {
		caller = position_of(i - 1);
		memcpy(bytes + n, &(u32){ i ? 3 : 1 }, 4);
		bytes[n + 4] = i && is_tail_call;
		memcpy(bytes + n + 5, &caller, 8);
		n += 13;
	}
	fake_bytes(&v, meta, bytes, n);
	memcpy(&root, v.heap + (module_addr + CODES_OFF + 8 - FAKE_HEAP_ADDR), sizeof(root));
	fake_put(&v, root + 40, code);
	v.build.layout.wasm_inlines = 1;
}

static void function_that_was_inlined_into_another_function_is_named(void **state)
{
	struct v8_heap *h;

	(void)state;
	for (int is_tail_call = 0; is_tail_call < 2; is_tail_call++) {
		build(sizeof(module_bytes));
		inline_two(is_tail_call);
		h = fake_heap(&v);
		assert_int_equal(name_at(h, 0x108, UW_V8_STUB), 1);
		assert_string_equal(names[0].name, "\xef\xbf\xbdter");
		for (int i = 0; i < 2; i++) {
			assert_int_equal(name_at(h, 0x118, i ? UW_V8_CODE : UW_V8_STUB),
					 3 - is_tail_call);
			assert_string_equal(names[0].name, "wasm-function[3]");
			assert_true(names[0].inlined);
			assert_string_equal(names[1].name,
					    is_tail_call ? "\xef\xbf\xbdter" : "inner");
			assert_int_equal(names[1].inlined, !is_tail_call);
			assert_null(names[0].reason);
		}
		v8_heap_free(&h);
	}
}

/*
 * Inlined calls that are invalid: one that is inlined into itself, one past the end of the list,
 * one of a function that does not exist.
 */
static void inlined_function_has_no_name_if_the_inlining_data_is_invalid(void **state)
{
	static const struct {
		u32 off; /* offset in the list of inlined calls */
		u64 value;
	} rows[] = { { 5, 11 << 1 | 1ull << 31 }, { 5, 11 << 1 | 7ull << 31 }, { 0, 99 } };
	struct v8_heap *h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		build(sizeof(module_bytes));
		inline_two(false);
		fake_bytes(&v, inlined_addr + 4, "\1",
			   1); /* after a tail call no caller's frame confirms the function */
		fake_bytes(&v, inlined_addr + rows[i].off, &rows[i].value, i < 2 ? 8 : 4);
		h = fake_heap(&v);
		assert_int_equal(name_at(h, 0x118, UW_V8_STUB), 1);
		assert_string_equal(names[0].name, "\xef\xbf\xbdter");
		assert_non_null(names[0].reason);
		v8_heap_free(&h);
	}
}

/* V8 moves the code from its list to the map, then fills the list again at the same address. */
static void code_is_found_after_v8_emptied_and_refilled_the_code_list(void **state)
{
	struct v8_heap *h;

	(void)state;
	build(sizeof(module_bytes));
	h = fake_heap(&v);
	name_at(h, 0x300, UW_V8_STUB);
	assert_string_equal(names[0].name, "inner");
	fake_put(&v, list_addr, make_code(0x700, 3));
	fake_put(&v, list_addr + 8, make_code(0x600, 1));
	fake_put(&v, module_addr + CODES_OFF + 32, 5);
	name_at(h, 0x600, UW_V8_STUB);
	assert_string_equal(names[0].name, "inner");
	name_at(h, 0x700, UW_V8_STUB);
	assert_string_equal(names[0].name, "wasm-function[3]");
	v8_heap_free(&h);
}

/*
 * Before V8 9.0 the table of functions is at the offset at which later versions have the list; its
 * code must not be read as that of the list.
 */
static void webassembly_code_of_v8_before_9_is_searched_only_in_the_code_map(void **state)
{
	struct v8_layout old;
	struct v8_heap *h;

	(void)state;
	build(sizeof(module_bytes));
	v8_layout_sum(&old, V8_VERSION(8, 4), &v8_versions);
	v.build.layout.wasm_fresh = old.wasm_fresh;
	v.build.layout.wasm_table = old.wasm_table;
	fake_put(&v, module_addr + CODES_OFF + 40, table_addr);
	fake_put(&v, module_addr + CODES_OFF + 48, table_addr + 32);
	fake_put(&v, module_addr + CODES_OFF + 64, 0);
	h = fake_heap(&v);
	name_at(h, 0x200, UW_V8_STUB);
	assert_string_equal(names[0].name, "inner");
	name_at(h, 0x400, UW_V8_STUB);
	assert_null(names[0].name);
	v8_heap_free(&h);
}

/* The URL that Node.js 16 to 24 printed in Error.stack for this module, "mymod". */
static void module_has_the_url_that_v8_assigns_to_the_module(void **state)
{
	static const u8 like_v8s[] = {
		0, 'a', 's', 'm', 1,   0,   0,	 0,    1, 4,  1, 0x60, 0,   0,	 2,   7,
		1, 1,	'e', 1,	  'f', 0,   0,	 3,    2, 1,  0, 7,    5,   1,	 1,   'r',
		0, 1,	10,  6,	  1,   4,   0,	 0x10, 0, 11, 0, 5,    3,   'p', 'a', 'd',
		7, 0,	13,  4,	  'n', 'a', 'm', 'e',  0, 6,  5, 'm',  'y', 'm', 'o', 'd',
	};
	struct v8_heap *h;

	(void)state;
	build(sizeof(like_v8s));
	fake_bytes(&v, bytes_addr, like_v8s, sizeof(like_v8s));
	fake_put(&v, table_addr + 8, 0);
	fake_put(&v, table_addr + 16, 0);
	h = fake_heap(&v);
	name_at(h, 0x200, UW_V8_STUB);
	assert_string_equal(names[0].name, "wasm-function[1]");
	assert_string_equal(names[0].file, "wasm://wasm/mymod-c16fdd86");
	v8_heap_free(&h);
}

/* The effect of a wrong offset in the layout, as for an unknown newer V8. */
static void function_has_no_name_if_v8s_table_has_its_code_at_another_index(void **state)
{
	struct v8_heap *h;
	u64 swapped[2];

	(void)state;
	build(sizeof(module_bytes));
	memcpy(swapped, v.heap + (table_addr - FAKE_HEAP_ADDR), sizeof(swapped));
	fake_put(&v, table_addr, swapped[1]);
	fake_put(&v, table_addr + 8, swapped[0]);
	h = fake_heap(&v);
	for (u32 at = 0; at < 0x600; at += 0x80) {
		name_at(h, at, UW_V8_STUB);
		assert_null(names[0].name);
	}
	v8_heap_free(&h);
}

static bool may_be(const char *name)
{
	return !name || !strncmp(name, "wasm-function[", 14) || !strcmp(name, "inner") ||
	       !strcmp(name, "\xef\xbf\xbdter");
}

static void function_of_a_truncated_module_has_the_right_name_or_none(void **state)
{
	(void)state;
	for (u64 len = 0; len < sizeof(module_bytes); len++) {
		struct v8_heap *h;

		build(len);
		h = fake_heap(&v);
		for (u32 at = 0; at < 0x600; at += 0x80) {
			name_at(h, at, UW_V8_STUB);
			assert_true(may_be(names[0].name));
		}
		v8_heap_free(&h);
	}
}

static void name_that_extends_past_the_section_is_ignored(void **state)
{
	const u8 *inner = memmem(module_bytes, sizeof(module_bytes), "inner", 5);
	u8 left = (u8)(module_bytes + sizeof(module_bytes) - inner);

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct v8_heap *h;
		u8 len = (u8)(left + i); /* up to the end of the section, then one byte more */

		build(sizeof(module_bytes));
		fake_bytes(&v, bytes_addr + (u64)(inner - module_bytes) - 1, &len, 1);
		h = fake_heap(&v);
		name_at(h, 0x200, UW_V8_STUB);
		assert_non_null(names[0].name);
		assert_int_equal(strcmp(names[0].name, "wasm-function[1]") == 0, i);
		assert_int_equal(strncmp(names[0].name, "inner", 5) == 0, !i);
		v8_heap_free(&h);
	}
}

static void function_without_a_name_in_the_module_is_named_by_index(void **state)
{
	const u8 *mod = memmem(module_bytes, sizeof(module_bytes), "mod", 3);
	const u8 other_id = 2, other_idx = 9;
	struct v8_heap *h;

	(void)state;
	build(sizeof(module_bytes));
	/*
	 * Replaces the subsection with id 0 (the module's name), and the index of the name of
	 * function 3.
	 */
	fake_bytes(&v, bytes_addr + (u64)(mod - module_bytes) - 3, &other_id, 1);
	fake_bytes(&v, bytes_addr + sizeof(module_bytes) - 2, &other_idx, 1); /* was 3 */
	h = fake_heap(&v);
	name_at(h, 0x400, UW_V8_STUB);
	assert_string_equal(names[0].name, "wasm-function[3]");
	v8_heap_free(&h);
}

static void failing_read_gives_no_wrong_name_and_corrupt_read_causes_no_crash(void **state)
{
	int n_named = 0;

	(void)state;
	for (int i = 1; i < 400; i++) {
		struct v8_heap *h;

		build(sizeof(module_bytes));
		v.fault_every = i % 2 ? i : 0;
		v.corrupt_at = i % 2 ? 0 : i / 2;
		v.lie_seed = (u32)i;
		h = fake_heap(&v);
		for (u32 at = 0; at < 0x600; at += 0x80) {
			name_at(h, at, UW_V8_STUB);
			assert_true(v.corrupt_at || may_be(names[0].name));
			n_named += names[0].name != NULL;
		}
		v8_heap_free(&h);
	}
	assert_true(n_named > 400);
}

/* The module was freed, and another one with the same code but other bytes is at its address. */
static void new_module_at_the_address_of_an_old_one_has_the_new_names(void **state)
{
	u64 other = 0;
	struct v8_heap *h;

	(void)state;
	build(sizeof(module_bytes));
	h = fake_heap(&v);
	name_at(h, 0x200, UW_V8_STUB);
	assert_string_equal(names[0].name, "inner");
	other = fake_alloc(&v, sizeof(module_bytes));
	fake_bytes(&v, other, module_bytes, sizeof(module_bytes));
	fake_bytes(&v, other + sizeof(module_bytes) - 13, "outer", 5);
	fake_put(&v, module_addr + BYTES_OFF,
		 pointer_to((const u64[]){ other, sizeof(module_bytes) }, 2));
	sample.time_ns = (u64)-1;
	name_at(h, 0x200, UW_V8_STUB);
	assert_string_equal(names[0].name, "outer");
	v8_heap_free(&h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_function_has_the_expected_name_and_module),
		cmocka_unit_test(function_that_was_inlined_into_another_function_is_named),
		cmocka_unit_test(inlined_function_has_no_name_if_the_inlining_data_is_invalid),
		cmocka_unit_test(code_is_found_after_v8_emptied_and_refilled_the_code_list),
		cmocka_unit_test(webassembly_code_of_v8_before_9_is_searched_only_in_the_code_map),
		cmocka_unit_test(module_has_the_url_that_v8_assigns_to_the_module),
		cmocka_unit_test(function_has_no_name_if_v8s_table_has_its_code_at_another_index),
		cmocka_unit_test(function_of_a_truncated_module_has_the_right_name_or_none),
		cmocka_unit_test(name_that_extends_past_the_section_is_ignored),
		cmocka_unit_test(function_without_a_name_in_the_module_is_named_by_index),
		cmocka_unit_test(failing_read_gives_no_wrong_name_and_corrupt_read_causes_no_crash),
		cmocka_unit_test(new_module_at_the_address_of_an_old_one_has_the_new_names),
	};

	return CHECK_RUN(tests);
}
