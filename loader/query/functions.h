/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The functions of a profile. A function is identified by its name, its start, and its file
 * (without a file, its module; without a module, its kind). All frames of a function belong
 * to it, whatever their line, tier and process.
 *
 * The recorder finds files of native code while it records, so early frames lack them. A frame
 * without a file belongs to the function of the same name and module if exactly one file has one.
 *
 * A frame without a name is in the function "libz.so.1+0x1234", if the start of its function is
 * known. Such functions are also distinguished by the build of the module. A frame without a start
 * belongs to the function of the same name and file if exactly one such function has a start.
 * Otherwise named frames form one function, and anonymous frames form one function for each
 * executed line.
 */

#include <stdio.h>

#include "../profile/data.h"

struct function {
	const char *name; /* as in the profile; escape before printing */
	const char *where; /* file or module, else "[kind]" */
	u32 line, column; /* start, or executed line of an anonymous function; 0: unknown */
	bool has_file; /* @where is a file */
	bool shows_column; /* another function starts on this line, so also print the column */
	u32 frame; /* index of its first frame in the profile */
	const char *module; /* of that frame, owned by the profile; may be NULL */
	const char *build_id; /* of the module if the name is an offset in it; else NULL */
};

struct functions {
	struct function *v;
	u32 n;
	u32 *of_frame; /* the function of each frame of the profile */
	struct intern texts; /* names and places */
};

/**
 * functions_init() - find the functions of a profile
 * @with_off:	as in frame_name()
 * @f:		free with functions_deinit(), even on failure
 *
 * Return: 0, -ENOMEM, or -ENOSPC for too many functions.
 */
int functions_init(const struct prof_data *d, bool with_off, struct functions *f);
void functions_deinit(struct functions *f);

/* Return: whether several functions of one file can have this function's name: "(anonymous)". */
bool function_is_nameless(const struct function *f);

/*
 * Makes the text "/srv/app.js:12", "/srv/app.js:12:40" or "/lib/libz.so.1". The caller frees
 * it; NULL if out of memory.
 */
char *function_place(const struct function *f);
