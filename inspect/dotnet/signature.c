/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A method's signature consists of the calling convention, the number of the method's own
 * type parameters (if bit 0x10 of the convention is set), the number of parameters, the
 * type of the result, and the types of the parameters. A type is an element code that may
 * be followed by a token, a number or other types, so it is decoded by recursion of bounded
 * depth and output. Source: ECMA-335 6th edition, II.23.1.16 and II.23.2.
 */

#include <errno.h>

#include "metadata_number.h"
#include "metadata_type.h"
#include "readable.h"

#define MAX_LEN 1024
#define MAX_DEPTH 16
#define MAX_NAME 512

/* Element codes. */
enum {
	PTR = 0x0f,
	BYREF = 0x10,
	VALUETYPE = 0x11,
	CLASS = 0x12,
	VAR = 0x13,
	ARRAY = 0x14,
	GENERIC_INST = 0x15,
	FN_PTR = 0x1b,
	SZ_ARRAY = 0x1d,
	MVAR = 0x1e,
	CMOD_REQD = 0x1f,
	CMOD_OPT = 0x20,
	SENTINEL = 0x41,
	PINNED = 0x45,
};

static const char *const primitives[] = {
	[0x01] = "void",   [0x02] = "bool",   [0x03] = "char",		 [0x04] = "sbyte",
	[0x05] = "byte",   [0x06] = "short",  [0x07] = "ushort",	 [0x08] = "int",
	[0x09] = "uint",   [0x0a] = "long",   [0x0b] = "ulong",		 [0x0c] = "float",
	[0x0d] = "double", [0x0e] = "string", [0x16] = "TypedReference", [0x18] = "nint",
	[0x19] = "nuint",  [0x1c] = "object", [0x3e] = "__Canon", /* in ReadyToRun */
};

struct signature {
	const struct metadata *m;
	u8 bytes[MAX_LEN];
	u32 len, pos;
	u32 method_row, type_row; /* rows of the owners of MVAR and VAR parameters */
	struct text *out;
};

static int take(struct signature *s, u32 *value)
{
	int n = metadata_uint(s->bytes + s->pos, s->len - s->pos, value);

	if (n < 0)
		return -ENOEXEC;
	s->pos += (u32)n;
	return 0;
}

/* Adds the type of a TypeDefOrRef: tag 0 TypeDef, 1 TypeRef, 2 TypeSpec. */
static int add_token(struct signature *s)
{
	static const struct {
		enum metadata_table table;
		u32 column, namespace;
	} places[] = { { METADATA_TYPE_DEF, TYPE_DEF_NAME, TYPE_DEF_NAMESPACE },
		       { METADATA_TYPE_REF, TYPE_REF_NAME, TYPE_REF_NAMESPACE } };
	char name[MAX_NAME];
	u32 token, idx, arity;
	size_t len;
	int err = take(s, &token);

	if (err)
		return err;
	if ((token & 3) > 1)
		return -ENOEXEC;
	err = metadata_cell(s->m, places[token & 3].table, token >> 2, places[token & 3].column,
			    &idx);
	if (!err)
		err = metadata_string(s->m, idx, name, sizeof(name));
	if (err)
		return err;
	len = metadata_plain_len(name, &arity);
	readable_type_name(name, len, s->out);
	return 0;
}

/* GenericParam is sorted by owner (TypeOrMethodDef), then number. */
static int add_variable(struct signature *s, bool is_of_method)
{
	u32 owner = is_of_method ? s->method_row << 1 | 1 : s->type_row << 1;
	char name[MAX_NAME];
	u32 number, row, idx;
	int err = take(s, &number);

	if (err)
		return err;
	if (metadata_last_row(s->m, METADATA_GENERIC_PARAM, GENERIC_PARAM_OWNER, owner - 1, &row))
		row = 0;
	if (number > 255 ||
	    metadata_cell(s->m, METADATA_GENERIC_PARAM, row + 1 + number, GENERIC_PARAM_OWNER,
			  &idx) ||
	    idx != owner)
		return -ENOEXEC;
	err = metadata_cell(s->m, METADATA_GENERIC_PARAM, row + 1 + number, GENERIC_PARAM_NAME,
			    &idx);
	if (!err)
		err = metadata_string(s->m, idx, name, sizeof(name));
	if (!err)
		text_add(s->out, "%s", name);
	return err;
}

static int add_type(struct signature *s, int depth);

