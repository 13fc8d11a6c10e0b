/* SPDX-License-Identifier: BSD-2-Clause */

/* PE headers and metadata of a hand-made assembly that is complete, truncated or damaged. */

#include "../../inspect/dotnet/metadata_number.h"
#include "../../inspect/dotnet/metadata_type.h"
#include "../../inspect/dotnet/pe.h"
#include "../../inspect/dotnet/readable.h"
#include "../check.h"
#include "fake_assembly.h"
#include "fake_bytes.h"

#define GUID_LEN 16
#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x10000000ull
#define CLI_METADATA 1

static struct fake_assembly assembly;

/* Finds the metadata by the PE headers, with only the first @len bytes of the file. */
static int open_metadata(struct fake_bytes *b, size_t len, struct metadata *m)
{
	struct pe pe;
	struct pe_range range;
	u64 addr;
	int r;

	fake_bytes_init(b, BASE, assembly.bytes, len);
	r = pe_init(&pe, &b->target, BASE, true);
	if (!r)
		r = pe_cli_range(&pe, CLI_METADATA, &range);
	if (!r)
		r = pe_addr(&pe, range, &addr);
	return r ? r : metadata_init(m, &b->target, addr, range.len);
}

static int type_text(const struct metadata *m, u32 method, char *name, size_t len)
{
	struct metadata_path path;
	struct text text;
	u32 row;
	int r = metadata_method_type(m, method, &row);

	text_init(&text, name, len);
	if (!r)
		r = metadata_path_get(m, row, &path);
	return r ? r : metadata_path_text(m, &path, &text);
}

static const struct {
	u32 method;
	const char *type, *parameters;
} expected[] = {
	{ FAKE_CTOR, "Demo.Outer`1", "(int, List<T>)" },
	{ FAKE_WORK, "Demo.Outer`1+Inner", "(int, List<T>)" },
	{ FAKE_PICK, "Demo.Outer`1+Inner", "(M, T)" },
	{ FAKE_MOVE_NEXT, "Demo.Outer`1+Inner+<RunAsync>d__1", NULL },
};

static const u8 pick[] = { 0x30, 1, 2, 1, 0x1e, 0, 0x13, 0 };

/*
 * Checks that every name and every parameter list that can be read is right. Return: how many of
 * them can be read.
 */
static int check_names(const struct metadata *m)
{
	char name[256], parameters[256];
	struct text text;
	int n = 0;

	for (size_t i = 0; i < N(expected); i++) {
		if (!type_text(m, expected[i].method, name, sizeof(name))) {
			assert_string_equal(name, expected[i].type);
			n++;
		}
		text_init(&text, parameters, sizeof(parameters));
		if (!metadata_parameters(m, expected[i].method, &text)) {
			assert_string_equal(parameters, expected[i].parameters);
			n++;
		} else {
			assert_string_equal(parameters, "");
		}
	}
	return n;
}

static void names_of_types_and_parameters_are_read_from_metadata(void **state)
{
	struct fake_bytes b;
	struct metadata m;

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	assert_int_equal(open_metadata(&b, assembly.len, &m), 0);
	assert_int_equal(check_names(&m), 7);
}

/*
 * An assembly that is still being built can have unsorted tables, in which a binary search may
 * fail.
 */
static void metadata_with_unsorted_tables_is_refused(void **state)
{
	u8 *root = assembly.bytes + FAKE_METADATA_OFF, *name;
	struct fake_bytes b;
	struct metadata m;
	u32 off;

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	name = memmem(root, assembly.metadata_len, "#~", 2);
	assert_non_null(name);
	memcpy(&off, name - 8, sizeof(off));
	name[1] = '-';
	assert_int_equal(open_metadata(&b, assembly.len, &m), -ENOTSUP);
	root[off + 24 + 4 * 5] = 1; /* number of rows of NestedClass */
	assert_int_equal(open_metadata(&b, assembly.len, &m), -ENOTSUP);
	root[off + 24 + 4 * 6] = 1; /* number of rows of GenericParam */
	assert_int_equal(open_metadata(&b, assembly.len, &m), 0);
	root[off + 8] |= 1 << METADATA_METHOD_PTR; /* with the row count of MethodDef */
	assert_int_equal(open_metadata(&b, assembly.len, &m), -ENOTSUP);
}

