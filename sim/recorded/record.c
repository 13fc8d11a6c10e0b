// SPDX-License-Identifier: BSD-2-Clause

/*
 * Converts the pages of an image to the ranges of a case. Each page is of one of these kinds:
 *
 *	known    readable and stored in the file: a range
 *	fault    mapped, but not readable or not present; also all memory between regions and
 *	         after the last one
 *	omitted    below the end of the stack, or elsewhere and all zero
 */

#include "record.h"

#include "../../inspect/case/case.h"
#include "../../inspect/case/case_rows.h"
#include "../../inspect/util/cleanup.h"
#include "../mem/image.h"
#include "../port/tables.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* Maximum distance below sp of the slots of a V8 frame that is being built. */
#define BELOW_SP_LEN 512

enum page_is { PAGE_KNOWN, PAGE_FAULT, PAGE_LEFT_OUT };

struct record {
	struct case_range *ranges;
	struct case_fault *faults;
	u32 n_ranges, n_faults;
	u64 fault_end; /* all addresses below this one have been processed */
	u64 stack_low; /* first page of the stack that is written */
};

static void record_deinit(struct record *r)
{
	free(r->ranges);
	free(r->faults);
}

static bool is_zero(const u8 *page)
{
	return !page[0] && !memcmp(page, page + 1, SIM_PAGE_LEN - 1);
}

static enum page_is judge_page(const struct record *r, const struct sim_region *region, u64 page,
			       bool is_stack)
{
	u8 flags = region->pages[page];
	u64 addr = region->addr + page * SIM_PAGE_LEN;

	if (!(flags & SIM_MAPPED) || !(flags & SIM_PRESENT) || !(flags & SIM_READ))
		return PAGE_FAULT;
	if (is_stack)
		return addr < r->stack_low ? PAGE_LEFT_OUT : PAGE_KNOWN;
	return is_zero(region->bytes + page * SIM_PAGE_LEN) ? PAGE_LEFT_OUT : PAGE_KNOWN;
}

/* Adds a fault, or extends the last fault if the two are adjacent. */
static void add_fault(struct record *r, u64 addr, u64 len)
{
	struct case_fault *last = r->n_faults ? &r->faults[r->n_faults - 1] : NULL;

	if (!len)
		return;
	if (last && last->addr + last->len == addr)
		last->len += len;
	else
		r->faults[r->n_faults++] = (struct case_fault){ addr, len };
}

static u8 prot_of(u8 flags)
{
	return PF_R | (flags & SIM_WRITE ? PF_W : 0) | (flags & SIM_EXEC ? PF_X : 0);
}

static void add_range(struct record *r, const struct sim_region *region, u64 page, u8 holds)
{
	struct case_range *last = r->n_ranges ? &r->ranges[r->n_ranges - 1] : NULL;
	u64 addr = region->addr + page * SIM_PAGE_LEN;
	const u8 *bytes = region->bytes + page * SIM_PAGE_LEN;
	u8 prot = prot_of(region->pages[page]);

	if (prot & PF_X)
		holds = CASE_CODE;
	if (last && last->bytes + last->len == bytes && last->addr + last->len == addr &&
	    last->prot == prot && last->holds == holds)
		last->len += SIM_PAGE_LEN;
	else
		r->ranges[r->n_ranges++] =
			(struct case_range){ addr, SIM_PAGE_LEN, bytes, CASE_BY_WALK, holds, prot };
}

static void take_region(struct record *r, const struct sim_region *region, u64 sp)
{
	bool is_stack = sp - region->addr < region->len;

	add_fault(r, r->fault_end, region->addr - r->fault_end);
	for (u64 page = 0; page < region->len / SIM_PAGE_LEN; page++) {
		enum page_is is = judge_page(r, region, page, is_stack);

		if (is == PAGE_FAULT)
			add_fault(r, region->addr + page * SIM_PAGE_LEN, SIM_PAGE_LEN);
		else if (is == PAGE_KNOWN)
			add_range(r, region, page, is_stack ? CASE_STACK : CASE_HEAP);
	}
	r->fault_end = region->addr + region->len;
}

static int take_memory(struct record *r, const struct sim_target *t)
{
	size_t n_regions, n_pages = 0;
	const struct sim_region *regions = sim_image_regions(t->mem, &n_regions);

	for (size_t i = 0; i < n_regions; i++)
		n_pages += regions[i].len / SIM_PAGE_LEN;
	r->ranges = calloc(n_pages + 1, sizeof(*r->ranges));
	r->faults = calloc(n_pages + n_regions + 1, sizeof(*r->faults));
	if (!r->ranges || !r->faults)
		return -ENOMEM;
	r->stack_low = (t->regs.sp - BELOW_SP_LEN) & ~(u64)(SIM_PAGE_LEN - 1);
	for (size_t i = 0; i < n_regions; i++)
		take_region(r, &regions[i], t->regs.sp);
	add_fault(r, r->fault_end, -r->fault_end); /* to the end of the address space */
	return 0;
}

