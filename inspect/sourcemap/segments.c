/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Numbers of a segment are Base64 VLQ: digits of 6 bits, the least significant first. Bit 5 of a
 * digit is set if more digits follow; bit 0 of the number is its sign.
 *
 *	mappings   line ';' line ';' ...
 *	line       segment ',' segment ',' ...
 *	segment    column [source source_line source_column [name]]
 *
 * Each number is relative to the previous one in the same field; `column` starts at 0 in each line.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "../util/array.h"
#include "../util/search.h"
#include "segments.h"

#define MAX_FIELDS 5
#define MAX_DIGITS 7 /* 35 bits: enough for a sign and 32 bits */

struct decoder {
	const char *at, *end;
	s64 line; /* of the generated file */
	s64 fields[MAX_FIELDS]; /* column, source, source line, source column, name */
};

/* The value of a Base64 digit; negative for any other character. */
static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int read_number(struct decoder *d, s64 *number)
{
	s64 value = 0;

	for (u32 i = 0; i < MAX_DIGITS && d->at < d->end; i++) {
		int digit = digit_of(*d->at++);

		if (digit < 0)
			return -ENOEXEC;
		value |= (s64)(digit & 31) << 5 * i;
		if (digit & 32)
			continue;
		*number = value & 1 ? -(value >> 1) : value >> 1;
		return 0;
	}
	return -ENOEXEC;
}

/* Reads one segment. Returns its number of fields or a negative errno. */
static int read_fields(struct decoder *d)
{
	int n = 0, err;
	s64 delta;

	while (d->at < d->end && *d->at != ',' && *d->at != ';') {
		if (n == MAX_FIELDS)
			return -ENOEXEC;
		err = read_number(d, &delta);
		if (err)
			return err;
		d->fields[n] += delta;
		if (d->fields[n] < 0 || d->fields[n] > INT32_MAX)
			return -ENOEXEC;
		n++;
	}
	return n == 0 || n == 1 || n >= 4 ? n : -ENOEXEC;
}

static bool is_before_end(const struct segments_section *s, u64 line, u64 column)
{
	return line < s->end_line || (line == s->end_line && column < s->end_column);
}

/*
 * Appends the decoded segment. Returns 0, 1 (this segment and the rest are past the section's end)
 * or a negative errno.
 */
static int append(struct segments *s, const struct decoder *d, int n_fields,
		  const struct segments_section *section)
{
	u64 line = section->line + (u64)d->line;
	u64 column = (u64)d->fields[0] + (d->line ? 0 : section->column);
	struct segment segment = { (u32)line,	      (u32)column,	 SEGMENT_NONE,
				   (u32)d->fields[2], (u32)d->fields[3], SEGMENT_NONE };

	if (!is_before_end(section, line, column))
		return 1;
	if (n_fields >= 4 && d->fields[1] >= section->n_sources)
		return -ENOEXEC;
	if (n_fields >= 4)
		segment.source = section->first_source + (u32)d->fields[1];
	if (n_fields == 5 && d->fields[4] >= section->n_names)
		return -ENOEXEC;
	if (n_fields == 5)
		segment.name = section->first_name + (u32)d->fields[4];
	if (s->n >= s->max)
		return -EFBIG;
	if (array_reserve(s->v, s->room, s->n + 1ul))
		return -ENOMEM;
	s->v[s->n++] = segment;
	return 0;
}

int segments_decode(struct segments *s, const char *text, size_t len,
		    const struct segments_section *section)
{
	struct decoder d = { .at = text, .end = text + len };
	int r = 0;

	while (!r && d.at < d.end) {
		int n = read_fields(&d);

		if (n < 0)
			return n;
		if (n > 0)
			r = append(s, &d, n, section);
		if (d.at < d.end && *d.at++ == ';') {
			d.line++;
			d.fields[0] = 0;
		}
	}
	return r < 0 ? r : 0;
}

static int compare(const struct segment *a, const struct segment *b)
{
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* Orders segments at the same position by source, so that the result is deterministic. */
static int compare_all(const void *a_, const void *b_)
{
	const struct segment *a = a_, *b = b_;
	int r = compare(a, b);

	if (r)
		return r;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->source_line != b->source_line)
		return a->source_line < b->source_line ? -1 : 1;
	return a->source_column < b->source_column ? -1 : a->source_column > b->source_column;
}

void segments_sort(struct segments *s)
{
	for (u32 i = 1; i < s->n; i++) {
		if (compare(&s->v[i - 1], &s->v[i]) > 0) {
			qsort(s->v, s->n, sizeof(*s->v), compare_all);
			return;
		}
	}
}

const struct segment *segments_find(const struct segments *s, u32 line, u32 column)
{
	const struct segment want = { .line = line, .column = column };
	size_t first = search_first(s->n, i, compare(&s->v[i], &want) < 0);

	if (first < s->n && !compare(&s->v[first], &want))
		return &s->v[first];
	return first && s->v[first - 1].line == line ? &s->v[first - 1] : NULL;
}
