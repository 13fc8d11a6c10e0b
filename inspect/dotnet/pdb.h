/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A portable PDB, which has the source line for an IL offset of a method. */

#include "../target/target.h"
#include "text.h"

#define PDB_ID_LEN 20
#define PDB_MAX_TOTAL (96u << 20) /* bytes of all PDBs in memory */

struct pdb;

/**
 * pdb_new() - parse a portable PDB
 * @pdb:	the new object, free with pdb_free()
 * @bytes:	bytes of the file, from malloc(); owned by @pdb on success
 *
 * Return: 0, -ENOEXEC (no portable PDB, or crafted data) or -ENOMEM (also if the PDBs in memory
 * have PDB_MAX_TOTAL bytes).
 */
int pdb_new(struct pdb **pdb, u8 *bytes, size_t len);
void pdb_free(struct pdb **pdb);

/* Returns the id, of PDB_ID_LEN bytes, by which the assembly refers to the PDB. */
const u8 *pdb_id(const struct pdb *pdb);

struct pdb_line {
	u32 line; /* from 1 */
	u32 start_line, start_column; /* the method's first visible point in that document */
};

/**
 * pdb_line() - find the line of a method at an IL offset
 * @method_row:	row of MethodDef
 * @file:	the document's name is appended on success
 *
 * The line is that of the last visible point at or before the offset.
 *
 * Return: 0, -ENOENT (the method has no line at this IL offset) or -ENOEXEC (crafted data).
 */
int pdb_line(const struct pdb *pdb, u32 method_row, u32 il, struct pdb_line *line,
	     struct text *file);
