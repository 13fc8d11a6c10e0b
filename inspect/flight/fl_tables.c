// SPDX-License-Identifier: BSD-2-Clause

#include "fl_tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "../../core/uw_frame.h"
#include "../../core/uw_note.h"
#include "../util/reasons.h"

#define ROOM 24

/* Copies a text. The texts of a dump are printed on terminals, so only printable ASCII is kept. */
static void put(char *to, size_t size, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len >= size)
		len = size - 1;
	for (size_t i = 0; i < len; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	to[len] = '\0';
}

static void split_words(struct fl_event_words *e, const char *words)
{
	for (u32 i = 0; i < FL_N_DECODED && *words; i++) {
		size_t len = strcspn(words, " ");

		put(e->word[i], len < sizeof(e->word[i]) ? len + 1 : sizeof(e->word[i]), words);
		words += len + strspn(words + len, " ");
	}
}

static void join_words(const struct fl_event_words *e, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (u32 i = 0; i < FL_N_DECODED && e->word[i][0] && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? " " : "", e->word[i]);
}

void fl_tables_init(struct fl_tables *t)
{
	static const char *const events[][3] = {
#define X(name, class, word, words) { word, class, words },
		FLIGHT_EVENT_LIST(X)
#undef X
	};
	static const char *const statuses[][2] = {
#define X(name, class, words, meaning) { words, #class },
		UW_STATUS_LIST(X)
#undef X
	};
	static const char *const notes[] = {
#define X(name, form, words) words,
		UW_NOTE_LIST(X)
#undef X
	};
	static const char *const kinds[UW_N_KINDS] = { "unknown",     "kernel",	  "native",
						       "V8 stub",     "V8 JS",	  "V8 code",
						       ".NET method", ".NET R2R", ".NET stub",
						       ".NET awaiter" };
	static const char *const rules[] = {
#define X(name, word) word,
		FLIGHT_RULE_LIST(X)
#undef X
	};
	struct utsname u;

	*t = (struct fl_tables){ .n_events = FLIGHT_N_EVENTS, .n_statuses = UW_N_STATUS };
	for (u32 i = 0; i < FLIGHT_N_EVENTS; i++) {
		put(t->events[i].name, sizeof(t->events[i].name), events[i][0]);
		put(t->events[i].class, sizeof(t->events[i].class), events[i][1]);
		split_words(&t->events[i], events[i][2]);
	}
	for (u32 i = 0; i < UW_N_STATUS; i++) {
		put(t->statuses[i].words, sizeof(t->statuses[i].words), statuses[i][0]);
		put(t->statuses[i].class, sizeof(t->statuses[i].class), statuses[i][1]);
	}
	for (t->n_notes = 0; t->n_notes < UW_N_NOTES; t->n_notes++)
		put(t->notes[t->n_notes], sizeof(t->notes[0]), notes[t->n_notes]);
	for (t->n_kinds = 0; t->n_kinds < UW_N_KINDS; t->n_kinds++)
		put(t->kinds[t->n_kinds], sizeof(t->kinds[0]), kinds[t->n_kinds]);
	for (t->n_rules = 0; t->n_rules < FLIGHT_N_RULES; t->n_rules++)
		put(t->rules[t->n_rules], sizeof(t->rules[0]), rules[t->n_rules]);
	put(t->version, sizeof(t->version), UNSPOOL_VERSION);
	if (!uname(&u)) {
		put(t->arch, sizeof(t->arch), u.machine);
		put(t->kernel, sizeof(t->kernel), u.release);
	}
}

