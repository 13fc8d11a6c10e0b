/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * From a pc to its Code. JSFunction.code is no help: it says what the function
 * will run next time, not what runs (on-stack replacement, deoptimization).
 *
 *	code space          Code (in code space itself up to V8 10)
 *	+-----------+
 *	| map       | <- a  word equal to InstructionStream's map
 *	| Code      | ----> { deopt data, positions, start, size, flags }
 *	| ...       |
 *	| code      | <- a + header == Code.start
 *	|   pc      |
 *
 * Scan down from pc for such a word. That its Code names exactly these
 * instructions makes a chance hit in machine code impossible in practice.
 *
 * Optimized code has no frames for what was inlined; its deoptimization data has
 * the tree of inlined calls: {u64 position of the call, i32 function, pad} each.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/search.h"
#include "v8_heap.h"
#include "v8_positions.h"

#define MAX_SCAN_LEN (1u << 20)
#define MAX_MAP_PROBES 2048
#define PAGE_LEN 4096u
#define MAX_CODE_OBJECT_LEN 64
#define MAX_CODE_LEN (64u << 20)
#define MAX_TABLE_LEN (4u << 20)
#define MAX_BYTECODE_HOPS 3
#define LAST_PREFIX 3 /* DebugBreakExtraWide */

/* BaselineData of V8 9.0 to 9.4 alone (v8/src/objects/shared-function-info.tq at 9.4.146). */
#define BASELINE_DATA_CODE 8
#define BASELINE_DATA_DATA 16

const struct v8_region *v8_region_at(const struct v8_heap *h, u64 pc)
{
	size_t low = search_first(h->n_regions, i, h->regions[i].start_addr <= pc);

	return low && pc < h->regions[low - 1].end_addr ? &h->regions[low - 1] : NULL;
}

u64 v8_blob_offset(const struct v8_heap *h, u64 pc)
{
	const struct v8_region *r = v8_region_at(h, pc);

	if (!r || r->is_jit)
		return UINT64_MAX;
	return r->file_off + (pc - r->start_addr) - h->build->blob_off;
}

static enum v8_tier tier_of(const struct v8_layout *l, u32 kind)
{
	switch ((u16)(kind - l->code_kind_baseline)) {
	case 0:
		return V8_TIER_BASELINE;
	case 1:
		return V8_TIER_MAGLEV;
	case 2:
		return V8_TIER_TURBOFAN;
	case 3: /* V8 9.0 and 9.1, which knew more tiers, and had them off */
		return l->version < V8_VERSION(9, 0) ? V8_TIER_NONE : V8_TIER_TURBOFAN;
	default:
		return V8_TIER_NONE;
	}
}

