// SPDX-License-Identifier: BSD-2-Clause

#include "fl_chrome.h"

#include <errno.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/json_memory.h"
#include "../util/utf8.h"
#include "fl_walks.h"

#define N_LEVELS 8 /* tracks for overlapping walks of a thread, which only damaged dumps have */
#define LEVEL_SHIFT 33 /* bit position of the level in the id of a track for overlapping walks */
#define NO_DURATION (~0ull)

struct trace {
	const struct fl_dump *d;
	FILE *out;
	u64 base_ns; /* begin of the first walk */
	u64 n_lines;
	int err;
};

/* Makes a JSON string of any bytes. Replaces NUL, which many readers reject. */
static json_t *text(const char *s, size_t len)
{
	_cleanup_free_ char *mended = malloc(len * UTF8_MAX_LEN + 1);
	size_t at = 0, n = 0;
	u32 cp;

	if (!mended)
		return NULL;
	while (at < len) {
		at += utf8_decode(s + at, len - at, &cp);
		n += utf8_put(cp ? cp : UTF8_REPLACEMENT, mended + n);
	}
	return json_stringn(mended, n);
}

static json_t *words(const char *s)
{
	return text(s, strlen(s));
}

/* Formats @v as a string, because many readers cannot hold 64 bits in a number. */
static json_t *hex(u64 v)
{
	char s[24];

	snprintf(s, sizeof(s), "0x%llx", v);
	return json_string(s);
}

/* Writes a time in microseconds with three decimals, without rounding. */
static void put_us(FILE *out, const char *key, u64 ns)
{
	fprintf(out, "\"%s\":%llu.%03llu,", key, ns / 1000, ns % 1000);
}

/* Writes one event: first the times of the event, then @json, which is consumed. */
static void put(struct trace *t, json_t *json, u64 at_ns, u64 took_ns)
{
	_cleanup_free_ char *s = json_memory_dumps(json, JSON_COMPACT);

	json_decref(json);
	if (!s && !t->err)
		t->err = -ENOMEM;
	if (!s || t->err)
		return;
	fputs(t->n_lines++ ? ",\n{" : "\n{", t->out);
	put_us(t->out, "ts", at_ns > t->base_ns ? at_ns - t->base_ns : 0);
	if (took_ns != NO_DURATION)
		put_us(t->out, "dur", took_ns);
	fputs(s + 1, t->out);
}

/* @args: NULL if there are none */
static json_t *event(const char *phase, json_t *name, u64 pid, u64 tid, json_t *args)
{
	return json_pack("{s:s, s:o, s:I, s:I, s:o*}", "ph", phase, "name", name, "pid",
			 (json_int_t)pid, "tid", (json_int_t)tid, "args", args);
}

/* Makes an object of the words of an entry. Words without a name get their number as the name. */
static json_t *entry_args(const struct trace *t, const struct fl_entry *e)
{
	const struct fl_event_words *known =
		e->event < t->d->tables.n_events ? &t->d->tables.events[e->event] : NULL;
	json_t *args = json_object();
	char key[24];

	for (u32 i = 0; i < e->n_words; i++) {
		if (known && i < FL_N_DECODED && known->word[i][0]) {
			json_t *name = words(known->word[i]);

			json_object_set_new_nocheck(args, json_string_value(name), hex(e->d[i]));
			json_decref(name);
			continue;
		}
		snprintf(key, sizeof(key), "word %u", i);
		json_object_set_new(args, key, hex(e->d[i]));
	}
	if (e->detail)
		json_object_set_new(args, "detail", hex(e->detail));
	return args;
}

static void put_point(struct trace *t, json_t *name, u64 pid, u64 tid, json_t *args, u64 at_ns)
{
	json_t *json = event("i", name, pid, tid, args);

	json_object_set_new(json, "s", json_string("t"));
	put(t, json, at_ns, NO_DURATION);
}

