/* SPDX-License-Identifier: BSD-2-Clause */
#include "anonymize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/text_stream.h"
#include "../profile/kinds.h"
#include "anon_text.h"

struct anonymizer {
	struct anon_key key;
	bool functions;
};

/* Replaces a text; the types of lines and kinds of frames differ in the texts that they have. */
typedef void put_fn(FILE *out, const struct anon_key *k, const char *text);

enum rule {
	KEEP, /* a number, a flag, a word from a fixed list, or a list of numbers */
	COUNTS, /* an object of numbers, flags and such objects; texts are dropped */
	LABELS, /* the labels of samples */
	REPLACE, /* by put */
	FUNCTION, /* the name of a function */
};

struct key_rule {
	const char *key;
	enum rule rule;
	put_fn *put;
};

static const struct key_rule header[] = {
	{ "schema", KEEP },
	{ "unspool", KEEP },
	{ "start", KEEP },
	{ "start_boottime_ns", KEEP },
	{ "arch", KEEP },
	{ "kernel", REPLACE, anon_release },
	{ "hz", KEEP },
	{ "mode", KEEP },
	{ "command", REPLACE, anon_words },
	{ 0 },
};

static const struct key_rule process[] = {
	{ "pid", KEEP },
	{ "nspid", KEEP },
	{ "ppid", KEEP },
	{ "name", REPLACE, anon_path },
	{ "exe", REPLACE, anon_path },
	{ "runtime", REPLACE, anon_runtime },
	{ "cgroup", REPLACE, anon_path },
	{ "container", REPLACE, anon_hash },
	{ 0 },
};

static const struct key_rule thread[] = {
	{ "pid", KEEP },
	{ "tid", KEEP },
	{ "name", REPLACE, anon_path },
	{ 0 },
};

static const struct key_rule frame[] = {
	{ "id", KEEP },
	{ "kind", KEEP },
	{ "name", FUNCTION },
	{ "file", REPLACE, anon_path },
	{ "line", KEEP },
	{ "column", KEEP },
	{ "start_line", KEEP },
	{ "start_column", KEEP },
	{ "generated_file", REPLACE, anon_path },
	{ "generated_line", KEEP },
	{ "generated_column", KEEP },
	{ "module", REPLACE, anon_path },
	{ "build_id", REPLACE, anon_hash },
	{ "off", KEEP },
	{ "start_off", KEEP },
	{ "addr", KEEP },
	{ "deferred", KEEP },
	{ "tier", KEEP },
	{ "inlined", KEEP },
	{ "async", KEEP },
	{ "guess", KEEP },
	{ "ignored", KEEP },
	{ "reason", KEEP },
	{ 0 },
};

static const struct key_rule stack[] = {
	{ "id", KEEP }, { "frames", KEEP }, { "status", KEEP }, { "reason", KEEP }, { 0 },
};

static const struct key_rule samples[] = {
	{ "pid", KEEP },      { "tid", KEEP }, { "stack", KEEP }, { "count", KEEP }, { "t", KEEP },
	{ "labels", LABELS }, { 0 },
};

static const struct key_rule summary[] = {
	{ "samples", KEEP },	   { "lost", KEEP },
	{ "lost_events", KEEP },   { "complete", KEEP },
	{ "guessed", KEEP },	   { "unresolved", KEEP },
	{ "truncated", COUNTS },   { "failed", COUNTS },
	{ "by_activity", COUNTS }, { "unwound_by", COUNTS },
	{ "rows", COUNTS },	   { "cpu_ns", KEEP },
	{ "bpf_ns", KEEP },	   { "walks", COUNTS },
	{ "duration_ns", KEEP },   { 0 },
};

static const struct {
	const char *type;
	const struct key_rule *keys;
} types[] = {
	{ "header", header }, { "process", process }, { "thread", thread },   { "frame", frame },
	{ "stack", stack },   { "samples", samples }, { "summary", summary },
};

