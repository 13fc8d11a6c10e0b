// SPDX-License-Identifier: BSD-2-Clause

/* Tests that each invalid fixture is rejected with file, line and key. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../sim/fixture/fixture.h"
#include "../check.h"

#define MAIN "functions: [{name: main, tier: native}]\n"
#define NATIVE "runtime: native\n" MAIN
#define BY_HAND NATIVE "stack: {pc: main, fp: stack, words: [\"0\"]}\n"
#define EXPECT "expect: {status: end, pcs: [main]}\n"

static const struct row {
	const char *name, *text, *problem;
} rows[] = {
	{ "an_empty_file_is_rejected", "", ":1: the fixture is empty" },
	{ "invalid_yaml_is_rejected", "runtime: [native\n", ":1: runtime: " },
	{ "a_duplicate_key_is_rejected", "runtime: native\nruntime: native\n" MAIN,
	  "already seen: runtime" },
	{ "a_list_in_place_of_a_mapping_is_rejected", "- a\n- b\n", ":1: Expecting MAPPING" },
	{ "an_unknown_key_is_reported", "runtime: native\nfunctionz: []\n",
	  ":2: Unexpected key: functionz" },
	{ "a_missing_key_is_reported", "runtime: native\n",
	  "Missing required mapping field: functions" },
	{ "an_unknown_runtime_is_reported", "runtime: bun 1\n" MAIN, ":1: runtime: \"bun 1\"" },
	{ "an_unknown_version_is_reported", "runtime: node 19\n" MAIN, ":1: runtime: \"node 19\"" },
	{ "an_unknown_architecture_is_reported", NATIVE "archs: [mips]\n", ":3: archs: " },
	{ "an_unknown_tier_is_reported",
	  "runtime: native\nfunctions:\n  - name: m\n    tier: jit\n",
	  ":4: functions.0.tier: unknown tier \"jit\"" },
	{ "an_unknown_callee_is_reported",
	  "runtime: native\nfunctions:\n  - {name: m, tier: native,\n     calls: [absent]}\n",
	  ":4: functions.0.calls.0: unknown function \"absent\"" },
	{ "a_call_by_a_tier_that_cannot_call_is_rejected",
	  "runtime: node 22\nfunctions:\n  - {name: m, tier: native, calls: [j]}\n"
	  "  - {name: j, tier: interpreted}\n",
	  ":3: functions.0.calls.0: a function of the caller's tier can't call" },
	{ "a_tier_of_another_runtime_is_rejected",
	  "runtime: native\nfunctions:\n  - {name: m, tier: stub}\n", ":3: functions.0.tier: " },
	{ "an_endless_recursion_is_rejected",
	  "runtime: native\nfunctions:\n  - {name: m, tier: native, calls: [n]}\n"
	  "  - {name: n, tier: native, calls: [m]}\n",
	  "calls itself" },
	{ "a_second_function_with_the_same_name_is_rejected",
	  "runtime: native\nfunctions:\n  - {name: m, tier: native}\n  - {name: m, tier: native}\n",
	  ":4: functions.1.name: \"m\" is already defined" },
	{ "a_name_with_a_space_is_rejected",
	  "runtime: native\nfunctions:\n  - {name: a b, tier: native}\n",
	  ":3: functions.0.name: " },
	{ "a_text_in_place_of_a_number_is_reported",
	  "runtime: native\nfunctions:\n  - {name: m, tier: native, locals: many}\n", ":3" },
	{ "a_negative_number_is_rejected",
	  "runtime: native\nfunctions:\n  - {name: m, tier: native, locals: -1}\n", ":3" },
	{ "a_tier_of_a_newer_version_is_rejected",
	  "runtime: node 22\nfunctions:\n  - {name: m, tier: native}\n  - {name: j, tier: "
	  "maglev}\n",
	  ":4: functions.1.tier: this version has no tier \"maglev\"" },
	{ "an_argument_count_of_a_tail_call_is_rejected",
	  "runtime: node 22\nfunctions:\n  - {name: m, tier: native}\n"
	  "  - {name: j, tier: tail, calls: [k], argc: 2}\n  - {name: k, tier: baseline}\n",
	  ":4: functions.1.argc: " },
	{ "a_predefined_name_is_rejected",
	  "runtime: native\nfunctions: [{name: root, tier: native}]\n",
	  ":2: functions.0.name: \"root\" is already defined" },
	{ "a_name_in_the_form_of_a_code_position_is_rejected",
	  "runtime: native\nfunctions: [{name: m.ra0, tier: native}]\n",
	  ":2: functions.0.name: \"m.ra0\" is not a valid name" },
	{ "an_object_with_the_name_of_a_function_is_rejected", NATIVE "objects: [{name: main}]\n",
	  ":3: objects.0.name: \"main\" is already defined" },
	{ "an_object_with_the_name_of_a_code_position_is_rejected",
	  NATIVE "objects: [{name: main.body0}]\n", ":3: objects.0.name: " },
	{ "control_characters_are_not_printed_in_messages", "runtime: \"a\\e[2J\\nb\"\n" MAIN,
	  ":1: runtime: \"a?[2J?b\"" },
	{ "a_character_that_yaml_forbids_is_rejected", "runtime: na\1tive\n" MAIN, ":1: " },
	{ "invalid_utf8_is_rejected", "runtime: \xff\xfe\xfd\n" MAIN, ":1: " },
	{ "a_list_in_place_of_a_text_is_rejected", "runtime: [native]\n" MAIN,
	  ":1: runtime: Expecting STRING" },
	{ "a_text_in_place_of_a_list_is_rejected", "runtime: native\nfunctions: main\n",
	  ":2: functions: Expecting SEQUENCE" },
	{ "null_in_place_of_a_mapping_is_rejected", "runtime: native\nfunctions: [~]\n",
	  ":2: functions: Expecting MAPPING" },
	{ "a_number_that_overflows_is_rejected", NATIVE "max_insns: 99999999999999999999\n",
	  ":3: max_insns: Invalid" },
	{ "an_alias_to_itself_is_rejected", "functions: &a [*a, *a]\nruntime: native\n",
	  ":1: functions: YAML alias" },
	{ "too_many_locals_are_rejected",
	  "runtime: native\nfunctions:\n  - {name: m, tier: native, locals: 401}\n",
	  ":3: functions.0.locals: " },
	{ "a_frame_larger_than_the_code_can_have_is_rejected",
	  "runtime: node 22\nfunctions:\n  - {name: m, tier: native}\n"
	  "  - {name: j, tier: optimized, locals: 15}\n",
	  ":4: functions.1.locals: too many for a function of tier \"optimized\"" },
	{ "an_alias_is_rejected", "runtime: &a native\nabout: *a\n" MAIN, ":2: about: YAML alias" },
	{ "an_alias_bomb_is_rejected",
	  "runtime: native\nabout: x\narchs: &a [x86_64, arm64]\nobjects: &b [*a, *a, *a, *a]\n"
	  "faults: &c [*b, *b, *b, *b]\n" MAIN,
	  ":4: objects: YAML alias" },
	{ "a_stack_without_an_expectation_is_rejected", BY_HAND,
	  ":3: stack: a fixture with stack: also needs expect" },
	{ "an_expectation_without_a_stack_is_rejected", NATIVE EXPECT, ":3: expect: " },
	{ "an_unknown_status_is_reported", BY_HAND "expect: {status: fine, pcs: [main]}\n",
	  ":4: expect.status: unknown status \"fine\"" },
	{ "fewer_reasons_than_frames_are_rejected",
	  BY_HAND "expect: {status: end, pcs: [main, root.ra0], reasons: [ok]}\n",
	  ":4: expect.reasons: the list must have as many items as pcs, or none" },
	{ "an_unknown_reason_is_reported",
	  BY_HAND "expect: {status: end, pcs: [main], reasons: [great]}\n",
	  ":4: expect.reasons.0: unknown status \"great\"" },
	{ "a_value_with_an_undefined_name_is_reported",
	  BY_HAND "expect: {status: end, pcs: [mainly]}\n",
	  ":4: expect.pcs.0: \"mainly\" is not defined" },
	{ "an_invalid_value_is_reported", BY_HAND "expect: {status: end, pcs: [main*2]}\n",
	  ":4: expect.pcs.0: \"main*2\" is not a valid value" },
	{ "a_fault_outside_of_memory_is_rejected",
	  BY_HAND EXPECT "faults:\n  - {at: \"0x1000\", make: absent}\n", ":6: faults.0.at: " },
	{ "a_fault_of_too_many_pages_is_rejected",
	  BY_HAND EXPECT "faults:\n  - {at: stack, make: absent, pages: 4294967295}\n",
	  ":6: faults.0.at: " },
	{ "a_fault_with_both_word_and_make_is_rejected",
	  BY_HAND EXPECT "faults:\n  - {at: stack, make: absent, word: \"1\"}\n", "either word:" },
	{ "an_unknown_fault_is_reported", BY_HAND EXPECT "faults:\n  - {at: stack, make: gone}\n",
	  ":6" },
	{ "a_word_beyond_the_end_of_its_object_is_rejected",
	  NATIVE "objects: [{name: o, len: 16, words: [{off: 9, word: \"1\"}]}]\n",
	  ":3: objects.0.words.0: offset beyond" },
	{ "a_huge_object_is_rejected", NATIVE "objects: [{name: o, len: 5000}]\n",
	  ":3: objects.0.len: " },
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Parses a fixture. Return: 0 if the text gives cases for both architectures. */
static int try_text(const char *text, size_t len, struct sim_problem *problem)
{
	char path[] = "/tmp/fixture-XXXXXX";
	int fd = mkstemp(path), err;
	struct doc_file *file = NULL;
	struct sim_case c;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	problem->text[0] = '\0';
	err = doc_file_open(path, problem, &file);
	for (u32 a = 0; a < 2 && !err; a++) {
		err = sim_fixture_realise(file, a ? &sim_arch_arm64 : &sim_arch_x86_64, problem,
					  &c);
		if (!err)
			sim_fixture_deinit(&c);
	}
	doc_file_free(&file);
	unlink(path);
	if (err && strncmp(problem->text, path, strlen(path)))
		fail_msg("no file in \"%s\"", problem->text);
	assert_null(strchr(problem->text, '\n'));
	return err;
}

