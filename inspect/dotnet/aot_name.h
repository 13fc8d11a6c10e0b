/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names of methods that the NativeAOT compiler has mangled. */

#include <stdbool.h>
#include <stddef.h>

/**
 * aot_name() - make a mangled name readable
 * @mangled:	symbol in a section of managed code; hostile
 * @assembly:	mangled name of the program's own assembly; NULL: unknown
 * @dst:	receives a name as dotnet_name_get() makes it, but without parameters; at least one
 *		byte
 * @len:	size of @dst
 *
 * The compiler replaces all punctuation by '_', so the name is a guess where the program's own
 * names contain '_': '_' before an upper-case letter is taken for '.'. The name of an assembly
 * other than @assembly is dropped only if the namespace repeats it, or if both belong to .NET.
 *
 * Return: false if @mangled is not the name of a method of a type, or does not fit; then @dst is
 * unspecified.
 */
bool aot_name(const char *mangled, const char *assembly, char *dst, size_t len);

/*
 * The length of the assembly's name at the start of a symbol that the compiler adds to the
 * assembly of a program's Main(); 0: another symbol.
 */
size_t aot_assembly_len(const char *mangled);
