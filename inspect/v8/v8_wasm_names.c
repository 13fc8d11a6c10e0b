/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names in a WebAssembly module (WebAssembly Core Specification 2.0,
 * sections 5.5 and 7.4.1); all numbers are LEB128:
 *
 *	"\0asm" 1    { section id, length, payload } ...
 *	id 3         number of functions, their types
 *	id 0         a custom section: its name, here "name", then { id, length, payload } ...
 *	    id 0     the module's name
 *	    id 1     number of names, { function, length, name } ...
 *
 * V8 makes a URL for the module: "wasm://wasm/" NAME "-" HASH, or with the hash alone. Up to V8 13,
 * the hash is that of a string with the module's bytes (StringHasher: Jenkins' one-at-a-time with
 * seed 0). For a module of more than 16,383 bytes, the hash is the number of bytes, also in V8 14.
 * The low bits are V8's flags of a string's hash. (Compared with Error.stack of 9.4 to 14.6.) The
 * hash of shorter modules in V8 14 is not known.
 */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/utf8.h"
#include "v8_wasm_names.h"

#define MODULE_START 8
#define SECTION_CUSTOM 0
#define SECTION_FUNCTIONS 3
#define NAMES_MODULE 0
#define NAMES_FUNCTIONS 1
#define MAX_SECTIONS 256
#define MAX_SECTION_START 16 /* id, length, and the name of the section "name" */
#define MAX_FUNCTIONS (1u << 20) /* V8's kV8MaxWasmDefinedFunctions */
#define MAX_NAMES_LEN (32u << 20)
#define MAX_MODULE_NAME 256
#define MAX_HASHED_LEN 16383 /* String::kMaxHashCalcLength */

struct cursor {
	const u8 *p, *end;
};

/*
 * Decodes a number. Returns false at the end of the bytes, or if the number has more than 32 bits.
 */
static bool take_number(struct cursor *c, u32 *value)
{
	u64 v = 0;

	for (int shift = 0; shift < 35 && c->p < c->end; shift += 7) {
		u8 byte = *c->p++;

		v |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value = (u32)v;
			return v <= UINT32_MAX;
		}
	}
	return false;
}

static bool take_part(struct cursor *c, struct cursor *part)
{
	u32 len;

	if (!take_number(c, &len) || len > (size_t)(c->end - c->p))
		return false;
	*part = (struct cursor){ c->p, c->p + len };
	c->p += len;
	return true;
}

static void copy_text(struct cursor from, char *to, size_t room)
{
	size_t used = 0;
	u32 cp;

	while (from.p < from.end && used + UTF8_MAX_LEN < room) {
		from.p += utf8_decode((const char *)from.p, (size_t)(from.end - from.p), &cp);
		used += utf8_put(cp ? cp : UTF8_REPLACEMENT, to + used);
	}
	to[used] = 0;
}

/* ---- url ---- */

static int hash_of(struct v8_heap *h, const struct v8_wasm_module *m, u32 *hash)
{
	_cleanup_free_ u8 *bytes = NULL;
	u32 v = 0;
	int err;

	if (m->bytes_len > MAX_HASHED_LEN) {
		*hash = (u32)m->bytes_len << 2 | 2;
		return 0;
	}
	if (!h->l->wasm_url_is_hash)
		return -ENOENT;
	bytes = malloc(m->bytes_len);
	if (!bytes)
		return -ENOMEM;
	err = v8_read(h, m->bytes_addr, bytes, m->bytes_len);
	if (err < 0)
		return err;
	for (u64 i = 0; i < m->bytes_len; i++) {
		v += bytes[i];
		v += v << 10;
		v ^= v >> 6;
	}
	v += v << 3;
	v ^= v >> 11;
	v += v << 15;
	*hash = v << 2 | 2;
	return 0;
}

static int make_url(struct v8_heap *h, struct v8_wasm_module *m, const char *name)
{
	char url[MAX_MODULE_NAME + 32];
	u32 hash = 0;
	int err = hash_of(h, m, &hash);

	if (err == -ENOENT && !name[0])
		return 0;
	if (err < 0 && err != -ENOENT)
		return err;
	if (err)
		snprintf(url, sizeof(url), "wasm://wasm/%s", name);
	else
		snprintf(url, sizeof(url), "wasm://wasm/%s%s%08x", name, name[0] ? "-" : "", hash);
	m->url = strdup(url);
	return m->url ? 0 : -ENOMEM;
}

/* ---- names ---- */