static void put_instant(struct trace *t, const struct fl_entry *e, u64 pid, u64 tid, u64 at_ns)
{
	json_t *args = entry_args(t, e);
	char room[24];

	if (e->event == FLIGHT_MISS || e->event == FLIGHT_REFUSED)
		json_object_set_new(args, "why",
				    words(fl_note_words(&t->d->tables, e->detail, room)));
	put_point(t, words(fl_event_name(&t->d->tables, e->event, room)), pid, tid, args, at_ns);
}

struct within {
	struct trace *t;
	const struct fl_walk *w;
	u64 tid;
};

/*
 * All slices of a function must have the same arguments, because speedscope takes slices with
 * different arguments for different functions. All other arguments are in an instant event at the
 * start of the slice.
 */
static json_t *step_args(const struct trace *t, const struct fl_part *part)
{
	u32 status = part->frame >> 8 & 255, rule = part->frame >> 24;
	json_t *args = json_object();
	char room[24];

	if (!part->has_frame)
		return args;
	if (rule)
		json_object_set_new(args, "caller by",
				    words(fl_rule_words(&t->d->tables, rule, room)));
	if (status)
		json_object_set_new(args, "identity",
				    words(fl_status_words(&t->d->tables, status, room)));
	return args;
}

/* Writes a step, named by the frame's kind and address. */
static void put_step(struct within *in, const struct fl_part *part)
{
	const struct fl_tables *tables = &in->t->d->tables;
	json_t *args = entry_args(in->t, part->entry);
	char room[24], name[64];

	json_object_del(args, "last_id"); /* last_id and last_value describe the previous frame */
	json_object_del(args, "last_value");
	json_object_del(args, "detail");
	snprintf(name, sizeof(name), "%s 0x%llx",
		 part->has_frame ? fl_kind_words(tables, part->frame & 255, room)
				 : fl_event_name(tables, FLIGHT_STEP, room),
		 part->entry->d[0]);
	if (part->has_frame) {
		json_object_set_new(args, "id", hex(part->id));
		json_object_set_new(args, "value", hex(part->value));
		json_object_set_new(args, "guess", json_boolean(part->frame >> 17 & 1));
	}
	put(in->t, event("X", words(name), in->w->pid, in->tid, step_args(in->t, part)),
	    part->from_ns, part->took_ns);
	put_point(in->t, json_string("step"), in->w->pid, in->tid, args, part->from_ns);
}

static void put_part(const struct fl_part *part, void *data)
{
	struct within *in = data;

	if (part->entry->event == FLIGHT_STEP)
		put_step(in, part);
	else
		put_instant(in->t, part->entry, in->w->pid, in->tid, part->from_ns);
}

static void put_walk(struct trace *t, const struct fl_walk *w, u64 tid)
{
	const char *name = "unfinished";
	char room[24];
	json_t *args;

	if (w->has_end)
		name = fl_status_words(&t->d->tables, w->status, room);
	args = json_pack("{s:o, s:I, s:o, s:I, s:I, s:o, s:I, s:b}", "reason", words(name), "cpu",
			 (json_int_t)t->d->rings[w->ring].cpu, "pc", hex(w->pc), "frames",
			 (json_int_t)(w->n_frames & 0xffffffff), "reads",
			 (json_int_t)(w->n_reads & 0xffffffff), "fault", hex(w->fault_addr), "walk",
			 (json_int_t)w->number, "steps_timed", 0);
	put(t, event("X", words(name), w->pid, tid, NULL), w->begin_ns, fl_walk_drawn_ns(w));
	put_point(t, json_string("walk"), w->pid, tid, args, w->begin_ns);
	if (w->has_end)
		put(t,
		    event("C", json_string("walk"), w->pid, tid,
			  json_pack("{s:I, s:I}", "frames", (json_int_t)(w->n_frames & 0xffffffff),
				    "ns", (json_int_t)w->took_ns)),
		    w->begin_ns, NO_DURATION);
	fl_walk_each(t->d, w, put_part, &(struct within){ t, w, tid });
}