static void run_row(void **state)
{
	const struct row *row = *state;
	struct sim_problem problem;

	assert_true(try_text(row->text, strlen(row->text), &problem) < 0);
	if (!strstr(problem.text, row->problem))
		fail_msg("got the error \"%s\", expected \"%s\"", problem.text, row->problem);
}

/* Without the invalid part, the text of each row is valid. */
static void a_valid_fixture_text_is_accepted(void **state)
{
	struct sim_problem problem;

	(void)state;
	assert_int_equal(try_text(NATIVE, strlen(NATIVE), &problem), 0);
	assert_int_equal(try_text(BY_HAND EXPECT, strlen(BY_HAND EXPECT), &problem), 0);
}

static char *example;
static size_t example_len;

static void a_truncated_fixture_never_crashes_the_parser(void **state)
{
	struct sim_problem problem;
	u32 n_refused = 0;

	(void)state;
	for (size_t len = 0; len < example_len; len++)
		n_refused += try_text(example, len, &problem) != 0;
	assert_true(n_refused > example_len / 2);
	assert_true(n_refused < example_len); /* a file cut after a complete function is valid */
}

static void a_fixture_with_a_changed_byte_never_crashes_the_parser(void **state)
{
	struct sim_problem problem;
	u32 n_refused = 0;

	(void)state;
	for (size_t i = 0; i < example_len; i += 5) {
		example[i] ^= 0x41;
		n_refused += try_text(example, example_len, &problem) != 0;
		example[i] ^= 0x41;
	}
	assert_true(n_refused > 50);
}

