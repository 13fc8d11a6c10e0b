/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Formats types and signatures of metadata as text. */

#include "metadata.h"
#include "text.h"

#define METADATA_MAX_NESTING 16

/* A type and its enclosing types, outermost first. */
struct metadata_path {
	u32 rows[METADATA_MAX_NESTING]; /* of TypeDef */
	u32 n;
};

/* Gets a type's path. Returns 0, -ENOENT, -ELOOP (nested too deeply) or the errno of reading. */
int metadata_path_get(const struct metadata *m, u32 type_row, struct metadata_path *path);

/* Formats a path as in metadata: "Demo.Outer`1+Inner". */
int metadata_path_text(const struct metadata *m, const struct metadata_path *path,
		       struct text *out);

/* Finds the row (TypeDef) of the type that declares a method. */
int metadata_method_type(const struct metadata *m, u32 method_row, u32 *type_row);

/*
 * Returns the C# keyword for a type of namespace System ("int" for "Int32"), or NULL if there is
 * none.
 */
const char *metadata_keyword(const char *name);

/*
 * Returns the length of a name without a suffix like "`1"; *arity is the number in the suffix, or
 * 0.
 */
size_t metadata_plain_len(const char *name, u32 *arity);

/**
 * metadata_parameters() - format the parameters of a method in C# syntax
 * @out:	"(int, ref List<T>)" is appended; nothing on failure
 *
 * Return: 0, -ENOEXEC (the signature is crafted) or the errno of reading.
 */
int metadata_parameters(const struct metadata *m, u32 method_row, struct text *out);

/* Formats one type. Returns the encoded length of the type, or a negative errno. */
int metadata_type_text(const struct metadata *m, const u8 *bytes, const u8 *end, struct text *out);
