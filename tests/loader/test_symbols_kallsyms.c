/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests kernel symbols read from files made here, and compares the symbols of the running
 * kernel with those that awk(1) extracts from /proc/kallsyms.
 */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../loader/symbols/kallsyms.h"

static char path[] = "/tmp/kallsyms-XXXXXX";

static struct kallsyms *from_text(const char *text)
{
	struct kallsyms *k = NULL;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(kallsyms_new(&k, path), 0);
	return k;
}

static void assert_name(struct kallsyms *k, u64 addr, const char *want, u64 want_off)
{
	char name[KALLSYMS_MAX_NAME];
	u64 off = 0;

	if (!want) {
		assert_int_equal(kallsyms_lookup(k, addr, name, sizeof(name), &off), -ENOENT);
		return;
	}
	assert_int_equal(kallsyms_lookup(k, addr, name, sizeof(name), &off), 0);
	assert_string_equal(name, want);
	assert_int_equal(off, want_off);
}

static void a_kallsyms_line_is_parsed_into_address_type_name_and_module(void **state)
{
	static const struct {
		const char *line;
		int err;
		u64 addr;
		char type;
		const char *name;
	} rows[] = {
		{ "ffffffff81000010 T do_it", 0, 0xffffffff81000010, 'T', "do_it" },
		{ "ffffffffc0201000 t hook\t[nf_tables]", 0, 0xffffffffc0201000, 't',
		  "hook [nf_tables]" },
		{ "0000000000000000 A fixed_percpu_data", 0, 0, 'A', "fixed_percpu_data" },
		{ "ffff800080000000 t a.llvm.123", 0, 0xffff800080000000, 't', "a.llvm.123" },
		{ "ffffffff81000010 T ", -EBADMSG, 0, 0, NULL },
		{ "ffffffff81000010 T \t[m]", -EBADMSG, 0, 0, NULL },
		{ "ffffffff81000010  do_it", -EBADMSG, 0, 0, NULL },
		{ "fffffffff81000010 T do_it", -EBADMSG, 0, 0, NULL },
		{ "T do_it", -EBADMSG, 0, 0, NULL },
		{ "", -EBADMSG, 0, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kallsyms_line l;

		assert_int_equal(parse_kallsyms_line(rows[i].line, strlen(rows[i].line), &l),
				 rows[i].err);
		if (rows[i].err)
			continue;
		assert_int_equal(l.addr, rows[i].addr);
		assert_int_equal(l.type, rows[i].type);
		assert_string_equal(l.name, rows[i].name);
	}
}

static void truncated_and_overlong_kallsyms_lines_are_read_within_bounds(void **state)
{
	const char *line = "ffffffffc0201000 t hook\t[nf_tables]";
	char longest[2 * KALLSYMS_MAX_NAME];
	struct kallsyms_line l;

	(void)state;
	for (size_t len = 0; len <= strlen(line); len++) {
		char *cut = malloc(len + 1);

		memcpy(cut, line, len);
		assert_int_equal(parse_kallsyms_line(cut, len, &l), len < 20 ? -EBADMSG : 0);
		free(cut);
	}
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "ffffffff81000010 T ", 19);
	assert_int_equal(parse_kallsyms_line(longest, sizeof(longest), &l), -EBADMSG);
	assert_int_equal(parse_kallsyms_line(longest, 19 + KALLSYMS_MAX_NAME - 2, &l), 0);
	assert_int_equal(strlen(l.name), KALLSYMS_MAX_NAME - 2);
}

static void a_kernel_function_ends_where_the_next_symbol_begins(void **state)
{
	struct kallsyms *k = from_text("0000000000000040 A per_cpu_thing\n"
				       "ffffffff81000000 T start\n"
				       "ffffffff81000000 t __pi_start\n"
				       "garbage\n"
				       "ffffffff81000300 d data\n"
				       "ffffffff81000340 d data2\n"
				       "ffffffff81000100 t middle\n"
				       "ffffffff81000400 W last\n"
				       "ffffffffc0201000 t hook\t[b]\n"
				       "ffffffffc0100800 t init\t[a]\n");

	(void)state;
	assert_name(k, 0xffffffff80ffffff, NULL, 0);
	assert_name(k, 0xffffffff81000000, "start", 0);
	assert_name(k, 0xffffffff810000ff, "start", 0xff);
	assert_name(k, 0xffffffff81000100, "middle", 0);
	assert_name(k, 0xffffffff810002ff, "middle", 0x1ff);
	assert_name(k, 0xffffffff81000300, NULL, 0);
	assert_name(k, 0xffffffff81000344, NULL, 0);
	assert_name(k, 0xffffffff81000fff, "last", 0xbff);
	assert_name(k, 0xffffffff81001000, NULL, 0);
	assert_name(k, 0xffffffffc0100fff, "init [a]", 0x7ff);
	assert_name(k, 0xffffffffc0101000, NULL, 0);
	assert_name(k, 0xffffffffc0201fff, "hook [b]", 0xfff);
	assert_name(k, 0xffffffffc0202000, NULL, 0);
	assert_name(k, 0x40, NULL, 0);
	kallsyms_free(&k);
}

