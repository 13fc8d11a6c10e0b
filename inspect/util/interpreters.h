/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runtimes and interpreters whose functions Unspool can't name by itself. They are recognized by
 * the file name of their executable or library.
 */

#include <stdbool.h>

struct interpreter {
	char name[48]; /* "Python 3.12" */
	bool has_perf_map; /* it can write a perf map, which Unspool reads */
	const char *advice; /* how its functions get names, or why they have none */
};

/**
 * interpreter_find() - recognize an interpreter
 * @file:	file name of an executable or library, without its folder; any bytes
 * @found:	written if the file is one
 *
 * Return: whether it is one.
 */
bool interpreter_find(const char *file, struct interpreter *found);
