/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * symbolize FILE [DEBUG]: reads one hexadecimal address a line, and prints the names and lines
 * that the library finds. symbolize.py compares them with the results of other programs:
 *
 *	0xADDR \t NAME \t OFFSET	by the symbols of DEBUG, of .gnu_debugdata, of FILE; ?
 *	  NAME \t FILE:LINE:COLUMN        a line for each frame, by the DWARF of DEBUG or FILE, not
 *	  demangled
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../../inspect/symbols/lines.h"
#include "../../../inspect/elf/minidebug.h"
#include "../../../inspect/go/go_frames.h"
#include "../../../inspect/symbols/symbols.h"
#include "../../../inspect/util/cleanup.h"

#define MAX_DEBUG_LEN (1ull << 30)

struct source {
	struct elf_file *file;
	struct symbols *symbols;
};

static int print(const struct lines_frame *f, void *data)
{
	(void)data;
	printf("  %s\t%s:%u:%u%s\n", f->name ? f->name : "?", f->file ? f->file : "?", f->line,
	       f->column, f->inlined ? "\tinlined" : "");
	return 0;
}

static void print_symbol(const struct source *v, int n, u64 addr)
{
	char name[SYMBOLS_NAME_LEN];
	u64 off;

	for (int i = 0; i < n; i++)
		if (v[i].symbols && !symbols_lookup(v[i].symbols, addr, name, sizeof(name), &off)) {
			printf("0x%llx\t%s\t%llu\n", addr, name, off);
			return;
		}
	printf("0x%llx\t?\n", addr);
}

static int open_sources(int argc, char **argv, struct source v[3])
{
	_cleanup_close_ int mini = -1;

	if (argc < 2 || elf_file_open(&v[2].file, argv[1]))
		return 2;
	if (argc > 2 && elf_file_open(&v[0].file, argv[2]))
		return 2;
	if (!minidebug_open(v[2].file, 1 << 24, &mini) && elf_file_open_fd(&v[1].file, mini))
		return 2;
	for (int i = 0; i < 3; i++)
		if (v[i].file && symbols_new(&v[i].symbols, v[i].file, v[2].file, go_symbols))
			return 2;
	return 0;
}

int main(int argc, char **argv)
{
	struct source v[3] = {};
	_cleanup_(elf_file_free) struct elf_file *alt = NULL;
	struct lines *lines = NULL;
	u64 addr;
	int err = open_sources(argc, argv, v);

	if (err || (argc > 3 && elf_file_open(&alt, argv[3])))
		return 2;
	err = lines_new(&lines, v[0].file ? v[0].file : v[2].file, alt, MAX_DEBUG_LEN);
	if (err)
		fprintf(stderr, "no lines: %s\n", strerror(-err));
	while (scanf("%llx", &addr) == 1) {
		print_symbol(v, 3, addr);
		err = lines ? lines_lookup(lines, addr, print, NULL) : 0;
		if (err && err != -ENOENT)
			printf("  error %s\n", strerror(-err));
	}
	if (lines)
		lines_free(&lines);
	for (int i = 0; i < 3; i++) {
		symbols_free(&v[i].symbols);
		elf_file_free(&v[i].file);
	}
	return 0;
}