/*
 * Writes all walks. Slices of one track must not overlap, so an overlapping walk goes to another
 * track.
 */
static void put_walks(struct trace *t, const struct fl_walks *walks)
{
	u64 busy_until[N_LEVELS] = { 0 };

	for (u32 i = 0; i < walks->n && !t->err; i++) {
		const struct fl_walk *w = &walks->v[i];
		u64 level = 0;

		if (i == 0 || w->pid != w[-1].pid || w->tid != w[-1].tid)
			memset(busy_until, 0, sizeof(busy_until));
		while (level < N_LEVELS && w->begin_ns < busy_until[level])
			level++;
		if (level == N_LEVELS)
			continue; /* this walk is not drawn, but is counted below */
		busy_until[level] = w->begin_ns + fl_walk_drawn_ns(w);
		put_walk(t, w, w->tid + (level << LEVEL_SHIFT));
	}
}

static void put_loader_events(struct trace *t)
{
	struct fl_entry e;

	for (u32 i = 0; i < t->d->n_rings && !t->err; i++) {
		struct fl_cursor c = { .is_final = true };

		while (fl_ring_read(&t->d->rings[i].ring, &c, &e) == FL_ENTRY)
			if (e.event >= FLIGHT_PROCESS)
				put_instant(t, &e, e.d[1] >> 32, (u32)e.d[1], e.d[0]);
	}
}

static void put_names(struct trace *t)
{
	struct fl_names_cursor c = { 0 };
	struct fl_name name;

	while (t->d->names && !t->err &&
	       fl_names_next(t->d->names, t->d->n_name_words, &c, &name) == 1) {
		bool is_thread = name.tag == FL_NAME_THREAD;

		if (!is_thread && name.tag != FL_NAME_PROCESS)
			continue; /* the name of a runtime is in its own event */
		put(t,
		    event("M", json_string(is_thread ? "thread_name" : "process_name"),
			  name.ident >> 32, (u32)name.ident,
			  json_pack("{s:o}", "name", text(name.text, name.len))),
		    t->base_ns, NO_DURATION);
	}
}

static void put_counts(struct trace *t, const struct fl_walks *walks)
{
	for (u32 i = 0; i < t->d->n_rings && !t->err; i++) {
		const struct fl_ring_counts *n = &walks->rings[i];
		json_t *args = json_pack("{s:I, s:o, s:o, s:o}", "cpu",
					 (json_int_t)t->d->rings[i].cpu, "read", hex(n->read),
					 "lost", hex(n->lost), "orphans", hex(n->orphans));

		if (n->lost || n->orphans)
			put(t, event("i", json_string("lost"), 0, t->d->rings[i].cpu, args),
			    t->base_ns, NO_DURATION);
		else
			json_decref(args);
	}
}

static u64 earliest(const struct fl_walks *walks)
{
	u64 first = walks->n ? walks->v[0].begin_ns : 0;

	for (u32 i = 1; i < walks->n; i++)
		if (walks->v[i].begin_ns < first)
			first = walks->v[i].begin_ns;
	return first;
}

int fl_chrome_write(const struct fl_dump *d, FILE *out)
{
	struct trace t = { .d = d, .out = out };
	struct fl_walks walks;
	int err = fl_walks_init(d, &walks);

	if (err)
		return err;
	t.base_ns = earliest(&walks);
	fprintf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	put_names(&t);
	put_counts(&t, &walks);
	put_walks(&t, &walks);
	put_loader_events(&t);
	fprintf(out, "\n],\"otherData\":{\"base_ns\":\"%llu\",\"cut\":%s}}\n", t.base_ns,
		d->is_cut ? "true" : "false");
	fl_walks_deinit(&walks);
	if (!t.err && (fflush(out) || ferror(out)))
		t.err = errno ? -errno : -EIO;
	return t.err;
}
