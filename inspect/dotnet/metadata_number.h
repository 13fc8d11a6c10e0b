/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

#include "../../core/types.h"

/* Decodes a compressed integer (ECMA-335 II.23.2). Returns the encoded length, or -EINVAL. */
int metadata_uint(const u8 *bytes, size_t len, u32 *value);
int metadata_sint(const u8 *bytes, size_t len, s32 *value);
