/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "metadata_type.h"

#define MAX_NAME 512

static int cmp_cell(const struct metadata *m, u32 row, u32 wanted, u32 *enclosing)
{
	u32 nested;
	int err = metadata_cell(m, METADATA_NESTED_CLASS, row, NESTED_CLASS_NESTED, &nested);

	if (err)
		return err;
	if (nested != wanted)
		return -ENOENT;
	return metadata_cell(m, METADATA_NESTED_CLASS, row, NESTED_CLASS_ENCLOSING, enclosing);
}

int metadata_path_get(const struct metadata *m, u32 type_row, struct metadata_path *path)
{
	u32 rows[METADATA_MAX_NESTING], n = 0, row = type_row;

	for (;;) {
		u32 at;
		int err;

		if (n == METADATA_MAX_NESTING)
			return -ELOOP;
		rows[n++] = row;
		err = metadata_last_row(m, METADATA_NESTED_CLASS, NESTED_CLASS_NESTED, row, &at);
		if (!err)
			err = cmp_cell(m, at, row, &row);
		if (err == -ENOENT)
			break;
		if (err)
			return err;
	}
	path->n = n;
	for (u32 i = 0; i < n; i++)
		path->rows[i] = rows[n - 1 - i];
	return 0;
}

static int read_name(const struct metadata *m, enum metadata_table table, u32 row, u32 column,
		     char *name, size_t len)
{
	u32 idx;
	int err = metadata_cell(m, table, row, column, &idx);

	return err ? err : metadata_string(m, idx, name, len);
}

int metadata_path_text(const struct metadata *m, const struct metadata_path *path, struct text *out)
{
	char name[MAX_NAME];
	int err = read_name(m, METADATA_TYPE_DEF, path->rows[0], TYPE_DEF_NAMESPACE, name,
			    sizeof(name));

	if (err)
		return err;
	text_add(out, "%s%s", name, name[0] ? "." : "");
	for (u32 i = 0; i < path->n; i++) {
		err = read_name(m, METADATA_TYPE_DEF, path->rows[i], TYPE_DEF_NAME, name,
				sizeof(name));
		if (err)
			return err;
		text_add(out, "%s%s", i ? "+" : "", name);
	}
	return 0;
}

/*
 * Finds the type of a method's row: the last type whose methods start at or before the row. Types
 * without methods that have the same start precede that type.
 */
int metadata_method_type(const struct metadata *m, u32 method_row, u32 *type_row)
{
	if (!method_row || method_row > m->rows[METADATA_METHOD_DEF])
		return -ENOENT;
	return metadata_last_row(m, METADATA_TYPE_DEF, TYPE_DEF_METHODS, method_row, type_row);
}

const char *metadata_keyword(const char *name)
{
	static const char *const words[][2] = {
		{ "Boolean", "bool" },	  { "Byte", "byte" },	  { "Char", "char" },
		{ "Decimal", "decimal" }, { "Double", "double" }, { "Int16", "short" },
		{ "Int32", "int" },	  { "Int64", "long" },	  { "IntPtr", "nint" },
		{ "Object", "object" },	  { "SByte", "sbyte" },	  { "Single", "float" },
		{ "String", "string" },	  { "UInt16", "ushort" }, { "UInt32", "uint" },
		{ "UInt64", "ulong" },	  { "UIntPtr", "nuint" }, { "Void", "void" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i][0]))
			return words[i][1];
	return NULL;
}

size_t metadata_plain_len(const char *name, u32 *arity)
{
	const char *tick = strrchr(name, '`');

	*arity = 0;
	if (!tick || tick == name || strspn(tick + 1, "0123456789") != strlen(tick + 1) ||
	    !tick[1] || strlen(tick + 1) > 3)
		return strlen(name);
	*arity = (u32)atoi(tick + 1);
	return (size_t)(tick - name);
}
