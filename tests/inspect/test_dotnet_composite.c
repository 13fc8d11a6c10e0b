/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Precompiled code of a composite image. The image maps a function to a method row, but does not
 * record the component that has the row. The runtime's table of restored methods identifies the
 * component. Image and table are made by hand. The offsets are repeated here as measured on live
 * processes (8.0.33, 9.0.22, 10.0.14).
 *
 *	RVA 0x4000  0x4100    0x4200
 *	    | Work  | Pick... |             Work is found by the component's rows, Pick by the hash
 *	    table
 */

#include "../../inspect/dotnet/dotnet_build.h"
#include "../check.h"
#include "fake_assembly.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x7f1234000000ull

/* Offsets in the memory. */
enum {
	DAC_TABLE = 0x100,
	SECTION = 0x200,
	FRAGMENT = 0x300,
	CHUNK = 0x400,
	METHOD_DESC = CHUNK + 24,
	METHOD_TABLE = 0x500,
	INFO = 0x600,
	COMPOSITE_INFO = 0x800,
	BUCKETS = 0xa00,
	MODULE = 0x1000,
	ASSEMBLY = 0x2000,
	LEVELS = 0x4000,
	IMAGE = 0x8000,
	CLI_READY_TO_RUN = IMAGE + 0x2000 + 64,
	HEADER = IMAGE + 0x3000,
	FUNCTIONS = IMAGE + 0x3100,
	COMPONENTS = IMAGE + 0x3200,
	COMPONENT = IMAGE + 0x3300,
	METHODS = IMAGE + 0x3400,
	INSTANCES = IMAGE + 0x3500,
	WORK = IMAGE + 0x4000,
	PICK = IMAGE + 0x4100,
	END = IMAGE + 0x4200,
	MEMORY_LEN = 0x10000,
	N_BUCKETS = 7,
};

enum { OF_FUNCTIONS = 102, OF_METHODS = 103, OF_INSTANCES = 109, OF_COMPONENTS = 115 };

struct version {
	u32 major;
	bool has_wide_token;
	u32 module_name, module_base, module_restored, restored_buckets;
};

static const struct version versions[] = {
	{ 8, false, 0x108, 0, 1152, 448 },
	{ 9, true, 0x108, 0x120, 984, 448 },
	{ 10, true, 0xc0, 0xe0, 704, 376 },
};

static u8 memory[MEMORY_LEN];
static struct fake_assembly assembly;

static void put(u32 at, u64 value, u32 len)
{
	memcpy(memory + at, &value, len);
}

static void put_ranges(void)
{
	u64 table = BASE + LEVELS;

	put(SECTION, BASE + IMAGE, 8);
	put(SECTION + 8, BASE + END, 8);
	put(SECTION + 0x20, BASE + MODULE, 8);
	put(DAC_TABLE, table, 8);
	for (int level = 0, shift = 49; level < 5; level++, shift -= 8) {
		u64 next = level == 4 ? BASE + FRAGMENT : table + 2048;

		put((u32)(table - BASE + 8 * ((BASE + IMAGE) >> shift & 255)), next, 8);
		table += 2048;
	}
	put(FRAGMENT + 8, BASE + IMAGE, 8);
	put(FRAGMENT + 16, BASE + END, 8);
	put(FRAGMENT + 24, BASE + SECTION, 8);
}

static void put_section(u32 at, u32 type, u32 where, u32 len)
{
	put(at, type, 4);
	put(at + 4, where - IMAGE, 4);
	put(at + 8, len, 4);
}

/*
 * Makes the image. Section type @methods selects whether the method rows are in the image itself or
 * in the only component of it.
 */
