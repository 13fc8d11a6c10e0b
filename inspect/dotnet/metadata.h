/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * ECMA-335 metadata: the tables and heaps that describe an assembly, or a portable PDB.
 * Nothing is cached: each access reads the target's memory.
 */

#include "../target/target.h"

/* Table numbers (ECMA-335 II.22; those from 0x30 on are in the specification of portable PDBs). */
enum metadata_table {
	METADATA_MODULE = 0x00,
	METADATA_TYPE_REF = 0x01,
	METADATA_TYPE_DEF = 0x02,
	METADATA_FIELD_PTR = 0x03,
	METADATA_FIELD = 0x04,
	METADATA_METHOD_PTR = 0x05,
	METADATA_METHOD_DEF = 0x06,
	METADATA_PARAM_PTR = 0x07,
	METADATA_TYPE_SPEC = 0x1b,
	METADATA_ASSEMBLY = 0x20,
	METADATA_NESTED_CLASS = 0x29,
	METADATA_GENERIC_PARAM = 0x2a,
	METADATA_DOCUMENT = 0x30,
	METADATA_METHOD_DEBUG = 0x31,
};

/* Column numbers of those tables. */
enum {
	TYPE_REF_SCOPE = 0,
	TYPE_REF_NAME = 1,
	TYPE_REF_NAMESPACE = 2,
	TYPE_DEF_NAME = 1,
	TYPE_DEF_NAMESPACE = 2,
	TYPE_DEF_FIELDS = 4,
	TYPE_DEF_METHODS = 5,
	FIELD_NAME = 1,
	METHOD_DEF_IMPL_FLAGS = 1,
	METHOD_DEF_NAME = 3,
	METHOD_DEF_SIGNATURE = 4,
	TYPE_SPEC_SIGNATURE = 0,
	ASSEMBLY_NAME = 7,
	NESTED_CLASS_NESTED = 0,
	NESTED_CLASS_ENCLOSING = 1,
	GENERIC_PARAM_NUMBER = 0,
	GENERIC_PARAM_OWNER = 2,
	GENERIC_PARAM_NAME = 3,
	MODULE_MVID = 2,
	DOCUMENT_NAME = 0,
	METHOD_DEBUG_DOCUMENT = 0,
	METHOD_DEBUG_POINTS = 1,
};

#define METADATA_TABLES 64
#define METADATA_COLUMNS 9

struct metadata_heap {
	u64 addr;
	u32 len;
};

struct metadata {
	struct target *target;
	u64 addr;
	u32 len;
	struct metadata_heap strings, blobs, guids, pdb;
	/*
	 * Indexes of a heap have 4 bytes instead of 2 if its bit is set: bit 0 strings, 1 GUIDs, 2
	 * blobs.
	 */
	u8 heap_widths;
	u32 rows[METADATA_TABLES];
	u32 shared_rows[METADATA_TABLES]; /* row counts of the assembly that a PDB belongs to */
	u32 row_len[METADATA_TABLES];
	u64 table_addr[METADATA_TABLES];
};

/**
 * metadata_init() - read the root of metadata
 * @m:		filled on success
 * @addr:	address of the root ("BSJB")
 * @len:	upper limit of the metadata's length
 *
 * Checks that tables and heaps lie within @len, so that all later reads are within @len.
 *
 * Return: 0, -ENOEXEC (no metadata, or crafted data), -ENOTSUP (a stream "#-" with unsorted rows)
 * or the errno of reading.
 */
int metadata_init(struct metadata *m, struct target *t, u64 addr, u32 len);

/*
 * Reads a cell of a table; the first row has number 1. Returns 0, -ENOENT (no such row) or the
 * errno of reading.
 */
int metadata_cell(const struct metadata *m, enum metadata_table table, u32 row, u32 column,
		  u32 *value);

/* Reads a string of the heap; -E2BIG if the string and its NUL exceed @len. */
int metadata_string(const struct metadata *m, u32 idx, char *dst, size_t len);

/* Gets the address and length of a blob. */
int metadata_blob(const struct metadata *m, u32 idx, u64 *addr, u32 *len);

/**
 * metadata_last_row() - find the last row whose value in a column is at most @value
 *
 * Only for columns that ECMA-335 requires to be sorted; if a table is unsorted, the row is
 * arbitrary.
 *
 * Return: 0 or -ENOENT (no such row).
 */
int metadata_last_row(const struct metadata *m, enum metadata_table table, u32 column, u32 value,
		      u32 *row);
