/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The executable mappings of a process. The mappings are sorted and never overlap. A process and
 * the children that it forks share a set until the mappings of one of them change. The set
 * includes memory that a JIT has reserved for more code (maps_each_code()).
 *
 * The kernel sends no event for munmap, so a mapping in the set may be stale until a new mapping
 * replaces it. When memory becomes executable again, the kernel sends a new event.
 */

#include "../../core/types.h"
#include "process_event.h"

#define MAPPINGS_MAX 16384 /* mappings of one process; further mappings are only counted */

/* A path with a reference count, because many mappings have the same path. */
struct path_ref {
	u32 n_refs;
	char text[];
};

struct mapping {
	u64 start_addr, end_addr, file_off;
	u64 inode, inode_gen; /* inode 0: no file */
	u32 dev_major, dev_minor;
	u64 seen_ns; /* CLOCK_MONOTONIC time at which the mapping existed */
	u32 module; /* module id, for naming frames; 0: not looked up yet */
	bool is_anon;
	struct path_ref *path;
};

struct mappings {
	u32 n_refs;
	u32 n, cap;
	u32 n_dropped; /* mappings dropped for lack of room */
	struct mapping *v;
};

/* Return: an empty set, owned by the caller; NULL if out of memory. */
struct mappings *mappings_new(void);
struct mappings *mappings_ref(struct mappings *m);
void mappings_unref(struct mappings **m);

/**
 * mappings_add() - add an executable mapping, which replaces the mappings that it overlaps
 * @m:		the set, which is replaced by a private copy if it is shared
 * @map:	copied, including its path
 * @seen_ns:	CLOCK_MONOTONIC
 *
 * Cuts or splits mappings that the new one overlaps, as the kernel does. Joins adjacent anonymous
 * mappings. Therefore a JIT's code stays one range even if the JIT changes the protection of one
 * page after the other.
 *
 * Return: 0, -E2BIG (too many mappings: @map is only counted in n_dropped, but overlapped mappings
 * are cut), -ENOMEM, -EINVAL (empty or wrapping range).
 */
int mappings_add(struct mappings **m, const struct process_mmap_event *map, u64 seen_ns);

/* The mapping that covers an address, or NULL. Valid until the set changes. */
struct mapping *mappings_find(const struct mappings *m, u64 addr);
