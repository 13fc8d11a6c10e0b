/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the reader: valid files, invalid files with their error messages, and files cut at
 * every byte.
 */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "../../loader/profile/data.h"
#include "made.h"

#define HEADER "{\"type\":\"header\",\"schema\":1,\"hz\":99}\n"

/* Reads all records; returns their number, or a negative errno with the message in @error. */
static int read_bytes(const void *bytes, size_t len, bool *cut, char *error)
{
	struct prof_reader *r = NULL;
	struct prof_record record;
	int n = 0, err;

	assert_int_equal(prof_reader_new(made_fd(bytes, len), "p", &r), 0);
	while ((err = prof_reader_next(r, &record)) == 1)
		n++;
	*cut = prof_reader_is_cut(r);
	/* another call after the end returns the end again */
	assert_int_equal(prof_reader_next(r, &record), err);
	strcpy(error, prof_reader_error(r));
	assert_int_equal(error[0] != 0, err < 0);
	prof_reader_free(&r);
	return err < 0 ? err : n;
}

struct bad_row {
	const char *text, *error;
};

static const struct bad_row bad_rows[] = {
	{ "", "p:0: not an Unspool profile: the file has no complete line" },
	{ "\n", "p:1: not an Unspool profile; use an .ndjson or .html file, or folded stacks" },
	{ "hello\n",
	  "p:1: not an Unspool profile; use an .ndjson or .html file, or folded stacks" },
	{ "{\"nodes\":[]}\n",
	  "p:1: not an Unspool profile; use an .ndjson or .html file, or folded stacks" },
	{ "{\"type\":\"frame\",\"id\":1}\n",
	  "p:1: not an Unspool profile: the first line is not a header" },
	{ "{\"type\":\"header\",\"schema\":2}\n",
	  "p:1: unknown schema version; a newer unspool may be able to read the profile" },
	{ HEADER HEADER, "p:2: second header: the file contains two profiles" },
	{ HEADER "{\"type\":\"new\"}\n\n", "p:3: the line is not a JSON object" },
	{ HEADER "[]\n", "p:2: the line is not a JSON object" },
	{ HEADER "{\"id\":1}\n", "p:2: the line has no \"type\"" },
	{ HEADER "{\"type\":7}\n", "p:2: \"type\" is not a string" },
	{ HEADER "{\"type\":\"frame\"}\n", "p:2: \"id\" is missing or 0" },
	{ HEADER "{\"type\":\"frame\",\"id\":-1}\n", "p:2: \"id\" is not a 32-bit number" },
	{ HEADER "{\"type\":\"frame\",\"id\":4294967296}\n", "p:2: \"id\" is not a 32-bit number" },
	{ HEADER "{\"type\":\"frame\",\"id\":\"1\"}\n", "p:2: \"id\" is not a 32-bit number" },
	{ HEADER "{\"type\":\"frame\",\"id\":1,\"name\":3}\n", "p:2: \"name\" is not a string" },
	{ HEADER "{\"type\":\"frame\",\"id\":1,\"name\":\"\\u0000\"}\n",
	  "p:2: the line is not a JSON object" },
	{ HEADER "{\"type\":\"frame\",\"id\":1,\"off\":\"0x\"}\n",
	  "p:2: \"off\" is not a hexadecimal number" },
	{ HEADER "{\"type\":\"frame\",\"id\":1,\"guess\":1}\n",
	  "p:2: \"guess\" is neither true nor false" },
	{ HEADER "{\"type\":\"stack\",\"id\":1,\"status\":\"complete\"}\n",
	  "p:2: \"frames\" is not a list of at most 8192 ids" },
	{ HEADER "{\"type\":\"stack\",\"id\":1,\"frames\":[0],\"status\":\"complete\"}\n",
	  "p:2: \"frames\" contains an invalid id" },
	{ HEADER "{\"type\":\"stack\",\"id\":1,\"frames\":[\"1\"],\"status\":\"complete\"}\n",
	  "p:2: \"frames\" contains an invalid id" },
	{ HEADER "{\"type\":\"stack\",\"id\":1,\"frames\":[],\"status\":\"fine\"}\n",
	  "p:2: \"status\" is not complete, truncated or failed" },
	{ HEADER "{\"type\":\"samples\",\"stack\":1,\"count\":2,\"t\":[1]}\n",
	  "p:2: the number of elements of \"t\" is not \"count\"" },
	{ HEADER "{\"type\":\"samples\",\"stack\":1,\"count\":1,\"t\":[-1]}\n",
	  "p:2: \"t\" contains a negative difference" },
	{ HEADER "{\"type\":\"summary\",\"samples\":-4}\n",
	  "p:2: \"samples\" is not a number of 0 or more" },
	{ HEADER "{\"type\":\"summary\",\"by_activity\":{\"js\":\"x\"}}\n",
	  "p:2: a count in the summary is not a number of 0 or more" },
	{ HEADER "{\"type\":\"summary\",\"rows\":{\"evicted\":-1}}\n",
	  "p:2: \"evicted\" is not a number of 0 or more" },
	{ "\x1f\x8bzzzzzzzzzzzzzzzz", "p:1: the compressed data is corrupt" },
	{ "\x28\xb5\x2f\xfdzzzzzzzzzzz", "p:1: the compressed data is corrupt" },
	{ "\x28\xb5\x2f\xfd", "p:1: the compressed data is truncated" },
};

