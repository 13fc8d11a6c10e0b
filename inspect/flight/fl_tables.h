/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The meaning of the numbers in entries, as text. Each dump contains these tables, so later
 * versions can read the dump even if they assign other meanings to the numbers.
 */

#include <jansson.h>

#include "../../core/flight_ring.h"

#define FL_MAX_NUMBERS 256 /* entries per table */
#define FL_N_DECODED 8 /* named words of an event */

struct fl_event_words {
	char name[24], class[24];
	char word[FL_N_DECODED][16]; /* "" after the last word */
};

struct fl_tables {
	u32 n_events, n_statuses, n_notes, n_kinds, n_rules;
	struct fl_event_words events[64];
	struct {
		char words[48], class[16];
	} statuses[FL_MAX_NUMBERS];
	char notes[FL_MAX_NUMBERS][88]; /* texts for the detail of a FLIGHT_MISS or a refusal */
	char kinds[FL_MAX_NUMBERS][16]; /* kinds of frames */
	char rules[FL_MAX_NUMBERS][16]; /* rules that find a caller */
	char arch[16], version[32], kernel[80];
};

/**
 * fl_tables_init() - fill in the tables of this build
 */
void fl_tables_init(struct fl_tables *t);

/**
 * fl_tables_to_json() - serialize tables for a dump
 *
 * Return: a new reference, or NULL if out of memory.
 */
json_t *fl_tables_to_json(const struct fl_tables *t);

/**
 * fl_tables_from_json() - read the tables of a dump, which may contain anything
 * @out:	missing or wrong values become empty, long values are truncated, and bytes other
 *than printable ASCII become '?'
 *
 * Return: 0, or -EBADMSG if @json has no such tables.
 */
int fl_tables_from_json(const json_t *json, struct fl_tables *out);

/*
 * The name of an event. If the tables lack the event, a name is made from its number in @room,
 * which has at least 24 bytes.
 */
const char *fl_event_name(const struct fl_tables *t, u32 event, char *room);
const char *fl_note_words(const struct fl_tables *t, u32 note, char *room);
const char *fl_rule_words(const struct fl_tables *t, u32 rule, char *room);
const char *fl_kind_words(const struct fl_tables *t, u32 kind, char *room);
const char *fl_status_words(const struct fl_tables *t, u64 status, char *room);
