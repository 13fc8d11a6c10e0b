/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Field lookup by name, type lookup by row, and the awaiters of async methods, over two modules in
 * fake memory. The layout follows the sources that dotnet_field.c and dotnet_await.c cite. One
 * module is System.Private.CoreLib; the other module has another name and the same types.
 */

#include <errno.h>
#include <string.h>

#include "../../inspect/dotnet/dotnet_field.h"
#include "../../inspect/dotnet/dotnet_module.h"
#include "../../inspect/dotnet/metadata.h"
#include "../check.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x7f1234000000ull

enum {
	DAC_TABLE = 0x100,
	CORELIB = 0x1000, /* addresses of the modules; the data of a module are after it */
	OTHER = 0x9000,
	MODULE_NAME = 0x800, /* the following offsets are relative to the module */
	METADATA = 0x1000,
	TABLES = METADATA + 0x80,
	STRINGS = METADATA + 0x800,
	LOADED = 0x3000,
	TYPES = 0x4000,
	CLASSES = 0x5000,
	FIELDS = 0x6000,
	DICTIONARY = 0x7008,
	ARGUMENTS = 0x7100,
	MEMORY_LEN = 0x11000,
};

enum { NONE, STATIC = 0x1000000 };

/* Rows of TypeDef. */
enum {
	MODULE = 1,
	TASK,
	BUILDER,
	BOX,
	LIST,
	DELEGATE,
	ACTION,
	WORKER,
	MACHINE,
	ITERATOR,
	N_TYPES = ITERATOR,
};

static const struct version {
	u32 major, name, written, types, row_shift;
	bool is_buffer;
} versions[] = {
	{ 8, 0x108, 0x698, 0x2f8, 16, true },
	{ 9, 0x108, 0x460, 0x278, 8, false },
	{ 10, 0xc0, 0x348, 0x1a8, 8, false },
};

static const struct {
	const char *namespace, *name;
	u32 parent, nested_in, first_field;
} types[] = {
	[MODULE] = { "", "<Module>", NONE, NONE, 1 },
	[TASK] = { "System.Threading.Tasks", "Task", NONE, NONE, 1 },
	[BUILDER] = { "System.Runtime.CompilerServices", "AsyncTaskMethodBuilder`1", NONE, NONE,
		      4 },
	[BOX] = { "", "AsyncStateMachineBox`1", TASK, BUILDER, 4 },
	[LIST] = { "System.Collections.Generic", "List`1", NONE, NONE, 5 },
	[DELEGATE] = { "System", "Delegate", NONE, NONE, 6 },
	[ACTION] = { "System", "Action", DELEGATE, NONE, 7 },
	[WORKER] = { "Demo", "Worker", NONE, NONE, 7 },
	[MACHINE] = { "", "<RunAsync>d__1", NONE, WORKER, 7 },
	[ITERATOR] = { "", "<ItemsAsync>d__2", NONE, WORKER, 9 },
};

static const struct {
	const char *name;
	u32 type, off;
} fields[] = {
	[1] = { "s_current", TASK, 0x500 | STATIC },
	[2] = { "m_action", TASK, 0 },
	[3] = { "m_continuationObject", TASK, 0x18 },
	[4] = { "StateMachine", BOX, 0x30 },
	[5] = { "_items", LIST, 0 },
	[6] = { "_target", DELEGATE, 0x10 },
	[7] = { "<>1__state", MACHINE, 0 },
	[8] = { "<>t__builder", MACHINE, 8 },
	[9] = { "<>t__builder", ITERATOR, 8 },
	[10] = { "<>v__promiseOfValueOrEnd", ITERATOR, 0x20 },
};
#define N_FIELDS ((u32)N(fields) - 1)

static u8 memory[MEMORY_LEN];

static void put(u32 at, u64 value, u32 len)
{
	memcpy(memory + at, &value, len);
}

struct writer {
	u32 module, at, string; /* where to write the next table row and string */
};

static void add(struct writer *w, u64 value, u32 len)
{
	put(w->at, value, len);
	w->at += len;
}

