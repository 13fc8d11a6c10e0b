/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the lines, the keys and the options of `unspool top`. */

#include "../check.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../loader/report/cell.h"
#include "../../loader/report/report.h"
#include "../../loader/top/keys.h"
#include "../../loader/top/options.h"
#include "../../loader/top/screen.h"
#include "../profile/made.h"

static const char two_processes[] =
	"{\"type\":\"header\",\"schema\":1,\"hz\":100}\n"
	"{\"type\":\"process\",\"pid\":7,\"name\":\"evil\\u001b[31m\\u202e.js\",\"runtime\":\"Node."
	"js "
	"24.1.0\"}\n"
	"{\"type\":\"process\",\"pid\":8,\"name\":\"other.js\"}\n"
	"{\"type\":\"frame\",\"id\":1,\"kind\":\"js\",\"name\":\"render\\u001b[2J\",\"file\":"
	"\"/srv/app/view.js\",\"start_line\":88}\n"
	"{\"type\":\"frame\",\"id\":2,\"kind\":\"js\",\"name\":\"aardvark\",\"file\":\"/srv/"
	"b.js\"}\n"
	"{\"type\":\"stack\",\"id\":1,\"frames\":[1,2],\"status\":\"complete\"}\n"
	"{\"type\":\"stack\",\"id\":2,\"frames\":[2],\"status\":\"failed\",\"reason\":\"fault\"}\n"
	"{\"type\":\"samples\",\"pid\":7,\"tid\":7,\"stack\":1,\"count\":3,\"t\":[5,6,7]}\n"
	"{\"type\":\"samples\",\"pid\":8,\"tid\":8,\"stack\":2,\"count\":1,\"t\":[8],"
	"\"labels\":{\"activity\":\"gc\"}}\n";

static struct prof_data *data_of(const char *text)
{
	struct prof_reader *in = NULL;
	struct prof_data *d = NULL;

	assert_int_equal(prof_reader_new(made_fd(text, strlen(text)), "in", &in), 0);
	if (data_read(in, &d))
		fail_msg("%s", prof_reader_error(in));
	prof_reader_free(&in);
	d->summary.duration_ns = 10000000000;
	return d;
}

/* Makes a page and returns its lines as one text, which the caller frees. */
static char *page_of(const char *text, const struct top_choice *choice, u32 width, u32 height)
{
	struct prof_data *d = data_of(text);
	struct top_page page = { 0 };
	size_t len = 1;
	char *all;

	assert_int_equal(top_page_make(&page, d, "all", choice, width, height, "FOOT"), 0);
	assert_true(page.n <= height);
	for (u32 i = 0; i < page.n; i++)
		len += strlen(page.v[i].text) + 1;
	all = calloc(1, len);
	for (u32 i = 0; i < page.n; i++) {
		assert_true(cell_width(page.v[i].text) <= width);
		strcat(strcat(all, page.v[i].text), "\n");
	}
	top_page_deinit(&page);
	data_free(&d);
	return all;
}

static void shows(const struct top_choice *choice, u32 height, const char *expected)
{
	char *text = page_of(two_processes, choice, 60, height);

	assert_string_equal(text, expected);
	free(text);
}

static void a_page_has_the_head_the_processes_the_functions_and_the_foot(void **state)
{
	(void)state;
	shows(&(struct top_choice){ 0 }, 16,
	      "all  (2 processes)  last 10 s  4 samples  0.00 CPUs\n"
	      "JS 75.0 %  GC 25.0 %\n"
	      "   self   total  process               where\n"
	      "  75.0 %  75.0 %  …il\\x1b[31m\\u202e.js  …d 7, Node.js 24.1.0\n"
	      "  25.0 %  25.0 %  other.js              pid 8\n"
	      "   self   total  function       where\n"
	      "  75.0 %  75.0 %  render\\x1b[2J  /srv/app/view.js:88\n"
	      "  25.0 % 100.0 %  aardvark       /srv/b.js\n"
	      "\n\n\n\n\n\n"
	      "complete 75.0 %  truncated 0.0 %  failed 25.0 %  lost 0\n"
	      "FOOT\n");
}

