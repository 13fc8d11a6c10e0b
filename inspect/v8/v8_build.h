/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One build of V8. Private to inspect/v8. */

#include "v8.h"
#include "../util/arena.h"
#include "arch/v8_arch.h"
#include "v8_layout.h"

enum v8_builtin_kind {
	V8_BUILTIN_PLAIN,
	V8_BUILTIN_INTERPRETER, /* of the interpreter; runs in the interpreted function's frame */
	V8_BUILTIN_UNNAMED, /* all builtins of a stripped file, as one range */
};

struct v8_builtin {
	u32 blob_off; /* offset of the first byte in the embedded builtins */
	u32 len;
	const char *name; /* NULL: unnamed */
	enum v8_builtin_kind kind;
	bool is_handler; /* handles a bytecode, so the interpreter's registers are live */
	bool is_entering, is_leaving; /* enters or leaves the frame of baseline code */
	bool is_out_of_line; /* called by deferred code */
	bool is_allocating; /* called by deferred code if inline allocation fails */
	bool is_deopt; /* called by deoptimization exits */
	u8 bytecode, n_bytecodes; /* first bytecode handled, and number of bytecodes; 0: unknown */
};

#define V8_MAX_FRAME_TYPES 64
#define V8_MAX_BYTECODES 256

struct v8_build {
	struct v8_layout layout;
	struct v8_info info;
	int version[4];
	char runtime[64], v8[48];
	const char *why; /* the reason why the build is not supported, or NULL */
	const char *async_why; /* the reason why awaiters are not found, or NULL */
	const struct v8_arch *arch;
	bool is_borrowed; /* the layout is that of another version */
	char doubt[80]; /* message about the borrowed layout */
	u64 blob_off, blob_len; /* embedded builtins in the file; length 0: unknown */
	u64 blob_addr; /* link-time address of the embedded builtins */
	u64 wasm_state_addr; /* link-time address of the pointer global_wasm_state; 0: unknown */
	struct v8_builtin *builtins; /* sorted by blob_off */
	size_t n_builtins;
	struct arena names; /* names of builtins and frame types */
	const char *frame_types[V8_MAX_FRAME_TYPES]; /* "StubFrame"; NULL where there is none */
	u8 bytecode_sizes[3][V8_MAX_BYTECODES]; /* by operand scale: 1, 2, 4 */
	u32 n_bytecodes; /* 0: unknown */
	bool has_return; /* return_op is known */
	u8 return_op;
};

/* Same as v8_build_new(), with another table of versions. */
int v8_build_new_by(struct v8_build **b, struct elf_file *f, const struct v8_deltas *t);

/* Makes the list of builtins from their symbols; sorts @symbols. Returns 0 or -ENOMEM. */
int v8_build_take_builtins(struct v8_build *b, u64 blob_addr, struct elf_symbol *symbols, size_t n);
/* Sets the bytecodes of each handler. */
void v8_build_number_handlers(struct v8_build *b);

/* Returns the builtin at an offset in the blob, or NULL. */
const struct v8_builtin *v8_build_builtin_at(const struct v8_build *b, u64 blob_off);

/**
 * v8_find_blob() - find the embedded builtins of a stripped file
 * @addr:	link-time address; there may be padding at both ends
 *
 * Return: 0, -ENOENT, -ENOMEM or the error of a read.
 */
int v8_find_blob(struct elf_file *f, u64 *addr, u64 *len);

/* Finds the tables kBytecodeSizes of a stripped file. Returns 0, -ENOENT or -ENOMEM. */
int v8_find_bytecode_sizes(const struct elf_file *f, u8 sizes[3][V8_MAX_BYTECODES], u32 *n);

/*
 * Reads the version of Node.js ("24.21.0") from the file's read-only data. Returns -ENOENT if the
 * file is not Node.js.
 */
int v8_find_node_version(const struct elf_file *f, char *version, size_t len);

/**
 * v8_find_embedder() - recognize V8 by only its version string
 * @version:	the numbers of "15.0.245.2-rusty"
 * @why:	the reason why this V8 is not supported, with the embedder's name; a static string
 *
 * Return: 0, -ENOENT (the file has no such string) or -ENOMEM.
 */
int v8_find_embedder(const struct elf_file *f, int version[4], const char **why);