/* Names of kernel functions, and of V8's builtins and stubs, are not names of the program. */
static bool is_public(enum prof_kind kind)
{
	return kind == PROF_KERNEL || kind == PROF_BUILTIN || kind == PROF_STUB;
}

static void put_function(const struct anonymizer *a, FILE *out, const json_t *object,
			 const char *name)
{
	const char *kind_name = json_string_value(json_object_get(object, "kind"));
	enum prof_kind kind = kind_name ? prof_kind_from_name(kind_name) : PROF_N_KINDS;

	if (is_public(kind) || strcmp(name, "(anonymous)") == 0)
		fputs(name, out);
	else if (a->functions)
		anon_hash(out, &a->key, name);
	else
		anon_function(out, &a->key, name, kind);
}

/* Makes the replacement of a value; NULL if out of memory. */
static json_t *replacement(const struct anonymizer *a, const struct key_rule *rule,
			   const json_t *object, const char *value)
{
	struct text_stream stream;
	_cleanup_free_ char *text = NULL;
	FILE *out = text_stream_open(&stream);
	size_t len;

	if (!out)
		return NULL;
	if (rule->rule == FUNCTION)
		put_function(a, out, object, value);
	else
		rule->put(out, &a->key, value);
	if (text_stream_close(&stream, out, &text, &len))
		return NULL;
	return json_stringn(text, len);
}

static const struct key_rule *find_rule(const struct key_rule *rules, const char *key)
{
	for (; rules->key; rules++)
		if (strcmp(rules->key, key) == 0)
			return rules;
	return NULL;
}

static void drop_texts(json_t *object)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(object, next, key, value)
	{
		if (json_is_object(value))
			drop_texts(value);
		else if (!json_is_number(value) && !json_is_boolean(value))
			json_object_del(object, key);
	}
}

/* Keeps the activity only if it is one that a reader knows. */
static int change_labels(json_t *labels)
{
	json_t *activity = json_incref(json_object_get(labels, "activity"));
	const char *name = json_string_value(activity);

	drop_texts(labels);
	if (name && prof_activity_from_name(name) != PROF_N_ACTIVITIES)
		return json_object_set_new(labels, "activity", activity);
	json_decref(activity);
	return 0;
}

static int change_value(const struct anonymizer *a, const struct key_rule *rule, json_t *object,
			json_t *value)
{
	const char *text = json_string_value(value);

	if (rule->rule == LABELS)
		return change_labels(value);
	if (rule->rule == COUNTS)
		drop_texts(value);
	if (rule->rule < REPLACE || !text)
		return 0;
	return json_object_set_new(object, rule->key, replacement(a, rule, object, text));
}

static int change_keys(const struct anonymizer *a, const struct key_rule *rules, json_t *object)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(object, next, key, value)
	{
		const struct key_rule *rule = find_rule(rules, key);

		if (rule && change_value(a, rule, object, value))
			return -ENOMEM;
		if (!rule && strcmp(key, "type"))
			json_object_del(object, key);
	}
	return 1;
}

static int change(void *data, json_t *object)
{
	const char *type = json_string_value(json_object_get(object, "type"));

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (strcmp(type, types[i].type) == 0)
			return change_keys(data, types[i].keys, object);
	return 0;
}

int anonymizer_new(struct anonymizer **anonymizer, const struct anonymizer_options *options)
{
	_cleanup_(anonymizer_free) struct anonymizer *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return -ENOMEM;
	a->functions = options->functions;
	err = anon_key_init(&a->key, options->key[0] ? options->key : NULL);
	if (!err)
		*anonymizer = TAKE_PTR(a);
	return err;
}

void anonymizer_free(struct anonymizer **a)
{
	free(*a);
	*a = NULL;
}

void anonymizer_attach(struct anonymizer *a, struct prof_reader *r)
{
	if (a)
		prof_reader_set_lines(r, change, a);
}
