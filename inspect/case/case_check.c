// SPDX-License-Identifier: BSD-2-Clause

/*
 * The invariants of every case. A case is checked before it is written, and again after
 * it is read.
 */

#include "case_format.h"

#include <errno.h>

static int bad(struct case_error *why, const char *what, u32 i)
{
	return case_fail(why, -EINVAL, NULL, what, i);
}

static bool is_mask(u64 mask)
{
	return mask && !(mask & (mask + 1));
}

static int check_lengths(const struct case_file *c, struct case_error *why)
{
	u64 n = 0;

	if (c->n_mappings > CASE_MAX_MAPPINGS || c->n_v8_builds > CASE_MAX_BUILDS ||
	    c->n_ranges > CASE_MAX_LIST || c->n_faults > CASE_MAX_LIST ||
	    c->n_rows > CASE_MAX_ROWS || c->n_reads > CASE_MAX_LIST ||
	    c->n_frames > CASE_MAX_LIST || c->n_functions > CASE_MAX_LIST ||
	    c->n_files > CASE_MAX_LIST || c->n_auxv > CASE_PAGE_LEN)
		return case_fail(why, -E2BIG, NULL, "a list of the case is too long");
	for (u32 i = 0; i < c->n_ranges; i++)
		n += c->ranges[i].len < CASE_MAX_LEN ? c->ranges[i].len : CASE_MAX_LEN;
	if (n >= CASE_MAX_LEN)
		return case_fail(why, -E2BIG, NULL, "the case has more than %llu MiB of memory",
				 CASE_MAX_LEN >> 20);
	return 0;
}

static int check_tables(const struct case_file *c, struct case_error *why)
{
	u64 first = c->extent >> 32, n = (u32)c->extent;

	if (first + n > c->n_mappings)
		return case_fail(why, -EINVAL, NULL,
				 "the extent covers mappings beyond the end of the list");
	for (u32 i = 0; i < c->n_mappings; i++) {
		const struct uw_mapping *m = &c->mappings[i].map;

		if (m->start_addr >= m->end_addr || m->end_addr > UW_MAX_MAPPING_END ||
		    m->kind >= UW_N_MAP_KINDS || m->info_idx >= CASE_MAX_BUILDS)
			return bad(why, "mapping %u is invalid", i);
		if (i > first && i < first + n && m->start_addr < c->mappings[i - 1].map.end_addr)
			return bad(
				why,
				"mapping %u must start at or above the end of the previous mapping",
				i);
	}
	return 0;
}

static int check_rows(const struct case_file *c, struct case_error *why)
{
	for (u32 i = 0; i < c->n_rows; i++) {
		const struct case_row *r = &c->rows[i];

		if (!r->module || r->file_off >= UW_MAX_ROW_OFF || r->rule.cfa >= UW_N_CFAS ||
		    r->rule.ra >= UW_N_SAVED || r->rule.fp >= UW_N_SAVED)
			return bad(why, "row %u is invalid", i);
		if (i && (r->module < r[-1].module ||
			  (r->module == r[-1].module && r->file_off <= r[-1].file_off)))
			return bad(why,
				   "unwind row %u must come after the previous row in the order of "
				   "modules and file offsets",
				   i);
	}
	return 0;
}

/* Ends are inclusive, so that a range can contain the last byte of the address space. */
static int check_memory(const struct case_file *c, struct case_error *why)
{
	u64 last = 0;

	for (u32 i = 0; i < c->n_ranges; i++) {
		const struct case_range *r = &c->ranges[i];

		if (!r->len || r->addr > ~0ull - (r->len - 1) || r->origin >= CASE_N_ORIGINS ||
		    r->holds >= CASE_N_HOLDS)
			return bad(why, "memory %u is invalid", i);
		if (i && r->addr <= last)
			return bad(why,
				   "memory range %u must start above the end of the previous "
				   "memory range",
				   i);
		last = r->addr + (r->len - 1);
	}
	return 0;
}

