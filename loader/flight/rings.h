/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The memory of a flight recorder: three BPF maps, mapped. They are this process's own, or
 * were found pinned; then whoever pinned them may have put anything into them.
 *
 *	rings     a ring a CPU, and the last one the recorder's own    read here
 *	control   struct flight_control                                written here
 *	names     struct fl_names                                      read here
 */

#include "../../inspect/flight/fl_dump.h"

#define RINGS_NAME_WORDS 8192 /* 64 KiB of names */
#define RINGS_LOADER 0xffffffffu /* the recorder's own ring, as a CPU */

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
 * rings_map() - map the three
 * @fds:	borrowed
 * @is_owner:	rings and names are written, too
 * @out:	ends with rings_unmap()
 *
 * Return: 0, -EBADMSG: these are no such maps; or a negative errno.
 */
int rings_map(const struct rings_fds *fds, bool is_owner, struct rings *out);
void rings_unmap(struct rings *r);

/* Ring @i; its CPU, or RINGS_LOADER. */
struct fl_ring rings_at(const struct rings *r, u32 i);
u32 rings_cpu(const struct rings *r, u32 i);

/* How long ago the oldest walk in ring @i began, or the oldest of what the recorder said; 0: none.
 */
u64 rings_age_ns(const struct rings *r, u32 i);

/**
 * rings_to_dump() - all of it, as it can be written
 * @out:	borrows from @r; its rings are to be freed
 *
 * Return: 0 or -ENOMEM.
 */
int rings_to_dump(const struct rings *r, struct fl_dump *out);

/* What the numbers of this build mean, in a number: rings of another build aren't read. */
u32 rings_format(void);
