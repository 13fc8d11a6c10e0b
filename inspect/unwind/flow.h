/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Unwind rows of code that has no call frame information (musl, as distributions
 * build it; assembly): from the instructions. The stack's height is followed
 * from the functions that are known along every jump; where two ways give
 * different heights, or something happens that isn't understood, there is no rule.
 */

#include "../elf/elf_file.h"
#include "rules.h"

/* Bytes of code that are looked at. While it is, each instruction takes 60 bytes. */
#define FLOW_MAX_TEXT (2u << 20)

struct flow;

/* Code of one segment, by link-time address. */
struct flow_span {
	u64 addr, len;
	u64 entry; /* of the program; 0: it is none */
	bool is_gap; /* between described functions, else all there is */
};

/**
 * flow_new() - follow the code of a span
 * @flow:	the new object, free with flow_free()
 *
 * Takes about 0.4 us an instruction, once. Return: 0, -EFBIG, -ENOMEM, -ENOTSUP
 * (no disassembler), -ENOEXEC or what reading gave.
 */
int flow_new(struct flow **flow, struct elf_file *f, const struct flow_span *span);
void flow_free(struct flow **flow);

/* Calls @fn for each range of [start, end) that has a rule, in order. */
void flow_rules(const struct flow *flow, u64 start, u64 end, rule_fn *fn, void *data);