static void no_names_are_found_in_a_kallsyms_file_without_addresses(void **state)
{
	struct kallsyms *hidden = from_text("0000000000000000 T start\n0000000000000000 t x\n");
	struct kallsyms *none = NULL;
	char name[64];
	u64 off;

	(void)state;
	assert_int_equal(kallsyms_lookup(hidden, 1, name, sizeof(name), &off), -EACCES);
	kallsyms_free(&hidden);
	assert_int_equal(kallsyms_new(&none, "/nonexistent/kallsyms"), 0);
	assert_int_equal(kallsyms_lookup(none, 1, name, sizeof(name), &off), -ENOENT);
	kallsyms_free(&none);
}

static void a_kernel_symbol_name_is_cut_to_the_size_of_the_buffer(void **state)
{
	struct kallsyms *k = from_text("ffffffff81000000 T a_long_name\n");
	char name[7];
	u64 off;

	(void)state;
	assert_int_equal(kallsyms_lookup(k, 0xffffffff81000000, name, sizeof(name), &off), 0);
	assert_string_equal(name, "a_long");
	kallsyms_free(&k);
}

/* Some symbols of the running kernel, extracted by awk: the address and a name of each. */
static void names_of_the_running_kernel_match_the_names_that_awk_extracts(void **state)
{
	FILE *f = popen("awk '$2 ~ /^[tTwW]$/ && $1 !~ /^0/ && NR % 97 == 0 "
			"{ print $1, $3, $4 }' /proc/kallsyms",
			"r");
	char name[KALLSYMS_MAX_NAME], line[1024];
	struct kallsyms *k = NULL;
	u32 n = 0, n_same = 0;

	(void)state;
	assert_non_null(f);
	assert_int_equal(kallsyms_new(&k, "/proc/kallsyms"), 0);
	while (fgets(line, sizeof(line), f)) {
		char want[512] = {}, module[512] = {};
		u64 addr, off = 1;

		assert_true(sscanf(line, "%llx %511s %511s", &addr, want, module) >= 2);
		if (module[0])
			snprintf(want + strlen(want), sizeof(want) - strlen(want), " %s", module);
		assert_int_equal(kallsyms_lookup(k, addr, name, sizeof(name), &off), 0);
		assert_int_equal(off, 0);
		n++;
		n_same += !strcmp(name, want); /* else another name of the address */
		assert_int_equal(kallsyms_lookup(k, addr + 1, line, sizeof(line), &off), 0);
		if (off == 1)
			assert_string_equal(line, name);
	}
	pclose(f);
	print_message("%u of %u names are equal, and the other names are aliases; %u functions "
		      "take %zu bytes\n",
		      n_same, n, kallsyms_count(k), kallsyms_memory(k));
	if (!n) { /* addresses are hidden by kptr_restrict, or CAP_SYSLOG is missing */
		u64 off;

		assert_int_equal(kallsyms_lookup(k, ~0ull, name, sizeof(name), &off), -EACCES);
	} else {
		assert_true(n_same * 100 > n * 95);
		assert_true(kallsyms_memory(k) / kallsyms_count(k) < 24);
	}
	kallsyms_free(&k);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_kallsyms_line_is_parsed_into_address_type_name_and_module),
	cmocka_unit_test(truncated_and_overlong_kallsyms_lines_are_read_within_bounds),
	cmocka_unit_test(a_kernel_function_ends_where_the_next_symbol_begins),
	cmocka_unit_test(no_names_are_found_in_a_kallsyms_file_without_addresses),
	cmocka_unit_test(a_kernel_symbol_name_is_cut_to_the_size_of_the_buffer),
	cmocka_unit_test(names_of_the_running_kernel_match_the_names_that_awk_extracts),
};

int main(void)
{
	int err, fd = mkstemp(path);

	if (fd < 0)
		return check_cannot_run("this test needs more free space in /tmp");
	close(fd);
	err = CHECK_RUN(tests);
	unlink(path);
	return err;
}
