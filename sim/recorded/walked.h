/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes a case from a plain core: the native engine walks the core, and then the frames are named.
 * The case gets the memory that the walk and the naming read, optionally with the memory around
 * it.
 */

#include "../../core/types.h"
#include "../case/error.h"

struct sim_walked_options {
	bool is_minimal; /* include only memory that was read */
	bool raw; /* include private bytes unchanged */
};

/**
 * sim_walked_write() - walk a plain core, and write the result as a case
 * @core:	a file that case_read() accepts as a plain core
 * @path:	NAME.core or NAME.core.zst
 *
 * The case records that the walk was made by the native engine.
 *
 * Return: 0 or a negative errno with @error set: -ENODATA if the walk needs memory that the core
 * does not contain, -EINVAL if it is already a case.
 */
int sim_walked_write(const char *core, const struct sim_walked_options *options, const char *path,
		     struct sim_error *error);
