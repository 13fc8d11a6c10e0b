/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds the metadata of modules in the target's memory. */

#include "dotnet_runtime.h"
#include "metadata.h"

struct pdb;

/*
 * An assembly in the process. It is valid as long as its Module is unchanged and its MVID is at
 * mvid_addr.
 */
struct dotnet_module {
	u64 addr; /* address of the Module */
	u64 name_addr, base_addr; /* values of members of the Module */
	bool is_dynamic; /* made at run time; types can still be added */
	char name[256];
	struct metadata metadata;
	u64 mvid_addr; /* address of the MVID; 0: none */
	u8 mvid[16]; /* identifies a build of an assembly */
	const char *reason; /* the reason why there is no metadata, or NULL */
	struct pdb *pdb; /* NULL if there is no PDB, or if no search has been made yet */
	bool was_pdb_sought;
};

/* Gets the module, which may lack metadata. The module is valid as long as @rt exists. */
int dotnet_module_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_module **module);
