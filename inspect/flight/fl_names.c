// SPDX-License-Identifier: BSD-2-Clause

#include "fl_names.h"

#include <errno.h>
#include <string.h>

#include "../../core/flight.h"

#include <flight_load.h>

#define TAG_SHIFT 32
#define CUT_SHIFT 40

static u64 record_words(u64 len)
{
	return FL_NAME_HEAD + (len + 7) / 8;
}

/* The length of the record at offset @off, taken from the record's first words. */
static u64 words_at(const struct fl_names *n, u64 mask, u64 off)
{
	return record_words((u32)n->words[(off + FL_NAME_HEAD - 1) & mask]);
}

/*
 * Moves the member first past the oldest records before their words are overwritten, so that
 * readers do not read changed words.
 */
static void make_room(struct fl_names *n, u64 n_words, u64 need)
{
	u64 first = n->first;

	while (first + n_words < n->end + need)
		first += words_at(n, n_words - 1, first);
	flight_store(&n->first, first);
	flight_fence(NULL);
}

void fl_names_add(struct fl_names *n, u64 n_words, u8 tag, u64 ident, u64 time_ns, const char *text,
		  size_t len)
{
	bool is_cut = len > FL_NAME_MAX;
	u64 mask = n_words - 1, at = n->end;
	u64 head[FL_NAME_HEAD] = { at + 1, n->number, time_ns, ident };

	if (is_cut)
		len = FL_NAME_MAX;
	head[FL_NAME_HEAD - 1] = len | (u64)tag << TAG_SHIFT | (u64)is_cut << CUT_SHIFT;
	make_room(n, n_words, record_words(len));
	for (u32 i = 0; i < FL_NAME_HEAD; i++)
		flight_store(&n->words[at++ & mask], head[i]);
	for (size_t i = 0; i < len; i += 8) {
		u64 word = 0;

		memcpy(&word, text + i, len - i < 8 ? len - i : 8);
		flight_store(&n->words[at++ & mask], word);
	}
	flight_store(&n->number, n->number + 1);
	flight_fence(NULL);
	flight_store(&n->end, at);
}

void fl_names_copy(const struct fl_names *n, u64 n_words, struct fl_names *out)
{
	memset(out, 0, sizeof(*out));
	out->end = flight_load_acquire(&n->end);
	for (u64 i = 0; i < n_words; i++)
		out->words[i] = flight_load(&n->words[i]);
	flight_load_fence();
	out->first = flight_load(&n->first);
	out->number = flight_load(&n->number);
	if (out->first > out->end) /* all records of the copy were overwritten meanwhile */
		out->first = out->end;
}

static void take(const struct fl_names *n, u64 mask, u64 at, struct fl_name *out)
{
	u64 last = n->words[(at + FL_NAME_HEAD - 1) & mask];

	out->number = n->words[(at + 1) & mask];
	out->time_ns = n->words[(at + 2) & mask];
	out->ident = n->words[(at + 3) & mask];
	out->tag = (u8)(last >> TAG_SHIFT);
	out->is_cut = last >> CUT_SHIFT & 1;
	out->len = (u32)last;
	for (u32 i = 0; i < out->len; i += 8)
		memcpy(out->text + i, &n->words[(at + FL_NAME_HEAD + i / 8) & mask],
		       out->len - i < 8 ? out->len - i : 8);
	out->text[out->len] = '\0';
}

int fl_names_next(const struct fl_names *n, u64 n_words, struct fl_names_cursor *c,
		  struct fl_name *out)
{
	u64 mask = n_words - 1, at = c->at < n->first ? n->first : c->at, need;

	if (n->end < n->first || n->end - n->first > n_words)
		return -EBADMSG;
	if (at >= n->end)
		return 0;
	need = words_at(n, mask, at);
	if (n->words[at & mask] != at + 1 || need > record_words(FL_NAME_MAX) || need > n->end - at)
		return -EBADMSG;
	take(n, mask, at, out);
	if (out->number < c->number)
		return -EBADMSG;
	c->lost += out->number - c->number;
	c->number = out->number + 1;
	c->at = at + need;
	return 1;
}
