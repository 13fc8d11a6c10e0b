/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A CoreCLR in fake memory, for each supported version: code ranges, a code heap, a method, and the
 * module and assembly of the method. The offsets are repeated here as measured on live processes
 * (6.0.36, 7.0.19, 8.0.34, 9.0.17, 10.0.15). No other test checks the offsets for versions 6 and 7.
 */

#include "../../inspect/dotnet/dotnet_build.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "fake_assembly.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x7f1234000000ull

/* Offsets from BASE of the structures in the fake memory. */
enum {
	DAC_TABLE = 0x100,
	HEAD = 0x180,
	SECTION = 0x200,
	FRAGMENT = 0x300,
	HEAP = 0x400,
	HEADER = 0x500,
	CHUNK = 0x600,
	METHOD_DESC = CHUNK + 24 + 8 * 3,
	METHOD_TABLE = 0x700,
	MODULE = 0x800,
	VERSIONS = 0xa40,
	NODE = 0xa80,
	DOMAIN_OF = 0xac0, /* pointer to the Assembly */
	TEXT = 0xb00,
	NIBBLES = 0xc00,
	CODE = 0x1000,
	CODE_LEN = 0x2000,
	METHOD = CODE + 0x1240,
	METHOD_LEN = 0x6a0,
	ASSEMBLY = 0x4000,
	EMITTED = 0x5000, /* the length, then the metadata */
	BUFFER = 0x5f00,
	LEVELS = 0x6000,
	DOMAIN = LEVELS + 5 * 2048,
	MEMORY_LEN = DOMAIN + 0xa00,
};

struct version {
	u32 major;
	bool is_rva, is_map, is_constant_time, has_wide_token;
	u32 flags, next, heap; /* offsets in a RangeSection */
	u32 bits, dynamic_name; /* shift of a bit field; offset in a MethodDesc */
	u32 module_name, module_base, module_dynamic;
};

static const struct version versions[] = {
	{ 6, true, false, false, false, 0x28, 0x18, 0x30, 14, 0x18, 8, 0, 0 },
	{ 7, false, false, false, false, 0x28, 0x18, 0x30, 13, 0x18, 0x100, 0, 0 },
	{ 8, false, true, false, false, 0x10, 0, 0x28, 12, 0x18, 0x108, 0, 0x698 },
	{ 9, false, true, false, true, 0x10, 0, 0x28, 12, 0x20, 0x108, 0x120, 0x460 },
	{ 10, false, true, true, true, 0x10, 0, 0x28, 12, 0x20, 0xc0, 0xe0, 0x348 },
};

static u8 memory[MEMORY_LEN];
static struct fake_assembly assembly;

static void put(u32 at, u64 value, u32 len)
{
	memcpy(memory + at, &value, len);
}

static void put_ranges(const struct version *v)
{
	u64 table = BASE + LEVELS;

	put(SECTION, BASE + CODE, 8);
	put(SECTION + 8, BASE + CODE + CODE_LEN, 8);
	put(SECTION + v->flags, 2, 4); /* a code heap */
	put(SECTION + v->heap, BASE + HEAP, 8);
	if (!v->is_map) {
		put(DAC_TABLE, v->is_rva ? HEAD : BASE + HEAD, v->is_rva ? 4 : 8);
		put(HEAD, BASE + SECTION, 8);
		return;
	}
	put(DAC_TABLE, table, 8);
	for (int level = 0, shift = 49; level < 5; level++, shift -= 8) {
		u64 next = level == 4 ? BASE + FRAGMENT : table + 2048;

		/*
		 * Bit 0 is set if there is a collectible range below this level of the range map.
		 */
		put((u32)(table - BASE + 8 * ((BASE + CODE) >> shift & 255)), next | 1, 8);
		table += 2048;
	}
	put(FRAGMENT + 8, BASE + CODE, 8);
	put(FRAGMENT + 16, BASE + CODE + CODE_LEN, 8);
	put(FRAGMENT + 24, BASE + SECTION, 8);
}

