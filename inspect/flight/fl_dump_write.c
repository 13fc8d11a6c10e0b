// SPDX-License-Identifier: BSD-2-Clause

#include "fl_dump.h"

#include <errno.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/json_memory.h"

#define ALIGN 64

static u64 aligned(u64 n)
{
	return (n + ALIGN - 1) & ~(u64)(ALIGN - 1);
}

static u64 ring_len(const struct fl_ring *r)
{
	return sizeof(struct flight_ring) + r->n_slots * sizeof(struct flight_slot);
}

static u64 names_len(u64 n_words)
{
	return sizeof(struct fl_names) + n_words * sizeof(u64);
}

/* Pads with zeros up to the start of the next section. */
static int write_section(FILE *out, const void *bytes, u64 len)
{
	static const u8 fill[ALIGN];

	if (fwrite(bytes, 1, len, out) != len ||
	    fwrite(fill, 1, aligned(len) - len, out) != aligned(len) - len)
		return errno ? -errno : -EIO;
	return 0;
}

static int write_ring(FILE *out, const struct fl_ring *r)
{
	_cleanup_free_ struct flight_ring *copy = malloc(ring_len(r));

	if (!copy)
		return -ENOMEM;
	fl_ring_copy(r, copy);
	return write_section(out, copy, ring_len(r));
}

static int write_names(FILE *out, const struct fl_names *names, u64 n_words)
{
	_cleanup_free_ struct fl_names *copy = malloc(names_len(n_words));

	if (!copy)
		return -ENOMEM;
	fl_names_copy(names, n_words, copy);
	return write_section(out, copy, names_len(n_words));
}

static struct fl_section case_section(const struct fl_case *c)
{
	return (struct fl_section){ .kind = c->why_not ? FL_NO_CASE : FL_CASE,
				    .id = fl_case_id(c),
				    .len = c->why_not ? sizeof(c->why_not) : c->len };
}

static int write_case(FILE *out, const struct fl_case *c)
{
	if (c->why_not)
		return write_section(out, &c->why_not, sizeof(c->why_not));
	return write_section(out, c->bytes, c->len);
}

/* Header and section table. */
static int write_head(const struct fl_dump *d, u64 tables_len, FILE *out)
{
	u32 n = 2 + d->n_rings + !!d->names + d->n_cases, i = 0;
	_cleanup_free_ u8 *head =
		calloc(1, sizeof(struct fl_header) + n * sizeof(struct fl_section));
	u64 len = sizeof(struct fl_header) + n * sizeof(struct fl_section), off = aligned(len);
	struct fl_section *s;

	if (!head)
		return -ENOMEM;
	*(struct fl_header *)head = (struct fl_header){ FL_DUMP_MAGIC, FL_DUMP_VERSION, n,
							d->monotonic_ns, d->realtime_ns };
	s = (struct fl_section *)(head + sizeof(struct fl_header));
	s[i++] = (struct fl_section){ .kind = FL_TABLES, .len = tables_len };
	s[i++] = (struct fl_section){ .kind = FL_CONTROL, .len = sizeof(d->control) };
	for (u32 k = 0; k < d->n_rings; k++)
		s[i++] = (struct fl_section){ .kind = FL_RING,
					      .id = d->rings[k].cpu,
					      .len = ring_len(&d->rings[k].ring) };
	if (d->names)
		s[i++] = (struct fl_section){ .kind = FL_NAMES, .len = names_len(d->n_name_words) };
	for (u32 k = 0; k < d->n_cases; k++)
		s[i++] = case_section(&d->cases[k]);
	for (i = 0; i < n; off += aligned(s[i++].len))
		s[i].off = off;
	return write_section(out, head, len);
}

int fl_dump_write(const struct fl_dump *d, FILE *out)
{
	_cleanup_free_ char *tables = NULL;
	json_t *json = fl_tables_to_json(&d->tables);
	int err;

	tables = json_memory_dumps(json, JSON_COMPACT);
	json_decref(json);
	if (!tables)
		return -ENOMEM;
	errno = 0;
	err = write_head(d, strlen(tables), out);
	if (!err)
		err = write_section(out, tables, strlen(tables));
	if (!err)
		err = write_section(out, &d->control, sizeof(d->control));
	for (u32 i = 0; i < d->n_rings && !err; i++)
		err = write_ring(out, &d->rings[i].ring);
	if (!err && d->names)
		err = write_names(out, d->names, d->n_name_words);
	for (u32 i = 0; i < d->n_cases && !err; i++)
		err = write_case(out, &d->cases[i]);
	if (!err && fflush(out))
		err = -errno;
	return err;
}