static int check_faults(const struct case_file *c, struct case_error *why)
{
	u64 last = 0;
	u32 r = 0;

	for (u32 i = 0; i < c->n_faults; i++) {
		const struct case_fault *f = &c->faults[i];

		if (!f->len || f->addr > ~0ull - (f->len - 1))
			return bad(why, "fault %u is invalid", i);
		if (i && f->addr <= last)
			return bad(why,
				   "fault range %u must start above the end of the previous fault "
				   "range",
				   i);
		last = f->addr + (f->len - 1);
		while (r < c->n_ranges && c->ranges[r].addr + (c->ranges[r].len - 1) < f->addr)
			r++;
		if (r < c->n_ranges && c->ranges[r].addr <= last)
			return bad(why, "fault %u overlaps memory", i);
	}
	return 0;
}

#define FRAME_FLAGS                                                                                \
	(UW_FRAME_RA | UW_FRAME_GUESS | UW_FRAME_NO_ROWS | UW_FRAME_ASYNC | UW_FRAME_FIRST_RUN |   \
	 UW_FRAME_SYSCALL)

static int check_walk(const struct case_file *c, struct case_error *why)
{
	if (c->truth && (c->truth->status >= UW_N_STATUS || c->truth->n_pcs > CASE_MAX_LIST))
		return case_fail(why, -EINVAL, NULL, "the expected stack (truth) is invalid");
	if (!c->walk && (c->n_frames || c->n_reads))
		return case_fail(why, -EINVAL, NULL, "the case has frames or reads, but no walk");
	if (!c->walk)
		return 0;
	if (c->walk->status >= UW_N_STATUS || c->walk->n_frames > UW_MAX_FRAMES)
		return case_fail(why, -EINVAL, NULL,
				 "the walk's status or number of frames is invalid");
	for (u32 i = 0; i < c->walk->n_frames; i++) {
		const struct uw_frame *f = &c->walk->frames[i];

		if (f->kind >= UW_N_KINDS || f->status >= UW_N_STATUS || f->flags & ~FRAME_FLAGS)
			return bad(why, "frame %u of the walk is invalid", i);
	}
	return 0;
}

/*
 * Checks that the bytes of successful reads are known, and that each failed read touches a fault.
 */
static int check_reads(const struct case_file *c, struct case_error *why)
{
	u32 first;

	for (u32 i = 0; i < c->n_reads; i++) {
		const struct case_read *r = &c->reads[i];

		if (!r->len || r->len > CASE_PAGE_LEN ||
		    case_state(c, r->addr, r->len, &first) != (r->is_fault ? -EFAULT : 0))
			return bad(why, "read %u contradicts the recorded memory or faults", i);
	}
	return 0;
}

static int check_lists(const struct case_file *c, struct case_error *why)
{
	for (u32 i = 0; i < c->n_functions; i++)
		if (!c->functions[i].name ||
		    (i && c->functions[i].start_addr < c->functions[i - 1].start_addr))
			return bad(why,
				   "function %u has no name, or starts below the previous function",
				   i);
	for (u32 i = 0; i < c->n_files; i++) {
		const struct case_map_file *f = &c->files[i];

		if (!f->path || f->start_addr >= f->end_addr ||
		    (i && f->start_addr < c->files[i - 1].end_addr))
			return bad(why,
				   "file mapping %u has no path, is empty, or starts below the end "
				   "of the previous file mapping",
				   i);
	}
	return 0;
}

int case_check(const struct case_file *c, struct case_error *why)
{
	int err;

	if (c->arch >= CASE_N_ARCHS || !is_mask(c->va_mask))
		return case_fail(why, -EINVAL, NULL,
				 "the architecture or the address mask is invalid");
	if (c->arch == CASE_X86_64 && c->regs.lr) /* NT_PRSTATUS of x86-64 has no lr */
		return case_fail(why, -EINVAL, NULL, "x86-64 has no lr");
	err = check_lengths(c, why);
	if (!err)
		err = check_tables(c, why);
	if (!err)
		err = check_rows(c, why);
	if (!err)
		err = check_memory(c, why);
	if (!err)
		err = check_faults(c, why);
	if (!err)
		err = check_walk(c, why);
	if (!err)
		err = check_reads(c, why);
	return err ? err : check_lists(c, why);
}
