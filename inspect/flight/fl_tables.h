/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The meaning of the numbers in entries, as text. Each dump contains these tables, so later
 * versions, which assign other meanings, can read it.
 */

#include <jansson.h>

#include "../../core/flight_ring.h"

#define FL_MAX_NUMBERS 256 /* per table */
#define FL_N_DECODED 8 /* named words of an event */

struct fl_event_words {
	char name[24], class[24];
	char word[FL_N_DECODED][16]; /* "" after the last */
};

struct fl_tables {
	u32 n_events, n_statuses, n_notes, n_kinds, n_rules;
	struct fl_event_words events[64];
	struct {
		char words[48], class[16];
	} statuses[FL_MAX_NUMBERS];
	char notes[FL_MAX_NUMBERS][88]; /* for the detail of a miss or a refusal */
	char kinds[FL_MAX_NUMBERS][16]; /* of frames */
	char rules[FL_MAX_NUMBERS][16]; /* that found a caller */
	char arch[16], version[32], kernel[80];
};

/**
 * fl_tables_init() - fill in the tables of this build
 */
void fl_tables_init(struct fl_tables *t);

/**
 * fl_tables_to_json() - serialize tables for a dump
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *fl_tables_to_json(const struct fl_tables *t);

/**
 * fl_tables_from_json() - read the tables of a dump, which may contain anything
 * @out:	missing or wrong values are empty, long ones are truncated
 *
 * Return: 0, or -EBADMSG: not such tables.
 */
int fl_tables_from_json(const json_t *json, struct fl_tables *out);

/* A name, or one made from the number if the tables lack it; @room of at least 24. */
const char *fl_event_name(const struct fl_tables *t, u32 event, char *room);
const char *fl_note_words(const struct fl_tables *t, u32 note, char *room);
const char *fl_rule_words(const struct fl_tables *t, u32 rule, char *room);
const char *fl_kind_words(const struct fl_tables *t, u32 kind, char *room);
const char *fl_status_words(const struct fl_tables *t, u64 status, char *room);
