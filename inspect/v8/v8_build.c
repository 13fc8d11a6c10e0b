/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * One pass over the symbols collects everything that identifies V8 in a binary:
 *
 *	v8dbg_*                              layout metadata, an int each
 *	v8::internal::Version::major_ ...    four ints
 *	v8_Default_embedded_blob_code_*      where the embedded builtins are
 *	Builtins_*                           the builtins' names; stripped files lack both
 *	Bytecodes::kBytecodeSizes            3 tables of one byte for each bytecode
 *	wasm::(anonymous)::global_wasm_state a pointer to all WebAssembly of the process; up to V8 8
 *	                                     a static object that begins with one
 *
 * The file name is not used. If a binary has the version, it contains V8; if it then lacks
 * metadata, it is not supported (Bare, workerd). A binary with neither version nor metadata may be
 * Deno or Electron, which are recognized by a version string. Only binaries that export the
 * functions of Node-API are searched for that string.
 */

#include <errno.h>
#include <gelf.h>
#include <stdint.h>
#include <string.h>

#include "arch/v8_arches.h"
#include "../util/array.h"
#include "../util/cleanup.h"
#include "v8_async.h"
#include "v8_translation.h"

#define MAX_META 4096
#define MAX_BUILTINS 16384
#define MAX_NAME_LEN 128
#define MAX_BLOB_LEN (64u << 20)
/* Slots for a V8 whose slots are unknown; nothing uses the contents of these slots. */
#define V8_ANY_ARRAY_SLOT 32
#define V8_ANY_OFFSET_SLOT 40
#define V8_ANY_SHARED 24
#define BYTECODE_SIZES "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"

enum place {
	MAJOR,
	MINOR,
	BUILD,
	PATCH,
	BLOB,
	BLOB_DATA,
	BLOB_LEN,
	OLD_BLOB_DATA,
	OLD_BLOB_LEN,
	SIZES,
	WASM_STATE,
	OLD_WASM_STATE,
	NODE_API_FUNCTION,
	N_PLACES
};

/*
 * The label of the blob is BLOB_DATA in Node.js 15 to 18, and BLOB from 20 on. In Node.js 14, code
 * and data are in one blob, OLD_BLOB_DATA; in later versions, OLD_BLOB_DATA is another symbol.
 */
static const char *const place_names[N_PLACES] = {
	[MAJOR] = "_ZN2v88internal7Version6major_E",
	[MINOR] = "_ZN2v88internal7Version6minor_E",
	[BUILD] = "_ZN2v88internal7Version6build_E",
	[PATCH] = "_ZN2v88internal7Version6patch_E",
	[BLOB] = "v8_Default_embedded_blob_code_",
	[BLOB_DATA] = "v8_Default_embedded_blob_code_data_",
	[BLOB_LEN] = "v8_Default_embedded_blob_code_size_",
	[OLD_BLOB_DATA] = "v8_Default_embedded_blob_data_",
	[OLD_BLOB_LEN] = "v8_Default_embedded_blob_size_",
	[SIZES] = BYTECODE_SIZES,
	[WASM_STATE] = "_ZN2v88internal4wasm12_GLOBAL__N_117global_wasm_stateE",
	[OLD_WASM_STATE] = "_ZZN2v88internal4wasm12_GLOBAL__N_119GetSharedWasmEngineEvE6object",
	[NODE_API_FUNCTION] = "napi_create_function",
};

struct collection {
	const struct elf_file *file;
	struct v8_meta meta[MAX_META];
	size_t n_meta;
	struct elf_symbol *builtins;
	size_t n_builtins, room;
	struct arena *names; /* names of @meta and @builtins, without the common prefixes */
	u64 addr[N_PLACES], len[N_PLACES];
};

static int collect_builtin(struct collection *c, const struct elf_symbol *s)
{
	struct elf_symbol builtin = *s;

	if (s->is_dynamic || strlen(s->name) > MAX_NAME_LEN || c->n_builtins == MAX_BUILTINS)
		return 0;
	builtin.name = arena_strdup(c->names, s->name + strlen("Builtins_"));
	if (!builtin.name || array_reserve(c->builtins, c->room, c->n_builtins + 1))
		return -ENOMEM;
	c->builtins[c->n_builtins++] = builtin;
	return 0;
}

