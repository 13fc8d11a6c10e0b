/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Fills the data about a build that core/v8/v8_async.h needs. Builtins are in the file in the order
 * of their ids, and those used here are neighbours in every version. If these builtins are not
 * neighbours, or a name or a type is missing, awaiters are not followed.
 */

#include <stdint.h>
#include <string.h>

#include "v8_async.h"

/* Builtins in the order of their ids in V8 8.4 to 14.6; NULL ends each list. */
static const char *const await_names[] = { "AsyncFunctionAwaitRejectClosure",
					   "AsyncFunctionAwaitResolveClosure", NULL };
static const char *const generate_names[] = { "AsyncGeneratorAwaitResolveClosure",
					      "AsyncGeneratorAwaitRejectClosure",
					      "AsyncGeneratorYield", NULL };
static const char *const element_names[] = { "PromiseAllResolveElementClosure",
					     "PromiseAllSettledResolveElementClosure",
					     "PromiseAllSettledRejectElementClosure",
					     "PromiseAnyRejectElementClosure", NULL };
static const char *const resolve_names[] = { "PromiseCapabilityDefaultResolve", NULL };
static const char *const job_names[] = { "PromiseFulfillReactionJob", "PromiseRejectReactionJob",
					 NULL };
_Static_assert(sizeof(await_names) / sizeof(char *) == V8_AWAIT_IDS + 1,
	       "the core must have an id for each name");
_Static_assert(sizeof(generate_names) / sizeof(char *) == V8_GENERATE_IDS + 1, "likewise");
_Static_assert(sizeof(element_names) / sizeof(char *) == V8_ELEMENT_IDS + 1, "likewise");

/*
 * Does the builtin have the name? Since V8 11, the names of yield's builtins have the suffix
 * "WithAwait".
 */
static bool has_name(const struct v8_builtin *b, const char *name)
{
	return b->name && !strncmp(b->name, name, strlen(name)) &&
	       (!b->name[strlen(name)] || !strcmp(name, "AsyncGeneratorYield"));
}

/*
 * Returns the id of the first of @names, which must be neighbouring builtins, or 0 if one is
 * missing.
 */
static u16 find_ids(const struct v8_build *b, const char *const *names)
{
	size_t i = 0, n = 0;

	while (i < b->n_builtins && !has_name(&b->builtins[i], names[0]))
		i++;
	while (names[n] && i + n < b->n_builtins && has_name(&b->builtins[i + n], names[n]))
		n++;
	return names[n] || i > UINT16_MAX ? 0 : (u16)i;
}

static const char *fill(struct v8_async *a, const struct v8_build *b)
{
	const struct v8_layout *l = &b->layout;
	const struct v8_builtin *fulfill, *reject;
	u16 job;

	*a = (struct v8_async){
		.map_type_off = l->map_instance_type,
		.types = { [V8_ASYNC_SHARED] = l->type_sfi,
			   [V8_ASYNC_PROMISE] = l->type_promise,
			   [V8_ASYNC_REACTION] = l->type_reaction,
			   [V8_ASYNC_CAPABILITY] = l->type_capability,
			   [V8_ASYNC_FUNCTION] = l->type_async_function,
			   [V8_ASYNC_GENERATOR] = l->type_async_generator,
			   [V8_ASYNC_REQUEST] = l->type_request },
		.context_off = l->function_context,
		.id_off = l->sfi_builtin,
		.fulfill_off = l->reaction_handler,
		.await_id = find_ids(b, await_names),
		.generate_id = find_ids(b, generate_names),
		.element_id = find_ids(b, element_names),
		.resolve_id = find_ids(b, resolve_names),
	};
	if (l->async_form != V8_ASYNC_8_3)
		return "the layout of V8's promises and generators is unknown";
	job = find_ids(b, job_names);
	if (!job)
		return "V8's builtins have no symbols";
	if (!a->await_id || !a->generate_id || !a->element_id || !a->resolve_id)
		return "V8 lacks builtins that settle promises";
	for (int i = 0; i < V8_ASYNC_N_TYPES; i++)
		if (!a->types[i])
			return "V8's metadata lacks types of objects";
	if (!a->context_off)
		return "V8's metadata lacks the offset of a function's context";
	fulfill = &b->builtins[job];
	reject = fulfill + 1;
	if (b->blob_off + reject->blob_off + reject->len > UINT32_MAX)
		return "V8's file is too large";
	a->job_off = (u32)b->blob_off + fulfill->blob_off;
	a->job_len = reject->blob_off + reject->len - fulfill->blob_off;
	return NULL;
}

const char *v8_async_fill(struct v8_async *a, const struct v8_build *b)
{
	const char *why = fill(a, b);

	if (why)
		*a = (struct v8_async){ 0 };
	return why;
}

const char *v8_async_name(const struct v8_async *a, u32 id)
{
	static const char *const names[V8_ELEMENT_IDS] = { "Promise.all", "Promise.allSettled",
							   "Promise.allSettled", "Promise.any" };

	return id - a->element_id < V8_ELEMENT_IDS ? names[id - a->element_id] : NULL;
}