static void put_image(u32 methods)
{
	/* Array: 3 elements, offset width 1; elements from @row on; index 1: function 0. */
	static const u8 rows[] = { 3 << 3, 1, (FAKE_WORK - 1) << 3, 0 };
	/*
	 * Hash table: 1 bucket, offset width 1, its entries; hash, offset; module 5, row, function
	 * 1.
	 */
	static const u8 instances[] = { 0, 2, 4, 0, 2, 0x80, 0x80, 5, FAKE_PICK, 2 << 1 };

	memcpy(memory + IMAGE, assembly.bytes, 0x200);
	memcpy(memory + IMAGE + 0x2000, assembly.bytes + 0x200, assembly.len - 0x200);
	put(IMAGE + 0x188 + 16, END - IMAGE, 4); /* length of the section in the file */
	put(CLI_READY_TO_RUN, HEADER - IMAGE, 4);
	put(CLI_READY_TO_RUN + 4, 60, 4);
	memcpy(memory + HEADER, "RTR", 4);
	put(HEADER + 12, 3, 4);
	put_section(HEADER + 16, OF_FUNCTIONS, FUNCTIONS, 24);
	put_section(HEADER + 28, methods, methods == OF_METHODS ? METHODS : COMPONENTS, 16);
	put_section(HEADER + 40, OF_INSTANCES, INSTANCES, sizeof(instances));
	put(COMPONENTS + 8, COMPONENT - IMAGE, 4);
	put(COMPONENT + 4, 1, 4);
	put_section(COMPONENT + 8, OF_METHODS, METHODS, sizeof(rows));
	memcpy(memory + METHODS, rows, sizeof(rows));
	memcpy(memory + INSTANCES, instances, sizeof(instances));
	put(FUNCTIONS, WORK - IMAGE, 4);
	put(FUNCTIONS + 4, PICK - IMAGE, 4);
	put(FUNCTIONS + 12, PICK - IMAGE, 4);
	put(FUNCTIONS + 16, END - IMAGE, 4);
}

/*
 * Makes a restored method with entry point @entry. The bucket that is searched first contains only
 * other methods.
 */
static void put_restored(const struct version *v, u32 entry)
{
	u64 key = BASE + entry;
	u32 first = (u32)(key >> 2) % N_BUCKETS;
	u32 step = 1 + ((u32)(key >> 5) + 1) % (N_BUCKETS - 1);
	u32 second = ((u32)(key >> 2) + step) % N_BUCKETS;

	put(MODULE + v->module_restored, BASE + INFO, 8);
	put(INFO + 40, BASE + COMPOSITE_INFO, 8);
	put(COMPOSITE_INFO + v->restored_buckets, BASE + BUCKETS, 8);
	put(BUCKETS, N_BUCKETS, 8);
	for (u32 slot = 0; slot < 4; slot++)
		put(BUCKETS + 64 * (1 + first) + 8 * slot, key + 64 * (slot + 1), 8);
	put(BUCKETS + 64 * (1 + first) + 32, 1ull << 63, 8);
	put(BUCKETS + 64 * (1 + second) + 16, key, 8);
	put(BUCKETS + 64 * (1 + second) + 48, (BASE + METHOD_DESC) >> 1, 8);
}

static void put_method(const struct version *v, u32 row)
{
	put(CHUNK, BASE + METHOD_TABLE, 8);
	put(METHOD_DESC, row, 2);
	if (v->has_wide_token)
		put(METHOD_TABLE + 8, FAKE_INNER << 8, 4);
	else
		put(METHOD_TABLE + 10, FAKE_INNER, 2);
	put(METHOD_TABLE + 0x18, BASE + MODULE, 8);
	put(MODULE + v->module_name, BASE + ASSEMBLY + assembly.assembly_name_off, 8);
	if (v->module_base)
		put(MODULE + v->module_base, BASE + ASSEMBLY, 8);
}

static void make(const struct version *v, u32 entry, u32 row)
{
	memset(memory, 0, sizeof(memory));
	fake_assembly_make(&assembly, fake_signature, sizeof(fake_signature));
	memcpy(memory + ASSEMBLY, assembly.bytes, assembly.len);
	put_ranges();
	put_image(OF_COMPONENTS);
	put_restored(v, entry);
	put_method(v, row);
}

static struct dotnet_name name;
static size_t memory_len = MEMORY_LEN; /* reads beyond it fail */

/*
 * Symbolizes the code at @at. *fail_at is the number of the read that fails; then *fail_at is set
 * to the number of reads.
 */
