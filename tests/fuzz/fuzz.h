/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A fuzz target is one function of bytes, with the name that libFuzzer, AFL++ and
 * ClusterFuzzLite call. Built without an engine, once.c calls it for each file of a
 * corpus. What must hold is checked with FUZZ_MUST, which ends the process.
 */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/types.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define FUZZ_MUST(condition, ...)                                                                  \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                            \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The input, taken from its front. After its end everything is zero. */
struct fuzz_input {
	const u8 *data;
	size_t left;
};

static inline u8 fuzz_u8(struct fuzz_input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static inline u64 fuzz_u64(struct fuzz_input *in)
{
	u64 word = 0;

	for (u32 i = 0; i < 8; i++)
		word |= (u64)fuzz_u8(in) << i * 8;
	return word;
}
