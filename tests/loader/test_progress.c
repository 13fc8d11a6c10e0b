// SPDX-License-Identifier: BSD-2-Clause

/* Tests that the progress line fits every terminal and keeps what matters most. */

#include <stdlib.h>
#include <string.h>

#include "../../loader/record/progress.h"
#include "../../loader/report/cell.h"
#include "../check.h"

static const struct progress server = { .name = "server.js",
					.runtime = "node 24.21.0",
					.elapsed_ns = 12000000000,
					.samples = 1188,
					.complete = 1181 };

/* The printed line, without the control sequences at its ends. */
static char *line_of(const struct progress *p, u32 width)
{
	char *text = NULL, *end;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	progress_print(f, p, width);
	fclose(f);
	assert_int_equal(text[0], '\r');
	end = strstr(text, "\033[K");
	assert_non_null(end);
	assert_int_equal(end[3], '\0');
	*end = '\0';
	return text;
}

static void progress_line_is_printed_completely_in_a_wide_terminal(void **state)
{
	char *text = line_of(&server, ~0u);

	(void)state;
	assert_string_equal(text + 1,
			    "server.js (node 24.21.0) 00:12 1,188 samples  99.4 % complete"
			    "  0 lost  Ctrl-C to finish");
	free(text);
}

static void progress_line_in_60_columns_has_only_the_name_samples_and_complete_share(void **state)
{
	char *text = line_of(&server, 60);

	(void)state;
	assert_string_equal(text + 1, "server.js 00:12 1,188 samples  99.4 % complete  0 lost");
	free(text);
}

static void progress_line_fits_any_terminal_width(void **state)
{
	struct progress p = server;

	(void)state;
	p.name = "\xe6\x97\xa5\xe6\x9c\xac-a-very-long-name-of-a-script\x1b[2J.js";
	for (u32 width = 1; width < 200; width++) {
		char *text = line_of(&p, width);

		assert_true(cell_width(text + 1) < width || width == 1);
		assert_null(strchr(text, '\x1b'));
		free(text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress_line_is_printed_completely_in_a_wide_terminal),
		cmocka_unit_test(
			progress_line_in_60_columns_has_only_the_name_samples_and_complete_share),
		cmocka_unit_test(progress_line_fits_any_terminal_width),
	};

	return CHECK_RUN(tests);
}
