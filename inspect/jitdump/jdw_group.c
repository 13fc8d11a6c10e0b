// SPDX-License-Identifier: BSD-2-Clause

/*
 * Makes the bytes of [DEBUG_INFO][UNWINDING_INFO]LOAD. perf assigns debug and unwind data to the
 * next LOAD in the file, regardless of their address, so the three are written as one piece.
 */

#include "../util/array.h"
#include "jdw.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void jdw_buf_deinit(struct jdw_buf *b)
{
	free(b->bytes);
	b->bytes = NULL;
}

void jdw_put(struct jdw_buf *b, const void *bytes, size_t len)
{
	b->no_memory = b->no_memory || array_reserve(b->bytes, b->room, b->len + len);
	if (b->no_memory)
		return;
	if (len)
		memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

void jdw_put_u32(struct jdw_buf *b, u32 v)
{
	v = b->is_swapped ? bswap_32(v) : v;
	jdw_put(b, &v, sizeof(v));
}

void jdw_put_u64(struct jdw_buf *b, u64 v)
{
	v = b->is_swapped ? bswap_64(v) : v;
	jdw_put(b, &v, sizeof(v));
}

void jdw_put_header(struct jdw_buf *b, const struct jdr_header *h)
{
	jdw_put_u32(b, JD_MAGIC);
	jdw_put_u32(b, JD_VERSION);
	jdw_put_u32(b, JD_H_LEN);
	jdw_put_u32(b, h->mach);
	jdw_put_u32(b, 0);
	jdw_put_u32(b, h->pid);
	jdw_put_u64(b, h->time);
	jdw_put_u64(b, h->flags);
}

void jdw_patch_u32(struct jdw_buf *b, size_t at, u32 v)
{
	v = b->is_swapped ? bswap_32(v) : v;
	memcpy(b->bytes + at, &v, sizeof(v));
}

void jdw_patch_u64(struct jdw_buf *b, size_t at, u64 v)
{
	v = b->is_swapped ? bswap_64(v) : v;
	memcpy(b->bytes + at, &v, sizeof(v));
}

static void put_prefix(struct jdw_buf *b, u32 id, u64 size)
{
	jdw_put_u32(b, id);
	jdw_put_u32(b, (u32)size);
	jdw_put_u64(b, 0);
}

static void put_entry(struct jdw_buf *b, u64 addr, const struct jdw_line *l)
{
	jdw_put_u64(b, addr);
	jdw_put_u32(b, l->line);
	jdw_put_u32(b, l->column);
	jdw_put(b, l->file, strlen(l->file) + 1);
}

static bool is_usable(const struct jdw_code *c, const struct jdw_line *l)
{
	return l->line && l->file && *l->file && l->addr >= c->addr && l->addr - c->addr < c->size;
}

struct ordered_line {
	const struct jdw_line *line;
	size_t i;
};

static int by_addr(const void *a, const void *b)
{
	const struct ordered_line *x = a, *y = b;

	if (x->line->addr != y->line->addr)
		return x->line->addr < y->line->addr ? -1 : 1;
	return x->i < y->i ? -1 : 1;
}

/*
 * Sorts the lines. Keeps only the last of several lines at one address, as a DWARF line table does.
 */
static size_t choose(const struct jdw_code *c, struct ordered_line *lines)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < c->n_lines; i++)
		if (is_usable(c, &c->lines[i]))
			lines[n++] = (struct ordered_line){ &c->lines[i], i };
	qsort(lines, n, sizeof(*lines), by_addr);
	for (size_t i = 0; i < n; i++) {
		if (kept && lines[kept - 1].line->addr == lines[i].line->addr)
			kept--;
		lines[kept++] = lines[i];
	}
	return kept;
}

/*
 * Adds a closing entry, because in perf the line table ends at the last entry, which covers no
 * code.
 */
static int put_debug(struct jdw_buf *b, const struct jdw_code *c)
{
	struct ordered_line *lines = calloc(c->n_lines ? c->n_lines : 1, sizeof(*lines));
	size_t at = b->len, n;

	if (!lines)
		return -ENOMEM;
	n = choose(c, lines);
	if (n) {
		put_prefix(b, JD_DEBUG_INFO, 0);
		jdw_put_u64(b, c->addr);
		jdw_put_u64(b, n + 1);
		for (size_t i = 0; i < n; i++)
			put_entry(b, lines[i].line->addr, lines[i].line);
		put_entry(b, c->addr + c->size, lines[n - 1].line);
	}
	free(lines);
	if (b->len - at > JD_MAX_RECORD)
		return -E2BIG;
	if (n && !b->no_memory)
		jdw_patch_u32(b, at + JD_P_SIZE, (u32)(b->len - at));
	return 0;
}

static void put_unwind(struct jdw_buf *b, const struct jdw_code *c)
{
	static const u8 zeros[8];
	size_t len = c->eh_frame_size + c->eh_frame_hdr_size, pad = -len & 7;

	put_prefix(b, JD_UNWINDING_INFO, JD_U_DATA + len + pad);
	jdw_put_u64(b, len);
	jdw_put_u64(b, c->eh_frame_hdr_size);
	jdw_put_u64(b, c->mapped_size);
	jdw_put(b, c->eh_frame, c->eh_frame_size);
	jdw_put(b, c->eh_frame_hdr, c->eh_frame_hdr_size);
	jdw_put(b, zeros, pad);
}

int jdw_group(struct jdw_buf *b, const struct jdw_code *c)
{
	size_t name_len;
	int err = 0;

	if (!c->name || (c->size && !c->code) || c->addr + c->size < c->addr)
		return -EINVAL;
	name_len = strlen(c->name) + 1;
	if (c->size >= JD_MAX_RECORD - JD_L_NAME - name_len ||
	    c->eh_frame_size >= JD_MAX_RECORD / 4 || c->eh_frame_hdr_size >= JD_MAX_RECORD / 4)
		return -E2BIG;
	if (c->n_lines)
		err = put_debug(b, c);
	/* Omit unwind data without .eh_frame_hdr, because perf would apply it to all later code. */
	if (!err && c->eh_frame_hdr && c->eh_frame_hdr_size)
		put_unwind(b, c);
	if (err)
		return err;
	put_prefix(b, JD_LOAD, JD_L_NAME + name_len + c->size);
	jdw_put_u32(b, 0);
	jdw_put_u32(b, 0);
	jdw_put_u64(b, c->addr);
	jdw_put_u64(b, c->addr);
	jdw_put_u64(b, c->size);
	jdw_put_u64(b, 0);
	jdw_put(b, c->name, name_len);
	return b->no_memory ? -ENOMEM : 0;
}

void jdw_group_stamp(struct jdw_buf *b, u64 time, u32 pid, u32 tid, u64 number)
{
	struct jdr_header h = { .is_swapped = b->is_swapped };
	size_t at = 0;

	while (at < b->len) {
		jdw_patch_u64(b, at + JD_P_TIME, time);
		if (jdr_u32(&h, b->bytes + at + JD_P_ID) == JD_LOAD) {
			jdw_patch_u32(b, at + JD_L_PID, pid);
			jdw_patch_u32(b, at + JD_L_TID, tid);
			jdw_patch_u64(b, at + JD_L_INDEX, number);
		}
		at += jdr_u32(&h, b->bytes + at + JD_P_SIZE);
	}
}
