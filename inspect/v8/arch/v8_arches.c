/* SPDX-License-Identifier: BSD-2-Clause */

#include <elf.h>

#include "v8_arches.h"

const struct v8_arch *v8_arch_of(u16 machine)
{
	static const struct v8_arch none;

	return machine == EM_X86_64 ? &v8_x86_64 : machine == EM_AARCH64 ? &v8_arm64 : &none;
}
