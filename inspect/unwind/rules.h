/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The dictionary of unwind rules: every distinct struct uw_rule once, in the array that the walk
 * reads. A rule keeps its number forever, because rows of any page may refer to it. Rule 0 is
 * always { .cfa = UW_CFA_NONE }.
 */

#include "../../core/native/row.h"

struct elf_file;

/* Called with the rule of the code at [@start, @end). */
typedef void rule_fn(const struct uw_rule *rule, u64 start, u64 end, void *data);

/**
 * describe_fn - report the rules of a range of code; implemented by each provider of rows
 * @provider:	a runtime's own description of code: Go's table, V8's builtins, a ReadyToRun image
 * @f:		the file with the code
 * @start:	start of the range, as an address in the file, like @end
 * @fn:		called for each range that has a rule; the range may extend beyond @start and @end
 *
 * Return: 0, -ENOMEM or the errno of reading.
 */
typedef int describe_fn(const void *provider, struct elf_file *f, u64 start, u64 end, rule_fn *fn,
			void *data);

/* Limits the new rules of a file or user, because the table is shared and never shrinks. */
struct rules_share {
	u32 n, max; /* rules that were added, and their maximum */
	struct rules_share *of; /* larger share that this one belongs to; NULL: none */
};

struct rules {
	struct uw_rule *table; /* borrowed */
	struct rules_share *share; /* of the rules that are added now; NULL: no limit; borrowed */
	u32 cap; /* capacity of the table */
	u32 n; /* number of rules in use, at least 1 */
	u64 n_refused; /* rules that did not fit into the table or share and became rule 0 */
	u32 *slots; /* hash: number of a rule, 0: free */
	u32 slots_mask;
};

/**
 * rules_init() - make an empty dictionary
 * @r:		free with rules_deinit()
 * @table:	array of @cap rules; must outlive the dictionary; written with plain stores
 * @cap:	2 to UW_MAX_RULES
 *
 * Return: 0 or -ENOMEM.
 */
int rules_init(struct rules *r, struct uw_rule *table, u32 cap);
void rules_deinit(struct rules *r);

/*
 * Returns the number of a rule, which is added if it is new; the entry is written before the
 * number is returned. Returns 0 if the table or a share is full.
 */
u32 rules_add(struct rules *r, const struct uw_rule *rule);