static int collect_meta(struct collection *c, const struct elf_symbol *s)
{
	struct v8_meta *m = &c->meta[c->n_meta];

	if (c->n_meta == MAX_META ||
	    elf_file_read_addr(c->file, s->addr, &m->value, sizeof(m->value)))
		return 0;
	m->name = arena_strdup(c->names, s->name + strlen("v8dbg_"));
	return m->name ? (c->n_meta++, 0) : -ENOMEM;
}

static int collect(const struct elf_symbol *s, void *data)
{
	struct collection *c = data;

	if (!s->defined)
		return 0;
	if (!strncmp(s->name, "v8dbg_", strlen("v8dbg_")))
		return collect_meta(c, s);
	if (!strncmp(s->name, "Builtins_", 9))
		return collect_builtin(c, s);
	for (int i = 0; i < N_PLACES; i++) {
		if (!c->addr[i] && !strcmp(s->name, place_names[i])) {
			c->addr[i] = s->addr;
			c->len[i] = s->len;
		}
	}
	return 0;
}

static int compare_meta(const void *a, const void *b)
{
	return strcmp(((const struct v8_meta *)a)->name, ((const struct v8_meta *)b)->name);
}

static int read_version(struct v8_build *b, struct elf_file *f, const struct collection *c)
{
	for (int i = 0; i < 4; i++) {
		if (!c->addr[MAJOR + i] ||
		    elf_file_read_addr(f, c->addr[MAJOR + i], &b->version[i], sizeof(int)) < 0 ||
		    b->version[i] < 0 || b->version[i] > UINT16_MAX)
			return -ENOENT;
	}
	return 0;
}

/*
 * Finds the version. Returns -ENOENT if the file does not contain V8. Sets @b->why if the file has
 * no metadata.
 */
static int find_version(struct v8_build *b, struct elf_file *f, const struct collection *c)
{
	int err = read_version(b, f, c);

	if (c->n_meta)
		return err;
	b->why = "built without V8 metadata";
	if (err == -ENOENT && c->addr[NODE_API_FUNCTION])
		err = v8_find_embedder(f, b->version, &b->why);
	return err;
}

/* Names the runtime. Deno also contains the URL of Node.js headers, but no metadata. */
static void name_runtime(struct v8_build *b, const struct elf_file *f, bool has_metadata)
{
	char node[48];

	snprintf(b->v8, sizeof(b->v8), "V8 %d.%d.%d.%d", b->version[0], b->version[1],
		 b->version[2], b->version[3]);
	if (has_metadata && !v8_find_node_version(f, node, sizeof(node)))
		snprintf(b->runtime, sizeof(b->runtime), "Node.js %s", node);
	else
		strcpy(b->runtime, b->v8);
}

/* In a stripped file, finds the builtins as one range, without names. */
static int take_unnamed(struct v8_build *b, struct elf_file *f)
{
	u64 addr, off, len;
	int err = v8_find_blob(f, &addr, &len);

	if (!err)
		err = elf_file_addr_to_off(f, addr, &off);
	if (err < 0)
		return err == -ENOMEM ? err : 0;
	b->builtins = calloc(1, sizeof(*b->builtins));
	if (!b->builtins)
		return -ENOMEM;
	b->blob_off = off;
	b->blob_len = len;
	b->builtins[0] = (struct v8_builtin){ .len = (u32)len, .kind = V8_BUILTIN_UNNAMED };
	b->n_builtins = 1;
	return 0;
}

/*
 * Accepts only the blob's label, which is in code. A variable with the same symbol name holds a
 * pointer to the blob.
 */
