/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names the frames of a walk.
 *
 * Only the pc determines which code runs in a JavaScript frame, because the frame's slots may be
 * stale: after on-stack replacement, the slots are still those of the interpreter.
 *
 *	pc in                                  the frame is
 *	JIT region                             compiled: find the Code
 *	interpreter entry, bytecode handlers   interpreted: offset slot or register
 *	another builtin, frame 0               its caller's: the builtin has no frame,
 *	                                       the code position is on the stack
 *	another builtin                        of a builtin function, or unknown
 *
 * Results are cached by site (v8_site.c).
 */

#include <errno.h>
#include <string.h>

#include "../util/clock.h"
#include "v8_async.h"
#include "v8_bytecode.h"
#include "v8_compiled.h"
#include "v8_interpreted.h"
#include "v8_probe.h"
#include "v8_stub.h"
#include "v8_wasm.h"

/*
 * Limit of the names, line tables and sites of one process, in bytes; at this limit, all are
 * dropped.
 */
#define MAX_CACHE_LEN (12u << 20)
#define MAX_LOOK_NS 1000000 /* how long pages of the target are cached */

/*
 * Returns the builtin that the frame's pc is in, or NULL. A frame that deoptimization has built
 * resumes at the first instruction of an interpreter builtin, because no call pushed the return
 * address.
 */
static const struct v8_builtin *builtin_of(const struct v8_heap *h, const struct uw_frame *frame)
{
	const struct v8_builtin *b = v8_builtin_at(h, uw_frame_lookup_pc(frame)), *next;

	if (!(frame->flags & UW_FRAME_RA))
		return b;
	next = v8_builtin_at(h, frame->pc);
	if (!next || next == b || next->is_handler || next->kind != V8_BUILTIN_INTERPRETER)
		return b;
	return next;
}

/* Returns the context of a pc that called @callee. */
static enum v8_via via_of(const struct v8_builtin *callee)
{
	if (!callee)
		return V8_VIA_PC;
	return callee->is_deopt		? V8_VIA_DEOPT
	       : callee->is_out_of_line ? V8_VIA_DEFERRED
					: V8_VIA_PC;
}

/* Is @pc in @f's own copy of the interpreter's entry (--interpreted-frames-native-stack)? */
static bool is_own_entry(struct v8_heap *h, u64 pc, const struct v8_function *f)
{
	struct v8_code code;

	return !v8_code_find(h, pc, &code) && v8_code_enters(h, &code, f->tagged);
}

/*
 * Names the function that called the builtin at pc. The builtin has no frame, so the return address
 * into the function is one of the first words at sp. A word is accepted if it points into the
 * function's own code, or into the interpreter.
 */
static int name_by_stack(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			 struct v8_function *f, struct v8_name *names)
{
	const struct v8_builtin *top = v8_builtin_at(h, s->pc);

	for (int i = 0; i < 3; i++) {
		const struct v8_builtin *b = v8_builtin_at(h, s->sp_words[i] - 1);
		int n;

		if (b && b->kind == V8_BUILTIN_INTERPRETER)
			return v8_name_interpreted(h, s, frame, f, names);
		n = v8_name_compiled(h, s, f, s->sp_words[i] - 1, via_of(top), names);
		if (n == -ESTALE && is_own_entry(h, s->sp_words[i] - 1, f))
			return v8_name_interpreted(h, s, frame, f, names);
		if (n > 0)
			return n;
	}
	return 0;
}

/*
 * Names a frame whose pc is in code that belongs to no function, or to another function: a copy of
 * the interpreter's entry, made for this function or for a callee without a frame yet, or the code
 * by which V8 8.4 enters its deoptimizer.
 */
static int name_in_shared(struct v8_heap *h, const struct uw_sample *s,
			  const struct uw_frame *frame, struct v8_function *f, u64 pc,
			  struct v8_name *names)
{
	const struct v8_builtin *entry;
	struct v8_code code;
	int n = 0;

	if (is_own_entry(h, pc, f))
		return v8_name_interpreted(h, s, frame, f, names);
	if (v8_code_find(h, pc, &code))
		return -ESTALE;
	entry = v8_code_entry(h, &code);
	names[0] = (struct v8_name){ .kind = V8_NAME_BUILTIN,
				     .name = entry ? entry->name : "DeoptimizationEntry" };
	if (entry && frame == &s->frames[s->n_kernel] && !(frame->flags & UW_FRAME_RA))
		n = name_by_stack(h, s, frame, f, names + 1);
	else if (h->l->deopt_pushed && (frame->flags & UW_FRAME_RA))
		n = v8_name_compiled(h, s, f, frame->b - 1, V8_VIA_EXIT, names + 1);
	return n > 0 ? 1 + n : -ESTALE;
}

