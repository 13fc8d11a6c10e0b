// SPDX-License-Identifier: BSD-2-Clause

/*
 * Redaction: a redacted case must have no private data, but all data that the walk and the names
 * need.
 */

#include <string.h>

#include "../../inspect/case/redact.h"
#include "../check.h"

#define STACK 0x7ffd00000000ull
#define HEAP 0x3f0000000000ull
#define CODE 0x400000ull
#define MASK ((1ull << 48) - 1)
#define SECRET "hunter2!"
#define FAR 64

static struct area area_list[] = {
	{ .start_addr = CODE, .end_addr = CODE + PAGE_LEN, .holds = CASE_CODE },
	{ .start_addr = HEAP, .end_addr = HEAP + PAGE_LEN, .holds = CASE_HEAP },
	{ .start_addr = STACK, .end_addr = STACK + PAGE_LEN, .holds = CASE_STACK },
};
static const struct areas areas = { area_list, 3, 3 };

static u64 text(void)
{
	u64 word;

	memcpy(&word, SECRET, 8);
	return word;
}

/* Writes words at @addr, as bytes of state @state. */
static void put_words(struct pages *p, u64 addr, const u64 *words, u32 n, enum byte_state state)
{
	assert_int_equal(pages_put(p, addr, words, n * 8, state), 0);
	for (u32 i = 0; i < p->n; i++)
		p->v[i]->holds = areas_find(&areas, p->v[i]->addr)->holds;
}

static u64 word_at(const struct pages *p, u64 addr)
{
	u64 word;

	memcpy(&word, pages_find(p, addr)->bytes + (addr & (PAGE_LEN - 1)), 8);
	return word;
}

static struct redaction nothing_walked(void)
{
	return (struct redaction){ .areas = &areas, .sp = STACK, .va_mask = MASK };
}

