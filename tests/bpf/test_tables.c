// SPDX-License-Identifier: BSD-2-Clause

/*
 * The tables that a walk may use, and their lookup. A walk without tables follows
 * frame records blindly: only with tables does it recognize the end of the usual
 * stack.
 */

#include "world.h"

static struct uw_process *process(void)
{
	return &uw_processes[uw_process_hash(PID)];
}

static bool tables_are_used(void)
{
	assert_non_null(run());
	if (w.sample.status == UW_T_UNKNOWN_PROCESS) {
		assert_int_equal(w.sample.proc_gen, 0);
		assert_int_equal(w.sample.frames[0].kind, UW_UNKNOWN);
		return false;
	}
	assert_int_equal(w.sample.status, UW_END);
	assert_int_equal(w.sample.proc_gen, process()->gen);
	assert_int_equal(w.sample.frames[0].kind, UW_NATIVE);
	return true;
}

static void tables_are_used_only_while_the_tables_flag_is_set(void **state)
{
	(void)state;
	assert_true(tables_are_used());
	process()->flags = UW_PROC_USED | UW_PROC_TARGET;
	assert_false(tables_are_used());
	process()->flags = UW_PROC_USED | UW_PROC_TABLES;
	assert_true(tables_are_used());
	process()->pid = PID + 1;
	assert_false(tables_are_used());
}

static void pc_is_unknown_if_the_process_has_no_mappings(void **state)
{
	(void)state;
	process()->extent = 3ull << 32;
	assert_non_null(run());
	assert_int_equal(w.sample.status, UW_T_UNKNOWN_PC);
	assert_int_equal(w.sample.n_frames, 1);
}

