/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds the offsets of fields in objects. */

#include "dotnet_module.h"

/* A MethodTable and the type's row of TypeDef. */
struct dotnet_type {
	u64 addr, parent; /* parent 0: none */
	u32 row;
	struct dotnet_module *module; /* has metadata; valid until the dotnet_runtime is freed */
	char name[DOTNET_NAME_LEN]; /* as in metadata */
};

/*
 * Gets the MethodTable for a row of TypeDef. Returns -ENOENT if the type is generic, not loaded, or
 * unknown.
 */
int dotnet_type_find(struct dotnet_runtime *rt, const struct dotnet_module *module, u32 row,
		     u64 *addr);

/* Reads a type. Returns 0, -ENOENT (no metadata), -EINVAL or the errno of reading. */
int dotnet_type_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_type *type);

/*
 * Finds the row of one of the type's own fields in the table Field. Returns -ENOENT if the type has
 * no such field.
 */
int dotnet_field_row(const struct metadata *m, u32 type_row, const char *name, u32 *row);

/*
 * Gets the offset of a field from the end of the MethodTable word. Returns -ENOENT if the type has
 * no such field.
 */
int dotnet_field_off(struct dotnet_runtime *rt, const struct dotnet_type *type, const char *name,
		     u32 *off);
