// SPDX-License-Identifier: BSD-2-Clause

#include "fl_perfetto.h"

#include <errno.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/utf8.h"
#include "fl_chrome.h"
#include "fl_walks.h"
#include "perfetto.pb-c.h"

#define SEQUENCE 1 /* the trace has one writer, so any number except 0 will do */
#define STATE_CLEARED 1
#define MAX_NOTES 12 /* debug annotations per event */
#define KEY_LEN 24
#define TRACK_PROCESS (1ull << 63)

struct trace {
	const struct fl_dump *d;
	FILE *out;
	int err;
	bool has_started;
};

/* An event with its annotations. */
struct made {
	Unspool__TrackEvent event;
	Unspool__DebugAnnotation notes[MAX_NOTES], *at[MAX_NOTES];
	char keys[MAX_NOTES][KEY_LEN];
};

/* Makes valid UTF-8 of any bytes, as protobuf requires. */
static char *mend(const char *s, size_t len)
{
	char *out = malloc(len * UTF8_MAX_LEN + 1);
	size_t at = 0, n = 0;
	u32 cp;

	while (out && at < len) {
		at += utf8_decode(s + at, len - at, &cp);
		n += utf8_put(cp ? cp : UTF8_REPLACEMENT, out + n);
	}
	if (out)
		out[n] = '\0';
	return out;
}

/* A trace is a list of packets, so a trace of one packet is a valid piece of a trace. */
static void put(struct trace *t, Unspool__TracePacket *packet)
{
	Unspool__Trace trace = UNSPOOL__TRACE__INIT;
	_cleanup_free_ u8 *bytes = NULL;
	size_t len;

	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->has_sequence_flags = !t->has_started;
	packet->sequence_flags = STATE_CLEARED;
	t->has_started = true;
	trace.n_packet = 1;
	trace.packet = &packet;
	len = unspool__trace__get_packed_size(&trace);
	bytes = malloc(len);
	if (!bytes)
		t->err = -ENOMEM;
	if (t->err)
		return;
	unspool__trace__pack(&trace, bytes);
	if (fwrite(bytes, 1, len, t->out) != len)
		t->err = errno ? -errno : -EIO;
}

static u64 track_of(u64 pid, u64 tid)
{
	return pid << 32 | tid;
}

static void begin_event(struct made *m, Unspool__TrackEvent__Type type, u64 track, char *name)
{
	*m = (struct made){ .event = UNSPOOL__TRACK_EVENT__INIT };
	m->event.has_type = 1;
	m->event.type = type;
	m->event.has_track_uuid = 1;
	m->event.track_uuid = track;
	m->event.name = name;
	m->event.debug_annotations = m->at;
}

static Unspool__DebugAnnotation *annotate(struct made *m, const char *key)
{
	size_t n = m->event.n_debug_annotations;
	Unspool__DebugAnnotation *a = &m->notes[n < MAX_NOTES ? n : MAX_NOTES - 1];

	unspool__debug_annotation__init(a);
	snprintf(m->keys[a - m->notes], KEY_LEN, "%s", key);
	a->name = m->keys[a - m->notes];
	m->at[a - m->notes] = a;
	m->event.n_debug_annotations = (size_t)(a - m->notes) + 1;
	return a;
}

static void annotate_word(struct made *m, const char *key, u64 word)
{
	Unspool__DebugAnnotation *a = annotate(m, key);

	a->has_pointer_value = 1;
	a->pointer_value = word;
}

static void annotate_number(struct made *m, const char *key, u64 number)
{
	Unspool__DebugAnnotation *a = annotate(m, key);

	a->has_uint_value = 1;
	a->uint_value = number;
}

static void put_event(struct trace *t, struct made *m, u64 at_ns)
{
	Unspool__TracePacket packet = UNSPOOL__TRACE_PACKET__INIT;

	packet.has_timestamp = 1;
	packet.timestamp = at_ns;
	packet.track_event = &m->event;
	put(t, &packet);
}

static void put_end(struct trace *t, u64 track, u64 at_ns)
{
	struct made m;

	begin_event(&m, UNSPOOL__TRACK_EVENT__TYPE__SLICE_END, track, NULL);
	put_event(t, &m, at_ns);
}

static void annotate_entry(const struct trace *t, struct made *m, const struct fl_entry *e)
{
	const struct fl_event_words *known =
		e->event < t->d->tables.n_events ? &t->d->tables.events[e->event] : NULL;

	for (u32 i = 0; i < e->n_words && i < FL_N_DECODED && known && known->word[i][0]; i++)
		if (strncmp(known->word[i], "last_", 5) != 0)
			annotate_word(m, known->word[i], e->d[i]);
}

struct within {
	struct trace *t;
	u64 track;
};

static void put_step(const struct within *in, const struct fl_part *part)
{
	const struct fl_tables *tables = &in->t->d->tables;
	char room[24], name[24], rule[24];
	struct made m;

	snprintf(name, sizeof(name), "%s",
		 part->has_frame ? fl_kind_words(tables, part->frame & 255, room)
				 : fl_event_name(tables, FLIGHT_STEP, room));
	begin_event(&m, UNSPOOL__TRACK_EVENT__TYPE__SLICE_BEGIN, in->track, name);
	annotate_entry(in->t, &m, part->entry);
	if (part->has_frame) {
		annotate_word(&m, "id", part->id);
		annotate_word(&m, "value", part->value);
	}
	if (part->has_frame && part->frame >> 24)
		annotate(&m, "caller by")->string_value =
			(char *)fl_rule_words(tables, part->frame >> 24, rule);
	put_event(in->t, &m, part->from_ns);
	put_end(in->t, in->track, part->from_ns + part->took_ns);
}

