// SPDX-License-Identifier: BSD-2-Clause

/*
 * Call frame information of an ELF file: the rows of each page are consistent, and
 * reading them twice gives the same result.
 */

#include "file.h"

#include "../../inspect/go/go_rows.h"
#include "../../inspect/unwind/cfi.h"

#define MAX_PAGES 64
#define MAX_RULES 64 /* so small that the table of rules can become full */

static struct uw_rule table[MAX_RULES];
static u32 rows[UW_MAX_PAGE_ROWS], again[UW_MAX_PAGE_ROWS];

static void check_page(struct cfi *c, struct rules *r, u64 page)
{
	u32 n, n_again;

	if (cfi_page(c, r, page, rows, &n))
		return;
	FUZZ_MUST(n && n <= UW_MAX_PAGE_ROWS, "%u rows", n);
	for (u32 i = 0; i < n; i++) {
		u32 off = rows[i] >> UW_ROW_OFF_SHIFT,
		    rule = rows[i] & ((1u << UW_ROW_OFF_SHIFT) - 1);

		FUZZ_MUST(i ? off > rows[i - 1] >> UW_ROW_OFF_SHIFT : off == 0, "row %u at %u", i,
			  off);
		FUZZ_MUST(off < UW_ROW_PAGE_LEN && rule < r->n, "row %u: rule %u", i, rule);
		FUZZ_MUST(table[rule].cfa < UW_N_CFAS && table[rule].ra < UW_N_SAVED &&
				  table[rule].fp < UW_N_SAVED,
			  "rule %u", rule);
	}
	FUZZ_MUST(!cfi_page(c, r, page, again, &n_again) && n == n_again &&
			  !memcmp(rows, again, n * sizeof(*rows)),
		  "page %llx changed", page);
}

static void check_file(struct cfi *c, const struct elf_file *f)
{
	struct rules r;
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);
	u32 pages = 0;

	FUZZ_MUST(!rules_init(&r, table, MAX_RULES), "no memory");
	for (; n; n--, s++) {
		u64 page = s->file_off / UW_ROW_PAGE_LEN * UW_ROW_PAGE_LEN;

		for (; s->is_exec && page < s->file_off + s->file_len && pages < MAX_PAGES;
		     pages++) {
			check_page(c, &r, page);
			page += UW_ROW_PAGE_LEN;
		}
	}
	rules_deinit(&r);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf_file *f = NULL;
	struct cfi *c = NULL;

	if (elf_file_open_fd(&f, fuzz_fd(data, size)))
		return 0;
	if (!cfi_open(&c, f) && !go_rows_add(c, f))
		check_file(c, f);
	cfi_free(&c);
	elf_file_free(&f);
	return 0;
}
