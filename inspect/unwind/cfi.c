/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A page is painted: each byte gets the number of its rule from the first who
 * knows it, and the rows are where the number changes. So overlapping, nested and
 * missing entries need no cases of their own, and there are never more rows than
 * bytes.
 *
 *	1. the entry of the program	nobody called it
 *	2. return from a signal		by its bytes
 *	3. code of Go			by its linker's table
 *	4. .eh_frame			but epilogues of .NET NativeAOT by their bytes
 *	5. .debug_frame
 *	6. who was told to be asked	V8's builtins
 *	7. stubs			by their bytes
 *	8. the rest			by its instructions
 *
 * FDEs of one section that overlap: each ends where the next one starts, which is
 * what a search for the last start finds at run time (libgcc, elfutils).
 */

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "../go/go_rows.h"
#include "../util/cleanup.h"
#include "cfi.h"
#include "cfi_code.h"
#include "cfi_entry.h"
#include "cfi_epilogue.h"
#include "cfi_program.h"
#include "cfi_rule.h"
#include "flow.h"

/*
 * Of instructions and FDEs a page. Node.js 24 needs 3,000 at most; 200,000 take a
 * few milliseconds.
 */
#define MAX_WORK 200000

#define UNPAINTED (~0u)

/* Bytes between described functions: less is padding, more is tables or another's code. */
#define MIN_GAP 16
#define MAX_GAP (512u << 10) /* less than all of V8's builtins */
#define MAX_GAPS (4u << 20) /* in all, of a file: 0.5 s. Chromium describes 1 % of its 225 MiB */
#define BYTES_AN_ENTRY 1024 /* of code; Debian's libraries have one for 270 to 520 */
#define CRT_LEN (8u << 10) /* the start code of a program has entries enough for this much */

#define WORK_A_CALL 100 /* to find the function that is called */
#define MAX_HELD 16 /* of a page; glibc 2.36's ld.so has 2 at most */

enum { EH_FRAME, DEBUG_FRAME, N_SECTIONS };

/* Code whose CFA counts from a register that a walk does not carry, but each call of it saves. */
struct held {
	u64 start, end;
	u64 reg;
	s64 off;
	struct uw_rule rule; /* but for the CFA */
};

/* The bytes of the page that are in one segment. */
struct page {
	struct cfi *c;
	struct rules *rules;
	const struct cfi_cie *cie;
	const struct elf_segment *segment;
	const struct cfi_code *code; /* and a margin */
	u64 start, end; /* link-time addresses */
	u32 *paint; /* of the byte at start */
	u32 work;
	struct held held[MAX_HELD];
	u32 n_held;
};