static void redaction_keeps_only_pointers_and_small_numbers_in_copied_memory(void **state)
{
	const struct {
		u64 word;
		bool stays;
	} rows[] = {
		{ 0, true },
		{ 4095, true },
		{ 4096, false },
		{ ~0ull, true },
		{ HEAP + 9, true },
		{ STACK + 8, true },
		{ CODE + 0x1234 % PAGE_LEN, true },
		{ HEAP + PAGE_LEN, false },
		{ 17ull << 32, true }, /* a Smi */
		{ -17ull << 32, true },
		{ 0x6f6f6f6full << 32, false },
		{ 0x6f6f6f6f, false },
		{ text(), false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct redaction r = nothing_walked();
		struct pages p = { 0 };

		put_words(&p, HEAP, &rows[i].word, 1, BYTE_COPIED);
		redact_pages(&r, &p);
		assert_int_equal(word_at(&p, HEAP), rows[i].stays ? rows[i].word : 0);
		pages_deinit(&p);
	}
}

static void redaction_keeps_the_bytes_of_names_and_of_code(void **state)
{
	struct redaction r = nothing_walked();
	const u64 word = text();
	struct pages p = { 0 };

	(void)state;
	put_words(&p, HEAP, &word, 1, BYTE_NAMED);
	put_words(&p, HEAP + 8, &word, 1, BYTE_TEXT);
	put_words(&p, CODE, &word, 1, BYTE_COPIED);
	redact_pages(&r, &p);
	assert_int_equal(word_at(&p, HEAP), word);
	assert_int_equal(word_at(&p, HEAP + 8), word);
	assert_int_equal(word_at(&p, CODE), word);
	pages_deinit(&p);
}

static void redacted_stack_word_ends_the_walk_in_the_same_way_as_the_original(void **state)
{
	const struct {
		u64 word, is;
	} rows[] = {
		{ text(), ~MASK | (text() & 7) }, /* not an address */
		{ ~0ull << 60 | 8, ~MASK },
		{ 0x7fff00000018ull, MASK - 7 }, /* above the stack, but not near it */
		{ 0x656565656565ull, 4096 | 5 }, /* below the stack */
		{ STACK + PAGE_LEN + 16, STACK + PAGE_LEN + 16 }, /* just above the stack */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uw_frame frames[] = { { .kind = UW_NATIVE }, { .pc = CODE } };
		const u64 words[] = { rows[i].word, CODE };
		struct redaction r = nothing_walked();
		struct pages p = { 0 };

		r.frames = frames;
		r.n_frames = 2;
		put_words(&p, STACK, words, 2, BYTE_READ);
		redact_pages(&r, &p);
		assert_int_equal(word_at(&p, STACK), rows[i].is);
		assert_int_equal(word_at(&p, STACK + 8), CODE);
		pages_deinit(&p);
	}
}

static void redaction_keeps_a_stack_word_near_the_address_of_the_failed_read(void **state)
{
	const u64 words[] = { 0x656565656565ull, 0x656565656565ull + 2 * PAGE_LEN,
			      0x656565656565ull | ~MASK };
	struct redaction r = nothing_walked();
	struct pages p = { 0 };

	(void)state;
	r.fault_addr = 0x656565656569ull;
	put_words(&p, STACK, words, 3, BYTE_READ);
	redact_pages(&r, &p);
	assert_int_equal(word_at(&p, STACK), words[0]);
	assert_int_not_equal(word_at(&p, STACK + 8), words[1]);
	assert_int_equal(word_at(&p, STACK + 16), words[2]); /* kept, with the pointer signature */
	pages_deinit(&p);
}

static void redaction_removes_text_of_v8_frame_slots_also_from_the_frame_list(void **state)
{
	/*
	 * The return addresses of the V8 frames are words 10 and 24. The frame between the two V8
	 * frames is that of a builtin that waits for a call to return.
	 */
	struct uw_frame frames[] = { { .kind = UW_V8_JS, .a = HEAP + 1 },
				     { .kind = UW_V8_JS, .flags = UW_FRAME_ASYNC },
				     { .pc = CODE + 2, .kind = UW_V8_STUB },
				     { .pc = CODE + 3, .kind = UW_NATIVE } };
	const struct v8_info v8 = { .bytecode_array_slot = 32, .bytecode_offset_slot = 40 };
	struct redaction r = nothing_walked();
	struct pages p = { 0 };
	u64 words[28];

	(void)state;
	for (u32 i = 0; i < 28; i++)
		words[i] = text() + i * 256;
	words[10] = CODE + 2;
	words[24] = CODE + 3;
	frames[0].b = words[4];
	frames[0].aux = (u32)words[5];
	frames[1].aux = (u32)words[6]; /* not from a slot */
	frames[2].a = words[22];
	frames[3].a = words[22]; /* an offset in a file */
	r.frames = frames;
	r.n_frames = 4;
	r.v8 = &v8;
	put_words(&p, STACK, words, 28, BYTE_READ);
	redact_pages(&r, &p);
	for (u32 i = 0; i < 28; i++)
		assert_int_equal(word_at(&p, STACK + i * 8) == words[i], i == 10 || i == 24);
	assert_int_equal(frames[0].a, HEAP + 1);
	assert_int_equal(frames[0].b, word_at(&p, STACK + 4 * 8));
	assert_int_equal(frames[0].aux, (u32)word_at(&p, STACK + 5 * 8));
	assert_int_equal(frames[1].aux, (u32)words[6]);
	assert_int_equal(frames[2].a, word_at(&p, STACK + 22 * 8));
	assert_int_equal(frames[3].a, words[22]);
	pages_deinit(&p);
}

static void redaction_keeps_a_pointer_that_the_walk_followed(void **state)
{
	const u64 gone = HEAP + 8 * PAGE_LEN, words[] = { gone + 1, gone - FAR, gone + 8 };
	struct redaction r = nothing_walked();

	(void)state;
	for (u32 fails = 0; fails < 2; fails++) {
		struct pages p = { 0 };

		put_words(&p, STACK, words, 3, BYTE_READ);
		if (fails)
			assert_int_equal(pages_put_fault(&p, gone + 8, 8), 0);
		else
			assert_int_equal(pages_put(&p, gone + 8, words + 1, 8, BYTE_READ), 0);
		redact_pages(&r, &p);
		assert_int_equal(word_at(&p, STACK), words[0]);
		assert_int_not_equal(word_at(&p, STACK + 8), words[1]);
		assert_int_equal(word_at(&p, STACK + 16), words[2]);
		pages_deinit(&p);
	}
}

/* The walk reads only two bytes of the copied word: the object type. */
static void redaction_of_a_word_with_an_object_type_keeps_only_the_type(void **state)
{
	const u64 word = text();
	struct redaction r = nothing_walked();
	struct pages p = { 0 };

	(void)state;
	assert_int_equal(pages_put(&p, HEAP + 4, (u8 *)&word + 4, 2, BYTE_READ), 0);
	put_words(&p, HEAP, &word, 1, BYTE_COPIED);
	redact_pages(&r, &p);
	assert_int_equal(word_at(&p, HEAP), word & 0xffff00000000);
	pages_deinit(&p);
}

static void redaction_keeps_coreclr_memory_that_the_walk_read(void **state)
{
	const struct case_mapping map = { .map = { .start_addr = CODE,
						   .end_addr = CODE + PAGE_LEN,
						   .file_off = HEAP + 64,
						   .kind = UW_MAP_DOTNET_JIT } };
	struct uw_frame frame = { .kind = UW_DOTNET_METHOD, .a = CODE + 0x100 };
	const u64 words[] = { text(), text() }, header = HEAP + 512;

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		bool knows = i > 0, stays = i == 1; /* i == 2: they are in the stack */
		struct redaction r = nothing_walked();
		struct pages p = { 0 };

		r.frames = &frame;
		r.mappings = &map;
		r.n_frames = r.n_mappings = knows;
		assert_int_equal(pages_put(&p, CODE + 0xf8, &header, 8, BYTE_READ), 0);
		put_words(&p, HEAP + 64, words, 2, BYTE_READ); /* two words of the nibble map */
		put_words(&p, header + 0x18, words, 2, BYTE_READ);
		put_words(&p, HEAP + 256, words, 1,
			  BYTE_READ); /* not the nibble map, not a header */
		put_words(&p, header + 0x28, words, 1, BYTE_COPIED);
		pages_find(&p, HEAP)->holds = i == 2 ? CASE_STACK : CASE_HEAP;
		redact_pages(&r, &p);
		assert_int_equal(word_at(&p, HEAP + 72) == text(), stays);
		assert_int_equal(word_at(&p, header + 0x20) == text(), stays);
		assert_int_not_equal(word_at(&p, HEAP + 256), text());
		assert_int_not_equal(word_at(&p, header + 0x28), text());
		pages_deinit(&p);
	}
}