static int take_mappings(const struct sim_target *t, struct case_mapping **out)
{
	struct case_mapping *m = calloc(t->n_mappings + 1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	for (u32 i = 0; i < t->n_mappings; i++)
		m[i].map = t->mappings[i];
	*out = m;
	return 0;
}

/* Copies the case's functions to struct case_function, in which the order of fields differs. */
static int take_functions(const struct sim_case *c, struct case_function **out)
{
	struct case_function *f = calloc(c->n_functions + 1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	for (u32 i = 0; i < c->n_functions; i++)
		f[i] = (struct case_function){ c->functions[i].name, c->functions[i].start_addr,
					       c->functions[i].len };
	*out = f;
	return 0;
}

static const struct uw_rule *find_rule(void *ctx, u32 module, u64 file_off)
{
	return sim_find_rule(ctx, module, file_off);
}

static const struct uw_mapping *mapping_at(void *ctx, u64 pc)
{
	const struct sim_target *t = ctx;

	for (u32 i = 0; i < t->n_mappings; i++)
		if (pc >= t->mappings[i].start_addr && pc < t->mappings[i].end_addr)
			return &t->mappings[i];
	return NULL;
}

int sim_rows_used(const struct sim_target *t, const struct uw_sample *s, struct case_row **out,
		  u32 *n)
{
	const struct case_rule_source source = { find_rule, mapping_at, (void *)t };

	return case_rows_used(s->frames, s->n_frames, &source, out, n);
}

/* Drops rules of other versions, which no walk applies. Returns the number of rows left. */
static u32 drop_unknown(struct case_row *rows, u32 n)
{
	u32 n_known = 0;

	for (u32 i = 0; i < n; i++)
		if (rows[i].rule.cfa < UW_N_CFAS)
			rows[n_known++] = rows[i];
	return n_known;
}

/* Finds the rows that a walk by the core uses. */
static int take_rows(const struct sim_arch *arch, const struct sim_target *t, struct case_row **out,
		     u32 *n)
{
	_cleanup_free_ struct uw_state *u = calloc(1, sizeof(*u));
	int err;

	if (!u)
		return -ENOMEM;
	arch->walk(u, t);
	err = sim_rows_used(t, &u->sample, out, n);
	if (!err)
		*n = drop_unknown(*out, *n);
	return err;
}

int sim_case_write(const struct sim_case *c, const struct sim_target *target,
		   const struct sim_truth *truth, u8 status, const char *path,
		   struct sim_error *error)
{
	_cleanup_(record_deinit) struct record r = { 0 };
	_cleanup_free_ struct case_mapping *mappings = NULL;
	_cleanup_free_ struct case_function *functions = NULL;
	_cleanup_free_ struct case_row *rows = NULL;
	struct case_truth written = { 0 };
	bool has_lr = c->arch == &sim_arch_arm64;
	struct case_error why = { "out of memory" };
	u32 n_rows = 0;
	int err;

	if (!sim_mem_is_image(target->mem))
		return sim_fail(error, -EINVAL, "%s: only cases with image memory can be written",
				path);
	err = take_memory(&r, target);
	if (!err)
		err = take_mappings(target, &mappings);
	if (!err)
		err = take_functions(c, &functions);
	if (!err)
		err = take_rows(c->arch, target, &rows, &n_rows);
	if (truth)
		written = (struct case_truth){ truth->pcs, truth->n, status };
	if (!err) {
		struct case_file file = {
			.arch = has_lr ? CASE_ARM64 : CASE_X86_64,
			.regs = { target->regs.pc, target->regs.sp, target->regs.fp,
				  has_lr ? target->regs.lr : 0 },
			.va_mask = target->va_mask,
			.extent = target->extent,
			.mappings = mappings,
			.v8_builds = target->v8_builds,
			.rows = rows,
			.n_rows = n_rows,
			.ranges = r.ranges,
			.faults = r.faults,
			.functions = functions,
			.truth = truth ? &written : NULL,
			.n_mappings = target->n_mappings,
			.n_v8_builds = target->n_v8_builds,
			.n_ranges = r.n_ranges,
			.n_faults = r.n_faults,
			.n_functions = c->n_functions,
		};

		case_set_scratch(&file, target->regs.scratch);
		err = case_write(&file, path, &why);
	}
	return err ? sim_fail(error, err, "%s", why.text) : 0;
}
