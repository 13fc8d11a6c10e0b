/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests command lines of `unspool record`: the parsed options, printed by describe(), or the exact
 * error.
 */

#include <errno.h>
#include <string.h>

#include "../../loader/cli/record_options.h"
#include "../check.h"

#define MAX_WORDS 8
#define TEXT_LEN 512

static const struct row {
	const char *words[MAX_WORDS];
	const char *understood; /* expected output of describe(); NULL: an error */
	const char *error;
} rows[] = {
	{ { NULL }, "hz 99", NULL },
	{ { "-p", "812" }, "pid 812 hz 99", NULL },
	{ { "-p", "812,9,812" }, "pid 812 pid 9 hz 99", NULL },
	{ { "-p1", "--pid=2", "--pid", "3" }, "pid 1 pid 2 pid 3 hz 99", NULL },
	{ { "-p", "node" }, "name node hz 99", NULL },
	{ { "-p", "server.js", "-p", "7" }, "pid 7 name server.js hz 99", NULL },
	{ { "-p", "12,node" }, "name 12,node hz 99", NULL },
	{ { "-p", "-x" }, "name -x hz 99", NULL },
	{ { "-a" }, "all hz 99", NULL },
	{ { "--all", "-F", "1000" }, "all hz 1000", NULL },
	{ { "-t", "5,6", "--tid", "7" }, "tid 5 tid 6 tid 7 hz 99", NULL },
	{ { "--cgroup", "system.slice/x" }, "cgroup system.slice/x hz 99", NULL },
	{ { "--container", "0123abcd" }, "container 0123abcd hz 99", NULL },
	{ { "--freq=20000" }, "hz 20000", NULL },
	{ { "-r", "1" }, "hz 1", NULL },
	{ { "--rate", "49" }, "hz 49", NULL },
	{ { "-F1", "-F2" }, "hz 2", NULL },
	{ { "-d", "30" }, "hz 99 ns 30000000000", NULL },
	{ { "--duration=500ms" }, "hz 99 ns 500000000", NULL },
	{ { "--dur", "2m" }, "hz 99 ns 120000000000", NULL },
	{ { "-o", "a.ndjson", "-o", "b.folded" }, "hz 99 out a.ndjson out b.folded", NULL },
	{ { "-o", "-", "-f", "folded" }, "hz 99 out - format folded", NULL },
	{ { "--format=ndjson.gz", "--output=x" }, "hz 99 out x format ndjson.gz", NULL },
	{ { "--max-memory", "4M" }, "hz 99 memory 4194304", NULL },
	{ { "--max-memory=0" }, "hz 99 memory 0", NULL },
	{ { "-qg", "-a" }, "all hz 99 quiet", NULL },
	{ { "--keep-args", "-a" }, "all hz 99 args", NULL },
	{ { "-gp7" }, "pid 7 hz 99", NULL },
	{ { "--call-graph", "dwarf", "--quiet" }, "hz 99 quiet", NULL },
	{ { "node", "-p", "1", "--", "-x" }, "hz 99 command node -p 1 -- -x", NULL },
	{ { "--", "node", "--version" }, "hz 99 command node --version", NULL },
	{ { "--", "-a" }, "hz 99 command -a", NULL },
	{ { "-p", "3", "sleep", "10" }, "pid 3 hz 99 command sleep 10", NULL },
	{ { "-a", "--", "sleep", "1" }, "all hz 99 command sleep 1", NULL },
	{ { "--" }, "hz 99", NULL },
	{ { "--help", "-Z" }, "done", NULL },

	{ { "-p", "" }, NULL, "-p needs a PID or a NAME; 'unspool ps' lists both" },
	{ { "-p", "1,,2" }, NULL, "-p 1,,2: '' is not an id; give numbers from 1 to 4194304" },
	{ { "-p", "0" }, NULL, "-p 0: '0' is not an id; give numbers from 1 to 4194304" },
	{ { "-p", "4194305" },
	  NULL,
	  "-p 4194305: '4194305' is not an id; give numbers from 1 to 4194304" },
	{ { "-p", "99999999999999999999" },
	  NULL,
	  "-p 99999999999999999999: '99999999999999999999' is not an id; "
	  "give numbers from 1 to 4194304" },
	{ { "-t", "5,x" }, NULL, "-t 5,x: 'x' is not an id; give numbers from 1 to 4194304" },
	{ { "-t", "main" }, NULL, "-t main: 'main' is not an id; give numbers from 1 to 4194304" },
	{ { "-F", "0" }, NULL, "-F 0: give a number of samples per second from 1 to 20000" },
	{ { "-F", "-5" }, NULL, "-F -5: give a number of samples per second from 1 to 20000" },
	{ { "-F", "20001" },
	  NULL,
	  "-F 20001: give a number of samples per second from 1 to 20000" },
	{ { "-F", "99Hz" }, NULL, "-F 99Hz: give a number of samples per second from 1 to 20000" },
	{ { "--rate", "" }, NULL, "-F : give a number of samples per second from 1 to 20000" },
	{ { "-d", "soon" }, NULL, "-d soon: not a time; write 30, 30s, 500ms, 2m or 1h" },
	{ { "-d", "0" }, NULL, "-d 0: give a time from 1ms to 365 days" },
	{ { "--max-memory", "2G" }, NULL, "--max-memory 2G: give at most 1G" },
	{ { "--max-memory", "some" },
	  NULL,
	  "--max-memory some: not an amount; write 16M, 512k or 1G" },
	{ { "-o", "" }, NULL, "-o needs the name of a file, or - for stdout" },
	{ { "-o", "x", "-o", "x" }, NULL, "-o x is given twice; drop one" },
	{ { "-o", "-" }, NULL, "-o - needs a format: -f ndjson or -f folded" },
	{ { "-p", "1", "-a" }, NULL, "-p and -a can't be combined; choose one" },
	{ { "-t", "1", "--container", "01234567" },
	  NULL,
	  "-t and --container can't be combined; choose one" },
	{ { "--container", "web" },
	  NULL,
	  "--container web: give 8 to 64 hexadecimal digits of the id (docker ps, crictl ps)" },
	{ { "--container", "0123abc" },
	  NULL,
	  "--container 0123abc: give 8 to 64 hexadecimal digits of the id (docker ps, crictl ps)" },
	{ { "--container", "../../../x" },
	  NULL,
	  "--container ../../../x: give 8 to 64 hexadecimal digits of the id "
	  "(docker ps, crictl ps)" },
	{ { "--cgroup", "" }, NULL, "--cgroup needs a path, absolute or below /sys/fs/cgroup" },
	{ { "--durration", "3" }, NULL, "unknown option --durration; did you mean --duration?" },
	{ { "-a", "--bogus-thing=1" },
	  NULL,
	  "unknown option --bogus-thing; --help lists the options" },
	{ { "-Z" }, NULL, "unknown option -Z; --help lists the options" },
	{ { "-Za" }, NULL, "unknown option -Z; --help lists the options" },
	{ { "-aZq" }, NULL, "unknown option -Z; --help lists the options" },
	{ { "-a", "-Zq", "x" }, NULL, "unknown option -Z; --help lists the options" },
	{ { "-a", "-p" }, NULL, "-p needs a value: -p PID[,PID]|NAME" },
	{ { "-ar" }, NULL, "-r needs a value: -r HZ" },
	{ { "--output" }, NULL, "--output needs a value: --output FILE" },
	{ { "--rate" }, NULL, "--rate needs a value: --rate HZ" },
	{ { "--all=yes" }, NULL, "--all takes no value; drop '=yes'" },
	{ { "--c", "x" }, NULL, "--c could mean several options; write it in full" },
};