static void put_code(const struct version *v)
{
	u32 off = METHOD - CODE;

	put(HEAP + 0x10, BASE + CODE, 8);
	put(HEAP + 0x18, BASE + CODE + CODE_LEN, 8);
	put(HEAP + 0x20, BASE + CODE, 8);
	put(HEAP + 0x28, BASE + NIBBLES, 8);
	put(NIBBLES + off / 256 * 4, (off % 32 / 4 + 1ull) << (28 - 4 * (off / 32 % 8)), 4);
	for (u32 word = off / 256 + 1; v->is_constant_time && (word + 1) * 256 <= off + METHOD_LEN;
	     word++)
		put(NIBBLES + word * 4, (off & ~15u) | (9 + off % 16 / 4), 4);
	put(METHOD - 8, BASE + HEADER, 8);
	put(HEADER + 0x18, BASE + METHOD_DESC, 8);
	put(HEADER + 0x20, 2, 4); /* start of a funclet */
	put(HEADER + 0x24, off, 4);
	put(HEADER + 0x28, off + 0x600, 4);
	put(HEADER + 0x30, off + 0x600, 4);
	put(HEADER + 0x34, off + METHOD_LEN, 4);
}

static void put_method(const struct version *v)
{
	put(CHUNK, BASE + METHOD_TABLE, 8);
	put(CHUNK + 18, FAKE_WORK >> v->bits, 2);
	/* The bits above those of the method row belong to other fields. */
	put(METHOD_DESC, FAKE_WORK | 0xffffu << v->bits, 2);
	put(METHOD_DESC + 2, 3, 1);
	if (v->has_wide_token)
		put(METHOD_TABLE + 8, FAKE_INNER << 8 | 0x5a, 4);
	else
		put(METHOD_TABLE + 10, FAKE_INNER, 2);
	put(METHOD_TABLE + 0x18, BASE + MODULE, 8);
	put(MODULE + v->module_name, BASE + ASSEMBLY + assembly.assembly_name_off, 8);
	if (v->module_base)
		put(MODULE + v->module_base, BASE + ASSEMBLY, 8);
}

static void make(const struct version *v)
{
	memset(memory, 0, sizeof(memory));
	fake_assembly_make(&assembly, fake_signature, sizeof(fake_signature));
	memcpy(memory + ASSEMBLY, assembly.bytes, assembly.len);
	put_ranges(v);
	put_code(v);
	put_method(v);
}

struct clr {
	struct fake_bytes bytes;
	struct dotnet_build build;
	struct dotnet_runtime *runtime;
};

static void open_clr(struct clr *c, u32 major, u32 fail_at)
{
	fake_bytes_init(&c->bytes, BASE, memory, sizeof(memory));
	c->bytes.fail_at = fail_at;
	c->build = (struct dotnet_build){ dotnet_layout_get(major), DAC_TABLE };
	assert_int_equal(dotnet_runtime_new(&c->runtime, &c->build, &c->bytes.target, BASE), 0);
}

static int name_at(struct clr *c, u64 pc, struct dotnet_name *name)
{
	struct dotnet_code code;
	int r = dotnet_code_find(c->runtime, pc, &code);

	if (r)
		return r;
	assert_int_equal(code.kind, DOTNET_METHOD);
	assert_int_equal(code.start_addr, BASE + METHOD);
	assert_int_equal(code.end_addr, BASE + METHOD + METHOD_LEN);
	return dotnet_name_get(c->runtime, &code, name);
}

static struct dotnet_name name;