/* Nests @open deeply after @start. @open: "[" or "{a: ". */
static void try_nesting(const char *start, const char *open)
{
	size_t len = strlen(start), step = strlen(open);
	struct sim_problem problem;
	char *text = malloc(DOC_MAX_LEN);

	assert_non_null(text);
	memcpy(text, start, len);
	for (; len + step < DOC_MAX_LEN; len += step)
		memcpy(text + len, open, step);
	assert_true(try_text(text, len, &problem) < 0);
	free(text);
}

static void a_fixture_that_is_nested_too_deeply_is_rejected(void **state)
{
	(void)state;
	try_nesting("", "[");
	try_nesting("about: ", "[");
	try_nesting(NATIVE "stack: ", "{pc: ");
	try_nesting(NATIVE "objects:", "\n- ");
}

/* Each list contains the previous list nine times. */
static void a_fixture_with_nested_aliases_is_rejected(void **state)
{
	char text[4096];
	int len = snprintf(text, sizeof(text), "runtime: native\nobjects: &a0 [x, x, x]\n");
	struct sim_problem problem;

	(void)state;
	for (int i = 1; i < 20; i++) {
		len += snprintf(text + len, sizeof(text) - (size_t)len, "k%d: &a%d [", i, i);
		for (int n = 0; n < 9; n++)
			len += snprintf(text + len, sizeof(text) - (size_t)len, "*a%d, ", i - 1);
		len += snprintf(text + len, sizeof(text) - (size_t)len, "]\n");
	}
	assert_true(try_text(text, (size_t)len, &problem) < 0);
}

