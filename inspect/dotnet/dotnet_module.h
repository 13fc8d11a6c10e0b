/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where a module's metadata lies in memory. */

#include "dotnet_runtime.h"
#include "metadata.h"

struct pdb;

/* An assembly in the process; as long as its Module says the same, and its MVID is there. */
struct dotnet_module {
	u64 addr; /* of the Module */
	u64 name_addr, base_addr; /* as read from it */
	bool is_dynamic; /* made while the program runs, and not for good yet */
	char name[256];
	struct metadata metadata;
	u64 mvid_addr; /* 0: it has none */
	u8 mvid[16]; /* no other build of an assembly has it */
	const char *reason; /* why there is no metadata, or NULL */
	struct pdb *pdb; /* NULL: there is none, or it was not sought yet */
	bool was_pdb_sought;
};

/* The module, with or without metadata; valid as long as the runtime object. */
int dotnet_module_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_module **module);
