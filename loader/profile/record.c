/* SPDX-License-Identifier: BSD-2-Clause */
#include "record.h"

#include "../../inspect/util/array.h"
#include "../../inspect/util/reasons.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Reads the values of one JSON object. Stores only the first error. */
struct keys {
	const json_t *o;
	const char *wrong;
};

static const char *string_of(struct keys *k, const char *key, const char *wrong)
{
	json_t *v = json_object_get(k->o, key);

	if (v && !json_is_null(v) && !json_is_string(v) && !k->wrong)
		k->wrong = wrong;
	return json_string_value(v);
}

static u64 number_of(struct keys *k, const char *key, u64 max, const char *wrong)
{
	json_t *v = json_object_get(k->o, key);
	json_int_t n = json_integer_value(v);

	if (!v || json_is_null(v))
		return 0;
	if ((!json_is_integer(v) || n < 0 || (u64)n > max) && !k->wrong)
		k->wrong = wrong;
	return (u64)n;
}

static bool flag_of(struct keys *k, const char *key, const char *wrong)
{
	json_t *v = json_object_get(k->o, key);

	if (v && !json_is_null(v) && !json_is_boolean(v) && !k->wrong)
		k->wrong = wrong;
	return json_is_true(v);
}

/* Parses "0x1f". Return: whether the key is present. */
static bool hex_of(struct keys *k, const char *key, const char *wrong, u64 *value)
{
	const char *text = string_of(k, key, wrong);
	char *end = NULL;

	*value = text ? strtoull(text, &end, 16) : 0;
	if (text && (strncmp(text, "0x", 2) != 0 || end == text + 2 || *end) && !k->wrong)
		k->wrong = wrong;
	return text;
}

#define STRING(k, key) string_of(k, key, "\"" key "\" is not a string")
#define U32(k, key) ((u32)number_of(k, key, ~0u, "\"" key "\" is not a 32-bit number"))
#define U64(k, key) number_of(k, key, ~0ull, "\"" key "\" is not a number of 0 or more")
#define HEX(k, key, value) hex_of(k, key, "\"" key "\" is not a hexadecimal number", value)
#define FLAG(k, key) flag_of(k, key, "\"" key "\" is neither true nor false")

static u32 id_of(struct keys *k)
{
	u32 id = U32(k, "id");

	if (!id && !k->wrong)
		k->wrong = "\"id\" is missing or 0";
	return id;
}

static void parse_header(struct keys *k, struct prof_record *r)
{
	r->header.schema = U32(k, "schema");
	r->header.hz = U32(k, "hz");
	r->header.unspool = STRING(k, "unspool");
	r->header.start = STRING(k, "start");
	r->header.arch = STRING(k, "arch");
	r->header.kernel = STRING(k, "kernel");
	r->header.command = STRING(k, "command");
	if (r->header.schema != 1 && !k->wrong)
		k->wrong =
			"unknown schema version; a newer unspool may be able to read the profile";
}

static void parse_process(struct keys *k, struct prof_record *r)
{
	r->process.pid = U32(k, "pid");
	r->process.nspid = U32(k, "nspid");
	r->process.ppid = U32(k, "ppid");
	r->process.name = STRING(k, "name");
	r->process.exe = STRING(k, "exe");
	r->process.runtime = STRING(k, "runtime");
	r->process.cgroup = STRING(k, "cgroup");
	r->process.container = STRING(k, "container");
}

static void parse_thread(struct keys *k, struct prof_record *r)
{
	r->thread.pid = U32(k, "pid");
	r->thread.tid = U32(k, "tid");
	r->thread.name = STRING(k, "name");
}