static void method_name_is_found_in_every_runtime_version(void **state)
{
	static const u32 offs[] = { 0, 1, 0x100, 0x2ff, 0x5ff, 0x600, METHOD_LEN - 1 };

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		struct clr c;

		make(&versions[i]);
		open_clr(&c, versions[i].major, 0);
		for (size_t k = 0; k < N(offs); k++) {
			assert_int_equal(name_at(&c, BASE + METHOD + offs[k], &name), 0);
			assert_string_equal(name.name, "Demo.Outer.Inner.Work(int, List<T>)");
			assert_string_equal(name.type, "Demo.Outer`1+Inner");
			assert_string_equal(name.method, "Work");
			assert_string_equal(name.module, "fake");
			assert_int_equal(name.token, 0x06000000 | FAKE_WORK);
			assert_null(name.reason);
		}
		assert_int_equal(name_at(&c, BASE + METHOD - 1, &name), -ENOENT);
		assert_int_equal(name_at(&c, BASE + METHOD + METHOD_LEN, &name), -ENOENT);
		assert_int_equal(name_at(&c, BASE + CODE + CODE_LEN, &name), -ENOENT);
		dotnet_runtime_free(&c.runtime);
	}
}

/* The negative control: reads the memory of one version with the layout of another. */
static void method_has_no_name_if_the_layout_is_that_of_another_runtime_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		for (u32 major = 6; major <= 10; major++) {
			struct clr c;

			if (major == versions[i].major)
				continue;
			make(&versions[i]);
			open_clr(&c, major, 0);
			assert_true(name_at(&c, BASE + METHOD, &name) < 0);
			dotnet_runtime_free(&c.runtime);
		}
	}
}

static void method_has_no_wrong_name_if_a_read_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		u32 n_failed = 0;

		make(&versions[i]);
		for (u32 fail_at = 1;; fail_at++) {
			struct clr c;
			int r;

			open_clr(&c, versions[i].major, fail_at);
			r = name_at(&c, BASE + METHOD + 0x500, &name);
			n_failed += r || name.reason;
			if (!r)
				assert_string_equal(name.method, "Work");
			if (!r && !name.reason)
				assert_string_equal(name.name,
						    "Demo.Outer.Inner.Work(int, List<T>)");
			dotnet_runtime_free(&c.runtime);
			if (c.bytes.n_reads < fail_at)
				break;
		}
		assert_true(n_failed > 20);
	}
}

static void name_of_a_dynamic_method_is_read_from_the_method_descriptor(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		struct clr c;

		make(&versions[i]);
		put(METHOD_DESC + 6, 7, 2); /* classification: a dynamic method */
		put(METHOD_DESC + versions[i].dynamic_name, BASE + TEXT, 8);
		memcpy(memory + TEXT, "lambda_method1", 15);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(name_at(&c, BASE + METHOD, &name), 0);
		assert_string_equal(name.name, "lambda_method1");
		assert_true(name.is_dynamic);
		memcpy(memory + TEXT, "\x80\x12\x34", 4); /* no text */
		assert_int_equal(name_at(&c, BASE + METHOD, &name), -ENOENT);
		assert_non_null(name.reason);
		dotnet_runtime_free(&c.runtime);
	}
}

/*
 * The method descriptor now belongs to another dynamic method, and so may the memory of the code.
 */
static void dynamic_method_whose_code_was_freed_has_no_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		struct dotnet_code code;
		struct clr c;

		make(&versions[i]);
		put(METHOD_DESC + 6, 7, 2); /* classification: a dynamic method */
		put(METHOD_DESC + versions[i].dynamic_name, BASE + TEXT, 8);
		memcpy(memory + TEXT, "lambda_method2", 15);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(dotnet_code_find(c.runtime, BASE + METHOD, &code), 0);
		assert_int_equal(dotnet_name_get(c.runtime, &code, &name), 0);
		code.start_addr += 16; /* the memory had the code of a shorter method */
		assert_int_equal(dotnet_name_get(c.runtime, &code, &name), -ENOENT);
		assert_string_equal(name.reason, "dynamic method freed");
		code.start_addr = BASE + CODE + CODE_LEN;
		assert_int_equal(dotnet_name_get(c.runtime, &code, &name), -ENOENT);
		code.start_addr = BASE + METHOD;
		put(HEADER + 0x18, BASE + METHOD_DESC + 8, 8); /* another method */
		assert_int_equal(dotnet_name_get(c.runtime, &code, &name), -ENOENT);
		dotnet_runtime_free(&c.runtime);
	}
}