static void rows_are_sorted_and_filtered_as_the_user_chose(void **state)
{
	static const struct {
		struct top_choice choice;
		const char *first, *absent; /* the first row, and a text that is not on the page */
	} rows[] = {
		{ { .order = TOP_BY_TOTAL }, "  25.0 % 100.0 %  aardvark", "~" },
		{ { .order = TOP_BY_NAME }, "  25.0 % 100.0 %  aardvark", "~" },
		{ { .filter = "AARD" }, "  25.0 % 100.0 %  aardvark", "render" },
		{ { .filter = "view.js" }, "  75.0 %  75.0 %  render", "aardvark" },
		{ { .filter = "nothing" }, "\n", "aardvark" },
		{ { .skip = 1 }, "  25.0 % 100.0 %  aardvark", "render" },
		{ { .skip = 99 }, "  25.0 % 100.0 %  aardvark", "render" },
		{ { .rows = 1 }, "  75.0 %  75.0 %  render", "aardvark" },
		{ { .table = TOP_PROCESSES }, "  75.0 %  75.0 %  evil", "render" },
		{ { .table = TOP_THREADS }, "  75.0 %  75.0 %  main thread", "render" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = page_of(two_processes, &rows[i].choice, 200, 30);
		char *table = strstr(text, "total  "), *last = table;

		while (last && (table = last) && (last = strstr(table + 1, "total  ")))
			;
		table = table ? strchr(table, '\n') + 1 : NULL;
		if (!table || strncmp(table, rows[i].first, strlen(rows[i].first)) != 0 ||
		    strstr(table, rows[i].absent))
			fail_msg("row %zu:\n%s", i, text);
		free(text);
	}
}

static void every_size_has_a_page_without_control_characters(void **state)
{
	(void)state;
	for (u32 width = 1; width < 100; width++) {
		for (u32 height = 5; height < 30; height += 3) {
			char *text =
				page_of(two_processes, &(struct top_choice){ 0 }, width, height);

			for (const char *c = text; *c; c++)
				assert_true(*c == '\n' || (unsigned char)*c >= ' ');
			assert_null(strstr(text, "\u202e"));
			free(text);
		}
	}
}

static void a_window_without_samples_has_a_page(void **state)
{
	char *text = page_of("{\"type\":\"header\",\"schema\":1,\"hz\":100}\n",
			     &(struct top_choice){ 0 }, 80, 24);

	(void)state;
	assert_non_null(strstr(text, "no sample"));
	assert_non_null(strstr(text, "lost 0"));
	free(text);
}

static void keys_change_the_choices(void **state)
{
	struct top_keys k = { 0 };
	char foot[TOP_KEYS_FOOT_LEN];

	(void)state;
	assert_int_equal(top_keys_press(&k, 'q', 5), TOP_QUIT);
	assert_int_equal(top_keys_press(&k, 's', 5), TOP_SAVE);
	for (u32 i = 0; i < 7; i++)
		assert_int_equal(top_keys_press(&k, SCREEN_DOWN, 5), TOP_CONTINUE);
	assert_int_equal(k.choice.skip, 4);
	top_keys_press(&k, SCREEN_UP, 5);
	assert_int_equal(k.choice.skip, 3);
	top_keys_press(&k, SCREEN_PAGE_UP, 5);
	assert_int_equal(k.choice.skip, 0);
	top_keys_press(&k, 't', 5);
	assert_int_equal(k.choice.table, TOP_THREADS);
	for (u32 i = 0; i < 5; i++) {
		assert_int_equal(k.choice.order, i % TOP_N_ORDERS);
		top_keys_foot(&k, foot);
		assert_true(strlen(foot) <= TOP_MIN_WIDTH);
		top_keys_press(&k, 'o', 5);
	}
	top_keys_press(&k, ' ', 5);
	assert_true(k.is_frozen);
	top_keys_foot(&k, foot);
	assert_non_null(strstr(foot, "FROZEN"));
	assert_true(strlen(foot) <= TOP_MIN_WIDTH);
	top_keys_press(&k, ' ', 5);
	assert_false(k.is_frozen);
}

static void typed_keys_are_the_filter(void **state)
{
	struct top_keys k = { 0 };

	(void)state;
	top_keys_press(&k, '/', 5);
	for (const char *c = "qsx"; *c; c++)
		assert_int_equal(top_keys_press(&k, *c, 5), TOP_CONTINUE);
	top_keys_press(&k, SCREEN_BACKSPACE, 5);
	assert_string_equal(k.choice.filter, "qs");
	top_keys_press(&k, SCREEN_ENTER, 5);
	assert_int_equal(top_keys_press(&k, 'q', 5), TOP_QUIT);
	assert_string_equal(k.choice.filter, "qs");
	top_keys_press(&k, '/', 5);
	for (u32 i = 0; i < 2 * TOP_FILTER_LEN; i++)
		top_keys_press(&k, 'x', 5);
	assert_int_equal(strlen(k.choice.filter), TOP_FILTER_LEN - 1);
	top_keys_press(&k, SCREEN_ESCAPE, 5);
	assert_string_equal(k.choice.filter, "");
	assert_int_equal(top_keys_press(&k, 'q', 5), TOP_QUIT);
}

static int parse(const char *const *words, struct top_options *o, struct cli_parse *p)
{
	char *argv[8] = { (char *)"unspool top" };
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	return top_options_parse(argc, argv, o, p);
}

static void options_select_targets_and_the_table(void **state)
{
	static const struct {
		const char *words[6];
		bool all;
		struct top_choice choice;
		const char *error;
	} rows[] = {
		{ { NULL }, true, { 0 }, NULL },
		{ { "-p", "7" }, false, { 0 }, NULL },
		{ { "node", "app.js", "--sort" }, false, { 0 }, NULL },
		{ { "--sort", "total", "--table=threads" },
		  true,
		  { .order = TOP_BY_TOTAL, .table = TOP_THREADS },
		  NULL },
		{ { "--filter", "x", "--top", "3", "-a" },
		  true,
		  { .filter = "x", .rows = 3 },
		  NULL },
		{ { "--sort", "size" },
		  false,
		  { 0 },
		  "--sort: 'size' is unknown; use self, total or name" },
		{ { "--interval", "x" },
		  false,
		  { 0 },
		  "--interval: 'x' is not a time; write 10, 2s or 1m" },
		{ { "--top", "0" }, false, { 0 }, "--top: '0' is no number from 1 to 1000000" },
		{ { "--max-profile", "x" },
		  false,
		  { 0 },
		  "--max-profile x: give an amount up to 1G, such as 64M" },
		{ { "-o", "x.ndjson" },
		  false,
		  { 0 },
		  "unknown option -o; --help lists the options" },
		{ { "-a", "-p", "3" }, false, { 0 }, "-p and -a can't be combined; choose one" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct top_options o;
		struct cli_parse p = { 0 };
		int err = parse(rows[i].words, &o, &p);

		if ((err != 0) != (rows[i].error != NULL) ||
		    (err && strcmp(p.error, rows[i].error) != 0))
			fail_msg("row %zu: '%s'", i, p.error);
		if (!err) {
			assert_int_equal(o.record.all, rows[i].all);
			assert_int_equal(o.record.hz, RECORD_DEFAULT_HZ);
			assert_memory_equal(&o.choice, &rows[i].choice, sizeof(o.choice));
		}
		record_options_deinit(&o.record);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_has_the_head_the_processes_the_functions_and_the_foot),
		cmocka_unit_test(rows_are_sorted_and_filtered_as_the_user_chose),
		cmocka_unit_test(every_size_has_a_page_without_control_characters),
		cmocka_unit_test(a_window_without_samples_has_a_page),
		cmocka_unit_test(keys_change_the_choices),
		cmocka_unit_test(typed_keys_are_the_filter),
		cmocka_unit_test(options_select_targets_and_the_table),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return CHECK_RUN(tests);
}