static void parse_frame(struct keys *k, struct prof_record *r)
{
	struct prof_frame *f = &r->frame.frame;
	const char *kind = STRING(k, "kind");

	r->frame.id = id_of(k);
	f->kind = kind ? prof_kind_from_name(kind) : PROF_N_KINDS;
	f->name = STRING(k, "name");
	f->file = STRING(k, "file");
	f->line = U32(k, "line");
	f->column = U32(k, "column");
	f->start_line = U32(k, "start_line");
	f->start_column = U32(k, "start_column");
	f->generated_file = STRING(k, "generated_file");
	f->generated_line = U32(k, "generated_line");
	f->generated_column = U32(k, "generated_column");
	f->deferred = U32(k, "deferred");
	f->module = STRING(k, "module");
	f->build_id = STRING(k, "build_id");
	f->has_off = HEX(k, "off", &f->off);
	HEX(k, "start_off", &f->start_off);
	HEX(k, "addr", &f->addr);
	f->tier = STRING(k, "tier");
	f->inlined = FLAG(k, "inlined");
	f->async = FLAG(k, "async");
	f->guess = FLAG(k, "guess");
	f->ignored = FLAG(k, "ignored");
	f->reason = reason_current(STRING(k, "reason"));
}

static void parse_stack(struct keys *k, struct prof_record *r)
{
	const char *status = STRING(k, "status");
	json_t *frames = json_object_get(k->o, "frames"), *v;
	size_t i;

	r->stack.id = id_of(k);
	r->stack.frames = frames;
	r->stack.n_frames = (u32)json_array_size(frames);
	r->stack.status = status ? prof_status_from_name(status) : PROF_N_STATUSES;
	r->stack.reason = reason_current(STRING(k, "reason"));
	if (!json_is_array(frames) || json_array_size(frames) > PROF_MAX_FRAMES)
		k->wrong = "\"frames\" is not a list of at most 8192 ids";
	else if (r->stack.status == PROF_N_STATUSES)
		k->wrong = "\"status\" is not complete, truncated or failed";
	json_array_foreach(frames, i, v)
	{
		json_int_t id = json_integer_value(v);

		if (id < 1 || id > UINT32_MAX)
			k->wrong = "\"frames\" contains an invalid id";
	}
}
_Static_assert(PROF_MAX_FRAMES == 8192, "an error message above states this limit as a number");

static void parse_labels(struct keys *k, struct prof_record *r)
{
	struct keys labels = { json_object_get(k->o, "labels"), NULL };
	const char *activity = json_string_value(json_object_get(labels.o, "activity"));

	r->samples.activity = activity ? prof_activity_from_name(activity) : PROF_N_ACTIVITIES;
	r->samples.unresolved = json_is_true(json_object_get(labels.o, "unresolved"));
}

static void parse_samples(struct keys *k, struct prof_record *r)
{
	json_t *t = json_object_get(k->o, "t"), *v;
	u64 sum = 0;
	size_t i;

	r->samples.pid = U32(k, "pid");
	r->samples.tid = U32(k, "tid");
	r->samples.stack = U32(k, "stack");
	r->samples.count = U32(k, "count");
	parse_labels(k, r);
	json_array_foreach(t, i, v)
	{
		if (json_integer_value(v) < 0)
			k->wrong = "\"t\" contains a negative difference";
		sum += (u64)json_integer_value(v);
	}
	r->samples.last_t_us = sum;
	r->samples.times = t;
	if (t && json_array_size(t) != r->samples.count)
		k->wrong = "the number of elements of \"t\" is not \"count\"";
}

static void parse_reasons(struct keys *k, enum prof_status status, struct prof_summary *s)
{
	json_t *map = json_object_get(k->o, prof_status_name(status)), *v;
	const char *words;

	json_object_foreach(map, words, v)
	{
		if (json_integer_value(v) > 0)
			prof_reasons_add(&s->reasons[status], reason_current(words),
					 (u64)json_integer_value(v));
	}
}

static void parse_rows(struct keys *k, struct prof_rows *rows)
{
	rows->budget = U64(k, "budget");
	rows->pages = U64(k, "pages");
	rows->rows = U64(k, "rows");
	rows->evicted = U64(k, "evicted");
	rows->refetched = U64(k, "refetched");
	rows->refused = U64(k, "refused");
	rows->failed = U64(k, "failed");
}

