/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names interpreted functions. The bytecode offset is in the frame, or in a register of the
 * interpreter.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_bytecode.h"
#include "v8_interpreted.h"
#include "v8_site.h"

#define MAX_HANDLER_LEN (32u << 10) /* limit of a handler; the longest has 10 KiB */
#define MAX_HANDLERS_LEN (4u << 20) /* limit of all handlers; V8's have less than 1 MiB */

/*
 * @offset_word: the bytecode offset as a word of the interpreter, relative to the tagged
 * BytecodeArray.
 */
static int by_offset(struct v8_heap *h, const struct uw_sample *s, struct v8_function *f, u32 aux,
		     s64 offset_word, struct v8_name *names)
{
	s64 offset = offset_word - (h->l->bytecode_data - 1);
	struct v8_site like = { .function = f,
				.kind = V8_SITE_INTERPRETED,
				.generation = f->generation,
				.where = (u64)offset << 32 | aux };
	const struct v8_site *site;
	u64 bytecode;
	s32 pos;

	v8_name_function(h, f, names);
	names->tier = V8_TIER_INTERPRETED;
	if (offset < V8_FUNCTION_ENTRY || offset > INT32_MAX)
		return v8_give_reason(names, "no bytecode offset");
	site = v8_site_find(h, V8_SITE_INTERPRETED, f, like.where, s->time_ns);
	if (site)
		return v8_site_give(site, names);
	v8_look(h);
	bytecode = v8_function_bytecode(h, f);
	if (!bytecode || (u32)bytecode != aux)
		return v8_give_reason(names, "bytecode array mismatch");
	pos = v8_bytecode_position(h, bytecode, (s32)offset);
	v8_locate(h, f, pos, names);
	if (!names->reason)
		v8_site_add(h, &like, names, 1);
	return 1;
}

int v8_name_interpreted(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			struct v8_function *f, struct v8_name *names)
{
	s64 word = v8_is_smi(frame->b) ? v8_smi(frame->b) : V8_FUNCTION_ENTRY;

	return by_offset(h, s, f, frame->aux, word, names);
}

/* Does handler @b handle the bytecode at offset @word? */
static bool handles(struct v8_heap *h, const struct v8_builtin *b, struct v8_function *f, u32 aux,
		    u64 word)
{
	u64 bytecode = b && b->n_bytecodes ? v8_function_bytecode(h, f) : 0;
	int op;

	if (!bytecode || (u32)bytecode != aux)
		return false;
	op = v8_bytecode_at(h, bytecode, (s64)word - (h->l->bytecode_data - 1));
	return op >= b->bytecode && op - b->bytecode < b->n_bytecodes;
}

/*
 * Used if there is no handler_places(): assumes that r9 (arm64: x19) has the offset if the value is
 * possible in this frame.
 */
static bool guess_offset(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			 struct v8_function *f, const struct v8_builtin *b)
{
	u64 array = s->interp[1], word = s->interp[0];

	return word <= INT32_MAX && ((v8_is_tagged(array) && (u32)array == frame->aux) ||
				     handles(h, b, f, frame->aux, word));
}

/* Returns where the offset is at each byte of the handler, or NULL if this is unknown. */
static const struct v8_place *places_of(struct v8_heap *h, const struct v8_builtin *b, u64 addr)
{
	size_t idx = (size_t)(b - h->build->builtins);
	_cleanup_free_ struct v8_place *places = NULL;
	_cleanup_free_ u8 *code = NULL;

	if (!h->places)
		h->places = calloc(h->build->n_builtins, sizeof(*h->places));
	if (!h->places || h->places[idx])
		return h->places ? h->places[idx] : NULL;
	if (b->len > MAX_HANDLER_LEN || h->places_len + b->len > MAX_HANDLERS_LEN)
		return NULL;
	h->places_len += b->len;
	places = calloc(b->len, sizeof(*places));
	code = malloc(b->len);
	if (!places || !code || v8_read(h, addr, code, b->len) < 0 ||
	    h->build->arch->handler_places(code, b->len, h->build->info.bytecode_offset_slot,
					   places) < 0)
		return NULL;
	return h->places[idx] = TAKE_PTR(places);
}

void v8_forget_handlers(struct v8_heap *h)
{
	for (size_t i = 0; h->places && i < h->build->n_builtins; i++)
		free(h->places[i]);
	free(h->places);
	h->places = NULL;
}

/*
 * The sample has registers and saved words only of the innermost function, and only if the thread
 * was not in a signal handler.
 */
static bool is_innermost(const struct uw_sample *s, const struct uw_frame *frame)
{
	for (const struct uw_frame *f = s->frames + s->n_kernel; f < frame; f++)
		if (f->kind == UW_V8_JS || !(f[1].flags & UW_FRAME_RA))
			return false;
	return true;
}