static void error_messages_about_a_profile_state_the_line_number(void **state)
{
	char error[600];
	bool cut;

	(void)state;
	for (size_t i = 0; i < sizeof(bad_rows) / sizeof(*bad_rows); i++) {
		const struct bad_row *row = &bad_rows[i];

		assert_int_equal(read_bytes(row->text, strlen(row->text), &cut, error), -EBADMSG);
		assert_string_equal(error, row->error);
	}
}

static void lines_of_unknown_types_and_unknown_keys_are_skipped(void **state)
{
	const char *text = HEADER "{\"type\":\"frame\",\"id\":1,\"shape\":[{}],\"name\":null}\n"
				  "{\"type\":\"moon\",\"id\":-1}\n"
				  "{\"type\":\"frame\",\"id\":2,\"kind\":\"cobol\"}\n";
	char error[600];
	bool cut;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &cut, error), 4);
	assert_false(cut);
}

static void the_number_of_frames_of_a_stack_is_limited(void **state)
{
	char *text = calloc(1, 64 << 10), error[600];
	bool cut;

	(void)state;
	for (u32 n = PROF_MAX_FRAMES - 1; n < PROF_MAX_FRAMES + 2; n++) {
		size_t len = (size_t)sprintf(text, "%s", HEADER);

		len += (size_t)sprintf(text + len, "{\"type\":\"stack\",\"id\":1,\"frames\":[1");
		for (u32 i = 1; i < n; i++)
			len += (size_t)sprintf(text + len, ",1");
		len += (size_t)sprintf(text + len, "],\"status\":\"complete\"}\n");
		assert_int_equal(read_bytes(text, len, &cut, error),
				 n <= PROF_MAX_FRAMES ? 2 : -EBADMSG);
	}
	free(text);
}

static void the_length_of_a_line_is_limited_to_1_mib(void **state)
{
	const size_t megabyte = 1 << 20;
	char *text = calloc(1, megabyte + 1000), error[600];
	size_t len = strlen(HEADER);
	bool cut;

	(void)state;
	memcpy(text, HEADER, len);
	len += (size_t)sprintf(text + len, "{\"type\":\"x\",\"y\":\"");
	memset(text + len, 'y', megabyte);
	strcpy(text + strlen(HEADER) + megabyte - 2, "\"}\n");
	assert_int_equal(read_bytes(text, strlen(text), &cut, error), 2);
	memset(text + strlen(text) - 3, 'y', 100);
	assert_int_equal(read_bytes(text, megabyte + 100, &cut, error), -EBADMSG);
	assert_string_equal(error, "p:2: the line is longer than 1 MiB");
	free(text);
}

