// SPDX-License-Identifier: BSD-2-Clause

#include "fl_dump.h"

#include <errno.h>
#include <string.h>

#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/json_memory.h"

#define MAX_TABLES (1u << 20)
#define MAX_CUT (64u << 20) /* limit for the length of a truncated section */

struct parse {
	const u8 *bytes;
	u64 len;
	u64 end; /* end of the last section; sections do not overlap */
	u8 *room; /* free memory for rings, names and cases, in this order */
	u64 used;
	struct fl_dump d;
};

/*
 * Finds section @i, or the part of it that is in the file. Returns false if no part of it is in the
 * file.
 */
static bool find_section(struct parse *p, u32 i, struct fl_section *s, u64 *have)
{
	u64 at = sizeof(struct fl_header) + (u64)i * sizeof(*s);

	if (at + sizeof(*s) > p->len) {
		p->d.is_cut = true;
		return false;
	}
	memcpy(s, p->bytes + at, sizeof(*s));
	if (s->off % 64 || s->off < p->end || s->len > FL_MAX_DUMP || s->off > FL_MAX_DUMP)
		return false;
	p->end = s->off + s->len;
	*have = s->len;
	if (p->end > p->len) {
		p->d.is_cut = true;
		*have = s->off < p->len ? p->len - s->off : 0;
	}
	return *have > 0;
}

static int take_tables(struct parse *p, const struct fl_section *s, u64 have)
{
	json_t *json;
	int err;

	if (have < s->len || have > MAX_TABLES)
		return 0;
	json = json_loadb((const char *)p->bytes + s->off, have, JSON_REJECT_DUPLICATES, NULL);
	err = fl_tables_from_json(json, &p->d.tables);
	json_decref(json);
	if (json_memory_failed())
		return -ENOMEM;
	return err;
}

/* Copies a section into memory of its full length; missing bytes are zero. */
static u8 *take_memory(struct parse *p, const struct fl_section *s, u64 have)
{
	u8 *to = p->room + p->used;

	memcpy(to, p->bytes + s->off, have);
	p->used += s->len;
	return to;
}

/* Keeps whole slots only, because a truncated slot would look like an entry with zeros. */
static void take_ring(struct parse *p, const struct fl_section *s, u64 have)
{
	struct fl_dump_ring *r = &p->d.rings[p->d.n_rings];

	have -= have % sizeof(struct flight_slot);
	if (have < sizeof(struct flight_ring) || (have < s->len && s->len > MAX_CUT) ||
	    fl_ring_init(p->bytes, s->len, &r->ring))
		return;
	r->cpu = s->id;
	r->ring.ring = (struct flight_ring *)take_memory(p, s, have);
	p->d.n_rings++;
}

static void take_names(struct parse *p, const struct fl_section *s, u64 have)
{
	u64 n = s->len < sizeof(struct fl_names) ? 0 : (s->len - sizeof(struct fl_names)) / 8;

	if (have < sizeof(struct fl_names) || (have < s->len && s->len > MAX_CUT) || s->len % 8 ||
	    n < FL_NAMES_MIN || n > FL_NAMES_MAX || n & (n - 1) || p->d.names)
		return;
	p->d.names = (struct fl_names *)take_memory(p, s, have);
	p->d.n_name_words = n;
}

/* Keeps only whole cases, because a truncated case is useless. */
static void take_case(struct parse *p, const struct fl_section *s, u64 have)
{
	struct fl_case *c = &p->d.cases[p->d.n_cases];

	if (have < s->len || s->len > FL_MAX_CASE_LEN || p->d.n_cases == FL_MAX_CASES)
		return;
	*c = (struct fl_case){ .pid = s->id & 0xffffff, .status = s->id >> 24, .len = s->len };
	c->bytes = take_memory(p, s, have);
	p->d.n_cases++;
}

/* Reads the reason for a missing case. Dumps of older versions have no such section. */
static void take_no_case(struct parse *p, const struct fl_section *s, u64 have)
{
	struct fl_case *c = &p->d.cases[p->d.n_cases];
	u32 why_not;

	if (have < sizeof(why_not) || p->d.n_cases == FL_MAX_CASES)
		return;
	memcpy(&why_not, p->bytes + s->off, sizeof(why_not));
	if (!why_not)
		return;
	*c = (struct fl_case){ .pid = s->id & 0xffffff, .status = s->id >> 24, .why_not = why_not };
	p->d.n_cases++;
}

static int take_sections(struct parse *p, u32 n)
{
	struct fl_section s;
	int err = 0;
	u64 have;

	for (u32 i = 0; i < n && !err; i++) {
		if (!find_section(p, i, &s, &have))
			continue;
		if (s.kind == FL_TABLES)
			err = take_tables(p, &s, have);
		else if (s.kind == FL_CONTROL && have >= sizeof(p->d.control))
			memcpy(&p->d.control, p->bytes + s.off, sizeof(p->d.control));
		else if (s.kind == FL_RING)
			take_ring(p, &s, have);
		else if (s.kind == FL_NAMES)
			take_names(p, &s, have);
		else if (s.kind == FL_CASE)
			take_case(p, &s, have);
		else if (s.kind == FL_NO_CASE)
			take_no_case(p, &s, have);
	}
	return err;
}

/* Computes the memory for all sections, which do not overlap. At most one section is truncated. */
static u64 find_room(struct parse p, u32 n)
{
	u64 room = p.len, have;
	struct fl_section s;

	for (u32 i = 0; i < n; i++)
		if (find_section(&p, i, &s, &have) && p.end > room && s.len <= MAX_CUT)
			room = p.end;
	return room;
}

int fl_dump_parse(const void *bytes, size_t len, struct fl_dump *out)
{
	struct parse p = { .bytes = bytes, .len = len };
	struct fl_header h;
	int err;

	if (len < sizeof(h))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != FL_DUMP_MAGIC)
		return h.magic == __builtin_bswap64(FL_DUMP_MAGIC) ? -EPROTO : -EBADMSG;
	if (h.version != FL_DUMP_VERSION)
		return -EPROTO;
	if (len > FL_MAX_DUMP || h.n_sections > FL_MAX_SECTIONS)
		return -E2BIG;
	p.end = sizeof(h);
	p.d.monotonic_ns = h.monotonic_ns;
	p.d.realtime_ns = h.realtime_ns;
	p.d.rings = calloc(h.n_sections + 1, sizeof(*p.d.rings));
	p.room = calloc(1, find_room(p, h.n_sections));
	p.d.owned = p.room;
	err = p.d.rings && p.room ? take_sections(&p, h.n_sections) : -ENOMEM;
	if (err) {
		fl_dump_deinit(&p.d);
		return err;
	}
	*out = p.d;
	return 0;
}

const char *fl_no_case_words(u32 why_not)
{
	static const char *const words[] = {
		[FL_CASE_CHANGED] = "the process changed its mappings or memory that the walk read",
		[FL_CASE_GONE] = "the process had ended",
		[FL_CASE_FAILED] = "memory ran out, or the case would be too large",
		[FL_CASE_LOST] = "the sample was lost, or its process is unknown",
	};

	return why_not && why_not < ARRAY_SIZE(words) ? words[why_not] : "unknown reason";
}

void fl_dump_deinit(struct fl_dump *d)
{
	free(d->rings);
	free(d->owned);
	*d = (struct fl_dump){ 0 };
}