/*
 * The metadata row is that of another method in the assembly, and the type of this method is not
 * the expected one.
 */
static void method_has_no_name_if_its_metadata_row_belongs_to_another_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		struct clr c;

		make(&versions[i]);
		put(METHOD_DESC, FAKE_CTOR, 2);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(name_at(&c, BASE + METHOD, &name), -ENOENT);
		assert_string_equal(name.name, "");
		assert_non_null(name.reason);
		dotnet_runtime_free(&c.runtime);
	}
}

static void metadata_of_an_assembly_is_not_used_if_the_module_has_another_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		struct clr c;

		make(&versions[i]);
		memcpy(memory + TEXT, "other", 6);
		put(MODULE + versions[i].module_name, BASE + TEXT, 8);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(name_at(&c, BASE + METHOD, &name), -ENOENT);
		assert_string_equal(name.reason, "module metadata not found");
		dotnet_runtime_free(&c.runtime);
	}
}

/*
 * An unloaded collectible assembly is replaced by its next build, at the same address and with its
 * name at the same offset.
 */
static void method_is_named_from_the_assembly_that_replaced_an_unloaded_assembly(void **state)
{
	const struct version *v8 = &versions[2];
	struct clr c;
	u32 old;

	(void)state;
	make(v8);
	old = assembly.assembly_name_off;
	open_clr(&c, v8->major, 0);
	assert_int_equal(name_at(&c, BASE + METHOD, &name), 0);
	memset(memory + ASSEMBLY, 0, assembly.len);
	fake_assembly_make_more(&assembly, fake_signature, sizeof(fake_signature), 2);
	assert_true(assembly.assembly_name_off > old && assembly.assembly_name_off % 4 == old % 4);
	memcpy(memory + ASSEMBLY + old - assembly.assembly_name_off, assembly.bytes, assembly.len);
	assert_int_equal(name_at(&c, BASE + METHOD, &name), 0);
	assert_string_equal(name.name, "Demo.Outer.Inner.Work(int, List<T>)");
	dotnet_runtime_free(&c.runtime);
}

/*
 * Makes an assembly of Reflection.Emit: it has no image, but a name of its own and saved metadata.
 */
static void put_emitted(const struct version *v)
{
	u64 data = BASE + EMITTED + 4;

	memset(memory + ASSEMBLY, 0, assembly.len);
	memcpy(memory + EMITTED + 4, assembly.bytes + FAKE_METADATA_OFF, assembly.metadata_len);
	put(EMITTED, assembly.metadata_len, 4);
	memcpy(memory + TEXT, "fake", 5);
	put(MODULE + v->module_name, BASE + TEXT, 8);
	if (v->module_base)
		put(MODULE + v->module_base, 0, 8);
	put(BUFFER, assembly.metadata_len, 4);
	put(BUFFER + 16, data, 8);
	put(MODULE + v->module_dynamic, v->major == 8 ? BASE + BUFFER : BASE + EMITTED, 8);
}

static void name_of_a_method_of_reflection_emit_is_read_from_saved_metadata(void **state)
{
	(void)state;
	for (size_t i = 2; i < N(versions); i++) {
		struct clr c;

		make(&versions[i]);
		put_emitted(&versions[i]);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(name_at(&c, BASE + METHOD, &name), 0);
		assert_string_equal(name.name, "Demo.Outer.Inner.Work(int, List<T>)");
		/*
		 * Adding a type replaced the saved metadata, and the memory of the old metadata
		 * was reused.
		 */
		memset(memory + EMITTED + 4, 0, assembly.metadata_len);
		assert_int_equal(name_at(&c, BASE + METHOD, &name), -ENOENT);
		assert_string_equal(name.reason, "module metadata not found");
		dotnet_runtime_free(&c.runtime);
	}
}

