/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A ScopeInfo is an array of words whose parts depend on its flags
 * (v8/src/objects/scope-info.tq; up to V8 9.0 a FixedArray, scope-info.h); n is the
 * number of variables in the context:
 *
 *	flags, parameter count, n
 *	start, end                            V8 12.9 on
 *	module variable count                 modules, V8 12 on (before: near the end)
 *	n < 75: n names; else one hash table  (up to V8 9: n names)
 *	n infos
 *	where "this" is                       up to V8 9, if it is a variable
 *	name, index                           functions, modules, scripts, evals
 *	inferred name                         those with a name
 *	start, end                            before V8 12.9
 *	outer scope ...
 *
 * An empty name means that the function has no name. V8 may then have inferred a name from the
 * variable to which the function was assigned.
 */

#include <errno.h>

#include "v8_positions.h"
#include "v8_scope.h"

#define FLAGS_IDX 0
#define SCOPE_TYPE_MASK 15
/* ScopeInfo::ReceiverVariableField, a VariableAllocationInfo (scope-info.h at 8.4.371,
 * scope-info.tq at 9.4.146). */
#define RECEIVER_SHIFT 7
#define RECEIVER_MASK 3
#define RECEIVER_STACK 1
#define RECEIVER_CONTEXT 2
/* FunctionKind; KIND_INSTANCE is the first that initializes class members (function-kind.h;
 * bits and numbers as found in heaps of 10.2 to 14.6). */
#define KIND_SHIFT 17
#define KIND_MASK 31
#define KIND_INSTANCE 24
#define MAX_INLINED_NAMES 75
#define FIXED_START 1 /* since V8 12.9: slot of the start, after that of n */
#define MAX_CONTEXT_LOCALS (1 << 20)

static int slot(struct v8_heap *h, u64 scope_info, u32 idx, u64 *word)
{
	return v8_word(h, scope_info, h->l->scope_slots + 8 * idx, word);
}

/* Reads the flags, which are a SMI before V8 13, and a plain 32-bit number since V8 13. */
static u32 flags_of(u64 word)
{
	return v8_is_smi(word) ? (u32)v8_smi(word) : (u32)word;
}

/*
 * Returns the number of optional slots. They are between the number of variables and the names, or
 * before both.
 */
static u32 more_slots(const struct v8_layout *l, u32 flags)
{
	u32 receiver = flags >> RECEIVER_SHIFT & RECEIVER_MASK;

	if (l->scope_is_old)
		return receiver == RECEIVER_STACK || receiver == RECEIVER_CONTEXT;
	return l->scope_module_type && (flags & SCOPE_TYPE_MASK) == l->scope_module_type;
}

/* Sets *word to 0 if the word is no string (a SMI, undefined). Returns 0 or the error of a read. */
static int string_or_none(struct v8_heap *h, u64 *word)
{
	int type = v8_is_tagged(*word) ? v8_type(h, *word) : h->l->first_nonstring_type;

	if (type < 0)
		return type;
	if (type >= h->l->first_nonstring_type)
		*word = 0;
	return 0;
}

int v8_scope_name_off(struct v8_heap *h, u64 scope_info, u32 *off)
{
	u32 idx = h->l->scope_first_var_idx;
	u64 flags_word, n_word;
	s32 n;
	int err;

	if (!v8_is_type(h, scope_info, h->l->type_scope_info))
		return -EINVAL;
	err = slot(h, scope_info, FLAGS_IDX, &flags_word);
	if (!err)
		err = slot(h, scope_info, h->l->scope_n_locals_idx, &n_word);
	if (err < 0)
		return err;
	n = v8_smi(n_word);
	if (!v8_is_smi(n_word) || n < 0 || n > MAX_CONTEXT_LOCALS)
		return -EINVAL;
	idx += more_slots(h->l, flags_of(flags_word));
	idx += n < MAX_INLINED_NAMES || h->l->scope_is_old ? 2 * (u32)n : 1 + (u32)n;
	*off = h->l->scope_slots + 8 * idx;
	return 0;
}

int v8_scope_given_name(struct v8_heap *h, u64 scope_info, const char **name)
{
	const u32 first_static = h->l->scope_static_kind;
	u64 flags;
	u32 kind;
	int err = slot(h, scope_info, FLAGS_IDX, &flags);

	if (err < 0)
		return err;
	kind = flags_of(flags) >> KIND_SHIFT & KIND_MASK;
	*name = NULL;
	if (!first_static || kind < KIND_INSTANCE)
		return 0;
	if (kind < first_static)
		*name = "<instance_members_initializer>";
	else if (kind - first_static < first_static - KIND_INSTANCE)
		*name = "<static_initializer>";
	return 0;
}

int v8_scope_names(struct v8_heap *h, u64 scope_info, u64 *name, u64 *inferred)
{
	u64 found_name, found_inferred;
	bool is_named;
	u32 off;
	int err = v8_scope_name_off(h, scope_info, &off);

	if (!err)
		err = v8_word(h, scope_info, off, &found_name);
	if (!err)
		err = v8_word(h, scope_info, off + 16, &found_inferred);
	if (err < 0)
		return err;
	is_named = v8_is_tagged(found_name);
	err = string_or_none(h, &found_name);
	if (!err)
		err = string_or_none(h, &found_inferred);
	if (err < 0)
		return err;
	if (is_named && !found_name)
		return -EINVAL;
	*name = found_name;
	*inferred = found_inferred;
	return 0;
}

/*
 * Returns the offset of the start. An inferred name precedes the start only in a function's
 * ScopeInfo, not in that of a script or eval.
 */
static int start_off(struct v8_heap *h, u64 scope_info, u32 *off)
{
	const struct v8_layout *l = h->l;
	u64 word;
	int err;

	if (l->scope_first_var_idx - l->scope_n_locals_idx > FIXED_START) {
		*off = l->scope_slots + 8 * (l->scope_n_locals_idx + FIXED_START);
		return 0;
	}
	err = v8_scope_name_off(h, scope_info, off);
	if (!err)
		err = v8_word(h, scope_info, *off + 16, &word);
	if (!err)
		*off += v8_is_smi(word) ? 16 : 24;
	return err;
}

int v8_scope_start(struct v8_heap *h, u64 scope_info, s32 *start)
{
	u64 from, to;
	u32 off;
	int err = start_off(h, scope_info, &off);

	if (!err)
		err = v8_word(h, scope_info, off, &from);
	if (!err)
		err = v8_word(h, scope_info, off + 8, &to);
	if (err < 0)
		return err;
	*start = v8_is_smi(from) && v8_is_smi(to) && v8_smi(from) >= 0 && v8_smi(from) <= v8_smi(to)
			 ? v8_smi(from)
			 : V8_NO_SCRIPT_OFFSET;
	return 0;
}