static int name_in_jit(struct v8_heap *h, const struct uw_sample *s, u32 i, struct v8_function *f,
		       struct v8_name *names)
{
	const struct uw_frame *frame = &s->frames[i];
	const struct v8_builtin *callee = frame->flags & UW_FRAME_RA && i ? builtin_of(h, frame - 1)
									  : NULL;
	u64 pc = uw_frame_lookup_pc(frame);
	enum v8_via via = via_of(callee);
	int n;

	/* If the deoptimizer has a frame, this code did not enter the deoptimizer. */
	if (via == V8_VIA_DEOPT && frame[-1].kind != UW_V8_CODE)
		via = V8_VIA_PC;
	n = v8_name_compiled(h, s, f, pc, via, names);
	if (n > 0)
		return n;
	if (n == -ESTALE)
		n = name_in_shared(h, s, frame, f, pc, names);
	if (n > 0)
		return n;
	v8_name_function(h, f, names);
	return v8_give_reason(names,
			      n == -ESTALE ? "code of another function" : "no code object at pc");
}

/* ---- builtins ---- */

#define STRIPPED "builtin symbols stripped"

/*
 * In a stripped file, the unnamed code is the interpreter, or a builtin called by compiled code. In
 * the second case, the return address into that code is on the stack. If the function was
 * interrupted, the slots of its frame may be stale.
 */
static int name_in_unnamed(struct v8_heap *h, const struct uw_sample *s, u32 i,
			   struct v8_function *f, struct v8_name *names)
{
	const struct uw_frame *frame = &s->frames[i];
	u64 bytecode = v8_function_bytecode(h, f);
	int n;

	if (i == s->n_kernel && !(frame->flags & UW_FRAME_RA)) {
		names[0] = (struct v8_name){ .kind = V8_NAME_BUILTIN, .reason = STRIPPED };
		n = name_by_stack(h, s, frame, f, names + 1);
		if (n || (u32)s->interp[1] == frame->aux)
			return n ? 1 + n : v8_name_in_handler(h, s, frame, frame, f, NULL, names);
		v8_name_function(h, f, names + 1);
		v8_give_reason(names + 1, "no return address at sp");
		return 2;
	}
	if (bytecode && (u32)bytecode == frame->aux && v8_is_smi(frame->b))
		return v8_name_interpreted(h, s, frame, f, names);
	v8_name_function(h, f, names);
	return v8_give_reason(names, "pc in a builtin");
}

static int name_in_builtin(struct v8_heap *h, const struct uw_sample *s, u32 i,
			   struct v8_function *f, const struct v8_builtin *b, struct v8_name *names)
{
	const struct uw_frame *frame = &s->frames[i], *inner = frame;
	bool is_top = i == s->n_kernel;
	int n;

	if (b->kind == V8_BUILTIN_UNNAMED)
		return name_in_unnamed(h, s, i, f, names);
	if (b->kind == V8_BUILTIN_INTERPRETER) {
		if (!b->is_handler && i > s->n_kernel && frame[-1].kind != UW_V8_JS)
			b = builtin_of(h, --inner); /* a bytecode handler may have a frame */
		if (b && b->is_handler)
			return v8_name_in_handler(h, s, frame, inner, f, b, names);
		/*
		 * Before the interpreter builds the frame, and after it removes the frame, fp
		 * points to the caller's frame.
		 */
		n = is_top ? name_by_stack(h, s, frame, f, names) : 0;
		return n ? n : v8_name_interpreted(h, s, frame, f, names);
	}
	names[0] = (struct v8_name){ .kind = V8_NAME_BUILTIN, .name = b->name };
	n = b->is_deopt && !is_top ? v8_name_compiled(h, s, f, frame->b - 1, V8_VIA_EXIT, names + 1)
				   : 0;
	if (n > 0)
		return 1 + n;
	if (!is_top) {
		v8_name_function(h, f, names);
		v8_locate_at_edge(h, f, b, names);
		return names->line ? 1 : v8_give_reason(names, "pc in a builtin");
	}
	n = name_by_stack(h, s, frame, f, names + 1);
	if (n)
		return 1 + n;
	v8_name_function(h, f, names + 1);
	v8_locate_at_edge(h, f, b, names + 1);
	if (!names[1].line)
		v8_give_reason(names + 1, "no return address at sp");
	return 2;
}

/* ---- frames ---- */

static int name_nobody(const struct v8_heap *h, struct v8_name *names)
{
	return v8_give_reason(names, v8_probe_denies(h, V8_NAMES) ? V8_MISFIT
								  : "function moved or unreadable");
}

