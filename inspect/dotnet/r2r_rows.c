/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	function  begin    push      sub           ...        end
 *	rows      | sp+8   | sp+16   | sp+16+n                |
 *
 * To make the rule for a pc, this file undoes, in order, the operations of the UNWIND_INFO whose
 * instructions have been executed, and adds up their effects; core/arch/x86_64/dotnet_unwind.h
 * computes the same during a walk for JIT-compiled code.
 */

#include "r2r_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unwind/paint.h"
#include "../util/cleanup.h"
#include "../util/search.h"
#include "r2r.h"
#include "unwind_info.h"

#define MAX_GAP 64 /* longest padding between functions, which is never executed */

struct r2r_rows {
	struct target file;
	struct pe pe;
	struct r2r_function *functions; /* sorted by begin */
	u32 n;
	int fd;
	u64 image_off;
};

static int read_file(struct target *t, u64 addr, void *dst, size_t len)
{
	const struct r2r_rows *r = (const struct r2r_rows *)t;

	if (r->image_off > INT64_MAX - len || addr > INT64_MAX - len - r->image_off)
		return -EFAULT;
	return pread(r->fd, dst, len, (off_t)(r->image_off + addr)) == (ssize_t)len ? 0 : -EFAULT;
}

int r2r_rows_image_off(struct target *t, u64 base, u64 start_addr, u64 end_addr, u64 file_off,
		       u64 *image_off)
{
	struct pe pe;
	int err = pe_init(&pe, t, base, false);

	for (u32 i = 0; !err && i < pe.n_sections; i++) {
		u64 addr = base + pe.sections[i].rva, at = file_off + (addr - start_addr);

		if (addr < start_addr || addr >= end_addr || at < pe.sections[i].file_off)
			continue;
		*image_off = at - pe.sections[i].file_off;
		return 0;
	}
	return err ? err : -ENOEXEC;
}

int r2r_rows_open(struct r2r_rows **out, int fd, u64 image_off)
{
	_cleanup_(r2r_rows_free) struct r2r_rows *r = calloc(1, sizeof(*r));
	struct pe_range range;
	u64 addr;
	int err;

	if (!r)
		return -ENOMEM;
	r->file.read = read_file;
	r->image_off = image_off;
	r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (r->fd < 0)
		return -errno;
	err = pe_init(&r->pe, &r->file, 0, true);
	if (!err)
		err = r2r_functions_range(&r->pe, &range);
	if (!err)
		err = pe_addr(&r->pe, range, &addr);
	if (err)
		return err == -EFAULT || err == -ERANGE || err == -ENOTSUP ? -ENOEXEC : err;
	r->n = range.len / sizeof(*r->functions);
	r->functions = calloc(r->n + 1, sizeof(*r->functions));
	if (!r->functions)
		return -ENOMEM;
	err = target_read(&r->file, addr, r->functions, r->n * sizeof(*r->functions));
	for (u32 i = 1; !err && i < r->n; i++)
		if (r->functions[i].begin < r->functions[i - 1].begin)
			err = -ENOEXEC;
	if (!err)
		*out = TAKE_PTR(r);
	return err == -EFAULT ? -ENOEXEC : err;
}

void r2r_rows_free(struct r2r_rows **r)
{
	if (*r) {
		free((*r)->functions);
		cleanup_close(&(*r)->fd);
	}
	free(*r);
	*r = NULL;
}

/* Returns the section with functions that contains file offset @off, or NULL. */
static const struct pe_section *section_at(const struct r2r_rows *r, u64 off)
{
	for (u32 i = 0; i < r->pe.n_sections; i++) {
		const struct pe_section *s = &r->pe.sections[i];

		if (off >= s->file_off && off - s->file_off < s->file_len)
			return s;
	}
	return NULL;
}

void r2r_rows_span(const struct r2r_rows *r, u64 *start_off, u64 *end_off)
{
	struct pe_range first = { r->n ? r->functions[0].begin : 0, 1 };
	struct pe_range last = { r->n ? r->functions[r->n - 1].begin : 0, 1 };

	if (!r->n || pe_addr(&r->pe, first, start_off) || pe_addr(&r->pe, last, end_off)) {
		*start_off = *end_off = 0;
		return;
	}
	*start_off += r->image_off;
	*end_off += r->image_off + UW_ROW_PAGE_LEN; /* maximum length of the last function */
}

