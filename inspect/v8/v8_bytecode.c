/* SPDX-License-Identifier: BSD-2-Clause */

/* Finds BytecodeArrays, and reads a BytecodeArray at an offset. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_bytecode.h"

#define MAX_BYTECODES_LEN (4u << 20)
#define MAX_BYTECODE_HOPS 3
#define LAST_PREFIX 3 /* DebugBreakExtraWide */

/*
 * Returns a BytecodeArray or InterpreterData: @tagged itself, or the one that belongs to baseline
 * code @tagged; or 0 if @tagged is neither.
 */
static u64 interpreted(struct v8_heap *h, u64 tagged)
{
	struct v8_code code;

	for (int hops = 0; hops < MAX_BYTECODE_HOPS; hops++) {
		int type = v8_is_tagged(tagged) ? v8_type(h, tagged) : -EINVAL;

		if (type == h->l->type_bytecode_array || type == h->l->type_interpreter_data)
			return tagged;
		if (type == h->l->type_baseline_data && type) {
			if (v8_word(h, tagged, h->l->baseline_data_bytecode, &tagged) < 0)
				return 0;
			continue;
		}
		if (type != h->l->type_code || v8_code_load(h, tagged, &code) < 0 ||
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

u64 v8_bytecode_of_function(struct v8_heap *h, u64 sfi)
{
	u64 data;

	return v8_word(h, sfi, h->l->sfi_data, &data) < 0 ? 0 : v8_bytecode_of(h, data);
}

u64 v8_baseline_bytecode(struct v8_heap *h, const struct v8_code *code, u64 sfi)
{
	u64 data, word;

	if (!h->l->type_baseline_data)
		return v8_bytecode_of(h, code->deopt);
	if (v8_word(h, sfi, h->l->sfi_data, &data) < 0 ||
	    !v8_is_type(h, data, h->l->type_baseline_data) ||
	    v8_word(h, data, h->l->baseline_data_code, &word) < 0 || word != code->tagged)
		return 0;
	return v8_bytecode_of(h, data);
}

bool v8_code_enters(struct v8_heap *h, const struct v8_code *code, u64 sfi)
{
	u64 data, first, second;

	if (v8_word(h, sfi, h->l->sfi_data, &data) < 0)
		return false;
	data = interpreted(h, data);
	if (!data || !v8_is_type(h, data, h->l->type_interpreter_data) ||
	    v8_word(h, data, 8, &first) < 0 || v8_word(h, data, 16, &second) < 0)
		return false;
	return first == code->tagged || second == code->tagged;
}

int v8_bytecode_array_len(struct v8_heap *h, u64 bytecode, u32 *len)
{
	u64 word;
	int err = v8_word(h, bytecode, h->l->array_length, &word);

	if (err < 0)
		return err;
	if (!v8_is_smi(word) || v8_smi(word) <= 0 || v8_smi(word) > (s32)MAX_BYTECODES_LEN)
		return -EINVAL;
	*len = (u32)v8_smi(word);
	return 0;
}

int v8_bytecode_positions(struct v8_heap *h, u64 bytecode, u8 **bytes, struct v8_positions *t)
{
	u64 table;
	int err = v8_word(h, bytecode, h->l->bytecode_positions, &table);

	return err < 0 ? err : v8_read_positions(h, table, bytes, t);
}

s32 v8_bytecode_position(struct v8_heap *h, u64 bytecode, s32 offset)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_positions t;
	u64 pos;
	u32 len;

	if (v8_bytecode_array_len(h, bytecode, &len) < 0 || offset < V8_FUNCTION_ENTRY ||
	    offset >= (s32)len || v8_bytecode_positions(h, bytecode, &bytes, &t) < 0 ||
	    v8_positions_find(t, offset, &pos) < 0)
		return V8_NO_SCRIPT_OFFSET;
	return v8_position_offset(pos);
}

bool v8_bytecode_has_position(struct v8_heap *h, u64 bytecode, s32 offset)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_positions t;

	if (!bytecode || v8_bytecode_positions(h, bytecode, &bytes, &t) < 0)
		return false;
	while (v8_positions_next(&t) > 0)
		if (v8_position_offset(t.position) == offset)
			return true;
	return false;
}

static int read_bytecodes(struct v8_heap *h, u64 bytecode, u8 **bytes, u32 *len)
{
	int err = v8_bytecode_array_len(h, bytecode, len);

	if (err < 0)
		return err;
	*bytes = malloc(*len);
	return *bytes ? v8_read(h, bytecode - 1 + h->l->bytecode_data, *bytes, *len) : -ENOMEM;
}

int v8_baseline_offset(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u32 off)
{
	_cleanup_free_ u8 *table = NULL, *bytecodes = NULL;
	u32 table_len, len;
	int err = h->l->lacks[V8_TIER_BASELINE] & V8_NO_OFFSETS ? -ENOTSUP : 0;

	if (!err)
		err = v8_read_bytes(h, code->positions, &table, &table_len);
	if (err < 0)
		return err;
	err = read_bytecodes(h, bytecode, &bytecodes, &len);
	if (err < 0)
		return err;
	return v8_baseline_find(h->build, table, table_len, bytecodes, len, off);
}

int v8_bytecode_at(struct v8_heap *h, u64 bytecode, s64 offset)
{
	_cleanup_free_ u8 *bytes = NULL;
	s64 off = 0;
	u32 len;
	int n;

	if (read_bytecodes(h, bytecode, &bytes, &len) < 0 || offset < 0 || offset >= (s64)len)
		return V8_NO_BYTECODE;
	while (off < offset) {
		n = v8_bytecode_len(h->build, bytes, len, (size_t)off);
		if (n < 0 || (off + n > offset && (off + 1 < offset || bytes[off] > LAST_PREFIX)))
			return V8_NO_BYTECODE;
		off = off + n > offset ? offset : off + n;
	}
	return bytes[off];
}

s32 v8_bytecode_only(struct v8_heap *h, u64 bytecode, u8 op)
{
	_cleanup_free_ u8 *bytes = NULL;
	s32 found = V8_NO_BYTECODE;
	int n;
	u32 len;

	if (read_bytecodes(h, bytecode, &bytes, &len) < 0)
		return V8_NO_BYTECODE;
	for (u32 off = 0; off < len; off += (u32)n) {
		n = v8_bytecode_len(h->build, bytes, len, off);
		if (n < 0 || (bytes[off] == op && found >= 0))
			return V8_NO_BYTECODE;
		if (bytes[off] == op)
			found = (s32)off;
	}
	return found;
}
