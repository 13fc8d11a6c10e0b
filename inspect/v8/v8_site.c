/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A cache of names. The key is a site: (function, pc) in compiled code, (function, bytecode offset)
 * in interpreted code. A site is valid as long as its function is valid and, for compiled code, its
 * Code is unchanged. Like a function, a site is valid for samples before the last check, so one
 * check serves all these samples.
 */

#include <string.h>

#include "v8_site.h"

static struct v8_site **bucket_of(struct v8_heap *h, const struct v8_function *f, u64 where)
{
	return &h->sites[v8_hash(where, f->tagged)];
}

struct v8_site *v8_site_find(struct v8_heap *h, enum v8_site_kind kind, struct v8_function *f,
			     u64 where, u64 time_ns)
{
	struct v8_site *site = h->on_resolver ? NULL : *bucket_of(h, f, where);

	while (site && (site->kind != kind || site->function != f || site->where != where ||
			site->generation != f->generation || !site->n))
		site = site->next;
	if (!site || site->kind == V8_SITE_INTERPRETED || time_ns <= site->valid_ns)
		return site;
	if (!v8_code_same(h, &site->code)) {
		site->n = 0;
		return NULL;
	}
	site->valid_ns = h->looked_ns;
	return site;
}

void v8_site_add(struct v8_heap *h, const struct v8_site *like, const struct v8_name *names, int n)
{
	struct v8_site *site, **bucket;

	for (int i = 0; i < n && h->misses_origins; i++)
		if (names[i].kind == V8_NAME_JS && !names[i].file)
			return;
	site = arena_alloc(&h->arena, sizeof(*site) + (size_t)n * sizeof(*names));
	if (!site)
		return;
	*site = *like;
	site->n = n;
	memcpy(site->names, names, (size_t)n * sizeof(*names));
	bucket = bucket_of(h, like->function, like->where);
	site->next = *bucket;
	*bucket = site;
}

int v8_site_give(const struct v8_site *site, struct v8_name *names)
{
	memcpy(names, site->names, (size_t)site->n * sizeof(*names));
	return site->n;
}
