// SPDX-License-Identifier: BSD-2-Clause

/* Tests dumps that are complete, cut at every byte or damaged, and the traces made from them. */

#include "../check.h"
#include "made_dump.h"

#include <errno.h>

#include "../../inspect/flight/fl_walks.h"
#include "../../inspect/util/json_memory.h"

static char *file;
static size_t file_len;

static void make(void)
{
	free(file);
	assert_int_equal(made_dump(&file, &file_len), 0);
}

static json_t *trace_of(const struct fl_dump *d)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	json_error_t error;
	json_t *json;

	assert_int_equal(fl_chrome_write(d, f), 0);
	fclose(f);
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("the trace is not valid JSON: %s at byte %d", error.text, error.position);
	free(text);
	return json;
}

static const json_t *find(const json_t *trace, const char *phase, const char *name, double ts)
{
	const json_t *events = json_object_get(trace, "traceEvents");

	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *e = json_array_get(events, i);

		if (!strcmp(json_string_value(json_object_get(e, "ph")), phase) &&
		    !strcmp(json_string_value(json_object_get(e, "name")), name) &&
		    (ts < 0 || json_number_value(json_object_get(e, "ts")) == ts))
			return e;
	}
	return NULL;
}

static void texts_of_a_dump_have_no_control_characters(void **state)
{
	json_t *json = json_pack("{s:s, s:[{s:s, s:s}], s:[{s:s}], s:[s]}", "kernel", "a\033[2Jb",
				 "events", "name", "w\ralk", "words", "to\033x \302\233y",
				 "statuses", "words", "fa\nult", "rules", "r\007");
	struct fl_tables t;

	(void)state;
	assert_int_equal(fl_tables_from_json(json, &t), 0);
	assert_string_equal(t.kernel, "a?[2Jb");
	assert_string_equal(t.events[0].name, "w?alk");
	assert_string_equal(t.events[0].word[0], "to?x");
	assert_string_equal(t.events[0].word[1], "??y");
	assert_string_equal(t.statuses[0].words, "fa?ult");
	assert_string_equal(t.rules[0], "r?");
	json_decref(json);
}

static void a_dump_is_read_back_unchanged(void **state)
{
	struct fl_dump d;
	struct fl_tables here;

	(void)state;
	make();
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	fl_tables_init(&here);
	assert_memory_equal(&d.tables, &here, sizeof(here));
	assert_int_equal(d.n_rings, 2);
	assert_int_equal(d.rings[1].cpu, 1);
	assert_int_equal(d.rings[1].ring.n_slots, 16);
	assert_int_equal(d.control.mask, ~0ull);
	assert_int_equal(d.monotonic_ns, MADE_BASE);
	assert_int_equal(d.n_name_words, FL_NAMES_MIN);
	assert_false(d.is_cut);
	fl_dump_deinit(&d);
}

static void truncated_or_oversized_cases_in_a_dump_are_skipped(void **state)
{
	struct fl_section *s;
	struct fl_dump d;

	(void)state;
	make();
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	assert_int_equal(d.n_cases, 3);
	assert_int_equal(d.cases[0].pid, 7);
	assert_int_equal(d.cases[0].status, UW_E_FAULT);
	assert_int_equal(d.cases[2].pid, (1 << 22) - 1);
	assert_int_equal(d.cases[2].status, UW_T_NO_ROW);
	assert_int_equal(d.cases[2].len, 64);
	assert_memory_equal(d.cases[2].bytes, made_case, 64);
	fl_dump_deinit(&d);
	assert_int_equal(fl_dump_parse(file, file_len - 1, &d), 0);
	assert_int_equal(d.n_cases, 2);
	assert_true(d.is_cut);
	fl_dump_deinit(&d);
	s = (struct fl_section *)(file + sizeof(struct fl_header));
	while (s->kind != FL_CASE)
		s++;
	s->len = FL_MAX_CASE_LEN + 1;
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	assert_int_equal(d.n_cases, 0);
	fl_dump_deinit(&d);
}