/* The table has the start time from /proc/PID/stat, in hundredths of a second. */
static void tables_of_a_process_with_another_start_time_are_refused(void **state)
{
	static const struct {
		u64 start_ns;
		bool is_same;
	} rows[] = {
		{ START_NS, true },	      { START_NS + 1, true },
		{ START_NS + 9999999, true }, { START_NS + UW_TICK_NS, false },
		{ START_NS - 1, false },      { START_NS + (1ull << 32) * UW_TICK_NS, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		leader->start_boottime = rows[i].start_ns;
		if (tables_are_used() != rows[i].is_same)
			fail_msg("started at %llu", rows[i].start_ns);
		assert_int_equal(w.sample.start_ns, rows[i].start_ns);
	}
}

static void tables_are_refused_if_they_were_made_before_the_last_exec(void **state)
{
	(void)state;
	leader->self_exec_id = EXEC_ID + 1;
	assert_false(tables_are_used());
	assert_int_equal(w.sample.exec_id, EXEC_ID + 1);
	assert_int_equal(process()->exec_id, EXEC_ID); /* the tables keep their exec ID */
	leader->self_exec_id = EXEC_ID + (1ull << 32);
	assert_false(tables_are_used());
	leader->self_exec_id = EXEC_ID;
	assert_true(tables_are_used());
}

/* Tables loaded from /proc have no exec ID; the first sample of the process sets it. */
static void unknown_exec_id_is_taken_from_the_first_sample_of_the_process(void **state)
{
	(void)state;
	process()->exec_id = UW_EXEC_UNKNOWN;
	leader->self_exec_id = 77;
	assert_true(tables_are_used());
	assert_int_equal(process()->exec_id, 77);
	leader->self_exec_id = 78;
	assert_false(tables_are_used());
}

/* A sample of another process with the same pid must not set the exec ID. */
static void exec_id_is_not_set_if_the_tables_of_the_process_are_refused(void **state)
{
	(void)state;
	process()->exec_id = UW_EXEC_UNKNOWN;
	leader->start_boottime += UW_TICK_NS;
	assert_false(tables_are_used());
	assert_true(process()->exec_id == UW_EXEC_UNKNOWN);
	leader->start_boottime = START_NS;
	process()->gen++;
	assert_false(tables_are_used());
	assert_true(process()->exec_id == UW_EXEC_UNKNOWN);
}

static void tables_are_not_used_while_the_recorder_writes_them(void **state)
{
	(void)state;
	process()->gen = GENERATION + 1;
	assert_false(tables_are_used());
	process()->gen = GENERATION + 2;
	assert_true(tables_are_used());
}

/* The first read of a walk, of the words at sp, needs no tables. */
static void sample_is_stale_if_the_tables_change_during_the_walk(void **state)
{
	static const enum uw_status expected[] = {
		[1] = UW_END, [2] = UW_T_STALE_TABLES, [3] = UW_END
	};

	(void)state;
	for (u32 nth = 1; nth <= 3; nth++) {
		process()->gen = GENERATION;
		fake.change_at_read = nth;
		fake.changed = &process()->gen;
		assert_non_null(run());
		assert_int_equal(w.sample.status, expected[nth]);
		assert_int_equal(w.sample.n_frames, 3);
		assert_int_equal(w.sample.proc_gen, nth == 1 ? GENERATION + 2 : GENERATION);
	}
}

/* NONE, and the conditions under which a child must not use its parent's tables. */
enum obstacle {
	NONE,
	IS_OLD,
	HAS_EXECUTED,
	PARENT_HAS,
	OTHER_STACK,
	OTHER_HEAP,
	NO_MEMORY,
	NO_TABLES
};

static void make_child(enum obstacle o, struct mm_struct mm[2])
{
	struct task_struct *parent = &w.tasks[PARENT].task;
	struct uw_process *p = enter_process(600, o == NO_TABLES ? 0 : UW_PROC_TABLES, 0);

	process()->flags = UW_PROC_USED | UW_PROC_TARGET;
	p->start_ns = parent->start_boottime;
	p->exec_id = parent->self_exec_id;
	mm[0] = mm[1] = (struct mm_struct){ o == NO_MEMORY ? 0 : 0x7ffd0000, 0x5500000 };
	mm[0].start_stack += o == OTHER_STACK;
	mm[0].start_brk += o == OTHER_HEAP;
	leader->mm = &mm[0];
	parent->mm = &mm[1];
	leader->parent_exec_id = parent->self_exec_id - (o == PARENT_HAS);
	leader->self_exec_id = leader->parent_exec_id + (o == HAS_EXECUTED);
	leader->start_time = fake.now_ns - (o == IS_OLD ? 1000000001 : 1000000000);
}

static void newly_forked_process_uses_the_tables_of_its_parent(void **state)
{
	struct mm_struct mm[2];

	(void)state;
	for (enum obstacle o = NONE; o <= NO_TABLES; o++) {
		make_child(o, mm);
		assert_non_null(run());
		if (w.sample.status != (o == NONE ? UW_END : UW_T_UNKNOWN_PROCESS))
			fail_msg("obstacle %d: status %u", o, w.sample.status);
		assert_int_equal(w.sample.proc_gen, 0); /* the child has no tables of its own */
	}
}

static void table_change_does_not_affect_a_process_without_tables(void **state)
{
	(void)state;
	process()->flags = UW_PROC_USED | UW_PROC_TARGET;
	fake.change_at_read = 2;
	fake.changed = &process()->gen;
	assert_non_null(run());
	assert_int_equal(w.sample.status, UW_T_UNKNOWN_PROCESS);
}

/* Adds @n mappings of one page, separated by one-page holes, at entries from @first of the pool. */
#define MAPS_START 0x10000ull
#define MAPS_STEP 0x2000ull

static struct uw_state searcher(u32 first, u32 n)
{
	for (u32 i = 0; i < n; i++)
		uw_mappings[(first + i) % UW_MAX_MAPPINGS] =
			(struct uw_mapping){ .start_addr = MAPS_START + i * MAPS_STEP,
					     .end_addr = MAPS_START + i * MAPS_STEP + 0x1000,
					     .module = i + 1 };
	return (struct uw_state){ .extent = (u64)first << 32 | n };
}

/* Computes from @pc, without a search, the module that is mapped there; 0: none. */
static u32 module_at(u64 pc, u32 n)
{
	u64 i = (pc - MAPS_START) / MAPS_STEP;

	return pc < MAPS_START || i >= n || (pc - MAPS_START) % MAPS_STEP >= 0x1000 ? 0
										    : (u32)i + 1;
}

static void assert_found(const struct uw_state *u, u64 pc, u32 module)
{
	const struct uw_mapping *m = port_mapping(u, pc);

	if ((m ? m->module : 0) != module)
		fail_msg("address %#llx in extent %#llx: module %u, expected %u", pc, u->extent,
			 m ? m->module : 0, module);
}

/*
 * Compares the search with module_at() around each boundary of a mapping, and at addresses without
 * mappings.
 */
static void assert_searched(u32 first, u32 n, u32 stride)
{
	struct uw_state u = searcher(first, n);

	for (u32 i = 0; i <= n; i = i < n && i + stride > n ? n : i + stride)
		for (u32 border = 0; border < 2; border++)
			for (u64 off = 0; off < 3; off++) {
				u64 pc = MAPS_START + i * MAPS_STEP + border * 0x1000 + off - 1;

				assert_found(&u, pc, module_at(pc, n));
			}
	assert_found(&u, 0, 0);
	assert_found(&u, (1ull << 63) - 1, 0);
	assert_found(&u, 1ull << 63, 0);
	assert_found(&u, ~0ull, 0);
}

static void the_mapping_that_contains_a_pc_is_found(void **state)
{
	(void)state;
	memset(uw_mappings, 0,
	       sizeof(uw_mappings)); /* entries of other processes, which begin below every pc */
	for (u32 n = 1; n <= 70; n++)
		assert_searched(1600, n, 1);
	assert_searched(0, 33, 1);
	assert_searched(UW_MAX_MAPPINGS - 33, 33, 1);
	assert_searched(UW_MAX_MAPPINGS - 1, 1, 1);
	assert_searched(0, UW_MAX_MAPPINGS, 257);
	assert_searched(4096, UW_MAX_MAPPINGS / 2 + 1, 257);
}

static void process_without_mappings_has_no_mapping_for_a_pc(void **state)
{
	struct uw_state u = searcher(16, 4);

	(void)state;
	assert_found(&u, MAPS_START, 1);
	u.extent = 16ull << 32;
	assert_found(&u, MAPS_START, 0);
}

static void v8_build_is_not_used_before_its_offsets_are_set(void **state)
{
	(void)state;
	memset(uw_v8_builds, 0, sizeof(uw_v8_builds));
	uw_v8_builds[UW_MAX_V8_BUILDS - 1].shared_off = 24;
	assert_null(port_info_v8(0));
	assert_null(port_info_v8(UW_MAX_V8_BUILDS - 2));
	assert_ptr_equal(port_info_v8(UW_MAX_V8_BUILDS - 1), &uw_v8_builds[UW_MAX_V8_BUILDS - 1]);
	assert_ptr_equal(port_info_v8(2 * UW_MAX_V8_BUILDS - 1),
			 &uw_v8_builds[UW_MAX_V8_BUILDS - 1]); /* the last build of the table */
}

#define MODULE 77
#define PAGE 5

/*
 * A page of @n rows, one every @stride bytes, at rows from @first of the pool; each row has its
 * own rule.
 */
static struct uw_row_page *make_page(u32 first, u32 n, u32 stride)
{
	const struct uw_row_page page = { MODULE, PAGE, first, n };

	memset(uw_row_pages, 0, sizeof(uw_row_pages));
	memset(w.rows, 0xff, sizeof(w.rows)); /* other pages' rows */
	for (u32 i = 0; i < n; i++)
		w.rows[first + i] = (i * stride) << UW_ROW_OFF_SHIFT | (i + 1);
	return enter_page(&page);
}

/* The rule index at offset @off of the page; 0: the page is missing. */
static u32 rule_at(u32 off)
{
	struct uw_state u = searcher(0, 1);
	const struct uw_rule *r = port_row(&u, MODULE, PAGE * UW_ROW_PAGE_LEN + (u64)off);

	return r ? (u32)(r - uw_rules) : 0;
}

static void the_last_row_at_or_below_an_offset_is_found(void **state)
{
	static const struct {
		u32 first, n, stride;
	} pages[] = { { 0, 1, 4 },    { 3, 2, 100 },	{ 10, 3, 16 },	   { 5, 31, 7 },
		      { 6, 32, 5 },   { 7, 33, 9 },	{ 1000, 257, 15 }, { 1, 1023, 4 },
		      { 2, 1024, 4 }, { 4096, 4096, 1 } };

	(void)state;
	for (u32 p = 0; p < sizeof(pages) / sizeof(pages[0]); p++) {
		make_page(pages[p].first, pages[p].n, pages[p].stride);
		for (u32 off = 0; off < UW_ROW_PAGE_LEN; off++) {
			u32 i = off / pages[p].stride, last = pages[p].n - 1;

			if (rule_at(off) != (i < last ? i : last) + 1)
				fail_msg("in a page of %u rows, offset %u has the wrong rule %u",
					 pages[p].n, off, rule_at(off));
		}
	}
}

static void row_page_is_found_among_row_pages_with_the_same_hash(void **state)
{
	struct uw_row_page other = { MODULE, 0, 0, 1 }, same = { MODULE + 1, PAGE, 0, 1 };
	u32 n = 1;

	(void)state;
	make_page(0, 4, 16);
	memset(uw_row_pages, 0, sizeof(uw_row_pages));
	while (uw_row_page_hash(same.module, PAGE) != uw_row_page_hash(MODULE, PAGE))
		same.module++; /* the same page of another file */
	enter_page(&same);
	for (other.page = PAGE + 1; n < UW_ROW_PAGE_PROBES - 1; other.page++)
		if (uw_row_page_hash(MODULE, other.page) == uw_row_page_hash(MODULE, PAGE)) {
			enter_page(&other);
			n++;
		}
	assert_int_equal(rule_at(16), 0);
	enter_page(&(struct uw_row_page){ MODULE, PAGE, 0, 4 });
	assert_int_equal(rule_at(16), 2);
}

static void row_page_is_not_used_for_another_file_or_another_offset(void **state)
{
	struct uw_state u = searcher(0, 1);

	(void)state;
	make_page(0, 4, 16);
	assert_non_null(port_row(&u, MODULE, PAGE * UW_ROW_PAGE_LEN));
	assert_null(port_row(&u, MODULE + 1, PAGE * UW_ROW_PAGE_LEN));
	assert_null(port_row(&u, MODULE, (PAGE + 1) * UW_ROW_PAGE_LEN));
	assert_null(port_row(&u, MODULE, (PAGE - 1) * UW_ROW_PAGE_LEN));
}

/* The result of the search is discarded, because its rows may belong to another page by then. */
static void search_finds_no_row_if_the_row_page_is_removed_during_the_search(void **state)
{
	struct uw_row_page *page;
	u32 n_lookups;

	(void)state;
	make_page(0, 300, 12);
	fake.n_lookups = 0;
	assert_int_equal(rule_at(1200), 101);
	n_lookups = fake.n_lookups;
	assert_true(n_lookups > 5 && n_lookups <= UW_ROW_SEARCH_STEPS + 1);
	for (u32 nth = 1; nth <= n_lookups; nth++)
		for (u32 field = 0; field < 2; field++) {
			page = make_page(0, 300, 12);
			fake.n_lookups = 0;
			fake.clear_at_lookup = nth;
			fake.cleared = field ? &page->page : &page->module;
			assert_int_equal(rule_at(1200), 0);
			fake.clear_at_lookup = 0;
		}
}

/* With invalid tables, the search ends and reads only inside the tables. */
static void search_never_reads_rows_beyond_the_end_of_the_row_pool(void **state)
{
	(void)state;
	make_page(0, 4, 16)->first = MAX_ROWS;
	assert_int_equal(rule_at(0), 0);
	make_page(0, 4, 16)->first = MAX_ROWS - 1;
	assert_int_equal(rule_at(40), 0);
	make_page(0, 4, 16)->first = ~0u;
	assert_int_equal(rule_at(40), 0);
	make_page(0, 4, 16)->n = ~0u;
	rule_at(40);
	make_page(0, 4, 16)->n = 0;
	rule_at(40);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(tables_are_used_only_while_the_tables_flag_is_set),
		T(pc_is_unknown_if_the_process_has_no_mappings),
		T(tables_of_a_process_with_another_start_time_are_refused),
		T(tables_are_refused_if_they_were_made_before_the_last_exec),
		T(unknown_exec_id_is_taken_from_the_first_sample_of_the_process),
		T(exec_id_is_not_set_if_the_tables_of_the_process_are_refused),
		T(tables_are_not_used_while_the_recorder_writes_them),
		T(sample_is_stale_if_the_tables_change_during_the_walk),
		T(newly_forked_process_uses_the_tables_of_its_parent),
		T(table_change_does_not_affect_a_process_without_tables),
		T(the_mapping_that_contains_a_pc_is_found),
		T(process_without_mappings_has_no_mapping_for_a_pc),
		T(v8_build_is_not_used_before_its_offsets_are_set),
		T(the_last_row_at_or_below_an_offset_is_found),
		T(row_page_is_found_among_row_pages_with_the_same_hash),
		T(row_page_is_not_used_for_another_file_or_another_offset),
		T(search_finds_no_row_if_the_row_page_is_removed_during_the_search),
		T(search_never_reads_rows_beyond_the_end_of_the_row_pool),
	};

	return CHECK_RUN(tests);
}
