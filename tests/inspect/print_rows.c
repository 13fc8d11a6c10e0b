/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Prints the unwind rows of a file, one on each line, for rows_like_readelf.py:
 *
 *	START END CFA RA FP		link-time addresses
 *	401126 40112a sp+8 c-8 u
 *
 * If DEBUG is given, .debug_frame is read from it. The last line has the time and the numbers of
 * entries. With --ignore-fp every fp is printed as unchanged; rows_like_readelf.py must detect
 * that.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../inspect/go/go_rows.h"
#include "../../inspect/unwind/cfi.h"
#include "../../inspect/unwind/flow.h"
#include "../../inspect/util/cleanup.h"

static struct uw_rule table[UW_MAX_RULES];
static u32 rows[UW_MAX_PAGE_ROWS];
static bool ignore_fp, shift, quiet, by_flow;

static void print_cfa(const struct uw_rule *r)
{
	static const char *const reg[] = {
		[UW_CFA_SP] = "sp",	[UW_CFA_FP] = "fp",	[UW_CFA_SCRATCH] = "drap",
		[UW_CFA_AT_SP] = "*sp", [UW_CFA_AT_FP] = "*fp", [UW_CFA_FP_OTHER_STACK] = "away fp"
	};
	static const char *const word[] = { [UW_CFA_NONE] = "none",
					    [UW_CFA_SIGNAL] = "signal",
					    [UW_CFA_ROOT] = "root",
					    [UW_CFA_HIJACKED] = "hijacked" };

	if (r->cfa == UW_CFA_PLT)
		printf("plt@%d", r->cfa_add);
	else if (r->cfa < sizeof(reg) / sizeof(reg[0]) && reg[r->cfa])
		printf("%s%+d", reg[r->cfa], r->cfa_off + 8 * shift);
	else
		printf("%s", word[r->cfa]);
	if (r->cfa_add && r->cfa != UW_CFA_PLT)
		printf("%+d", r->cfa_add);
}

static void print_saved(u8 how, s32 off)
{
	static const char *const word[] = { "u", "c", "fp", "lost" };

	printf(" %s", word[how]);
	if (how == UW_SAVED_CFA || how == UW_SAVED_FP)
		printf("%+d", off);
}

static void print_row(const struct uw_rule *r, u64 start, u64 end)
{
	printf("%llx %llx ", start, end);
	print_cfa(r);
	print_saved(r->ra, r->ra_off);
	print_saved(ignore_fp ? UW_SAVED_SAME : r->fp, r->fp_off);
	putchar('\n');
}

static void print_page(const struct elf_segment *s, u64 page_off, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u64 from = page_off + (rows[i] >> UW_ROW_OFF_SHIFT);
		u64 to = page_off + (i + 1 < n ? rows[i + 1] >> UW_ROW_OFF_SHIFT : UW_ROW_PAGE_LEN);

		if (from < s->file_off)
			from = s->file_off;
		if (to > s->file_off + s->file_len)
			to = s->file_off + s->file_len;
		if (from < to)
			print_row(&table[rows[i] & ((1u << UW_ROW_OFF_SHIFT) - 1)],
				  from - s->file_off + s->addr, to - s->file_off + s->addr);
	}
}

static void print_flow_row(const struct uw_rule *r, u64 start, u64 end, void *data)
{
	(void)data;
	print_row(r, start, end);
}

static int print_flow(struct elf_file *f)
{
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);
	int r = 0;

	for (; !r && n; n--, s++) {
		_cleanup_(flow_free) struct flow *flow = NULL;
		struct flow_span span = { s->addr, s->file_len, 0, false };

		r = s->is_exec ? flow_new(&flow, f, &span) : 0;
		if (flow)
			flow_rules(flow, s->addr, s->addr + s->file_len, print_flow_row, NULL);
	}
	return r;
}

static int print_all(struct cfi *c, struct elf_file *f, struct rules *r)
{
	size_t n_segments;
	const struct elf_segment *s = elf_file_segments(f, &n_segments);
	u32 n;
	int ret = 0;

	for (size_t i = 0; i < n_segments; i++) {
		u64 page = s[i].file_off / UW_ROW_PAGE_LEN * UW_ROW_PAGE_LEN;

		for (; !ret && s[i].is_exec && page < s[i].file_off + s[i].file_len;
		     page += UW_ROW_PAGE_LEN) {
			ret = cfi_page(c, r, page, rows, &n);
			if (!ret && !quiet)
				print_page(&s[i], page, n);
		}
	}
	return ret;
}

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

int main(int argc, char **argv)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	_cleanup_(elf_file_free) struct elf_file *debug = NULL;
	_cleanup_(cfi_free) struct cfi *c = NULL;
	_cleanup_(rules_deinit) struct rules r = {};
	const struct cfi_counts *counts;
	u64 start = now(), opened;
	int ret;

	for (; argc > 2 && argv[1][0] == '-'; argc--, argv++) {
		ignore_fp |= !strcmp(argv[1], "--ignore-fp");
		shift |= !strcmp(argv[1], "--shift");
		quiet |= !strcmp(argv[1], "--quiet");
		by_flow |= !strcmp(argv[1], "--flow");
	}
	ret = argc > 1 ? elf_file_open(&f, argv[1]) : -1;
	if (!ret)
		ret = cfi_open(&c, f);
	if (!ret)
		ret = go_rows_add(c, f);
	if (!ret && argc > 2)
		ret = elf_file_open(&debug, argv[2]);
	if (!ret && debug)
		ret = cfi_add_debug(c, debug);
	opened = now() - start;
	if (!ret)
		ret = rules_init(&r, table, UW_MAX_RULES);
	if (!ret)
		ret = by_flow ? print_flow(f) : print_all(c, f, &r);
	if (ret) {
		fprintf(stderr,
			"usage: print_rows [--flow] [--ignore-fp] [--shift] [--quiet] ELF [DEBUG] "
			"(%s)\n",
			strerror(-ret));
		return 2;
	}
	counts = cfi_counts(c);
	printf("# opened in %.2f ms, all rows in %.2f ms, %.0f ns per row; "
	       "pages %llu fdes %llu rows %llu rules %u unknown %llu broken %llu capped %llu\n",
	       (double)opened / 1e6, (double)(now() - start) / 1e6,
	       (double)(now() - start - opened) / (double)(counts->rows + 1), counts->pages,
	       counts->fdes, counts->rows, r.n, counts->unknown, counts->broken, counts->capped);
	return 0;
}
