// SPDX-License-Identifier: BSD-2-Clause

/*
 * The walk takes the first method from the leaf on that it was told of. That is the right one only
 * if no other async method is nearer to the leaf, unless it has not awaited anything yet, and
 * is called by what is on the stack; and if the task that was found is one of that very method.
 */

#include "awaits.h"

static struct dotnet_code code_of(const struct uw_frame *f)
{
	return (struct dotnet_code){
		.kind = DOTNET_METHOD, .start_addr = f->a, .method_desc = f->b
	};
}

static bool find_code(struct dotnet_runtime *rt, const struct uw_frame *f, struct dotnet_code *code)
{
	*code = code_of(f);
	return f->kind == UW_DOTNET_METHOD || !dotnet_code_find(rt, uw_frame_lookup_pc(f), code);
}

/* @e: of what the walk has to know, @of is set. */
static enum dotnet_await_role ask(struct awaits *a, struct dotnet_runtime *rt, struct tables *t,
				  const struct uw_frame *f, struct dotnet_await *e)
{
	enum dotnet_await_role role = DOTNET_AWAIT_NONE;
	struct dotnet_code code;

	if (find_code(rt, f, &code) && !dotnet_name_get(rt, &code, &a->name) &&
	    !dotnet_await_method(rt, &code, &a->name, &role, e))
		tables_add_await(t, e);
	return role;
}

static enum dotnet_await_role role_of(struct awaits *a, struct dotnet_runtime *rt, struct tables *t,
				      const struct uw_sample *s, const struct uw_frame *f)
{
	u64 key = f->kind == UW_DOTNET_METHOD ? f->a : uw_frame_lookup_pc(f);
	u64 at = (key * 0x9e3779b97f4a7c15ull) >> 54;
	struct dotnet_await e = { .of = uw_image_number(s->pid, s->start_ns, s->exec_id),
				  .key = key };

	_Static_assert(AWAITS_ROLES == 1 << 10, "the hash has 10 bits");
	if (f->status != UW_OK || (f->kind != UW_DOTNET_METHOD && f->kind != UW_DOTNET_R2R))
		return DOTNET_AWAIT_NONE;
	if (a->roles[at].key != key) {
		a->roles[at].role = (u8)ask(a, rt, t, f, &e);
		a->roles[at].key = key;
	}
	return a->roles[at].role;
}

static void learn_type(struct dotnet_runtime *rt, struct tables *t, const struct uw_sample *s,
		       u64 type)
{
	struct dotnet_await e = { .of = uw_image_number(s->pid, s->start_ns, s->exec_id),
				  .key = type };
	struct dotnet_awaiter awaiter;

	if (dotnet_await_type(rt, type, &awaiter))
		return;
	e.off = awaiter.off;
	tables_add_await(t, &e);
}

void awaits_learn(struct awaits *a, struct dotnet_runtime *rt, struct tables *t,
		  const struct uw_sample *s)
{
	for (u32 i = s->n_kernel; i < s->n_frames; i++) {
		const struct uw_frame *f = &s->frames[i];

		if (f->kind == UW_DOTNET_AWAITER && f->status == UW_F_AWAITER_TYPE)
			learn_type(rt, t, s, f->a);
		else
			role_of(a, rt, t, s, f);
	}
}

const char *awaits_doubt(struct awaits *a, struct dotnet_runtime *rt, struct tables *t,
			 const struct uw_sample *s, u32 i)
{
	struct dotnet_awaiter own;
	struct dotnet_code code;

	for (u32 k = s->n_kernel; k + 1 < i; k++) {
		enum dotnet_await_role role = role_of(a, rt, t, s, &s->frames[k]);

		if (role == DOTNET_AWAIT_RESUMES ||
		    (role == DOTNET_AWAIT_MACHINE && !(s->frames[k].flags & UW_FRAME_FIRST_RUN)))
			return "an async method nearer to the leaf was not known yet";
	}
	code = code_of(&s->frames[i - 1]);
	if (dotnet_await_type(rt, s->frames[i].a, &own) || !own.machine ||
	    !dotnet_await_is(rt, &code, own.machine))
		return "its task is not where it was expected";
	return NULL;
}
