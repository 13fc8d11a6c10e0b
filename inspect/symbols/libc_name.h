/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>

/* Whether @name is the file name of a C library, glibc or musl. */
bool elf_name_is_libc(const char *name);
