/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Types, and what generic types and methods were made with. */

#include "dotnet_runtime.h"

struct dotnet_method;
struct metadata;
struct r2r_instance;

#define DOTNET_TYPE_MODULE 0x18 /* MethodTable: its Module */
#define DOTNET_MAX_ARGUMENTS 32

/* What a generic type or method was made with, in order: "int", "List<string>". */
struct dotnet_arguments {
	u32 n;
	char text[DOTNET_MAX_ARGUMENTS][128];
};

/* Row of TypeDef, 0: not known. */
u32 dotnet_type_row(struct dotnet_runtime *rt, u64 type);

/* None where it is not generic; -ENOENT: one of them can't be named. */
int dotnet_type_arguments(struct dotnet_runtime *rt, u64 type, struct dotnet_arguments *out);
int dotnet_method_arguments(struct dotnet_runtime *rt, const struct dotnet_method *m,
			    struct dotnet_arguments *out);

/* One of a generic type's arguments itself; -ENOENT: it has fewer. */
int dotnet_type_argument(struct dotnet_runtime *rt, u64 type, u32 idx, u64 *argument);

/* Is it a struct, which is kept where it is used? */
int dotnet_type_is_value(struct dotnet_runtime *rt, u64 type, bool *is_value);

/*
 * The same of an instantiation in an image; -EINVAL: @row's type is not the one that it
 * says.
 */
int dotnet_instance_arguments(const struct metadata *m, const struct r2r_instance *i,
			      struct dotnet_arguments *of_type, struct dotnet_arguments *of_method);