static void a_fixture_file_above_the_size_limit_is_rejected(void **state)
{
	size_t len = DOC_MAX_LEN + 1;
	char *text = malloc(len);
	struct sim_problem problem;

	(void)state;
	memset(text, ' ', len);
	assert_true(try_text(text, len, &problem) < 0);
	assert_non_null(strstr(problem.text, "more than 256 KiB"));
	free(text);
}

static void a_fixture_that_is_not_a_regular_file_is_rejected(void **state)
{
	struct sim_problem problem = { "" };
	struct doc_file *file = NULL;

	(void)state;
	assert_true(doc_file_open("/dev/zero", &problem, &file) < 0);
	assert_non_null(strstr(problem.text, "not a regular file"));
	assert_true(doc_file_open("/nowhere.yaml", &problem, &file) < 0);
	assert_non_null(strstr(problem.text, "/nowhere.yaml: "));
}

static struct CMUnitTest tests[N_ROWS + 8] = {
	cmocka_unit_test(a_valid_fixture_text_is_accepted),
	cmocka_unit_test(a_truncated_fixture_never_crashes_the_parser),
	cmocka_unit_test(a_fixture_with_a_changed_byte_never_crashes_the_parser),
	cmocka_unit_test(a_fixture_that_is_nested_too_deeply_is_rejected),
	cmocka_unit_test(a_fixture_with_nested_aliases_is_rejected),
	cmocka_unit_test(a_fixture_file_above_the_size_limit_is_rejected),
	cmocka_unit_test(a_fixture_that_is_not_a_regular_file_is_rejected),
};

int main(int argc, char **argv)
{
	struct sim_problem problem;
	struct doc_file *file;
	size_t n = 7;
	int status;

	if (argc != 2 || doc_file_open(argv[1], &problem, &file))
		return 2;
	example = file->text;
	example_len = file->len;
	for (size_t i = 0; i < N_ROWS; i++)
		tests[n++] = (struct CMUnitTest){ .name = rows[i].name,
						  .test_func = run_row,
						  .initial_state = (void *)&rows[i] };
	status = check_run("fixture errors", tests, n);
	doc_file_free(&file);
	return status;
}
