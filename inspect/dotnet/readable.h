/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The names that C#'s compiler makes up, as a person would say them. */

#include "text.h"

/* A type that stands for a part of a method, and is named after it. */
enum readable_type {
	READABLE_PLAIN,
	READABLE_CLOSURE, /* "<>c", "<>c__DisplayClass1_0": adds nothing to a name */
	READABLE_STATE_MACHINE, /* "<RunAsync>d__3": async method or iterator */
};

/**
 * readable_type() - what a nested type stands for
 * @out:	of READABLE_STATE_MACHINE its method's readable name is added, else nothing
 */
enum readable_type readable_type(const char *name, struct text *out);

/*
 * A method's name: "<Main>b__0_1" is "Main.<lambda_0_1>", "<Main>g__Add|0_1" is "Main.Add";
 * every other is itself.
 */
void readable_method(const char *name, struct text *out);

/* A type where it is an argument or parameter: "<RunAsync>d__3" is "RunAsync". */
void readable_type_name(const char *name, size_t len, struct text *out);
