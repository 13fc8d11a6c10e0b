/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests to which image (which exec) of a process a sample belongs. The kernel reports an exec
 * before it increments the exec count; a sample taken in between must not affect later samples.
 */

#include "../check.h"

#include <stdlib.h>
#include <string.h>

#include "../../loader/session/ownership.h"
#include "../../loader/symbols/module.h"

#define PID 7
#define EXEC_NS 1000

struct world {
	struct uw_process processes[UW_MAX_PROCESSES];
	struct uw_mapping mappings[UW_MAX_MAPPINGS];
	struct v8_info builds[UW_MAX_V8_BUILDS];
	struct images images;
	struct process process;
	struct image image;
};

/* A process after an exec, whose tables are loaded into the BPF program. */
static struct world *new_world(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct tables_memory m = { w->processes, w->mappings, w->builds };
	struct tables_key key = { .pid = PID };
	struct uw_mapping map = { .start_addr = 0x1000, .end_addr = 0x2000 };

	assert_non_null(w);
	assert_int_equal(tables_new(&w->images.tables, &m), 0);
	w->process = (struct process){ .pid = PID, .exec_ns = EXEC_NS };
	w->image = (struct image){ .all = &w->images,
				   .process = &w->process,
				   .exec_id = UW_EXEC_UNKNOWN };
	for (int i = 0; i < 2; i++) /* so that older tables exist */
		assert_int_equal(tables_set_mappings(w->images.tables, &key, &map, 1,
						     UW_EXEC_UNKNOWN, &w->image.gen),
				 0);
	w->image.first_gen = w->image.gen;
	return w;
}

static void free_world(struct world *w)
{
	tables_free(&w->images.tables);
	free(w);
}

static u64 number_of_kernel_side(const struct world *w)
{
	for (u32 i = 0; i < UW_MAX_PROCESSES; i++)
		if (w->processes[i].flags & UW_PROC_USED && w->processes[i].pid == PID)
			return w->processes[i].exec_id;
	fail();
	return 0;
}

struct row {
	u64 time_ns, exec_id;
	bool in_kernel;
	int gen; /* generation of the walk's tables, minus the image's first one; or NONE */
	bool is_owned;
};

#define NONE (-1000)

static void expect(const struct row *rows, size_t n, u64 exec_id)
{
	struct world *w = new_world();

	for (size_t i = 0; i < n; i++) {
		struct uw_sample s = {
			.time_ns = rows[i].time_ns,
			.exec_id = rows[i].exec_id,
			.flags = rows[i].in_kernel ? UW_SAMPLE_IN_KERNEL : 0,
			.proc_gen = rows[i].gen == NONE ? 0 : w->image.first_gen + (u32)rows[i].gen,
		};

		if (image_owns(&w->image, &s) != rows[i].is_owned)
			fail_msg("row %zu: expected image_owns() to return %s", i,
				 rows[i].is_owned ? "true" : "false");
	}
	assert_int_equal(w->image.exec_id, exec_id);
	assert_int_equal(number_of_kernel_side(w), exec_id);
	free_world(w);
}

#define EXPECT(exec_id, ...)                                                                       \
	do {                                                                                       \
		const struct row rows[] = { __VA_ARGS__ };                                         \
		expect(rows, sizeof(rows) / sizeof(*rows), exec_id);                               \
	} while (0)

static void a_sample_during_exec_with_the_old_exec_count_leaves_later_samples_valid(void **state)
{
	(void)state;
	EXPECT(6, { EXEC_NS, 5, true, NONE, true }, { EXEC_NS + 1, 6, true, 0, true },
	       { EXEC_NS + 2, 6, false, 0, true }, { EXEC_NS + 3, 6, true, 0, true });
}

static void a_sample_with_another_exec_count_belongs_to_another_image(void **state)
{
	(void)state;
	EXPECT(6, { EXEC_NS, 6, false, 0, true }, { EXEC_NS + 1, 7, false, NONE, false },
	       { EXEC_NS + 2, 5, true, NONE, false }, { EXEC_NS + 3, 6, false, 0, true });
}

static void the_exec_count_is_not_taken_from_samples_in_kernel_mode(void **state)
{
	(void)state;
	EXPECT(UW_EXEC_UNKNOWN, { EXEC_NS, 5, true, NONE, true },
	       { EXEC_NS + 1, 6, true, NONE, true });
}

static void a_sample_from_before_an_exec_does_not_belong_to_the_new_image(void **state)
{
	(void)state;
	EXPECT(6, { EXEC_NS - 1, 5, false, NONE, false }, { EXEC_NS, 6, false, NONE, true });
}

static void a_walk_with_tables_of_an_older_image_does_not_belong_to_the_new_image(void **state)
{
	(void)state;
	EXPECT(6, { EXEC_NS, 6, false, -2, false }, { EXEC_NS, 6, false, 0, true },
	       { EXEC_NS, 6, false, 2, true });
}

static void an_exec_count_of_an_older_image_is_corrected_in_the_tables(void **state)
{
	struct world *w = new_world();
	struct uw_sample s = { .time_ns = EXEC_NS, .exec_id = 6 };

	(void)state;
	for (u32 i = 0; i < UW_MAX_PROCESSES; i++)
		if (w->processes[i].flags & UW_PROC_USED)
			w->processes[i].exec_id = 5; /* as uw_use_tables() does */
	assert_true(image_owns(&w->image, &s));
	assert_int_equal(number_of_kernel_side(w), 6);
	free_world(w);
}

