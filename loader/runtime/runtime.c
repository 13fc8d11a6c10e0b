// SPDX-License-Identifier: BSD-2-Clause

#include "runtime.h"

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "../profile/kinds.h"

int runtime_build_new(struct runtime_build **b, const struct runtime_ops *ops, struct elf_file *elf,
		      u32 wants)
{
	int err = -ENOMEM;

	*b = calloc(1, sizeof(**b));
	if (*b) {
		**b = (struct runtime_build){ .ops = ops, .wants = wants };
		err = ops->detect(*b, elf);
	}
	if (err && err != -ENOTSUP)
		free(TAKE_PTR(*b));
	return err;
}

void runtime_build_free(struct runtime_build **b)
{
	if (*b)
		(*b)->ops->free_build(*b);
	free(TAKE_PTR(*b));
}

int runtime_open(struct runtime **rt, struct runtime_build *b, const struct runtime_home *home)
{
	if (b->ops->needs_bias && !home->has_bias)
		return -ENOENT; /* this mapping is of another part of the file */
	*rt = calloc(1, b->ops->len);
	if (!*rt)
		return -ENOMEM;
	**rt = (struct runtime){ .ops = b->ops, .build = b, .home = *home };
	return 0;
}

void runtime_free(struct runtime **rt)
{
	if (*rt && (*rt)->ops->close)
		(*rt)->ops->close(*rt);
	free(TAKE_PTR(*rt));
}

const char *runtime_reason(const struct uw_frame *f)
{
	return f->status == UW_OK ? NULL : prof_reason_words(f->status);
}

struct prof_frame runtime_unnamed(const struct runtime_ops *ops, const struct uw_frame *f,
				  const char *why)
{
	return (struct prof_frame){ .kind = ops->stubs >> f->kind & 1 ? PROF_STUB : ops->kind,
				    .async = f->flags & UW_FRAME_ASYNC,
				    .guess = f->flags & UW_FRAME_GUESS,
				    .off = f->pc,
				    .has_off = true,
				    .start_off = f->kind == UW_DOTNET_METHOD ? f->a : 0,
				    .reason = why };
}
