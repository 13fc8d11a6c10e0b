/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The profile while it is recorded: interns frames and stacks, counts, and
 * appends JSON lines to a stream (the .partial file). What is in memory is
 * bounded: when the intern tables are full they are emptied and ids go on, so a
 * later line may define the same frame anew.
 *
 * Line types and keys: docs/profile.md.
 */

#include <stdio.h>

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
	u32 line, column; /* 1-based, 0: unknown */
	const char *module;
	const char *build_id; /* hex */
	u64 off; /* of an unnamed frame, in its module (native) or address (others) */
	bool has_off;
	const char *tier;
	bool inlined, async, guess;
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

/* What the recorder counted; the rest of the summary the profile counts itself. */
struct prof_totals {
	u64 lost, cpu_ns, bpf_ns;
};

struct profile;

/**
 * profile_new() - start a profile that is appended to @out
 * @profile:	the new profile, free with profile_free()
 * @out:	borrowed; must stay open until profile_free()
 *
 * Return: 0 or a negative errno (-ENOMEM, or that of the first write).
 */
int profile_new(struct profile **profile, FILE *out, const struct prof_header *header);
void profile_free(struct profile **profile);

/* Each of these: 0 or a negative errno; ids are 1-based. */
int profile_frame(struct profile *p, const struct prof_frame *f, u32 *id);
int profile_stack(struct profile *p, const struct prof_stack *s, u32 *id);
int profile_process(struct profile *p, const struct prof_process *proc);
int profile_thread(struct profile *p, u32 pid, u32 tid, const char *name);

/**
 * profile_sample() - count one sample
 * @t_us:	microseconds since the start
 * @unresolved: the target died before its frames could be named
 *
 * Samples are kept back and written as one line a (pid, tid, stack) by
 * profile_flush(), which this calls when it has kept enough.
 */
int profile_sample(struct profile *p, u32 pid, u32 tid, u32 stack, u64 t_us,
		   enum prof_activity activity, bool unresolved);
int profile_flush(struct profile *p);

/* Writes the summary line and flushes the stream. Call once, at the end, or for a copy so far. */
int profile_finish(struct profile *p, const struct prof_totals *totals);

/* Figures for the progress line. */
u64 profile_n_samples(const struct profile *p);
u64 profile_n_complete(const struct profile *p);
