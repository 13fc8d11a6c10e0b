// SPDX-License-Identifier: BSD-2-Clause

#include "jd_groups.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "../util/array.h"
#include "../util/search.h"

void jd_report_change(const struct jd_repair *how, u64 off, const char *fmt, ...)
{
	char words[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	how->on_change(how->data, off, words);
}

static int push(struct jd_item **list, size_t *n, size_t *room, const struct jd_item *item)
{
	if (array_reserve(*list, *room, *n + 1))
		return -ENOMEM;
	(*list)[(*n)++] = *item;
	return 0;
}

struct reading {
	const struct jd_file *f;
	const struct jd_repair *how;
	struct jd_groups *g;
	struct jdr_record debug, unwind; /* pending records for the next LOAD */
	u64 debug_off, unwind_off;
};

static void drop(struct reading *r, u64 off, const char *why)
{
	r->g->dropped++;
	jd_report_change(r->how, off, "dropped: %s", why);
}

static int defer_debug(struct reading *r)
{
	struct jd_item item = { .off = r->debug_off, .debug = r->debug };

	if (!r->debug.bytes)
		return 0;
	r->debug.bytes = NULL;
	return push(&r->g->waiting, &r->g->n_waiting, &r->g->waiting_room, &item);
}

/* Returns the reason why a LOAD is dropped, or NULL if the LOAD is kept. */
static const char *why_no_load(const struct jdr_record *rec)
{
	switch (rec->fault) {
	case JDR_SHORT:
		return "a LOAD that is too short for its fields";
	case JDR_NO_NUL:
		return "a LOAD whose name has no NUL";
	case JDR_NO_CODE:
		return "a LOAD without code; 'to-perfmap' keeps the name";
	case JDR_ADDR:
		return "a LOAD that exceeds the address space";
	default:
		return NULL;
	}
}

static int take_load(struct reading *r, const struct jdr_record *rec, u64 off)
{
	struct jd_item item = { .off = off, .rec = *rec };
	const char *why = why_no_load(rec);
	int err = 0;

	if (why) {
		drop(r, off, why);
	} else {
		if (r->debug.bytes && r->debug.debug.addr == rec->load.addr) {
			item.debug = r->debug;
			item.debug_off = r->debug_off;
			r->debug.bytes = NULL;
		}
		item.unwind = r->unwind;
		err = push(&r->g->all, &r->g->n, &r->g->room, &item);
	}
	r->unwind.bytes = NULL;
	return err ? err : defer_debug(r);
}

/*
 * If a DEBUG_INFO directly follows a LOAD with the same address and time, assigns it to that LOAD.
 * Such a record does not describe later code at the same address.
 */
static bool is_of_last(struct reading *r, const struct jdr_record *rec, u64 off)
{
	struct jd_item *last = r->g->n ? &r->g->all[r->g->n - 1] : NULL;

	if (!last || last->rec.id != JD_LOAD || last->off + last->rec.size != off ||
	    last->debug.bytes || last->rec.time != rec->time ||
	    last->rec.load.addr != rec->debug.addr)
		return false;
	last->debug = *rec;
	last->debug_off = off;
	jd_report_change(r->how, off, "moved the lines before the LOAD of their code");
	return true;
}

static int take(struct reading *r, const struct jdr_record *rec, u64 off)
{
	struct jd_item item = { .off = off, .rec = *rec };
	int err = 0;

	if (rec->id == JD_LOAD)
		return take_load(r, rec, off);
	if (rec->id >= JD_N_IDS) {
		drop(r, off, "a record of unknown kind");
	} else if (rec->id == JD_CLOSE) {
		jd_report_change(r->how, off, "dropped: CLOSE, which ends the file for perf");
	} else if (rec->fault) {
		drop(r, off, "a record with a size field that exceeds the record");
	} else if (rec->id == JD_MOVE) {
		err = push(&r->g->all, &r->g->n, &r->g->room, &item);
	} else if (rec->id == JD_DEBUG_INFO && !is_of_last(r, rec, off)) {
		err = defer_debug(r);
		r->debug = *rec;
		r->debug_off = off;
	} else if (rec->id == JD_UNWINDING_INFO) {
		if (r->unwind.bytes)
			drop(r, r->unwind_off, "unwind data that other unwind data replaces");
		r->unwind = *rec;
		r->unwind_off = off;
	}
	return err;
}

/*
 * Whether a record can start here. If @is_first, another record must be able to start after the
 * record, unless the file ends with the record.
 */
static bool is_plausible(const struct jd_file *f, u64 off, u64 last_time, bool is_first)
{
	static const u32 least[JD_N_IDS] = { JD_L_NAME + 1, JD_M_LEN, JD_D_ENTRIES, JD_P_LEN,
					     JD_U_DATA };
	struct jdr_record rec;
	u64 need;

	if (off == f->len)
		return true;
	if (jdr_next(&f->h, f->bytes + off, f->len - off, &rec, &need) != JDR_RECORD)
		return false;
	if (rec.id >= JD_N_IDS || rec.size < least[rec.id] || rec.fault || rec.time < last_time ||
	    (last_time && rec.time - last_time > JD_RESYNC_NS))
		return false;
	return !is_first || is_plausible(f, off + rec.size, rec.time, false);
}

/* Whether the end of a record is missing, so that its last bytes belong to later records. */
static bool is_torn(const struct reading *r, u64 end, const struct jdr_record *rec)
{
	return r->how->resync && rec->fault && !is_plausible(r->f, end, 0, false);
}

/* The next readable offset after an unreadable one, or the file's end. */
static u64 find_next(const struct reading *r, u64 off, u64 last_time)
{
	u64 at = off + 1;

	if (!r->how->resync) {
		jd_report_change(r->how, off, "dropped: %llu bytes that are not a record",
				 r->f->len - off);
		return r->f->len;
	}
	while (at < r->f->len && !is_plausible(r->f, at, last_time, true))
		at++;
	jd_report_change(r->how, off, "dropped: %llu bytes that are not a record%s", at - off,
			 at < r->f->len ? "; more records follow" : "");
	return at;
}

static int by_addr(const void *a, const void *b)
{
	const struct jd_item *x = *(struct jd_item *const *)a, *y = *(struct jd_item *const *)b;

	if (x->rec.load.addr != y->rec.load.addr)
		return x->rec.load.addr < y->rec.load.addr ? -1 : 1;
	return x->off < y->off ? -1 : 1;
}

static bool take_lines(struct jd_item *load, const struct jd_item *debug)
{
	if (load->debug.bytes || load->rec.load.addr != debug->debug.debug.addr)
		return false;
	load->debug = debug->debug;
	load->debug_off = debug->off;
	return true;
}

/*
 * Assigns @debug to the next LOAD with the same address or, if there is none, to the previous LOAD
 * with that address. Passes over a LOAD that already has lines.
 */
static bool place_debug(struct jd_item **loads, size_t n, const struct jd_item *debug)
{
	u64 addr = debug->debug.debug.addr;
	size_t next =
		search_first(n, i,
			     loads[i]->rec.load.addr < addr || (loads[i]->rec.load.addr == addr &&
								loads[i]->off < debug->off));

	return (next < n && take_lines(loads[next], debug)) ||
	       (next && take_lines(loads[next - 1], debug));
}

static int place_waiting(const struct jd_repair *how, struct reading *r)
{
	struct jd_groups *g = r->g;
	struct jd_item **loads = calloc(g->n + 1, sizeof(*loads));
	size_t n = 0;

	if (!loads)
		return -ENOMEM;
	for (size_t i = 0; i < g->n; i++)
		if (g->all[i].rec.id == JD_LOAD)
			loads[n++] = &g->all[i];
	qsort(loads, n, sizeof(*loads), by_addr);
	for (size_t i = 0; i < g->n_waiting; i++) {
		if (place_debug(loads, n, &g->waiting[i]))
			jd_report_change(how, g->waiting[i].off,
					 "moved the lines before the LOAD of their code");
		else
			drop(r, g->waiting[i].off, "lines that belong to no LOAD");
	}
	free(loads);
	return 0;
}

int jd_groups_read(const struct jd_file *f, const struct jd_repair *how, struct jd_groups *g)
{
	struct reading r = { .f = f, .how = how, .g = g };
	struct jdr_record rec;
	u64 at = 0, last_time = 0;
	int err = 0;

	while (!err) {
		enum jdr_status status = jd_file_next(f, &at, &rec);

		if (status == JDR_RECORD && is_torn(&r, at, &rec)) {
			at = find_next(&r, at - rec.size, last_time);
		} else if (status == JDR_RECORD) {
			err = take(&r, &rec, at - rec.size);
			last_time = rec.time > last_time ? rec.time : last_time;
		} else if (at == f->len) {
			break;
		} else {
			at = find_next(&r, at, last_time);
		}
	}
	if (!err)
		err = defer_debug(&r);
	if (r.unwind.bytes)
		drop(&r, r.unwind_off, "unwind data that no LOAD follows");
	return err ? err : place_waiting(how, &r);
}

void jd_groups_deinit(struct jd_groups *g)
{
	free(g->all);
	free(g->waiting);
	*g = (struct jd_groups){ 0 };
}