static void add_string(struct writer *w, const char *s)
{
	add(w, w->string - w->module - STRINGS, 2);
	strcpy((char *)memory + w->string, s);
	w->string += (u32)strlen(s) + 1;
}

/* Columns in the order of ECMA-335 II.22; all indexes are narrow. */
static void add_rows(struct writer *w, const char *assembly)
{
	for (u32 i = 1; i <= N_TYPES; i++) {
		add(w, 0, 4);
		add_string(w, types[i].name);
		add_string(w, types[i].namespace);
		add(w, 0, 2);
		add(w, types[i].first_field, 2);
		add(w, i > MACHINE ? 2 : 1, 2); /* MethodList: first row of MethodDef */
	}
	for (u32 i = 1; i <= N_FIELDS; i++) {
		add(w, 0, 2);
		add_string(w, fields[i].name);
		add(w, 0, 2);
	}
	for (u32 i = 0; i < 2; i++) {
		add(w, 0, 8);
		add_string(w, "MoveNext");
		add(w, 0, 4);
	}
	add(w, 0, 8);
	add(w, 0, 8);
	add(w, 0, 2);
	add_string(w, assembly);
	add(w, 0, 2);
	for (u32 i = 1; i <= N_TYPES; i++)
		if (types[i].nested_in) {
			add(w, i, 2);
			add(w, types[i].nested_in, 2);
		}
}

static void put_metadata(u32 module, const char *assembly)
{
	static const u32 streams[] = { TABLES, STRINGS - TABLES, STRINGS, 0x800 };
	static const u32 tables[][2] = {
		{ METADATA_TYPE_DEF, N_TYPES }, { METADATA_FIELD, N_FIELDS },
		{ METADATA_METHOD_DEF, 2 },	{ METADATA_ASSEMBLY, 1 },
		{ METADATA_NESTED_CLASS, 3 },
	};
	struct writer w = { module, module + METADATA, module + STRINGS + 1 };
	u64 valid = 0;

	memcpy(memory + w.at, "BSJB\1\0\1\0\0\0\0\0\4\0\0\0v4\0\0\0\0\2", 24);
	w.at += 24;
	for (u32 i = 0; i < 2; i++) {
		add(&w, streams[2 * i] - METADATA, 4);
		add(&w, streams[2 * i + 1], 4);
		memcpy(memory + w.at, i ? "#Strings\0\0\0" : "#~\0", i ? 12 : 4);
		w.at += i ? 12 : 4;
	}
	w.at = module + TABLES;
	for (u32 i = 0; i < N(tables); i++)
		valid |= 1ull << tables[i][0];
	add(&w, 0, 8);
	add(&w, valid, 8);
	add(&w, 0, 8);
	for (u32 i = 0; i < N(tables); i++)
		add(&w, tables[i][1], 4);
	add_rows(&w, assembly);
}

static u32 type_at(u32 module, u32 row)
{
	return module + TYPES + 0x80 * row;
}

static u64 type_addr(u32 module, u32 row)
{
	return BASE + type_at(module, row);
}

static void put_types(const struct version *v, u32 module)
{
	for (u32 i = 1; i <= N_TYPES; i++) {
		u32 at = type_at(module, i);

		put(at + 8, i << v->row_shift, 4);
		put(at + 0x10, types[i].parent ? type_addr(module, types[i].parent) : 0, 8);
		put(at + 0x18, BASE + module, 8);
		put(at + 0x28, BASE + module + CLASSES + 0x40 * i, 8);
		put(module + CLASSES + 0x40 * i + 0x18,
		    BASE + module + FIELDS + 16 * types[i].first_field, 8);
		put(module + LOADED + 8 * i, BASE + at, 8);
	}
	for (u32 i = 1; i <= N_FIELDS; i++) {
		u32 at = module + FIELDS + 16 * i;

		put(at, type_addr(module, fields[i].type), 8);
		put(at + 8, i | (fields[i].off & STATIC), 4);
		put(at + 12, fields[i].off & ~STATIC, 4);
	}
	put(module + DICTIONARY - 4, 1, 2);
	put(module + DICTIONARY - 2, 2, 2);
	put(module + DICTIONARY, BASE + module + ARGUMENTS, 8);
	put(module + ARGUMENTS, type_addr(module, WORKER), 8);
	put(module + ARGUMENTS + 8, type_addr(module, MACHINE), 8);
	put(type_at(module, BOX), 0x10, 4);
	put(type_at(module, BOX) + 0x30, BASE + module + DICTIONARY, 8);
}

