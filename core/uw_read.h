/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Reads of the target's memory, and additions to the sample. A read costs about the same
 * for any length, so the walk reads each object with one call, and caches a piece of the
 * stack in a window:
 *
 *	win_addr                                    next 4 KiB boundary
 *	   |<------------- win_len <= 1 KiB ------------>|
 *	   |  frame n  |  frame n+1  |  frame n+2  | ... |
 *
 * A window crosses a page boundary only if the requested bytes do. So filling a window
 * never faults if a read of just the requested bytes would succeed.
 */

#include "port.h"

/* Reads target memory and counts the read; if it fails, records the address. Returns 0 or -14. */
UW_INLINE long uw_read(struct uw_state *u, void *dst, u32 len, u64 addr)
{
	long err = port_read_user(dst, len, addr);

	u->sample.n_reads++;
	if (err)
		u->sample.fault_addr = addr;
	return err;
}

/* Reads an object with the type of *@obj. */
#define read_user(u, obj, addr) uw_read(u, obj, sizeof(*(obj)), addr)

/**
 * uw_window() - read stack memory, from the window if it has the bytes
 * @u:		walk state
 * @addr:	address of the first byte
 * @len:	constant, at most UW_WINDOW_USE
 *
 * Return: @len bytes, valid until the next call; NULL if the read faulted.
 */
UW_INLINE const u8 *uw_window(struct uw_state *u, u64 addr, u32 len)
{
	u64 off = addr - u->win_addr;

	if (off > UW_WINDOW_LEN || off + len > u->win_len) {
		u64 room = UW_PAGE_LEN - (addr & (UW_PAGE_LEN - 1));
		u32 n = room < UW_WINDOW_LEN ? (u32)room : UW_WINDOW_LEN;

		if (n < len)
			n = len;
		u->win_addr = addr;
		u->win_len = 0;
		if (uw_read(u, u->win, n, addr))
			return NULL;
		u->win_len = n;
		off = 0;
	}
	return u->win + port_index(off, UW_WINDOW_LEN - 1);
}

/* Returns the 8-byte word at @p, which points into the window. */
UW_INLINE UW_UNALIGNED u64 uw_word(const u8 *p)
{
	return *(const u64 *)p;
}

/**
 * uw_new_frame() - append a frame to the sample
 *
 * Return: the frame, all zero except @pc, or NULL if the sample is full.
 */
UW_INLINE struct uw_frame *uw_new_frame(struct uw_state *u, u64 pc)
{
	u32 n = u->sample.n_frames;
	struct uw_frame *f;

	if (n >= UW_MAX_FRAMES)
		return NULL;
	f = &u->sample.frames[port_index(n, UW_MAX_FRAMES - 1)];
	*f = (struct uw_frame){ .pc = pc };
	u->sample.n_frames = (u16)(n + 1);
	return f;
}
