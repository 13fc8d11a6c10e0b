/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the Code object of a pc. JSFunction.code does not suffice, because it is the code that the
 * next call will run, which can differ from the running code after on-stack replacement or
 * deoptimization.
 *
 *	code space          Code (in code space itself up to V8 10)
 *	+-----------+
 *	| map       | <- a  word equal to InstructionStream's map
 *	| Code      | ----> { deopt data, positions, start, size, flags }
 *	| ...       |
 *	| code      | <- a + header == Code.start
 *	|   pc      |
 *
 * The search goes down from pc to such a word. A word in machine code could match by chance, but
 * the Code that it leads to would not have the address of these instructions.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/search.h"
#include "v8_code.h"

#define MAX_SCAN_LEN (1u << 20)
#define MAX_MAP_PROBES 2048
#define PAGE_LEN 4096u
#define MAX_CODE_OBJECT_LEN 64
#define MAX_CODE_LEN (64u << 20)

const char *v8_tier_name(enum v8_tier tier)
{
	static const char *const words[] = {
		[V8_TIER_INTERPRETED] = "interpreted",
		[V8_TIER_BASELINE] = "baseline",
		[V8_TIER_MAGLEV] = "maglev",
		[V8_TIER_TURBOFAN] = "turbofan",
	};

	return tier < sizeof(words) / sizeof(*words) ? words[tier] : NULL;
}

const struct v8_region *v8_region_at(const struct v8_heap *h, u64 pc)
{
	size_t low = search_first(h->n_regions, i, h->regions[i].start_addr <= pc);

	return low && pc < h->regions[low - 1].end_addr ? &h->regions[low - 1] : NULL;
}

u64 v8_blob_offset(const struct v8_heap *h, u64 pc)
{
	const struct v8_region *r = v8_region_at(h, pc);

	if (!r || r->is_jit)
		return V8_NO_BLOB_OFFSET;
	return r->file_off + (pc - r->start_addr) - h->build->blob_off;
}

const struct v8_builtin *v8_builtin_at(const struct v8_heap *h, u64 pc)
{
	u64 off = v8_blob_offset(h, pc);

	return off < h->build->blob_len ? v8_build_builtin_at(h->build, off) : NULL;
}

static enum v8_tier tier_of(const struct v8_layout *l, u32 kind)
{
	u16 nth = (u16)(kind - l->code_kind_baseline);

	if (nth > l->code_kinds)
		return V8_TIER_NONE;
	return nth == 0 ? V8_TIER_BASELINE : nth == 1 ? V8_TIER_MAGLEV : V8_TIER_TURBOFAN;
}

int v8_code_load(struct v8_heap *h, u64 tagged, struct v8_code *code)
{
	const struct v8_layout *l = h->l;
	u8 object[MAX_CODE_OBJECT_LEN];
	struct v8_code c = { .tagged = tagged };
	int err;

	if (!v8_is_type(h, tagged, l->type_code))
		return -EINVAL;
	if (l->code_size > sizeof(object) - 4 || l->code_flags > sizeof(object) - 4 ||
	    l->code_deopt > sizeof(object) - 8 || l->code_positions > sizeof(object) - 8)
		return -EINVAL;
	err = v8_read(h, tagged - 1, object, sizeof(object));
	if (err < 0)
		return err;
	memcpy(&c.len, object + l->code_size, 4);
	memcpy(&c.flags, object + l->code_flags, 4);
	memcpy(&c.deopt, object + l->code_deopt, 8);
	memcpy(&c.positions, object + l->code_positions, 8);
	if (!l->stream_header)
		c.start_addr = tagged - 1 + l->code_start;
	else if (l->code_start <= sizeof(object) - 8)
		memcpy(&c.start_addr, object + l->code_start, 8);
	if (c.len > MAX_CODE_LEN)
		return -EINVAL;
	c.kind = (c.flags & l->code_kind_mask) >> (l->code_kind_shift & 31);
	c.tier = tier_of(l, c.kind);
	*code = c;
	return 0;
}

static bool is_stream_map(const struct v8_heap *h, u64 word)
{
	for (u32 i = 0; i < h->n_stream_maps && i < V8_STREAM_MAPS; i++)
		if (h->stream_maps[i] == word)
			return true;
	return false;
}

/*
 * Loads the Code if the object at @addr, whose first word is @word, is the header of machine code.
 * If @probes is set, also reads the types of unknown maps.
 */