static void put_module(const struct version *v, u32 module, const char *name)
{
	u32 len = module + METADATA - 4;

	strcpy((char *)memory + module + MODULE_NAME, name);
	put(module + v->name, BASE + module + MODULE_NAME, 8);
	put(module + v->written, BASE + (v->is_buffer ? len - 0x20 : len), 8);
	put(len, STRINGS + 0x800 - METADATA, 4);
	if (v->is_buffer) {
		put(len - 0x20, STRINGS + 0x800 - METADATA, 4);
		put(len - 0x20 + 16, BASE + module + METADATA, 8);
	}
	put(module + v->types, BASE + module + LOADED, 8);
	put(module + v->types + 8, N_TYPES + 1, 4);
	put_metadata(module, name);
	put_types(v, module);
}

static void make(const struct version *v)
{
	memset(memory, 0, sizeof(memory));
	put_module(v, CORELIB, "System.Private.CoreLib");
	put_module(v, OTHER, "other");
}

struct world {
	struct dotnet_build build;
	struct fake_bytes bytes;
	struct dotnet_runtime *rt;
};

static void open_world(struct world *w, const struct version *v, u32 fail_at)
{
	w->build = (struct dotnet_build){ dotnet_layout_get(v->major), DAC_TABLE };
	fake_bytes_init(&w->bytes, BASE, memory, sizeof(memory));
	w->bytes.fail_at = fail_at;
	assert_int_equal(dotnet_runtime_new(&w->rt, &w->build, &w->bytes.target, BASE), 0);
}

static int await(const struct version *v, u64 type, u32 fail_at, struct dotnet_awaiter *a)
{
	struct world w;
	int r;

	*a = (struct dotnet_awaiter){ .off = 77 };
	open_world(&w, v, fail_at);
	r = dotnet_await_type(w.rt, type, a);
	dotnet_runtime_free(&w.rt);
	return r;
}

static int field(const struct version *v, u64 addr, const char *name, u32 *off)
{
	struct dotnet_type type;
	struct world w;
	int r;

	open_world(&w, v, 0);
	r = dotnet_type_get(w.rt, addr, &type);
	if (!r)
		r = dotnet_field_off(w.rt, &type, name, off);
	dotnet_runtime_free(&w.rt);
	return r;
}

static int find(const struct version *v, u32 row, u64 *addr)
{
	struct dotnet_module *module;
	struct world w;
	int r;

	*addr = 77;
	open_world(&w, v, 0);
	r = dotnet_module_get(w.rt, BASE + OTHER, &module);
	if (!r)
		r = dotnet_type_find(w.rt, module, row, addr);
	dotnet_runtime_free(&w.rt);
	return r;
}

static void offset_of_a_field_in_an_object_is_read_from_the_field_descriptor(void **state)
{
	u32 off;

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i]);
		for (u32 f = 2; f <= N_FIELDS; f++) {
			assert_int_equal(field(&versions[i], type_addr(OTHER, fields[f].type),
					       fields[f].name, &off),
					 0);
			assert_int_equal(off, fields[f].off);
		}
		/*
		 * The lookup fails for a static field, a field of the parent type and an unknown
		 * name.
		 */
		assert_int_equal(field(&versions[i], type_addr(OTHER, TASK), "s_current", &off),
				 -ENOENT);
		assert_int_equal(field(&versions[i], type_addr(OTHER, BOX), "m_action", &off),
				 -ENOENT);
		assert_int_equal(field(&versions[i], type_addr(OTHER, TASK), "m_act", &off),
				 -ENOENT);
	}
}

