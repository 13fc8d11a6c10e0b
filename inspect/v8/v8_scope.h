/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads names and the start of a function from a ScopeInfo. Private to inspect/v8. */

#include "v8_object.h"

/* Gets the offset of the function's name in a ScopeInfo. */
int v8_scope_name_off(struct v8_heap *h, u64 scope_info, u32 *off);

/*
 * Reads the function's name and inferred name from a ScopeInfo. Both are tagged pointers, or 0 if
 * there is no such name.
 */
int v8_scope_names(struct v8_heap *h, u64 scope_info, u64 *name, u64 *inferred);

/**
 * v8_scope_start() - read where in the source the function of a ScopeInfo starts
 * @start:	start of the function's parameters, as in V8's own profiler; V8_NO_SCRIPT_OFFSET if
 *		it is not found
 *
 * Return: 0, or the error of a read.
 */
int v8_scope_start(struct v8_heap *h, u64 scope_info, s32 *start);

/**
 * v8_scope_given_name() - name a function that V8 has generated for a class
 * @name:	"<static_initializer>", "<instance_members_initializer>", or NULL if it is neither
 *
 * From V8 11.8 on, the function's own name is empty, and its inferred name is the class's name.
 *
 * Return: 0, or the error of a read.
 */
int v8_scope_given_name(struct v8_heap *h, u64 scope_info, const char **name);
