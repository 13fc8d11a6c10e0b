/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Programs that the engines run, embedded by sim/embed.py. */

#include "../../core/types.h"

struct sim_blob {
	const u8 *bytes;
	size_t len;
};

extern const struct sim_blob sim_guest_x86_64, sim_guest_arm64; /* for GUEST_TEXT_ADDR */
extern const struct sim_blob sim_kernel_x86_64, sim_kernel_arm64; /* ELF, BPF */
extern const struct sim_blob sim_kernel_helper; /* ELF file for the host */
