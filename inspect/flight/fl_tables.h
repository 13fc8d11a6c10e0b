/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What the numbers in entries mean, as text. Each dump has these tables inside, so it
 * can be read by a later version, for which they mean something else.
 */

#include <jansson.h>

#include "../../core/flight_ring.h"

#define FL_MAX_NUMBERS 256 /* of one table */
#define FL_N_DECODED 8 /* words of an event that have names */

struct fl_event_words {
	char name[24], class[24];
	char word[FL_N_DECODED][16]; /* "" from the last on */
};

struct fl_tables {
	u32 n_events, n_statuses, n_notes, n_kinds, n_rules;
	struct fl_event_words events[64];
	struct {
		char words[48], class[16];
	} statuses[FL_MAX_NUMBERS];
	char notes[FL_MAX_NUMBERS][88]; /* of a miss or a refusal: its detail */
	char kinds[FL_MAX_NUMBERS][16]; /* of frames */
	char rules[FL_MAX_NUMBERS][16]; /* by which a caller was found */
	char arch[16], version[32], kernel[80];
};

/**
 * fl_tables_init() - those of this build
 */
void fl_tables_init(struct fl_tables *t);

/**
 * fl_tables_to_json() - for a dump
 *
 * Return: a new reference, or NULL: no memory.
 */
json_t *fl_tables_to_json(const struct fl_tables *t);

/**
 * fl_tables_from_json() - those of a dump, which may hold anything
 * @out:	what is missing or not text is empty, what is too long is cut
 *
 * Return: 0, or -EBADMSG: these are no such tables.
 */
int fl_tables_from_json(const json_t *json, struct fl_tables *out);

/* A name, or one made of the number for what the tables don't know; @room of at least 24. */
const char *fl_event_name(const struct fl_tables *t, u32 event, char *room);
const char *fl_note_words(const struct fl_tables *t, u32 note, char *room);
const char *fl_rule_words(const struct fl_tables *t, u32 rule, char *room);
const char *fl_kind_words(const struct fl_tables *t, u32 kind, char *room);
const char *fl_status_words(const struct fl_tables *t, u64 status, char *room);
