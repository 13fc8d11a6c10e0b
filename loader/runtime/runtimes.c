// SPDX-License-Identifier: BSD-2-Clause

#include "runtimes.h"

const struct runtime_ops *const runtimes[N_RUNTIMES] = {
	[RUNTIME_V8] = &v8_runtime,
	[RUNTIME_DOTNET] = &dotnet_runtime,
};

u32 runtime_of_frame(const struct uw_frame *f)
{
	u32 i = 0;

	while (i < N_RUNTIMES && !((runtimes[i]->functions | runtimes[i]->stubs) >> f->kind & 1))
		i++;
	return i;
}

u32 runtime_of_awaiter(const struct uw_frame *f)
{
	u32 i = 0;

	while (i < N_RUNTIMES && !(runtimes[i]->awaiting >> f->kind & 1))
		i++;
	return i;
}

const struct runtime_build *runtime_first(const struct runtime_build *const b[N_RUNTIMES])
{
	const struct runtime_build *last = NULL;

	for (u32 i = 0; i < N_RUNTIMES; i++) {
		if (b[i] && !b[i]->why)
			return b[i];
		last = b[i] ? b[i] : last;
	}
	return last;
}