static char *gzip_bytes(const char *bytes, size_t len, size_t *out_len)
{
	z_stream z = { .next_in = (u8 *)bytes, .avail_in = (u32)len };
	char *out = malloc(len + 1000);

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
	z.next_out = (u8 *)out;
	z.avail_out = (u32)len + 1000;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*out_len = z.total_out;
	deflateEnd(&z);
	return out;
}

static char *zstd_bytes(const char *bytes, size_t len, size_t *out_len)
{
	char *out = malloc(len + 1000);

	*out_len = ZSTD_compress(out, len + 1000, bytes, len, 3);
	assert_false(ZSTD_isError(*out_len));
	return out;
}

/* Returns the number of lines that end before @len, and whether a cut at @len is inside a line. */
static int whole_lines(const char *text, size_t len, bool *cut)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	*cut = len && text[len - 1] != '\n';
	return n;
}

static void a_truncated_profile_is_read_up_to_the_last_complete_line(void **state)
{
	size_t len;
	char *text = made_bytes(&(struct made){ 1, 12, true, true }, &len), error[600];
	int n_lines = 0;

	(void)state;
	for (size_t at = 0; at <= len; at++) {
		bool cut, want_cut;
		int want = whole_lines(text, at, &want_cut);
		int got = read_bytes(text, at, &cut, error);

		assert_int_equal(got, want ? want : -EBADMSG);
		assert_int_equal(cut, want_cut);
		n_lines = got;
	}
	assert_true(n_lines > 30);
	free(text);
}

static void sweep_compressed(char *(*compress)(const char *, size_t, size_t *))
{
	size_t len, packed_len;
	char *text = made_bytes(&(struct made){ 1, 4, true, true }, &len), error[600];
	char *packed = compress(text, len, &packed_len);
	bool cut, want_cut;

	assert_int_equal(read_bytes(packed, packed_len, &cut, error),
			 whole_lines(text, len, &want_cut));
	/* With fewer than four bytes the format is unknown, so the file is not a profile. */
	for (size_t at = 0; at < packed_len; at++) {
		assert_int_equal(read_bytes(packed, at, &cut, error), -EBADMSG);
		if (at >= 4)
			assert_non_null(strstr(error, ": the compressed data is truncated"));
	}
	free(packed);
	free(text);
}

static void a_truncated_gzip_file_is_an_error(void **state)
{
	(void)state;
	sweep_compressed(gzip_bytes);
}

static void a_truncated_zstd_file_is_an_error(void **state)
{
	(void)state;
	sweep_compressed(zstd_bytes);
}

static void concatenated_gzip_members_or_zstd_frames_are_read_as_one_file(void **state)
{
	static char *(*const compress[])(const char *, size_t, size_t *) = { gzip_bytes,
									     zstd_bytes };
	char error[600];
	bool cut;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *second = "{\"type\":\"new\"}\n";
		size_t a_len, b_len;
		char *a = compress[i](HEADER, strlen(HEADER), &a_len);
		char *b = compress[i](second, strlen(second), &b_len);

		a = realloc(a, a_len + b_len);
		memcpy(a + a_len, b, b_len);
		assert_int_equal(read_bytes(a, a_len + b_len, &cut, error), 2);
		free(a);
		free(b);
	}
}

/*
 * A finished profile with one changed byte must be read as another profile or give an error,
 * but never crash the reader.
 */
static void the_profile_reader_never_crashes_if_any_byte_is_changed(void **state)
{
	size_t len;
	char *text = made_bytes(&(struct made){ 2, 12, true, true }, &len);

	(void)state;
	for (size_t at = 0; at < len; at++) {
		static const char bytes[] = "\"0{]\n\xff\x7f";
		struct prof_reader *r = NULL;
		struct prof_data *d = NULL;
		char was = text[at];
		int err;

		text[at] = bytes[at % (sizeof(bytes) - 1)];
		assert_int_equal(prof_reader_new(made_fd(text, len), "p", &r), 0);
		err = data_read(r, &d);
		assert_true(err == 0 || err == -EBADMSG);
		assert_int_equal(err != 0, prof_reader_error(r)[0] != 0);
		data_free(&d);
		prof_reader_free(&r);
		text[at] = was;
	}
	free(text);
}

