// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-stacks [NAME]: walks the bundled stacks of both architectures with the
 * natively built core and prints what it finds. Needs no kernel and no rights.
 */

#include "stack.h"

#include "../fixtures/stacks/all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_frame(const struct uw_frame *f, u32 i)
{
	printf("  #%-3u %#14llx  %-8s", i, f->pc, sim_kind_words(f->kind));
	if (f->kind == UW_NATIVE)
		printf("  module %u + %#llx", f->aux, f->a);
	else if (f->kind == UW_V8_STUB)
		printf("  frame type %llu", f->a >> 1);
	else if (f->kind == UW_V8_JS && !f->status)
		printf("  SharedFunctionInfo %#llx", f->a);
	if (f->kind == UW_V8_JS && f->b && !(f->b & 0xffffffff))
		printf(", bytecode offset %llu", f->b >> 32);
	if (f->status)
		printf("  (%s)", sim_status_words(f->status));
	printf("%s\n", f->flags & UW_FRAME_GUESS ? "  guess" : "");
}

static int walk_and_print(const struct stack *stack, const struct sim_arch *arch, u32 arch_bit)
{
	static struct uw_state u;
	struct sim_target target;
	int err = sim_stack_target(stack, arch_bit, &target);

	if (err) {
		fprintf(stderr, "%s: %s\n", stack->name, strerror(-err));
		return err;
	}
	arch->walk(&u, &target);
	printf("%s %s: %s, %u reads\n", arch->name, stack->name, sim_status_words(u.sample.status),
	       u.sample.n_reads);
	for (u32 i = 0; i < u.sample.n_frames; i++)
		print_frame(&u.sample.frames[i], i);
	sim_mem_free(&target.mem);
	return 0;
}

static int walk_group(const struct stack_group *group, const struct sim_arch *arch, u32 arch_bit,
		      const char *only, u32 *n_walked)
{
	int err = 0;

	for (u32 i = 0; i < group->n && !err; i++) {
		const struct stack *stack = &group->stacks[i];

		if (!(stack->archs & arch_bit) || (only && strcmp(only, stack->name)))
			continue;
		err = walk_and_print(stack, arch, arch_bit);
		(*n_walked)++;
	}
	return err;
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	u32 n_walked = 0;
	int err = 0;

	for (u32 i = 0; i < STACK_N_GROUPS && !err; i++) {
		err = walk_group(&stack_groups[i], &sim_arch_x86_64, STACK_X86_64, only, &n_walked);
		if (!err)
			err = walk_group(&stack_groups[i], &sim_arch_arm64, STACK_ARM64, only,
					 &n_walked);
	}
	if (err)
		return 1;
	if (!n_walked) {
		fprintf(stderr, "unspool-stacks: no bundled stack is called \"%s\"\n", only);
		return 2;
	}
	return 0;
}
