/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the WebAssembly function at a pc. WebAssembly code is not in heap objects but belongs to
 * the C++ part of V8, so it does not move, and the metadata does not describe it.
 *
 *	global_wasm_state (symbol; up to V8 8, GetSharedWasmEngine()'s object)
 *	  -> state: a std::map, code region -> { end of the region, NativeModule }
 *	       -> NativeModule
 *	            bytes of the module: -> { -> "\0asm", length }
 *	            a std::map, code -> WasmCode; the newest code is in the
 *	            std::vector behind it until V8 looks for some code itself
 *	            (up to V8 8 there is none); then the table of each function's newest WasmCode
 *	              -> WasmCode { NativeModule, first byte, ..., length, ..., function }
 *
 * The two maps are recognized because they are trees of libstdc++ (the header is the parent of the
 * root), and by their contents: the bytes of a module, and code with a pointer to its module. The
 * offsets of WasmCode's length and function are in v8_versions.c. The offsets are right if entry i
 * of the table is function i + n, with the same n for all entries. n is the number of imported
 * functions, whose numbers precede those of the other functions.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "v8_function.h"
#include "v8_source.h"
#include "v8_tree.h"
#include "v8_wasm.h"
#include "v8_wasm_inlined.h"
#include "v8_wasm_names.h"

#include "../util/search.h"

#define WASM_MAGIC 0x000000016d736100ull /* "\0asm", version 1 */
#define MAX_STATE_LEN 0x200
#define MAX_MODULE_LEN 0x300
#define MIN_MODULE_LEN 0x200
#define MAX_MODULES 32
#define MAX_FRESH (1u << 16)
#define MAX_BYTES_LEN (1ull << 30) /* V8's kV8MaxWasmModuleSize */
#define N_WITNESSES 64
#define N_SITES 512

/* A place in WebAssembly code, and the functions found at the place, leaf first. */
struct v8_wasm_site {
	u64 pc, valid_ns;
	struct v8_wasm_module *module;
	const char *why; /* the reason if some functions are unknown, or NULL */
	u32 functions[V8_WASM_INLINED];
	int n;
};

struct v8_wasm {
	struct v8_wasm_module *modules;
	u32 n_modules;
	u32 map_idx; /* index of the root of the map of code regions; set when it was first found */
	struct v8_wasm_site sites[N_SITES];
	char names[V8_WASM_INLINED][V8_MAX_NAME];
};

/* ---- modules ---- */

/* Finds the module's bytes and the lists of the module's code. */
static int probe_module(struct v8_heap *h, struct v8_wasm_module *m)
{
	u64 words[MAX_MODULE_LEN / 8] = { 0 }, bytes[2], magic;
	size_t n = MAX_MODULE_LEN / 8;
	struct v8_tree_node node;
	struct v8_wasm_code code;

	if (v8_read(h, m->addr, words, MAX_MODULE_LEN)) {
		n = MIN_MODULE_LEN / 8;
		if (v8_read(h, m->addr, words, MIN_MODULE_LEN))
			return -EFAULT;
	}
	for (size_t i = 0; i < n; i++) {
		if (!words[i] || words[i] & 7)
			continue;
		if (!m->bytes_addr && !v8_read(h, words[i], bytes, sizeof(bytes)) &&
		    bytes[1] >= 8 && bytes[1] <= MAX_BYTES_LEN &&
		    !v8_read(h, bytes[0], &magic, sizeof(magic)) && magic == WASM_MAGIC) {
			m->bytes_off = (u32)(8 * i);
			m->bytes_addr = bytes[0];
			m->bytes_len = bytes[1];
		} else if (!m->codes_off && i && i < n - h->l->wasm_table / 8u &&
			   v8_is_tree(h, m->addr + 8 * (i - 1), words[i], &node) &&
			   !v8_wasm_read_code(h, m->addr, node.value[0], &code) &&
			   code.start_addr == node.key) {
			m->codes_off = (u32)(8 * (i - 1));
		}
	}
	return m->bytes_addr && m->codes_off ? 0 : -ENOENT;
}

/* Checks the offset of WasmCode's function by V8's table of functions. */
static int count_imports(struct v8_heap *h, struct v8_wasm_module *m)
{
	u32 n = m->n_own < N_WITNESSES ? m->n_own : N_WITNESSES, n_seen = 0;
	u64 table, codes[N_WITNESSES];
	struct v8_wasm_code code;
	int err = v8_read(h, m->addr + m->codes_off + h->l->wasm_table, &table, sizeof(table));

	if (!err)
		err = v8_read(h, table, codes, n * sizeof(*codes));
	for (u32 i = 0; !err && i < n; i++) {
		if (!codes[i] || v8_wasm_read_code(h, m->addr, codes[i], &code))
			continue;
		if (code.function_idx < (s32)i ||
		    (n_seen++ && (u32)code.function_idx - i != m->n_imports))
			return -EINVAL;
		m->n_imports = (u32)code.function_idx - i;
	}
	if (!err && n_seen)
		m->is_understood = !h->build->is_borrowed || n_seen > 1;
	return err;
}

static struct v8_wasm_module *find_module(struct v8_heap *h, u64 addr)
{
	struct v8_wasm_module *m = h->wasm->modules;

	while (m && m->addr != addr)
		m = m->next;
	return m;
}

void v8_wasm_forget(struct v8_heap *h)
{
	struct v8_wasm *w = h->wasm;

	while (w && w->modules) {
		struct v8_wasm_module *m = w->modules;

		w->modules = m->next;
		v8_wasm_module_free(&m);
	}
	if (!w)
		return;
	w->n_modules = 0;
	memset(w->sites, 0, sizeof(w->sites));
}

void v8_wasm_free(struct v8_heap *h)
{
	v8_wasm_forget(h);
	free(h->wasm);
	h->wasm = NULL;
}

/*
 * Is the cached module still the same? The memory of the cached module may have been freed and used
 * again.
 */
static bool is_same(struct v8_heap *h, const struct v8_wasm_module *m)
{
	u64 addr, bytes[2];

	return !v8_read(h, m->addr + m->bytes_off, &addr, sizeof(addr)) &&
	       !v8_read(h, addr, bytes, sizeof(bytes)) && bytes[0] == m->bytes_addr &&
	       bytes[1] == m->bytes_len;
}

static struct v8_wasm_module *get_module(struct v8_heap *h, u64 addr)
{
	struct v8_wasm_module *m = find_module(h, addr);

	if (m && is_same(h, m))
		return m;
	if (m || h->wasm->n_modules == MAX_MODULES)
		v8_wasm_forget(h);
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->addr = addr;
	if (probe_module(h, m) || v8_wasm_read_names(h, m)) {
		v8_wasm_module_free(&m);
		return NULL;
	}
	m->next = h->wasm->modules;
	h->wasm->modules = m;
	h->wasm->n_modules++;
	return m;
}

/* ---- where ---- */

/* Reads the state. Finds the variable relative to the builtins, which may be mapped twice. */
static bool read_state(struct v8_heap *h, size_t region, u64 *state, u64 words[])
{
	const struct v8_region *r = &h->regions[region];
	const struct v8_build *b = h->build;
	u64 bias = r->start_addr + (b->blob_off - r->file_off) - b->blob_addr;

	return !r->is_jit && b->wasm_state_addr &&
	       !v8_read(h, b->wasm_state_addr + bias, state, 8) && *state && !(*state & 7) &&
	       !v8_read(h, *state, words, MAX_STATE_LEN);
}

static struct v8_wasm_module *module_by(struct v8_heap *h, u64 header, u64 root, u64 pc)
{
	struct v8_tree_node node;

	if (!v8_is_tree(h, header, root, &node) || v8_tree_find(h, root, pc, &node) ||
	    pc >= node.value[0])
		return NULL;
	return get_module(h, node.value[1]);
}

/* Finds the module whose code is at @pc. */
static struct v8_wasm_module *module_at(struct v8_heap *h, u64 pc)
{
	u64 words[MAX_STATE_LEN / 8], state;
	struct v8_wasm_module *m = NULL;

	for (size_t k = 0; !m && k < h->n_regions; k++) {
		if (!read_state(h, k, &state, words))
			continue;
		if (h->wasm->map_idx)
			m = module_by(h, state + 8 * (h->wasm->map_idx - 1),
				      words[h->wasm->map_idx], pc);
		for (u32 i = 1; !m && !h->wasm->map_idx && i < MAX_STATE_LEN / 8; i++) {
			m = module_by(h, state + 8 * (i - 1), words[i], pc);
			h->wasm->map_idx = m ? i : 0;
		}
	}
	return m;
}

/* ---- code ---- */

static int compare_codes(const void *pa, const void *pb)
{
	const struct v8_wasm_code *a = pa, *b = pb;

	return (a->start_addr > b->start_addr) - (a->start_addr < b->start_addr);
}

/*
 * Reads V8's list of new code if it has changed. V8 moves the list's contents into the tree (of
 * @n_codes codes), and then fills the list again at the same address.
 */
static int read_fresh(struct v8_heap *h, struct v8_wasm_module *m, u64 n_codes)
{
	u64 key[4] = { [3] = n_codes }, n;
	u64 *codes;
	int err = v8_read(h, m->addr + m->codes_off + h->l->wasm_fresh, key, 2 * sizeof(*key));

	n = (key[1] - key[0]) / 8;
	if (!err && (key[1] < key[0] || n > MAX_FRESH))
		err = -EINVAL;
	if (!err && n)
		err = v8_read(h, key[1] - 8, &key[2], sizeof(*key));
	if (err || !memcmp(key, m->fresh_key, sizeof(key)))
		return err;
	free(m->fresh);
	m->n_fresh = 0;
	memset(m->fresh_key, 0, sizeof(key));
	m->fresh = calloc(n + 1, sizeof(*m->fresh));
	codes = calloc(n + 1, sizeof(*codes));
	err = m->fresh && codes ? v8_read(h, key[0], codes, n * sizeof(*codes)) : -ENOMEM;
	for (u64 i = 0; !err && i < n; i++)
		m->n_fresh += !v8_wasm_read_code(h, m->addr, codes[i], &m->fresh[m->n_fresh]);
	free(codes);
	if (err)
		return err;
	memcpy(m->fresh_key, key, sizeof(key));
	qsort(m->fresh, m->n_fresh, sizeof(*m->fresh), compare_codes);
	return 0;
}

static bool holds(const struct v8_wasm_code *code, u64 pc)
{
	return pc >= code->start_addr && pc - code->start_addr < code->len;
}

static int find_fresh(struct v8_heap *h, struct v8_wasm_module *m, u64 pc, u64 n_codes,
		      struct v8_wasm_code *code)
{
	int err = h->l->wasm_fresh ? read_fresh(h, m, n_codes) : -ENOENT;
	size_t low;

	if (err)
		return err;
	low = search_first(m->n_fresh, i, m->fresh[i].start_addr <= pc);
	if (!low || !holds(&m->fresh[low - 1], pc) ||
	    v8_wasm_read_code(h, m->addr, m->fresh[low - 1].addr, code) || !holds(code, pc))
		return -ENOENT;
	return 0;
}

static int find_code(struct v8_heap *h, struct v8_wasm_module *m, u64 pc, struct v8_wasm_code *code)
{
	struct v8_tree_header tree;
	struct v8_tree_node node;
	int err = v8_read(h, m->addr + m->codes_off, &tree, sizeof(tree));

	if (err)
		return err;
	if (!v8_tree_find(h, tree.root, pc, &node) &&
	    !v8_wasm_read_code(h, m->addr, node.value[0], code) && code->start_addr == node.key &&
	    holds(code, pc))
		return 0;
	return find_fresh(h, m, pc, tree.count, code);
}

static bool is_own(const struct v8_wasm_module *m, u32 idx)
{
	return idx >= m->n_imports && idx < m->n_imports + m->n_own;
}

/* Finds the functions at @pc. Returns 0, -ENOENT (none) or -EINVAL (the layout is not known). */
static int find_functions(struct v8_heap *h, u64 pc, struct v8_wasm_site *site)
{
	struct v8_wasm_module *m = module_at(h, pc);
	struct v8_wasm_code code;

	if (!m || find_code(h, m, pc, &code))
		return -ENOENT;
	if (!m->is_understood && (count_imports(h, m) || !m->is_understood))
		return -EINVAL;
	if (code.function_idx < 0 || !is_own(m, (u32)code.function_idx))
		return -ENOENT;
	site->module = m;
	site->why = NULL;
	site->n = v8_wasm_expand(h, &code, pc, site->functions);
	for (int i = 0; i < site->n; i++)
		if (!is_own(m, site->functions[i]))
			site->n = -EINVAL;
	if (site->n > 0)
		return 0;
	site->n = 1;
	site->functions[0] = (u32)code.function_idx;
	site->why = "inlined functions unreadable";
	return 0;
}

static void name_function(struct v8_heap *h, const struct v8_wasm_site *site, int i,
			  struct v8_name *name)
{
	char *text = h->wasm->names[i];
	u32 idx = site->functions[i];

	if (!v8_wasm_function_name(site->module, idx, text, V8_MAX_NAME))
		snprintf(text, V8_MAX_NAME, "wasm-function[%u]", idx);
	*name = (struct v8_name){ .kind = V8_NAME_WASM,
				  .name = text,
				  .file = site->module->url,
				  .inlined = i < site->n - 1,
				  .reason = site->why };
}

int v8_wasm_name(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names)
{
	struct v8_wasm_site *site;
	int err;

	if (!h->build->wasm_state_addr || !h->l->wasm_code_function)
		return -ENOTSUP;
	if (!h->wasm)
		h->wasm = calloc(1, sizeof(*h->wasm));
	if (!h->wasm)
		return -ENOMEM;
	site = &h->wasm->sites[v8_hash(pc, 2) % N_SITES];
	if (site->pc != pc || time_ns > site->valid_ns) {
		site->pc = 0;
		v8_look(h);
		err = find_functions(h, pc, site);
		if (err)
			return err;
		site->pc = pc;
		site->valid_ns = h->looked_ns;
	}
	for (int i = 0; i < site->n; i++)
		name_function(h, site, i, &names[i]);
	return site->n;
}

int v8_wasm_name_frame(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names)
{
	int r = v8_wasm_name(h, pc, time_ns, names);

	if (r > 0)
		return r;
	names[0] = (struct v8_name){ .kind = V8_NAME_WASM };
	return v8_give_reason(names, r == -ENOTSUP ? "unsupported WebAssembly layout"
						   : "no WebAssembly function at pc");
}

/* The name is the one that V8's profiler uses, because the JSFunction's name is just a number. */
int v8_wasm_name_export(struct v8_name *names)
{
	names[0] = (struct v8_name){ .kind = V8_NAME_STUB, .name = "js-to-wasm" };
	return 1;
}
