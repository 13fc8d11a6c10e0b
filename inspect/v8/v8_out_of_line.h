/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Resolvers of code that is behind all other, for what is rarely run. Private to inspect/v8. */

#include "v8_resolver.h"

extern const char v8_no_exit[]; /* the reason if nothing tells what led to an exit */

enum v8_verdict v8_resolve_eager(struct v8_query *q);
enum v8_verdict v8_resolve_lazy(struct v8_query *q);
enum v8_verdict v8_resolve_deferred(struct v8_query *q);

/* Of cleared code: is there an exit at @at or behind it? Where not known: true. */
bool v8_exit_may_be_at(struct v8_query *q);
