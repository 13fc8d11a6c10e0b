/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The functions of a profile. A function is its name, its file (without one: its
 * module, or its kind) and where it starts: the frames of all its lines, tiers and
 * processes are one.
 *
 * Frames without a start belong to the one function of their name and file that
 * has one, if there is just one. Else those with a name are one function, and
 * anonymous ones are one for each executed line.
 */

#include <stdio.h>

#include "../profile/data.h"

struct function {
	const char *name; /* as in the profile: to be escaped */
	const char *where; /* file or module, else "[kind]" */
	u32 line, column; /* start; 0: unknown. Of an anonymous one without: the executed line */
	bool has_file; /* where is a file */
	bool shows_column; /* another function starts on the same line */
	u32 frame; /* the first of its frames in the profile */
};

struct functions {
	struct function *v;
	u32 n;
	u32 *of_frame; /* the function of each frame of the profile */
	struct intern texts; /* names and places */
};

/**
 * functions_init() - find the functions of a profile
 * @with_off:	an unnamed frame is "libz.so.1+0x1234", else all of a module are "[libz.so.1]"
 * @f:		free with functions_deinit(), also on failure
 *
 * Return: 0, -ENOMEM, or -ENOSPC when there are too many.
 */
int functions_init(const struct prof_data *d, bool with_off, struct functions *f);
void functions_deinit(struct functions *f);

/* "/srv/app.js:12", "/srv/app.js:12:40", "/lib/libz.so.1"; to be freed, NULL without memory. */
char *function_place(const struct function *f);
