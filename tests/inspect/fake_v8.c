/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Offsets, types and kinds are those of Node.js 24.21.0 (V8 13.6.233.17), from its
 * symbols (fake_meta.h) and live processes.
 */

#include <errno.h>
#include <string.h>

#include "../../inspect/v8/arch/v8_arches.h"
#include "../../inspect/v8/v8_translation.h"
#include "fake_meta.h"
#include "fake_v8.h"

static const struct v8_meta meta[] = {
#define X(name, value) { #name, value },
	FAKE_META_LIST(X)
#undef X
};

enum {
	CODE = 187,
	BYTECODE = 186,
	STREAM = 192,
	SCOPE = 280,
	SCRIPT = 167,
	SFI = 282,
	BYTES = 217
};

static struct v8_builtin builtins[] = {
	{ FAKE_ENTRY, FAKE_ENTRY_LEN, "InterpreterEntryTrampoline", V8_BUILTIN_INTERPRETER, false },
	{ FAKE_HANDLER, FAKE_HANDLER_LEN, "LdarHandler", V8_BUILTIN_INTERPRETER, true,
	  .bytecode = FAKE_OP, .n_bytecodes = 1 },
	{ FAKE_PLAIN, 0x100, "StringAdd", V8_BUILTIN_PLAIN, false },
	{ FAKE_PROLOGUE, 0x100, "BaselineOutOfLinePrologue", .is_entering = true },
	{ FAKE_LEAVE, 0x100, "BaselineLeaveFrame", .is_leaving = true },
	{ FAKE_BARRIER, 0x100, "RecordWriteSaveFP", .is_out_of_line = true },
	{ FAKE_DEOPT, 0x100, "DeoptimizationEntry_Eager", .is_deopt = true },
	{ FAKE_ALLOCATE, 0x100, "AllocateInYoungGeneration", .is_allocating = true },
};

static void *at(struct fake_v8 *v, u64 addr, size_t len)
{
	if (addr >= FAKE_HEAP_ADDR && addr - FAKE_HEAP_ADDR < FAKE_HEAP_LEN &&
	    len <= FAKE_HEAP_LEN - (addr - FAKE_HEAP_ADDR))
		return v->heap + (addr - FAKE_HEAP_ADDR);
	if (addr >= FAKE_CODE_ADDR && addr - FAKE_CODE_ADDR < FAKE_CODE_LEN &&
	    len <= FAKE_CODE_LEN - (addr - FAKE_CODE_ADDR))
		return v->code + (addr - FAKE_CODE_ADDR);
	if (addr >= FAKE_BLOB_ADDR + FAKE_HANDLER &&
	    addr - FAKE_BLOB_ADDR - FAKE_HANDLER <= FAKE_HANDLER_LEN &&
	    len <= FAKE_HANDLER_LEN - (addr - FAKE_BLOB_ADDR - FAKE_HANDLER))
		return v->handler + (addr - FAKE_BLOB_ADDR - FAKE_HANDLER);
	return NULL;
}

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Replaces @len bytes at @dst by random bytes, or by words that point into the heap. */
static void corrupt(struct fake_v8 *v, u8 *dst, size_t len)
{
	u32 how = next_random(&v->lie_seed) % 3;

	for (size_t i = 0; i < len; i++)
		if (how == 0 || next_random(&v->lie_seed) % 8 == 0)
			dst[i] = (u8)next_random(&v->lie_seed);
	for (size_t i = 0; how == 1 && i + 8 <= len; i += 8) {
		u64 word =
			FAKE_HEAP_ADDR + 8 * (next_random(&v->lie_seed) % (v->heap_used / 8)) + 1;

		memcpy(dst + i, &word, 8);
	}
}

static int fake_read(struct target *t, u64 addr, void *dst, size_t len)
{
	struct fake_v8 *v = (struct fake_v8 *)t;
	const void *src = at(v, addr, len);

	v->reads++;
	if (!src || (v->fault_every && v->reads % v->fault_every == 0))
		return -EFAULT;
	memcpy(dst, src, len);
	if (v->corrupt_at == v->reads)
		corrupt(v, dst, len);
	return 0;
}