static void method_has_no_name_if_the_saved_metadata_is_of_another_assembly(void **state)
{
	(void)state;
	for (size_t i = 2; i < N(versions); i++) {
		struct clr c;

		make(&versions[i]);
		put_emitted(&versions[i]);
		memcpy(memory + TEXT, "other", 6);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(name_at(&c, BASE + METHOD, &name), -ENOENT);
		dotnet_runtime_free(&c.runtime);
	}
}

static void search_in_a_cyclic_range_list_ends_with_an_error(void **state)
{
	struct dotnet_code code;
	struct clr c;

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i]);
		if (versions[i].is_map)
			put(FRAGMENT, BASE + FRAGMENT, 8);
		else
			put(SECTION + versions[i].next, BASE + SECTION, 8);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(dotnet_code_find(c.runtime, BASE + CODE + CODE_LEN, &code),
				 -ELOOP);
		assert_int_equal(dotnet_code_find(c.runtime, BASE + METHOD, &code), 0);
		dotnet_runtime_free(&c.runtime);
	}
}

/*
 * A code heap is mapped and filled gradually, so the range must also include code that is compiled
 * later.
 */
static void range_of_a_code_heap_includes_the_part_that_is_not_filled_yet(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		_cleanup_free_ struct dotnet_range *v = NULL;
		struct clr c;
		u32 n;

		make(&versions[i]);
		put(HEAP + 0x18, BASE + METHOD + METHOD_LEN, 8);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(dotnet_ranges_get(c.runtime, &v, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(v[0].kind, DOTNET_RANGE_JIT);
		assert_int_equal(v[0].start_addr, BASE + CODE);
		assert_int_equal(v[0].end_addr, BASE + CODE + CODE_LEN);
		dotnet_runtime_free(&c.runtime);
	}
}

static void code_in_a_stub_block_is_named_by_the_kind_of_the_block(void **state)
{
	struct dotnet_code code;
	struct clr c;

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i]);
		put(METHOD - 8, 7, 8);
		open_clr(&c, versions[i].major, 0);
		assert_int_equal(dotnet_code_find(c.runtime, BASE + METHOD + 0x70, &code), 0);
		assert_int_equal(code.kind, DOTNET_STUB);
		assert_int_equal(dotnet_name_get(c.runtime, &code, &name), 0);
		assert_string_equal(name.name, "VSD resolve stub");
		dotnet_runtime_free(&c.runtime);
	}
}

/* Makes a list of code versions; the first node is that of the method's code, with tier @tier. */
static void put_versions(const struct version *v, u32 tier)
{
	put(VERSIONS, BASE + METHOD_DESC, 8);
	put(VERSIONS + 0x10, BASE + NODE, 8);
	put(NODE, BASE + METHOD, 8);
	put(NODE + 8, BASE + METHOD_DESC, 8);
	put(NODE + 0x24, tier, 4);
	put(TEXT, BASE + VERSIONS, 8);
	if (v->major >= 9) {
		put(METHOD_DESC + 8, BASE + TEXT, 8);
		return;
	}
	put(MODULE + 0x128, BASE + DOMAIN_OF, 8);
	put(DOMAIN_OF, BASE + DOMAIN, 8);
	put(DOMAIN + 0x9d8, BASE + TEXT - 8 * ((u32)(BASE + METHOD_DESC) % 7), 8);
	put(DOMAIN + 0x9e0, 7, 4);
	put(DOMAIN + 0x9e4, 1, 4);
	put(DOMAIN + 0x9e8, 1, 4);
	put(DOMAIN + 0x9ec, 5, 4);
}

static enum dotnet_tier tier_of(u32 major)
{
	struct dotnet_code code;
	enum dotnet_tier tier;
	struct clr c;

