/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * From a plain core to a case: the native engine walks, the frames get names, and what
 * both read is kept, with or without what lies round it.
 */

#include "../../core/types.h"
#include "../case/error.h"

struct sim_walked_options {
	bool is_minimal; /* only what was read */
	bool raw; /* leave private bytes as they are */
};

/**
 * sim_walked_write() - walk a plain core, and write that as a case
 * @core:	a file that case_read() takes for a plain core
 * @path:	NAME.core or NAME.core.zst
 *
 * The case's walk is the native engine's, and says so.
 *
 * Return: 0 or a negative errno with @error set: -ENODATA when the walk needs what the
 * core does not have, -EINVAL when it is a case already.
 */
int sim_walked_write(const char *core, const struct sim_walked_options *options, const char *path,
		     struct sim_error *error);
