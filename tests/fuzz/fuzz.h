/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A fuzz target is a function of bytes, with the name that libFuzzer, AFL++ and ClusterFuzzLite
 * call. Without a fuzzing engine, once.c calls the target for each file of a corpus. FUZZ_MUST()
 * ends the process if its condition is false.
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
 * The part of an input that was not read yet. input.c is compiled without instrumentation, because
 * new branches in it are not new behavior of the target.
 */
struct fuzz_input {
	const u8 *data;
	size_t left;
};

/* Takes a value from the front of the input. After the input's end, every byte is zero. */
u8 fuzz_u8(struct fuzz_input *in);
u64 fuzz_u64(struct fuzz_input *in);