static void put_part(const struct fl_part *part, void *data)
{
	const struct within *in = data;
	const struct fl_tables *tables = &in->t->d->tables;
	const struct fl_entry *e = part->entry;
	char room[24], why[24], name[24];
	struct made m;

	if (e->event == FLIGHT_STEP) {
		put_step(in, part);
		return;
	}
	snprintf(name, sizeof(name), "%s", fl_event_name(tables, e->event, room));
	begin_event(&m, UNSPOOL__TRACK_EVENT__TYPE__INSTANT, in->track, name);
	annotate_entry(in->t, &m, e);
	if (e->event == FLIGHT_MISS || e->event == FLIGHT_REFUSED)
		annotate(&m, "why")->string_value = (char *)fl_note_words(tables, e->detail, why);
	put_event(in->t, &m, part->from_ns);
}

static void put_walk(struct trace *t, const struct fl_walk *w)
{
	u64 track = track_of(w->pid, w->tid);
	char room[24], name[64];
	struct made m;

	snprintf(name, sizeof(name), "%s",
		 w->has_end ? fl_status_words(&t->d->tables, w->status, room) : "unfinished");
	begin_event(&m, UNSPOOL__TRACK_EVENT__TYPE__SLICE_BEGIN, track, name);
	annotate_number(&m, "cpu", t->d->rings[w->ring].cpu);
	annotate_word(&m, "pc", w->pc);
	annotate_number(&m, "frames", w->n_frames);
	annotate_number(&m, "reads", w->n_reads);
	annotate_word(&m, "fault", w->fault_addr);
	put_event(t, &m, w->begin_ns);
	fl_walk_each(t->d, w, put_part, &(struct within){ t, track });
	put_end(t, track, w->begin_ns + fl_walk_drawn_ns(w));
}

/* Finds the newest name for an ident in the dump. NULL: none. */
static char *name_of(const struct fl_dump *d, u8 tag, u64 ident)
{
	struct fl_names_cursor c = { 0 };
	char *found = NULL;
	struct fl_name name;

	while (d->names && fl_names_next(d->names, d->n_name_words, &c, &name) == 1) {
		if (name.tag != tag || name.ident != ident)
			continue;
		free(found);
		found = mend(name.text, name.len);
	}
	return found;
}

static void put_process(struct trace *t, u32 pid)
{
	_cleanup_free_ char *name = name_of(t->d, FL_NAME_PROCESS, track_of(pid, pid));
	Unspool__TracePacket packet = UNSPOOL__TRACE_PACKET__INIT;
	Unspool__TrackDescriptor track = UNSPOOL__TRACK_DESCRIPTOR__INIT;
	Unspool__ProcessDescriptor process = UNSPOOL__PROCESS_DESCRIPTOR__INIT;

	process.has_pid = 1;
	process.pid = (s32)pid;
	process.process_name = name;
	track.has_uuid = 1;
	track.uuid = TRACK_PROCESS | pid;
	track.process = &process;
	packet.track_descriptor = &track;
	put(t, &packet);
}

static void put_thread(struct trace *t, u32 pid, u32 tid)
{
	_cleanup_free_ char *name = name_of(t->d, FL_NAME_THREAD, track_of(pid, tid));
	Unspool__TracePacket packet = UNSPOOL__TRACE_PACKET__INIT;
	Unspool__TrackDescriptor track = UNSPOOL__TRACK_DESCRIPTOR__INIT;
	Unspool__ThreadDescriptor thread = UNSPOOL__THREAD_DESCRIPTOR__INIT;

	thread.has_pid = thread.has_tid = 1;
	thread.pid = (s32)pid;
	thread.tid = (s32)tid;
	thread.thread_name = name;
	track.has_uuid = 1;
	track.uuid = track_of(pid, tid);
	track.has_parent_uuid = 1;
	track.parent_uuid = TRACK_PROCESS | pid;
	track.thread = &thread;
	packet.track_descriptor = &track;
	put(t, &packet);
}

/*
 * Writes all walks except those that overlap an earlier walk of the same thread. Only damaged dumps
 * have overlapping walks.
 */
static void put_walks(struct trace *t, const struct fl_walks *walks)
{
	u64 busy_until = 0;

	for (u32 i = 0; i < walks->n && !t->err; i++) {
		const struct fl_walk *w = &walks->v[i];
		bool is_first = i == 0 || w->pid != w[-1].pid || w->tid != w[-1].tid;

		if (i == 0 || w->pid != w[-1].pid)
			put_process(t, w->pid);
		if (is_first)
			put_thread(t, w->pid, w->tid);
		if (!is_first && w->begin_ns < busy_until)
			continue;
		busy_until = w->begin_ns + fl_walk_drawn_ns(w);
		put_walk(t, w);
	}
}

int fl_perfetto_write(const struct fl_dump *d, FILE *out)
{
	struct trace t = { .d = d, .out = out };
	struct fl_walks walks;
	int err = fl_walks_init(d, &walks);

	if (err)
		return err;
	errno = 0;
	put_walks(&t, &walks);
	fl_walks_deinit(&walks);
	if (!t.err && (fflush(out) || ferror(out)))
		t.err = errno ? -errno : -EIO;
	return t.err;
}
