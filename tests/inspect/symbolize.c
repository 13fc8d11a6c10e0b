/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * symbolize FILE [DEBUG]: reads addresses in hex, a line each, and prints what the library makes
 * of them, for symbolize.py to compare with what other programs make of them:
 *
 *	0xADDR		what .symtab and .dynsym of FILE say: NAME OFFSET, or ?
 *	  NAME FILE:LINE:COLUMN		a line a frame by the DWARF of DEBUG or FILE
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../inspect/elf/lines.h"
#include "../../inspect/elf/symbols.h"
#include "../../inspect/util/cleanup.h"

static int print(const struct lines_frame *f, void *data)
{
	(void)data;
	printf("  %s\t%s:%u:%u%s\n", f->name ? f->name : "?", f->file ? f->file : "?", f->line,
	       f->column, f->inlined ? "\tinlined" : "");
	return 0;
}

int main(int argc, char **argv)
{
	struct elf_file *file = NULL, *debug = NULL;
	struct symbols *symbols = NULL;
	struct lines *lines = NULL;
	char name[SYMBOLS_NAME_LEN];
	u64 addr, off;
	int err;

	if (argc < 2 || elf_file_open(&file, argv[1]) || symbols_new(&symbols, file) ||
	    (argc > 2 && elf_file_open(&debug, argv[2])))
		return 2;
	err = lines_new(&lines, debug ? debug : file, 1ull << 30);
	if (err)
		fprintf(stderr, "no lines: %s\n", strerror(-err));
	while (scanf("%llx", &addr) == 1) {
		if (symbols_lookup(symbols, addr, name, sizeof(name), &off))
			printf("0x%llx\t?\n", addr);
		else
			printf("0x%llx\t%s\t%llu\n", addr, name, off);
		if (!lines)
			continue;
		err = lines_lookup(lines, addr, print, NULL);
		if (err && err != -ENOENT)
			printf("  error %s\n", strerror(-err));
	}
	if (lines)
		lines_free(&lines);
	symbols_free(&symbols);
	if (debug)
		elf_file_free(&debug);
	elf_file_free(&file);
	return 0;
}