static void section_of_a_mapped_image_is_read_at_its_rva(void **state)
{
	static u8 mapped[0x3000];
	struct fake_bytes b;
	struct pe_range range;
	struct metadata m;
	struct pe pe;
	u64 addr;

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	memcpy(mapped, assembly.bytes, 0x200);
	memcpy(mapped + 0x2000, assembly.bytes + 0x200, assembly.len - 0x200);
	fake_bytes_init(&b, BASE, mapped, sizeof(mapped));
	assert_int_equal(pe_init(&pe, &b.target, BASE, false), 0);
	assert_int_equal(pe_cli_range(&pe, CLI_METADATA, &range), 0);
	assert_int_equal(pe_addr(&pe, range, &addr), 0);
	assert_int_equal(metadata_init(&m, &b.target, addr, range.len), 0);
	assert_int_equal(check_names(&m), 7);
	/* Read with the other layout, the headers do not lead to the metadata. */
	pe.is_flat = true;
	assert_true(pe_cli_range(&pe, CLI_METADATA, &range) || pe_addr(&pe, range, &addr) ||
		    metadata_init(&m, &b.target, addr, range.len));
}

static void rva_outside_all_sections_has_no_address(void **state)
{
	struct fake_bytes b;
	struct pe_section s;
	struct pe pe;
	u64 addr;

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	fake_bytes_init(&b, BASE, assembly.bytes, assembly.len);
	assert_int_equal(pe_init(&pe, &b.target, BASE, true), 0);
	s = pe.sections[pe.n_sections - 1];
	const struct {
		struct pe_range range;
		int r;
	} rows[] = {
		{ { s.rva, s.file_len }, 0 },
		{ { s.rva + s.file_len - 4, 4 }, 0 },
		{ { s.rva + s.file_len, 0 }, 0 },
		{ { s.rva, s.file_len + 1 }, -ERANGE },
		{ { s.rva + s.file_len - 4, 5 }, -ERANGE },
		{ { s.rva + s.file_len + 1, 0 }, -ERANGE },
		{ { s.rva + 4, 0xffffffff }, -ERANGE },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (pe_addr(&pe, rows[i].range, &addr) != rows[i].r)
			fail_msg("row %zu", i);
}

static void file_truncated_at_any_length_gives_right_names_or_none(void **state)
{
	struct fake_bytes b;
	struct metadata m;
	int n_open = 0;

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	for (size_t len = 0; len < assembly.len; len++) {
		if (!open_metadata(&b, len, &m)) {
			n_open++;
			assert_true(check_names(&m) < 7 || len > assembly.len - GUID_LEN - 4);
		}
	}
	/* The tables come before the heaps, and the end of the last heap contains no name. */
	assert_true(n_open > 100);
}

static void truncated_metadata_is_refused(void **state)
{
	struct fake_bytes b;
	struct metadata m = { .len = 7 };

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	fake_bytes_init(&b, BASE, assembly.bytes, assembly.len);
	for (u32 len = 0; len < assembly.metadata_len; len++)
		assert_int_equal(metadata_init(&m, &b.target, BASE + FAKE_METADATA_OFF, len),
				 -ENOEXEC);
	assert_int_equal(m.len, 7);
	assert_int_equal(
		metadata_init(&m, &b.target, BASE + FAKE_METADATA_OFF, assembly.metadata_len), 0);
}

static void assembly_with_a_corrupt_byte_is_read_within_bounds(void **state)
{
	struct fake_bytes b;
	struct metadata m;
	char text[256];

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	for (u32 i = 0; i < assembly.len; i++) {
		for (u32 bit = 0; bit < 8; bit += 7) {
			assembly.bytes[i] ^= 1u << bit;
			if (!open_metadata(&b, assembly.len, &m)) {
				for (u32 row = 0; row < 6; row++) {
					struct text out;

					type_text(&m, row, text, sizeof(text));
					text_init(&out, text, sizeof(text));
					metadata_parameters(&m, row, &out);
				}
			}
			assembly.bytes[i] ^= 1u << bit;
		}
	}
}

static void method_has_no_wrong_name_if_a_read_fails(void **state)
{
	struct fake_bytes b;
	struct metadata m = { .len = 7 };
	u64 root = BASE + FAKE_METADATA_OFF;
	u32 n;

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	fake_bytes_init(&b, BASE, assembly.bytes, assembly.len);
	assert_int_equal(metadata_init(&m, &b.target, root, assembly.metadata_len), 0);
	n = b.n_reads;
	m.len = 7;
	for (u32 i = 1; i <= n; i++) {
		fake_bytes_init(&b, BASE, assembly.bytes, assembly.len);
		b.fail_at = i;
		assert_int_equal(metadata_init(&m, &b.target, root, assembly.metadata_len),
				 -EFAULT);
		assert_int_equal(m.len, 7);
	}
}

static void type_nested_in_itself_is_an_error(void **state)
{
	struct fake_bytes b;
	struct metadata m;
	char name[256];

	(void)state;
	fake_assembly_make(&assembly, pick, sizeof(pick));
	/* Inner is nested in the iterator class, which is nested in Inner. */
	assembly.bytes[assembly.nested_off + 2] = FAKE_BODY;
	assert_int_equal(open_metadata(&b, assembly.len, &m), 0);
	assert_int_equal(type_text(&m, FAKE_WORK, name, sizeof(name)), -ELOOP);
	/* A type nested in itself. */
	assembly.bytes[assembly.nested_off + 2] = FAKE_INNER;
	assert_int_equal(type_text(&m, FAKE_WORK, name, sizeof(name)), -ELOOP);
}

/* ---- signatures ---- */

struct signature {
	const char *text; /* NULL: the signature is refused */
	u8 bytes[24];
	u8 len;
};

#define SIG(text, ...)                                                                             \
	{                                                                                          \
		text, { __VA_ARGS__ }, sizeof((u8[]){ __VA_ARGS__ })                               \
	}

/* ECMA-335 II.23.2: calling convention, number of parameters, return type, parameter types. */
static const struct signature signatures[] = {
	SIG("()", 0, 0, 1),
	SIG("(bool, char, sbyte, byte)", 0, 4, 1, 2, 3, 4, 5),
	SIG("(short, ushort, int, uint, long, ulong)", 0, 6, 1, 6, 7, 8, 9, 0xa, 0xb),
	SIG("(float, double, string, object, nint, nuint)", 0, 6, 1, 0xc, 0xd, 0xe, 0x1c, 0x18,
	    0x19),
	SIG("(int*, void**, byte[], string[][])", 0, 4, 1, 0xf, 8, 0xf, 0xf, 1, 0x1d, 5, 0x1d, 0x1d,
	    0xe),
	SIG("(ref int, TypedReference)", 0, 2, 1, 0x10, 8, 0x16),
	SIG("(Empty, Outer)", 0, 2, 1, 0x11, 3 << 2, 0x12, 2 << 2),
	SIG("(List<List<T>>)", 0, 1, 1, 0x15, 0x12, 5, 1, 0x15, 0x12, 5, 1, 0x13, 0),
	SIG("(int[], int[,,])", 0, 2, 1, 0x14, 8, 1, 0, 0, 0x14, 8, 3, 1, 9, 0),
	SIG("(delegate*<int, T, void>)", 0, 1, 1, 0x1b, 0, 2, 1, 8, 0x13, 0),
	SIG("(int)", 0, 1, 1, 0x20, 5, 0x1f, 5, 8), /* custom modifiers */
	SIG("(M)", 0x10, 1, 1, 0x1e, 0, 0x1e, 0),
	SIG(NULL, 0), /* truncated */
	SIG(NULL, 0, 2, 1, 8),
	SIG(NULL, 0, 1, 1, 0x13, 1), /* a type parameter that does not exist */
	SIG(NULL, 0, 1, 1, 0x12, 9 << 2), /* a row of TypeDef that does not exist */
	SIG(NULL, 0, 1, 1, 0x12, 2), /* a TypeSpec */
	SIG(NULL, 0, 1, 1, 0x14, 8, 0, 0, 0), /* an array without a rank */
	SIG(NULL, 0, 1, 1, 0x14, 8, 33, 0, 0),
	SIG(NULL, 0, 1, 1, 0x15, 8, 5, 1, 8), /* generic instance of a non-class */
	SIG(NULL, 0, 1, 1, 0x21), /* an unknown element type */
	SIG(NULL, 0, 0xc0), /* half of a compressed number */
};

static void signatures_are_printed_in_csharp_syntax(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(signatures); i++) {
		const struct signature *s = &signatures[i];
		struct fake_bytes b;
		struct metadata m;
		struct text out;
		char text[256];

		fake_assembly_make(&assembly, s->bytes, s->len);
		assert_int_equal(open_metadata(&b, assembly.len, &m), 0);
		text_init(&out, text, sizeof(text));
		assert_int_equal(!metadata_parameters(&m, FAKE_PICK, &out), s->text != NULL);
		assert_string_equal(text, s->text ? s->text : "");
	}
}

