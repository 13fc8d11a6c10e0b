/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * vdso_open() - get the kernel's vDSO as a file
 * @len:	length of the process's vDSO mapping
 * @fd:		a private copy in memory; the caller closes it
 *
 * All processes map the same image from the kernel, so the recorder's own vDSO is copied. A process
 * with another word size maps a different image, which this function detects by the length.
 *
 * Return: 0, -ENOENT, or a negative errno.
 */
int vdso_open(u64 len, int *fd);
