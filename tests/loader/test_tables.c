// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the tables of the BPF program: the test writes them as the loader does and reads them
 * as a walk does.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/sample/tables.h"
#include "../check.h"

struct world {
	struct uw_process processes[UW_MAX_PROCESSES];
	struct uw_mapping mappings[UW_MAX_MAPPINGS];
	struct v8_info builds[UW_MAX_V8_BUILDS];
	struct uw_file files[UW_MAX_FILES];
	struct dotnet_await awaits[UW_MAX_AWAITS];
	struct tables *t;
};

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct tables_memory m = {
		w->processes, w->mappings, w->builds, w->files, w->awaits, true
	};

	assert_int_equal(tables_new(&w->t, &m), 0);
	*state = w;
	return 0;
}

static int end_world(void **state)
{
	struct world *w = *state;

	tables_free(&w->t);
	free(w);
	return 0;
}

/* Looks up a process as uw_process_search() in bpf/target.h does. */
static const struct uw_process *look_up(const struct world *w, u32 pid)
{
	for (u32 i = 0; i < UW_PROC_PROBES; i++) {
		const struct uw_process *p =
			&w->processes[(uw_process_hash(pid) + i) & (UW_MAX_PROCESSES - 1)];

		if (p->pid == pid && p->flags & UW_PROC_USED)
			return p;
	}
	return NULL;
}

/*
 * Looks up a file as uw_file_search() in bpf/files.h does; an entry that is found must be
 * complete.
 */
static u32 module_of(const struct world *w, const struct uw_file *file)
{
	for (u32 i = 0; i < UW_FILE_PROBES; i++) {
		const struct uw_file *f =
			&w->files[(uw_file_hash(file->dev, file->inode) + i) & (UW_MAX_FILES - 1)];

		if (f->inode == file->inode && f->dev == file->dev && f->size == file->size &&
		    f->changed_ns == file->changed_ns)
			return f->module;
	}
	return 0;
}

static int set(struct world *w, u32 pid, u32 n, u64 first_addr)
{
	struct uw_mapping *maps = calloc(n + 1, sizeof(*maps));
	struct tables_key key = { .pid = pid, .start_ns = pid * 10ull * UW_TICK_NS };
	u32 gen = 0;
	int err;

	for (u32 i = 0; i < n; i++)
		maps[i] = (struct uw_mapping){ .start_addr = first_addr + i * 4096,
					       .end_addr = first_addr + i * 4096 + 4096,
					       .module = pid };
	err = tables_set_mappings(w->t, &key, maps, n, UW_EXEC_UNKNOWN, &gen);
	if (!err)
		assert_int_equal(gen, look_up(w, pid)->gen);
	free(maps);
	return err;
}

static void expect(const struct world *w, u32 pid, u32 n, u64 first_addr)
{
	const struct uw_process *p = look_up(w, pid);

	assert_non_null(p);
	assert_true(p->flags & UW_PROC_TABLES);
	assert_int_equal(p->gen & 1, 0);
	assert_int_equal((u32)p->extent, n);
	for (u32 i = 0; i < n; i++) {
		const struct uw_mapping *m = &w->mappings[(p->extent >> 32) + i];

		assert_int_equal(m->start_addr, first_addr + i * 4096);
		assert_int_equal(m->module, pid);
	}
}

static void the_mappings_of_a_process_are_found_by_pid(void **state)
{
	struct world *w = *state;

	assert_int_equal(set(w, 7, 3, 0x1000), 0);
	assert_int_equal(set(w, 8, 40, 0x2000), 0);
	expect(w, 7, 3, 0x1000);
	expect(w, 8, 40, 0x2000);
	assert_null(look_up(w, 9));
}

static void the_generation_of_a_process_is_higher_after_its_mappings_are_replaced(void **state)
{
	struct world *w = *state;
	u32 before;

	assert_int_equal(set(w, 7, 3, 0x1000), 0);
	before = look_up(w, 7)->gen;
	assert_int_equal(set(w, 7, 5, 0x9000), 0);
	expect(w, 7, 5, 0x9000);
	assert_true(look_up(w, 7)->gen > before);
}

