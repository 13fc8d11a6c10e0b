/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The name under which pm2 runs a process (`pm2 start server.js --name shop`). pm2 stores the name
 * in the environment of the process:
 *
 *	cluster mode    pm2_env={"name":"shop",...}
 *	fork mode       name=shop, with pm_id=0
 *
 * lib/God/ClusterMode.js and lib/God/ForkMode.js at v7.0.4. A process that a pm2 process starts
 * inherits its environment, and so has the same name.
 */

#include "../../core/types.h"

#define PM2_NAME_LEN 256

/**
 * pm2_name_parse() - find the name in an environment
 * @environ:	variables, each with its NUL; hostile
 * @name:	PM2_NAME_LEN bytes; "" if pm2 did not start the process, or the name is too long
 */
void pm2_name_parse(const char *environ, size_t len, char *name);

/* Same as pm2_name_parse(), for a process. The name is "" if the environment can't be read. */
void pm2_name_read(int pid, char *name);
