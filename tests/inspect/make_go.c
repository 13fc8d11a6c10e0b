/* SPDX-License-Identifier: BSD-2-Clause */

/* make_go FILE...: writes a program for each version in made_go.h, as fuzzing seeds. */

#include <elf.h>
#include <stdio.h>

#include "../check.h"
#include "made_go.h"

static int make(const char *path, enum made_go_version version)
{
	static const struct made_go_value sp[] = { { 4, 0 }, { 26, 24 }, { 2, 0 }, {} };
	static const struct made_go_value lines[] = { { 10, 20 }, { 22, 300 }, {} };
	static const struct made_go_value tree[] = { { 10, -1 }, { 22, 0 }, {} };
	struct made_go_value files[] = { { 32, 0 }, {} };
	struct made_go g;
	struct made_go_record *r;
	FILE *f = fopen(path, "wb");

	made_go_init(&g, EM_X86_64, version);
	files[0].value = made_go_file(&g, "/src/a.go");
	r = made_go_function(&g, "main.a", 0);
	r->sp = made_go_values(&g, sp);
	r->line = made_go_values(&g, lines);
	r->file = made_go_values(&g, files);
	r->inlining = made_go_values(&g, tree);
	made_go_inlined(&g, "main.b", 5);
	r = made_go_function(&g, "runtime.systemstack", 32);
	r->sp = g.records[0].sp;
	r->flags = 2;
	made_go_function(&g, "runtime.goexit", 64)->flags = 1;
	made_go_finish(&g, 96);
	if (!f || fwrite(g.elf.bytes, g.elf.len, 1, f) != 1 || fclose(f)) {
		perror(path);
		return 1;
	}
	made_deinit(&g.elf);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (make(argv[i], (enum made_go_version)(i - 1)))
			return 1;
	return argc - 1 != N_MADE_GO;
}
