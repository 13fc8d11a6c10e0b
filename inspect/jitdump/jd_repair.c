// SPDX-License-Identifier: BSD-2-Clause

/*
 * Extracts all code from a file and writes it again with the writer's own functions. Records are in
 * order of time; each LOAD follows its debug and unwind data.
 */

#include "jd_repair.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jd_check.h"
#include "jd_groups.h"
#include "jd_index.h"
#include "jdw.h"

struct repairing {
	const struct jd_file *f;
	const struct jd_repair *how;
	struct jd_repaired *result;
	struct jd_groups groups;
	struct jd_index index;
	FILE *out;
	u64 next_number;
	bool do_number; /* renumber the LOADs */
};

static int by_time(const void *a, const void *b)
{
	const struct jd_item *x = a, *y = b;

	if (x->rec.time != y->rec.time)
		return x->rec.time < y->rec.time ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

static int by_number(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int find_double_numbers(struct repairing *r)
{
	u64 *numbers = calloc(r->groups.n + 1, sizeof(*numbers));
	size_t n = 0;

	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; i < r->groups.n; i++)
		if (r->groups.all[i].rec.id == JD_LOAD)
			numbers[n++] = r->groups.all[i].rec.load.index;
	qsort(numbers, n, sizeof(*numbers), by_number);
	for (size_t i = 1; i < n; i++)
		r->do_number |= numbers[i] == numbers[i - 1];
	free(numbers);
	if (r->do_number)
		jd_report_change(r->how, JD_H_LEN, "LOADs renumbered");
	return 0;
}

static u64 skip_leb(const u8 *bytes, u64 len, u64 at)
{
	while (at < len && bytes[at] & 0x80)
		at++;
	return at + 1;
}

/* The return address register in a CIE of .eh_frame distinguishes x86-64 from arm64. */
static u32 machine_of_cie(const struct jdr_unwind *u)
{
	u64 at = 9, len = u->eh_frame_len;

	if (len < 16 || u->eh_frame[8] != 1 || memcmp(u->eh_frame + 4, "\0\0\0", 4) != 0)
		return EM_NONE;
	while (at < len && u->eh_frame[at])
		at++;
	at = skip_leb(u->eh_frame, len, at + 1); /* code alignment */
	at = skip_leb(u->eh_frame, len, at); /* data alignment */
	if (at >= len)
		return EM_NONE;
	return u->eh_frame[at] == 16 ? EM_X86_64 : u->eh_frame[at] == 30 ? EM_AARCH64 : EM_NONE;
}

static u32 find_machine(const struct repairing *r)
{
	u32 machine = r->how->machine ? r->how->machine : r->f->h.mach;

	for (size_t i = 0; !machine && i < r->groups.n; i++)
		if (r->groups.all[i].unwind.bytes)
			machine = machine_of_cie(&r->groups.all[i].unwind.unwind);
	if (machine != r->f->h.mach)
		jd_report_change(r->how, JD_H_MACH, "machine set to %u", machine);
	return machine;
}

static int write_buf(struct repairing *r, struct jdw_buf *b)
{
	if (b->no_memory)
		return -ENOMEM;
	return fwrite(b->bytes, 1, b->len, r->out) == b->len ? 0 : -EIO;
}

static int write_header(struct repairing *r)
{
	struct jdw_buf b = { .is_swapped = r->f->h.is_swapped };
	const struct jdr_header *h = &r->f->h;
	u64 first = r->groups.n ? r->groups.all[0].rec.time : 0;
	u64 flags = h->flags & JD_FLAG_ARCH_TIME;
	int err;

	if (flags && jd_time_is_clock(h, first, r->how->now)) {
		flags = 0;
		jd_report_change(r->how, JD_H_FLAGS,
				 "cleared the flag for ticks, because times are CLOCK_MONOTONIC");
	}
	if (h->version != JD_VERSION || h->size != JD_H_LEN || h->flags & ~JD_FLAG_ARCH_TIME)
		jd_report_change(r->how, 0, "header rewritten");
	jdw_put_header(&b, &(struct jdr_header){ .mach = find_machine(r),
						 .pid = h->pid,
						 .time = h->time < first ? h->time : first,
						 .flags = flags });
	err = write_buf(r, &b);
	jdw_buf_deinit(&b);
	return err;
}

/*
 * The code of a record with slack is at the record's end, unless the bytes at the record's end are
 * zeros and the bytes after the name are not.
 */
static const u8 *find_code(const struct repairing *r, const struct jd_item *item)
{
	const struct jdr_load *l = &item->rec.load;
	const u8 *front = l->code - l->slack, *end = l->code + l->code_len;
	bool front_is_zero = true, end_is_zero = true;

	for (u64 i = 0; i < l->slack; i++) {
		front_is_zero &= !front[i];
		end_is_zero &= !end[-1 - (s64)i];
	}
	if (l->slack)
		jd_report_change(r->how, item->off, "removed %llu bytes %s the code of '%.80s'",
				 l->slack, end_is_zero && !front_is_zero ? "after" : "before",
				 l->name);
	return end_is_zero && !front_is_zero ? front : l->code;
}

/*
 * Makes the lines of a record for the writer. Return: NULL if there are none, or if *err is
 * -ENOMEM.
 */
static struct jdw_line *take_lines(struct repairing *r, const struct jd_item *item, int *err)
{
	const struct jdr_load *l = &item->rec.load;
	struct jdr_cursor c = { 0 };
	struct jdw_line *lines;
	struct jdr_entry e;

	if (!item->debug.bytes)
		return NULL;
	if (jdr_lines(&r->f->h, &item->debug, l->addr, l->code_len) != JDR_LINES_GOOD) {
		r->result->dropped++;
		jd_report_change(r->how, item->debug_off, "dropped: invalid lines of '%.80s'",
				 l->name);
		return NULL;
	}
	lines = calloc(item->debug.debug.n, sizeof(*lines));
	for (size_t i = 0; lines && jdr_entry(&r->f->h, &item->debug, &c, &e) > 0; i++)
		lines[i] = (struct jdw_line){ e.addr, e.file, e.line, e.column };
	*err = lines ? 0 : -ENOMEM;
	return lines;
}

/*
 * The number of bytes by which perf's image is longer than the code; these bytes must not overlap
 * live code.
 */
static u64 keep_mapped(struct repairing *r, const struct jd_item *item)
{
	const struct jdr_load *l = &item->rec.load;
	u64 code_end = l->addr + l->code_len, more = item->unwind.unwind.mapped;
	u64 len = ((code_end + 7) & ~7ull) + more - code_end;

	if (!more || (code_end + len > code_end && !jd_index_live(&r->index, code_end, len)))
		return more;
	jd_report_change(r->how, item->off, "set mapped_size of '%.80s' to 0", l->name);
	return 0;
}

static int write_load(struct repairing *r, const struct jd_item *item)
{
	const struct jdr_load *l = &item->rec.load;
	struct jdw_buf b = { .is_swapped = r->f->h.is_swapped };
	struct jd_code code = { .addr = l->addr,
				.len = l->code_len,
				.from = item->rec.time,
				.index = r->do_number ? r->next_number++ : l->index,
				.name = l->name };
	struct jdw_code c = { .name = l->name, .addr = l->addr, .size = l->code_len };
	int err = 0;

	c.code = find_code(r, item);
	c.lines = take_lines(r, item, &err);
	c.n_lines = c.lines ? item->debug.debug.n : 0;
	if (item->unwind.bytes) {
		c.eh_frame = item->unwind.unwind.eh_frame;
		c.eh_frame_size = item->unwind.unwind.eh_frame_len;
		c.eh_frame_hdr = item->unwind.unwind.hdr;
		c.eh_frame_hdr_size = item->unwind.unwind.hdr_len;
		c.mapped_size = keep_mapped(r, item);
	}
	err = err ? err : jdw_group(&b, &c);
	if (!err) {
		jdw_group_stamp(&b, item->rec.time, r->f->h.pid, l->tid, code.index);
		jdw_put(&b, c.code, c.size);
		err = write_buf(r, &b);
		r->result->loads++;
		r->result->lines += c.lines != NULL;
		r->result->unwind += c.eh_frame_hdr_size != 0;
	}
	free((void *)c.lines);
	jdw_buf_deinit(&b);
	return err ? err : jd_index_add(&r->index, &code);
}

static int write_move(struct repairing *r, const struct jd_item *item)
{
	const struct jdr_move *m = &item->rec.move;
	const struct jd_code *code = jd_index_live(&r->index, m->old_addr, 1);
	struct jdw_buf b = { .is_swapped = r->f->h.is_swapped };
	int err;

	if (!code || code->addr != m->old_addr || m->new_addr + code->len < m->new_addr) {
		r->result->dropped++;
		jd_report_change(r->how, item->off, "dropped: a MOVE of code that is not live");
		return 0;
	}
	jdw_put_u32(&b, JD_MOVE);
	jdw_put_u32(&b, JD_M_LEN);
	jdw_put_u64(&b, item->rec.time);
	jdw_put_u32(&b, r->f->h.pid);
	jdw_put_u32(&b, m->tid);
	jdw_put_u64(&b, m->new_addr);
	jdw_put_u64(&b, m->old_addr);
	jdw_put_u64(&b, m->new_addr);
	jdw_put_u64(&b, code->len);
	jdw_put_u64(&b, code->index);
	err = write_buf(r, &b);
	r->result->moves++;
	jdw_buf_deinit(&b);
	return err ? err : jd_index_move(&r->index, m->old_addr, m->new_addr, item->rec.time);
}

int jd_repair_file(const struct jd_file *f, const struct jd_repair *how, FILE *out,
		   struct jd_repaired *result)
{
	struct jd_repaired found = { 0 };
	struct repairing r = { .f = f, .how = how, .out = out, .result = &found };
	int err = jd_groups_read(f, how, &r.groups);

	if (!err)
		err = find_double_numbers(&r);
	if (!err) {
		found.dropped = r.groups.dropped;
		if (r.groups.n)
			qsort(r.groups.all, r.groups.n, sizeof(*r.groups.all), by_time);
		err = write_header(&r);
	}
	for (size_t i = 0; !err && i < r.groups.n; i++)
		err = r.groups.all[i].rec.id == JD_LOAD ? write_load(&r, &r.groups.all[i])
							: write_move(&r, &r.groups.all[i]);
	jd_groups_deinit(&r.groups);
	jd_index_deinit(&r.index);
	if (!err)
		*result = found;
	return err;
}
