// SPDX-License-Identifier: BSD-2-Clause

/*
 * The recorded walk is converted to the form of an engine's walk. Therefore the functions for
 * comparing engines can also compare the recorded walk and describe the differences.
 */

#include "repeat.h"

#include "../../inspect/case/case.h"
#include "../engine/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lay_out(const struct case_file *f, const struct uw_sample *replayed,
		    struct sim_walk *out)
{
	struct uw_sample *s = &out->state.sample;

	s->n_frames = (u16)f->walk->n_frames;
	s->status = f->walk->status;
	s->fault_addr = f->walk->fault_addr;
	s->n_reads = (u16)f->n_reads;
	s->n_kernel = replayed->n_kernel;
	s->flags = replayed->flags; /* the next fields are not recorded */
	memcpy(s->saved, replayed->saved, sizeof(s->saved));
	memcpy(s->frames, f->walk->frames, f->walk->n_frames * sizeof(struct uw_frame));
	for (u32 i = 0; i < f->n_reads && i < SIM_MAX_READS; i++)
		out->reads[i] = (struct sim_read){ f->reads[i].addr, f->reads[i].len,
						   f->reads[i].is_fault ? SIM_FAULT : 0 };
	out->log = (struct sim_read_log){ out->reads, SIM_MAX_READS, f->n_reads };
}

int sim_repeat_differs(const struct sim_case *c, const struct sim_walk *walk, char *words,
		       size_t len)
{
	struct sim_difference d;
	struct sim_walk *recorded;
	char text[384];
	bool differs;

	if (!c->recorded || !c->recorded->walk)
		return 0;
	recorded = calloc(1, sizeof(*recorded));
	if (!recorded)
		return -ENOMEM;
	lay_out(c->recorded, &walk->state.sample, recorded);
	differs = !sim_walk_compare(recorded, walk, &d);
	if (differs) {
		sim_difference_words(&d, recorded, walk, text, sizeof(text));
		snprintf(words, len, "%llu bytes differ from the recorded walk: %s", d.n_bytes,
			 text);
	}
	free(recorded);
	return differs;
}
