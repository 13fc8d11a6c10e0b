// SPDX-License-Identifier: BSD-2-Clause

/*
 * jit-image DIR IMAGE ROUNDS [PREFIX [CUT]]: treats a shared object like the
 * output of a JIT. The program copies the object's text, except for the last
 * CUT bytes, to new memory. It writes the copied functions to a jitdump with
 * the lines of the debug information, and calls `work` ROUNDS times. Prints the
 * jitdump's path and the result of the import.
 */

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/jitdump/unspool-jitdump.h"
#include "../../inspect/util/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int find_work(const struct elf_symbol *s, void *data)
{
	if (s->defined && strcmp(s->name, "work") == 0)
		*(u64 *)data = s->addr;
	return 0;
}

static char *read_whole(const char *path, size_t *len)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char *bytes = malloc(1 << 20);

	if (!f || !bytes)
		exit(1);
	*len = fread(bytes, 1, 1 << 20, f);
	return bytes;
}

static void say(void *data, const char *words)
{
	(void)data;
	fprintf(stderr, "jit-image: %s\n", words);
}

int main(int argc, char **argv)
{
	struct jdw_options options = { .dir = argv[1], .report = say };
	struct jdw_image_result result = { 0 };
	struct jdw_image image = { .prefix = argc > 4 ? argv[4] : NULL, .n_ranges = 1 };
	const struct elf_segment *s;
	struct elf_file *elf = NULL;
	struct jdw_range range = { .name = "text" };
	struct jdw *w = NULL;
	size_t n;
	u64 work = 0;
	u8 *memory;

	if (argc < 4 || elf_file_open(&elf, argv[2]) || jdw_open(&options, &w))
		return 1;
	elf_file_each_symbol(elf, find_work, &work);
	s = elf_file_segments(elf, &n);
	while (n && !s->is_exec) {
		s++;
		n--;
	}
	memory = mmap(NULL, s->mem_len, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || !work || elf_file_read_addr(elf, s->addr, memory, s->mem_len))
		return 1;
	__builtin___clear_cache((char *)memory, (char *)memory + s->mem_len);
	range.addr = (u64)(uintptr_t)memory;
	range.code = memory;
	range.size = s->mem_len - (argc > 5 ? strtoull(argv[5], NULL, 10) : 0);
	image.bytes = read_whole(argv[2], &image.size);
	image.bias = range.addr - s->addr;
	image.ranges = &range;
	if (jdw_add_image(w, &image, &result))
		return 1;
	printf("%s\nrecords %u lines %u outside %u overlapping %u nameless %u broken %u\n",
	       jdw_path(w), result.records, result.with_lines, result.outside, result.overlapping,
	       result.nameless, result.broken_units);
	for (long i = atol(argv[3]); i-- > 0;)
		((u64(*)(u64))(uintptr_t)(work + image.bias))(20000000);
	jdw_close(&w);
	free((void *)image.bytes);
	elf_file_free(&elf);
	return 0;
}