static int read_data(const char *text, size_t len, struct prof_data **d, char *error)
{
	struct prof_reader *r = NULL;
	int err;

	assert_int_equal(prof_reader_new(made_fd(text, len), "p", &r), 0);
	err = data_read(r, d);
	strcpy(error, prof_reader_error(r));
	prof_reader_free(&r);
	return err;
}

#define FRAME "{\"type\":\"frame\",\"id\":1}\n"
#define STACK "{\"type\":\"stack\",\"id\":5,\"frames\":[1],\"status\":\"complete\"}\n"
#define SAMPLES "{\"type\":\"samples\",\"pid\":1,\"tid\":1,\"stack\":5,\"count\":2}\n"

static void duplicate_and_undefined_ids_and_wrong_totals_are_rejected(void **state)
{
	static const struct bad_row rows[] = {
		{ HEADER STACK, "p:2: the stack has the id of an unknown frame" },
		{ HEADER FRAME FRAME, "p:3: an earlier frame has the same id" },
		{ HEADER FRAME STACK STACK, "p:4: an earlier stack has the same id" },
		{ HEADER SAMPLES, "p:2: the samples have the id of an unknown stack" },
		{ HEADER FRAME STACK SAMPLES "{\"type\":\"summary\",\"samples\":3}\n",
		  "p:5: the summary's sample count differs from that of the lines" },
	};
	struct prof_data *d = NULL;
	char error[600];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(read_data(rows[i].text, strlen(rows[i].text), &d, error),
				 -EBADMSG);
		assert_string_equal(error, rows[i].error);
		assert_null(d);
	}
	assert_int_equal(read_data(HEADER FRAME STACK SAMPLES, strlen(HEADER FRAME STACK SAMPLES),
				   &d, error),
			 0);
	assert_int_equal(d->samples, 2);
	assert_true(d->interrupted);
	data_free(&d);
}

static u64 reason_count(const struct prof_reasons *r, const char *words)
{
	for (u32 i = 0; i < r->n; i++) {
		if (strcmp(r->reasons[i].words, words) == 0)
			return r->reasons[i].count;
	}
	return 0;
}

static bool same_reasons(const struct prof_reasons *a, const struct prof_reasons *b)
{
	bool same = a->n == b->n;

	for (u32 i = 0; i < a->n && same; i++)
		same = reason_count(b, a->reasons[i].words) == a->reasons[i].count;
	return same;
}

static bool same_summary(const struct prof_summary *a, const struct prof_summary *b)
{
	return a->samples == b->samples && a->complete == b->complete && a->guessed == b->guessed &&
	       a->unresolved == b->unresolved &&
	       same_reasons(&a->reasons[PROF_TRUNCATED], &b->reasons[PROF_TRUNCATED]) &&
	       same_reasons(&a->reasons[PROF_FAILED], &b->reasons[PROF_FAILED]) &&
	       memcmp(a->by_activity, b->by_activity, sizeof(a->by_activity)) == 0 &&
	       memcmp(a->unwound_by, b->unwound_by, sizeof(a->unwound_by)) == 0;
}

