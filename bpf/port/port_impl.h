/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* The port in the kernel: BPF helpers read memory, and the tables are in .bss. */

#include "../bpf.h"

#include "../../core/flight_walk.h"

#include <port_index.h>

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	long err = bpf_probe_read_user(dst, len, (const void *)addr);

	flight_walk_read(dst, len, addr, err);
	return err;
}

/**
 * uw_mapping_search() - find the last mapping that starts at or below pc
 * @first:	index in the pool of the process's first mapping
 * @n:		number of the process's mappings, at least 1
 * @pc:		user address
 *
 * This is a separate function with scalar arguments, so that the verifier checks it once. No branch
 * depends on the data, because each such branch would double the verifier's work; masks made from
 * sign bits select values instead.
 */
__attribute__((noinline)) u32 uw_mapping_search(u32 first, u32 n, u64 pc)
{
	u32 step = UW_MAX_MAPPINGS / 2, at = 0;

	for (int i = 0; i < 16; i++) {
		u64 probe = port_index(first + at + step, UW_MAX_MAPPINGS - 1);
		u64 below = (u64)at + step - n; /* negative: at + step < n */
		u64 after = pc - uw_mappings[probe].start_addr; /* negative if start is above pc */

		asm volatile("" : "+r"(below), "+r"(after)); /* keeps clang from using branches */
		at += step & (u32)((s64)(below & ~after) >> 63);
		step >>= 1;
	}
	return first + at;
}

UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	u32 first = (u32)(u->extent >> 32), n = (u32)u->extent;
	const struct uw_mapping *m;

	if (!n)
		return NULL;
	m = &uw_mappings[port_index(uw_mapping_search(first, n, pc), UW_MAX_MAPPINGS - 1)];
	return pc >= m->start_addr && pc < m->end_addr ? m : NULL;
}

/*
 * Returns the slot of a page of rows in the table, or UW_MAX_ROW_PAGES if the table has none. The
 * verifier checks this function once.
 */
__attribute__((noinline)) u32 uw_row_page_search(u32 module, u32 page)
{
	u32 hash = uw_row_page_hash(module, page);

	for (u32 i = 0; i < UW_ROW_PAGE_PROBES; i++) {
		u64 at = port_index(hash + i, UW_MAX_ROW_PAGES - 1);

		if (uw_row_pages[at].module == module && uw_row_pages[at].page == page)
			return (u32)at;
	}
	return UW_MAX_ROW_PAGES;
}

UW_INLINE bool uw_row_at(u32 at, u32 *row)
{
	u32 pair = at / 2;
	const struct uw_row_pair *rows = bpf_map_lookup_elem(&uw_rows, &pair);

	if (!rows)
		return false;
	*row = rows->row[port_index(at, 1)];
	return true;
}

/**
 * uw_row_search() - find the last row of a page at or below an offset
 * @first:	index in the pool of the page's first row
 * @n:		number of the page's rows, 1 .. UW_MAX_PAGE_ROWS
 * @off:	offset in the page
 *
 * Searches like uw_mapping_search(), but the first stride is the largest power of two below @n, and
 * the search reads only rows of the page, because each row may be on another cache line.
 *
 * Return: the row, or UW_NO_ROW if the page's rows extend beyond the end of the pool.
 */
__attribute__((noinline)) u32 uw_row_search(u32 first, u32 n, u32 off)
{
	u32 step = uw_row_stride(n), at = 0, row, next;

	if (!uw_row_at(first, &row))
		return UW_NO_ROW;
	for (int i = 0; i < UW_ROW_SEARCH_STEPS && step; i++) {
		u64 below = (u64)at + step - n; /* negative: at + step < n */
		u64 after; /* negative if the row starts after off */

		asm volatile("" : "+r"(below));
		if (!uw_row_at(first + ((at + step) & (u32)((s64)below >> 63)), &next))
			return UW_NO_ROW;
		after = (u64)off - (next >> UW_ROW_OFF_SHIFT);
		asm volatile("" : "+r"(after));
		after = below & ~after;
		at += step & (u32)((s64)after >> 63);
		row ^= (row ^ next) & (u32)((s64)after >> 63);
		step >>= 1;
	}
	return row;
}

/*
 * If user space evicts the page during the search, the page counts as missing, because its rows may
 * have been overwritten.
 */
UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off)
{
	u32 page = (u32)(file_off / UW_ROW_PAGE_LEN), at = uw_row_page_search(module, page);
	const struct uw_row_page *p = &uw_row_pages[port_index(at, UW_MAX_ROW_PAGES - 1)];
	u32 first = p->first, row;

	(void)u;
	if (at >= UW_MAX_ROW_PAGES)
		return NULL;
	row = uw_row_search(first, p->n, file_off & (UW_ROW_PAGE_LEN - 1));
	if (row == UW_NO_ROW || *(const volatile u32 *)&p->module != module ||
	    *(const volatile u32 *)&p->page != page || *(const volatile u32 *)&p->first != first)
		return NULL;
	return &uw_rules[port_index(row, UW_MAX_RULES - 1)];
}

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	const struct v8_info *info = &uw_v8_builds[port_index(info_idx, UW_MAX_V8_BUILDS - 1)];

	return info->shared_off ? info : NULL;
}

UW_INLINE bool port_wants_async(void)
{
	return uw_wants_async;
}

/*
 * Returns the slot of an await entry in the table, or UW_MAX_AWAITS if the table has none. The
 * verifier checks this function once.
 */
__attribute__((noinline)) u32 uw_await_search(u64 of, u64 key)
{
	u32 hash = uw_await_hash(of, key);

	for (u32 i = 0; i < UW_AWAIT_PROBES; i++) {
		u64 at = port_index(hash + i, UW_MAX_AWAITS - 1);

		if (uw_awaits[at].process_key == of && uw_awaits[at].key == key)
			return (u32)at;
	}
	return UW_MAX_AWAITS;
}

UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key)
{
	u32 at = uw_await_search(u->process_key, key);

	return at < UW_MAX_AWAITS ? &uw_awaits[port_index(at, UW_MAX_AWAITS - 1)] : NULL;
}

UW_INLINE void port_note(const struct uw_state *u, enum uw_note note, u64 value)
{
	flight_walk_note(u, note, value);
}
