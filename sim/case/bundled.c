// SPDX-License-Identifier: BSD-2-Clause

#include "bundled.h"

#include "../../fixtures/stacks/all.h"
#include "../../inspect/util/cleanup.h"
#include "stack.h"

#include <errno.h>
#include <string.h>

_Static_assert(STACK_N_GROUPS < 32, "a set of groups is a u32");

/* Finds the group of a stack, and makes @idx the index of the stack in the group. */
static u32 group_at(u32 *idx)
{
	u32 g = 0;

	while (g < STACK_N_GROUPS && *idx >= stack_groups[g].n)
		*idx -= stack_groups[g++].n;
	return g;
}

static const struct stack *stack_at(u32 idx)
{
	u32 g = group_at(&idx);

	return g < STACK_N_GROUPS ? &stack_groups[g].stacks[idx] : NULL;
}

u32 sim_bundled_group(u32 idx)
{
	return 1u << group_at(&idx);
}

const char *sim_bundled_group_name(u32 bit)
{
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		if (bit == 1u << g)
			return stack_groups[g].name;
	return NULL;
}

const char *sim_bundled_name(u32 idx)
{
	const struct stack *stack = stack_at(idx);

	return stack ? stack->name : NULL;
}

static const struct stack *find(const char *path)
{
	const struct stack *stack;
	const char *name = path + strlen(SIM_BUNDLED_PREFIX);

	for (u32 i = 0; (stack = stack_at(i)); i++)
		if (!strcmp(name, stack->name))
			return stack;
	return NULL;
}

static int lay_out(const struct stack *stack, struct sim_case *c)
{
	u64 *pcs = calloc(stack->n_frames + 1, sizeof(*pcs));

	if (!pcs || !c->name) {
		free(pcs);
		return -ENOMEM;
	}
	for (u32 i = 0; i < stack->n_frames; i++)
		pcs[i] = stack->frames[i].pc;
	c->truth = (struct sim_truth){ .pcs = pcs, .n = stack->n_frames };
	c->status = stack->status;
	return sim_stack_target(stack, c->arch == &sim_arch_arm64 ? STACK_ARM64 : STACK_X86_64,
				&c->target);
}

int sim_bundled_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		     struct sim_error *error)
{
	_cleanup_(sim_bundled_free) struct sim_case *c = NULL;
	const struct stack *stack = find(path);
	int err;

	if (!stack)
		return sim_fail(error, -ENOENT, "%s: no such bundled stack", path);
	if (!(stack->archs & (arch == &sim_arch_arm64 ? STACK_ARM64 : STACK_X86_64)))
		return -ENOTSUP;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->arch = arch;
	c->name = strdup(path);
	err = lay_out(stack, c);
	if (err)
		return sim_fail(error, err, "%s: can't build the memory: %s", path, strerror(-err));
	*out = TAKE_PTR(c);
	return 0;
}

void sim_bundled_free(struct sim_case **c)
{
	if (!*c)
		return;
	sim_mem_free(&(*c)->target.mem);
	free((u64 *)(*c)->truth.pcs);
	free((*c)->name);
	free(*c);
	*c = NULL;
}
