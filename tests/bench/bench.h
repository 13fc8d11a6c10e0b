/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The parts of the bench; each prints its own section. 0, or a negative errno. */

/**
 * bench_walks() - what a frame costs in the kernel, and what a read costs
 *
 * Return: 0; -EBADMSG when a walk did not find the frames that were laid out.
 */
int bench_walks(void);

/**
 * bench_programs() - what a BPF object costs to load and to keep
 * @path:	the object file
 */
int bench_programs(const char *path);
