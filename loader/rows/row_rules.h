/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The writing side of uw_rules: every way to unwind that any file has, once. Rules
 * are few whatever the number of files, so none is ever taken back.
 */

#include "../../core/native/row.h"

struct row_rules;

/**
 * row_rules_new() - a table with rule 0, which describes nothing
 * @memory:	UW_MAX_RULES rules, all zero, shared with the walk; borrowed
 */
int row_rules_new(struct row_rules **r, struct uw_rule *memory);
void row_rules_free(struct row_rules **r);

/**
 * row_rules_number() - the number of a rule, entered if it is new
 *
 * Return: it; 0 (nothing describes this code) when there is no room, which is counted.
 */
u32 row_rules_number(struct row_rules *r, const struct uw_rule *rule);

u32 row_rules_count(const struct row_rules *r); /* with rule 0 */
u64 row_rules_n_refused(const struct row_rules *r);
