/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Resolvers for deoptimization exits and deferred code. Private to inspect/v8. */

#include "v8_resolver.h"

extern const char v8_no_exit[]; /* the reason if it is unknown which jump or call led to an exit */

enum v8_verdict v8_resolve_eager(struct v8_query *q);
enum v8_verdict v8_resolve_lazy(struct v8_query *q);
enum v8_verdict v8_resolve_deferred(struct v8_query *q);

/*
 * Can the query's offset be in an exit? Used for code whose deoptimization data was cleared.
 * Returns true if the answer is unknown.
 */
bool v8_exit_may_be_at(struct v8_query *q);
