// SPDX-License-Identifier: BSD-2-Clause

/* Checks single records, and the order of records that belong together. */

#include "jd_check_run.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int check_number(struct jd_run *r, u64 number)
{
	u64 *own = malloc(sizeof(*own)), **node;

	if (!own)
		return -ENOMEM;
	*own = number;
	node = tsearch(own, &r->numbers, compare_numbers);
	if (node && *node == own)
		return 0;
	free(own);
	if (!node)
		return -ENOMEM;
	jd_found(r, JD_R_LOAD_INDEX, "an earlier LOAD has the same code_index, %llu", number);
	return 0;
}

/*
 * In perf the last entry covers no code, because perf ends the line sequence at the entry's
 * address.
 */
static void check_entries(struct jd_run *r, const struct jdr_load *l)
{
	bool has_repeat = false, has_zero = false;
	struct jdr_cursor c = { 0 };
	struct jdr_entry e = { 0 };

	while (jdr_entry(&r->f->h, &r->debug, &c, &e) > 0) {
		has_repeat |= e.is_repeat;
		has_zero |= !e.line;
	}
	if (e.addr != l->addr + l->code_len)
		jd_found_at(r, r->debug_off, JD_R_DEBUG_CLOSING,
			    "the last of %llu line entries is %llu bytes before the end of '%.60s'",
			    r->debug.debug.n, l->addr + l->code_len - e.addr, l->name);
	if (has_repeat)
		jd_found_at(r, r->debug_off, JD_R_DEBUG_REPEAT, "a file name is \"\\xff\"");
	if (has_zero)
		jd_found_at(r, r->debug_off, JD_R_DEBUG_LINE_0, "a line number is 0");
	if (jdr_is_v8(&r->f->h) && !r->is_shift_reported) {
		r->is_shift_reported = true;
		jd_found_at(r, r->debug_off, JD_R_DEBUG_SHIFT,
			    "line addresses are 0x40 too high in this and later records");
	}
}

static void check_pair(struct jd_run *r, const struct jdr_load *l)
{
	static const enum jd_rule rules[JDR_N_LINES] = {
		[JDR_LINES_OVERRUN] = JD_R_DEBUG_OVERRUN,
		[JDR_LINES_REST] = JD_R_DEBUG_GARBAGE,
		[JDR_LINES_FILE] = JD_R_DEBUG_GARBAGE,
		[JDR_LINES_BACKWARD] = JD_R_DEBUG_BACKWARD,
		[JDR_LINES_OUTSIDE] = JD_R_DEBUG_OUTSIDE,
	};
	enum jdr_lines lines;

	if (!r->debug.bytes)
		return;
	if (r->debug.debug.addr != l->addr) {
		jd_found_at(r, r->debug_off, JD_R_DEBUG_ORPHAN,
			    "the DEBUG_INFO is for %#llx, but the next LOAD, '%.60s', is at %#llx",
			    r->debug.debug.addr, l->name, l->addr);
	} else if (r->debug.debug.n) {
		lines = jdr_lines(&r->f->h, &r->debug, l->addr, l->code_len);
		if (lines == JDR_LINES_GOOD)
			check_entries(r, l);
		else
			jd_found_at(r, r->debug_off, rules[lines],
				    "the lines of '%.60s' are invalid", l->name);
	}
	r->debug.bytes = NULL;
}

/* If mapped_size is not 0, perf's image is longer than the code. */
static void check_mapped(struct jd_run *r, const struct jdr_load *l)
{
	u64 end = ((l->addr + l->code_len + 7) & ~7ull) + r->unwind.unwind.mapped;
	const struct jd_code *next;

	if (!r->unwind.bytes)
		return;
	r->unwind.bytes = NULL;
	if (!r->unwind.unwind.mapped || end <= l->addr + l->code_len)
		return;
	next = jd_index_live(&r->index, l->addr + l->code_len, end - (l->addr + l->code_len));
	if (next)
		jd_found_at(r, r->unwind_off, JD_R_UNWIND_MAPPED, "'%.60s' overlaps '%.60s'",
			    l->name, next->name);
}

