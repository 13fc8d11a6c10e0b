/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names frames without a function, which have a marker in the context slot.
 *
 * A builtin's frame gets the builtin's name; any other frame gets the name of the frame's type. A
 * copy of the interpreter's entry (--interpreted-frames-native-stack) is not a builtin, and is
 * recognized by its length. While the copy calls C++, the copy has its own frame, an InternalFrame.
 * Before the copy builds the function's frame, fp still leads to the frame of the stub that called
 * the copy:
 *
 *	pc in a copy     sp      a return address into a builtin
 *	                 fp-8    that builtin's marker
 */

#include <string.h>

#include "v8_source.h"
#include "v8_stub.h"
#include "v8_wasm.h"

const char *v8_status_words(u8 status)
{
	static const char *const words[] = {
#define X(name, class, words, meaning) [name] = words,
		UW_STATUS_LIST(X)
#undef X
	};

	return status < UW_N_STATUS ? words[status] : "unknown status";
}

/*
 * V8 up to 10.2 does not mark the frame of a regular expression, so the frame is recognized by its
 * code.
 */
bool v8_name_regexp(struct v8_heap *h, const struct uw_frame *frame, struct v8_name *names)
{
	struct v8_code code;

	if (v8_code_find(h, uw_frame_lookup_pc(frame), &code) < 0 || !v8_code_is_regexp(h, &code))
		return false;
	names[0] = (struct v8_name){ .kind = V8_NAME_REGEXP, .name = "RegExp" };
	return true;
}

/* Names an exit frame after its C++ builtin. */
static void name_target(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			struct v8_name *names)
{
	const struct v8_function *f = v8_function_get(h, frame->b, s->time_ns);

	if (!f)
		names[0] = (struct v8_name){ .kind = V8_NAME_STUB,
					     .reason = "function moved or unreadable" };
	else if (!f->script && f->name)
		v8_name_function(h, f, names);
}

/* Returns the builtin of which the code at pc is a copy, or NULL if the code is no copy. */
static const struct v8_builtin *copied(struct v8_heap *h, const struct uw_frame *frame)
{
	struct v8_code code;

	return v8_code_find(h, uw_frame_lookup_pc(frame), &code) < 0 ? NULL
								     : v8_code_entry(h, &code);
}

int v8_name_shared(struct v8_heap *h, const struct uw_frame *frame, struct v8_name *names)
{
	const struct v8_builtin *entry = copied(h, frame);

	names[0] = (struct v8_name){ .kind = V8_NAME_STUB, .name = entry ? entry->name : NULL };
	return entry ? 1 : v8_give_reason(names, "code without a function");
}

/*
 * Names a frame in a copy of the interpreter's entry. Returns the number of names, or 0 if pc is in
 * no copy.
 */
static int name_in_copy(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			const char *type_name, struct v8_name *names)
{
	bool is_interrupted = frame == &s->frames[s->n_kernel] && !(frame->flags & UW_FRAME_RA);
	const struct v8_builtin *entry, *caller;

	if (!is_interrupted && strcmp(type_name, "InternalFrame"))
		return 0;
	entry = copied(h, frame);
	if (!entry)
		return 0;
	names[0] = (struct v8_name){ .kind = V8_NAME_STUB, .name = entry->name };
	caller = is_interrupted ? v8_builtin_at(h, s->sp_words[0] - 1) : NULL;
	if (!caller)
		return 1;
	names[1] = (struct v8_name){ .kind = V8_NAME_STUB, .name = caller->name };
	return 2;
}

int v8_name_stub(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		 struct v8_name *names)
{
	const struct v8_builtin *b = v8_builtin_at(h, uw_frame_lookup_pc(frame));
	u64 type = frame->a >> 1;
	const char *type_name =
		!(frame->a & 1) && type < V8_MAX_FRAME_TYPES ? h->build->frame_types[type] : NULL;
	int n = !b && type_name ? name_in_copy(h, s, frame, type_name, names) : 0;

	if (n)
		return n;
	names[0] = (struct v8_name){ .kind = V8_NAME_STUB,
				     .name = b && b->name ? b->name : type_name };
	if (!b && type_name && !strcmp(type_name, "IrregexpFrame"))
		names[0] = (struct v8_name){ .kind = V8_NAME_REGEXP, .name = "RegExp" };
	if (!b && type_name && !strcmp(type_name, "WasmFrame"))
		return v8_wasm_name_frame(h, uw_frame_lookup_pc(frame), s->time_ns, names);
	if (!names[0].name && v8_name_regexp(h, frame, names))
		return 1;
	if (frame->b)
		name_target(h, s, frame, names);
	if (frame->status != UW_OK)
		v8_give_reason(names, v8_status_words(frame->status));
	if (!names[0].name)
		v8_give_reason(names, "unknown frame type");
	return 1;
}
