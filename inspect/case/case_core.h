/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A parsed ELF core. Private to inspect/case. */

#include "case_source.h"

/* A PT_LOAD of the core. */
struct core_segment {
	u64 addr, len; /* the mapping in the process */
	u64 off, file_len; /* the part of the mapping that is in the core file */
	u8 prot;
};

struct core {
	struct case_source source;
	enum case_arch arch;
	struct core_segment *segments; /* sorted by address, not overlapping */
	u32 n_segments;
	u64 regs[CASE_MAX_REGS]; /* registers of the first thread */
	bool has_regs;
	u32 tid;
	u64 pac_mask; /* mask of the PAC bits in a code pointer; 0: not recorded */
	struct case_map_file *files; /* sorted by address; paths point into the note */
	struct case_aux *auxv;
	u32 n_files, n_auxv;
	const char *note; /* JSON text of unspool's note; NULL: the core has none */
	size_t note_len;
	u64 notes_len; /* of all note segments */
};

/**
 * core_open() - read headers and notes
 * @out:	close with core_close(), also after a failure
 *
 * After success, every file offset lies within the file and every segment within the address space.
 *
 * Return: 0 or a negative errno with @error set.
 */
int core_open(const char *path, struct case_error *error, struct core *out);
void core_close(struct core *core);

/* The segment that contains @addr, or NULL. */
const struct core_segment *core_segment_at(const struct core *core, u64 addr);

/* Index of the file mapping that contains @addr; returns n_files if there is none. */
u32 core_file_at(const struct core *core, u64 addr);
