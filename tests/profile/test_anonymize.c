/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the replacement of names by hashes. The expected hashes were computed by Python's module
 * hmac: hmac.new(b"key", b"acme", "sha256").hexdigest()[:12].
 */

#include "../check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/text_stream.h"
#include "../../loader/anonymize/anon_text.h"
#include "../../loader/anonymize/anonymize.h"
#include "../../loader/anonymize/option.h"
#include "../../loader/profile/data.h"
#include "made.h"

#define ACME "x2a0c2d9f96b5"
#define VIEW "x167bee8df35b"

static const struct made a_profile = { .n_processes = 3, .n_samples = 300, .finished = true };

/* A line of each type, with the word planted- and a number in each text that is not a fixed word.
 */
static const char planted[] =
	"{\"type\":\"header\",\"schema\":1,\"hz\":99,\"kernel\":\"6.1.0-planted-0\","
	"\"command\":\"planted-1 --key=planted-2\",\"host\":\"planted-3\"}\n"
	"{\"type\":\"note\",\"text\":\"planted-4\"}\n"
	"{\"type\":\"process\",\"pid\":7,\"name\":\"planted-5\",\"exe\":\"/planted-6/"
	"planted-7.so.1\","
	"\"runtime\":\"Node.js planted-8\",\"cgroup\":\"/planted-9\",\"container\":\"planted-10\","
	"\"argv\":[\"planted-11\"]}\n"
	"{\"type\":\"thread\",\"pid\":7,\"tid\":7,\"name\":\"planted-12\"}\n"
	"{\"type\":\"frame\",\"id\":1,\"kind\":\"js\",\"name\":\"planted-13\","
	"\"file\":\"/srv/planted-14/planted-15.js\",\"line\":3,\"generated_file\":\"planted-16\","
	"\"module\":\"System.planted-17\",\"build_id\":\"planted-18\",\"note\":\"planted-19\"}\n"
	"{\"type\":\"frame\",\"id\":2,\"kind\":\"jit\",\"name\":\"f "
	"C:\\\\planted-20\\\\planted-21:1\"}\n"
	"{\"type\":\"stack\",\"id\":1,\"frames\":[1,2],\"status\":\"complete\",\"of\":\"planted-"
	"22\"}\n"
	"{\"type\":\"samples\",\"pid\":7,\"tid\":7,\"stack\":1,\"count\":2,\"t\":[5,6],"
	"\"labels\":{\"activity\":\"gc\",\"request\":\"planted-23\"}}\n"
	"{\"type\":\"summary\",\"samples\":2,\"complete\":2,\"by_activity\":{\"gc\":2},"
	"\"rows\":{\"pages\":1,\"file\":\"planted-24\"}}\n";

/* Changes frames as a source map does. */
static bool map(void *data, struct prof_frame *f)
{
	(void)data;
	f->file = "planted.ts";
	return f->kind == PROF_JS;
}

static char *anonymized(const char *text, size_t len, const struct anonymizer_options *o)
{
	struct anonymizer *a = NULL;
	struct prof_reader *in = NULL;
	struct prof_record record;
	struct text_stream stream;
	FILE *out = text_stream_open(&stream);
	char *result = NULL;
	int r;

	assert_int_equal(anonymizer_new(&a, o), 0);
	assert_int_equal(prof_reader_new(made_fd(text, len), "in", &in), 0);
	prof_reader_change_frames(in, map, NULL);
	anonymizer_attach(a, in);
	while ((r = prof_reader_next(in, &record)) == 1)
		fprintf(out, "%.*s\n", (int)record.len, record.line);
	if (r)
		fail_msg("%s", prof_reader_error(in));
	assert_int_equal(text_stream_close(&stream, out, &result, &len), 0);
	prof_reader_free(&in);
	anonymizer_free(&a);
	return result;
}

