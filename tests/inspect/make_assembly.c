/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * make_assembly FILE METADATA PDB: writes the hand-made assembly, the metadata of this assembly,
 * and a PDB.
 */

#include <stdio.h>

#include "fake_assembly.h"
#include "fake_pdb.h"

static int put(const char *path, const u8 *bytes, u32 len)
{
	FILE *f = fopen(path, "we");
	int ok = f && fwrite(bytes, 1, len, f) == len;

	if (f && fclose(f))
		ok = 0;
	if (!ok)
		perror(path);
	return !ok;
}

int main(int argc, char **argv)
{
	static struct fake_assembly a;
	static struct fake_pdb pdb;
	static const u8 pick[] = { 0x30, 1, 2, 1, 0x1e, 0, 0x15, 0x12, 5, 1, 0x13, 0 };

	if (argc != 4)
		return 2;
	fake_assembly_make(&a, pick, sizeof(pick));
	fake_pdb_make(&pdb, fake_points1, fake_points1_len, fake_points3, fake_points3_len);
	return put(argv[1], a.bytes, a.len) ||
	       put(argv[2], a.bytes + FAKE_METADATA_OFF, a.metadata_len) ||
	       put(argv[3], pdb.bytes, pdb.len);
}