/* Finds the offset in the words of the handler's own frame that the walk has copied. */
static bool find_saved(const struct uw_sample *s, const struct uw_frame *own,
		       const struct v8_place *at, s64 *word)
{
	if (own->kind != UW_V8_STUB || own->status != UW_OK)
		return false;
	for (u32 i = 0; i < V8_SAVED_WORDS; i++) {
		*word = (s64)s->saved[i] - at->saved[i];
		if (at->saved[i] != V8_ABSENT)
			return true;
	}
	return false;
}

/*
 * Finds the offset. An offset in r9 is used only if the handler handles the bytecode at that
 * offset.
 */
static bool find_offset(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			const struct uw_frame *inner, struct v8_function *f,
			const struct v8_builtin *b, const struct v8_place *at, s64 *word)
{
	s64 in_register = (s64)s->interp[0] - (at->in_register == V8_ABSENT ? 0 : at->in_register);
	bool is_sure = !(inner->flags & UW_FRAME_RA) && at->in_register != V8_ABSENT;

	if (!is_sure && find_saved(s, inner, at, word))
		return true;
	*word = in_register;
	return is_sure || handles(h, b, f, frame->aux, (u64)in_register);
}

/*
 * In a bytecode handler, the offset slot is stale until the handler makes a call; until
 * then, handler_places() finds the offset.
 */
int v8_name_in_handler(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		       const struct uw_frame *inner, struct v8_function *f,
		       const struct v8_builtin *b, struct v8_name *names)
{
	u64 pc = uw_frame_lookup_pc(inner), off = b ? v8_blob_offset(h, pc) - b->blob_off : 0;
	bool is_followed = b && h->build->arch->handler_places, is_found = false;
	const struct v8_place *places = is_followed ? places_of(h, b, pc - off) : NULL;
	s64 word = (s64)s->interp[0];

	if (is_followed ? places && places[off].in_slot : frame->flags & UW_FRAME_RA)
		return v8_name_interpreted(h, s, frame, f, names);
	if (places && is_innermost(s, frame))
		is_found = find_offset(h, s, frame, inner, f, b, &places[off], &word);
	else if (!is_followed && is_innermost(s, frame))
		is_found = guess_offset(h, s, frame, f, b);
	if (is_found)
		return by_offset(h, s, f, frame->aux, word, names);
	v8_name_function(h, f, names);
	names->tier = V8_TIER_INTERPRETED;
	return v8_give_reason(names, "interpreter registers lost");
}

int v8_name_entering(struct v8_heap *h, const struct uw_sample *s, struct v8_name *names)
{
	struct v8_function *f = v8_function_called(h, s, s->interp[1]);

	names[0] = (struct v8_name){ .kind = V8_NAME_JS, .tier = V8_TIER_BASELINE };
	if (!f)
		return v8_give_reason(names, "interrupted before frame setup");
	v8_name_function(h, f, names);
	names[0].tier = V8_TIER_BASELINE;
	v8_locate(h, f, v8_bytecode_position(h, s->interp[1], V8_FUNCTION_ENTRY), names);
	return 1;
}

/*
 * A builtin enters or leaves baseline code on the function's own frame, without a return address.
 * When the builtin enters baseline code, the function is at its first bytecode; when the builtin
 * leaves baseline code, the function is at its only return.
 */
void v8_locate_at_edge(struct v8_heap *h, struct v8_function *f, const struct v8_builtin *b,
		       struct v8_name *name)
{
	u64 bytecode = v8_function_bytecode(h, f);
	s32 at = V8_FUNCTION_ENTRY;

	if (!b->is_entering && !b->is_leaving)
		return;
	name->tier = V8_TIER_BASELINE;
	if (b->is_leaving)
		at = h->build->has_return ? v8_bytecode_only(h, bytecode, h->build->return_op)
					  : V8_NO_BYTECODE;
	if (bytecode && (at >= 0 || b->is_entering))
		v8_locate(h, f, v8_bytecode_position(h, bytecode, at), name);
}

int v8_name_waiting(struct v8_heap *h, const struct uw_frame *frame, struct v8_function *f,
		    struct v8_name *names)
{
	s64 offset = v8_is_smi(frame->b) ? (s64)v8_smi(frame->b) - (h->l->bytecode_data - 1)
					 : V8_NO_BYTECODE;

	v8_name_function(h, f, names);
	if (offset < 0)
		return v8_give_reason(names, "await position unknown");
	v8_locate(h, f, v8_bytecode_position(h, v8_function_bytecode(h, f), (s32)offset), names);
	return 1;
}