static void the_reader_counts_samples_itself_if_a_profile_has_no_summary(void **state)
{
	size_t len;
	char *text = made_bytes(&(struct made){ 3, 500, true, false }, &len), error[600];
	struct prof_data *whole = NULL, *killed = NULL;
	const char *summary = strstr(text, "{\"type\":\"summary\"");

	(void)state;
	assert_int_equal(read_data(text, len, &whole, error), 0);
	/* The file is cut inside the summary, as if the recorder was killed. */
	assert_int_equal(read_data(text, (size_t)(summary - text) + 20, &killed, error), 0);
	assert_false(whole->interrupted);
	assert_true(killed->interrupted);
	assert_true(whole->summary.guessed > 0 && whole->summary.unresolved > 0);
	assert_true(whole->summary.reasons[PROF_TRUNCATED].n == 2);
	assert_true(same_summary(&whole->summary, &killed->summary));
	/* Negative control. */
	killed->summary.reasons[PROF_FAILED].reasons[0].count++;
	assert_false(same_summary(&whole->summary, &killed->summary));
	killed->summary = whole->summary;
	killed->summary.unwound_by[PROF_RT_KERNEL]--;
	assert_false(same_summary(&whole->summary, &killed->summary));
	data_free(&whole);
	data_free(&killed);
	free(text);
}

static void samples_before_an_exec_belong_to_the_process_before_it(void **state)
{
	const char *text = HEADER FRAME STACK
		"{\"type\":\"process\",\"pid\":1,\"name\":\"sh\"}\n"
		"{\"type\":\"thread\",\"pid\":1,\"tid\":1,\"name\":\"main\"}\n" SAMPLES
		"{\"type\":\"process\",\"pid\":1,\"name\":\"node\"}\n" SAMPLES SAMPLES
		"{\"type\":\"samples\",\"pid\":9,\"tid\":9,\"stack\":5,\"count\":1}\n";
	struct prof_data *d = NULL;
	char error[600];

	(void)state;
	assert_int_equal(read_data(text, strlen(text), &d, error), 0);
	assert_int_equal(d->n_processes, 3);
	assert_string_equal(d->processes[0].process.name, "sh");
	assert_int_equal(d->processes[0].samples, 2);
	assert_string_equal(d->processes[1].process.name, "node");
	assert_int_equal(d->processes[1].samples, 4);
	assert_null(d->processes[2].process.name);
	assert_int_equal(d->n_pids, 2);
	assert_int_equal(d->n_cells, 3);
	assert_int_equal(d->counts[1], 4);
	assert_string_equal(d->threads[data_cell(d, 0).thread], "main");
	assert_int_equal(data_cell(d, 2).thread, DATA_NONE);
	data_free(&d);
}

static void reading_fails_if_the_path_is_missing_or_is_a_folder(void **state)
{
	struct prof_reader *r = NULL;
	struct prof_record record;

	(void)state;
	assert_int_equal(prof_reader_open("/nonexistent/profile", &r), -ENOENT);
	assert_null(r);
	assert_int_equal(prof_reader_open("/", &r), 0);
	assert_int_equal(prof_reader_next(r, &record), -EISDIR);
	assert_string_equal(prof_reader_error(r), "/:1: Is a directory");
	prof_reader_free(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(error_messages_about_a_profile_state_the_line_number),
	cmocka_unit_test(lines_of_unknown_types_and_unknown_keys_are_skipped),
	cmocka_unit_test(the_number_of_frames_of_a_stack_is_limited),
	cmocka_unit_test(the_length_of_a_line_is_limited_to_1_mib),
	cmocka_unit_test(a_truncated_profile_is_read_up_to_the_last_complete_line),
	cmocka_unit_test(a_truncated_gzip_file_is_an_error),
	cmocka_unit_test(a_truncated_zstd_file_is_an_error),
	cmocka_unit_test(concatenated_gzip_members_or_zstd_frames_are_read_as_one_file),
	cmocka_unit_test(the_profile_reader_never_crashes_if_any_byte_is_changed),
	cmocka_unit_test(duplicate_and_undefined_ids_and_wrong_totals_are_rejected),
	cmocka_unit_test(the_reader_counts_samples_itself_if_a_profile_has_no_summary),
	cmocka_unit_test(samples_before_an_exec_belong_to_the_process_before_it),
	cmocka_unit_test(reading_fails_if_the_path_is_missing_or_is_a_folder),
};

int main(void)
{
	return CHECK_RUN(tests);
}
