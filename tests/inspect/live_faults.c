/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "live_node.h"

struct faulty {
	struct target target, *inner;
	int every, n;
};

static int faulty_read(struct target *t, u64 addr, void *dst, size_t len)
{
	struct faulty *f = (struct faulty *)t;

	return ++f->n % f->every ? target_read(f->inner, addr, dst, len) : -EFAULT;
}

/* Is the result with failing reads equal to the result without faults, except for missing parts? */
static bool is_part(const struct v8_name *found, int n, const struct v8_name *whole, int n_whole)
{
	for (int i = 0; i < n; i++) {
		bool known = !found[i].name && found[i].reason;

		for (int j = 0; j < n_whole && !known; j++)
			known = found[i].name && whole[j].name &&
				!strcmp(found[i].name, whole[j].name) &&
				(!found[i].line || found[i].line == whole[j].line);
		if (!known)
			return false;
	}
	return n > 0;
}

int live_sweep_failing_reads(struct live_node *node, int *n_stacks, int *n_made_up)
{
	struct v8_name whole[V8_MAX_NAMES], found[V8_MAX_NAMES];
	const struct uw_sample *s = &node->walk.sample;
	struct faulty faulty = { { faulty_read }, &node->process.target, 1, 0 };
	struct v8_heap *heap;
	int r = 0;

	for (; faulty.every < 120 && !r; faulty.every += 7) {
		r = v8_heap_new(&heap, node->build, &faulty.target);
		if (!r)
			r = live_node_set_regions(node, heap);
		for (u32 i = 0; !r && i < s->n_frames; i++) {
			int n, n_whole;

			if (s->frames[i].kind < UW_V8_STUB)
				continue;
			n_whole = v8_heap_name(node->heap, s, i, whole);
			n = v8_heap_name(heap, s, i, found);
			if (n_whole > 0 && !is_part(found, n, whole, n_whole))
				*n_made_up += 1;
		}
		*n_stacks += 1;
		v8_heap_free(&heap);
	}
	return r;
}