static int add_list(struct signature *s, u32 n, int depth)
{
	for (u32 i = 0; i < n; i++) {
		int err;

		if (i)
			text_add(s->out, ", ");
		err = add_type(s, depth);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Adds an array type with its rank. Skips the sizes and lower bounds that follow the rank, because
 * names omit them.
 */
static int add_array(struct signature *s, int depth)
{
	u32 rank, n, ignored;
	int err = add_type(s, depth);

	if (!err)
		err = take(s, &rank);
	if (err || !rank || rank > 32)
		return err ? err : -ENOEXEC;
	text_add(s->out, "[%.*s]", (int)rank - 1, ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,");
	for (int part = 0; part < 2; part++) {
		err = take(s, &n);
		for (u32 i = 0; !err && i < n; i++)
			err = take(s, &ignored);
		if (err)
			return err;
	}
	return 0;
}

static int add_generic(struct signature *s, int depth)
{
	u32 kind, n;
	int err = take(s, &kind);

	if (!err)
		err = kind == CLASS || kind == VALUETYPE ? add_token(s) : -ENOEXEC;
	if (!err)
		err = take(s, &n);
	if (err)
		return err;
	text_add(s->out, "<");
	err = add_list(s, n, depth);
	text_add(s->out, ">");
	return err;
}

/* Reads a signature's head: convention, [number of type parameters,] number of parameters. */
static int take_head(struct signature *s, u32 *n)
{
	u32 convention, ignored;
	int err = take(s, &convention);

	if (!err && convention & 0x10)
		err = take(s, &ignored);
	return err ? err : take(s, n);
}

/* The result comes first in the signature, and last in C#'s "delegate*<int, void>". */
static int add_function(struct signature *s, int depth)
{
	char result[MAX_NAME];
	struct text *out = s->out, text;
	u32 n;
	int err = take_head(s, &n);

	if (err)
		return err;
	text_init(&text, result, sizeof(result));
	s->out = &text;
	err = add_type(s, depth);
	s->out = out;
	if (err)
		return err;
	text_add(out, "delegate*<");
	err = add_list(s, n, depth);
	text_add(out, "%s%s>", n ? ", " : "", result);
	return err;
}

static int skip_modifier(struct signature *s)
{
	u32 token;

	return take(s, &token);
}

static int add_suffixed(struct signature *s, int depth, const char *suffix)
{
	int err = add_type(s, depth);

	if (!err)
		text_add(s->out, "%s", suffix);
	return err;
}

static int add_type(struct signature *s, int depth)
{
	u32 code;
	int err = take(s, &code);

	if (err || depth == MAX_DEPTH || s->out->is_cut)
		return err ? err : -ENOEXEC;
	if (code < sizeof(primitives) / sizeof(primitives[0]) && primitives[code]) {
		text_add(s->out, "%s", primitives[code]);
		return 0;
	}
	switch (code) {
	case CLASS:
	case VALUETYPE:
		return add_token(s);
	case VAR:
	case MVAR:
		return add_variable(s, code == MVAR);
	case PTR:
		return add_suffixed(s, depth + 1, "*");
	case SZ_ARRAY:
		return add_suffixed(s, depth + 1, "[]");
	case ARRAY:
		return add_array(s, depth + 1);
	case GENERIC_INST:
		return add_generic(s, depth + 1);
	case FN_PTR:
		return add_function(s, depth + 1);
	case BYREF:
		text_add(s->out, "ref ");
		return add_type(s, depth + 1);
	case CMOD_REQD:
	case CMOD_OPT:
		err = skip_modifier(s);
		return err ? err : add_type(s, depth + 1);
	case SENTINEL:
	case PINNED:
		return add_type(s, depth + 1);
	default:
		return -ENOEXEC;
	}
}

static int read_signature(struct signature *s)
{
	u32 idx;
	u64 addr;
	int err =
		metadata_cell(s->m, METADATA_METHOD_DEF, s->method_row, METHOD_DEF_SIGNATURE, &idx);

	if (!err)
		err = metadata_blob(s->m, idx, &addr, &s->len);
	if (!err && s->len > sizeof(s->bytes))
		err = -ENOEXEC;
	if (!err)
		err = target_read(s->m->target, addr, s->bytes, s->len);
	return err ? err : metadata_method_type(s->m, s->method_row, &s->type_row);
}

int metadata_parameters(const struct metadata *m, u32 method_row, struct text *out)
{
	char text[MAX_LEN], result[MAX_NAME];
	struct text parameters, ignored;
	struct signature s = { .m = m, .method_row = method_row, .out = &ignored };
	u32 n;
	int err = read_signature(&s);

	if (!err)
		err = take_head(&s, &n);
	if (err)
		return err;
	text_init(&ignored, result, sizeof(result));
	err = add_type(&s, 0);
	if (err)
		return err;
	text_init(&parameters, text, sizeof(text));
	s.out = &parameters;
	err = add_list(&s, n, 0);
	if (!err && parameters.is_cut)
		err = -ENOEXEC;
	if (!err)
		text_add(out, "(%s)", text);
	return err;
}

int metadata_type_text(const struct metadata *m, const u8 *bytes, const u8 *end, struct text *out)
{
	struct signature s = { .m = m, .out = out };
	int err;

	s.len = (u32)(end - bytes < MAX_LEN ? end - bytes : MAX_LEN);
	memcpy(s.bytes, bytes, s.len);
	err = add_type(&s, 0);
	return err ? err : (int)s.pos;
}
