/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A recorded case: everything that one walk read from a process, in one file that can be replayed
 * on any machine. The file is a sparse ELF core, so gdb and readelf open it:
 *
 *	ELF header    ET_CORE, the target's machine
 *	PT_NOTE       NT_PRSTATUS, NT_AUXV, NT_FILE, and a note "Unspool": JSON
 *	PT_LOAD ...   the known bytes, sorted by address
 *
 * An address is in exactly one of three states: known (it is in a PT_LOAD), a fault (the walk
 * failed to read it; listed in the note), or not recorded.
 *
 *	capture, simulator --> struct case_file --> case_write() --> NAME.core[.zst]
 *	frozen walk -------->        "         --> case_make() --> in the recorder's dump
 *	replay, show       <-- struct case_file <-- case_read()  <--
 *
 * A writer fills a struct case_file with borrowed pointers. The struct case_file of
 * case_read() owns everything it points to.
 */

#include "../../core/native/row.h"
#include "../../core/uw_frame.h"
#include "../../core/uw_mapping.h"
#include "../../core/v8/v8_info.h"

#define CASE_FORMAT 1

enum case_arch { CASE_X86_64, CASE_ARM64, CASE_N_ARCHS };

/* The origin of bytes. */
enum case_origin {
	CASE_BY_WALK, /* read by the walk itself */
	CASE_COPIED, /* copied by user space right after the walk; may have changed since */
	CASE_N_ORIGINS
};

/* The kind of data in a range, as far as the writer knows it. */
enum case_holds { CASE_OTHER, CASE_STACK, CASE_HEAP, CASE_STRINGS, CASE_CODE, CASE_N_HOLDS };

#define CASE_MAX_REGS 34

struct case_regs {
	u64 pc, sp, fp;
	u64 lr; /* 0 if the architecture has none */
	bool has_all; /* false: only pc, sp, fp and lr are known */
	u64 all[CASE_MAX_REGS]; /* in the order of PTRACE_GETREGSET's NT_PRSTATUS */
};

struct case_mapping {
	struct uw_mapping map; /* the mapping in the walk's tables */
	const char *path; /* NULL: unknown */
	const char *build_id; /* hex, NULL: unknown */
};

/* Bytes of one origin and one kind, of any length. Ranges are sorted and do not overlap. */
struct case_range {
	u64 addr, len;
	const u8 *bytes; /* NULL only for a plain core, which case_bytes() reads */
	u8 origin; /* enum case_origin */
	u8 holds; /* enum case_holds */
	u8 prot; /* PF_R, PF_W, PF_X of <elf.h> */
};

/*
 * Unreadable memory: reads that touch it fail. Faults are sorted and overlap neither each other nor
 * a range.
 */
struct case_fault {
	u64 addr, len;
};

#define CASE_MAX_ROWS 2000 /* a walk uses at most one row per frame */

/*
 * The unwind row that the walk used for a pc in a module, or the fact that no row covered the pc.
 */
struct case_row {
	u32 module; /* module id, as in mappings; not 0 */
	u64 file_off; /* of the pc */
	struct uw_rule rule; /* cfa UW_CFA_NONE: no row covered the pc */
};

/* One read by the walk. Reads are listed in the order in which the walk made them. */
struct case_read {
	u64 addr;
	u32 len;
	bool is_fault;
};

/* A named frame, with the fields of a profile's frame. Unknown fields are NULL or 0. */
struct case_frame {
	u64 pc;
	const char *kind, *name, *file, *module, *build_id, *tier, *reason;
	u64 off; /* offset in the module; set only if there is no name */
	u32 line, column;
	bool inlined, async, guess;
};

/*
 * The result of the recorded walk, which a replay must reproduce byte for byte. The walk has user
 * frames only.
 */
struct case_walk {
	const char *engine; /* the unwinder: "kernel 6.1.0 x86_64", "native" */
	const struct uw_frame *frames; /* leaf first */
	u32 n_frames;
	u8 status; /* enum uw_status */
	u64 fault_addr;
};

/* The true stack, known from a source other than a walk. */
struct case_truth {
	const u64 *pcs; /* leaf first: pc, then return addresses */
	u32 n_pcs;
	u8 status; /* the expected enum uw_status */
};

struct case_function {
	const char *name;
	u64 start_addr, len;
};

/* A mapping of a file, of code or data, as in /proc/PID/maps. */
struct case_map_file {
	u64 start_addr, end_addr; /* multiples of 4096 */
	u64 file_off; /* a multiple of 4096 */
	const char *path;
};

struct case_aux {
	u64 type, value; /* type is AT_* of <elf.h>; AT_NULL is omitted */
};