/*
 * Returns the rule after @done bytes of the prologue; UW_CFA_NONE if no rule can express the state.
 */
static struct uw_rule rule_at(const struct unwind_info *info, u32 done)
{
	struct uw_rule rule = { .cfa = UW_CFA_SP, .ra = UW_SAVED_CFA, .ra_off = -8 };
	s32 off = 0, frame_off = 0, fp_at = 0;

	for (u32 i = 0; i < info->n_codes; i++) {
		const struct unwind_code *c = &info->codes[i];

		if (c->prologue_off > done)
			continue;
		if (c->op == UNWIND_SET_FP && c->reg != UNWIND_RBP)
			return (struct uw_rule){ .cfa = UW_CFA_NONE };
		if (c->reg == UNWIND_RBP && (c->op == UNWIND_PUSH || c->op == UNWIND_SAVE)) {
			fp_at = c->op == UNWIND_PUSH ? off : frame_off + (s32)c->value;
			rule.fp = UW_SAVED_CFA;
		}
		if (c->op == UNWIND_SET_FP) {
			rule.cfa = UW_CFA_FP;
			off = frame_off = -(s32)c->value;
		} else if (c->op != UNWIND_SAVE) {
			off += c->op == UNWIND_PUSH ? 8 : (s32)c->value;
		}
	}
	rule.cfa_off = off + 8;
	rule.fp_off = rule.fp == UW_SAVED_CFA ? fp_at - rule.cfa_off : 0;
	return rule;
}

/*
 * Reports the rules of a function. @end: start of the next function, or of the padding before it.
 */
static void describe_function(const struct r2r_rows *r, const struct r2r_function *f, u64 end,
			      rule_fn *fn, void *data)
{
	struct pe_range range = { f->unwind, 4 };
	struct unwind_info info;
	struct uw_rule rule;
	u64 addr, at = f->begin;

	if (pe_addr(&r->pe, range, &addr) ||
	    unwind_info_read((struct target *)&r->file, addr, &info))
		return;
	rule = rule_at(&info, 0);
	/* Visits the last operation first, because the first operation is undone last. */
	for (u32 i = info.n_codes; i-- > 0 && at < end;) {
		u64 next = (u64)f->begin + info.codes[i].prologue_off;

		if (next > at)
			fn(&rule, at, next < end ? next : end, data);
		at = next;
		rule = rule_at(&info, info.codes[i].prologue_off);
	}
	if (at < end)
		fn(&rule, at, end, data);
}

/* Finds the first function that ends after an RVA. */
static u32 first_function(const struct r2r_rows *r, u32 rva)
{
	return (u32)search_first(r->n, i, r->functions[i].end <= rva);
}

/* Reports the rules between the RVAs @start and @end. */
static void describe(const struct r2r_rows *r, u64 start, u64 end, rule_fn *fn, void *data)
{
	for (u32 i = first_function(r, (u32)start); i < r->n && r->functions[i].begin < end; i++) {
		const struct r2r_function *f = &r->functions[i];
		u64 next = i + 1 < r->n ? r->functions[i + 1].begin : UINT32_MAX;

		if (f->end > f->begin)
			describe_function(r, f, next > (u64)f->end + MAX_GAP ? f->end : next, fn,
					  data);
	}
}

int r2r_rows_page(const struct r2r_rows *r, struct rules *rules, u64 page_off, u32 *rows, u32 *n)
{
	const struct pe_section *s = section_at(r, page_off - r->image_off);
	struct paint paint;
	u32 rva;

	if (!s) /* the page does not start in a section, but a section may start in the page */
		s = section_at(r, page_off + UW_ROW_PAGE_LEN - 1 - r->image_off);
	if (!s)
		return -ENOENT;
	rva = (u32)(s->rva + page_off - r->image_off - s->file_off);
	paint_init(&paint, rules);
	paint_span(&paint, 0, UW_ROW_PAGE_LEN, rva);
	describe(r, rva, (u64)rva + UW_ROW_PAGE_LEN, paint_rule, &paint);
	*n = paint_rows(&paint, rows);
	return 0;
}
