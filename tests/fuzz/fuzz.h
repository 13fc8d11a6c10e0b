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

/* An input. It is compiled without instrumentation: how bytes are taken is not news. */
struct fuzz_input {
	const u8 *data;
	size_t left;
};

/* From its front. After its end everything is zero. */
u8 fuzz_u8(struct fuzz_input *in);
u64 fuzz_u64(struct fuzz_input *in);
