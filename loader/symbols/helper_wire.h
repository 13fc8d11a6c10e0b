/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Messages between the recorder and its helper, one packet each. Both programs are of the same
 * build, but the recorder validates answers like the contents of files, because the helper reads
 * hostile files.
 *
 *	HELPER_OPEN, the file and the root to search as descriptors, the path, 0, and that of
 *	a debug file that was fetched, or nothing
 *		-> flags, why; the debug file and .gnu_debugdata as descriptors
 *	HELPER_LINES, an address
 *		-> n_frames, each struct helper_frame, name, 0, file, 0
 */

#include "../../core/types.h"

#define HELPER_MAX_PACKET 65536
#define HELPER_MAX_PATH 4096
#define HELPER_MAX_WHY 192

enum helper_kind { HELPER_OPEN, HELPER_LINES };

/* Flags of the answer to HELPER_OPEN. */
#define HELPER_HAS_LINES 1u
/*
 * The first descriptor is a file that has what was stripped from the module: the .symtab, or
 * only the call frame information.
 */
#define HELPER_HAS_DEBUG 2u
#define HELPER_HAS_MINI 4u /* the next descriptor is the file in .gnu_debugdata */
#define HELPER_LACKS_DEBUG 8u /* a debug file would add information, but none was found */

struct helper_ask {
	u32 kind; /* enum helper_kind */
	u32 module;
	u64 addr;
	u32 has_root; /* the second descriptor is present */
	char path[2 * HELPER_MAX_PATH];
};

struct helper_answer {
	u32 kind, module;
	u64 addr;
	s32 err; /* -ENOENT: no lines at this address; other errors: no more lines of this
		  * module, see why */
	u32 flags, n_frames;
	u32 text_len; /* length of the frames that follow */
	char why[HELPER_MAX_WHY];
};

struct helper_frame {
	u32 line, column, start_line;
	u32 inlined;
};
