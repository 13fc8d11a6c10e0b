/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Cached names. Private to inspect/v8. */

#include "v8_function.h"

enum v8_site_kind { V8_SITE_COMPILED, V8_SITE_INTERPRETED };

struct v8_site {
	struct v8_site *next;
	struct v8_function *function;
	u64 generation;
	u64 where; /* pc and enum v8_via, or bytecode offset and low half of the BytecodeArray */
	u64 valid_ns;
	struct v8_code code;
	enum v8_site_kind kind;
	int n;
	struct v8_name names[];
};

/* Returns a site that was valid at @time_ns, or NULL. */
struct v8_site *v8_site_find(struct v8_heap *h, enum v8_site_kind kind, struct v8_function *f,
			     u64 where, u64 time_ns);
/* Caches a copy of site @like with these names. */
void v8_site_add(struct v8_heap *h, const struct v8_site *like, const struct v8_name *names, int n);
int v8_site_give(const struct v8_site *site, struct v8_name *names);