	open_clr(&c, major, 0);
	assert_int_equal(dotnet_code_find(c.runtime, BASE + METHOD, &code), 0);
	tier = dotnet_tier_get(c.runtime, &code);
	dotnet_runtime_free(&c.runtime);
	return tier;
}

static void tier_of_a_method_is_read_from_the_list_of_its_code_versions(void **state)
{
	static const enum dotnet_tier want[] = { DOTNET_TIER_0,	      DOTNET_TIER_1,
						 DOTNET_TIER_OSR,     DOTNET_TIER_OPTIMIZED,
						 DOTNET_TIER_0,	      DOTNET_TIER_1,
						 DOTNET_TIER_UNKNOWN, DOTNET_TIER_UNKNOWN };

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		for (u32 k = 0; k < N(want); k++) {
			make(&versions[i]);
			put_versions(&versions[i], k);
			assert_int_equal(tier_of(versions[i].major),
					 versions[i].major < 8 ? DOTNET_TIER_UNKNOWN : want[k]);
		}
	}
}

/* Invalid lists: a cycle, a node of another method, a table of wrong length. */
static void method_has_no_tier_if_the_list_of_its_code_versions_is_invalid(void **state)
{
	static const struct {
		u32 at;
		u64 value;
	} lies[] = { { NODE + 8, BASE + METHOD_DESC + 8 },
		     { VERSIONS, BASE },
		     { VERSIONS + 0x10, 8 },
		     { TEXT, 0x10 } };

	(void)state;
	for (size_t i = 2; i < N(versions); i++) {
		for (size_t k = 0; k < N(lies); k++) {
			make(&versions[i]);
			put_versions(&versions[i], 1);
			put(lies[k].at, lies[k].value, 8);
			assert_int_equal(tier_of(versions[i].major), DOTNET_TIER_UNKNOWN);
		}
		make(&versions[i]);
		put_versions(&versions[i], 1);
		put(NODE, BASE, 8);
		put(NODE + 0x18, BASE + NODE, 8);
		assert_int_equal(tier_of(versions[i].major), DOTNET_TIER_UNKNOWN);
	}
	make(&versions[2]);
	put_versions(&versions[2], 1);
	put(DOMAIN + 0x9e0, 0, 4);
	assert_int_equal(tier_of(8), DOTNET_TIER_UNKNOWN);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(method_name_is_found_in_every_runtime_version),
	cmocka_unit_test(method_has_no_name_if_the_layout_is_that_of_another_runtime_version),
	cmocka_unit_test(method_has_no_wrong_name_if_a_read_fails),
	cmocka_unit_test(name_of_a_dynamic_method_is_read_from_the_method_descriptor),
	cmocka_unit_test(dynamic_method_whose_code_was_freed_has_no_name),
	cmocka_unit_test(method_has_no_name_if_its_metadata_row_belongs_to_another_type),
	cmocka_unit_test(metadata_of_an_assembly_is_not_used_if_the_module_has_another_name),
	cmocka_unit_test(method_is_named_from_the_assembly_that_replaced_an_unloaded_assembly),
	cmocka_unit_test(name_of_a_method_of_reflection_emit_is_read_from_saved_metadata),
	cmocka_unit_test(method_has_no_name_if_the_saved_metadata_is_of_another_assembly),
	cmocka_unit_test(search_in_a_cyclic_range_list_ends_with_an_error),
	cmocka_unit_test(code_in_a_stub_block_is_named_by_the_kind_of_the_block),
	cmocka_unit_test(tier_of_a_method_is_read_from_the_list_of_its_code_versions),
	cmocka_unit_test(method_has_no_tier_if_the_list_of_its_code_versions_is_invalid),
	cmocka_unit_test(range_of_a_code_heap_includes_the_part_that_is_not_filled_yet),
};

int main(void)
{
	return CHECK_RUN(tests);
}
