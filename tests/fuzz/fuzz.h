/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A fuzz target is a function of bytes, with the name that libFuzzer, AFL++ and ClusterFuzzLite
 * call. Without a fuzzing engine, once.c calls it for each file of a corpus. FUZZ_MUST() ends the
 * process if its condition is false.
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

/*
 * The rest of an input. input.c is compiled without instrumentation, because its branches are not
 * interesting.
 */
struct fuzz_input {
	const u8 *data;
	size_t left;
};

/* Takes a value from the front of the input. After the input's end, every byte is zero. */
u8 fuzz_u8(struct fuzz_input *in);
u64 fuzz_u64(struct fuzz_input *in);
