/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The providers of the rules of a page, in order of precedence; each byte has the rule of the first
 * provider that has one for it (paint.h).
 *
 *
 *	1. the entry of the program	it has no caller
 *	2. return from a signal		matched by its bytes
 *	3. complete providers		Go's .gopclntab
 *	4. .eh_frame			except epilogues of .NET NativeAOT, matched by their bytes
 *	5. .debug_frame
 *	6. other providers		V8's builtins
 *	7. stubs			matched by their bytes
 *	8. all other code		followed by its instructions (flow.h)
 */

#include <errno.h>
#include <elf.h>
#include <stdlib.h>

#include "../util/cleanup.h"
#include "cfi.h"
#include "cfi_entry.h"
#include "cfi_epilogue.h"
#include "cfi_page.h"

/*
 * Limit of the number of instructions and FDEs processed per page. Node.js 24 needs at most 3,000;
 * 200,000 take a few milliseconds.
 */
#define MAX_WORK 200000

struct cfi {
	struct elf_file *file;
	const struct cfi_regs *regs;
	struct cfi_section sections[CFI_N_SECTIONS];
	struct cfi_provider providers[CFI_MAX_PROVIDERS];
	u32 n_providers;
	u64 entry, entry_end;
	u64 aot_start, aot_end;
	struct cfi_gaps gaps;
	bool is_complete; /* a provider covers all code, so no code is analyzed by its
			   * instructions */
	bool follows_nothing;
	struct cfi_counts counts;
	struct paint paint;
	u8 code[UW_ROW_PAGE_LEN + 2 * CFI_CODE_MARGIN];
};

static const struct cfi_regs x86_64_regs = { .sp = 7, .fp = 6, .ra = 16, .drap = 10 };
static const struct cfi_regs arm64_regs = {
	.sp = 31, .fp = 29, .ra = 30, .drap = 31, .has_lr = true
};

/* Reads the code of the page and the bytes around it in its segment. */
static int read_code(const struct cfi_page *p, u8 *bytes, struct cfi_code *code)
{
	const struct elf_segment *s = p->segment;
	u64 start = p->paint->start, end = p->paint->end;
	u64 before = start - s->addr, after = s->addr + s->file_len - end;

	before = before < CFI_CODE_MARGIN ? before : CFI_CODE_MARGIN;
	after = after < CFI_CODE_MARGIN ? after : CFI_CODE_MARGIN;
	*code = (struct cfi_code){
		.bytes = bytes,
		.addr = start - before,
		.len = (size_t)(before + (end - start) + after),
		.text_start = s->addr,
		.text_end = s->addr + s->file_len,
		.is_arm64 = p->regs->has_lr,
		.fn = paint_rule,
		.data = p->paint,
	};
	return elf_file_read_addr(p->file, code->addr, bytes, code->len);
}

static int ask(struct cfi *c, bool complete)
{
	int err = 0;

	for (u32 i = 0; !err && i < c->n_providers; i++) {
		const struct cfi_provider *p = &c->providers[i];

		if (p->is_complete == complete)
			err = p->describe(p->data, c->file, c->paint.start, c->paint.end,
					  paint_rule, &c->paint);
	}
	return err;
}

static int paint_code(struct cfi *c, struct cfi_page *p)
{
	struct cfi_code code;
	bool has_signal;
	int err = read_code(p, c->code, &code);

	if (err < 0)
		return err;
	paint_rule(&(struct uw_rule){ .cfa = UW_CFA_ROOT }, c->entry, c->entry_end, &c->paint);
	p->code = &code;
	cfi_code_coreclr(&code);
	has_signal = cfi_code_signals(&code, false);
	err = ask(c, true);
	for (u32 i = 0; !err && i < CFI_N_SECTIONS; i++)
		err = cfi_paint_section(p, &c->sections[i]);
	if (has_signal)
		cfi_code_signals(&code, true);
	if (!err)
		err = ask(c, false);
	cfi_code_stubs(&code);
	if (err < 0 || c->is_complete || c->follows_nothing)
		return err;
	return cfi_paint_gaps(p, &c->gaps, c->sections, c->entry);
}