const char *fake_layout(struct v8_layout *l, u32 version)
{
	return v8_layout_init(l, &v8_versions, version, meta, sizeof(meta) / sizeof(meta[0]));
}

void fake_init(struct fake_v8 *v)
{
	*v = (struct fake_v8){ .target.read = fake_read };
	v->build.why = fake_layout(&v->build.layout, V8_VERSION(13, 6));
	/* Deoptimization data as in V8 12.9, whose form Maglev's code has in this heap. */
	v->build.arch = &v8_x86_64;
	v->build.layout.deopt_form = V8_DEOPT_12_9;
	v->build.layout.deopt_entries_idx = 12;
	v->build.layout.lacks[V8_TIER_MAGLEV] = V8_NO_POSITIONS;
	v->build.blob_off = FAKE_BLOB_OFF;
	v->build.blob_len = 0x10000;
	v->build.builtins = builtins;
	v->build.has_return = true;
	v->build.return_op = FAKE_RETURN;
	v->build.n_builtins = sizeof(builtins) / sizeof(builtins[0]);
	v->build.info.bytecode_offset_slot = 40;
	v->build.frame_types[18] = "StubFrame";
	v->build.frame_types[31] = "IrregexpFrame";
	v->build.frame_types[4] = "WasmFrame";
	v->build.n_bytecodes = 208;
	fake_alloc(v, 64);
}

struct v8_heap *fake_heap(struct fake_v8 *v)
{
	const struct v8_region regions[] = {
		{ FAKE_CODE_ADDR, FAKE_CODE_ADDR + FAKE_CODE_LEN, 0, true },
		{ FAKE_COPY_ADDR, FAKE_COPY_ADDR + 0x10000, FAKE_BLOB_OFF, false },
		{ FAKE_BLOB_ADDR, FAKE_BLOB_ADDR + 0x10000, FAKE_BLOB_OFF, false },
	};
	struct v8_heap *h = NULL;

	if (v8_heap_new(&h, &v->build, &v->target) || v8_heap_set_regions(h, regions, 3))
		return NULL;
	return h;
}

u64 fake_alloc(struct fake_v8 *v, size_t len)
{
	u64 addr = FAKE_HEAP_ADDR + v->heap_used;

	v->heap_used += (len + 7) & ~7ull;
	return addr;
}

void fake_bytes(struct fake_v8 *v, u64 addr, const void *bytes, size_t len)
{
	memcpy(at(v, addr, len), bytes, len);
}

void fake_put(struct fake_v8 *v, u64 addr, u64 word)
{
	fake_bytes(v, addr, &word, sizeof(word));
}

u64 fake_smi(s32 value)
{
	return (u64)(u32)value << 32;
}

u64 fake_object(struct fake_v8 *v, u16 type, size_t len)
{
	u64 addr;

	if (!v->maps[type]) {
		v->maps[type] = fake_alloc(v, 80) + 1;
		fake_bytes(v, v->maps[type] - 1 + 12, &type, sizeof(type));
	}
	addr = fake_alloc(v, len);
	fake_put(v, addr, v->maps[type]);
	return addr + 1;
}

static u64 string(struct fake_v8 *v, u16 type, u32 len, size_t room)
{
	u64 s = fake_object(v, type, 16 + room);

	fake_bytes(v, s - 1 + 12, &len, sizeof(len));
	return s;
}

u64 fake_string(struct fake_v8 *v, const char *latin1)
{
	u64 s = string(v, 40, (u32)strlen(latin1), strlen(latin1));

	fake_bytes(v, s - 1 + 16, latin1, strlen(latin1));
	return s;
}

u64 fake_string16(struct fake_v8 *v, const u16 *chars, u32 n)
{
	u64 s = string(v, 32, n, 2 * n);

	fake_bytes(v, s - 1 + 16, chars, 2 * n);
	return s;
}

u64 fake_cons(struct fake_v8 *v, u64 first, u64 second, u32 len)
{
	u64 s = string(v, 33, len, 16);

	fake_put(v, s - 1 + 16, first);
	fake_put(v, s - 1 + 24, second);
	return s;
}

u64 fake_sliced(struct fake_v8 *v, u64 parent, s32 offset, u32 len)
{
	u64 s = string(v, 43, len, 16);

	fake_put(v, s - 1 + 16, parent);
	fake_put(v, s - 1 + 24, fake_smi(offset));
	return s;
}

