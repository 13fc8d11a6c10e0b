/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Whose code a frame runs, by the path of its file, its assembly or its module.
 *
 *	app       what the process was started for: JavaScript outside of node_modules,
 *	          .NET outside of the framework, a JIT's code, the executable of a native program
 *	package   npm: the last node_modules/NAME of the path; Go and Rust: their caches
 *	runtime   node: modules, the .NET framework, the library of Go and Rust
 */

#include "../profile/data.h"

enum origin {
	ORIGIN_APP,
	ORIGIN_PACKAGE,
	ORIGIN_RUNTIME,
	ORIGIN_BUILTIN, /* of V8: builtins, regular expressions, stubs */
	ORIGIN_NATIVE,
	ORIGIN_KERNEL,
	N_ORIGINS
};

const char *origin_name(enum origin o);

/* Part of a path; NULL: there is none. */
struct origin_package {
	const char *file, *name, *version;
	size_t name_len, version_len;
	size_t folder_len; /* of the path to its folder */
};

/* The package that a file belongs to. */
struct origin_package origin_package(const char *file);

/* That of a frame: by its source, else by the generated file that its source map is of. */
struct origin_package origin_frame_package(const struct prof_frame *f);

/* Whose code a frame of a profile runs. */
enum origin origin_of(const struct prof_data *d, const struct prof_frame *f);