struct cfi {
	struct elf_file *file;
	const struct cfi_regs *regs;
	struct cfi_section sections[N_SECTIONS];
	struct go_table *go; /* NULL: it is no program of Go's */
	u64 entry, entry_end;
	u64 aot_start, aot_end; /* code whose epilogues are not described; equal: none */
	const struct elf_segment *flow_of; /* tried, of the first segment that needs it */
	struct flow *flow;
	u64 gap_addr;
	struct flow *gap; /* the last one */
	u64 gaps_len; /* of all so far */
	bool follows_nothing; /* there is to be no flow */
	cfi_describe_fn *describe; /* NULL: nobody is to be asked */
	const void *who;
	struct cfi_counts counts;
	u32 paint[UW_ROW_PAGE_LEN];
	u8 code[UW_ROW_PAGE_LEN + 2 * CFI_CODE_MARGIN];
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

static bool hold(struct page *p, const struct cfi_state *s, u64 start, u64 end)
{
	struct held h = { .start = start, .end = end, .reg = s->cfa.reg, .off = s->cfa.off };
	struct cfi_state by_sp = *s;

	by_sp.cfa.reg = p->c->regs->sp;
	if (p->c->regs->has_lr || p->n_held == MAX_HELD || s->cfa.how != CFI_REGISTER ||
	    !cfi_reg_is_saved(h.reg) || h.off != (s8)h.off ||
	    !cfi_rule_from(p->c->regs, p->cie, &by_sp, &h.rule))
		return false;
	p->held[p->n_held++] = h;
	return true;
}

static void find_saved(const struct cfi_state *s, u64 start, u64 end, void *data)
{
	struct cfi_value *found = data;

	(void)start;
	(void)end;
	if (!found->how && s->fp.how == CFI_OFFSET)
		*found = s->fp;
}

/* Where a function keeps its caller's register: below its CFA. */
static bool is_saved_by(struct page *p, struct cfi_section *s, u64 callee, u64 reg, s32 *off)
{
	struct cfi_regs regs = *p->c->regs;
	struct cfi_value found = {};
	struct cfi_fde fde;
	struct cfi_run run = {
		.regs = &regs, .fde = &fde, .from = callee, .fn = find_saved, .data = &found
	};

	regs.fp = (u8)reg;
	p->work -= p->work < WORK_A_CALL ? p->work : WORK_A_CALL;
	if (cfi_section_fde_of(s, callee, &fde) < 0)
		return false;
	run.to = fde.end;
	run.work = p->work;
	cfi_run(&run);
	p->work = run.work;
	*off = (s32)found.off;
	return found.how && found.off == *off;
}

/*
 * _dl_runtime_resolve of glibc aligns its frame and counts from rbx, which all that it calls
 * saves. So behind a call, whose last byte is where a return address is looked up,
 *
 *	cfa = *(sp + where the callee saved it) + off
 */
static void paint_held(struct page *p, struct cfi_section *s)
{
	u64 callee;

	for (u32 i = 0; i < p->n_held; i++) {
		struct held *h = &p->held[i];
		u64 at = h->start;

		h->rule.cfa = UW_CFA_AT_SP;
		h->rule.cfa_add = (s8)h->off;
		while (p->work && cfi_code_next_call(p->code, &at, h->end, &callee))
			if (is_saved_by(p, s, callee, h->reg, &h->rule.cfa_off))
				paint(p, at - 1, at, rules_add(p->rules, &h->rule));
		paint(p, h->start, h->end, 0);
		p->c->counts.unknown++;
	}
	p->n_held = 0;
}

static void paint_state(const struct cfi_state *s, u64 start, u64 end, void *data)
{
	struct page *p = data;
	struct uw_rule rule;

	if (hold(p, s, start, end))
		return;
	if (!cfi_rule_from(p->c->regs, p->cie, s, &rule))
		p->c->counts.unknown++;
	if (rule.cfa == UW_CFA_SCRATCH && rule.fp == UW_SAVED_FP) {
		u64 left = cfi_code_leaves_aligned(p->code, start, end);

		paint(p, start, left, rules_add(p->rules, &rule));
		start = left;
		rule.fp = UW_SAVED_SAME;
		rule.fp_off = 0;
	}
	if (start < end)
		paint(p, start, end, rules_add(p->rules, &rule));
}

/*
 * Functions that make a thread (glibc's clone() and clone3() for x86-64) are described as far as
 * their system call, since behind it is the child, too, which has no caller. The walk looks the
 * last byte of a system call up for who is in it and no new child: there all is as it was.
 */
static void paint_syscall(struct page *p, u64 end)
{
	if (end > p->start && end + 1 < p->end && cfi_code_is_syscall(p->code, end))
		paint(p, end + 1, end + 2, p->paint[end - 1 - p->start]);
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
	if (fde.start >= p->c->aot_start && fde.end <= p->c->aot_end)
		r = cfi_epilogues(p->code, s->file, fde.start, fde.end, run.to, &run.work);
	if (r < 0)
		return r;
	r = cfi_run(&run);
	p->work = run.work;
	if (!r && fde.end < run.to)
		paint_syscall(p, fde.end);
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
	paint_held(p, s);
	return r == -ENOENT ? 0 : r;
}

static void paint_code(const struct uw_rule *rule, u64 start, u64 end, void *data)
{
	struct page *p = data;

	paint(p, start, end, rules_add(p->rules, rule));
}

/* The code of the page, and what its segment has around it. */
static int read_code(struct page *p, struct cfi_code *code)
{
	const struct elf_segment *s = p->segment;
	u64 before = p->start - s->addr, after = s->addr + s->file_len - p->end;

	before = before < CFI_CODE_MARGIN ? before : CFI_CODE_MARGIN;
	after = after < CFI_CODE_MARGIN ? after : CFI_CODE_MARGIN;
	*code = (struct cfi_code){
		.bytes = p->c->code,
		.addr = p->start - before,
		.len = (size_t)(before + (p->end - p->start) + after),
		.text_start = s->addr,
		.text_end = s->addr + s->file_len,
		.is_arm64 = p->c->regs->has_lr,
		.fn = paint_code,
		.data = p,
	};
	return elf_file_read_addr(p->c->file, code->addr, p->c->code, code->len);
}

/* Where entries are enough for most of the code, only the gaps between them are followed. */
static bool is_described(const struct page *p)
{
	const struct cfi *c = p->c;
	u64 n = (u64)c->sections[EH_FRAME].n + c->sections[DEBUG_FRAME].n;

	return p->segment->file_len > FLOW_MAX_TEXT ||
	       (p->segment->file_len > CRT_LEN && n * BYTES_AN_ENTRY > p->segment->file_len);
}

/* The gap around @addr; NULL: it is none that can be followed. 0 or -ENOMEM. */
static int find_gap(struct page *p, u64 addr, const struct flow **flow)
{
	struct cfi *c = p->c;
	u64 start = p->segment->addr, end = start + p->segment->file_len;
	int r = 0;

	*flow = NULL;
	for (u32 i = 0; !r && i < N_SECTIONS; i++)
		r = cfi_section_gap(&c->sections[i], addr, &start, &end);
	if (r || end - start > MAX_GAP)
		return r == -ENOMEM ? r : 0;
	if (!c->gap || c->gap_addr != start) {
		struct flow_span span = { start, end - start, 0, true };

		if (c->gaps_len + span.len > MAX_GAPS) {
			c->counts.capped++;
			return 0;
		}
		c->gaps_len += span.len;
		flow_free(&c->gap);
		c->gap_addr = start;
		r = flow_new(&c->gap, c->file, &span);
	}
	if (!r)
		*flow = c->gap;
	return r == -ENOMEM ? r : 0;
}

static int paint_gaps(struct page *p)
{
	u64 len = p->end - p->start, from = 0;
	int r = 0;

	for (u64 i = 0; !r && i <= len; i++) {
		const struct flow *flow;

		if (i < len && p->paint[i] == UNPAINTED)
			continue;
		if (i - from >= MIN_GAP &&
		    !cfi_code_is_padding(p->code, p->start + from, p->start + i)) {
			r = find_gap(p, p->start + from, &flow);
			if (flow)
				flow_rules(flow, p->start + from, p->start + i, paint_code, p);
		}
		from = i + 1;
	}
	return r;
}

static int paint_flow(struct page *p)
{
	struct cfi *c = p->c;
	int r = 0;

	if (c->follows_nothing || c->go)
		return 0;
	if (is_described(p))
		return paint_gaps(p);
	if (!c->flow_of) {
		struct flow_span span = { p->segment->addr, p->segment->file_len, c->entry, false };

		c->flow_of = p->segment;
		r = flow_new(&c->flow, c->file, &span);
	}
	if (c->flow && c->flow_of == p->segment)
		flow_rules(c->flow, p->start, p->end, paint_code, p);
	return r == -ENOMEM ? r : 0;
}

static int paint_code_of(struct page *p)
{
	struct cfi *c = p->c;
	struct cfi_code code;
	bool has_signal;
	int r = read_code(p, &code);

	if (r < 0)
		return r;
	paint_code(&(struct uw_rule){ .cfa = UW_CFA_ROOT }, c->entry, c->entry_end, p);
	p->code = &code;
	cfi_code_coreclr(&code);
	has_signal = cfi_code_signals(&code, false);
	if (c->go)
		r = go_rows(c->go, c->regs->has_lr, p->start, p->end, paint_code, p);
	for (u32 i = 0; !r && i < N_SECTIONS; i++)
		r = paint_section(p, &c->sections[i]);
	if (has_signal)
		cfi_code_signals(&code, true);
	if (!r && c->describe)
		r = c->describe(c->who, c->file, p->start, p->end, paint_code, p);
	cfi_code_stubs(&code);
	return r < 0 ? r : paint_flow(p);
}

/* What a segment has of the page, if it has anything. */
static int paint_segment(struct page *p, const struct elf_segment *s, u64 page_off)
{
	u64 from = s->file_off > page_off ? s->file_off : page_off;
	u64 to = s->file_off + s->file_len;

	if (to > page_off + UW_ROW_PAGE_LEN)
		to = page_off + UW_ROW_PAGE_LEN;
	if (!s->is_exec || from >= to)
		return 0;
	p->segment = s;
	p->start = s->addr + (from - s->file_off);
	p->end = p->start + (to - from);
	p->paint = p->c->paint + (from - page_off);
	return paint_code_of(p);
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
	struct page p = { .c = c, .rules = r, .work = MAX_WORK };
	int ret = 0;

	if (page_off % UW_ROW_PAGE_LEN || page_off + UW_ROW_PAGE_LEN < page_off)
		return -EINVAL;
	memset(c->paint, 0xff, sizeof(c->paint));
	for (size_t i = 0; !ret && i < n_segments; i++)
		ret = paint_segment(&p, &s[i], page_off);
	if (ret < 0)
		return ret;
	c->counts.pages++;
	*n = rows_of(c->paint, rows);
	c->counts.rows += *n;
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
	r = cfi_section_eh(&c->sections[EH_FRAME], f);
	if (!r)
		r = cfi_section_debug(&c->sections[DEBUG_FRAME], f);
	if (!r)
		r = go_table_open(&c->go, f);
	if (r < 0 && r != -ENOENT)
		return r;
	cfi_entry_find(f, c->sections, N_SECTIONS, &c->entry, &c->entry_end);
	cfi_epilogue_code(f, &c->aot_start, &c->aot_end);
	*cfi = TAKE_PTR(c);
	return 0;
}

void cfi_free(struct cfi **cfi)
{
	struct cfi *c = *cfi;

	*cfi = NULL;
	if (!c)
		return;
	for (u32 i = 0; i < N_SECTIONS; i++)
		cfi_section_deinit(&c->sections[i]);
	flow_free(&c->flow);
	flow_free(&c->gap);
	go_table_free(&c->go);
	free(c);
}

int cfi_add_debug(struct cfi *c, struct elf_file *debug)
{
	struct cfi_section *s = &c->sections[DEBUG_FRAME];
	int r;

	if (s->n)
		return 0;
	cfi_section_deinit(s);
	r = cfi_section_debug(s, debug);
	if (!r && s->n)
		cfi_entry_find(c->file, c->sections, N_SECTIONS, &c->entry, &c->entry_end);
	return r;
}

void cfi_ask(struct cfi *c, cfi_describe_fn *describe, const void *who)
{
	c->describe = describe;
	c->who = who;
}

void cfi_follow_nothing(struct cfi *c)
{
	c->follows_nothing = true;
}

int cfi_span(struct cfi *c, u64 *start_off, u64 *end_off)
{
	struct cfi_section *s = &c->sections[EH_FRAME];
	struct cfi_listed first, last;
	u64 start, end;
	int r = s->n ? cfi_section_at(s, 0, &first) : -ENOENT;

	if (!r)
		r = cfi_section_at(s, s->n - 1, &last);
	if (!r)
		r = elf_file_addr_to_off(c->file, first.start, &start);
	if (!r)
		r = elf_file_addr_to_off(c->file, last.start, &end);
	if (r || end < start)
		return r ? r : -ENOEXEC;
	*start_off = start;
	*end_off = end;
	return 0;
}

bool cfi_has_entries(const struct cfi *c)
{
	return c->sections[EH_FRAME].n || c->sections[DEBUG_FRAME].n || c->go;
}

const struct cfi_counts *cfi_counts(const struct cfi *c)
{
	return &c->counts;
}
