/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where an object keeps a field. */

#include "dotnet_module.h"

/* A MethodTable, and its row of TypeDef. */
struct dotnet_type {
	u64 addr, parent; /* 0: it has none */
	u32 row;
	struct dotnet_module *module; /* with metadata; valid as long as the runtime object */
	char name[DOTNET_NAME_LEN]; /* as in metadata */
};

/* The MethodTable of a row of TypeDef; -ENOENT: it is generic, was not loaded, or is not known. */
int dotnet_type_find(struct dotnet_runtime *rt, const struct dotnet_module *module, u32 row,
		     u64 *addr);

/* 0, -ENOENT (its metadata is not known), -EINVAL or what reading gave. */
int dotnet_type_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_type *type);

/* The row of Field of one of a type's own fields; -ENOENT: there is none of that name. */
int dotnet_field_row(const struct metadata *m, u32 type_row, const char *name, u32 *row);

/* Its offset, in an object from behind the MethodTable; -ENOENT: there is none. */
int dotnet_field_off(struct dotnet_runtime *rt, const struct dotnet_type *type, const char *name,
		     u32 *off);
