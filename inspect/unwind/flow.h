/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes unwind rows from the instructions of code that has no call frame information (musl in
 * distributions, assembly). The height of the stack is followed from known functions along every
 * jump. Code has no rule if two paths reach it with different heights, or if it follows an
 * instruction that is not understood.
 */

#include "../elf/elf_file.h"
#include "rules.h"

/*
 * Maximum length of the code in bytes. During the analysis each instruction takes 60 bytes of
 * memory.
 */
#define FLOW_MAX_TEXT (2u << 20)

struct flow;

/* Code of one segment, by link-time address. */
struct flow_span {
	u64 addr, len;
	u64 entry; /* entry point; 0 if the file is not a program */
	bool is_gap; /* true: the span is a gap between described functions; false: a whole
		      * segment */
};

/**
 * flow_new() - analyze the code of a span
 * @flow:	the new object, free with flow_free()
 *
 * Takes about 0.4 us per instruction, once. Return: 0, -EFBIG, -ENOMEM, -ENOTSUP
 * (no disassembler), -ENOEXEC or the errno of reading.
 */
int flow_new(struct flow **flow, struct elf_file *f, const struct flow_span *span);
void flow_free(struct flow **flow);

/* Calls @fn for each range of [start, end) that has a rule, in order. */
void flow_rules(const struct flow *flow, u64 start, u64 end, rule_fn *fn, void *data);
