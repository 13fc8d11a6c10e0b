/* SPDX-License-Identifier: BSD-2-Clause */

/* Creates and frees a heap, and drops its caches. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "v8_interpreted.h"
#include "v8_wasm.h"

void v8_heap_forget(struct v8_heap *h)
{
	arena_clear(&h->arena);
	memset(h->functions, 0, sizeof(h->functions));
	memset(h->by_bytecode, 0, sizeof(h->by_bytecode));
	memset(h->scripts, 0, sizeof(h->scripts));
	memset(h->sites, 0, sizeof(h->sites));
	memset(h->maps, 0, sizeof(h->maps));
	h->n_stream_maps = 0;
	h->looked_ns = 0;
	v8_wasm_forget(h);
}

int v8_heap_new(struct v8_heap **heap, const struct v8_build *b, struct target *t)
{
	struct v8_heap *h;

	if (b->why)
		return -ENOTSUP;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->build = b;
	h->l = &b->layout;
	h->target = t;
	*heap = h;
	return 0;
}

void v8_heap_free(struct v8_heap **heap)
{
	struct v8_heap *h = *heap;

	*heap = NULL;
	if (!h)
		return;
	v8_heap_forget(h);
	v8_forget_handlers(h);
	v8_wasm_free(h);
	free(h->regions);
	free(h);
}

void v8_heap_explain(struct v8_heap *h,
		     void (*on_resolver)(void *ctx, const struct v8_asked *asked), void *ctx)
{
	h->on_resolver = on_resolver;
	h->resolver_ctx = ctx;
}

int v8_heap_set_regions(struct v8_heap *h, const struct v8_region *r, size_t n)
{
	struct v8_region *copy = calloc(n ? n : 1, sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, r, n * sizeof(*copy));
	free(h->regions);
	h->regions = copy;
	h->n_regions = n;
	v8_heap_forget(h);
	return 0;
}
