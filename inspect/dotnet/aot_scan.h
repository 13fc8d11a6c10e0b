/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The parts of names that the NativeAOT compiler has mangled, for example of Shop.Cart`2+Line.Sum()
 * of the assembly "app":
 *
 *	app_Shop_Cart_2_Line<String__Int64>__Sum     ->  Shop.Cart<string, long>.Line.Sum
 *	app_Program__RunAsync_d__2__MoveNext         ->  Program.RunAsync
 *	app_Program___c___Main_b__3_0                ->  Program.Main.<lambda_3_0>
 *
 * A type is followed by "__" and a method; "<" and ">" enclose type arguments, which "__"
 * separates. Generated types contain "__" themselves, and are recognized by their form:
 *
 *	"__c", "__c__DisplayClass1_0"     <>c, <>c__DisplayClass1_0
 *	"_RunAsync_d__2"                  <RunAsync>d__2
 *	"System___Canon"                  System.__Canon
 *
 * Source: runtime/src/coreclr/tools/aot/ILCompiler.Compiler/Compiler/NativeAotNameMangler.cs at
 * v10.0.0.
 */

#include <stdbool.h>
#include <stddef.h>

#define AOT_ARRAY "__Array" /* followed by the type of the elements in angle brackets */

struct aot_part {
	const char *at, *end;
};

/* The number of digits at the start of a text. */
size_t aot_digits(const char *at, const char *end);

/* Whether a text starts with @with. */
bool aot_starts(const char *at, const char *end, const char *with);

/*
 * The length of "__c", "__c__1" or "__c__DisplayClass1_0" at the start of a text, also with "_1"
 * for one type parameter; 0: something else.
 */
size_t aot_closure_len(const char *at, const char *end);

/*
 * The length of "_NAME_d__1" or "_NAME_d__1_1", with one type parameter, at the start of a text; 0:
 * something else. *name is set to NAME.
 */
size_t aot_machine_len(const char *at, const char *end, struct aot_part *name);

/* The end of the text in angle brackets that starts at @at; @end if it is not closed. */
const char *aot_skip_brackets(const char *at, const char *end);

/* The end of the type at the start of a text: the "__" that is no part of it, or @end. */
const char *aot_type_end(const char *at, const char *end);

/* Skips the name of the assembly before a type's namespace. @assembly: as in aot_name(). */
const char *aot_skip_assembly(const char *at, const char *end, const char *assembly);
