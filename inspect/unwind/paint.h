/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The rows of one page of a file. Each byte gets the number of a rule from the first provider that
 * has a rule for the byte, and a row starts where the number changes. Therefore overlapping, nested
 * and missing descriptions need no special cases, and there are never more rows than bytes.
 */

#include "rules.h"

struct paint {
	struct rules *rules;
	u64 start, end; /* addresses of the current span */
	u32 *first; /* rule of the byte at start */
	u32 of[UW_ROW_PAGE_LEN]; /* rule of each byte, or PAINT_NONE */
};

#define PAINT_NONE (~0u)

/* Clears all bytes; no span is set. */
void paint_init(struct paint *p, struct rules *rules);

/* Sets the span: the @len bytes at offset @off of the page have the addresses from @addr on. */
void paint_span(struct paint *p, u32 off, u32 len, u64 addr);

/* Assigns rule @number to the bytes of [start, end) that have no rule. */
void paint_number(struct paint *p, u64 start, u64 end, u32 number);

/* As paint_number(), but takes the rule itself; a rule_fn whose @data is the struct paint. */
void paint_rule(const struct uw_rule *rule, u64 start, u64 end, void *data);

/* The rule number of the byte at an address of the span, or PAINT_NONE. */
u32 paint_at(const struct paint *p, u64 addr);

/* Writes at most UW_MAX_PAGE_ROWS rows. Return: the number of rows, at least 1. */
u32 paint_rows(const struct paint *p, u32 *rows);