static int load(struct v8_heap *h, u64 tagged, struct v8_code *code)
{
	const struct v8_layout *l = h->l;
	u8 object[MAX_CODE_OBJECT_LEN];
	struct v8_code c = { .tagged = tagged };
	int r;

	if (!v8_is_type(h, tagged, l->type_code))
		return -EINVAL;
	if (l->code_size > sizeof(object) - 4 || l->code_flags > sizeof(object) - 4 ||
	    l->code_deopt > sizeof(object) - 8 || l->code_positions > sizeof(object) - 8)
		return -EINVAL;
	r = v8_read(h, tagged - 1, object, sizeof(object));
	if (r < 0)
		return r;
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
 * Is the object at @addr, which begins with @word, the header of machine code? Types are
 * asked for if there are @probes.
 */
static int try_header(struct v8_heap *h, u64 addr, u64 word, int *probes, struct v8_code *code)
{
	u16 type = h->l->stream_header ? h->l->type_stream : h->l->type_code;
	bool is_known = is_stream_map(h, word);
	u64 tagged = addr + 1;
	int r;

	if (!is_known && (!probes || !v8_is_tagged(word)))
		return -ENOENT;
	if (!is_known) {
		if (--*probes < 0)
			return -ELOOP;
		if (v8_map_type(h, word) != type)
			return -ENOENT;
	}
	if (h->l->stream_header) {
		r = v8_word(h, addr + 1, 8, &tagged);
		if (r < 0)
			return r;
	}
	r = load(h, tagged, code);
	if (r < 0)
		return r;
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
	int r;

	if (!region || !region->is_jit)
		return -ENOENT;
	low = pc - region->start_addr > MAX_SCAN_LEN ? pc - MAX_SCAN_LEN : region->start_addr;
	for (addr = pc & ~7ull; addr >= low && addr <= pc;) {
		u64 page = addr & ~(u64)(PAGE_LEN - 1);

		r = v8_read(h, page, words, addr + 8 - page);
		if (r < 0)
			return r;
		for (; addr >= page && addr >= low && addr <= pc; addr -= 8) {
			r = try_header(h, addr, words[(addr - page) / 8], probes, &c);
			if (r == -ESRCH || r == -ELOOP)
				return r;
			if (r < 0 || pc < c.start_addr)
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
	int probes = MAX_MAP_PROBES, r = h->n_stream_maps ? scan(h, pc, NULL, code) : -ENOENT;

	/* Isolates have maps of their own up to V8 9 (Node.js 16). */
	if (r == -ENOENT && (!h->n_stream_maps || h->l->version < V8_VERSION(10, 0)))
		r = scan(h, pc, &probes, code);
	return r;
}

/* REGEXP in v8/src/objects/code.h (8.4.371), code-kind.h (8.5 to 10.9); 14.6 has another one. */
bool v8_code_is_regexp(const struct v8_heap *h, const struct v8_code *code)
{
	const u32 kind = h->l->code_kind_baseline == V8_NO_BASELINE_KIND ? 4 : 3;

	return h->l->version < V8_VERSION(11, 0) && code->kind == kind;
}

bool v8_code_same(struct v8_heap *h, const struct v8_code *code)
{
	struct v8_code now;
	u64 header[2];

	if (load(h, code->tagged, &now) < 0 || memcmp(&now, code, sizeof(now)))
		return false;
	if (!h->l->stream_header)
		return true;
	return !v8_read(h, code->start_addr - h->l->stream_header, header, sizeof(header)) &&
	       is_stream_map(h, header[0]) && header[1] == code->tagged;
}

/* ---- bytecode ---- */

/* The BytecodeArray or InterpreterData that it is, or that baseline code was made of; else 0. */
static u64 interpreted(struct v8_heap *h, u64 tagged)
{
	struct v8_code code;

	for (int hops = 0; hops < MAX_BYTECODE_HOPS; hops++) {
		int type = v8_is_tagged(tagged) ? v8_type(h, tagged) : -1;

		if (type == h->l->type_bytecode_array || type == h->l->type_interpreter_data)
			return tagged;
		if (type == h->l->type_baseline_data && type) {
			if (v8_word(h, tagged, BASELINE_DATA_DATA, &tagged) < 0)
				return 0;
			continue;
		}
		if (type != h->l->type_code || load(h, tagged, &code) < 0 ||
		    code.tier != V8_TIER_BASELINE)
			return 0;
		tagged = code.deopt;
	}
	return 0;
}

u64 v8_bytecode_of(struct v8_heap *h, u64 tagged)
{
	u64 data = interpreted(h, tagged), word;

	if (!data || v8_is_type(h, data, h->l->type_bytecode_array))
		return data;
	/* The first or second field of InterpreterData, depending on the version. */
	for (u32 off = 8; off <= 16; off += 8)
		if (!v8_word(h, data, off, &word) && v8_is_type(h, word, h->l->type_bytecode_array))
			return word;
	return 0;
}

u64 v8_baseline_bytecode(struct v8_heap *h, const struct v8_code *code, const struct v8_function *f)
{
	u64 data, word;

	if (!h->l->type_baseline_data)
		return v8_bytecode_of(h, code->deopt);
	if (v8_word(h, f->tagged, h->l->sfi_data, &data) < 0 ||
	    !v8_is_type(h, data, h->l->type_baseline_data) ||
	    v8_word(h, data, BASELINE_DATA_CODE, &word) < 0 || word != code->tagged)
		return 0;
	return v8_bytecode_of(h, data);
}

bool v8_code_enters(struct v8_heap *h, const struct v8_code *code, const struct v8_function *f)
{
	u64 data, first, second;

	if (v8_word(h, f->tagged, h->l->sfi_data, &data) < 0)
		return false;
	data = interpreted(h, data);
	if (!data || !v8_is_type(h, data, h->l->type_interpreter_data) ||
	    v8_word(h, data, 8, &first) < 0 || v8_word(h, data, 16, &second) < 0)
		return false;
	return first == code->tagged || second == code->tagged;
}

int v8_read_bytes(struct v8_heap *h, u64 tagged, u8 **bytes, u32 *len)
{
	_cleanup_free_ u8 *p = NULL;
	u64 addr;
	u32 n;
	int r = v8_byte_array(h, tagged, &addr, &n);

	if (r < 0)
		return r;
	if (n > MAX_TABLE_LEN)
		return -E2BIG;
	p = malloc(n + 1);
	if (!p)
		return -ENOMEM;
	r = n ? v8_read(h, addr, p, n) : 0;
	if (r < 0)
		return r;
	*bytes = TAKE_PTR(p);
	*len = n;
	return 0;
}

static int find_position(struct v8_heap *h, u64 table, s64 delta, u64 *pos)
{
	_cleanup_free_ u8 *bytes = NULL;
	u32 n;
	int r = v8_read_bytes(h, table, &bytes, &n);

	return r < 0 ? r : v8_positions_find(bytes, n, h->l->positions_v14, delta, pos);
}

int v8_bytecode_array_len(struct v8_heap *h, u64 bytecode, u32 *len)
{
	u64 word;
	int r = v8_word(h, bytecode, h->l->array_length, &word);

	if (r < 0)
		return r;
	if (!v8_is_smi(word) || v8_smi(word) <= 0 || v8_smi(word) > (s32)MAX_TABLE_LEN)
		return -EINVAL;
	*len = (u32)v8_smi(word);
	return 0;
}

s32 v8_bytecode_position(struct v8_heap *h, u64 bytecode, s32 offset)
{
	u64 table, pos;
	u32 len;

	if (v8_bytecode_array_len(h, bytecode, &len) < 0 || offset < -1 || offset >= (s32)len ||
	    v8_word(h, bytecode, h->l->bytecode_positions, &table) < 0 ||
	    find_position(h, table, offset, &pos) < 0)
		return -1;
	return v8_position_offset(pos);
}

static int read_bytecodes(struct v8_heap *h, u64 bytecode, u8 **bytes, u32 *len)
{
	int r = v8_bytecode_array_len(h, bytecode, len);

	if (r < 0)
		return r;
	*bytes = malloc(*len);
	return *bytes ? v8_read(h, bytecode - 1 + h->l->bytecode_data, *bytes, *len) : -ENOMEM;
}

int v8_baseline_offset(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u64 pc)
{
	_cleanup_free_ u8 *table = NULL, *bytecodes = NULL;
	u32 table_len, len;
	int r = h->l->lacks[V8_TIER_BASELINE] & V8_NO_OFFSETS ? -ENOTSUP : 0;

	if (!r)
		r = v8_read_bytes(h, code->positions, &table, &table_len);
	if (r < 0)
		return r;
	r = read_bytecodes(h, bytecode, &bytecodes, &len);
	if (r < 0)
		return r;
	return v8_baseline_find(h->build, table, table_len, bytecodes, len, pc - code->start_addr);
}

int v8_bytecode_at(struct v8_heap *h, u64 bytecode, s64 offset)
{
	_cleanup_free_ u8 *bytes = NULL;
	s64 off = 0;
	u32 len;
	int n;

	if (read_bytecodes(h, bytecode, &bytes, &len) < 0 || offset < 0 || offset >= (s64)len)
		return -1;
	while (off < offset) {
		n = v8_bytecode_len(h->build, bytes, len, (size_t)off);
		if (n < 0 || (off + n > offset && (off + 1 < offset || bytes[off] > LAST_PREFIX)))
			return -1;
		off = off + n > offset ? offset : off + n;
	}
	return bytes[off];
}

s32 v8_bytecode_only(struct v8_heap *h, u64 bytecode, u8 op)
{
	_cleanup_free_ u8 *bytes = NULL;
	s32 found = -1;
	int n;
	u32 len;

	if (read_bytecodes(h, bytecode, &bytes, &len) < 0)
		return -1;
	for (u32 off = 0; off < len; off += (u32)n) {
		n = v8_bytecode_len(h->build, bytes, len, off);
		if (n < 0 || (bytes[off] == op && found >= 0))
			return -1;
		if (bytes[off] == op)
			found = (s32)off;
	}
	return found;
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

	if (code->tier != V8_TIER_MAGLEV && code->tier != V8_TIER_TURBOFAN)
		return 0;
	if (v8_array_word(h, code->deopt, h->l->deopt_sfi_idx, &word) < 0)
		return 0;
	return v8_unwrap_function(h, word);
}

bool v8_code_is_cleared(struct v8_heap *h, const struct v8_code *code)
{
	u64 word;

	return (code->tier == V8_TIER_MAGLEV || code->tier == V8_TIER_TURBOFAN) &&
	       v8_array_word(h, code->deopt, 0, &word) == -ERANGE;
}

s32 v8_code_cleared_position(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u64 pc)
{
	_cleanup_free_ u8 *bytes = NULL;
	u64 table, pos;
	s32 offset;
	u32 n;

	if (find_position(h, code->positions, (s64)(pc - code->start_addr), &pos) < 0 ||
	    v8_position_inlining(pos) >= 0 || !bytecode ||
	    v8_word(h, bytecode, h->l->bytecode_positions, &table) < 0 ||
	    v8_read_bytes(h, table, &bytes, &n) < 0)
		return -1;
	offset = v8_position_offset(pos);
	return v8_positions_have(bytes, n, h->l->positions_v14, offset) ? offset : -1;
}

bool v8_code_is_one_place(struct v8_heap *h, const struct v8_code *code, u32 a, u32 b)
{
	u64 at_a = ~0ull, at_b = ~0ull;

	return find_position(h, code->positions, a, &at_a) ==
		       find_position(h, code->positions, b, &at_b) &&
	       at_a == at_b;
}

struct inlining {
	u64 position;
	s32 function_idx;
};

static int read_inlining(struct v8_heap *h, u64 table, s32 idx, struct inlining *out)
{
	u64 addr;
	u32 len;
	int r = v8_byte_array(h, table, &addr, &len);

	if (r < 0)
		return r;
	if ((u32)idx >= len / V8_INLINING_ENTRY_LEN)
		return -ERANGE;
	addr += (u64)idx * V8_INLINING_ENTRY_LEN;
	r = v8_read(h, addr, &out->position, sizeof(out->position));
	return r ? r : v8_read(h, addr + 8, &out->function_idx, sizeof(out->function_idx));
}

int v8_code_expand(struct v8_heap *h, const struct v8_code *code, u64 pc, struct v8_inlined *out)
{
	u64 outer = v8_code_function(h, code), literals, table, word, pos, last;
	s32 ids[V8_MAX_NAMES];
	struct inlining in;
	int n = 0, r;

	if (!outer)
		return -EINVAL;
	if (h->l->deopt_form) {
		r = v8_deopt_expand(h, code, &pc, out);
		if (r)
			return r;
	}
	if (v8_array_word(h, code->deopt, h->l->deopt_literals_idx, &literals) < 0 ||
	    v8_array_word(h, code->deopt, h->l->deopt_inlining_idx, &table) < 0)
		return -EINVAL;
	r = find_position(h, code->positions, (s64)(pc - code->start_addr), &pos);
	if (r == -ENOENT || r == -ERANGE) {
		out[0] =
			(struct v8_inlined){ .sfi = outer, .pos = -1, .is_bytecode = r == -ERANGE };
		return 1;
	}
	if (!r && v8_has_unknown_pieces(h, code)) {
		r = find_position(h, code->positions, INT64_MAX, &last);
		if (!r && pos == last) { /* behind it is what is out of line */
			out[0] = (struct v8_inlined){ .sfi = outer, .why = v8_no_line };
			return 1;
		}
	}
	for (; r == 0 && v8_position_inlining(pos) >= 0; n++) {
		if (n == V8_MAX_NAMES - 2)
			return -E2BIG;
		ids[n] = v8_position_inlining(pos);
		r = read_inlining(h, table, ids[n], &in);
		if (r < 0)
			return r;
		out[n] = (struct v8_inlined){ .sfi = outer, .pos = v8_position_offset(pos) };
		if (in.function_idx >= 0) {
			r = v8_array_word(h, literals, (u32)in.function_idx, &word);
			out[n].sfi = r < 0 ? 0 : v8_unwrap_function(h, word);
		}
		if (!out[n].sfi)
			return -EINVAL;
		pos = in.position;
	}
	if (r < 0)
		return r;
	out[n++] = (struct v8_inlined){ .sfi = outer, .pos = v8_position_offset(pos) };
	if (!h->l->deopt_form && v8_has_unknown_pieces(h, code))
		out[0].why = v8_no_line;
	if (n > 1 && v8_has_wrong_positions(h, code))
		v8_deopt_callers(h, code, ids, out, n);
	return n;
}
