/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A .NET process under test, and the data that a recorder would have: the mappings, including
 * CoreCLR's code ranges, and the unwind rows of each mapped file. The core walks the process's
 * threads.
 */

#include "../../core/uw_state.h"
#include "../../inspect/unwind/rules.h"
#include "../../loader/rows/row_files.h"
#include "../../inspect/target/map_list.h"
#include "live_cpu.h"
#include "live_dotnet.h"

#define LIVE_CLR_FILES 512

struct live_clr {
	struct live_dotnet net;
	struct live_cpu cpu; /* the traced thread; tid 0: none */
	u64 enter_addr; /* address that the program printed before "ready"; 0: none */
	struct map_list maps;
	char *files[LIVE_CLR_FILES]; /* paths of files; the index is module - 1 */
	u32 n_files;
	struct row_files *row_files;
	struct rules rules;
	struct live_clr_page *pages; /* pages that were read */
	struct uw_state walk;
};

/*
 * Starts a program with one argument, and waits until the program prints "ready". All functions
 * here return 0 or a negative errno.
 */
int live_clr_start(struct live_clr *c, char *program, char *arg);
void live_clr_end(struct live_clr *c);

/* Selects the thread with this name; -ESRCH: there is none. */
int live_clr_thread(const struct live_clr *c, const char *name);

int live_clr_read_mappings(struct live_clr *c);
const struct uw_mapping *live_clr_mapping(const struct live_clr *c, u64 pc);
int live_clr_walk(struct live_clr *c);