struct case_file {
	enum case_arch arch;
	struct case_regs regs;
	u64 va_mask; /* as in struct uw_state */
	u64 extent; /* index of first mapping << 32 | number of mappings; 0: no tables */
	const struct case_mapping *mappings; /* the pool of mappings that extent refers to */
	const struct v8_info *v8_builds; /* indexed by a mapping's info_idx; shared_off 0:
					  * unknown build */
	const struct case_row *rows; /* sorted by module and file_off */
	const struct case_range *ranges;
	const struct case_fault *faults;
	const struct case_read *reads; /* reads of the recorded walk */
	const struct case_frame *frames; /* expected frames with names; if there are none,
					  * walk->frames are expected */
	const struct case_function *functions; /* sorted by address */
	const struct case_map_file *files; /* sorted by address */
	const struct case_aux *auxv;
	const struct case_walk *walk; /* NULL: no walk is recorded */
	const struct case_truth *truth; /* NULL: unknown, or withheld */
	u32 n_mappings, n_v8_builds, n_ranges, n_faults, n_reads, n_frames, n_functions, n_files,
		n_auxv, n_rows;
	u32 pid, tid;
	const char *runtime; /* "Node.js 24.21.0"; NULL: native only */
	const char *version; /* version of the unspool that wrote the case; case_write() takes
			      * NULL for this unspool */
	bool is_redacted; /* private data was blanked */
	bool is_plain_core; /* the case was read from a core without unspool's note */
};

#define CASE_ERROR_LEN 320

struct case_error {
	char text[CASE_ERROR_LEN]; /* one line: "FILE: problem" */
};

/**
 * case_write() - write a case, completely or not at all
 * @path:	must end in ".core", or in ".core.zst" to compress the case; the file is replaced
 *	atomically and has mode 0600
 * @error:	may be NULL
 *
 * Bytes of text that are not UTF-8 are replaced by U+FFFD.
 *
 * Return: 0; -EINVAL for an invalid case (unsorted, overlapping; see @error), -E2BIG,
 * -ENOMEM, or the errno of writing.
 */
int case_write(const struct case_file *c, const char *path, struct case_error *error);

/**
 * case_make() - make the bytes that case_write() writes
 * @is_zst:	compress the case, as in NAME.core.zst
 * @error:	may be NULL
 * @bytes:	free() it
 *
 * Return: as case_write(), except for errors of writing.
 */
int case_make(const struct case_file *c, bool is_zst, struct case_error *error, u8 **bytes,
	      size_t *len);

/**
 * case_read() - read a case, or a plain core (gcore, the kernel's)
 * @path:	any name; the content decides whether it is compressed
 * @error:	may be NULL
 * @out:	free with case_free()
 *
 * The file is not trusted. A case of at most 256 MiB is read into memory completely; of a plain
 * core only the bytes that case_bytes() requests are read.
 *
 * Return: 0 or a negative errno with @error set: -ENOEXEC for a broken or inconsistent
 * file, -ENOTSUP for another machine or format, -EFBIG, -ENOMEM, -EINVAL for anything but
 * a regular file, or the errno of opening and reading.
 */
int case_read(const char *path, struct case_error *error, struct case_file **out);
void case_free(struct case_file **c);

/**
 * case_bytes() - read recorded memory of the target
 * @c:		from case_read()
 *
 * Return: 0; -EFAULT when any byte lies in a fault; otherwise -ENODATA when any byte is
 * not recorded; or the errno of reading the file. @dst is written only on success.
 */
int case_bytes(const struct case_file *c, u64 addr, void *dst, u32 len);

/**
 * case_plain_add_rows() - add the unwind rows that a walk over a plain core lacked
 * @c:		a case from case_read() with is_plain_core; rows are added to it
 * @frames:	frames of the walk; missing rows are computed from the files that contain the
 *		code of the frames
 *
 * Return: the number of rows that were added, or -ENOMEM. 0 means that a second walk would find
 * the same frames.
 */
int case_plain_add_rows(struct case_file *c, const struct uw_frame *frames, u32 n_frames);

/* Gets the scratch registers of struct uw_regs; unknown registers are 0. */
void case_scratch(const struct case_file *c, u64 scratch[UW_N_SCRATCH]);

/* Sets the scratch registers. If a scratch register is not 0, @c's regs.has_all becomes true. */
void case_set_scratch(struct case_file *c, const u64 scratch[UW_N_SCRATCH]);

/* The process's own build of V8: the last one in the walk's tables; NULL: none. */
const struct v8_info *case_v8(const struct case_file *c);

/* "x86_64", "arm64". */
const char *case_arch_name(enum case_arch arch);

/*
 * The word that profiles use for the class of a status: "complete", "truncated" or "failed";
 * "frame" for a status of a single frame.
 */
const char *case_status_class(u8 status);

/*
 * The "kind" that profiles use for an enum uw_kind; NULL: the "kind" also depends on data other
 * than the enum uw_kind.
 */
const char *case_profile_kind(u8 kind);

/**
 * case_note_text() - format the note as the JSON text of CASE.json, one line for each frame, read
 *	and range
 *
 * The text is ASCII without control characters, so it is safe to print on a terminal.
 *
 * Return: the text, to be freed with free(), or NULL if out of memory.
 */
char *case_note_text(const struct case_file *c);
