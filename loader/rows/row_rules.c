// SPDX-License-Identifier: BSD-2-Clause

/*
 * Found by an open-addressing hash of numbers, twice as large as the table can get.
 * Number 0 marks a free place: rule 0 itself is never looked for.
 */

#include "row_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_PLACES (2 * UW_MAX_RULES)

struct row_rules {
	struct uw_rule *v;
	u32 n;
	u64 n_refused;
	u16 places[N_PLACES];
};
_Static_assert(UW_MAX_RULES - 1 <= 0xffff, "a number fits a place");
_Static_assert(UW_CFA_NONE == 0, "memory of zeros is rule 0");

int row_rules_new(struct row_rules **rules, struct uw_rule *memory)
{
	struct row_rules *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->v = memory;
	r->n = 1;
	*rules = r;
	return 0;
}

void row_rules_free(struct row_rules **r)
{
	free(*r);
	*r = NULL;
}

static u32 hash(const struct uw_rule *rule)
{
	u64 words[2];

	memcpy(words, rule, sizeof(words));
	words[0] = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return (u32)(words[0] >> 40) % N_PLACES;
}

u32 row_rules_number(struct row_rules *r, const struct uw_rule *rule)
{
	u32 at = hash(rule);

	if (rule->cfa == UW_CFA_NONE)
		return 0;
	for (; r->places[at]; at = (at + 1) % N_PLACES)
		if (!memcmp(&r->v[r->places[at]], rule, sizeof(*rule)))
			return r->places[at];
	if (r->n == UW_MAX_RULES) {
		r->n_refused++;
		return 0;
	}
	r->v[r->n] = *rule;
	r->places[at] = (u16)r->n;
	return r->n++;
}

u32 row_rules_count(const struct row_rules *r)
{
	return r->n;
}

u64 row_rules_n_refused(const struct row_rules *r)
{
	return r->n_refused;
}