static void a_dump_states_why_a_frozen_ring_has_no_case(void **state)
{
	struct fl_section *s;
	struct fl_dump d;
	u32 none = 0;

	(void)state;
	make();
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	assert_int_equal(d.cases[0].why_not, 0);
	assert_int_equal(d.cases[1].pid, 9);
	assert_int_equal(d.cases[1].status, UW_T_NO_ROW);
	assert_int_equal(d.cases[1].why_not, FL_CASE_GONE);
	assert_null(d.cases[1].bytes);
	fl_dump_deinit(&d);
	assert_string_equal(fl_no_case_words(FL_CASE_GONE), "the process had ended");
	assert_string_equal(fl_no_case_words(0), "unknown reason");
	assert_string_equal(fl_no_case_words(~0u), "unknown reason");
	s = (struct fl_section *)(file + sizeof(struct fl_header));
	while (s->kind != FL_NO_CASE)
		s++;
	memcpy(file + s->off, &none, sizeof(none));
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	assert_int_equal(d.n_cases, 2);
	fl_dump_deinit(&d);
	s->len = sizeof(none) - 1;
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	assert_int_equal(d.n_cases, 2);
	fl_dump_deinit(&d);
}

static void walks_in_a_dump_are_assembled_from_the_entries_of_each_ring(void **state)
{
	static const u64 begins[] = { 1600, 1800, 1810, 2000, 9007 };
	struct fl_walks w;
	struct fl_dump d;

	(void)state;
	make();
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	assert_int_equal(fl_walks_init(&d, &w), 0);
	/*
	 * The first 4 of 36 slots on CPU 0 are overwritten, including the begin entry of the first
	 * walk.
	 */
	assert_int_equal(w.rings[0].lost, 4);
	assert_int_equal(w.rings[0].read, 32);
	assert_int_equal(w.rings[0].orphans, 1);
	assert_int_equal(w.n, 5);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(w.v[i].begin_ns, MADE_BASE + begins[i]);
	assert_false(w.v[1].has_end);
	assert_int_equal(w.v[3].n_steps, 17);
	assert_int_equal(w.v[3].status, UW_T_NO_ROW);
	fl_walks_deinit(&w);
	fl_dump_deinit(&d);
}

static void a_trace_contains_the_walks_steps_names_and_losses_of_a_dump(void **state)
{
	const json_t *e;
	struct fl_dump d;
	json_t *trace;

	(void)state;
	make();
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	trace = trace_of(&d);
	/* The earliest remaining walk began at 1600. */
	e = find(trace, "X", "no unwind row", 0.4);
	assert_non_null(e);
	assert_true(json_number_value(json_object_get(e, "dur")) == 4.21);
	assert_int_equal(json_integer_value(json_object_get(e, "tid")), 9);
	assert_null(json_object_get(e, "args")); /* so that slices of one name look alike */
	e = find(trace, "i", "walk", 0.4);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(e, "args"), "frames")),
			 17);
	e = find(trace, "X", "fault", 7.407);
	assert_non_null(e);
	assert_true(json_number_value(json_object_get(e, "dur")) == 0.012); /* 2 ns per step */
	assert_non_null(find(trace, "X", "unfinished", 0.2));
	e = find(trace, "i", "fault", -1);
	assert_non_null(e);
	assert_string_equal(json_string_value(json_object_get(json_object_get(e, "args"), "addr")),
			    "0x7fff0000");
	e = find(trace, "i", "read", -1);
	assert_int_equal(json_object_size(json_object_get(e, "args")), 20);
	assert_non_null(find(trace, "i", "lost", -1));
	assert_non_null(find(trace, "i", "tables", -1));
	e = find(trace, "M", "thread_name", -1);
	assert_string_equal(json_string_value(json_object_get(json_object_get(e, "args"), "name")),
			    "no\xef\xbf\xbd utf8\n");
	json_decref(trace);
	fl_dump_deinit(&d);
}

/* Parses microseconds with three decimals; returns ns. */
static u64 ns_of(const json_t *e, const char *key)
{
	return (u64)(json_number_value(json_object_get(e, key)) * 1000 + 0.5);
}

/* Returns the number of slices that partly overlap another slice of the same track. */
static u32 crossings(const json_t *trace)
{
	const json_t *events = json_object_get(trace, "traceEvents");
	u32 n = 0;

	for (size_t i = 0; i < json_array_size(events); i++)
		for (size_t k = 0; k < i; k++) {
			const json_t *a = json_array_get(events, k), *b = json_array_get(events, i);
			u64 a0, a1, b0, b1;

			if (strcmp(json_string_value(json_object_get(a, "ph")), "X") ||
			    strcmp(json_string_value(json_object_get(b, "ph")), "X") ||
			    json_integer_value(json_object_get(a, "tid")) !=
				    json_integer_value(json_object_get(b, "tid")))
				continue;
			a0 = ns_of(a, "ts"), a1 = a0 + ns_of(a, "dur");
			b0 = ns_of(b, "ts"), b1 = b0 + ns_of(b, "dur");
			n += (a0 < b0 && b0 < a1 && a1 < b1) || (b0 < a0 && a0 < b1 && b1 < a1);
		}
	return n;
}

