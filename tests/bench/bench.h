/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The parts of unspool-bench. Each prints a section and returns 0 or a negative
 * errno.
 */

/**
 * bench_walks() - measure the cost of a frame and of a read in the kernel
 *
 * Return: 0, or -EBADMSG if a walk did not find the expected frames.
 */
int bench_walks(void);

/**
 * bench_programs() - measure load time and memory of a BPF object
 * @path:	the object file
 */
int bench_programs(const char *path);
