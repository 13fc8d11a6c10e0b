// SPDX-License-Identifier: BSD-2-Clause

/*
 * Handles a sample early, before its frames are named: adds the tables and rows that the walk
 * lacked, so that later walks have them.
 */

#include <errno.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/clock.h"
#include "../rows/confirm.h"
#include "../rows/prefetch.h"
#include "session_state.h"

#define REFRESH_NS (100 * MSEC) /* minimum time between two reads of /proc for one process */
#define EARLY_READ_NS (50 * MSEC) /* CPU time for reading the target for one sample */
#define PREFETCH_NS (50 * MSEC) /* minimum time between two prefetches for one process */

/* Reads /proc again for a process whose tables are incomplete, at most once in REFRESH_NS. */
static void refresh(struct session *s, struct process *p, struct image *im)
{
	int err = 0;

	if (p->exit_ns || p->is_kernel_thread)
		return;
	if (im->refreshed_ns && s->tick_ns - im->refreshed_ns < REFRESH_NS)
		return;
	im->refreshed_ns = s->tick_ns;
	if (p->loaded_ns < s->tick_ns)
		err = process_load(p);
	if (err == -EAGAIN || err == -ESTALE) /* /proc is read again soon; until then, the mappings
					       * are known from events */
		im->refreshed_ns -= REFRESH_NS - SESSION_TICK_MS * MSEC;
	session_mark_changed(s, im);
}

/*
 * Reads /proc early, while the process is alive. When the frames of the sample are named later,
 * the process may have ended or executed another program.
 */
static void read_process(struct session *s, const struct uw_sample *sample)
{
	struct process *p = processes_find(s->processes, sample->pid, sample->start_ns);
	struct image *im = p ? session_image_of(s, p) : NULL;
	struct budget b;
	bool has_new;

	if (!im)
		return;
	metadata_writer_must_wait(p, im, s->tick_ns);
	image_begin_reading(im, &b, EARLY_READ_NS);
	has_new = image_learn(im, sample);
	image_end_reading(im, &b);
	if (has_new || sample->status == UW_T_UNKNOWN_PROCESS ||
	    sample->status == UW_T_UNKNOWN_PC || sample->flags & UW_SAMPLE_BY_FILE)
		refresh(s, p, im);
}

/* Prefetches rows for the callers of a frame that has no rows, because they probably have none. */
static void prefetch_more(struct session *s, const struct uw_sample *sample)
{
	struct process *p = processes_find(s->processes, sample->pid, sample->start_ns);
	struct image *im = p ? p->priv : NULL;
	struct budget b;

	if (!im || p->exit_ns || s->tick_ns - im->prefetched_ns < PREFETCH_NS)
		return;
	im->prefetched_ns = s->tick_ns;
	image_begin_reading(im, &b, EARLY_READ_NS);
	prefetch_stack(s->rows, p, sample->sp);
	image_end_reading(im, &b);
}

static void miss(struct session *s, const struct uw_sample *sample, const struct uw_frame *f)
{
	const struct process *p = processes_find(s->processes, sample->pid, sample->start_ns);
	u64 off = f->a - (f->pc - uw_frame_lookup_pc(f));

	if (f->kind == UW_NATIVE || f->kind == UW_DOTNET_R2R)
		row_filler_miss(s->rows, f->aux, (u32)(off / UW_ROW_PAGE_LEN));
	else if (p)
		prefetch_missed(s->rows, p, uw_frame_lookup_pc(f));
}

/*
 * Requests the rows of the leaf's caller, which confirm_guesses() needs if the leaf has no frame
 * record.
 */
static void miss_caller(struct session *s, const struct uw_sample *sample, u64 ra)
{
	struct process *p = processes_find(s->processes, sample->pid, sample->start_ns);
	const struct image *im = p ? p->priv : NULL;
	const struct uw_mapping *m = im ? confirm_mapping(im->maps, im->n_maps, ra) : NULL;
	u64 off = m ? ra - 1 - m->start_addr + m->file_off : 0;

	if (m && off < UW_MAX_ROW_OFF)
		row_filler_miss(s->rows, m->module, (u32)(off / UW_ROW_PAGE_LEN));
}

static void miss_callers(struct session *s, const struct uw_sample *sample)
{
	if (!(sample->frames[sample->n_kernel].flags & UW_FRAME_NO_ROWS))
		return;
	for (u32 i = 0; i < ARRAY_SIZE(sample->sp_words); i++)
		miss_caller(s, sample, sample->sp_words[i]);
	miss_caller(s, sample, sample->lr);
}

/* Requests the rows that the walk did not find. */
static void take_misses(struct session *s, const struct uw_sample *sample)
{
	bool missed = false;

	for (u32 i = sample->n_kernel; i < sample->n_frames; i++) {
		const struct uw_frame *f = &sample->frames[i];

		if (f->flags & UW_FRAME_NO_ROWS)
			miss(s, sample, f);
		missed |= f->flags & UW_FRAME_NO_ROWS;
	}
	if (!missed)
		return;
	miss_callers(s, sample);
	prefetch_more(s, sample);
}

void session_handle_early(struct session *s, u64 deadline_ns)
{
	for (u32 i = pending_before(&s->pending, s->early_ns); i < s->pending.n; i++) {
		read_process(s, s->pending.v[i]);
		take_misses(s, s->pending.v[i]);
		s->early_ns = s->pending.v[i]->time_ns + 1;
		if (monotonic_ns() >= deadline_ns)
			break;
	}
}