static void generic_instantiation_has_the_field_offsets_of_its_canonical_type(void **state)
{
	const struct version *v = &versions[2];
	u32 shared = OTHER + 0x7800, off;

	(void)state;
	make(v);
	memcpy(memory + shared, memory + type_at(OTHER, BOX), 0x40);
	put(type_at(OTHER, BOX) + 0x28, (BASE + shared) | 1, 8);
	assert_int_equal(field(v, type_addr(OTHER, BOX), "StateMachine", &off), -ENOENT);
	put(OTHER + FIELDS + 16 * 4, BASE + shared, 8);
	assert_int_equal(field(v, type_addr(OTHER, BOX), "StateMachine", &off), 0);
	assert_int_equal(off, 0x30);
	/* The canonical type of an instantiation cannot be an instantiation itself. */
	put(shared + 0x28, (BASE + shared) | 1, 8);
	assert_int_not_equal(field(v, type_addr(OTHER, BOX), "StateMachine", &off), 0);
}

static void loaded_type_is_found_by_the_number_of_its_typedef_row(void **state)
{
	u64 addr;

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i]);
		for (u32 row = 1; row <= N_TYPES; row++) {
			assert_int_equal(find(&versions[i], row, &addr), row == BOX ? -ENOENT : 0);
			assert_int_equal(addr, row == BOX ? 77 : type_addr(OTHER, row));
		}
		assert_int_equal(find(&versions[i], N_TYPES + 1, &addr), -ENOENT);
		put(OTHER + versions[i].types + 8, ~0u, 4);
		assert_int_equal(find(&versions[i], 0xffffff, &addr), -EFAULT);
		assert_int_equal(addr, 77);
	}
}

static void loaded_type_is_refused_if_its_row_or_module_is_not_the_requested_one(void **state)
{
	static const struct {
		u64 type;
		int r;
	} rows[] = {
		{ 0, -ENOENT },
		{ BASE + OTHER + TYPES + 0x80 * TASK, -EINVAL }, /* of another row */
		{ BASE + CORELIB + TYPES + 0x80 * MACHINE, -EINVAL }, /* of another module */
		{ 0x1000, -EFAULT },
		{ ~0ull, -EFAULT },
	};
	u64 addr;

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		make(&versions[2]);
		put(OTHER + LOADED + 8 * MACHINE, rows[i].type, 8);
		assert_int_equal(find(&versions[2], MACHINE, &addr), rows[i].r);
		assert_int_equal(addr, 77);
	}
}

static const struct {
	u32 row;
	bool is_method, are_several;
	u32 machine, off;
} waiting[] = {
	{ TASK, false, false, NONE, 8 + 0x18 },
	{ BOX, true, false, MACHINE, 8 + 0x18 },
	{ LIST, false, true, NONE, 0 },
	{ DELEGATE, false, false, NONE, 8 + 0x10 },
	{ ACTION, false, false, NONE, 8 + 0x10 },
	{ WORKER, false, false, NONE, 0 },
	{ ITERATOR, false, false, ITERATOR, 8 + 0x20 + 8 },
};

static void assert_waiting(const struct dotnet_awaiter *a, size_t i)
{
	assert_int_equal(a->is_method, waiting[i].is_method);
	assert_int_equal(a->are_several, waiting[i].are_several);
	assert_int_equal(a->machine,
			 waiting[i].machine ? type_addr(CORELIB, waiting[i].machine) : 0);
	assert_int_equal(a->off, waiting[i].off);
}

static void offset_that_leads_to_the_awaiter_is_found_for_each_type_of_object(void **state)
{
	struct dotnet_awaiter a;

	(void)state;
	for (size_t k = 0; k < N(versions); k++) {
		make(&versions[k]);
		for (size_t i = 0; i < N(waiting); i++) {
			assert_int_equal(
				await(&versions[k], type_addr(CORELIB, waiting[i].row), 0, &a), 0);
			assert_waiting(&a, i);
		}
		/*
		 * If the state machine in a task is an iterator, the iterator is what resumes, not
		 * the task.
		 */
		put(CORELIB + ARGUMENTS + 8, type_addr(CORELIB, ITERATOR), 8);
		assert_int_equal(await(&versions[k], type_addr(CORELIB, BOX), 0, &a), 0);
		assert_true(a.is_method);
		assert_int_equal(a.off, 8 + 0x30);
	}
}