static int make_room(struct v8_wasm_module *m, u32 idx)
{
	u32 room = m->n_names ? m->n_names : 64;
	void *more;

	while (room <= idx)
		room *= 2;
	if (room == m->n_names)
		return 0;
	more = reallocarray(m->name_offs, room, sizeof(*m->name_offs));
	if (!more)
		return -ENOMEM;
	m->name_offs = more;
	memset(m->name_offs + m->n_names, 0, (room - m->n_names) * sizeof(*m->name_offs));
	m->n_names = room;
	return 0;
}

static int take_function_names(struct v8_wasm_module *m, struct cursor c)
{
	struct cursor name;
	u32 n, idx;
	int err = 0;

	if (!take_number(&c, &n))
		return 0;
	while (!err && n-- && take_number(&c, &idx) && idx < MAX_FUNCTIONS) {
		u32 off = (u32)(c.p - m->names);

		if (!take_part(&c, &name))
			break;
		err = make_room(m, idx);
		if (!err)
			m->name_offs[idx] = off;
	}
	return err;
}

/* As in V8, names before an invalid part of the section are used. */
static int take_names(struct v8_wasm_module *m, char *module_name)
{
	struct cursor c = { m->names, m->names + m->names_len }, part, name;
	int err = 0;

	while (!err && c.p < c.end) {
		u8 id = *c.p++;

		if (!take_part(&c, &part))
			break;
		if (id == NAMES_MODULE && take_part(&part, &name))
			copy_text(name, module_name, MAX_MODULE_NAME);
		if (id == NAMES_FUNCTIONS)
			err = take_function_names(m, part);
	}
	return err;
}

static int read_names(struct v8_heap *h, struct v8_wasm_module *m, u64 addr, u32 len)
{
	int err;

	if (m->names || !len || len > MAX_NAMES_LEN)
		return 0;
	m->names = malloc(len);
	if (!m->names)
		return -ENOMEM;
	m->names_len = len;
	h->target->holds = TARGET_TEXT;
	err = v8_read(h, addr, m->names, len);
	h->target->holds = TARGET_OBJECT;
	return err;
}

/* Reads the section at @addr of the module; *len includes the section's header. */
static int read_section(struct v8_heap *h, struct v8_wasm_module *m, u64 addr, u64 *len)
{
	u64 room = m->bytes_addr + m->bytes_len - addr;
	u8 head[MAX_SECTION_START];
	struct cursor c = { head, head + (room < sizeof(head) ? room : sizeof(head)) }, name;
	int err = v8_read(h, addr, head, (size_t)(c.end - c.p));
	const u8 *start;
	u32 payload;

	if (err < 0)
		return err;
	c.p++;
	if (!take_number(&c, &payload) || payload > room - (u64)(c.p - head))
		return -EINVAL;
	start = c.p;
	*len = (u64)(start - head) + payload;
	if (head[0] == SECTION_FUNCTIONS)
		return take_number(&c, &m->n_own) && m->n_own <= MAX_FUNCTIONS ? 0 : -EINVAL;
	if (head[0] != SECTION_CUSTOM || !take_part(&c, &name) || name.end - name.p != 4 ||
	    memcmp(name.p, "name", 4) || payload < (u64)(c.p - start))
		return 0;
	return read_names(h, m, addr + (u64)(c.p - head), payload - (u32)(c.p - start));
}

int v8_wasm_read_names(struct v8_heap *h, struct v8_wasm_module *m)
{
	u64 addr = m->bytes_addr + MODULE_START, end = m->bytes_addr + m->bytes_len, len;
	char module_name[MAX_MODULE_NAME] = "";
	int err = 0;

	for (int i = 0; !err && i < MAX_SECTIONS && addr < end; i++, addr += len)
		err = read_section(h, m, addr, &len);
	if (!err)
		err = take_names(m, module_name);
	return err ? err : make_url(h, m, module_name);
}

const char *v8_wasm_function_name(const struct v8_wasm_module *m, u32 idx, char *buf, size_t len)
{
	struct cursor c = { m->names, m->names + m->names_len }, name;

	if (idx >= m->n_names || !m->name_offs[idx])
		return NULL;
	c.p += m->name_offs[idx];
	if (!take_part(&c, &name) || name.p == name.end)
		return NULL;
	copy_text(name, buf, len);
	return buf;
}

void v8_wasm_module_free(struct v8_wasm_module **module)
{
	struct v8_wasm_module *m = *module;

	*module = NULL;
	if (!m)
		return;
	free((char *)m->url);
	free(m->names);
	free(m->name_offs);
	free(m->fresh);
	free(m);
}
