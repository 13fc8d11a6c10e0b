/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads types, and the type arguments of generic types and methods. */

#include "dotnet_runtime.h"

struct dotnet_method;
struct metadata;
struct r2r_instance;

#define DOTNET_TYPE_MODULE 0x18 /* MethodTable: its Module */
#define DOTNET_MAX_ARGUMENTS 32

/* The arguments of a generic type or method, in order: "int", "List<string>". */
struct dotnet_arguments {
	u32 n;
	char text[DOTNET_MAX_ARGUMENTS][128];
};

/* Returns the type's row of TypeDef, or 0 if the row is unknown. */
u32 dotnet_type_row(struct dotnet_runtime *rt, u64 type);

/*
 * Gets the type arguments; a type or method that is not generic has none. Returns -ENOENT if an
 * argument has no name.
 */
int dotnet_type_arguments(struct dotnet_runtime *rt, u64 type, struct dotnet_arguments *out);
int dotnet_method_arguments(struct dotnet_runtime *rt, const struct dotnet_method *m,
			    struct dotnet_arguments *out);

/* Gets an argument of a generic type. Returns -ENOENT if the type has fewer arguments. */
int dotnet_type_argument(struct dotnet_runtime *rt, u64 type, u32 idx, u64 *argument);

/* Gets whether a type is a value type. */
int dotnet_type_is_value(struct dotnet_runtime *rt, u64 type, bool *is_value);

/*
 * Gets the arguments of an instantiation in an image. Returns -EINVAL if another type declares the
 * method of the instantiation's row.
 */
int dotnet_instance_arguments(const struct metadata *m, const struct r2r_instance *i,
			      struct dotnet_arguments *of_type, struct dotnet_arguments *of_method);
