// SPDX-License-Identifier: BSD-2-Clause

/* jit-crash DIR THREADS SIZE [SECONDS]: writes code of up to SIZE bytes until it is killed. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../core/types.h"
#include "../../inspect/jitdump/unspool-jitdump.h"

/* Test files must not fill a disk. */
#define MAX_BYTES (256ull << 20)

static struct jdw *w;
static size_t max_size;

static void *write_on(void *data)
{
	u64 base = (u64)(uintptr_t)data << 32;
	u8 *code = calloc(1, max_size);
	struct jdw_counts counts = { 0 };
	char name[64];

	for (u64 i = 0; code && counts.bytes < MAX_BYTES; i++) {
		size_t size = 16 + i * 7919 % (max_size - 16);
		u64 addr = base + i % 1000 * max_size;
		struct jdw_line line = { addr, "/src/a.js", 1 + (u32)i % 9, 1 };

		snprintf(name, sizeof(name), "thread %p, function %llu", data, i);
		if (jdw_add(w, &(struct jdw_code){ .name = name,
						   .addr = addr,
						   .code = code,
						   .size = size,
						   .lines = &line,
						   .n_lines = 1 }))
			abort();
		jdw_counts(w, &counts);
	}
	pause();
	return NULL;
}

int main(int argc, char **argv)
{
	struct jdw_options options = { .dir = argc > 3 ? argv[1] : NULL };
	u64 n = argc > 3 ? strtoull(argv[2], NULL, 10) : 0;
	pthread_t thread;

	max_size = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	if (!n || max_size < 32 || jdw_open(&options, &w))
		return 2;
	puts(jdw_path(w));
	fflush(stdout);
	for (u64 i = 1; i < n; i++)
		if (pthread_create(&thread, NULL, write_on, (void *)(i + 1)))
			return 2;
	write_on((void *)1);
	return 0;
}
