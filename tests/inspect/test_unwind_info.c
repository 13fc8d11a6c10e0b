/* SPDX-License-Identifier: BSD-2-Clause */

/* Reading of UNWIND_INFO: each operation, then truncated, chained and unknown data. */

#include "../../inspect/dotnet/unwind_info.h"
#include "../check.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x10000ull
enum { RBX = 3, R12 = 12 };

struct row {
	const char *what; /* describes the row for readers of this table */
	u8 bytes[24];
	u8 len;
	int r;
	u8 n;
	struct unwind_code codes[4];
};

#define BYTES(...) { __VA_ARGS__ }, sizeof((u8[]){ __VA_ARGS__ })

static const struct row rows[] = {
	{ "a leaf", BYTES(0x19, 0, 0, 0), 0, 0, {} },
	{ "sub rsp, 8 only", BYTES(0x19, 4, 1, 0, 4, 0x02), 0, 1, { { 4, UNWIND_ALLOC, 0, 8 } } },
	{ "pushes and 24 bytes",
	  BYTES(0x19, 6, 3, 0, 6, 0x22, 2, 0x30, 1, 0x50),
	  0,
	  3,
	  { { 6, UNWIND_ALLOC, 0, 24 },
	    { 2, UNWIND_PUSH, RBX, 0 },
	    { 1, UNWIND_PUSH, UNWIND_RBP, 0 } } },
	{ "r12", BYTES(0x19, 2, 1, 0, 2, 0xc0), 0, 1, { { 2, UNWIND_PUSH, R12, 0 } } },
	{ "large: 0x88 * 8",
	  BYTES(0x19, 7, 2, 0, 7, 0x01, 0x88, 0),
	  0,
	  1,
	  { { 7, UNWIND_ALLOC, 0, 0x440 } } },
	{ "larger: 0x123450",
	  BYTES(0x19, 7, 3, 0, 7, 0x11, 0x50, 0x34, 0x12, 0),
	  0,
	  1,
	  { { 7, UNWIND_ALLOC, 0, 0x123450 } } },
	{ "rbp is sp + 32",
	  BYTES(0x19, 9, 1, 0x25, 9, 0x03),
	  0,
	  1,
	  { { 9, UNWIND_SET_FP, UNWIND_RBP, 32 } } },
	{ "rbp is sp + 0x120 * 16",
	  BYTES(0x19, 9, 3, 0xf5, 9, 0x0b, 0x20, 1, 0, 0),
	  0,
	  1,
	  { { 9, UNWIND_SET_FP, UNWIND_RBP, 0x1200 } } },
	{ "registers saved near and far; xmm registers are ignored",
	  BYTES(0x19, 9, 10, 0, 9, 0x34, 2, 0, 8, 0x55, 0, 0, 1, 0, 7, 0x68, 1, 0, 6, 0x79, 1, 0, 0,
		0),
	  0,
	  2,
	  { { 9, UNWIND_SAVE, RBX, 16 }, { 8, UNWIND_SAVE, UNWIND_RBP, 0x10000 } } },
	{ "unsupported version of the format", BYTES(0x1a, 0, 0, 0), -ENOTSUP, 0, {} },
	{ "chained", BYTES(0x21, 0, 0, 0, 0, 0), -ENOTSUP, 0, {} },
	{ "a machine frame", BYTES(0x19, 0, 1, 0, 0, 0x0a), -ENOTSUP, 0, {} },
	{ "an unknown operation", BYTES(0x19, 0, 1, 0, 0, 0x06), -ENOTSUP, 0, {} },
	{ "half an operation", BYTES(0x19, 7, 1, 0, 7, 0x01, 0x88, 0), -EINVAL, 0, {} },
};

static void every_kind_of_windows_unwind_operation_is_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct unwind_info info = { .n_codes = 99 };
		struct fake_bytes b;

		fake_bytes_init(&b, BASE, rows[i].bytes, rows[i].len);
		assert_int_equal(unwind_info_read(&b.target, BASE, &info), rows[i].r);
		assert_int_equal(info.n_codes, rows[i].r ? 99 : rows[i].n);
		for (u32 k = 0; k < rows[i].n; k++)
			assert_memory_equal(&info.codes[k], &rows[i].codes[k],
					    sizeof(info.codes[k]));
	}
}

static void truncated_windows_unwind_info_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		for (u32 len = 0; !rows[i].r && len < rows[i].len; len++) {
			struct unwind_info info = { .n_codes = 99 };
			struct fake_bytes b;

			fake_bytes_init(&b, BASE, rows[i].bytes, len);
			assert_int_equal(unwind_info_read(&b.target, BASE, &info), -EFAULT);
			assert_int_equal(info.n_codes, 99);
		}
	}
}

static void unwind_info_with_too_many_unwind_codes_is_refused(void **state)
{
	u8 bytes[4 + 255 * 2] = { 0x19, 9, 255, 0 };
	struct unwind_info info;
	struct fake_bytes b;

	(void)state;
	fake_bytes_init(&b, BASE, bytes, sizeof(bytes));
	assert_int_equal(unwind_info_read(&b.target, BASE, &info), -ENOTSUP);
	bytes[2] = UNWIND_MAX_CODES;
	assert_int_equal(unwind_info_read(&b.target, BASE, &info), 0);
	assert_int_equal(info.n_codes, UNWIND_MAX_CODES);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_kind_of_windows_unwind_operation_is_decoded),
	cmocka_unit_test(truncated_windows_unwind_info_is_refused),
	cmocka_unit_test(unwind_info_with_too_many_unwind_codes_is_refused),
};

int main(void)
{
	return CHECK_RUN(tests);
}
