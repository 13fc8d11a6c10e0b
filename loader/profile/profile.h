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

#define PROF_BUDGET (16u << 20)
#define PROF_MIN_BUDGET (2u << 20)

struct profile;

/**
 * profile_new() - start a profile that is appended to @out
 * @profile:	the new profile, free with profile_free()
 * @out:	borrowed; must stay open until profile_free(); opened for reading
 *		too ("w+") when profile_copy() is to work
 *
 * Return: 0 or a negative errno (-ENOMEM, or that of the first write).
 */
int profile_new(struct profile **profile, FILE *out, const struct prof_header *header);
void profile_free(struct profile **profile);

/**
 * profile_set_budget() - how many bytes the profile may hold, PROF_BUDGET unless told
 *
 * To be called before the first frame; at least PROF_MIN_BUDGET.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int profile_set_budget(struct profile *p, size_t bytes);

/*
 * Each of these: 0 or a negative errno; ids are 1-based. The first failed write
 * (and lack of memory in one) is final: it is returned by every call from then
 * on, because lines that later ones refer to may be missing.
 */

/**
 * profile_frame() - the id of a frame, which is written if it is new
 * @id:		stays good while less than 2^20 younger frame ids are given out (at
 *		PROF_BUDGET): a caller that keeps ids must ask anew when
 *		profile_stack() says -ESTALE
 */
int profile_frame(struct profile *p, const struct prof_frame *f, u32 *id);

/**
 * profile_stack() - the id of a stack, which is written if it is new
 * @id:		for the samples that follow at once; ask anew for later ones
 *
 * Return: 0, -E2BIG for more than PROF_MAX_FRAMES frames, -ESTALE for a frame id
 * that is too old, -EINVAL for one that was never given out or for a status that
 * is not a stack's (UW_F_*), or the error of a write.
 */
int profile_stack(struct profile *p, const struct prof_stack *s, u32 *id);

/* Both write the samples kept so far first: those belong to what was there before. */
int profile_process(struct profile *p, const struct prof_process *proc);
int profile_thread(struct profile *p, u32 pid, u32 tid, const char *name);

/**
 * profile_sample() - count one sample
 * @t_us:	microseconds since the start
 * @activity:	what the recorder knows the process to do; of the leaf's kind as a rule
 * @unresolved: the target died before its frames could be named
 *
 * Samples are kept back and written as one line a (pid, tid, stack) by
 * profile_flush(), which this calls when it has kept enough.
 *
 * Return: 0, -ESTALE or -EINVAL for a stack id as profile_stack() has them for
 * frames, or the error of a write.
 */
int profile_sample(struct profile *p, u32 pid, u32 tid, u32 stack, u64 t_us,
		   enum prof_activity activity, bool unresolved);

/* Writes the samples kept so far and flushes the stream. */
int profile_flush(struct profile *p);

/* Writes samples and the summary line and flushes the stream. Call once, at the end. */
int profile_finish(struct profile *p, const struct prof_totals *totals);

/**
 * profile_copy() - write a complete profile of what was seen so far
 * @to:		gets the bytes of the profile's stream and a summary
 *
 * The profile goes on as if nothing had happened.
 *
 * Return: 0 or a negative errno: -EBADF when the stream can't be read.
 */
int profile_copy(struct profile *p, const struct prof_totals *totals, FILE *to);

/* 0, or the first failed write: from then on the file is cut, its summary would lie. */
int profile_error(const struct profile *p);

/* Figures for the progress line. */
u64 profile_n_samples(const struct profile *p);
u64 profile_n_complete(const struct profile *p);
