/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * vdso_open() - the kernel's vDSO as a file
 * @len:	length of the mapping that it is wanted for
 * @fd:		a private copy in memory; the caller closes it
 *
 * The image is the kernel's, so the recorder's own is everybody's. Processes of another
 * word size have another image: they are told by its length.
 *
 * Return: 0, -ENOENT, or a negative errno.
 */
int vdso_open(u64 len, int *fd);