static int take_blob(struct v8_build *b, struct elf_file *f, const struct collection *c)
{
	bool is_old = c->addr[OLD_BLOB_LEN];
	u64 len_addr = c->addr[is_old ? OLD_BLOB_LEN : BLOB_LEN];
	u64 addr = c->addr[BLOB_DATA] ? c->addr[BLOB_DATA] : c->addr[BLOB];
	u32 len;
	u64 off;

	if (is_old)
		addr = c->addr[OLD_BLOB_DATA];
	if (!addr || !len_addr || elf_file_addr_to_off(f, addr, &off) < 0 ||
	    elf_file_read_addr(f, len_addr, &len, sizeof(len)) < 0 || !len || len > MAX_BLOB_LEN)
		return 0;
	b->blob_off = off;
	b->blob_len = len;
	b->blob_addr = addr;
	b->wasm_state_addr = c->addr[WASM_STATE] ? c->addr[WASM_STATE] : c->addr[OLD_WASM_STATE];
	return v8_build_take_builtins(b, addr, c->builtins, c->n_builtins);
}

/* The elements of kBytecodeSizes are bytes since V8 9, and ints before V8 9. */
static void take_bytecode_sizes(struct v8_build *b, struct elf_file *f, const struct collection *c)
{
	u32 width = c->len[SIZES] > sizeof(b->bytecode_sizes) ? sizeof(u32) : sizeof(u8);
	u64 n = c->len[SIZES] / 3 / width;
	u8 values[V8_MAX_BYTECODES * sizeof(u32)];

	if (!c->addr[SIZES] || c->len[SIZES] != n * 3 * width || n > V8_MAX_BYTECODES)
		return;
	for (u64 i = 0; i < 3; i++) {
		if (elf_file_read_addr(f, c->addr[SIZES] + i * n * width, values, n * width) < 0)
			return;
		for (u64 k = 0; k < n; k++)
			b->bytecode_sizes[i][k] = values[k * width];
	}
	b->n_bytecodes = (u32)n;
}

static void take_frame_types(struct v8_build *b, const struct collection *c)
{
	const size_t prefix_len = strlen("frametype_");

	for (size_t i = 0; i < c->n_meta; i++) {
		const struct v8_meta *m = &c->meta[i];

		if (!strncmp(m->name, "frametype_", prefix_len) && m->value >= 0 &&
		    m->value < V8_MAX_FRAME_TYPES)
			b->frame_types[m->value] = m->name + prefix_len;
	}
}

/* Returns the marker in the context slot of frames of this type, or 0 if there is no such type. */
static u16 marker_of(const struct collection *c, const char *name)
{
	s32 type = v8_meta_get(c->meta, c->n_meta, name, 0);

	return type > 0 && type < V8_MAX_FRAME_TYPES ? (u16)(type << 1) : 0;
}

/*
 * Fills the data for the walk, even if the heap is not supported. Returns NULL or the reason why it
 * can't.
 */
static const char *take_info(struct v8_build *b, const struct collection *c)
{
	s32 array_slot = v8_meta_get(c->meta, c->n_meta, "off_fp_bytecode_array",
				     -b->layout.bytecode_array_slot);
	s32 offset_slot = v8_meta_get(c->meta, c->n_meta, "off_fp_bytecode_offset",
				      -b->layout.bytecode_offset_slot);
	s32 slots[2] = { array_slot, offset_slot };

	b->info = (struct v8_info){
		.bytecode_array_slot = V8_ANY_ARRAY_SLOT,
		.bytecode_offset_slot = V8_ANY_OFFSET_SLOT,
		.shared_off = b->why ? V8_ANY_SHARED : b->layout.function_shared,
		.exit_marker = marker_of(c, "frametype_BuiltinExitFrame"),
		.jspi_marker = marker_of(c, "frametype_WasmJspiFrame"),
		.deopt_caller_off = b->layout.deopt_caller,
		.deopt_from_off = b->layout.deopt_from,
		.deopt_pushed_len = b->layout.deopt_pushed,
	};
	if (!b->info.jspi_marker) /* before V8 14 */
		b->info.jspi_marker = marker_of(c, "frametype_StackSwitchFrame");
	if (v8_meta_get(c->meta, c->n_meta, "off_fp_context", 1) != -V8_CONTEXT_SLOT ||
	    v8_meta_get(c->meta, c->n_meta, "off_fp_function", 1) != -V8_FUNCTION_SLOT)
		return "no frame slots in metadata";
	for (int i = 0; i < 2; i++)
		if (slots[i] >= -V8_FUNCTION_SLOT || slots[i] < -V8_SLOTS_LEN || slots[i] % 8)
			return "invalid frame slots in metadata";
	b->info.bytecode_array_slot = (u16)-array_slot;
	b->info.bytecode_offset_slot = (u16)-offset_slot;
	return NULL;
}

