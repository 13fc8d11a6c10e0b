/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A hand-made V8 heap with the layout of V8 13.6 (Node.js 24): two memory areas, for
 * objects and for machine code, that are read through struct target. Any read can be
 * made to fail or to return wrong bytes.
 */

#include "../../inspect/v8/v8_object.h"

#define FAKE_HEAP_ADDR 0x200000000000ull
#define FAKE_HEAP_LEN (256u << 10)
#define FAKE_CODE_ADDR 0x300000000000ull
#define FAKE_CODE_LEN (64u << 10)
#define FAKE_BLOB_ADDR 0x400000000000ull
#define FAKE_COPY_ADDR (FAKE_CODE_ADDR + 0x100000) /* a copy of the builtins */
#define FAKE_BLOB_OFF 0x1000 /* file offset of the embedded builtins */

/* Offsets in the blob. */
#define FAKE_ENTRY 0x100 /* InterpreterEntryTrampoline */
#define FAKE_ENTRY_LEN 0x100
#define FAKE_HANDLER 0x200 /* LdarHandler */
#define FAKE_HANDLER_LEN 0x100
#define FAKE_PLAIN 0x300 /* StringAdd */
#define FAKE_PROLOGUE 0x400 /* BaselineOutOfLinePrologue */
#define FAKE_LEAVE 0x500 /* BaselineLeaveFrame */
#define FAKE_BARRIER 0x600 /* RecordWriteSaveFP */
#define FAKE_DEOPT 0x700 /* DeoptimizationEntry_Eager */
#define FAKE_ALLOCATE 0x800 /* AllocateInYoungGeneration */
#define FAKE_OP 0x10 /* LdarHandler's bytecode, two bytes long */
#define FAKE_RETURN 0xaf /* one byte */

struct fake_v8 {
	struct target target;
	u8 heap[FAKE_HEAP_LEN], code[FAKE_CODE_LEN], handler[FAKE_HANDLER_LEN];
	size_t heap_used, code_used;
	u64 maps[4096]; /* the map object of each instance type */
	int reads; /* number of reads so far */
	int fault_every; /* every n-th read fails; 0: no read fails */
	int corrupt_at; /* number of the read that returns wrong bytes; 0: none */
	u32 lie_seed;
	struct v8_build build;
};

void fake_init(struct fake_v8 *v);

/*
 * Fills the layout of V8 @version from the metadata of 13.6. Return: NULL, or the reason why the
 * version has no layout.
 */
const char *fake_layout(struct v8_layout *l, u32 version);

/* Makes a heap on @v with its code regions set; free it with v8_heap_free(). */
struct v8_heap *fake_heap(struct fake_v8 *v);

/* Allocates zeroed memory and returns the untagged address of it. */
u64 fake_alloc(struct fake_v8 *v, size_t len);
void fake_put(struct fake_v8 *v, u64 addr, u64 word);
void fake_bytes(struct fake_v8 *v, u64 addr, const void *bytes, size_t len);
u64 fake_smi(s32 value);

/* Functions that make objects return the tagged address. */
u64 fake_object(struct fake_v8 *v, u16 type, size_t len);
u64 fake_string(struct fake_v8 *v, const char *latin1);
u64 fake_string16(struct fake_v8 *v, const u16 *chars, u32 n);
u64 fake_cons(struct fake_v8 *v, u64 first, u64 second, u32 len);
u64 fake_sliced(struct fake_v8 *v, u64 parent, s32 offset, u32 len);
u64 fake_thin(struct fake_v8 *v, u64 actual, u32 len);
u64 fake_external(struct fake_v8 *v, u64 chars_addr, u32 len, bool two_byte);
u64 fake_byte_array(struct fake_v8 *v, const void *bytes, u32 n);
u64 fake_array(struct fake_v8 *v, u16 type, const u64 *words, u32 n);
u64 fake_scope(struct fake_v8 *v, u32 flags, s32 n_locals, u64 name, u64 inferred);
u64 fake_script(struct fake_v8 *v, u64 name, u64 source);
u64 fake_bytecode(struct fake_v8 *v, const u8 *bytes, u32 n, u64 positions);
u64 fake_sfi(struct fake_v8 *v, u64 name_or_scope, u64 script, u64 data);

/*
 * Makes code of @len bytes with room for tables after it. *start is the address of the code's first
 * instruction.
 */
#define FAKE_CODE_TAIL 64
u64 fake_code(struct fake_v8 *v, u32 kind, u32 len, u64 deopt, u64 positions, u64 *start);