u64 fake_thin(struct fake_v8 *v, u64 actual, u32 len)
{
	u64 s = string(v, 45, len, 8);

	fake_put(v, s - 1 + 16, actual);
	return s;
}

u64 fake_external(struct fake_v8 *v, u64 chars_addr, u32 len, bool two_byte)
{
	u64 s = string(v, two_byte ? 34 : 42, len, 16);

	fake_put(v, s - 1 + 24, chars_addr);
	return s;
}

u64 fake_byte_array(struct fake_v8 *v, const void *bytes, u32 n)
{
	u64 a = fake_object(v, BYTES, 16 + n);

	fake_put(v, a - 1 + 8, fake_smi((s32)n));
	fake_bytes(v, a - 1 + 16, bytes, n);
	return a;
}

u64 fake_array(struct fake_v8 *v, u16 type, const u64 *words, u32 n)
{
	u64 a = fake_object(v, type, 16 + 8 * n);

	fake_put(v, a - 1 + 8, fake_smi((s32)n));
	fake_bytes(v, a - 1 + 16, words, 8 * n);
	return a;
}

u64 fake_scope(struct fake_v8 *v, u32 flags, s32 n_locals, u64 name, u64 inferred)
{
	u32 n = (u32)n_locals, i = 5;
	u64 s = fake_object(v, SCOPE, 8 * (16 + 2 * n));
	u64 slots = s - 1 + 8;

	fake_put(v, slots, flags);
	fake_put(v, slots + 16, fake_smi(n_locals));
	if ((flags & 15) == 5)
		fake_put(v, slots + 8 * i++, fake_smi(0));
	/*
	 * One word for a hash table of names if there are 75 variables or more, or else the name of
	 * each variable.
	 */
	for (u32 k = 0; k < (n < 75 ? n : 1); k++)
		fake_put(v, slots + 8 * i++, fake_string(v, "variable"));
	i += n;
	fake_put(v, slots + 8 * i, name);
	fake_put(v, slots + 8 * (i + 1), fake_smi(-1));
	fake_put(v, slots + 8 * (i + 2), inferred);
	return s;
}

u64 fake_script(struct fake_v8 *v, u64 name, u64 source)
{
	u64 s = fake_object(v, SCRIPT, 136);

	fake_put(v, s - 1 + 8, source);
	fake_put(v, s - 1 + 16, name);
	fake_put(v, s - 1 + 64, fake_smi(7));
	return s;
}

u64 fake_bytecode(struct fake_v8 *v, const u8 *bytes, u32 n, u64 positions)
{
	u64 b = fake_object(v, BYTECODE, 64 + n);

	fake_put(v, b - 1 + 8, fake_smi((s32)n));
	fake_put(v, b - 1 + 24, positions);
	fake_bytes(v, b - 1 + 64, bytes, n);
	return b;
}

u64 fake_sfi(struct fake_v8 *v, u64 name_or_scope, u64 script, u64 data)
{
	u64 s = fake_object(v, SFI, 72);

	fake_put(v, s - 1 + 8, data);
	fake_put(v, s - 1 + 24, name_or_scope);
	fake_put(v, s - 1 + 40, script);
	return s;
}

u64 fake_code(struct fake_v8 *v, u32 kind, u32 len, u64 deopt, u64 positions, u64 *start)
{
	u64 code = fake_object(v, CODE, 72), stream = FAKE_CODE_ADDR + v->code_used;

	fake_object(v, STREAM, 8);
	v->code_used += (32 + len + FAKE_CODE_TAIL + 63) & ~63ull;
	fake_put(v, stream, v->maps[STREAM]);
	fake_put(v, stream + 8, code);
	memset(at(v, stream + 32, len), 0x90, len);
	*start = stream + 32;
	fake_put(v, code - 1 + 8, deopt);
	fake_put(v, code - 1 + 16, positions);
	fake_put(v, code - 1 + 40, *start);
	fake_bytes(v, code - 1 + 52, &kind, 4);
	fake_bytes(v, code - 1 + 56, &len, 4);
	return code;
}
