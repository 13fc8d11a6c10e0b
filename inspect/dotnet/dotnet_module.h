/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The metadata of modules, in memory. */

#include "dotnet_runtime.h"
#include "metadata.h"

struct pdb;

/* An assembly in the process; valid while its Module is unchanged and its MVID is in place. */
struct dotnet_module {
	u64 addr; /* address of the Module */
	u64 name_addr, base_addr; /* members of the Module */
	bool is_dynamic; /* made at run time, and still growing */
	char name[256];
	struct metadata metadata;
	u64 mvid_addr; /* address of the MVID; 0: none */
	u8 mvid[16]; /* unique to a build of an assembly */
	const char *reason; /* why there is no metadata, or NULL */
	struct pdb *pdb; /* NULL: no PDB, or not looked for yet */
	bool was_pdb_sought;
};

/* Gets the module, with or without metadata; it is valid as long as @rt. */
int dotnet_module_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_module **module);
