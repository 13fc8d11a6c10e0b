// SPDX-License-Identifier: BSD-2-Clause

/*
 * jit DIR ROUNDS: a small JIT. Compiles jit_ash and jit_birch, which run for
 * two thirds and one third of the first half. Then moves ash, frees birch and
 * compiles jit_cedar in birch's place; ash and cedar run for the second half.
 * Prints the jitdump's path.
 *
 * The loop of a function is at line 12, 22 or 32 of NAME.jit; the code before it is one line
 * earlier.
 */

#include "emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../inspect/jitdump/unspool-jitdump.h"

#define ROUND 20000000ull

static u8 *memory;
static struct jdw *writer;

static void put(u8 *at)
{
	memcpy(at, emit_spin, sizeof(emit_spin));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(emit_spin));
}

static u64 (*compile(u8 *at, const char *name, u32 line))(u64)
{
	char file[64];
	u64 addr = (u64)(uintptr_t)at;
	struct jdw_line lines[] = {
		{ addr, file, line - 1, 1 },
		{ addr + EMIT_LOOP_OFF, file, line, 5 },
		{ addr + EMIT_RET_OFF, file, line + 1, 1 },
	};
	struct jdw_code code = { .name = name,
				 .addr = addr,
				 .code = at,
				 .size = sizeof(emit_spin),
				 .lines = lines,
				 .n_lines = 3 };
	int err;

	snprintf(file, sizeof(file), "/src/%s.jit", name);
	put(at);
	err = jdw_add(writer, &code);
	if (err) {
		fprintf(stderr, "jit: %s: %s\n", name, strerror(-err));
		exit(1);
	}
	return (u64(*)(u64))(uintptr_t)at;
}

static void say(void *data, const char *words)
{
	(void)data;
	fprintf(stderr, "jit: %s\n", words);
}

int main(int argc, char **argv)
{
	struct jdw_options options = { .dir = argc > 1 ? argv[1] : NULL, .report = say };
	u64 rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
	u64 (*ash)(u64), (*birch)(u64), (*cedar)(u64);
	int err = jdw_open(&options, &writer);

	if (err) {
		fprintf(stderr, "jit: %s\n", strerror(-err));
		return 1;
	}
	memory = mmap(NULL, 12288, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	puts(jdw_path(writer));
	fflush(stdout);
	ash = compile(memory, "jit_ash", 12);
	birch = compile(memory + 4096, "jit_birch", 22);
	for (u64 i = 0; i < rounds; i++) {
		ash(2 * ROUND);
		birch(ROUND);
	}
	jdw_forget(writer, (u64)(uintptr_t)memory + 4096, sizeof(emit_spin));
	put(memory + 8192);
	if (jdw_move(writer, (u64)(uintptr_t)memory, (u64)(uintptr_t)memory + 8192))
		return 1;
	memset(memory, 0, sizeof(emit_spin));
	ash = (u64(*)(u64))(uintptr_t)(memory + 8192);
	cedar = compile(memory + 4096, "jit_cedar", 32);
	for (u64 i = 0; i < rounds; i++) {
		ash(2 * ROUND);
		cedar(ROUND);
	}
	jdw_close(&writer);
	return 0;
}
