/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The three BPF maps of a flight recorder, mapped into memory. The maps belong to this
 * process, or another process pinned them; in the latter case their contents are not
 * trusted.
 *
 *	rings     one ring per CPU, the last one for the recorder      read here
 *	control   struct flight_control                                written here
 *	names     struct fl_names                                      read here
 */

#include "../../inspect/flight/fl_dump.h"

#define RINGS_NAME_WORDS 8192 /* 64 KiB of names */
#define RINGS_LOADER 0xffffffffu /* in place of a CPU number: the recorder's own ring */

struct rings {
	u8 *memory; /* n rings of ring_len bytes */
	u64 ring_len;
	u32 n;
	struct flight_control *control;
	struct fl_names *names;
};

/* File descriptors of the three maps. */
struct rings_fds {
	int rings, control, names;
};

/**
 * rings_map() - map the three maps
 * @fds:	borrowed
 * @is_owner:	also map rings and names writable
 * @out:	unmap with rings_unmap()
 *
 * Return: 0, -EBADMSG if the maps have another layout, or a negative errno.
 */
int rings_map(const struct rings_fds *fds, bool is_owner, struct rings *out);
void rings_unmap(struct rings *r);

/* Ring @i, and its CPU or RINGS_LOADER. */
struct fl_ring rings_at(const struct rings *r, u32 i);
u32 rings_cpu(const struct rings *r, u32 i);

/*
 * Age of the oldest walk in ring @i, or of the oldest entry in the recorder's own ring; 0:
 * the ring is empty.
 */
u64 rings_age_ns(const struct rings *r, u32 i);

/**
 * rings_to_dump() - make a dump of all rings
 * @out:	points into @r, except that its rings are allocated; the caller frees them
 *
 * Return: 0 or -ENOMEM.
 */
int rings_to_dump(const struct rings *r, struct fl_dump *out);

/*
 * A hash of the version and of the meaning of all event and status numbers. Rings of a
 * build with another hash are rejected.
 */
u32 rings_format(void);
