/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A portable PDB made by hand from its specification: documents "/src/one.cs" (1) and "/src/two.cs"
 * (2). Methods 1 and 3 have the given sequence points: those of method 1 are in document 1, and the
 * points of method 3 specify their documents. Method 2 has none.
 */

#include <stddef.h>

#include "../../core/types.h"

struct fake_pdb {
	u8 bytes[2048];
	u32 len;
};

/* @points1, @points3: blobs without their lengths, each at most 100 bytes. */
void fake_pdb_make(struct fake_pdb *p, const u8 *points1, u32 len1, const u8 *points3, u32 len3);

/*
 * Sequence points of each kind: fake_points1 are in one document, fake_points3 in both documents.
 */
extern const u8 fake_points1[], fake_points3[];
extern const u32 fake_points1_len, fake_points3_len;