static int name_at(u32 major, u32 at, u32 *fail_at)
{
	struct dotnet_build build = { dotnet_layout_get(major), DAC_TABLE };
	struct dotnet_runtime *rt;
	struct dotnet_code code;
	struct fake_bytes bytes;
	int r;

	fake_bytes_init(&bytes, BASE, memory, memory_len);
	bytes.fail_at = *fail_at;
	assert_int_equal(dotnet_runtime_new(&rt, &build, &bytes.target, BASE), 0);
	name.reason = NULL;
	r = dotnet_code_find(rt, BASE + at, &code);
	if (!r) {
		assert_int_equal(code.kind, DOTNET_R2R);
		assert_int_equal(dotnet_tier_get(rt, &code), DOTNET_TIER_R2R);
		r = dotnet_name_get(rt, &code, &name);
	}
	dotnet_runtime_free(&rt);
	*fail_at = bytes.n_reads;
	return r;
}

static void expect(u32 major, u32 at, const char *text)
{
	u32 none = 0;

	assert_int_equal(name_at(major, at, &none), text ? 0 : -ENOENT);
	if (text)
		assert_string_equal(name.name, text);
	else
		assert_non_null(name.reason);
}

static void code_of_a_method_has_a_name_only_after_the_runtime_restored_the_method(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i], WORK, FAKE_WORK);
		expect(versions[i].major, WORK, "Demo.Outer.Inner.Work(int, List<T>)");
		expect(versions[i].major, PICK - 1, "Demo.Outer.Inner.Work(int, List<T>)");
		expect(versions[i].major, PICK, NULL); /* not a restored method */
		make(&versions[i], PICK, FAKE_PICK);
		expect(versions[i].major, PICK, "Demo.Outer.Inner.Pick");
		expect(versions[i].major, END - 1, "Demo.Outer.Inner.Pick");
		expect(versions[i].major, WORK, NULL);
	}
}

static void method_has_no_name_if_the_restored_method_has_another_method_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i], WORK, FAKE_PICK);
		expect(versions[i].major, WORK, NULL);
	}
}

/*
 * In an image of only one assembly, an instantiation's method row may be that of another assembly,
 * which is unknown.
 */
static void generic_instantiation_in_an_image_of_one_assembly_has_no_name(void **state)
{
	(void)state;
	make(&versions[2], PICK, FAKE_PICK);
	put_image(OF_METHODS);
	expect(10, PICK, NULL);
	assert_string_equal(name.reason, "ReadyToRun index unreadable");
}

static void method_has_no_wrong_name_if_a_read_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		u32 n_failed = 0;

		make(&versions[i], WORK, FAKE_WORK);
		for (u32 n = 1;; n++) {
			u32 n_reads = n;
			int r = name_at(versions[i].major, WORK, &n_reads);

			n_failed += r != 0;
			if (!r)
				assert_string_equal(name.method, "Work");
			if (n_reads < n)
				break;
		}
		assert_true(n_failed > 20);
	}
}

/* The memory is truncated before, inside and after each structure. */
static void method_has_the_right_name_or_none_if_memory_is_truncated_anywhere(void **state)
{
	static const char *const names[] = { "Work", "Pick" };
	static const u32 entries[] = { WORK, PICK }, rows[] = { FAKE_WORK, FAKE_PICK };

	(void)state;
	for (size_t i = 0; i < N(versions) * N(entries); i++) {
		const struct version *v = &versions[i / N(entries)];
		u32 which = i % N(entries), n_named = 0, n_cut = 0;

		make(v, entries[which], rows[which]);
		for (u32 len = 1; len < MEMORY_LEN; len++) {
			u32 none = 0;

			if (!memory[len - 1] && !memory[len])
				continue;
			memory_len = len;
			n_cut++;
			if (name_at(v->major, entries[which], &none))
				continue;
			n_named++;
			assert_string_equal(name.method, names[which]);
		}
		memory_len = MEMORY_LEN;
		assert_true(n_cut > 500 && n_named < n_cut / 2);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(method_has_the_right_name_or_none_if_memory_is_truncated_anywhere),
	cmocka_unit_test(code_of_a_method_has_a_name_only_after_the_runtime_restored_the_method),
	cmocka_unit_test(method_has_no_name_if_the_restored_method_has_another_method_row),
	cmocka_unit_test(generic_instantiation_in_an_image_of_one_assembly_has_no_name),
	cmocka_unit_test(method_has_no_wrong_name_if_a_read_fails),
};

int main(void)
{
	return CHECK_RUN(tests);
}
