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

/* What the process was doing: class of the leaf. */
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

/* A named frame. Strings are borrowed, UTF-8 (anything else is mended), may be NULL. */
struct prof_frame {
	enum prof_kind kind;
	const char *name;
	const char *file;
	u32 line, column; /* executed; 1-based, 0: unknown */
	u32 start_line, start_column; /* of the function; the same */
	/* Where V8 ran it, if all of these are of a source by its source map; NULL, 0: they are
	 * not. */
	const char *generated_file;
	u32 generated_line, generated_column; /* executed */
	const char *module;
	const char *build_id; /* hex */
	u64 off; /* of an unnamed frame, in its module (native) or address (others) */
	bool has_off;
	const char *tier;
	bool inlined, async, guess;
	bool ignored; /* of third-party code, by the source map's ignoreList */
	const char *reason; /* why the identity is missing, or NULL */
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

/* Unwind rows that the recorder brought to the kernel: the summary's "rows". */
struct prof_rows {
	u64 budget; /* bytes; 0: it had none */
	u64 pages, rows; /* there at the end */
	u64 evicted; /* pages that made room for others */
	u64 refetched; /* pages that came back after that */
	u64 refused; /* pages that found no room, or no place for their rules */
	u64 failed; /* pages whose file could not be read */
};

/* What the recorder counted; the rest of the summary the profile counts itself. */
#define PROF_N_BUCKETS 32

/* Walks that the flight recorder has timed: how many took 2^i ns and more, and as much a frame. */
struct prof_walks {
	u64 n, ns, frames;
	u64 uncounted; /* entries of the recorder that were overwritten before they were counted */
	u64 entry_ps; /* what an entry took when it was tried before the recording; 0: not known */
	u64 walk_ns[PROF_N_BUCKETS], frame_ns[PROF_N_BUCKETS];
};

struct prof_totals {
	u64 lost;
	u64 lost_events; /* of processes: births, deaths, mappings */
	u64 cpu_ns; /* CPU time of the recorder itself */
	u64 bpf_ns; /* time in its BPF program, all CPUs */
	u64 duration_ns; /* of the recording, so far */
	struct prof_rows rows;
	struct prof_walks walks; /* n 0: none were timed */
};

/* A stack of more frames is refused. UW_MAX_FRAMES frames and what is inlined in them. */
#define PROF_MAX_FRAMES 8192