static void type_signature_without_an_end_is_refused(void **state)
{
	u8 deep[90] = { 0, 1, 1 };
	struct fake_bytes b;
	struct metadata m;
	struct text out;
	char text[256];

	(void)state;
	memset(deep + 3, 0x1d, sizeof(deep) - 3);
	fake_assembly_make(&assembly, deep, sizeof(deep));
	assert_int_equal(open_metadata(&b, assembly.len, &m), 0);
	text_init(&out, text, sizeof(text));
	assert_int_equal(metadata_parameters(&m, FAKE_PICK, &out), -ENOEXEC);
}

/* ---- compressed numbers and compiler-generated names ---- */

/* The examples of ECMA-335 II.23.2. */
static void compressed_numbers_are_decoded_as_the_standard_specifies(void **state)
{
	static const struct {
		u8 bytes[4], len;
		u32 u;
		s32 s;
	} rows[] = {
		{ { 0x03 }, 1, 3, -63 },
		{ { 0x7f }, 1, 0x7f, -1 },
		{ { 0x06 }, 1, 6, 3 },
		{ { 0x7b }, 1, 0x7b, -3 },
		{ { 0x80, 0x80 }, 2, 0x80, 64 },
		{ { 0xae, 0x57 }, 2, 0x2e57, -2261 },
		{ { 0xbf, 0xff }, 2, 0x3fff, -1 },
		{ { 0x01 }, 1, 1, -64 },
		{ { 0xc0, 0x00, 0x40, 0x00 }, 4, 0x4000, 8192 },
		{ { 0x80, 0x01 }, 2, 1, -8192 },
		{ { 0xdf, 0xff, 0xff, 0xfe }, 4, 0x1ffffffe, 268435455 },
		{ { 0xc0, 0x00, 0x00, 0x01 }, 4, 1, -268435456 },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		u32 u;
		s32 s;

		assert_int_equal(metadata_uint(rows[i].bytes, 4, &u), rows[i].len);
		assert_int_equal(u, rows[i].u);
		assert_int_equal(metadata_sint(rows[i].bytes, 4, &s), rows[i].len);
		assert_int_equal(s, rows[i].s);
		for (u32 len = 0; len < rows[i].len; len++)
			assert_int_equal(metadata_uint(rows[i].bytes, len, &u), -EINVAL);
	}
	assert_int_equal(metadata_uint((const u8[]){ 0xe0, 0, 0, 0 }, 4, &(u32){ 0 }), -EINVAL);
}