int jd_check_load(struct jd_run *r)
{
	const struct jdr_load *l = &r->rec.load;
	const struct jd_code *under;
	int err;

	if (r->rec.fault == JDR_NO_NUL) {
		jd_found(r, JD_R_LOAD_NAME, "the LOAD's name has no NUL");
		return 0;
	}
	if (r->rec.fault == JDR_ADDR) {
		jd_found(r, JD_R_LOAD_ADDR, "%llu bytes of code at %#llx exceed the address space",
			 l->code_len, l->addr);
		return 0;
	}
	if (r->rec.fault == JDR_NO_CODE)
		jd_found(r, JD_R_LOAD_NO_CODE,
			 "'%.60s' should have %llu bytes of code but has %llu", l->name,
			 l->code_len, r->rec.size - JD_L_NAME - l->name_len - 1ull);
	if (l->slack)
		jd_found(r, JD_R_LOAD_SLACK, "%llu extra bytes are in the LOAD of '%.60s'",
			 l->slack, l->name);
	if (l->vma != l->addr)
		jd_found(r, JD_R_LOAD_VMA, "vma is %#llx, but the code is at %#llx", l->vma,
			 l->addr);
	if (l->pid != r->f->h.pid)
		jd_found(r, JD_R_PID, "the record has pid %u, but the header has %u", l->pid,
			 r->f->h.pid);
	err = check_number(r, l->index);
	if (err)
		return err;
	under = jd_index_live(&r->index, l->addr, l->code_len);
	if (under && (under->addr != l->addr))
		jd_found(r, JD_R_LOAD_OVERLAP, "'%.60s' overlaps '%.60s'", l->name, under->name);
	check_pair(r, l);
	check_mapped(r, l);
	return jd_index_add(&r->index, &(struct jd_code){ .addr = l->addr,
							  .len = l->code_len,
							  .from = r->last_time,
							  .index = l->index,
							  .off = r->off,
							  .name = l->name });
}

void jd_check_debug(struct jd_run *r)
{
	if (r->debug.bytes)
		jd_found_at(r, r->debug_off, JD_R_DEBUG_REPLACED,
			    "another DEBUG_INFO follows at offset %llu", r->off);
	if (!r->rec.debug.n)
		jd_found(r, JD_R_DEBUG_EMPTY, "no entries");
	r->debug = r->rec;
	r->debug_off = r->off;
}

void jd_check_unwind(struct jd_run *r)
{
	const struct jdr_unwind *u = &r->rec.unwind;

	if (r->rec.fault == JDR_UNWIND_LEN) {
		jd_found(r, JD_R_UNWIND_LEN, "sizes in the record exceed its %u bytes",
			 r->rec.size);
		return;
	}
	if (r->unwind.bytes)
		jd_found_at(r, r->unwind_off, JD_R_UNWIND_REPLACED,
			    "another UNWINDING_INFO follows at offset %llu", r->off);
	if (u->hdr_is_first)
		jd_found(r, JD_R_UNWIND_ORDER, ".eh_frame_hdr precedes .eh_frame");
	if (!u->hdr_len)
		jd_found(r, JD_R_UNWIND_STICKY, "the unwind data has no .eh_frame_hdr");
	r->unwind = r->rec;
	r->unwind_off = r->off;
}

int jd_check_move(struct jd_run *r)
{
	const struct jdr_move *m = &r->rec.move;
	int err;

	if (r->rec.fault == JDR_ADDR) {
		jd_found(r, JD_R_LOAD_ADDR,
			 "a MOVE of %llu bytes from %#llx to %#llx exceeds the address space",
			 m->code_len, m->old_addr, m->new_addr);
		return 0;
	}
	err = jd_index_move(&r->index, m->old_addr, m->new_addr, r->last_time);
	if (err == -ENOENT)
		jd_found(r, JD_R_MOVE_UNKNOWN, "no live code starts at %#llx", m->old_addr);
	return err == -ENOENT ? 0 : err;
}

void jd_check_orphans(struct jd_run *r)
{
	if (r->debug.bytes)
		jd_found_at(r, r->debug_off, JD_R_DEBUG_ORPHAN, "no LOAD follows");
	if (r->unwind.bytes)
		jd_found_at(r, r->unwind_off, JD_R_UNWIND_ORPHAN, "no LOAD follows");
}
