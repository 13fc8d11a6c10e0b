/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A cache of functions, with the address of the SharedFunctionInfo as the key. The garbage
 * collector can move another function to that address, so an entry is valid only for samples before
 * the last time at which the object was read and found unchanged. For a newer sample, the object is
 * read again; one read serves all samples before it. Such a read may use cached pages of the
 * target. A new function is read without cached pages, so that all its parts are of the same time.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "v8_bytecode.h"
#include "v8_function.h"
#include "v8_probe.h"
#include "v8_scope.h"
#include "v8_string.h"

#define MAX_SFI_LEN 80
#define DEBUG_INFO_WORDS 12

/*
 * Reads the parts of a SharedFunctionInfo that identify it: map, name, script, and the six bytes of
 * length, parameter count and token offset. The other parts can change (compiled code, age, flags).
 */
static int read_key(struct v8_heap *h, u64 sfi, u64 key[4])
{
	const struct v8_layout *l = h->l;
	u8 object[MAX_SFI_LEN];
	int err;

	if (!v8_is_tagged(sfi) || l->sfi_length > MAX_SFI_LEN - 8 ||
	    l->sfi_script > MAX_SFI_LEN - 8 || l->sfi_name > MAX_SFI_LEN - 8)
		return -EINVAL;
	err = v8_read(h, sfi - 1, object, l->sfi_length + 8u);
	if (err < 0)
		return err;
	memcpy(&key[0], object, 8);
	memcpy(&key[1], object + l->sfi_name, 8);
	memcpy(&key[2], object + l->sfi_script, 8);
	key[3] = 0;
	memcpy(&key[3], object + l->sfi_length, 6);
	return v8_map_type(h, key[0]) == l->type_sfi ? 0 : -EINVAL;
}

/*
 * Reads the function's script, which is NULL for a builtin. If an inspector is attached,
 * the slot can have a DebugInfo, which refers to the script.
 */
static int find_script(struct v8_heap *h, u64 slot, struct v8_script **script)
{
	int type = v8_is_tagged(slot) ? v8_type(h, slot) : 0;
	u64 word = slot;

	*script = NULL;
	if (type == h->l->type_debug_info) {
		for (u32 i = 1; i < DEBUG_INFO_WORDS && type != h->l->type_script; i++)
			if (!v8_word(h, slot, 8 * i, &word) && v8_is_tagged(word))
				type = v8_type(h, word);
	}
	if (type < 0)
		return type;
	if (type != h->l->type_script)
		return 0;
	*script = v8_script_get(h, word);
	return *script ? 0 : -EFAULT;
}

/* Reads the function's name, which may be empty, into @name. */
static int read_name(struct v8_heap *h, u64 slot, char *name, size_t len)
{
	u64 own = slot, inferred = 0;
	const char *given = NULL;
	int err;

	name[0] = 0;
	if (v8_is_smi(slot))
		return 0;
	if (!v8_is_string(h, slot)) {
		err = v8_scope_names(h, slot, &own, &inferred);
		if (!err)
			err = v8_scope_given_name(h, slot, &given);
		if (err < 0)
			return err;
	}
	if (given) {
		snprintf(name, len, "%s", given);
		return 0;
	}
	err = own ? v8_string_utf8(h, own, name, len) : 0;
	if (!err && !name[0] && inferred)
		err = v8_string_utf8(h, inferred, name, len);
	return err;
}

/*
 * Reads the function's start, which is V8_NO_SCRIPT_OFFSET if unknown, for example because a
 * recorded case lacks the word.
 */
static s32 read_start(struct v8_heap *h, u64 slot)
{
	s32 start = V8_NO_SCRIPT_OFFSET;

	if (v8_is_type(h, slot, h->l->type_scope_info) && v8_scope_start(h, slot, &start) < 0)
		return V8_NO_SCRIPT_OFFSET;
	return start;
}

static bool is_wasm_export(struct v8_heap *h, const struct v8_function *f)
{
	u64 data;

	return h->l->type_wasm_export && !v8_word(h, f->tagged, h->l->sfi_data, &data) &&
	       v8_is_type(h, data, h->l->type_wasm_export);
}

static int fill(struct v8_heap *h, struct v8_function *f)
{
	char name[V8_MAX_NAME];
	int err = find_script(h, f->key[2], &f->script);

	if (!err)
		err = read_name(h, f->key[1], name, sizeof(name));
	if (err < 0)
		return err;
	f->start = read_start(h, f->key[1]);
	f->is_wasm_export = is_wasm_export(h, f);
	if (name[0])
		f->name = arena_strdup(&h->arena, name);
	else
		f->name = f->script ? "(anonymous)" : NULL;
	return 0;
}

static struct v8_function *find(struct v8_heap *h, u64 sfi)
{
	struct v8_function *f = h->functions[v8_hash(sfi, 0)];

