// SPDX-License-Identifier: BSD-2-Clause

/*
 * Of the methods on the stack that are in the walk's table of async methods, the walk takes the one
 * nearest to the leaf. This choice is right only if the task that the walk found belongs to this
 * method, and if no other async method is nearer to the leaf. (A nearer one can exist that has not
 * awaited anything yet, because the callers of such a method are still on the stack.)
 *
 * If the walk did not know the type of an object, the type is looked up, and so are the types of
 * the objects that follow in the chain of awaiters, as long as the objects exist. Memory of freed
 * objects may contain anything, so nothing about single objects is stored, only facts that are true
 * for all objects of a type.
 */

#include "awaits.h"

#include <errno.h>
#include <stdlib.h>

#include "../../bpf/tables.h"

#define N_ROLES 1024 /* a power of two */
#define MAX_AHEAD 16

struct awaits {
	struct dotnet_runtime *rt;
	struct target *memory;
	const struct runtime_host *host;
	struct {
		u64 key; /* the key of struct dotnet_await; 0: the entry is empty */
		u8 role; /* enum dotnet_await_role */
	} roles[N_ROLES]; /* indexed by a hash of the key; a new entry replaces an old one */
	struct dotnet_name name;
};

int awaits_new(struct awaits **awaits, struct dotnet_runtime *rt, struct target *memory,
	       const struct runtime_host *host)
{
	struct awaits *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->rt = rt;
	a->memory = memory;
	a->host = host;
	*awaits = a;
	return 0;
}

void awaits_free(struct awaits **a)
{
	free(*a);
	*a = NULL;
}

static struct dotnet_await entry_of(const struct uw_sample *s, u64 key)
{
	return (struct dotnet_await){
		.process_key = uw_image_number(s->pid, s->start_ns, s->exec_id), .key = key
	};
}

/*
 * The key of a frame's method, as in struct dotnet_await. For a frame in precompiled code, the key
 * is the pc, because the walk does not know the start of the method.
 */
static u64 key_of(const struct uw_frame *f)
{
	return f->kind == UW_DOTNET_METHOD ? f->a : uw_frame_lookup_pc(f);
}

/* Finds the code of a frame's method, and writes the method's name to a->name. */
static int identify(struct awaits *a, const struct uw_frame *f, struct dotnet_code *code)
{
	int err = dotnet_code_find(a->rt, key_of(f), code);

	if (!err && f->kind == UW_DOTNET_METHOD && code->method_desc != f->b)
		err = -ENOENT; /* the memory contains another method now */
	return err ? err : dotnet_name_get(a->rt, code, &a->name);
}

static enum dotnet_await_role ask(struct awaits *a, const struct uw_frame *f,
				  struct dotnet_await *e)
{
	enum dotnet_await_role role = DOTNET_AWAIT_NONE;
	struct dotnet_code code;

	if (identify(a, f, &code) || dotnet_await_method(a->rt, &code, &a->name, &role, e))
		return role;
	if (f->kind == UW_DOTNET_R2R) {
		if (f->pc - code.start_addr < e->from)
			return role;
		e->from = 0;
	}
	a->host->await(a->host->data, e);
	return role;
}

static enum dotnet_await_role role_of(struct awaits *a, const struct uw_sample *s,
				      const struct uw_frame *f)
{
	u64 key = key_of(f);
	u64 at = (key * 0x9e3779b97f4a7c15ull) >> 32 & (N_ROLES - 1);
	struct dotnet_await e = entry_of(s, key);

	if (f->status != UW_OK || (f->kind != UW_DOTNET_METHOD && f->kind != UW_DOTNET_R2R))
		return DOTNET_AWAIT_NONE;
	if (a->roles[at].key != key) {
		a->roles[at].role = (u8)ask(a, f, &e);
		a->roles[at].key = key;
	}
	return a->roles[at].role;
}

static void learn_types(struct awaits *a, const struct uw_sample *s, u64 type, u64 at)
{
	struct dotnet_awaiter awaiter;

	for (u32 n = 0; n < MAX_AHEAD && !dotnet_await_type(a->rt, type, &awaiter); n++) {
		struct dotnet_await e = entry_of(s, type);

		e.off = awaiter.off;
		a->host->await(a->host->data, &e);
		if (!e.off || target_read(a->memory, at + (u64)(s64)e.off, &at, sizeof(at)) ||
		    !at || target_read(a->memory, at, &type, sizeof(type)))
			return;
	}
}

void awaits_learn(struct awaits *a, const struct uw_sample *s)
{
	for (u32 i = s->n_kernel; i < s->n_frames; i++) {
		const struct uw_frame *f = &s->frames[i];

		if (f->kind == UW_DOTNET_AWAITER && f->status == UW_F_AWAITER_TYPE)
			learn_types(a, s, f->a, f->b);
		else
			role_of(a, s, f);
	}
}

bool awaits_are_its(struct awaits *a, const struct uw_sample *s, u32 i, const char **why)
{
	struct dotnet_awaiter own;
	struct dotnet_code code;

	*why = NULL;
	for (u32 k = s->n_kernel; k + 1 < i; k++) {
		enum dotnet_await_role role = role_of(a, s, &s->frames[k]);

		if (role == DOTNET_AWAIT_RESUMES)
			return false;
		if (role == DOTNET_AWAIT_MACHINE && !(s->frames[k].flags & UW_FRAME_FIRST_RUN)) {
			*why = "inner async method unknown";
			return false;
		}
	}
	if (dotnet_await_type(a->rt, s->frames[i].a, &own) || !own.machine ||
	    identify(a, &s->frames[i - 1], &code) ||
	    !dotnet_await_is(a->rt, &code, &a->name, own.machine)) {
		*why = "async task not found";
		return false;
	}
	return true;
}
