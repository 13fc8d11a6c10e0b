/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The frames, processes, stacks and counts that a profile holds. */

#include "../../core/types.h"
#include "../../core/uw_status.h"

enum prof_kind {
	PROF_JS,
	PROF_WASM,
	PROF_BUILTIN,
	PROF_REGEXP,
	PROF_STUB,
	PROF_DOTNET,
	PROF_JIT,
	PROF_NATIVE,
	PROF_KERNEL,
	PROF_N_KINDS
};

/* The activity of the process, derived from the leaf frame. */
enum prof_activity {
	PROF_ACT_JS,
	PROF_ACT_GC,
	PROF_ACT_COMPILE,
	PROF_ACT_DOTNET,
	PROF_ACT_JIT,
	PROF_ACT_NATIVE,
	PROF_ACT_KERNEL,
	PROF_N_ACTIVITIES
};

/* Reason of a frame of JavaScript whose line is unknown, because a loader generated its text. */
#define PROF_NO_SOURCE_MAP "no source map"

/* A named frame. Strings are borrowed and may be NULL; invalid UTF-8 is repaired on output. */
struct prof_frame {
	enum prof_kind kind;
	const char *name;
	const char *file;
	u32 line, column; /* position of the executed code; from 1, 0: unknown */
	u32 start_line, start_column; /* start of the function; from 1, 0: unknown */
	/*
	 * If the members above come from a source map: position in the generated code; else
	 * NULL and 0.
	 */
	const char *generated_file;
	u32 generated_line, generated_column; /* position of the executed code */
	u32 deferred; /* number of the frame in struct deferred_maps, which replaces the frame
		       * when the profile is written; 0: none */
	const char *module;
	const char *build_id; /* hex */
	u64 off; /* of a frame without a name: offset in the module if the frame is native,
		  * otherwise an address */
	bool has_off;
	/*
	 * Of a frame without a name; 0: unknown. start_off is the start of the function, counted
	 * as off. addr is for look-ups in debug information: the link-time address of the
	 * executed instruction, or, in a caller, of the last byte of the call.
	 */
	u64 start_off, addr;
	const char *tier;
	bool inlined, async, guess;
	bool ignored; /* third-party code, according to the source map's ignoreList */
	const char *reason; /* why the name is missing, or NULL */
};

struct prof_process {
	u32 pid, nspid, ppid;
	const char *name, *exe, *runtime, *cgroup, *container;
};

struct prof_header {
	u64 start_unix_ns, start_boottime_ns;
	const char *arch, *kernel, *command;
	u32 hz;
};

struct prof_stack {
	const u32 *frames; /* ids, leaf first */
	u32 n_frames;
	enum uw_status status;
};

/* Unwind rows that the recorder loaded into the kernel: the summary's "rows". */
struct prof_rows {
	u64 budget; /* bytes; 0: no budget */
	u64 pages, rows; /* pages and rows in memory at the end of the recording */
	u64 evicted; /* pages evicted to make room for others */
	u64 refetched; /* evicted pages that were loaded again */
	u64 refused; /* pages that were not loaded for lack of memory */
	u64 failed; /* pages of files that could not be read */
};

/* Counts of the recorder; the profile counts the rest of the summary itself. */
#define PROF_N_BUCKETS 32

/*
 * Times of walks, measured by the flight recorder. Histograms of times of walks, and of times
 * per frame: bucket i counts times from 2^i ns.
 */
struct prof_walks {
	u64 n, ns, frames;
	u64 uncounted; /* flight recorder entries that were overwritten before they were read */
	u64 entry_ps; /* cost of one entry, measured before the recording; 0: unknown */
	u64 walk_ns[PROF_N_BUCKETS], frame_ns[PROF_N_BUCKETS];
};

struct prof_totals {
	u64 lost;
	u64 lost_events; /* process events: starts, ends, mappings */
	u64 cpu_ns; /* CPU time of the recorder and its helper */
	u64 bpf_ns; /* time in the recorder's BPF program on all CPUs */
	u64 duration_ns; /* duration of the recording so far */
	struct prof_rows rows;
	struct prof_walks walks; /* n is 0 if no walks were timed */
};

/* Limit of frames per stack: UW_MAX_FRAMES frames plus inlined functions. */
#define PROF_MAX_FRAMES 8192