static void redaction_removes_text_from_registers(void **state)
{
	struct redaction r = nothing_walked();
	struct case_regs regs = { .pc = CODE, .sp = STACK, .fp = text(), .has_all = true };

	(void)state;
	regs.all[0] = text() + 1;
	regs.all[1] = HEAP + 1;
	regs.all[2] = text(); /* index 2: fp, with which the walk started */
	redact_regs(&r, &regs);
	assert_int_equal(regs.all[0], 0);
	assert_int_equal(regs.all[1], HEAP + 1);
	assert_int_equal(regs.fp, ~MASK | (text() & 7));
	assert_int_equal(regs.all[2], regs.fp);
}

static void redaction_keeps_a_frame_pointer_that_points_to_a_frame_record(void **state)
{
	struct redaction r = nothing_walked();
	struct case_regs regs = { .pc = CODE, .sp = STACK, .fp = STACK + 24, .has_all = true };

	(void)state;
	regs.all[2] = STACK + 24;
	redact_regs(&r, &regs);
	assert_int_equal(regs.fp, STACK + 24);
	assert_int_equal(regs.all[2], STACK + 24);
}

static void redaction_keeps_only_the_line_ends_of_source_text(void **state)
{
	char latin1[] = "let a\r\n= 'x';\n";
	u16 wide[] = { 'a', '\n', 0x2028, 0x4e2d, '\r', 0x2029 };
	const u16 blank[] = { 'x', '\n', 0x2028, 0x7878, '\r', 0x2029 };

	(void)state;
	redact_source((u8 *)latin1, strlen(latin1));
	assert_string_equal(latin1, "xxxxx\r\nxxxxxx\n");
	redact_source((u8 *)wide, sizeof(wide));
	assert_memory_equal(wide, blank, sizeof(wide));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(redaction_keeps_only_pointers_and_small_numbers_in_copied_memory),
	cmocka_unit_test(redaction_keeps_the_bytes_of_names_and_of_code),
	cmocka_unit_test(redacted_stack_word_ends_the_walk_in_the_same_way_as_the_original),
	cmocka_unit_test(redaction_keeps_a_stack_word_near_the_address_of_the_failed_read),
	cmocka_unit_test(redaction_removes_text_of_v8_frame_slots_also_from_the_frame_list),
	cmocka_unit_test(redaction_keeps_a_pointer_that_the_walk_followed),
	cmocka_unit_test(redaction_of_a_word_with_an_object_type_keeps_only_the_type),
	cmocka_unit_test(redaction_keeps_coreclr_memory_that_the_walk_read),
	cmocka_unit_test(redaction_removes_text_from_registers),
	cmocka_unit_test(redaction_keeps_a_frame_pointer_that_points_to_a_frame_record),
	cmocka_unit_test(redaction_keeps_only_the_line_ends_of_source_text),
};

int main(void)
{
	return CHECK_RUN(tests);
}
