/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>

/* Whether a file of this name is the C library: glibc's or musl's. */
bool elf_name_is_libc(const char *name);