static void describe(const struct record_options *o, char *text, size_t size)
{
	FILE *f = fmemopen(text, size, "w");

	assert_non_null(f);
	for (size_t i = 0; i < o->n_pids; i++)
		fprintf(f, "pid %d ", o->pids[i]);
	for (size_t i = 0; i < o->n_names; i++)
		fprintf(f, "name %s ", o->names[i]);
	fputs(o->all ? "all " : "", f);
	for (size_t i = 0; i < o->n_tids; i++)
		fprintf(f, "tid %d ", o->tids[i]);
	if (o->cgroup)
		fprintf(f, "cgroup %s ", o->cgroup);
	if (o->container)
		fprintf(f, "container %s ", o->container);
	fprintf(f, "hz %u", o->hz);
	if (o->duration_ns)
		fprintf(f, " ns %llu", o->duration_ns);
	if (o->max_memory != RECORD_DEFAULT_MEMORY)
		fprintf(f, " memory %llu", o->max_memory);
	for (size_t i = 0; i < o->n_outputs; i++)
		fprintf(f, " out %s", o->outputs[i]);
	if (o->format)
		fprintf(f, " format %s", o->format);
	fputs(o->keep_args ? " args" : "", f);
	fputs(o->quiet ? " quiet" : "", f);
	fputs(o->command ? " command" : "", f);
	for (char **word = o->command; word && *word; word++)
		fprintf(f, " %s", *word);
	fclose(f);
}

static int parse(const char *const *words, char *text)
{
	char *argv[MAX_WORDS + 2] = { (char *)"unspool record" };
	struct record_options o;
	struct cli_parse p;
	int argc = 1, err;

	for (; argc <= MAX_WORDS && words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	err = record_options_parse(argc, argv, &o, &p);
	if (err)
		snprintf(text, TEXT_LEN, "%s", p.error);
	else if (p.done)
		strcpy(text, "done");
	else
		describe(&o, text, TEXT_LEN);
	record_options_deinit(&o);
	return err;
}

static void each_command_line_is_accepted_or_rejected_with_one_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *expected = rows[i].understood ? rows[i].understood : rows[i].error;
		char text[TEXT_LEN];
		int err = parse(rows[i].words, text);

		if (strcmp(text, expected) || err != (rows[i].understood ? 0 : -EINVAL))
			fail_msg("row %zu: got %d, '%s'; expected '%s'", i, err, text, expected);
		assert_null(strchr(text, '\n'));
	}
}

static void a_command_line_with_more_ids_than_the_limit_is_rejected(void **state)
{
	static char list[RECORD_MAX_IDS * 6 + 16];
	const char *words[MAX_WORDS] = { "-p", list };
	char text[TEXT_LEN], *end = list;

	(void)state;
	for (int i = 0; i <= RECORD_MAX_IDS; i++)
		end += sprintf(end, "%s%d", i ? "," : "", 10000 + i);
	assert_int_equal(parse(words, text), -EINVAL);
	assert_string_equal(text, "-p: more than 4096 ids; use --cgroup or -a");
}

static void a_command_line_with_a_very_long_unknown_option_is_rejected(void **state)
{
	static char word[100000];
	const char *words[MAX_WORDS] = { word };
	char text[TEXT_LEN];

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	memcpy(word, "--", 2);
	assert_int_equal(parse(words, text), -EINVAL);
	assert_non_null(strstr(text, "unknown option --xxx"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_command_line_is_accepted_or_rejected_with_one_line),
		cmocka_unit_test(a_command_line_with_more_ids_than_the_limit_is_rejected),
		cmocka_unit_test(a_command_line_with_a_very_long_unknown_option_is_rejected),
	};

	return CHECK_RUN(tests);
}