static void type_with_the_name_of_a_library_type_is_ignored_outside_of_corelib(void **state)
{
	static const u32 rows[] = { TASK, BOX, LIST, DELEGATE, ACTION };
	struct dotnet_awaiter a;

	(void)state;
	make(&versions[2]);
	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(await(&versions[2], type_addr(OTHER, rows[i]), 0, &a), 0);
		assert_false(a.is_method || a.are_several || a.machine || a.off);
	}
}

static void awaiter_is_not_read_at_a_wrong_offset_if_a_read_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(waiting); i++) {
		u32 fail_at = 1, failed = 0, n_reads;
		struct dotnet_awaiter a;
		struct world w;

		make(&versions[2]);
		open_world(&w, &versions[2], 0);
		assert_int_equal(dotnet_await_type(w.rt, type_addr(CORELIB, waiting[i].row), &a),
				 0);
		n_reads = w.bytes.n_reads;
		dotnet_runtime_free(&w.rt);
		for (; fail_at <= n_reads; fail_at++) {
			int r = await(&versions[2], type_addr(CORELIB, waiting[i].row), fail_at,
				      &a);

			failed += r != 0;
			if (r)
				assert_int_equal(a.off, 77);
			else
				assert_waiting(&a, i);
		}
		assert_true(failed > 10);
	}
}

static void search_in_corrupt_memory_ends_with_an_error(void **state)
{
	static const struct {
		u32 at;
		u64 value;
		u32 len;
		int r;
	} lies[] = {
		{ CORELIB + TYPES + 0x80 * BOX + 0x18, 0, 8, -EFAULT }, /* null module */
		{ CORELIB + TYPES + 0x80 * BOX + 0x18, BASE + TYPES, 8, -EFAULT },
		{ CORELIB + TYPES + 0x80 * BOX + 8, 0, 4, -ENOENT }, /* row 0 */
		{ CORELIB + TYPES + 0x80 * BOX + 8, 0xffffff00, 4, -ENOENT },
		{ CORELIB + TYPES + 0x80 * BOX, 0, 4, -ENOENT }, /* not a generic type */
		{ CORELIB + TYPES + 0x80 * BOX, 0x80000010, 4, -ENOENT }, /* a string type */
		{ CORELIB + DICTIONARY - 4, 0, 2, -EINVAL },
		{ CORELIB + DICTIONARY - 4, 0xffff, 2, -EFAULT },
		{ CORELIB + DICTIONARY - 2, 0, 2, -EINVAL },
		{ CORELIB + DICTIONARY - 2, 1, 2, -ENOENT },
		{ CORELIB + DICTIONARY - 2, 0xffff, 2, -EINVAL },
		{ CORELIB + ARGUMENTS + 8, 0, 8, -EFAULT },
		{ CORELIB + ARGUMENTS + 8, BASE + CORELIB + 2, 8, -EINVAL }, /* a TypeDesc */
		{ CORELIB + TYPES + 0x80 * BOX + 0x10, 1, 8, -EINVAL }, /* no parent type */
		{ CORELIB + TYPES + 0x80 * BOX + 0x10, ~7ull, 8, -EFAULT },
		{ CORELIB + TYPES + 0x80 * TASK + 0x28, 0, 8, -EFAULT }, /* null EEClass */
		{ CORELIB + TYPES + 0x80 * TASK + 0x28, 1, 8, -EFAULT },
		{ CORELIB + CLASSES + 0x40 * TASK + 0x18, ~0ull, 8, -EFAULT },
		{ CORELIB + FIELDS + 16 * 1, 0, 8, -ENOENT }, /* a field of another type */
		{ CORELIB + FIELDS + 16 * 3 + 8, 3 | STATIC, 4, -ENOENT },
	};
	struct dotnet_awaiter a;

	(void)state;
	for (size_t i = 0; i < N(lies); i++) {
		make(&versions[2]);
		put(lies[i].at, lies[i].value, lies[i].len);
		assert_int_equal(await(&versions[2], type_addr(CORELIB, BOX), 0, &a), lies[i].r);
		assert_int_equal(a.off, 77);
	}
}

