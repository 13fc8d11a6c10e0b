/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The script of a Python process. The command line is parsed as CPython parses it
 * (Python/getopt.c at v3.13.0): "python3 -u -X perf work.py" runs work.py, and
 * "python3 -m http.server" the module http.server.
 */

#include "../../core/types.h"

/* Whether @exe is the file name of a Python interpreter: "python", "python3", "python3.11". */
bool python_is(const char *exe);

/**
 * python_script() - find the script or module in a command line
 * @argv0:	first argument; every argument ends with a NUL
 * @end:	end of the last argument
 *
 * Return: a pointer into the command line; NULL if Python runs code of an option or of stdin.
 */
const char *python_script(const char *argv0, const char *end);
