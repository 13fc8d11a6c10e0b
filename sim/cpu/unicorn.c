// SPDX-License-Identifier: BSD-2-Clause

#include "unicorn.h"

static u32 n_opened[UC_ARCH_MAX];

uc_err sim_uc_open(uc_arch arch, uc_mode mode, uc_engine **out)
{
	uc_err err = uc_open(arch, mode, out);

	if (!err)
		n_opened[arch]++;
	return err;
}

u32 sim_uc_n_opened(uc_arch arch)
{
	return n_opened[arch];
}