json_t *fl_tables_to_json(const struct fl_tables *t)
{
	json_t *events = json_array(), *statuses = json_array();
	json_t *notes = json_array(), *kinds = json_array(), *rules = json_array();
	char words[FL_N_DECODED * 16];

	for (u32 i = 0; i < t->n_events; i++) {
		join_words(&t->events[i], words, sizeof(words));
		json_array_append_new(events,
				      json_pack("{s:s, s:s, s:s}", "name", t->events[i].name,
						"class", t->events[i].class, "words", words));
	}
	for (u32 i = 0; i < t->n_statuses; i++)
		json_array_append_new(statuses,
				      json_pack("{s:s, s:s}", "words", t->statuses[i].words,
						"class", t->statuses[i].class));
	for (u32 i = 0; i < t->n_notes; i++)
		json_array_append_new(notes, json_string(t->notes[i]));
	for (u32 i = 0; i < t->n_kinds; i++)
		json_array_append_new(kinds, json_string(t->kinds[i]));
	for (u32 i = 0; i < t->n_rules; i++)
		json_array_append_new(rules, json_string(t->rules[i]));
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "unspool", t->version, "arch",
			 t->arch, "kernel", t->kernel, "events", events, "statuses", statuses,
			 "notes", notes, "kinds", kinds, "rules", rules);
}

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Copies the strings of a list, up to @max of @size bytes each. */
static u32 take_list(const json_t *list, char *to, size_t size, u32 max)
{
	u32 n = json_array_size(list) < max ? (u32)json_array_size(list) : max;

	for (u32 i = 0; i < n; i++)
		put(to + i * size, size, json_string_value(json_array_get(list, i)));
	return n;
}

int fl_tables_from_json(const json_t *json, struct fl_tables *out)
{
	const json_t *events = json_object_get(json, "events");
	const json_t *statuses = json_object_get(json, "statuses");
	size_t n_events = json_array_size(events), n_statuses = json_array_size(statuses);

	if (!json_is_array(events) || !json_is_array(statuses) || n_events > 64 ||
	    n_statuses > FL_MAX_NUMBERS)
		return -EBADMSG;
	*out = (struct fl_tables){ .n_events = (u32)n_events, .n_statuses = (u32)n_statuses };
	put(out->version, sizeof(out->version), text_of(json, "unspool"));
	put(out->arch, sizeof(out->arch), text_of(json, "arch"));
	put(out->kernel, sizeof(out->kernel), text_of(json, "kernel"));
	for (u32 i = 0; i < n_events; i++) {
		const json_t *e = json_array_get(events, i);
		const char *words = text_of(e, "words");

		put(out->events[i].name, sizeof(out->events[i].name), text_of(e, "name"));
		put(out->events[i].class, sizeof(out->events[i].class), text_of(e, "class"));
		split_words(&out->events[i], words ? words : "");
	}
	for (u32 i = 0; i < n_statuses; i++) {
		const json_t *s = json_array_get(statuses, i);

		put(out->statuses[i].words, sizeof(out->statuses[i].words),
		    reason_current(text_of(s, "words")));
		put(out->statuses[i].class, sizeof(out->statuses[i].class), text_of(s, "class"));
	}
	out->n_notes = take_list(json_object_get(json, "notes"), out->notes[0],
				 sizeof(out->notes[0]), FL_MAX_NUMBERS);
	out->n_kinds = take_list(json_object_get(json, "kinds"), out->kinds[0],
				 sizeof(out->kinds[0]), FL_MAX_NUMBERS);
	out->n_rules = take_list(json_object_get(json, "rules"), out->rules[0],
				 sizeof(out->rules[0]), FL_MAX_NUMBERS);
	return 0;
}

const char *fl_event_name(const struct fl_tables *t, u32 event, char *room)
{
	if (event < t->n_events && t->events[event].name[0])
		return t->events[event].name;
	snprintf(room, ROOM, "event %u", event);
	return room;
}

const char *fl_note_words(const struct fl_tables *t, u32 note, char *room)
{
	if (note < t->n_notes && t->notes[note][0])
		return t->notes[note];
	snprintf(room, ROOM, "note %u", note);
	return room;
}

const char *fl_rule_words(const struct fl_tables *t, u32 rule, char *room)
{
	if (rule < t->n_rules)
		return t->rules[rule];
	snprintf(room, ROOM, "rule %u", rule);
	return room;
}

const char *fl_kind_words(const struct fl_tables *t, u32 kind, char *room)
{
	if (kind < t->n_kinds && t->kinds[kind][0])
		return t->kinds[kind];
	snprintf(room, ROOM, "kind %u", kind);
	return room;
}

const char *fl_status_words(const struct fl_tables *t, u64 status, char *room)
{
	if (status < t->n_statuses && t->statuses[status].words[0])
		return t->statuses[status].words;
	snprintf(room, ROOM, "status %llu", status & 0xffffffff);
	return room;
}
