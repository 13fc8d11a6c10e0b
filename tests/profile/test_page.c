/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the HTML page as a file: it carries the profile unchanged, and names are not HTML. */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/out/out.h"
#include "../../loader/profile/page.h"
#include "made.h"

#define RECORD "<script type=\"application/json\" id=\"unspool-record\">\n{\"record\":\""

static const struct made hostile = { .n_processes = 3, .n_samples = 300, .finished = true };
static const struct made brief = {
	.n_processes = 1, .n_samples = 3, .finished = true, .brief = true
};

static char *page_of(const char *bytes, size_t len, size_t *out_len)
{
	struct prof_reader *in = NULL;
	char *out = NULL;
	FILE *f = open_memstream(&out, out_len);

	assert_int_equal(prof_reader_new(made_fd(bytes, len), "in", &in), 0);
	assert_int_equal(out_html.write(in, f), 0);
	fclose(f);
	prof_reader_free(&in);
	return out;
}

/* Reads a profile to its end. Returns the last result; @lines: number of lines, or NULL. */
static int read_all(const char *bytes, size_t len, char *error, size_t size, FILE *lines)
{
	struct prof_reader *in = NULL;
	struct prof_record record;
	int r;

	assert_int_equal(prof_reader_new(made_fd(bytes, len), "x.html", &in), 0);
	while ((r = prof_reader_next(in, &record)) == 1)
		if (lines)
			fprintf(lines, "%.*s\n", (int)record.len, record.line);
	snprintf(error, size, "%s", prof_reader_error(in));
	prof_reader_free(&in);
	return r;
}

static void a_page_carries_every_line_of_the_profile_unchanged(void **state)
{
	size_t len, page_len, back_len;
	char *text = made_bytes(&hostile, &len), *page = page_of(text, len, &page_len),
	     *back = NULL;
	FILE *lines = open_memstream(&back, &back_len);
	char error[512];

	(void)state;
	assert_int_equal(read_all(page, page_len, error, sizeof(error), lines), 0);
	fclose(lines);
	assert_int_equal(back_len, len);
	assert_memory_equal(back, text, len);
	free(back);
	free(page);
	free(text);
}

/* The length of the compressed lines has each remainder of a division by three. */
static void pages_of_all_lengths_have_their_last_bytes(void **state)
{
	bool has_rest[3] = { false };

	(void)state;
	for (u32 n = 1; n < 12; n++) {
		struct made m = brief;
		size_t len, page_len;
		char *text, *page, error[512];
		const char *end;

		m.n_samples = n;
		text = made_bytes(&m, &len);
		page = page_of(text, len, &page_len);
		end = strstr(page, "\"}\n</script>");
		assert_int_equal(read_all(page, page_len, error, sizeof(error), NULL), 0);
		has_rest[(end[-1] == '=') + (end[-2] == '=')] = true;
		free(page);
		free(text);
	}
	assert_true(has_rest[0] && has_rest[1] && has_rest[2]);
}

static u32 count(const char *text, const char *part)
{
	u32 n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void names_of_the_profile_do_not_appear_in_the_page_as_text(void **state)
{
	size_t len, page_len;
	char *text = made_bytes(&hostile, &len), *page = page_of(text, len, &page_len);
	const char *record = strstr(page, RECORD);

	(void)state;
	assert_non_null(record);
	record += strlen(RECORD);
	assert_int_equal(
		strspn(record, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
		strcspn(record, "\""));
	assert_int_equal(count(page, "</script>"), 2);
	assert_int_equal(count(page, "default-src 'none'; script-src 'sha256-"), 1);
	free(page);
	free(text);
}

/* A page that is cut in its record can't be read; the rest of the page has no meaning. */
static void a_page_that_is_cut_anywhere_is_an_error(void **state)
{
	size_t len, page_len;
	char *text = made_bytes(&brief, &len), *page = page_of(text, len, &page_len), error[512];
	size_t start = (size_t)(strstr(page, RECORD) + strlen(RECORD) - page);
	size_t end = start + strcspn(page + start, "\"");

	(void)state;
	for (size_t cut = start - 100; cut <= page_len; cut++) {
		int r = read_all(page, cut, error, sizeof(error), NULL);

		assert_int_equal(r, cut <= end ? -EBADMSG : 0);
		if (cut < start)
			assert_non_null(strstr(error, "the HTML page has no record"));
		else if (cut > start + 8 && cut <= end)
			assert_non_null(strstr(error, "truncated"));
	}
	free(page);
	free(text);
}

static const struct {
	const char *page, *error;
} wrong[] = {
	{ "<!DOCTYPE html><p>no profile", "the HTML page has no record" },
	{ "\n<html><body>", "the HTML page has no record" },
	{ "<!doctype html>" RECORD "\"}", "the file has no complete line" },
	{ "<!doctype html>" RECORD "H4sI!AAA\"}", "the compressed data is corrupt" },
	{ "<!doctype html>" RECORD "H4s\"}", "the compressed data is corrupt" },
	{ "<!doctype html>" RECORD "H4==AAAA\"}", "the compressed data is corrupt" },
	{ "<!doctype html>" RECORD "=AAA\"}", "the compressed data is corrupt" },
	{ "<!doctype html>" RECORD "bm90IG91cnMK\"}", "the first line is not" },
};

static void a_page_of_others_is_refused_with_a_sentence(void **state)
{
	char error[512];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int r = read_all(wrong[i].page, strlen(wrong[i].page), error, sizeof(error), NULL);

		assert_int_equal(r, -EBADMSG);
		if (!strstr(error, wrong[i].error) && !strstr(error, "not an Unspool profile"))
			fail_msg("%s: %s", wrong[i].page, error);
	}
}

static void base64_after_its_padding_is_refused(void **state)
{
	static const char *const texts[] = { RECORD "QQ==QQ==\"", RECORD "QUI=Q\"",
					     RECORD "Q===\"" };
	u8 out[sizeof(RECORD) + 16];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct page page = { 0 };

		assert_int_equal(page_decode(&page, (const u8 *)texts[i], strlen(texts[i]), out),
				 -EBADMSG);
	}
}

/* The text before the record can begin anywhere, even after a part of itself. */
static void the_record_is_found_wherever_the_page_is_divided(void **state)
{
	static const char text[] = "<!doctype html><script " RECORD "QUJDREU=\"}\n</script>";

	(void)state;
	for (size_t part = 1; part <= sizeof(text) - 1; part++) {
		struct page page = { 0 };
		u8 out[sizeof(text)];
		size_t n = 0;

		for (size_t at = 0; at < sizeof(text) - 1; at += part) {
			size_t len = sizeof(text) - 1 - at < part ? sizeof(text) - 1 - at : part;
			ssize_t r = page_decode(&page, (const u8 *)text + at, len, out + n);

			assert_true(r >= 0);
			n += (size_t)r;
		}
		assert_int_equal(page_decode(&page, NULL, 0, out), 0);
		assert_int_equal(n, 5);
		assert_memory_equal(out, "ABCDE", 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_carries_every_line_of_the_profile_unchanged),
		cmocka_unit_test(pages_of_all_lengths_have_their_last_bytes),
		cmocka_unit_test(names_of_the_profile_do_not_appear_in_the_page_as_text),
		cmocka_unit_test(a_page_that_is_cut_anywhere_is_an_error),
		cmocka_unit_test(a_page_of_others_is_refused_with_a_sentence),
		cmocka_unit_test(base64_after_its_padding_is_refused),
		cmocka_unit_test(the_record_is_found_wherever_the_page_is_divided),
	};

	return CHECK_RUN(tests);
}