static void compiler_generated_name_is_made_readable(void **state)
{
	static const struct {
		const char *name, *text;
	} methods[] = {
		{ "Main", "Main" },
		{ "<Main>$", "<Main>$" },
		{ ".ctor", ".ctor" },
		{ "<Main>b__0_1", "Main.<lambda_0_1>" },
		{ "<Main>g__Add|0_1", "Main.Add" },
		{ "<<Main>$>g__Add|0_0", "<Main>$.Add" },
		{ "<<Run>b__0_0>g__Inner|2", "Run.<lambda_0_0>.Inner" },
		{ "<Count>k__BackingField", "<Count>k__BackingField" },
		{ "<Main>b", "<Main>b" },
		{ "<Main>b_0", "<Main>b_0" },
		{ "<Main", "<Main" },
		{ "<>b__0", "<>b__0" },
		{ "", "" },
	};
	static const struct {
		const char *name, *text;
		enum readable_type kind;
	} types[] = {
		{ "Inner", "", READABLE_PLAIN },
		{ "<>c", "", READABLE_CLOSURE },
		{ "<>c__DisplayClass1_0", "", READABLE_CLOSURE },
		{ "<RunAsync>d__3", "RunAsync", READABLE_STATE_MACHINE },
		{ "<<Main>$>d__0", "<Main>$", READABLE_STATE_MACHINE },
		{ "<<Run>b__0_0>d", "Run.<lambda_0_0>", READABLE_STATE_MACHINE },
		{ "<PrivateImplementationDetails>", "", READABLE_PLAIN },
	};
	struct text out;
	char text[64];

	(void)state;
	for (size_t i = 0; i < N(methods); i++) {
		text_init(&out, text, sizeof(text));
		readable_method(methods[i].name, &out);
		assert_string_equal(text, methods[i].text);
	}
	for (size_t i = 0; i < N(types); i++) {
		text_init(&out, text, sizeof(text));
		assert_int_equal(readable_type(types[i].name, &out), types[i].kind);
		assert_string_equal(text, types[i].text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_of_types_and_parameters_are_read_from_metadata),
	cmocka_unit_test(metadata_with_unsorted_tables_is_refused),
	cmocka_unit_test(section_of_a_mapped_image_is_read_at_its_rva),
	cmocka_unit_test(rva_outside_all_sections_has_no_address),
	cmocka_unit_test(file_truncated_at_any_length_gives_right_names_or_none),
	cmocka_unit_test(truncated_metadata_is_refused),
	cmocka_unit_test(assembly_with_a_corrupt_byte_is_read_within_bounds),
	cmocka_unit_test(method_has_no_wrong_name_if_a_read_fails),
	cmocka_unit_test(type_nested_in_itself_is_an_error),
	cmocka_unit_test(signatures_are_printed_in_csharp_syntax),
	cmocka_unit_test(type_signature_without_an_end_is_refused),
	cmocka_unit_test(compressed_numbers_are_decoded_as_the_standard_specifies),
	cmocka_unit_test(compiler_generated_name_is_made_readable),
};

int main(void)
{
	return CHECK_RUN(tests);
}