static void two_slices_of_one_track_nest_or_are_disjoint(void **state)
{
	struct fl_dump d;
	json_t *trace, *crossed;

	(void)state;
	make();
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	trace = trace_of(&d);
	assert_int_equal(crossings(trace), 0);
	crossed = json_pack("{s:[{s:s,s:i,s:f,s:f},{s:s,s:i,s:f,s:f}]}", "traceEvents", "ph", "X",
			    "tid", 1, "ts", 1.0, "dur", 2.0, "ph", "X", "tid", 1, "ts", 2.0, "dur",
			    2.0);
	assert_int_equal(crossings(crossed), 1);
	json_decref(crossed);
	json_decref(trace);
	fl_dump_deinit(&d);
}

static void a_truncated_dump_is_read_up_to_its_end(void **state)
{
	u32 most_walks = 0;

	(void)state;
	make();
	for (size_t len = 0; len < file_len; len++) {
		char *cut = malloc(len ? len : 1);
		struct fl_walks w;
		struct fl_dump d;
		int err;

		memcpy(cut, file, len);
		err = fl_dump_parse(cut, len, &d);
		free(cut);
		assert_int_equal(err, len < sizeof(struct fl_header) ? -EBADMSG : 0);
		if (err)
			continue;
		assert_int_equal(fl_walks_init(&d, &w), 0);
		assert_true(w.n >= most_walks);
		most_walks = w.n;
		assert_int_equal(d.is_cut, len < file_len);
		fl_walks_deinit(&w);
		fl_dump_deinit(&d);
	}
	assert_int_equal(most_walks, 5);
}

static void a_dump_with_a_changed_byte_is_rejected_or_read_without_a_crash(void **state)
{
	u32 n_read = 0, n_refused = 0;

	(void)state;
	make();
	for (size_t i = 0; i < file_len; i++) {
		struct fl_dump d;

		file[i] ^= (char)(1 + i % 255);
		if (fl_dump_parse(file, file_len, &d) == 0) {
			if (i % 16 == 0 || i < 512)
				json_decref(trace_of(&d));
			fl_dump_deinit(&d);
			n_read++;
		} else {
			n_refused++;
		}
		file[i] ^= (char)(1 + i % 255);
	}
	assert_true(n_read > 0 && n_refused > 0);
}

static void files_other_than_dumps_are_refused(void **state)
{
	struct fl_dump d;
	struct fl_header *h;

	(void)state;
	make();
	h = (struct fl_header *)file;
	h->magic ^= 1;
	assert_int_equal(fl_dump_parse(file, file_len, &d), -EBADMSG);
	h->magic = __builtin_bswap64(h->magic ^ 1);
	assert_int_equal(fl_dump_parse(file, file_len, &d), -EPROTO);
	h->magic = __builtin_bswap64(h->magic);
	h->version++;
	assert_int_equal(fl_dump_parse(file, file_len, &d), -EPROTO);
	h->version--;
	h->n_sections = ~0u;
	assert_int_equal(fl_dump_parse(file, file_len, &d), -E2BIG);
}

static void unknown_sections_are_skipped(void **state)
{
	struct fl_section *s;
	struct fl_dump d;

	(void)state;
	make();
	s = (struct fl_section *)(file + sizeof(struct fl_header));
	s[2].kind = 99;
	assert_int_equal(fl_dump_parse(file, file_len, &d), 0);
	assert_int_equal(d.n_rings, 1);
	assert_int_equal(d.rings[0].cpu, 1);
	assert_non_null(d.names);
	fl_dump_deinit(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_is_read_back_unchanged),
		cmocka_unit_test(texts_of_a_dump_have_no_control_characters),
		cmocka_unit_test(truncated_or_oversized_cases_in_a_dump_are_skipped),
		cmocka_unit_test(a_dump_states_why_a_frozen_ring_has_no_case),
		cmocka_unit_test(walks_in_a_dump_are_assembled_from_the_entries_of_each_ring),
		cmocka_unit_test(a_trace_contains_the_walks_steps_names_and_losses_of_a_dump),
		cmocka_unit_test(two_slices_of_one_track_nest_or_are_disjoint),
		cmocka_unit_test(a_truncated_dump_is_read_up_to_its_end),
		cmocka_unit_test(a_dump_with_a_changed_byte_is_rejected_or_read_without_a_crash),
		cmocka_unit_test(files_other_than_dumps_are_refused),
		cmocka_unit_test(unknown_sections_are_skipped),
	};
	int failed = CHECK_RUN(tests);

	free(file);
	return failed;
}
