// SPDX-License-Identifier: BSD-2-Clause

#include "jdr.h"

#include "../util/utf8.h"

#include <byteswap.h>
#include <errno.h>
#include <string.h>

u32 jdr_u32(const struct jdr_header *h, const u8 *at)
{
	u32 v;

	memcpy(&v, at, sizeof(v));
	return h->is_swapped ? bswap_32(v) : v;
}

u64 jdr_u64(const struct jdr_header *h, const u8 *at)
{
	u64 v;

	memcpy(&v, at, sizeof(v));
	return h->is_swapped ? bswap_64(v) : v;
}

int jdr_header(const u8 *bytes, size_t len, struct jdr_header *h)
{
	struct jdr_header found = { 0 };
	u32 magic;

	if (len < JD_H_LEN)
		return -ENODATA;
	magic = jdr_u32(&found, bytes + JD_H_MAGIC);
	if (magic != JD_MAGIC && magic != JD_MAGIC_SWAPPED)
		return -EBADMSG;
	found.is_swapped = magic == JD_MAGIC_SWAPPED;
	found.version = jdr_u32(&found, bytes + JD_H_VERSION);
	found.size = jdr_u32(&found, bytes + JD_H_SIZE);
	found.mach = jdr_u32(&found, bytes + JD_H_MACH);
	found.pad = jdr_u32(&found, bytes + JD_H_PAD);
	found.pid = jdr_u32(&found, bytes + JD_H_PID);
	found.time = jdr_u64(&found, bytes + JD_H_TIME);
	found.flags = jdr_u64(&found, bytes + JD_H_FLAGS);
	*h = found;
	return 0;
}

static enum jdr_fault take_load(const struct jdr_header *h, struct jdr_record *rec)
{
	struct jdr_load *l = &rec->load;
	const u8 *b = rec->bytes, *nul;
	u64 rest;

	if (rec->size < JD_L_NAME)
		return JDR_SHORT;
	l->pid = jdr_u32(h, b + JD_L_PID);
	l->tid = jdr_u32(h, b + JD_L_TID);
	l->vma = jdr_u64(h, b + JD_L_VMA);
	l->addr = jdr_u64(h, b + JD_L_ADDR);
	l->code_len = jdr_u64(h, b + JD_L_CODE_LEN);
	l->index = jdr_u64(h, b + JD_L_INDEX);
	l->name = (const char *)b + JD_L_NAME;
	nul = memchr(l->name, 0, rec->size - JD_L_NAME);
	if (!nul)
		return JDR_NO_NUL;
	l->name_len = (size_t)(nul - (const u8 *)l->name);
	if (l->addr + l->code_len < l->addr)
		return JDR_ADDR;
	rest = rec->size - (u64)(nul + 1 - b);
	if (l->code_len > rest)
		return JDR_NO_CODE;
	l->slack = rest - l->code_len;
	l->code = nul + 1 + l->slack;
	return JDR_SOUND;
}

static enum jdr_fault take_move(const struct jdr_header *h, struct jdr_record *rec)
{
	struct jdr_move *m = &rec->move;
	const u8 *b = rec->bytes;

	if (rec->size < JD_M_LEN)
		return JDR_SHORT;
	m->pid = jdr_u32(h, b + JD_M_PID);
	m->tid = jdr_u32(h, b + JD_M_TID);
	m->vma = jdr_u64(h, b + JD_M_VMA);
	m->old_addr = jdr_u64(h, b + JD_M_OLD_ADDR);
	m->new_addr = jdr_u64(h, b + JD_M_NEW_ADDR);
	m->code_len = jdr_u64(h, b + JD_M_CODE_LEN);
	m->index = jdr_u64(h, b + JD_M_INDEX);
	if (m->new_addr + m->code_len < m->new_addr || m->old_addr + m->code_len < m->old_addr)
		return JDR_ADDR;
	return JDR_SOUND;
}

static enum jdr_fault take_debug(const struct jdr_header *h, struct jdr_record *rec)
{
	if (rec->size < JD_D_ENTRIES)
		return JDR_SHORT;
	rec->debug.addr = jdr_u64(h, rec->bytes + JD_D_ADDR);
	rec->debug.n = jdr_u64(h, rec->bytes + JD_D_N);
	rec->debug.entries = rec->bytes + JD_D_ENTRIES;
	rec->debug.entries_len = rec->size - JD_D_ENTRIES;
	return JDR_SOUND;
}

/*
 * perf, V8 and CPython put .eh_frame first; the specification, LLVM's JITLoaderPerf and
 * Rust's linux-perf-data put .eh_frame_hdr first. .eh_frame_hdr starts with its version, 1, and a
 * pointer encoding that is always 0x1b or 0xff. A CIE or FDE starts with a length, which is never
 * 0x1b01 or 0xff01.
 */
static bool begins_with_hdr(const u8 *data, u64 hdr_len)
{
	return hdr_len >= 8 && data[0] == 1 && (data[1] == 0x1b || data[1] == 0xff);
}

