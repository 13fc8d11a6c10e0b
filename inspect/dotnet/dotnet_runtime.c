/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "../util/cleanup.h"
#include "dotnet_image.h"
#include "dotnet_module.h"
#include "dotnet_runtime.h"
#include "pdb.h"
#include "r2r.h"

int dotnet_runtime_new(struct dotnet_runtime **runtime, const struct dotnet_build *b,
		       struct target *t, u64 bias)
{
	struct dotnet_runtime *rt;

	if (!b->layout)
		return -ENOTSUP;
	rt = calloc(1, sizeof(*rt));
	if (!rt)
		return -ENOMEM;
	rt->build = b;
	rt->l = b->layout;
	rt->target = t;
	rt->bias = bias;
	*runtime = rt;
	return 0;
}

static void forget(struct dotnet_runtime *rt)
{
	for (size_t i = 0; i < rt->n_modules; i++) {
		pdb_free(&rt->modules[i]->pdb);
		free(rt->modules[i]);
	}
	for (size_t i = 0; i < rt->n_images; i++) {
		r2r_free(&rt->images[i]->r2r);
		free(rt->images[i]);
	}
	rt->n_modules = rt->n_images = 0;
}

void dotnet_runtime_free(struct dotnet_runtime **runtime)
{
	struct dotnet_runtime *rt = *runtime;

	*runtime = NULL;
	if (!rt)
		return;
	forget(rt);
	free(rt->modules);
	free(rt->images);
	free(rt);
}

void dotnet_runtime_trim(struct dotnet_runtime *rt)
{
	if (rt->n_modules == DOTNET_MAX_MODULES || rt->n_images == DOTNET_MAX_MODULES)
		forget(rt);
}

int dotnet_read(struct dotnet_runtime *rt, u64 addr, void *dst, size_t len)
{
	return target_read(rt->target, addr, dst, len);
}

int dotnet_word(struct dotnet_runtime *rt, u64 addr, u64 *word)
{
	return target_read(rt->target, addr, word, sizeof(*word));
}

/* Reads the text in small pieces, because the mapping may end soon after the text. */
int dotnet_text(struct dotnet_runtime *rt, u64 addr, char *dst, size_t len)
{
	for (size_t at = 0, piece; at < len; at += piece) {
		int err;

		piece = 16 - ((addr + at) & 15);
		piece = len - at < piece ? len - at : piece;
		err = dotnet_read(rt, addr + at, dst + at, piece);

		if (err)
			return err;
		if (memchr(dst + at, 0, piece))
			return 0;
	}
	return -E2BIG;
}