static int try_header(struct v8_heap *h, u64 addr, u64 word, int *probes, struct v8_code *code)
{
	u16 type = h->l->stream_header ? h->l->type_stream : h->l->type_code;
	bool is_known = is_stream_map(h, word);
	u64 tagged = addr + 1;
	int err;

	if (!is_known && (!probes || !v8_is_tagged(word)))
		return -ENOENT;
	if (!is_known) {
		if (--*probes < 0)
			return -ELOOP;
		if (v8_map_type(h, word) != type)
			return -ENOENT;
	}
	if (h->l->stream_header) {
		err = v8_word(h, addr + 1, h->l->stream_code, &tagged);
		if (err < 0)
			return err;
	}
	err = v8_code_load(h, tagged, code);
	if (err < 0)
		return err;
	if (h->l->stream_header && code->start_addr != addr + h->l->stream_header)
		return -ENOENT;
	if (!is_known)
		h->stream_maps[h->n_stream_maps++ % V8_STREAM_MAPS] = word;
	return 0;
}

static int scan(struct v8_heap *h, u64 pc, int *probes, struct v8_code *code)
{
	const struct v8_region *region = v8_region_at(h, pc);
	u64 words[PAGE_LEN / 8], low, addr;
	struct v8_code c;
	int err;

	if (!region || !region->is_jit)
		return -ENOENT;
	low = pc - region->start_addr > MAX_SCAN_LEN ? pc - MAX_SCAN_LEN : region->start_addr;
	for (addr = pc & ~7ull; addr >= low && addr <= pc;) {
		u64 page = addr & ~(u64)(PAGE_LEN - 1);

		err = v8_read(h, page, words, addr + 8 - page);
		if (err < 0)
			return err;
		for (; addr >= page && addr >= low && addr <= pc; addr -= 8) {
			err = try_header(h, addr, words[(addr - page) / 8], probes, &c);
			if (err == -ESRCH || err == -ELOOP)
				return err;
			if (err < 0 || pc < c.start_addr)
				continue;
			if (pc - c.start_addr >= c.len)
				return -ENOENT;
			*code = c;
			return 0;
		}
	}
	return -ENOENT;
}

int v8_code_find(struct v8_heap *h, u64 pc, struct v8_code *code)
{
	int probes = MAX_MAP_PROBES, err = h->n_stream_maps ? scan(h, pc, NULL, code) : -ENOENT;

	if (err == -ENOENT && (!h->n_stream_maps || h->l->has_map_an_isolate))
		err = scan(h, pc, &probes, code);
	return err;
}

bool v8_code_is_regexp(const struct v8_heap *h, const struct v8_code *code)
{
	return code->kind == h->l->code_kind_regexp;
}

bool v8_code_same(struct v8_heap *h, const struct v8_code *code)
{
	struct v8_code now;
	u64 header[2];

	if (v8_code_load(h, code->tagged, &now) < 0 || memcmp(&now, code, sizeof(now)))
		return false;
	if (!h->l->stream_header)
		return true;
	return !v8_read(h, code->start_addr - h->l->stream_header, header, sizeof(header)) &&
	       is_stream_map(h, header[0]) && header[1] == code->tagged;
}

int v8_read_positions(struct v8_heap *h, u64 table, u8 **bytes, struct v8_positions *t)
{
	u32 len;
	int err = v8_read_bytes(h, table, bytes, &len);

	if (!err)
		*t = v8_positions_of(*bytes, len, h->l->positions_v14);
	return err;
}

/* ---- optimized code ---- */

u64 v8_unwrap_function(struct v8_heap *h, u64 word)
{
	if ((word & 3) == 3)
		word &= ~2ull;
	if (h->l->wrapper_sfi && v8_is_type(h, word, h->l->type_sfi_wrapper) &&
	    v8_word(h, word, h->l->wrapper_sfi, &word) < 0)
		return 0;
	return v8_is_type(h, word, h->l->type_sfi) ? word : 0;
}

u64 v8_code_function(struct v8_heap *h, const struct v8_code *code)
{
	u64 word;

	if (!v8_code_is_optimized(code))
		return 0;
	if (v8_array_word(h, code->deopt, h->l->deopt_sfi_idx, &word) < 0)
		return 0;
	return v8_unwrap_function(h, word);
}

bool v8_code_is_cleared(struct v8_heap *h, const struct v8_code *code)
{
	u64 word;

	return v8_code_is_optimized(code) && v8_array_word(h, code->deopt, 0, &word) == -ERANGE;
}

const struct v8_builtin *v8_code_entry(const struct v8_heap *h, const struct v8_code *code)
{
	if (code->tier != V8_TIER_NONE)
		return NULL;
	for (size_t i = 0; i < h->build->n_builtins; i++) {
		const struct v8_builtin *b = &h->build->builtins[i];

		if (b->kind == V8_BUILTIN_INTERPRETER && !b->is_handler && b->len == code->len)
			return b;
	}
	return NULL;
}
