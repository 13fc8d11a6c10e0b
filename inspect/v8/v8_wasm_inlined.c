/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Reads a WasmCode, and finds the WebAssembly functions at a pc in that code. Since Node.js 23, V8
 * inlines functions. A source position may contain the number of an inlined call, which is an index
 * of a list of:
 *
 *	int function; bool is_tail_call; u64 position of the call in its caller	(13 bytes)
 *
 * (WasmCode::GetInliningPosition() in v8/src/wasm/wasm-code-manager.cc at 13.6.233). A function
 * that made a tail call gets no frame, as in V8 (WasmFrame::Summarize()).
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_positions.h"
#include "v8_wasm_inlined.h"

#define ENTRY_LEN 13
#define ENTRY_TAIL_CALL 4
#define ENTRY_POSITION 5
#define MAX_METADATA_LEN (16u << 20)
#define MAX_WASM_CODE_LEN 0x40

/*
 * The address of the metadata precedes the code's length, and the lengths of relocation, source
 * positions and inlining follow it. The metadata begins with the protected instructions; their
 * length precedes the function (from disassembly of WasmCode::GetInliningPosition() of 12.4 to
 * 14.6).
 */
static void take_metadata(const struct v8_layout *l, const u8 *object, struct v8_wasm_code *code)
{
	u32 lens[3], protected_len; /* relocation, positions, inlined */

	memcpy(&code->positions_addr, object + l->wasm_code_len - 8, 8);
	memcpy(lens, object + l->wasm_code_len + 4, sizeof(lens));
	memcpy(&protected_len, object + l->wasm_code_function - 4, 4);
	code->positions_addr += (u64)protected_len + lens[0];
	code->positions_len = lens[1];
	code->inlined_len = lens[2];
}

int v8_wasm_read_code(struct v8_heap *h, u64 module, u64 addr, struct v8_wasm_code *code)
{
	u64 words[MAX_WASM_CODE_LEN / 8];
	const u8 *object = (const u8 *)words;
	int err = v8_read(h, addr, words, sizeof(words));

	if (err)
		return err;
	if (words[0] != module || h->l->wasm_code_len > sizeof(words) - 4 ||
	    h->l->wasm_code_function > sizeof(words) - 4)
		return -EINVAL;
	*code = (struct v8_wasm_code){ .addr = addr, .start_addr = words[1] };
	memcpy(&code->len, object + h->l->wasm_code_len, 4);
	memcpy(&code->function_idx, object + h->l->wasm_code_function, 4);
	if (h->l->wasm_inlines)
		take_metadata(h->l, object, code);
	return 0;
}

int v8_wasm_expand(struct v8_heap *h, const struct v8_wasm_code *code, u64 pc, u32 *idx)
{
	u64 len = (u64)code->positions_len + code->inlined_len, pos;
	_cleanup_free_ u8 *bytes = NULL;
	bool is_left = false;
	int n = 0, err = 0;
	s32 id;

	idx[0] = (u32)code->function_idx;
	if (!code->inlined_len)
		return 1;
	bytes = len <= MAX_METADATA_LEN ? malloc(len) : NULL;
	if (!bytes)
		return len <= MAX_METADATA_LEN ? -ENOMEM : -E2BIG;
	err = v8_read(h, code->positions_addr, bytes, len);
	if (!err)
		err = v8_positions_find(
			v8_positions_of(bytes, code->positions_len, h->l->positions_v14),
			(s64)(pc - code->start_addr), &pos);
	if (err == -ENOENT || err == -ERANGE) /* before the first */
		return 1;
	if (err < 0)
		return err;
	for (int i = 0; (id = v8_position_inlining(pos)) >= 0; i++) {
		const u8 *at = bytes + code->positions_len + (u64)ENTRY_LEN * (u32)id;

		if ((u64)ENTRY_LEN * ((u32)id + 1) > code->inlined_len)
			return -EINVAL;
		if (i == V8_WASM_INLINED - 1)
			return -E2BIG;
		if (!is_left)
			memcpy(&idx[n++], at, sizeof(*idx));
		is_left = at[ENTRY_TAIL_CALL];
		memcpy(&pos, at + ENTRY_POSITION, sizeof(pos));
	}
	if (!is_left)
		idx[n++] = (u32)code->function_idx;
	return n;
}
