/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Makes readable the names that the C# compiler generates. */

#include "text.h"

/*
 * Kinds of nested types. The compiler names some of them after the method that they are a part of.
 */
enum readable_type {
	READABLE_PLAIN,
	READABLE_CLOSURE, /* "<>c", "<>c__DisplayClass1_0"; omitted from a readable name */
	READABLE_STATE_MACHINE, /* "<RunAsync>d__3": async method or iterator */
};

/**
 * readable_type() - classify a nested type
 * @out:	for READABLE_STATE_MACHINE, the readable name of the method is appended
 */
enum readable_type readable_type(const char *name, struct text *out);

/*
 * Appends a method's name: "<Main>b__0_1" is "Main.<lambda_0_1>", "<Main>g__Add|0_1" is
 * "Main.Add"; any other name is unchanged.
 */
void readable_method(const char *name, struct text *out);

/* Appends the name of a type argument or parameter: "<RunAsync>d__3" is "RunAsync". */
void readable_type_name(const char *name, size_t len, struct text *out);
