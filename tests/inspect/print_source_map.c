/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * print_source_map MAP: reads "LINE COLUMN" from standard input, both from 0, and prints for each
 * the map's entry as a JSON array: source, line (from 1), column (from 0) and name; null for parts
 * that are missing. compare_source_map.cjs runs it.
 */

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "../../inspect/sourcemap/source_map.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/whole_file.h"

static void print_place(const struct source_map *map, u32 line, u32 column)
{
	struct source_map_place at;
	json_t *all;

	if (source_map_find(map, line + 1, column + 1, &at))
		all = json_pack("[nnnn]");
	else
		all = json_pack("[siis?]", at.source, at.line, at.column - 1, at.name);
	json_dumpf(all, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(all);
}

int main(int argc, char **argv)
{
	_cleanup_(source_map_free) struct source_map *map = NULL;
	_cleanup_free_ char *text = NULL;
	u32 line, column;
	int r = argc == 2 ? whole_file_read(argv[1], SOURCE_MAP_MAX_LEN, &text) : -EINVAL;

	if (!r)
		r = source_map_new(&map, text, strlen(text));
	if (r) {
		fprintf(stderr, "%s: %s\n", argc == 2 ? argv[1] : "no map", strerror(-r));
		return 1;
	}
	while (scanf("%u %u", &line, &column) == 2)
		print_place(map, line, column);
	return 0;
}