static void an_extent_of_mappings_in_use_is_never_given_to_another_process(void **state)
{
	struct world *w = *state;

	for (u32 round = 0; round < 200; round++)
		for (u32 pid = 1; pid <= 100; pid++)
			assert_int_equal(set(w, pid, 1 + (pid * 7 + round) % 90, pid << 20), 0);
	for (u32 pid = 1; pid <= 100; pid++)
		expect(w, pid, 1 + (pid * 7 + 199) % 90, pid << 20);
}

static void a_process_gets_no_tables_if_the_pool_of_mappings_is_full(void **state)
{
	struct world *w = *state;
	u32 pid = 1;

	while (!set(w, pid, 1024, 0x1000))
		pid++;
	assert_int_equal(pid, UW_MAX_MAPPINGS / 1024 + 1);
	assert_true(!look_up(w, pid) || !(look_up(w, pid)->flags & UW_PROC_TABLES));
	expect(w, 1, 1024, 0x1000);
	tables_remove(w->t, 1);
	assert_int_equal(set(w, pid, 1024, 0x1000), 0);
	expect(w, pid, 1024, 0x1000);
}

static void old_mappings_are_removed_if_the_new_mappings_do_not_fit(void **state)
{
	struct world *w = *state;

	assert_int_equal(set(w, 7, 3, 0x1000), 0);
	assert_int_equal(set(w, 7, UW_MAX_MAPPINGS, 0x1000), -ENOSPC);
	assert_false(look_up(w, 7)->flags & UW_PROC_TABLES);
	assert_int_equal(set(w, 7, 3, 0x9000), 0);
	expect(w, 7, 3, 0x9000);
}

/* Adds entries for processes, files and awaiters with equal hashes. */
static void entries_with_the_same_hash_are_found_by_their_own_keys(void **state)
{
	struct uw_file one = { 4711, 1000, 5, 8 << 20, 1 }, other = one;
	struct dotnet_await first = { .process_key = 1, .key = 77, .flags = 1 }, second = first;
	struct world *w = *state;
	u32 pid = 8, n = 0;

	while (uw_process_hash(pid) != uw_process_hash(7))
		pid++;
	assert_int_equal(set(w, 7, 3, 0x1000), 0);
	assert_int_equal(set(w, pid, 2, 0x5000), 0);
	expect(w, 7, 3, 0x1000);
	expect(w, pid, 2, 0x5000);
	do
		other.dev++;
	while (uw_file_hash(other.dev, other.inode) != uw_file_hash(one.dev, one.inode));
	other.module = 2;
	tables_add_file(w->t, &one);
	tables_add_file(w->t, &other);
	assert_int_equal(module_of(w, &one), 1);
	assert_int_equal(module_of(w, &other), 2);
	do
		second.process_key++;
	while (uw_await_hash(second.process_key, 77) != uw_await_hash(first.process_key, 77));
	tables_add_await(w->t, &first);
	tables_add_await(w->t, &second);
	for (u32 i = 0; i < UW_MAX_AWAITS; i++)
		n += w->awaits[i].process_key && w->awaits[i].key == 77;
	assert_int_equal(n, 2);
}

static void a_process_stays_a_target_after_exec_but_not_after_exit(void **state)
{
	struct world *w = *state;

	assert_int_equal(tables_set_target(w->t, 7, ~0ull), 0);
	assert_int_equal(look_up(w, 7)->target_time, UINT32_MAX);
	assert_int_equal(tables_set_target(w->t, 7, (6ull << UW_TARGET_TIME_SHIFT) - 1), 0);
	assert_int_equal(look_up(w, 7)->target_time, 5);
	assert_int_equal(set(w, 7, 3, 0x1000), 0);
	tables_clear_mappings(w->t, 7);
	assert_int_equal(look_up(w, 7)->flags, UW_PROC_USED | UW_PROC_TARGET);
	tables_remove(w->t, 7);
	assert_null(look_up(w, 7));
}

