// SPDX-License-Identifier: BSD-2-Clause

/*
 * Which tables a walk may use, and how they are searched. A walk without tables
 * follows frame records blindly: the usual stack's end is found with them only.
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

static void tables_are_used_while_their_flag_is_set(void **state)
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

static void tables_without_mappings_know_no_pc(void **state)
{
	(void)state;
	process()->extent = 3ull << 32;
	assert_non_null(run());
	assert_int_equal(w.sample.status, UW_T_UNKNOWN_PC);
	assert_int_equal(w.sample.n_frames, 1);
}

/* The table has it as /proc/PID/stat: in hundredths of a second. */
static void another_start_time_is_another_process(void **state)
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

static void tables_of_another_image_are_refused(void **state)
{
	(void)state;
	leader->self_exec_id = EXEC_ID + 1;
	assert_false(tables_are_used());
	assert_int_equal(w.sample.exec_id, EXEC_ID + 1);
	assert_int_equal(process()->exec_id, EXEC_ID); /* and stay what they are */
	leader->self_exec_id = EXEC_ID + (1ull << 32);
	assert_false(tables_are_used());
	leader->self_exec_id = EXEC_ID;
	assert_true(tables_are_used());
}

/* Tables that were made from /proc do not know it; the first sample tells. */
static void an_unknown_image_is_that_of_the_first_sample(void **state)
{
	(void)state;
	process()->exec_id = UW_EXEC_UNKNOWN;
	leader->self_exec_id = 77;
	assert_true(tables_are_used());
	assert_int_equal(process()->exec_id, 77);
	leader->self_exec_id = 78;
	assert_false(tables_are_used());
}

/* Neither is one told by a process of the same number that is another. */
static void a_refused_process_tells_no_image(void **state)
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

static void tables_that_are_being_written_are_not_used(void **state)
{
	(void)state;
	process()->gen = GENERATION + 1;
	assert_false(tables_are_used());
	process()->gen = GENERATION + 2;
	assert_true(tables_are_used());
}

/* The first read are the words at sp, which nothing of the tables is needed for. */
static void a_change_during_the_walk_makes_the_sample_stale(void **state)
{
	static const enum uw_status expected[] = {
		[1] = UW_END, [2] = UW_T_STALE_TABLES, [3] = UW_T_STALE_TABLES, [4] = UW_END
	};

	(void)state;
	for (u32 nth = 1; nth <= 4; nth++) {
		process()->gen = GENERATION;
		fake.change_at_read = nth;
		fake.changed = &process()->gen;
		assert_non_null(run());
		assert_int_equal(w.sample.status, expected[nth]);
		assert_int_equal(w.sample.n_frames, 3);
		assert_int_equal(w.sample.proc_gen, nth == 1 ? GENERATION + 2 : GENERATION);
	}
}

static void a_change_does_not_matter_to_who_has_no_tables(void **state)
{
	(void)state;
	process()->flags = UW_PROC_USED | UW_PROC_TARGET;
	fake.change_at_read = 2;
	fake.changed = &process()->gen;
	assert_non_null(run());
	assert_int_equal(w.sample.status, UW_T_UNKNOWN_PROCESS);
}

/* @n mappings of a page, every other page, from entry @first of the pool on. */
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

/* The module at @pc as counted, not searched; 0: none. */
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
		fail_msg("%#llx in extent %#llx: %u, not %u", pc, u->extent, m ? m->module : 0,
			 module);
}

/* Around each border, and where no process has anything. */
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

static void the_mapping_around_a_pc_is_found(void **state)
{
	(void)state;
	memset(uw_mappings, 0, sizeof(uw_mappings)); /* others' begin below every pc */
	for (u32 n = 1; n <= 70; n++)
		assert_searched(1600, n, 1);
	assert_searched(0, 33, 1);
	assert_searched(UW_MAX_MAPPINGS - 33, 33, 1);
	assert_searched(UW_MAX_MAPPINGS - 1, 1, 1);
	assert_searched(0, UW_MAX_MAPPINGS, 257);
	assert_searched(4096, UW_MAX_MAPPINGS / 2 + 1, 257);
}

static void a_process_without_mappings_has_none_around_a_pc(void **state)
{
	struct uw_state u = searcher(16, 4);

	(void)state;
	assert_found(&u, MAPS_START, 1);
	u.extent = 16ull << 32;
	assert_found(&u, MAPS_START, 0);
}

static void a_build_of_v8_is_known_once_it_has_offsets(void **state)
{
	(void)state;
	memset(uw_v8_builds, 0, sizeof(uw_v8_builds));
	uw_v8_builds[UW_MAX_V8_BUILDS - 1].shared_off = 24;
	assert_null(port_info_v8(0));
	assert_null(port_info_v8(UW_MAX_V8_BUILDS - 2));
	assert_ptr_equal(port_info_v8(UW_MAX_V8_BUILDS - 1), &uw_v8_builds[UW_MAX_V8_BUILDS - 1]);
	assert_ptr_equal(port_info_v8(2 * UW_MAX_V8_BUILDS - 1),
			 &uw_v8_builds[UW_MAX_V8_BUILDS - 1]); /* never beyond the table */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(tables_are_used_while_their_flag_is_set),
		T(tables_without_mappings_know_no_pc),
		T(another_start_time_is_another_process),
		T(tables_of_another_image_are_refused),
		T(an_unknown_image_is_that_of_the_first_sample),
		T(a_refused_process_tells_no_image),
		T(tables_that_are_being_written_are_not_used),
		T(a_change_during_the_walk_makes_the_sample_stale),
		T(a_change_does_not_matter_to_who_has_no_tables),
		T(the_mapping_around_a_pc_is_found),
		T(a_process_without_mappings_has_none_around_a_pc),
		T(a_build_of_v8_is_known_once_it_has_offsets),
	};

	return CHECK_RUN(tests);
}
