/* SPDX-License-Identifier: BSD-2-Clause */

/* Lines of a hand-made portable PDB that is complete, truncated or damaged. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/dotnet/pdb.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "fake_pdb.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static struct fake_pdb fake;

/* Opens the first @len bytes of the PDB file. */
static int open_pdb(size_t len, struct pdb **pdb)
{
	_cleanup_free_ u8 *bytes = malloc(len + 1);
	int r;

	assert_non_null(bytes);
	memcpy(bytes, fake.bytes, len);
	r = pdb_new(pdb, bytes, len);
	if (!r)
		bytes = NULL;
	return r;
}

static const struct {
	u32 method, il, line; /* 0: no line */
	const char *file;
	u32 start_line, start_column;
} expected[] = {
	{ 1, 0, 10, "/src/one.cs", 10, 5 },
	{ 1, 3, 10, "/src/one.cs", 10, 5 },
	{ 1, 4, 12, "/src/one.cs", 10, 5 },
	{ 1, 9, 12, "/src/one.cs", 10, 5 },
	{ 1, 10, 12, "/src/one.cs", 10, 5 }, /* a hidden sequence point keeps the previous line */
	{ 1, 15, 20, "/src/one.cs", 10, 5 },
	{ 1, 147, 20, "/src/one.cs", 10, 5 },
	{ 1, 148, 17, "/src/one.cs", 10, 5 },
	{ 1, 100000, 17, "/src/one.cs", 10, 5 },
	{ 3, 0, 100, "/src/two.cs", 100, 1 },
	{ 3, 7, 100, "/src/two.cs", 100, 1 },
	{ 3, 8, 101, "/src/one.cs", 101, 1 },
	{ 2, 0, 0, NULL, 0, 0 },
	{ 4, 0, 0, NULL, 0, 0 },
	{ 0, 0, 0, NULL, 0, 0 },
};

static void make(void)
{
	fake_pdb_make(&fake, fake_points1, fake_points1_len, fake_points3, fake_points3_len);
}

/* Checks that all lines that can be read are right. Return: how many lines can be read. */
static int check(const struct pdb *pdb)
{
	int n = 0;

	for (size_t i = 0; i < N(expected); i++) {
		char name[64];
		struct text file;
		struct pdb_line line = { 0 };

		text_init(&file, name, sizeof(name));
		if (pdb_line(pdb, expected[i].method, expected[i].il, &line, &file)) {
			assert_int_equal(line.line, 0);
			continue;
		}
		n++;
		assert_int_equal(line.line, expected[i].line);
		assert_int_equal(line.start_line, expected[i].start_line);
		assert_int_equal(line.start_column, expected[i].start_column);
		assert_string_equal(name, expected[i].file);
	}
	return n;
}

static void every_il_offset_has_the_expected_line(void **state)
{
	struct pdb *pdb;

	(void)state;
	make();
	assert_int_equal(open_pdb(fake.len, &pdb), 0);
	assert_int_equal(check(pdb), 12);
	for (u32 i = 0; i < PDB_ID_LEN; i++)
		assert_int_equal(pdb_id(pdb)[i], i + 1);
	pdb_free(&pdb);
	assert_null(pdb);
}

static void truncated_pdb_is_refused(void **state)
{
	struct pdb *pdb = NULL;

	(void)state;
	make();
	for (size_t len = 0; len < fake.len; len++)
		assert_int_equal(open_pdb(len, &pdb), -ENOEXEC);
	assert_null(pdb);
}

static void il_offset_has_no_wrong_line_if_the_sequence_points_are_truncated(void **state)
{
	struct pdb *pdb;

	(void)state;
	for (u32 len = 1; len < fake_points1_len; len++) {
		fake_pdb_make(&fake, fake_points1, len, fake_points3, 2);
		assert_int_equal(open_pdb(fake.len, &pdb), 0);
		for (u32 il = 0; il < 200; il++) {
			char name[64];
			struct text file;
			struct pdb_line line = { 0 };

			text_init(&file, name, sizeof(name));
			if (!pdb_line(pdb, 1, il, &line, &file))
				assert_true(line.line == 10 || line.line == 12 || line.line == 20);
		}
		pdb_free(&pdb);
	}
}

static void pdb_with_a_corrupt_byte_is_read_within_bounds(void **state)
{
	(void)state;
	make();
	for (u32 i = 0; i < fake.len; i++) {
		struct pdb *pdb;
		char name[64];
		struct text file;
		struct pdb_line line;

		fake.bytes[i] ^= 0xff;
		if (!open_pdb(fake.len, &pdb)) {
			for (u32 row = 0; row < 5; row++) {
				text_init(&file, name, sizeof(name));
				pdb_line(pdb, row, 20, &line, &file);
			}
			pdb_free(&pdb);
		}
		fake.bytes[i] ^= 0xff;
	}
}

/* Bytes after the metadata are allowed, so that a file can have any length. */
static void pdbs_in_memory_have_a_limit_in_all(void **state)
{
	const size_t len = PDB_MAX_TOTAL / 2;
	struct pdb *pdbs[2] = { NULL, NULL }, *more;

	(void)state;
	make();
	for (u32 round = 0; round < 2; round++) {
		u8 *bytes;

		for (u32 i = 0; i < N(pdbs); i++) {
			bytes = calloc(1, len);
			assert_non_null(bytes);
			memcpy(bytes, fake.bytes, fake.len);
			assert_int_equal(pdb_new(&pdbs[i], bytes, len), 0);
		}
		assert_int_equal(open_pdb(fake.len, &more), -ENOMEM);
		for (u32 i = 0; i < N(pdbs); i++)
			pdb_free(&pdbs[i]);
	}
	assert_int_equal(open_pdb(fake.len, &more), 0);
	pdb_free(&more);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_il_offset_has_the_expected_line),
	cmocka_unit_test(truncated_pdb_is_refused),
	cmocka_unit_test(il_offset_has_no_wrong_line_if_the_sequence_points_are_truncated),
	cmocka_unit_test(pdb_with_a_corrupt_byte_is_read_within_bounds),
	cmocka_unit_test(pdbs_in_memory_have_a_limit_in_all),
};

int main(void)
{
	return CHECK_RUN(tests);
}
