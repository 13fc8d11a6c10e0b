/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A page is painted: each byte gets the number of its rule from the first who
 * knows it, and the rows are where the number changes. So overlapping, nested and
 * missing entries need no cases of their own, and there are never more rows than
 * bytes.
 *
 *	1. the entry of the program	nobody called it
 *	2. .eh_frame
 *	3. .debug_frame
 *
 * FDEs of one section that overlap: each ends where the next one starts, which is
 * what a search for the last start finds at run time (libgcc, elfutils).
 */

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "cfi.h"
#include "cfi_program.h"
#include "cfi_rule.h"

/*
 * Of instructions and FDEs a page. Node.js 24 needs 3,000 at most; 200,000 take a
 * few milliseconds.
 */
#define MAX_WORK 200000

#define UNPAINTED (~0u)

/* The bytes of the page that are in one segment. */
struct page {
	struct cfi *c;
	struct rules *rules;
	const struct cfi_cie *cie;
	u64 start, end; /* link-time addresses */
	u32 *paint; /* of the byte at start */
	u32 work;
};

struct cfi {
	struct elf_file *file;
	const struct cfi_regs *regs;
	struct cfi_section sections[2];
	u64 entry, entry_end;
	struct cfi_counts counts;
	u32 paint[UW_ROW_PAGE_LEN];
};

static const struct cfi_regs x86_64_regs = { .sp = 7, .fp = 6, .ra = 16, .drap = 10 };
static const struct cfi_regs arm64_regs = {
	.sp = 31, .fp = 29, .ra = 30, .drap = 31, .has_lr = true
};

static void paint(struct page *p, u64 start, u64 end, u32 rule)
{
	if (start < p->start)
		start = p->start;
	if (end > p->end)
		end = p->end;
	for (; start < end; start++)
		if (p->paint[start - p->start] == UNPAINTED)
			p->paint[start - p->start] = rule;
}

static void paint_state(const struct cfi_state *s, u64 start, u64 end, void *data)
{
	struct page *p = data;
	struct uw_rule rule;

	if (!cfi_rule_from(p->c->regs, p->cie, s, &rule))
		p->c->counts.unknown++;
	paint(p, start, end, rules_add(p->rules, &rule));
}

/* @limit: where the next FDE starts. */
static int paint_fde(struct page *p, struct cfi_section *s, u64 pos, u64 limit)
{
	struct cfi_fde fde;
	struct cfi_run run = { .regs = p->c->regs,
			       .fde = &fde,
			       .from = p->start,
			       .work = p->work,
			       .fn = paint_state,
			       .data = p };
	int r = cfi_section_fde(s, pos, &fde);

	if (r < 0)
		return r;
	run.to = limit < p->end ? limit : p->end;
	if (fde.end <= p->start || fde.start >= run.to)
		return 0;
	p->c->counts.fdes++;
	p->cie = fde.cie;
	r = cfi_run(&run);
	p->work = run.work;
	return r;
}

static int paint_section(struct page *p, struct cfi_section *s)
{
	struct cfi_listed e, next = {};
	u32 i;
	int r = s->n ? cfi_section_find(s, p->start, &i) : -ENOENT;

	if (!r)
		r = cfi_section_at(s, i, &next);
	for (; !r && i < s->n && next.start < p->end; i++) {
		e = next;
		next.start = ~0ull;
		if (i + 1 < s->n)
			r = cfi_section_at(s, i + 1, &next);
		if (r < 0)
			break;
		if (!p->work) {
			p->c->counts.capped++;
			break;
		}
		p->work--;
		r = paint_fde(p, s, e.pos, next.start);
		if (r == -ENOEXEC || r == -ERANGE) {
			p->c->counts.broken++;
			r = 0;
		}
		if (r == -E2BIG) {
			p->c->counts.capped++;
			r = 0;
		}
	}
	return r == -ENOENT ? 0 : r;
}