static int name_js(struct v8_heap *h, const struct uw_sample *s, u32 i, struct v8_name *names)
{
	const struct uw_frame *frame = &s->frames[i];
	u64 pc = uw_frame_lookup_pc(frame);
	const struct v8_region *region = v8_region_at(h, pc);
	const struct v8_builtin *b = builtin_of(h, frame);
	struct v8_function *f;

	names[0] = (struct v8_name){ .kind = V8_NAME_JS };
	if (frame->status != UW_OK)
		return v8_name_regexp(h, frame, names)
			       ? 1
			       : v8_give_reason(names, v8_status_words(frame->status));
	f = v8_function_get(h, frame->a, s->time_ns);
	if (!f)
		return name_nobody(h, names);
	if (f->is_wasm_export)
		return v8_wasm_name_export(names);
	if (f->script && region && region->is_jit)
		return name_in_jit(h, s, i, f, names);
	if (f->script && b)
		return name_in_builtin(h, s, i, f, b, names);
	v8_name_function(h, f, names);
	if (!names->name && b && b->name && !f->script) {
		names->name = b->name;
		names->reason = NULL;
	}
	return f->script ? v8_give_reason(names, "pc outside V8 code") : 1;
}

/* Names a function or a builtin that awaits. */
static int name_waiting_caller(struct v8_heap *h, const struct uw_sample *s,
			       const struct uw_frame *frame, struct v8_name *names)
{
	struct v8_function *f;

	names[0] = (struct v8_name){ .kind = V8_NAME_JS };
	if (frame->status != UW_OK)
		return v8_give_reason(names, v8_status_words(frame->status));
	if (frame->aux) {
		names[0].kind = V8_NAME_BUILTIN;
		names[0].name = v8_async_name(&h->build->info.async, frame->aux);
		return names[0].name ? 1 : v8_give_reason(names, "unnamed builtin");
	}
	f = v8_function_get(h, frame->a, s->time_ns);
	return f ? v8_name_waiting(h, frame, f, names) : name_nobody(h, names);
}

/* Names a function by its code, because it had no frame yet. */
static int name_code(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		     struct v8_name *names)
{
	u64 pc = uw_frame_lookup_pc(frame);
	const struct v8_builtin *b = v8_builtin_at(h, pc);
	struct v8_function *f;
	struct v8_code code;
	int n;

	names[0] = (struct v8_name){ .kind = V8_NAME_JS };
	if (b) { /* no frame yet, or pc is in the interpreter's entry or exit */
		names[0].kind = b->kind == V8_BUILTIN_INTERPRETER ? V8_NAME_STUB : V8_NAME_BUILTIN;
		names[0].name = b->name;
		names[0].reason = b->name ? NULL : STRIPPED;
		return b->is_entering && !(frame->flags & UW_FRAME_RA)
			       ? 1 + v8_name_entering(h, s, names + 1)
			       : 1;
	}
	if (v8_code_find(h, pc, &code) < 0) {
		n = v8_wasm_name(h, pc, s->time_ns, names);
		return n > 0 ? n : v8_give_reason(names, "no code object at pc");
	}
	names[0].tier = code.tier;
	if (v8_name_regexp(h, frame, names))
		return 1;
	if (code.tier == V8_TIER_NONE)
		return v8_name_shared(h, frame, names);
	f = v8_function_of(h, s, &code);
	if (!f)
		return v8_give_reason(names, "interrupted before frame setup");
	n = v8_name_compiled(h, s, f, pc, V8_VIA_PC, names);
	if (n > 0)
		return n;
	v8_name_function(h, f, names);
	names[0].tier = code.tier;
	return v8_give_reason(names, "interrupted before frame setup");
}

/*
 * Drops cached pages that are older than the sample, or older than MAX_LOOK_NS, because objects
 * move.
 */
static void look_for(struct v8_heap *h, const struct uw_sample *s)
{
	if (s->time_ns > h->looked_ns || monotonic_ns() - h->looked_ns > MAX_LOOK_NS)
		v8_look(h);
}

int v8_heap_name(struct v8_heap *h, const struct uw_sample *s, u32 i, struct v8_name *names)
{
	int n;

	if (h->arena.total > MAX_CACHE_LEN)
		v8_heap_forget(h);
	look_for(h, s);
	switch (s->frames[i].kind) {
	case UW_V8_JS:
		n = s->frames[i].flags & UW_FRAME_ASYNC
			    ? name_waiting_caller(h, s, &s->frames[i], names)
			    : name_js(h, s, i, names);
		break;
	case UW_V8_CODE:
		n = name_code(h, s, &s->frames[i], names);
		break;
	default:
		n = v8_name_stub(h, s, &s->frames[i], names);
		break;
	}
	return h->gone ? -ESRCH : n;
}
