/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Default location and owner of output files. */

#include "out.h"

/* Directory for new files: the current directory, else $XDG_RUNTIME_DIR, else /tmp. */
const char *place_dir(void);

/**
 * place_default() - "unspool-NAME-PID-20260102T030405Z.SUFFIX" in place_dir()
 * @name:	of the target; any bytes
 * @pid:	of the target; 0: multiple targets
 */
void place_default(char *path, size_t len, const char *name, u32 pid, const char *suffix);

/* Under sudo, files belong to the user if the directory does. */
struct out_owner place_owner(const char *dir);
