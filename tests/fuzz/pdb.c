// SPDX-License-Identifier: BSD-2-Clause

/* Reads a portable PDB. Each line that is found must have a number and a file. */

#include "fuzz.h"

#include "../../inspect/dotnet/pdb.h"

static void look(const struct pdb *pdb, u32 row, u32 il)
{
	char name[256];
	struct text file;
	struct pdb_line line = { 0 };

	text_init(&file, name, sizeof(name));
	if (!pdb_line(pdb, row, il, &line, &file))
		FUZZ_MUST(line.line && line.start_line, "line 0 of method %u", row);
	FUZZ_MUST(strlen(name) < sizeof(name), "file without end");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 *bytes = malloc(size + 1);
	struct pdb *pdb;

	FUZZ_MUST(bytes, "cannot allocate %zu bytes", size);
	memcpy(bytes, data, size);
	if (pdb_new(&pdb, bytes, size)) {
		free(bytes);
		return 0;
	}
	for (u32 row = 0; row < 16; row++)
		for (u32 il = 0; il < 200; il += 9)
			look(pdb, row, il);
	pdb_free(&pdb);
	return 0;
}
