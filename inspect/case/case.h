/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A recorded case: what one walk saw of a process, in one file that can be replayed
 * anywhere. The file is a sparse ELF core, so gdb and readelf open it:
 *
 *	ELF header    ET_CORE, the target's machine
 *	PT_NOTE       NT_PRSTATUS, NT_AUXV, NT_FILE, and a note "Unspool": JSON
 *	PT_LOAD ...   the bytes that are known, sorted by address
 *
 * An address is in one of three states, and they are never mixed up: known (in a
 * PT_LOAD), a fault (noted: the walk's read failed there), or not recorded.
 *
 *	capture, simulator --> struct case_file --> case_write() --> NAME.core[.zst]
 *	frozen walk -------->        "         --> case_make() --> in the recorder's dump
 *	replay, show       <-- struct case_file <-- case_read()  <--
 *
 * A writer fills a struct case_file with pointers to what it has; nothing is taken
 * over. A reader gets one that owns all it points to.
 */

#include "../../core/native/row.h"
#include "../../core/uw_frame.h"
#include "../../core/uw_mapping.h"
#include "../../core/v8/v8_info.h"

#define CASE_FORMAT 1

enum case_arch { CASE_X86_64, CASE_ARM64, CASE_N_ARCHS };

/* Where bytes come from. */
enum case_origin {
	CASE_BY_WALK, /* the walk itself read them, at its time */
	CASE_COPIED, /* user space copied them right after: they may be newer */
	CASE_N_ORIGINS
};

/* What bytes are, as far as the writer knows. */
enum case_holds { CASE_OTHER, CASE_STACK, CASE_HEAP, CASE_STRINGS, CASE_CODE, CASE_N_HOLDS };

#define CASE_MAX_REGS 34

struct case_regs {
	u64 pc, sp, fp;
	u64 lr; /* 0 where the architecture has none */
	bool has_all; /* else only the four above are known */
	u64 all[CASE_MAX_REGS]; /* in the order of PTRACE_GETREGSET's NT_PRSTATUS */
};

struct case_mapping {
	struct uw_mapping map; /* as the walk's tables had it */
	const char *path; /* NULL: not known */
	const char *build_id; /* hex, NULL: not known */
};

/* All of one origin and kind; any length. They are sorted and do not overlap. */
struct case_range {
	u64 addr, len;
	const u8 *bytes; /* NULL only after reading a plain core: see case_bytes() */
	u8 origin; /* enum case_origin */
	u8 holds; /* enum case_holds */
	u8 prot; /* PF_R, PF_W, PF_X of <elf.h> */
};

/* Memory that cannot be read: reads that touch it fail. Sorted, no overlap, not in ranges. */
struct case_fault {
	u64 addr, len;
};

#define CASE_MAX_ROWS 2000 /* a walk uses one a frame at most */

/* The unwind row that the walk used for code of a module, or that it found none there. */
struct case_row {
	u32 module; /* as in mappings, not 0 */
	u64 file_off; /* of the code */
	struct uw_rule rule; /* cfa UW_CFA_NONE: nothing described it */
};

/* One read of the walk, in order. */
struct case_read {
	u64 addr;
	u32 len;
	bool is_fault;
};

/* A frame for people, in the profile's schema. What is unknown is NULL or 0. */
struct case_frame {
	u64 pc;
	const char *kind, *name, *file, *module, *build_id, *tier, *reason;
	u64 off; /* in the module; only without a name */
	u32 line, column;
	bool inlined, async, guess;
};

/* What the recorded walk emitted, to be replayed byte for byte. User frames only. */
struct case_walk {
	const char *engine; /* who walked: "kernel 6.1.0 x86_64", "native" */
	const struct uw_frame *frames; /* leaf first */
	u32 n_frames;
	u8 status; /* enum uw_status */
	u64 fault_addr;
};

/* What is true, known from somewhere else than a walk. */
struct case_truth {
	const u64 *pcs; /* leaf first: pc, then return addresses */
	u32 n_pcs;
	u8 status; /* enum uw_status to end with */
};

struct case_function {
	const char *name;
	u64 start_addr, len;
};

/* A mapping of a file, as /proc/PID/maps has it; all of them, not only code. */
struct case_map_file {
	u64 start_addr, end_addr; /* multiples of 4096 */
	u64 file_off; /* the same */
	const char *path;
};

struct case_aux {
	u64 type, value; /* AT_* of <elf.h>, without AT_NULL */
};

struct case_file {
	enum case_arch arch;
	struct case_regs regs;
	u64 va_mask; /* as in struct uw_state */
	u64 extent; /* first mapping << 32 | number; 0: the process had no tables */
	const struct case_mapping *mappings; /* the pool that extent points into */
	const struct v8_info *v8_builds; /* by info_idx; shared_off 0: not known */
	const struct case_row *rows; /* sorted by module and file_off */
	const struct case_range *ranges;
	const struct case_fault *faults;
	const struct case_read *reads; /* of the recorded walk */
	const struct case_frame *frames; /* expected, named; none: made of the walk's */
	const struct case_function *functions; /* sorted by address */
	const struct case_map_file *files; /* sorted by address */
	const struct case_aux *auxv;
	const struct case_walk *walk; /* NULL: none is recorded */
	const struct case_truth *truth; /* NULL: not known, or not to be told */
	u32 n_mappings, n_v8_builds, n_ranges, n_faults, n_reads, n_frames, n_functions, n_files,
		n_auxv, n_rows;
	u32 pid, tid;
	const char *runtime; /* "Node.js 24.21.0"; NULL: native */
	const char *version; /* of the unspool that wrote it; NULL when writing: this one */
	bool is_redacted; /* what is private was blanked */
	bool is_plain_core; /* read from a core that is no case: it records all it has */
};

#define CASE_ERROR_LEN 320

struct case_error {
	char text[CASE_ERROR_LEN]; /* one line: the file, and what is wrong with it */
};

/**
 * case_write() - write a case, whole or not at all
 * @path:	ends in ".core", or in ".core.zst" to be compressed; replaced atomically, mode 0600
 * @error:	NULL is fine
 *
 * Text that is not UTF-8 is written with U+FFFD in place of what is not.
 *
 * Return: 0, -EINVAL for a case that cannot be (unsorted, overlapping, @error says
 * what), -E2BIG, -ENOMEM, or what writing gave.
 */
int case_write(const struct case_file *c, const char *path, struct case_error *error);

/**
 * case_make() - the bytes that case_write() writes to NAME.core
 * @error:	NULL is fine
 * @bytes:	to be freed
 *
 * Return: as case_write(), but for writing.
 */
int case_make(const struct case_file *c, struct case_error *error, u8 **bytes, size_t *len);

/**
 * case_read() - read a case, or a plain core (gcore, the kernel's)
 * @path:	any name; compressed or not is told by its content
 * @error:	NULL is fine
 * @out:	ends with case_free()
 *
 * The file is hostile. A case is kept in memory as a whole, 256 MiB at most; of a
 * plain core only what case_bytes() asks for is read.
 *
 * Return: 0 or a negative errno with @error set: -ENOEXEC for a file that is broken or
 * lies, -ENOTSUP for one of another machine or format, -EFBIG, -ENOMEM, -EINVAL for
 * what is no regular file, or what opening and reading gave.
 */
int case_read(const char *path, struct case_error *error, struct case_file **out);
void case_free(struct case_file **c);

/**
 * case_bytes() - the target's memory as it is recorded
 * @c:		from case_read()
 *
 * Return: 0; -EFAULT when a byte of it lies in a fault; -ENODATA when, without such a
 * fault, a byte of it is not recorded; or what reading the file gave. @dst is only
 * written on success.
 */
int case_bytes(const struct case_file *c, u64 addr, void *dst, u32 len);

/**
 * case_plain_add_rows() - the unwind rows that a walk over a plain core has lacked
 * @c:		from case_read(), with is_plain_core; its rows change
 * @frames:	of the walk; what they have no row for is looked up in their files
 *
 * Return: how many were added, 0 when walking again would find no more; -ENOMEM.
 */
int case_plain_add_rows(struct case_file *c, const struct uw_frame *frames, u32 n_frames);

/* The registers that struct uw_regs has as scratch; 0 what is not known. */
void case_scratch(const struct case_file *c, u64 scratch[UW_N_SCRATCH]);

/* The other way; if there are any, all registers of NT_PRSTATUS count as known then. */
void case_set_scratch(struct case_file *c, const u64 scratch[UW_N_SCRATCH]);

/* The process's own build of V8, the last that the walk knew; NULL: none. */
const struct v8_info *case_v8(const struct case_file *c);

/* "x86_64", "arm64". */
const char *case_arch_name(enum case_arch arch);

/* The profile's words for an enum uw_status: "complete", "truncated", "failed"; else "frame". */
const char *case_status_class(u8 status);

/* The profile's "kind" for an enum uw_kind, as far as the walk knows it; NULL: it does not. */
const char *case_profile_kind(u8 kind);

/**
 * case_note_text() - the note as JSON, a line for each frame, read and range, as in CASE.json
 *
 * It is ASCII without control characters: nothing in it drives a terminal.
 *
 * Return: text to free(), or NULL without memory.
 */
char *case_note_text(const struct case_file *c);
