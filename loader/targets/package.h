/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "procs.h"

#define PACKAGE_NAME_LEN 256 /* npm allows 214 characters */

/**
 * package_name_read() - get the name of the npm package that a process's script belongs to
 * @names:	of the process
 * @name:	PACKAGE_NAME_LEN bytes; "" if there is no package, or it can't be read
 *
 * The name is from the nearest package.json that has a name, in the script's folder or in a
 * folder above. The target controls package.json, so the file may have any contents.
 */
void package_name_read(int pid, const struct proc_names *names, char *name);