static void search_ends_if_the_parent_types_form_a_cycle(void **state)
{
	struct dotnet_awaiter a;

	(void)state;
	make(&versions[2]);
	put(type_at(CORELIB, WORKER) + 0x10, type_addr(CORELIB, WORKER), 8);
	assert_int_equal(await(&versions[2], type_addr(CORELIB, WORKER), 0, &a), 0);
	assert_int_equal(a.off, 0);
	put(type_at(CORELIB, WORKER) + 0x10, type_addr(CORELIB, MACHINE), 8);
	put(type_at(CORELIB, MACHINE) + 0x10, type_addr(CORELIB, WORKER), 8);
	assert_int_equal(await(&versions[2], type_addr(CORELIB, WORKER), 0, &a), 0);
	assert_int_equal(a.off, 0);
}

static void type_is_refused_if_its_number_of_fields_is_invalid(void **state)
{
	struct dotnet_awaiter a;
	u32 cell = CORELIB + TABLES + 24 + 5 * 4 + 14 * (BUILDER - 1) + 10, off;

	(void)state;
	make(&versions[2]);
	assert_int_equal(memory[cell], types[BUILDER].first_field);
	put(cell, 0xffff, 2);
	assert_int_equal(field(&versions[2], type_addr(CORELIB, TASK), "m_action", &off), -EINVAL);
	put(cell, 0, 2);
	assert_int_equal(field(&versions[2], type_addr(CORELIB, TASK), "m_action", &off), -EINVAL);
	assert_int_equal(await(&versions[2], type_addr(CORELIB, TASK), 0, &a), -EINVAL);
}

static void task_matches_a_method_only_if_its_state_machine_is_that_of_the_method(void **state)
{
	static const struct {
		u32 module, token;
		u32 of, machine;
		bool is;
	} rows[] = {
		{ OTHER, 0x06000001, OTHER, MACHINE, true },
		{ OTHER, 0x06000002, OTHER, ITERATOR, true },
		{ OTHER, 0x06000001, OTHER, ITERATOR, false },
		{ OTHER, 0x06000001, CORELIB, MACHINE, false },
		{ OTHER, 0x06000003, OTHER, MACHINE, false },
		{ OTHER, 0x06000000, OTHER, MACHINE, false },
		{ TYPES, 0x06000001, OTHER, MACHINE, false }, /* unmapped module */
	};

	(void)state;
	make(&versions[2]);
	for (size_t i = 0; i < N(rows); i++) {
		struct dotnet_code code = { .kind = DOTNET_R2R, .module = BASE + rows[i].module };
		struct dotnet_name name = { .token = rows[i].token };
		struct world w;

		open_world(&w, &versions[2], 0);
		assert_int_equal(
			dotnet_await_is(w.rt, &code, &name, type_addr(rows[i].of, rows[i].machine)),
			rows[i].is);
		dotnet_runtime_free(&w.rt);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(offset_of_a_field_in_an_object_is_read_from_the_field_descriptor),
	cmocka_unit_test(generic_instantiation_has_the_field_offsets_of_its_canonical_type),
	cmocka_unit_test(loaded_type_is_found_by_the_number_of_its_typedef_row),
	cmocka_unit_test(loaded_type_is_refused_if_its_row_or_module_is_not_the_requested_one),
	cmocka_unit_test(offset_that_leads_to_the_awaiter_is_found_for_each_type_of_object),
	cmocka_unit_test(type_with_the_name_of_a_library_type_is_ignored_outside_of_corelib),
	cmocka_unit_test(awaiter_is_not_read_at_a_wrong_offset_if_a_read_fails),
	cmocka_unit_test(search_in_corrupt_memory_ends_with_an_error),
	cmocka_unit_test(search_ends_if_the_parent_types_form_a_cycle),
	cmocka_unit_test(type_is_refused_if_its_number_of_fields_is_invalid),
	cmocka_unit_test(task_matches_a_method_only_if_its_state_machine_is_that_of_the_method),
};

int main(void)
{
	return CHECK_RUN(tests);
}
