// SPDX-License-Identifier: BSD-2-Clause

#include "run.h"

#include "../../fixtures/stacks/all.h"
#include "../../inspect/util/cleanup.h"
#include "../stack.h"

#include <errno.h>
#include <string.h>

static int run_one(const struct stack *stack, const struct sim_arch *arch,
		   int (*fn)(struct sim_runner *r, const struct sim_case *c), struct sim_runner *r)
{
	_cleanup_free_ u64 *pcs = calloc(stack->n_frames + 1, sizeof(*pcs));
	_cleanup_free_ char *name = NULL;
	struct sim_case c = { .arch = arch, .status = stack->status };
	int err;

	if (asprintf(&name, "stack:%s", stack->name) < 0)
		name = NULL;
	if (!pcs || !name)
		return -ENOMEM;
	for (u32 i = 0; i < stack->n_frames; i++)
		pcs[i] = stack->frames[i].pc;
	c.name = name;
	c.truth = (struct sim_truth){ pcs, stack->n_frames };
	err = sim_stack_target(stack, arch == &sim_arch_arm64 ? STACK_ARM64 : STACK_X86_64,
			       &c.target);
	if (err)
		return err;
	err = fn(r, &c);
	sim_mem_free(&c.target.mem);
	return err;
}

int sim_bundled_each(const char *name, const struct sim_arch *arch,
		     int (*fn)(struct sim_runner *r, const struct sim_case *c),
		     struct sim_runner *r, u32 *n)
{
	u32 arch_bit = arch == &sim_arch_arm64 ? STACK_ARM64 : STACK_X86_64;
	int err = 0;

	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n && !err; i++) {
			const struct stack *stack = &stack_groups[g].stacks[i];

			if (!(stack->archs & arch_bit) ||
			    (strcmp(name, "all") != 0 && strcmp(name, stack->name) != 0))
				continue;
			err = run_one(stack, arch, fn, r);
			++*n;
		}
	return err;
}