static void the_table_has_room_for_the_specified_number_of_processes(void **state)
{
	struct world *w = *state;
	u32 refused = 0;

	for (u32 pid = 1; pid <= UW_MAX_PROCESSES / 2; pid++)
		refused += tables_set_target(w->t, pid, 5) != 0;
	assert_int_equal(refused, 0);
}

static void equal_v8_builds_share_one_index_in_the_table(void **state)
{
	struct v8_info a = { 32, 40, 24, 0 }, b = { 32, 40, 32, 0 };
	struct world *w = *state;
	u16 first, second, again;

	assert_int_equal(tables_add_v8(w->t, &a, &first), 0);
	assert_int_equal(tables_add_v8(w->t, &b, &second), 0);
	assert_int_equal(tables_add_v8(w->t, &a, &again), 0);
	assert_int_equal(first, again);
	assert_int_not_equal(first, second);
	assert_memory_equal(&w->builds[second], &b, sizeof(b));
}

static void a_changed_file_replaces_its_old_entry(void **state)
{
	struct uw_file before = { 4711, 1000, 5, 8 << 20, 1 }, now = { 4711, 1000, 6, 8 << 20, 2 };
	struct world *w = *state;

	tables_add_file(w->t, &before);
	tables_add_file(w->t, &before);
	assert_int_equal(module_of(w, &before), 1);
	assert_int_equal(module_of(w, &now), 0);
	tables_add_file(w->t, &now);
	assert_int_equal(module_of(w, &before), 0);
	assert_int_equal(module_of(w, &now), 2);
}

/* Adds as many files as there are modules; a file for which there is no room replaces another. */
static void the_table_of_files_has_room_for_nearly_as_many_files_as_modules(void **state)
{
	struct world *w = *state;
	u32 n_found = 0;

	for (u32 i = 1; i <= UW_MAX_FILES / 2; i++)
		tables_add_file(w->t, &(struct uw_file){ 1000000 + 7ull * i, i, i, 8 << 20, i });
	for (u32 i = 1; i <= UW_MAX_FILES / 2; i++) {
		struct uw_file f = { 1000000 + 7ull * i, i, i, 8 << 20, 0 };
		u32 module = module_of(w, &f);

		assert_true(!module || module == i);
		n_found += module == i;
	}
	assert_in_range(n_found, UW_MAX_FILES / 2 - 20, UW_MAX_FILES / 2);
	for (u32 i = 1; i <= 4 * UW_MAX_FILES; i++) {
		struct uw_file f = { 77ull * i, i, i, 9 << 20, i };

		tables_add_file(w->t, &f);
		assert_int_equal(module_of(w, &f), i);
	}
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)

static const struct CMUnitTest tests[] = {
	IN_WORLD(the_mappings_of_a_process_are_found_by_pid),
	IN_WORLD(the_generation_of_a_process_is_higher_after_its_mappings_are_replaced),
	IN_WORLD(an_extent_of_mappings_in_use_is_never_given_to_another_process),
	IN_WORLD(a_process_gets_no_tables_if_the_pool_of_mappings_is_full),
	IN_WORLD(old_mappings_are_removed_if_the_new_mappings_do_not_fit),
	IN_WORLD(entries_with_the_same_hash_are_found_by_their_own_keys),
	IN_WORLD(a_process_stays_a_target_after_exec_but_not_after_exit),
	IN_WORLD(the_table_has_room_for_the_specified_number_of_processes),
	IN_WORLD(equal_v8_builds_share_one_index_in_the_table),
	IN_WORLD(a_changed_file_replaces_its_old_entry),
	IN_WORLD(the_table_of_files_has_room_for_nearly_as_many_files_as_modules),
};

int main(void)
{
	return CHECK_RUN(tests);
}
