// SPDX-License-Identifier: BSD-2-Clause

/* Tests the command line of `unspool capture`, and the address of --at in a process. */

#include <string.h>
#include <unistd.h>

#include "../../core/uw_status.h"
#include "../../loader/capture/options.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_WORDS 6

/* Parses a command line; returns the exit status, or -1 if it is valid. */
static int parse(const char *const *words, struct capture_options *o)
{
	char *argv[MAX_WORDS + 2] = { "unspool capture" };
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	return capture_options_parse(argc, argv, o);
}

static void invalid_option_values_and_combinations_are_rejected(void **state)
{
	static const char *const rows[][MAX_WORDS + 1] = {
		{ NULL },
		{ "-p", "1", "-p", "2" },
		{ "-p", "1", "-p", "node" },
		{ "-p", "", "-p", "1" },
		{ "-p", "0" },
		{ "-p", "4194305" },
		{ "-p", "1", "-n", "0" },
		{ "-p", "1", "-n", "100001" },
		{ "-p", "1", "-n", "1x" },
		{ "-p", "1", "-n", "-1" },
		{ "-p", "1", "-o", "a.txt" },
		{ "-p", "1", "-o", ".core" },
		{ "-p", "1", "--on", "no reason" },
		{ "-p", "1", "--match", "(" },
		{ "-p", "1", "--match", "a", "--match", "b" },
		{ "-p", "1", "--at", "" },
		{ "-p", "1", "--at", "0x1,0x2,0x3,0x4,0x5" },
		{ "-p", "1", "--at", "0x8000000000000000" },
		{ "-p", "1", "--at", "0x12z" },
		{ "-p", "1", "--at", "f+" },
		{ "-p", "1", "--at", "+4" },
		{ "-p", "1", "-d", "soon" },
		{ "-p", "1", "-F", "0" },
	};
	struct capture_options o;

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(parse(rows[i], &o), CLI_USAGE);
		capture_options_deinit(&o);
	}
}

static void valid_options_are_accepted(void **state)
{
	static const char *const words[] = { "-p",	"4194304", "-n", "100000",
					     "--match", "^a|b$",   NULL };
	struct capture_options o;

	(void)state;
	assert_int_equal(parse(words, &o), -1);
	assert_int_equal(o.target.n_pids, 1);
	assert_int_equal(o.target.pids[0], 4194304);
	assert_int_equal(o.n, 100000);
	assert_int_equal(regexec(&o.regex, "xb", 0, NULL, 0), 0);
	assert_int_equal(regexec(&o.regex, "xbx", 0, NULL, 0), REG_NOMATCH);
	assert_true(o.stacks == ~0ull && !o.frames);
	capture_options_deinit(&o);
	assert_int_equal(parse((const char *[]){ "-p", "node", "-o", "x.core.zst", NULL }, &o), -1);
	assert_string_equal(o.target.names[0], "node");
	assert_int_equal(o.n, 1);
	capture_options_deinit(&o);
}

static void option_on_accepts_the_reasons_of_stacks_and_of_frames(void **state)
{
	static const struct {
		const char *on;
		u64 stacks, frames;
	} rows[] = {
		{ "any", ~0ull, 0 },
		{ "no frame pointer", 1ull << UW_T_NO_FP, 0 },
		{ "no-frame-pointer", 1ull << UW_T_NO_FP, 0 },
		{ "no-frame pointer", 1ull << UW_T_NO_FP, 0 },
		{ "no unwind row", 1ull << UW_T_NO_ROW, 0 },
		{ "no method at pc", ~0ull, 1ull << UW_F_NO_METHOD },
		{ "no method here", ~0ull, 1ull << UW_F_NO_METHOD },
		{ "caller's-frame-below-stack-pointer", 1ull << UW_E_CFA, 0 },
	};
	static const u64 truncated = 1ull << UW_T_NO_FP | 1ull << UW_T_NO_ROW;
	struct capture_options o;

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		const char *words[] = { "-p", "1", "--on", rows[i].on, NULL };

		assert_int_equal(parse(words, &o), -1);
		assert_true(o.stacks == rows[i].stacks && o.frames == rows[i].frames);
		capture_options_deinit(&o);
	}
	assert_int_equal(parse((const char *[]){ "-p", "1", "--on", "truncated", NULL }, &o), -1);
	assert_true((o.stacks & truncated) == truncated && !(o.stacks & (1ull << UW_OK)));
	assert_false(o.stacks >> UW_F_NO_METHOD & 1);
	capture_options_deinit(&o);
}

static void option_at_accepts_addresses_and_symbols(void **state)
{
	static const char *const words[] = { "-p", "1", "--at", "0x7f12,f,g+4,h+0x10", NULL };
	struct capture_options o;

	(void)state;
	assert_int_equal(parse(words, &o), -1);
	assert_int_equal(o.at.n, 4);
	assert_null(o.at.v[0].symbol);
	assert_int_equal(o.at.v[0].off, 0x7f12);
	assert_string_equal(o.at.v[1].symbol, "f");
	assert_int_equal(o.at.v[1].off, 0);
	assert_string_equal(o.at.v[2].symbol, "g");
	assert_int_equal(o.at.v[2].off, 4);
	assert_int_equal(o.at.v[3].off, 0x10);
	capture_options_deinit(&o);
}

int a_variable_of_this_file = 1;

__attribute__((noinline)) void a_function_to_stop_at(void)
{
	__asm__ volatile("");
}

static void option_at_converts_a_symbol_to_the_address_at_which_it_is_mapped(void **state)
{
	static const struct {
		const char *symbol;
		u64 off;
		int status;
	} rows[] = {
		{ "a_function_to_stop_at", 0, CLI_OK },
		{ "a_function_to_stop_at", 1, CLI_OK },
		{ "a_function_that_is_not_there", 0, CLI_USAGE },
		{ "a_function_to_stop_at", 1ull << 40, CLI_USAGE },
		{ "a_variable_of_this_file", 0, CLI_USAGE }, /* not executable */
	};

	(void)state;
	a_function_to_stop_at();
	for (size_t i = 0; i < N(rows); i++) {
		struct capture_at at = { .v = { { (char *)rows[i].symbol, rows[i].off } }, .n = 1 };
		u64 addrs[SAMPLER_MAX_AT];
		u32 n = 99;

		assert_int_equal(capture_at_resolve(&at, (u32)getpid(), addrs, &n), rows[i].status);
		if (rows[i].status)
			continue;
		assert_int_equal(n, 1);
		assert_int_equal(addrs[0], (u64)(uintptr_t)a_function_to_stop_at + rows[i].off);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(invalid_option_values_and_combinations_are_rejected),
		cmocka_unit_test(valid_options_are_accepted),
		cmocka_unit_test(option_on_accepts_the_reasons_of_stacks_and_of_frames),
		cmocka_unit_test(option_at_accepts_addresses_and_symbols),
		cmocka_unit_test(option_at_converts_a_symbol_to_the_address_at_which_it_is_mapped),
	};

	return CHECK_RUN(tests);
}