static void samples_of_another_image_keep_addresses_and_kernel_frames(void **state)
{
	struct uw_sample *s = calloc(1, sizeof(*s));

	(void)state;
	s->n_frames = 3;
	s->n_kernel = 1;
	s->frames[0] = (struct uw_frame){ .pc = 1, .kind = UW_KERNEL };
	s->frames[1] = (struct uw_frame){ .pc = 2, .kind = UW_NATIVE, .a = 9, .aux = 4 };
	s->frames[2] = (struct uw_frame){ .pc = 3, .kind = UW_V8_JS, .status = UW_F_NO_FRAME };
	sample_disown(s);
	assert_int_equal(s->status, UW_T_STALE_TABLES);
	assert_int_equal(s->frames[0].kind, UW_KERNEL);
	for (u32 i = 1; i < 3; i++) {
		assert_int_equal(s->frames[i].kind, UW_UNKNOWN);
		assert_int_equal(s->frames[i].status, UW_OK);
		assert_int_equal(s->frames[i].pc, i + 1);
	}
	free(s);
}

#define LIBRARY 4 /* module; then address and file offset of its code */
#define LIBRARY_AT 0x10000
#define LIBRARY_OFF 0x1000
#define SEEN_NS 500

/*
 * Makes a walk with a frame in the program and, as its caller, a frame in the library. At the
 * address of the library, file offset @off of @module is mapped now.
 */
static void walk_stale(u32 module, u64 off, u64 time_ns, struct uw_sample *s)
{
	struct process_mmap_event map = { .start_addr = LIBRARY_AT,
					  .len = 0x1000,
					  .file_off = off,
					  .inode = 1,
					  .path = "/l.so" };
	struct process p = { .pid = PID, .maps = mappings_new() };

	assert_int_equal(mappings_add(&p.maps, &map, SEEN_NS), 0);
	mappings_find(p.maps, LIBRARY_AT)->module = module;
	*s = (struct uw_sample){ .n_frames = 3, .time_ns = time_ns, .status = UW_E_BAD_RA };
	s->frames[0] = (struct uw_frame){ .pc = 0x123, .kind = UW_NATIVE, .aux = 9 };
	s->frames[1] = (struct uw_frame){
		.pc = LIBRARY_AT + 8, .kind = UW_NATIVE, .aux = LIBRARY, .a = LIBRARY_OFF + 8
	};
	s->frames[2] = s->frames[0];
	sample_disown_stale(&p, s);
	mappings_unref(&p.maps);
}

static void frames_of_callers_are_removed_if_the_library_of_the_callee_was_replaced(void **state)
{
	static const struct {
		u32 module;
		u64 off, time_ns;
		u32 n_frames, kind, aux;
	} rows[] = {
		{ LIBRARY, LIBRARY_OFF, SEEN_NS + 1, 3, UW_NATIVE, LIBRARY },
		{ 0, LIBRARY_OFF, SEEN_NS + 1, 3, UW_NATIVE,
		  LIBRARY }, /* module not looked up yet */
		{ MODULE_NONE, LIBRARY_OFF, SEEN_NS + 1, 3, UW_NATIVE, LIBRARY },
		{ LIBRARY + 1, LIBRARY_OFF, SEEN_NS, 2, UW_UNKNOWN, 0 },
		{ LIBRARY, LIBRARY_OFF + 0x1000, SEEN_NS, 2, UW_UNKNOWN, 0 },
		{ LIBRARY + 1, LIBRARY_OFF, SEEN_NS - 1, 2, UW_NATIVE,
		  0 }, /* mapped when the sample was taken: a module that is unknown */
	};
	struct uw_sample *s = calloc(1, sizeof(*s));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		walk_stale(rows[i].module, rows[i].off, rows[i].time_ns, s);
		if (s->n_frames != rows[i].n_frames || s->frames[1].kind != rows[i].kind ||
		    s->frames[1].aux != rows[i].aux || s->frames[0].aux != 9 ||
		    s->status != (s->n_frames == 3 ? UW_E_BAD_RA : UW_T_STALE_TABLES))
			fail_msg("row %zu: the sample has wrong values: %u frames, kind %u, status "
				 "%u",
				 i, s->n_frames, s->frames[1].kind, s->status);
	}
	free(s);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(frames_of_callers_are_removed_if_the_library_of_the_callee_was_replaced),
	cmocka_unit_test(a_sample_during_exec_with_the_old_exec_count_leaves_later_samples_valid),
	cmocka_unit_test(a_sample_with_another_exec_count_belongs_to_another_image),
	cmocka_unit_test(the_exec_count_is_not_taken_from_samples_in_kernel_mode),
	cmocka_unit_test(a_sample_from_before_an_exec_does_not_belong_to_the_new_image),
	cmocka_unit_test(a_walk_with_tables_of_an_older_image_does_not_belong_to_the_new_image),
	cmocka_unit_test(an_exec_count_of_an_older_image_is_corrected_in_the_tables),
	cmocka_unit_test(samples_of_another_image_keep_addresses_and_kernel_frames),
};

int main(void)
{
	return CHECK_RUN(tests);
}
