// SPDX-License-Identifier: BSD-2-Clause

/* What is private is not in a case; what the walk and the names need is. */

#include <string.h>

#include "../../inspect/case/redact.h"
#include "../check.h"

#define STACK 0x7ffd00000000ull
#define HEAP 0x3f0000000000ull
#define CODE 0x400000ull
#define SECRET "hunter2!"

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

/* A page of one state, whose words are @words from @addr on. */
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
	return (struct redaction){ .areas = &areas, .va_mask = (1ull << 48) - 1 };
}

static void only_pointers_and_small_numbers_stay_of_what_is_copied(void **state)
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
		{ 17ull << 32, true }, /* a SMI */
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

static void bytes_of_names_and_code_stay(void **state)
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

static void text_that_a_window_read_goes_but_records_stay(void **state)
{
	/* A native frame's record at word 2; then a V8 frame's at word 10, its slots below it. */
	u64 words[16] = { text(), text(), STACK + 80, CODE, text(), text(), text(), text(),
			  text(), text(), text(),     CODE, text(), 0,	    0,	    0 };
	const struct uw_frame frames[] = { { .kind = UW_NATIVE },
					   { .kind = UW_NATIVE },
					   { .kind = UW_NATIVE } };
	struct redaction r = nothing_walked();
	struct pages p = { 0 };

	(void)state;
	r.frames = frames;
	r.n_frames = 3;
	r.fp = STACK + 16;
	put_words(&p, STACK, words, 16, BYTE_READ);
	redact_pages(&r, &p);
	for (u32 i = 0; i < 16; i++)
		assert_int_equal(word_at(&p, STACK + i * 8),
				 words[i] == text() && i != 10 ? 0 : words[i]);
	pages_deinit(&p);
}

static void slots_of_a_v8_frame_stay(void **state)
{
	u64 words[10] = { text(), 0, text(), text(), text(), text(), text(), text(), 0, CODE };
	const struct uw_frame frames[] = { { .kind = UW_V8_JS } };
	struct redaction r = nothing_walked();
	struct pages p = { 0 };

	(void)state;
	r.frames = frames;
	r.n_frames = 1;
	r.fp = STACK + 64;
	put_words(&p, STACK, words, 10, BYTE_READ);
	redact_pages(&r, &p);
	assert_int_equal(word_at(&p, STACK), 0);
	for (u32 i = 2; i < 10; i++)
		assert_int_equal(word_at(&p, STACK + i * 8), words[i]);
	pages_deinit(&p);
}

static void a_loop_of_records_ends(void **state)
{
	u64 words[2] = { STACK, CODE };
	const struct uw_frame frames[4] = { { .kind = UW_NATIVE } };
	struct redaction r = nothing_walked();
	struct pages p = { 0 };

	(void)state;
	r.frames = frames;
	r.n_frames = 4;
	r.fp = STACK;
	put_words(&p, STACK, words, 2, BYTE_READ);
	redact_pages(&r, &p);
	assert_int_equal(word_at(&p, STACK), STACK);
	pages_deinit(&p);
}

static void text_in_a_register_goes(void **state)
{
	struct redaction r = nothing_walked();
	struct case_regs regs = { .pc = CODE, .sp = STACK, .fp = text(), .has_all = true };

	(void)state;
	regs.all[0] = text() + 1;
	regs.all[1] = HEAP + 1;
	regs.all[2] = text(); /* the frame pointer's own number: the walk started from it */
	redact_regs(&r, &regs);
	assert_int_equal(regs.all[0], 0);
	assert_int_equal(regs.all[1], HEAP + 1);
	assert_int_equal(regs.all[2], text());
}

static void only_line_ends_stay_of_a_source(void **state)
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
	cmocka_unit_test(only_pointers_and_small_numbers_stay_of_what_is_copied),
	cmocka_unit_test(bytes_of_names_and_code_stay),
	cmocka_unit_test(text_that_a_window_read_goes_but_records_stay),
	cmocka_unit_test(slots_of_a_v8_frame_stay),
	cmocka_unit_test(a_loop_of_records_ends),
	cmocka_unit_test(text_in_a_register_goes),
	cmocka_unit_test(only_line_ends_stay_of_a_source),
};

int main(void)
{
	return CHECK_RUN(tests);
}
