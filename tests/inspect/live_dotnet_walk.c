/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The search for methods by the walk itself: its first step (core/dotnet) at the first, middle and
 * last byte of each method that the runtime compiled. The byte after a method must not be found.
 */

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/target/map_list.h"
#include "../../inspect/util/cleanup.h"
#include "live_dotnet.h"

#include "../../core/uw_walk.h"

struct port_world port_world;

/* Reads the mappings and keeps only those of code heaps. */
static int read_mappings(struct live_dotnet *d, struct map_list *l)
{
	_cleanup_free_ struct dotnet_range *v = NULL;
	u32 n = 0, kept = 0;
	int err = dotnet_ranges_get(d->runtime, &v, &n);

	for (u32 i = 0; !err && i < n; i++)
		if (v[i].kind == DOTNET_RANGE_JIT)
			v[kept++] = v[i];
	return err ? err : dotnet_ranges_overlay(v, kept, l);
}

/* The start of the method that the walk finds for @pc; 0: it finds none. */
static u64 start_at(struct uw_state *u, u64 pc)
{
	const struct uw_frame *f = u->sample.frames;

	u->regs = (struct uw_regs){ .pc = pc, .sp = pc & ~7ull };
	u->va_mask = (1ull << 47) - 1;
	u->has_tables = true;
	u->sample.n_frames = 0;
	uw_walk_begin(u);
	uw_step(u);
	return f->kind == UW_DOTNET_METHOD && f->status == UW_OK ? f->a : 0;
}

int live_dotnet_check_walk(struct live_dotnet *d, const struct perf_map *map)
{
	struct uw_state *u = calloc(1, sizeof(*u));
	struct map_list l = {};
	int n = 0, control = 0, failed = 1;

	if (u && !read_mappings(d, &l)) {
		port_world = (struct port_world){ &d->process.target, l.v, l.n, NULL, NULL, NULL };
		for (size_t i = 0; i < map->n; i++) {
			const struct perf_method *m = &map->methods[i];
			u64 end = m->addr + m->len;

			n += start_at(u, m->addr) == m->addr &&
			     start_at(u, m->addr + m->len / 2) == m->addr &&
			     start_at(u, end - 1) == m->addr;
			control += start_at(u, end) == m->addr;
		}
		printf("  the walk finds %d of %zu methods (control: the walk finds %d methods at "
		       "the "
		       "first address after the method)\n",
		       n, map->n, control);
		failed = n != (int)map->n || control;
	}
	free(l.v);
	free(u);
	return failed;
}