/* Reads the optional parts: names of builtins and frames, lengths of bytecodes. */
static int take_rest(struct v8_build *b, struct elf_file *f, const struct collection *c)
{
	int err = c->n_builtins ? take_blob(b, f, c) : take_unnamed(b, f);

	if (err < 0)
		return err;
	take_bytecode_sizes(b, f, c);
	if (!c->addr[SIZES] && v8_find_bytecode_sizes(f, b->bytecode_sizes, &b->n_bytecodes))
		b->n_bytecodes = 0;
	v8_build_number_handlers(b);
	take_frame_types(b, c);
	return 0;
}

static int learn(struct v8_build *b, struct elf_file *f, const struct collection *c,
		 const struct v8_deltas *t)
{
	const u32 version = V8_VERSION(b->version[0], b->version[1]);
	const char *odd;
	int err;

	b->async_why = "this V8 is not supported";
	if (c->n_meta)
		b->why = v8_layout_init(&b->layout, t, version, c->meta, c->n_meta);
	odd = take_info(b, c);
	if (!b->why)
		b->why = odd;
	b->is_borrowed = !b->why && b->layout.version != version;
	if (b->is_borrowed)
		snprintf(b->doubt, sizeof(b->doubt), "V8 %d.%d is not known, and treated as %u.%u",
			 b->version[0], b->version[1], b->layout.version >> 16,
			 b->layout.version & 0xffff);
	err = take_rest(b, f, c);
	if (err < 0)
		return err;
	if (!b->why && !b->n_builtins)
		b->why = "embedded builtins not found";
	if (!b->why)
		b->async_why = v8_async_fill(&b->info.async, b);
	return b->why ? -ENOTSUP : 0;
}

static void collection_free(struct collection **c)
{
	if (*c)
		free((*c)->builtins);
	free(*c);
}

int v8_build_new_by(struct v8_build **build, struct elf_file *f, const struct v8_deltas *t)
{
	_cleanup_(v8_build_free) struct v8_build *b = calloc(1, sizeof(*b));
	_cleanup_(collection_free) struct collection *c = calloc(1, sizeof(*c));
	int r;

	if (!b || !c)
		return -ENOMEM;
	c->file = f;
	c->names = &b->names;
	b->arch = v8_arch_of(elf_file_machine(f));
	r = elf_file_each_symbol(f, collect, c);
	if (r < 0)
		return r;
	r = find_version(b, f, c);
	if (r < 0)
		return r;
	qsort(c->meta, c->n_meta, sizeof(c->meta[0]), compare_meta);
	name_runtime(b, f, c->n_meta);
	r = learn(b, f, c, t);
	if (!r || r == -ENOTSUP)
		*build = TAKE_PTR(b);
	return r;
}

int v8_build_new(struct v8_build **build, struct elf_file *f)
{
	return v8_build_new_by(build, f, &v8_versions);
}

void v8_build_free(struct v8_build **build)
{
	struct v8_build *b = *build;

	*build = NULL;
	if (!b)
		return;
	free(b->builtins);
	arena_clear(&b->names);
	free(b);
}

struct v8_facts v8_build_facts(const struct v8_build *b)
{
	return (struct v8_facts){ .runtime = b->runtime,
				  .v8 = b->v8,
				  .why = b->why,
				  .doubt = b->is_borrowed ? b->doubt : NULL,
				  .async_why = b->async_why,
				  .info = &b->info,
				  .blob_off = b->blob_off,
				  .blob_len = b->blob_len };
}