static enum jdr_fault take_unwind(const struct jdr_header *h, struct jdr_record *rec)
{
	struct jdr_unwind *u = &rec->unwind;
	const u8 *data = rec->bytes + JD_U_DATA;
	u64 len;

	if (rec->size < JD_U_DATA)
		return JDR_SHORT;
	len = jdr_u64(h, rec->bytes + JD_U_LEN);
	u->hdr_len = jdr_u64(h, rec->bytes + JD_U_HDR_LEN);
	u->mapped = jdr_u64(h, rec->bytes + JD_U_MAPPED);
	if (len > rec->size - JD_U_DATA || u->hdr_len > len)
		return JDR_UNWIND_LEN;
	u->eh_frame_len = len - u->hdr_len;
	u->hdr_is_first = u->eh_frame_len && begins_with_hdr(data, u->hdr_len);
	u->eh_frame = u->hdr_is_first ? data + u->hdr_len : data;
	u->hdr = u->hdr_is_first ? data : data + u->eh_frame_len;
	return JDR_SOUND;
}

enum jdr_status jdr_next(const struct jdr_header *h, const u8 *bytes, size_t len,
			 struct jdr_record *rec, u64 *need)
{
	struct jdr_record r = { .bytes = bytes };

	if (len < JD_P_LEN) {
		*need = JD_P_LEN;
		return JDR_NEED_MORE;
	}
	r.id = jdr_u32(h, bytes + JD_P_ID);
	r.size = jdr_u32(h, bytes + JD_P_SIZE);
	r.time = jdr_u64(h, bytes + JD_P_TIME);
	if (r.size < JD_P_LEN)
		return r.id || r.size || r.time ? JDR_CORRUPT : JDR_END_FOR_NOW;
	if (r.size > len) {
		*need = r.size;
		return JDR_NEED_MORE;
	}
	switch (r.id) {
	case JD_LOAD:
		r.fault = take_load(h, &r);
		break;
	case JD_MOVE:
		r.fault = take_move(h, &r);
		break;
	case JD_DEBUG_INFO:
		r.fault = take_debug(h, &r);
		break;
	case JD_UNWINDING_INFO:
		r.fault = take_unwind(h, &r);
		break;
	default:
		break;
	}
	*rec = r;
	return JDR_RECORD;
}

int jdr_entry(const struct jdr_header *h, const struct jdr_record *rec, struct jdr_cursor *c,
	      struct jdr_entry *e)
{
	const struct jdr_debug *d = &rec->debug;
	const u8 *at = d->entries + c->at, *nul;
	struct jdr_entry found;

	if (c->i == d->n)
		return 0;
	if (d->entries_len - c->at <= JD_E_FILE)
		return -EBADMSG;
	nul = memchr(at + JD_E_FILE, 0, d->entries_len - c->at - JD_E_FILE);
	if (!nul)
		return -EBADMSG;
	found.addr = jdr_u64(h, at + JD_E_ADDR) - (jdr_is_v8(h) ? JD_V8_DEBUG_SHIFT : 0);
	found.line = jdr_u32(h, at + JD_E_LINE);
	found.column = jdr_u32(h, at + JD_E_DISCRIM);
	found.file = (const char *)at + JD_E_FILE;
	found.is_repeat = found.file[0] == '\xff' && !found.file[1];
	if (found.is_repeat)
		found.file = c->file;
	if (!found.file)
		return -EBADMSG;
	c->file = found.file;
	c->at += (size_t)(nul + 1 - at);
	c->i++;
	*e = found;
	return 1;
}

/*
 * Whether @s can be a path. Freed memory starts with pointers of the allocator, whose bytes no path
 * contains.
 */
static bool is_path(const char *s)
{
	const char *start = s, *end = s + strlen(s);
	u32 cp;

	while (s < end) {
		if (*s >= ' ' && *s <= '~') {
			s++;
			continue;
		}
		s += utf8_decode(s, (size_t)(end - s), &cp);
		if (cp < ' ' || cp == 0x7f || cp == UTF8_REPLACEMENT)
			return false;
	}
	return s > start;
}

enum jdr_lines jdr_lines(const struct jdr_header *h, const struct jdr_record *rec, u64 addr,
			 u64 code_len)
{
	struct jdr_cursor c = { 0 };
	struct jdr_entry e;
	u64 last = 0;
	int r;

	if (!rec->debug.n)
		return JDR_LINES_NONE;
	while ((r = jdr_entry(h, rec, &c, &e)) > 0) {
		if (e.addr < addr || e.addr - addr > code_len)
			return JDR_LINES_OUTSIDE;
		if (e.addr < last)
			return JDR_LINES_BACKWARD;
		if (!is_path(e.file))
			return JDR_LINES_FILE;
		last = e.addr;
	}
	if (r < 0)
		return JDR_LINES_OVERRUN;
	return rec->debug.entries_len - c.at > 7 ? JDR_LINES_REST : JDR_LINES_GOOD;
}
