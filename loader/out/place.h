/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Default names and owners of output files. */

#include "out.h"

/*
 * The directory for new files: the current one if it is writable, else $XDG_RUNTIME_DIR, else
 * /tmp.
 */
const char *place_dir(void);

/**
 * place_default() - "unspool-NAME-PID-20260102T030405Z.SUFFIX" in place_dir()
 * @name:	name of the target; any bytes
 * @pid:	pid of the target; 0: several targets
 */
void place_default(char *path, size_t len, const char *name, u32 pid, const char *suffix);

/* The owner of a new file in @dir: under sudo, the user who called sudo if that user owns @dir. */
struct out_owner place_owner(const char *dir);

/*
 * Splits "DIR/FILE" into "DIR", which is stored in @dir (PATH_MAX bytes), and "FILE". Returns false
 * if the path is too long.
 */
bool place_split(const char *path, char *dir, const char **file);