static void parse_summary(struct keys *k, struct prof_record *r)
{
	struct prof_summary *s = &r->summary;
	struct keys activity = { json_object_get(k->o, "by_activity"), NULL };
	struct keys unwound = { json_object_get(k->o, "unwound_by"), NULL };
	struct keys rows = { json_object_get(k->o, "rows"), NULL };
	const char *wrong = "a count in the summary is not a number of 0 or more";

	s->samples = U64(k, "samples");
	s->lost = U64(k, "lost");
	s->lost_events = U64(k, "lost_events");
	s->complete = U64(k, "complete");
	s->guessed = U64(k, "guessed");
	s->unresolved = U64(k, "unresolved");
	s->cpu_ns = U64(k, "cpu_ns");
	s->bpf_ns = U64(k, "bpf_ns");
	s->duration_ns = U64(k, "duration_ns");
	parse_reasons(k, PROF_TRUNCATED, s);
	parse_reasons(k, PROF_FAILED, s);
	for (u32 i = 0; i < PROF_N_ACTIVITIES; i++)
		s->by_activity[i] = number_of(&activity, prof_activity_name(i), ~0ull, wrong);
	for (u32 i = 0; i < PROF_N_RUNTIMES; i++)
		s->unwound_by[i] = number_of(&unwound, prof_runtime_name(i), ~0ull, wrong);
	parse_rows(&rows, &s->rows);
	if (!k->wrong)
		k->wrong = activity.wrong  ? activity.wrong
			   : unwound.wrong ? unwound.wrong
					   : rows.wrong;
}

static const struct {
	const char *name;
	enum prof_record_type type;
	void (*parse)(struct keys *k, struct prof_record *r);
} types[] = {
	{ "header", PROF_REC_HEADER, parse_header },
	{ "process", PROF_REC_PROCESS, parse_process },
	{ "thread", PROF_REC_THREAD, parse_thread },
	{ "frame", PROF_REC_FRAME, parse_frame },
	{ "stack", PROF_REC_STACK, parse_stack },
	{ "samples", PROF_REC_SAMPLES, parse_samples },
	{ "summary", PROF_REC_SUMMARY, parse_summary },
};

int prof_record_parse(const json_t *o, struct prof_record *record, const char **wrong)
{
	struct keys k = { o, json_is_object(o) ? NULL : "the line is not a JSON object" };
	const char *type = STRING(&k, "type");
	struct prof_record r = { .type = PROF_REC_UNKNOWN };

	if (!type && !k.wrong)
		k.wrong = "the line has no \"type\"";
	for (size_t i = 0; i < ARRAY_SIZE(types) && !k.wrong; i++) {
		if (strcmp(type, types[i].name) == 0) {
			r.type = types[i].type;
			types[i].parse(&k, &r);
		}
	}
	if (k.wrong) {
		*wrong = k.wrong;
		return -EBADMSG;
	}
	*record = r;
	return 0;
}

u32 prof_record_frame(const struct prof_record *stack, u32 i)
{
	return (u32)json_integer_value(json_array_get(stack->stack.frames, i));
}

bool prof_record_time(const struct prof_record *samples, struct prof_time *time)
{
	const char *text = samples->samples.times_text;
	char *end;

	if (!text) {
		if (time->next >= json_array_size(samples->samples.times))
			return false;
		time->t_us += (u64)json_integer_value(
			json_array_get(samples->samples.times, time->next++));
		return true;
	}
	if (time->next && text[time->next - 1] == ']')
		return false;
	time->t_us += strtoull(text + time->next, &end, 10);
	time->next = (size_t)(end - text) + 1;
	return true;
}

u64 prof_record_count(const struct prof_record *samples, u64 since_us, u64 until_us)
{
	struct prof_time time = { 0 };
	u64 n = 0;

	if (!since_us && !until_us)
		return samples->samples.count;
	while (prof_record_time(samples, &time))
		n += time.t_us >= since_us && (!until_us || time.t_us < until_us);
	return n;
}

void prof_reasons_add(struct prof_reasons *r, const char *words, u64 n)
{
	u32 i = 0;

	while (i < r->n && strcmp(r->reasons[i].words, words) != 0)
		i++;
	if (i == PROF_MAX_REASONS)
		i--;
	if (i == r->n)
		r->reasons[r->n++] = (struct prof_reason){ words, 0 };
	r->reasons[i].count += n;
}