/* Paints the part of the page that is in a segment, if any. */
static int paint_segment(struct cfi *c, struct cfi_page *p, const struct elf_segment *s,
			 u64 page_off)
{
	u64 from = s->file_off > page_off ? s->file_off : page_off;
	u64 to = s->file_off + s->file_len;

	if (to > page_off + UW_ROW_PAGE_LEN)
		to = page_off + UW_ROW_PAGE_LEN;
	if (!s->is_exec || from >= to)
		return 0;
	p->segment = s;
	paint_span(p->paint, (u32)(from - page_off), (u32)(to - from),
		   s->addr + (from - s->file_off));
	return paint_code(c, p);
}

int cfi_page(struct cfi *c, struct rules *r, u64 page_off, u32 *rows, u32 *n)
{
	size_t n_segments;
	const struct elf_segment *s = elf_file_segments(c->file, &n_segments);
	struct cfi_page p = { .file = c->file,
			      .regs = c->regs,
			      .paint = &c->paint,
			      .counts = &c->counts,
			      .aot_start = c->aot_start,
			      .aot_end = c->aot_end,
			      .work = MAX_WORK };
	int err = 0;

	if (page_off % UW_ROW_PAGE_LEN || page_off + UW_ROW_PAGE_LEN < page_off)
		return -EINVAL;
	paint_init(&c->paint, r);
	for (size_t i = 0; !err && i < n_segments; i++)
		err = paint_segment(c, &p, &s[i], page_off);
	if (err < 0)
		return err;
	c->counts.pages++;
	*n = paint_rows(&c->paint, rows);
	c->counts.rows += *n;
	return 0;
}

int cfi_open(struct cfi **cfi, struct elf_file *f)
{
	_cleanup_(cfi_free) struct cfi *c = NULL;
	u16 machine = elf_file_machine(f);
	int err;

	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return -ENOTSUP;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->file = f;
	c->regs = machine == EM_X86_64 ? &x86_64_regs : &arm64_regs;
	err = cfi_section_eh(&c->sections[CFI_EH_FRAME], f);
	if (!err)
		err = cfi_section_debug(&c->sections[CFI_DEBUG_FRAME], f);
	if (err < 0)
		return err;
	cfi_entry_find(f, c->sections, CFI_N_SECTIONS, &c->entry, &c->entry_end);
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
	for (u32 i = 0; i < CFI_N_SECTIONS; i++)
		cfi_section_deinit(&c->sections[i]);
	for (u32 i = 0; i < c->n_providers; i++)
		if (c->providers[i].free)
			c->providers[i].free(c->providers[i].data);
	cfi_gaps_deinit(&c->gaps);
	free(c);
}

int cfi_add_debug(struct cfi *c, struct elf_file *debug)
{
	struct cfi_section *s = &c->sections[CFI_DEBUG_FRAME];
	int err;

	if (s->n)
		return 0;
	cfi_section_deinit(s);
	err = cfi_section_debug(s, debug);
	if (!err && s->n)
		cfi_entry_find(c->file, c->sections, CFI_N_SECTIONS, &c->entry, &c->entry_end);
	return err;
}

int cfi_add_provider(struct cfi *c, const struct cfi_provider *provider)
{
	if (c->n_providers == CFI_MAX_PROVIDERS)
		return -E2BIG;
	c->providers[c->n_providers++] = *provider;
	c->is_complete |= provider->is_complete;
	return 0;
}

void cfi_follow_nothing(struct cfi *c)
{
	c->follows_nothing = true;
}

int cfi_span(struct cfi *c, u64 *start_off, u64 *end_off)
{
	struct cfi_section *s = &c->sections[CFI_EH_FRAME];
	struct cfi_listed first, last;
	u64 start, end;
	int err = s->n ? cfi_section_at(s, 0, &first) : -ENOENT;

	if (!err)
		err = cfi_section_at(s, s->n - 1, &last);
	if (!err)
		err = elf_file_addr_to_off(c->file, first.start, &start);
	if (!err)
		err = elf_file_addr_to_off(c->file, last.start, &end);
	if (err || end < start)
		return err ? err : -ENOEXEC;
	*start_off = start;
	*end_off = end;
	return 0;
}

bool cfi_has_entries(const struct cfi *c)
{
	return c->sections[CFI_EH_FRAME].n || c->sections[CFI_DEBUG_FRAME].n || c->is_complete;
}

const struct cfi_counts *cfi_counts(const struct cfi *c)
{
	return &c->counts;
}
