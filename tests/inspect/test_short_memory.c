/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests of output when allocations fail. Each allocation of a job is made to fail in turn, by the
 * linker's --wrap. The output must be complete, or there must be no output and an error.
 */

#include "../../inspect/util/json_memory.h"
#include "../../inspect/util/text_stream.h"
#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MANY 100000 /* more allocations than any job makes */

static int left = -1; /* number of allocations before one fails; negative: none fails */

void *__real_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);

void *__wrap_malloc(size_t size)
{
	return left >= 0 && !left-- ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return left >= 0 && !left-- ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return left >= 0 && !left-- ? NULL : __real_reallocarray(p, n, size);
}

/* Returns @n lines as text, or NULL. */
static char *write_lines(int n)
{
	struct text_stream s;
	FILE *f = text_stream_open(&s);
	char *text = NULL;
	size_t len = 0;

	if (!f)
		return NULL;
	for (int i = 0; i < n; i++)
		fprintf(f, "line %d\n", i);
	if (text_stream_close(&s, f, &text, &len))
		return NULL;
	assert_int_equal(strlen(text), len);
	return text;
}

/* Parses a JSON text and prints the value. The result must be equal to @text, or NULL. */
static char *parse_and_write(const char *text)
{
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	char *again = json_memory_failed() ? NULL : json_memory_dumps(json, JSON_COMPACT);

	json_decref(json);
	return again;
}

static char *write_many(void)
{
	return write_lines(10000);
}

static char *write_nothing(void)
{
	return write_lines(0);
}

static char *repeat_json(void)
{
	return parse_and_write("{\"name\":\"a string that is no short one, \\u00e4\",\"list\":"
			       "[1,2,3,{\"deep\":[\"x\",\"y\",\"z\"]}],\"none\":null}");
}

/* Fails each allocation in turn. Return: the number of allocations. */
static int fail_each(char *(*job)(void))
{
	char *whole = job();
	int n = 0;

	assert_non_null(whole);
	for (;; n++) {
		char *text;
		bool has_failed;

		assert_true(n < MANY);
		left = n;
		text = job();
		has_failed = left < 0;
		left = -1;
		if (has_failed)
			assert_null(text);
		else
			assert_string_equal(text, whole);
		free(text);
		if (!has_failed)
			break;
	}
	free(whole);
	return n;
}

static void stream_returns_no_text_if_an_allocation_fails(void **state)
{
	(void)state;
	assert_true(fail_each(write_many) >= 2); /* the buffer grows */
	assert_int_equal(fail_each(write_nothing), 1);
}

static void json_function_returns_no_value_if_an_allocation_fails(void **state)
{
	(void)state;
	assert_true(fail_each(repeat_json) > 20);
}

static void writing_a_json_line_fails_if_its_text_was_not_allocated(void **state)
{
	(void)state;
	assert_int_equal(json_memory_line(NULL, 0, stdout), -ENOMEM);
}

static void failed_write_is_reported_on_flush(void **state)
{
	FILE *full = fopen("/dev/full", "w"), *null = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(full);
	assert_non_null(null);
	fputs("text", full);
	fputs("text", null);
	assert_int_equal(text_stream_flush(full), -ENOSPC);
	assert_int_equal(text_stream_flush(full), -EIO); /* nothing is left to write */
	assert_int_equal(text_stream_flush(null), 0);
	fclose(full);
	fclose(null);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stream_returns_no_text_if_an_allocation_fails),
		cmocka_unit_test(json_function_returns_no_value_if_an_allocation_fails),
		cmocka_unit_test(writing_a_json_line_fails_if_its_text_was_not_allocated),
		cmocka_unit_test(failed_write_is_reported_on_flush),
	};

	return CHECK_RUN(tests);
}
