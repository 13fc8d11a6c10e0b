/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The architectures whose V8 code is supported. */

#include "v8_arch.h"

extern const struct v8_arch v8_x86_64, v8_arm64;

/* Returns the architecture for EM_... of an ELF file; if unsupported, one without functions. */
const struct v8_arch *v8_arch_of(u16 machine);