static void no_planted_text_remains(void **state)
{
	const struct anonymizer_options all = { .key = "key", .functions = true };
	char *text = anonymized(planted, strlen(planted), &all);

	(void)state;
	assert_non_null(strstr(planted, "planted-"));
	if (strstr(text, "planted"))
		fail_msg("%s", strstr(text, "planted"));
	assert_null(strstr(text, "note"));
	assert_non_null(strstr(text, ".ts\""));
	assert_non_null(strstr(text, "\"name\":\"xb675eba33b25\""));
	assert_non_null(strstr(text, "\"kernel\":\"6.1.0\""));
	assert_non_null(strstr(text, "\"labels\":{\"activity\":\"gc\"}"));
	assert_non_null(strstr(text, "\"rows\":{\"pages\":1}"));
	assert_non_null(strstr(text, "\"t\":[5,6]"));
	free(text);
}

static void without_all_only_names_of_functions_remain(void **state)
{
	char *text =
		anonymized(planted, strlen(planted), &(struct anonymizer_options){ .key = "key" });
	const char *found = strstr(text, "planted");

	(void)state;
	assert_non_null(found);
	assert_int_equal(strncmp(found, "planted-13\"", 11), 0);
	assert_null(strstr(found + 1, "planted"));
	free(text);
}

enum text_kind { PATH, WORDS, RELEASE, RUNTIME, NAME, JIT_NAME };

static char *replaced(const struct anon_key *k, enum text_kind kind, const char *text)
{
	struct text_stream stream;
	FILE *out = text_stream_open(&stream);
	char *result = NULL;
	size_t len;

	switch (kind) {
	case PATH:
		anon_path(out, k, text);
		break;
	case WORDS:
		anon_words(out, k, text);
		break;
	case RELEASE:
		anon_release(out, k, text);
		break;
	case RUNTIME:
		anon_runtime(out, k, text);
		break;
	default:
		anon_function(out, k, text, kind == NAME ? PROF_NATIVE : PROF_JIT);
	}
	assert_int_equal(text_stream_close(&stream, out, &result, &len), 0);
	return result;
}

