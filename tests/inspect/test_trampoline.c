// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the rows of trampolines. The code is that of CPython 3.13 in Debian 13 and, without
 * endbr64, of CPython 3.12 (Python/asm_trampoline.S at v3.12.0).
 */

#include "../../inspect/unwind/trampoline.h"
#include "../check.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENDBR "\xf3\x0f\x1e\xfa"
#define SUB "\x48\x83\xec"
#define ADD "\x48\x83\xc4"

static void only_trampolines_are_recognized(void **state)
{
	static const struct {
		const char *code;
		size_t len;
		bool is_one;
		u8 call_off, ret_off, end_off;
	} rows[] = {
#define CODE(text) .code = (text), .len = sizeof(text) - 1
		{ CODE(ENDBR SUB "\x08\xff\xd1" ADD "\x08\xc3"), true, 8, 14, 15 },
		{ CODE(SUB "\x08\xff\xd1" ADD "\x08\xc3"), true, 4, 10, 11 },
		{ CODE(SUB "\x18\x41\xff\xd3" ADD "\x18\xc3"), true, 4, 11, 12 },
		{ CODE(ENDBR SUB "\x08\x41\xff\xd3" ADD "\x08\xc3"), true, 8, 15, 16 },
		{ CODE(SUB "\x08\xff\xd1" ADD "\x10\xc3"), false },
		{ CODE(SUB "\x0c\xff\xd1" ADD "\x0c\xc3"), false },
		{ CODE(SUB "\x80\xff\xd1" ADD "\x80\xc3"), false },
		{ CODE(SUB "\x08\xff\xe1" ADD "\x08\xc3"), false },
		{ CODE(SUB "\x08\xff\xd1" ADD "\x08\xcc"), false },
		{ CODE(SUB "\x08\xff\xd1" ADD "\x08\xc3\x90"), false },
		{ CODE("\x55" SUB "\x08\xff\xd1" ADD "\x08\xc3"), false },
		{ CODE(""), false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u8 code[TRAMPOLINE_LEN] = { 0 };
		struct trampoline t;

		memcpy(code, rows[i].code, rows[i].len);
		assert_int_equal(trampoline_parse(&t, code), rows[i].is_one);
		if (!rows[i].is_one)
			continue;
		assert_int_equal(t.call_off, rows[i].call_off);
		assert_int_equal(t.ret_off, rows[i].ret_off);
		assert_int_equal(t.end_off, rows[i].end_off);
	}
}

static void a_truncated_trampoline_is_not_recognized(void **state)
{
	static const u8 whole[TRAMPOLINE_LEN] = ENDBR SUB "\x08\xff\xd1" ADD "\x08\xc3";
	struct trampoline t;

	(void)state;
	assert_true(trampoline_parse(&t, whole));
	for (size_t len = 0; len < 15; len++) {
		u8 cut[TRAMPOLINE_LEN] = { 0 };

		memcpy(cut, whole, len);
		assert_false(trampoline_parse(&t, cut));
	}
}

static struct trampoline python(void)
{
	static const u8 code[TRAMPOLINE_LEN] = ENDBR SUB "\x08\xff\xd1" ADD "\x08\xc3";
	struct trampoline t;

	assert_true(trampoline_parse(&t, code));
	return t;
}

/* The CFA is sp + 8 before sub and after add, and sp + 16 between them. */
static void each_instruction_has_the_rule_of_its_height(void **state)
{
	static const s32 cfa_offs[] = { [0] = 8, [4] = 8, [8] = 16, [10] = 16, [14] = 8, [15] = 0 };
	static const u32 insns[] = { 0, 4, 8, 10, 14, 15 };
	struct trampoline t = python();
	struct uw_rule table[8];
	struct rules rules;
	static u32 rows[UW_MAX_PAGE_ROWS];
	u32 n;

	(void)state;
	assert_int_equal(rules_init(&rules, table, 8), 0);
	n = trampoline_page(&t, &rules, rows);
	for (u32 at = 0; at < UW_ROW_PAGE_LEN; at += TRAMPOLINE_LEN) {
		for (size_t k = 0; k < sizeof(insns) / sizeof(insns[0]); k++) {
			const struct uw_rule *rule;
			u32 i = 0;

			while (i + 1 < n && rows[i + 1] >> UW_ROW_OFF_SHIFT <= at + insns[k])
				i++;
			rule = &table[rows[i] & ((1u << UW_ROW_OFF_SHIFT) - 1)];
			assert_int_equal(rule->cfa_off, cfa_offs[insns[k]]);
			if (rule->cfa_off)
				assert_int_equal(rule->ra_off, -8);
		}
	}
	rules_deinit(&rules);
}

static void a_file_of_copies_is_read_back(void **state)
{
	struct trampoline t = python(), back;
	int fd = memfd_create("copies", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(trampoline_write(&t, fd), 0);
	assert_int_equal(trampoline_open(&back, fd), 0);
	assert_memory_equal(&back, &t, sizeof(t));

	assert_int_equal(pwrite(fd, "\x90", 1, TRAMPOLINES_LEN - 16), 1);
	assert_int_equal(trampoline_open(&back, fd), -ENOEXEC);
	assert_int_equal(pwrite(fd, t.code, 1, TRAMPOLINES_LEN - 16), 1);
	assert_int_equal(trampoline_open(&back, fd), 0);
	for (off_t len = 0; len < TRAMPOLINES_LEN; len += 1000) {
		assert_int_equal(ftruncate(fd, len), 0);
		assert_int_equal(trampoline_open(&back, fd), -ENOEXEC);
	}
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_trampolines_are_recognized),
		cmocka_unit_test(a_truncated_trampoline_is_not_recognized),
		cmocka_unit_test(each_instruction_has_the_rule_of_its_height),
		cmocka_unit_test(a_file_of_copies_is_read_back),
	};

	return CHECK_RUN(tests);
}