	while (f && f->tagged != sfi)
		f = f->next;
	return f;
}

static struct v8_function *add(struct v8_heap *h, u64 sfi)
{
	struct v8_function **bucket = &h->functions[v8_hash(sfi, 0)];
	struct v8_function *f = arena_alloc(&h->arena, sizeof(*f));

	if (!f)
		return NULL;
	f->tagged = sfi;
	f->next = *bucket;
	*bucket = f;
	return f;
}

/* Reads the function that had @key; another object may be at its address now. */
static int refill(struct v8_heap *h, struct v8_function *f, const u64 key[4])
{
	u64 again[4];
	int err;

	f->generation = ++h->generation;
	memcpy(f->key, key, sizeof(f->key));
	v8_look(h);
	err = fill(h, f);
	target_renew(h->target);
	if (!err)
		err = read_key(h, f->tagged, again);
	if (!err && memcmp(key, again, sizeof(again)))
		err = -ESTALE;
	if (err < 0)
		memset(f->key, 0, sizeof(f->key));
	else
		f->names_vote = (s8)v8_probe_names(h, f->tagged, f->key[1],
						   f->script ? f->script->tagged : 0);
	return err;
}

static struct v8_function *give(const struct v8_heap *h, struct v8_function *f)
{
	return v8_probe_allows(h, V8_NAMES, f->names_vote) ? f : NULL;
}

struct v8_function *v8_function_get(struct v8_heap *h, u64 sfi, u64 time_ns)
{
	struct v8_function *f = find(h, sfi);
	u64 key[4];

	if (f && f->key[0] && time_ns <= f->valid_ns)
		return give(h, f);
	if (read_key(h, sfi, key) < 0)
		return NULL;
	if (!f)
		f = add(h, sfi);
	if (!f || (memcmp(f->key, key, sizeof(key)) && refill(h, f, key) < 0))
		return NULL;
	f->valid_ns = h->looked_ns;
	return give(h, f);
}

static void list_by_bytecode(struct v8_heap *h, struct v8_function *f, u64 bytecode)
{
	struct v8_function **p = &h->by_bytecode[v8_hash(f->bytecode, 1)];

	while (f->bytecode && *p != f)
		p = &(*p)->next_by_bytecode;
	if (f->bytecode)
		*p = f->next_by_bytecode;
	p = &h->by_bytecode[v8_hash(bytecode, 1)];
	f->next_by_bytecode = *p;
	f->bytecode = bytecode;
	*p = f;
}

u64 v8_function_bytecode(struct v8_heap *h, struct v8_function *f)
{
	u64 bytecode = v8_bytecode_of_function(h, f->tagged);

	if (bytecode && bytecode != f->bytecode)
		list_by_bytecode(h, f, bytecode);
	return bytecode;
}

bool v8_function_has_lines(struct v8_heap *h, struct v8_function *f)
{
	if (f->lines_generation != f->generation) {
		f->lines_vote = (s8)v8_probe_lines(h, v8_function_bytecode(h, f),
						   f->script ? f->script->tagged : 0);
		f->lines_generation = f->generation;
	}
	return v8_probe_allows(h, V8_LINES, f->lines_vote);
}

struct v8_function *v8_function_by_bytecode(struct v8_heap *h, u64 bytecode, u64 time_ns)
{
	struct v8_function *f = h->by_bytecode[v8_hash(bytecode, 1)];

	for (; f; f = f->next_by_bytecode)
		if (f->bytecode == bytecode && v8_function_get(h, f->tagged, time_ns) == f &&
		    v8_function_bytecode(h, f) == bytecode)
			return f;
	return NULL;
}

static struct v8_function *in_register(struct v8_heap *h, const struct uw_sample *s)
{
	u64 sfi;

	return v8_word(h, s->callee, h->l->function_shared, &sfi) < 0
		       ? NULL
		       : v8_function_get(h, sfi, s->time_ns);
}

struct v8_function *v8_function_called(struct v8_heap *h, const struct uw_sample *s, u64 bytecode)
{
	struct v8_function *f = v8_function_by_bytecode(h, bytecode, s->time_ns);

	if (f || !bytecode)
		return f;
	f = in_register(h, s);
	return f && v8_function_bytecode(h, f) == bytecode ? f : NULL;
}

struct v8_function *v8_function_of(struct v8_heap *h, const struct uw_sample *s,
				   const struct v8_code *code)
{
	struct v8_function *f;
	u64 found;

	if (code->tier != V8_TIER_BASELINE) {
		found = v8_code_function(h, code);
		return found ? v8_function_get(h, found, s->time_ns) : NULL;
	}
	found = v8_bytecode_of(h, code->deopt);
	if (found)
		return v8_function_called(h, s, found);
	f = in_register(h, s);
	return f && v8_baseline_bytecode(h, code, f->tagged) ? f : NULL;
}