static void each_text_has_its_replacement(void **state)
{
	static const struct {
		enum text_kind kind;
		const char *in, *out;
	} rows[] = {
		{ PATH, "/srv/acme/view.js", "/srv/" ACME "/" VIEW ".js" },
		{ PATH, "C:\\acme\\view.cs", "xbc9954e75fa5\\" ACME "\\" VIEW ".cs" },
		{ PATH, "acme", ACME },
		{ PATH, "acme.so.1.2", ACME ".so.1.2" },
		{ PATH, "acme.1.2", "x0ac57bb6b662" },
		{ PATH, "view.planted", "x217420b91db9" },
		{ PATH, "/usr/lib/python3.11/site-packages", "/usr/lib/python3.11/site-packages" },
		{ PATH, "node:internal/acme", "node:internal/" ACME },
		{ PATH, "System.acme", "System." ACME },
		{ PATH, "libc.so.6", "libc.so.6" },
		{ PATH, "", "" },
		{ PATH, "//", "//" },
		{ WORDS, "node /acme/view.js  acme ", "node /" ACME "/" VIEW ".js  " ACME " " },
		{ RELEASE, "6.1.0-42-acme", "6.1.0" },
		{ RELEASE, "acme", ACME },
		{ RUNTIME, "Node.js 24.21.0", "Node.js 24.21.0" },
		{ RUNTIME, ".NET 8.0.1", ".NET 8.0.1" },
		{ RUNTIME, "V8 acme", NULL },
		{ RUNTIME, "acme", ACME },
		{ NAME, "acme view", "acme view" },
		{ NAME, "acme/view.(*T).Run", ACME "/view.(*T).Run" },
		{ NAME, "ns::operator/(int)", "xe0b803cea2bc/(int)" },
		{ JIT_NAME, "~run", "~run" },
		{ JIT_NAME, "~run /acme/view.js", "~run /" ACME "/" VIEW ".js" },
	};
	struct anon_key k;

	(void)state;
	assert_int_equal(anon_key_init(&k, "key"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *out = replaced(&k, rows[i].kind, rows[i].in);

		if (rows[i].out ? strcmp(out, rows[i].out) != 0 : strstr(out, "acme") != NULL)
			fail_msg("row %zu: '%s' became '%s'", i, rows[i].in, out);
		free(out);
	}
}

static void each_key_gives_other_hashes_and_each_random_key_is_new(void **state)
{
	static const char *const keys[] = { "key", "other", NULL, NULL };
	char *hashes[ARRAY_SIZE(keys)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct anon_key k;

		assert_int_equal(anon_key_init(&k, keys[i]), 0);
		hashes[i] = replaced(&k, PATH, "acme");
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(hashes[i], hashes[other]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		free(hashes[i]);
}

static struct prof_data *data_of(const char *text, size_t len)
{
	struct prof_reader *in = NULL;
	struct prof_data *d = NULL;

	assert_int_equal(prof_reader_new(made_fd(text, len), "in", &in), 0);
	if (data_read(in, &d))
		fail_msg("%s", prof_reader_error(in));
	prof_reader_free(&in);
	return d;
}

static void equal_names_stay_equal_and_counts_do_not_change(void **state)
{
	size_t len;
	char *text = made_bytes(&a_profile, &len);
	char *other = anonymized(text, len, &(struct anonymizer_options){ .functions = true });
	struct prof_data *a = data_of(text, len), *b = data_of(other, strlen(other));

	(void)state;
	assert_int_equal(a->samples, b->samples);
	assert_int_equal(a->n_cells, b->n_cells);
	assert_int_equal(a->n_frames, b->n_frames);
	assert_memory_equal(a->counts, b->counts, a->n_cells * sizeof(*a->counts));
	assert_memory_equal(a->summary.by_activity, b->summary.by_activity,
			    sizeof(a->summary.by_activity));
	for (u32 i = 1; i < a->n_frames; i++) {
		const struct prof_frame *f = &a->frames[i], *g = &b->frames[i];

		if (f->name && f[-1].name && f->kind == f[-1].kind)
			assert_int_equal(strcmp(f->name, f[-1].name) == 0,
					 strcmp(g->name, g[-1].name) == 0);
	}
	data_free(&a);
	data_free(&b);
	free(other);
	free(text);
}

static void the_option_has_a_key_and_the_word_all(void **state)
{
	char *path = made_path("key");
	char at[PATH_MAX], all_at[PATH_MAX];
	const struct {
		const char *arg, *key;
		bool functions, is_wrong;
	} rows[] = {
		{ NULL, "", false, false },	      { "all", "", true, false },
		{ "s3cret", "s3cret", false, false }, { "all,s3cret", "s3cret", true, false },
		{ "allies", "allies", false, false }, { at, "of file", false, false },
		{ all_at, "of file", true, false },   { "", NULL, false, true },
		{ "all,", NULL, false, true },	      { "@/nothing/here", NULL, false, true },
	};

	(void)state;
	made_file(path, "of file\nmore\n", 13);
	snprintf(at, sizeof(at), "@%s", path);
	snprintf(all_at, sizeof(all_at), "all,@%s", path);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct anonymizer_options o;
		struct cli_parse p = { 0 };
		bool is_wrong = anonymize_option_parse(&p, rows[i].arg, &o) != 0;

		if (is_wrong != rows[i].is_wrong || is_wrong != (p.error[0] != 0))
			fail_msg("row %zu: '%s'", i, p.error);
		if (is_wrong)
			continue;
		assert_string_equal(o.key, rows[i].key);
		assert_int_equal(o.functions, rows[i].functions);
	}
	made_remove(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_planted_text_remains),
		cmocka_unit_test(without_all_only_names_of_functions_remain),
		cmocka_unit_test(each_text_has_its_replacement),
		cmocka_unit_test(each_key_gives_other_hashes_and_each_random_key_is_new),
		cmocka_unit_test(equal_names_stay_equal_and_counts_do_not_change),
		cmocka_unit_test(the_option_has_a_key_and_the_word_all),
	};

	return CHECK_RUN(tests);
}