static int paint_segment(struct page *p)
{
	int r;

	if (p->c->entry < p->c->entry_end)
		paint(p, p->c->entry, p->c->entry_end,
		      rules_add(p->rules, &(struct uw_rule){ .cfa = UW_CFA_ROOT }));
	r = paint_section(p, &p->c->sections[0]);
	if (!r)
		r = paint_section(p, &p->c->sections[1]);
	return r;
}

static u32 rows_of(const u32 *paint, u32 *rows)
{
	u32 n = 0, last = UNPAINTED;

	for (u32 i = 0; i < UW_ROW_PAGE_LEN; i++) {
		u32 rule = paint[i] == UNPAINTED ? 0 : paint[i];

		if (rule != last)
			rows[n++] = i << UW_ROW_OFF_SHIFT | rule;
		last = rule;
	}
	return n;
}

int cfi_page(struct cfi *c, struct rules *r, u64 page_off, u32 *rows, u32 *n)
{
	size_t n_segments;
	const struct elf_segment *s = elf_file_segments(c->file, &n_segments);
	u64 page_end = page_off + UW_ROW_PAGE_LEN;
	u32 work = MAX_WORK;
	int ret;

	if (page_off % UW_ROW_PAGE_LEN || page_end < page_off)
		return -EINVAL;
	memset(c->paint, 0xff, sizeof(c->paint));
	for (size_t i = 0; i < n_segments; i++) {
		u64 from = s[i].file_off > page_off ? s[i].file_off : page_off;
		u64 to = s[i].file_off + s[i].file_len;
		struct page p = {
			.c = c, .rules = r, .work = work, .paint = c->paint + (from - page_off)
		};

		if (to > page_end)
			to = page_end;
		if (!s[i].is_exec || from >= to)
			continue;
		p.start = s[i].addr + (from - s[i].file_off);
		p.end = p.start + (to - from);
		ret = paint_segment(&p);
		if (ret < 0)
			return ret;
		work = p.work;
	}
	c->counts.pages++;
	*n = rows_of(c->paint, rows);
	c->counts.rows += *n;
	return 0;
}

/* The entry's FDE: all of it runs before there is a frame to return to. */
static int find_entry(struct cfi *c, u64 entry)
{
	struct cfi_listed e;
	struct cfi_fde fde;
	u32 i;

	for (u32 k = 0; k < 2; k++) {
		struct cfi_section *s = &c->sections[k];

		if (!s->n || cfi_section_find(s, entry, &i) < 0 || cfi_section_at(s, i, &e) < 0 ||
		    cfi_section_fde(s, e.pos, &fde) < 0 || entry < fde.start || entry >= fde.end)
			continue;
		c->entry = fde.start;
		c->entry_end = fde.end;
		return 0;
	}
	return 0;
}

int cfi_open(struct cfi **cfi, struct elf_file *f)
{
	_cleanup_(cfi_free) struct cfi *c = NULL;
	GElf_Ehdr eh;
	int r;

	if (!gelf_getehdr(elf_file_elf(f), &eh) ||
	    (eh.e_machine != EM_X86_64 && eh.e_machine != EM_AARCH64))
		return -ENOTSUP;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->file = f;
	c->regs = eh.e_machine == EM_X86_64 ? &x86_64_regs : &arm64_regs;
	r = cfi_section_eh(&c->sections[0], f);
	if (!r)
		r = cfi_section_debug(&c->sections[1], f);
	if (!r && eh.e_entry)
		r = find_entry(c, eh.e_entry);
	if (r < 0)
		return r;
	*cfi = TAKE_PTR(c);
	return 0;
}

void cfi_free(struct cfi **cfi)
{
	struct cfi *c = *cfi;

	*cfi = NULL;
	if (!c)
		return;
	cfi_section_deinit(&c->sections[0]);
	cfi_section_deinit(&c->sections[1]);
	free(c);
}

bool cfi_has_entries(const struct cfi *c)
{
	return c->sections[0].n || c->sections[1].n;
}

const struct cfi_counts *cfi_counts(const struct cfi *c)
{
	return &c->counts;
}
