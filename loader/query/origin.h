/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The origin of a frame's code, derived from the path of its file, its assembly or its module.
 *
 *	app       the program itself: JavaScript outside of node_modules, .NET outside of the
 *	          framework, code of other JIT compilers, the executable of a native program
 *	package   npm: the last node_modules/NAME of the path; Go and Rust: their caches
 *	runtime   node: modules, the .NET framework, the standard library of Go and Rust
 */

#include "../profile/data.h"

enum origin {
	ORIGIN_APP,
	ORIGIN_PACKAGE,
	ORIGIN_RUNTIME,
	ORIGIN_BUILTIN, /* V8's builtins, regular expressions and stubs */
	ORIGIN_NATIVE,
	ORIGIN_KERNEL,
	N_ORIGINS
};

const char *origin_name(enum origin o);

/* The parts of a path that name a package; NULL: no package. */
struct origin_package {
	const char *file, *name, *version;
	size_t name_len, version_len;
	size_t folder_len; /* length of the path of the package's folder */
};

/* Finds the package of a file. */
struct origin_package origin_package(const char *file);

/* Finds the package of a frame by its source file, or else by its generated file. */
struct origin_package origin_frame_package(const struct prof_frame *f);

/* Returns the origin of a frame's code. */
enum origin origin_of(const struct prof_data *d, const struct prof_frame *f);
