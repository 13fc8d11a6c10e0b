// SPDX-License-Identifier: BSD-2-Clause

/*
 * The kernel reports an exec shortly before it increments the exec id (begin_new_exec(), v5.10 to
 * v6.18: first the comm record, then self_exec_id):
 *
 *	   old image     |    exec    :       |    new image
 *	            comm record    self_exec_id + 1
 *	                 ^ exec_ns
 *
 * A sample between these two moments has the time of the new image and the exec id of the old
 * image. Therefore the exec id is taken from a sample in user mode, because a process does not
 * return to user mode before its exec is complete.
 */

#include "ownership.h"

#include "../symbols/module.h"

static void learn_exec_id(struct image *im, u64 exec_id)
{
	im->exec_id = exec_id;
	/* The exec id in the BPF tables may be from a sample that was taken during the exec. */
	tables_set_exec_id(im->all->tables, im->process->pid, exec_id);
}

bool image_owns(struct image *im, const struct uw_sample *sample)
{
	if (sample->time_ns < im->process->exec_ns)
		return false; /* a late sample of the previous image */
	if (im->exec_id == UW_EXEC_UNKNOWN && !(sample->flags & UW_SAMPLE_IN_KERNEL))
		learn_exec_id(im, sample->exec_id);
	if (im->exec_id != UW_EXEC_UNKNOWN && im->exec_id != sample->exec_id)
		return false;
	return !sample->proc_gen || (im->first_gen && (s32)(sample->proc_gen - im->first_gen) >= 0);
}

/*
 * If the walk used a stale mapping for a frame, returns the mapping that is now at the frame's pc;
 * NULL: the walk used the right mapping.
 */
static const struct mapping *stale_by(const struct process *p, const struct uw_frame *f)
{
	const struct mapping *m;

	if (f->kind != UW_NATIVE || !f->aux)
		return NULL;
	m = mappings_find(p->maps, uw_frame_lookup_pc(f));
	if (!m || !m->module || m->module == MODULE_NONE ||
	    (m->module == f->aux && f->pc - m->start_addr + m->file_off == f->a))
		return NULL;
	return m;
}

void sample_disown_stale(const struct process *p, struct uw_sample *sample)
{
	for (u32 i = sample->n_kernel; i < sample->n_frames; i++) {
		struct uw_frame *f = &sample->frames[i];
		const struct mapping *m = stale_by(p, f);

		if (!m)
			continue;
		f->aux = 0;
		if (m->seen_ns <= sample->time_ns)
			f->kind = UW_UNKNOWN;
		f->status = UW_OK;
		sample->n_frames = i + 1;
		sample->status = UW_T_STALE_TABLES;
	}
}

void sample_disown(struct uw_sample *sample)
{
	sample->status = UW_T_STALE_TABLES;
	for (u32 i = sample->n_kernel; i < sample->n_frames; i++) {
		sample->frames[i].kind = UW_UNKNOWN;
		sample->frames[i].status = UW_OK;
	}
}
