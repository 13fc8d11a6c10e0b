/* SPDX-License-Identifier: BSD-2-Clause */
#include "data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/arena.h"
#include "data_summary.h"

/* Limit of the size of each of the five tables, and of all strings and stacks together. */
#define TABLE_LIMIT (64u << 20)
#define ARENA_LIMIT (512u << 20)

/* State that is needed only while the lines are read. */
struct data_build {
	struct arena arena;
	struct intern frame_ids, stack_ids; /* id -> index */
	struct intern pids, tids; /* pid, and (pid, tid) -> index in the arrays below */
	struct intern cells; /* struct data_cell */
	struct current_process {
		u32 idx;
		bool has_samples;
	} * current_process;
	u32 *current_thread;
	bool has_summary, lists_samples;
	struct data_span span;
};

struct thread_key {
	u32 pid, tid;
};

static int too_large(struct prof_reader *r)
{
	return prof_reader_fail(r, "the profile is too large for memory");
}

/* Makes room for element @n of an array whose capacity is @n rounded up to a power of two. */
static bool make_room(void *array, u32 n, size_t size)
{
	void **a = array;
	void *bigger;

	if (n & (n - 1) || n == 1u << 31)
		return n & (n - 1);
	bigger = reallocarray(*a, n ? n * 2ul : 1, size);
	if (!bigger)
		return false;
	*a = bigger;
	return true;
}

/* Replaces *@s, which may be NULL, by a copy. */
static bool keep(struct data_build *b, const char **s)
{
	if (!*s)
		return true;
	*s = arena_dup(&b->arena, *s, strlen(*s) + 1);
	return *s != NULL;
}

static int add_process(struct prof_data *d, const struct prof_process *process)
{
	struct data_process p = { .process = *process };
	struct data_build *b = d->build;
	u32 at;
	int r = intern_add(&b->pids, &p.process.pid, sizeof(p.process.pid), &at);

	if (r < 0)
		return r;
	if (!make_room(&d->processes, d->n_processes, sizeof(p)) ||
	    (r == 1 && !make_room(&b->current_process, at, sizeof(*b->current_process))))
		return -ENOMEM;
	if (!keep(b, &p.process.name) || !keep(b, &p.process.exe) || !keep(b, &p.process.runtime) ||
	    !keep(b, &p.process.cgroup) || !keep(b, &p.process.container))
		return -ENOMEM;
	if (r == 1)
		b->current_process[at].has_samples = false;
	b->current_process[at].idx = d->n_processes;
	d->processes[d->n_processes++] = p;
	return 0;
}

static int on_process(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	return add_process(d, &rec->process) < 0 ? too_large(r) : 0;
}

static int on_thread(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	struct thread_key key = { rec->thread.pid, rec->thread.tid };
	struct data_build *b = d->build;
	const char *name = rec->thread.name;
	u32 at;
	int added = intern_add(&b->tids, &key, sizeof(key), &at);

	if (added < 0 || !make_room(&d->threads, d->n_threads, sizeof(*d->threads)) ||
	    (added == 1 && !make_room(&b->current_thread, at, sizeof(u32))) || !keep(b, &name))
		return too_large(r);
	b->current_thread[at] = d->n_threads;
	d->threads[d->n_threads++] = name;
	return 0;
}

static int on_frame(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	struct prof_frame f = rec->frame.frame;
	struct data_build *b = d->build;
	u32 idx;
	int added = intern_add(&b->frame_ids, &rec->frame.id, sizeof(rec->frame.id), &idx);

	if (added == 0)
		return prof_reader_fail(r, "an earlier frame has the same id");
	if (added < 0 || !make_room(&d->frames, idx, sizeof(f)) || !keep(b, &f.name) ||
	    !keep(b, &f.file) || !keep(b, &f.module) || !keep(b, &f.build_id) ||
	    !keep(b, &f.tier) || !keep(b, &f.reason) || !keep(b, &f.generated_file))
		return too_large(r);
	d->frames[d->n_frames++] = f;
	return 0;
}

static int on_stack(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	struct data_stack s = { .n_frames = rec->stack.n_frames,
				.status = rec->stack.status,
				.reason = rec->stack.reason };
	struct data_build *b = d->build;
	u32 frames[PROF_MAX_FRAMES], idx;
	int added = intern_add(&b->stack_ids, &rec->stack.id, sizeof(rec->stack.id), &idx);

	if (added == 0)
		return prof_reader_fail(r, "an earlier stack has the same id");
	for (u32 i = 0; i < s.n_frames; i++) {
		u32 id = prof_record_frame(rec, i);

		if (intern_find(&b->frame_ids, &id, sizeof(id), &frames[i]) < 0)
			return prof_reader_fail(r, "the stack has the id of an unknown frame");
	}
	s.frames = arena_dup(&b->arena, frames, s.n_frames * sizeof(*frames));
	if (added < 0 || !s.frames || !make_room(&d->stacks, idx, sizeof(s)) || !keep(b, &s.reason))
		return too_large(r);
	if (s.status != PROF_COMPLETE && !s.reason)
		s.reason = "no reason given";
	d->stacks[d->n_stacks++] = s;
	return 0;
}

/*
 * Finds the process entry of a sample. A pid without a process line gets an entry without a
 * name.
 */
static int process_of(struct prof_data *d, u32 pid, u32 *idx)
{
	struct data_build *b = d->build;
	u32 at;

	if (intern_find(&b->pids, &pid, sizeof(pid), &at) < 0) {
		int err = add_process(d, &(struct prof_process){ .pid = pid });

		if (err < 0)
			return err;
		at = b->pids.n - 1;
	}
	d->n_pids += !b->current_process[at].has_samples;
	b->current_process[at].has_samples = true;
	*idx = b->current_process[at].idx;
	return 0;
}

static int on_samples(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	struct thread_key key = { rec->samples.pid, rec->samples.tid };
	struct data_build *b = d->build;
	struct data_cell cell = { .thread = DATA_NONE, .tid = key.tid };
	u64 n = prof_record_count(rec, b->span.since_us, b->span.until_us);
	u32 at, id = rec->samples.stack;

	if (intern_find(&b->stack_ids, &id, sizeof(id), &cell.stack) < 0)
		return prof_reader_fail(r, "the samples have the id of an unknown stack");
	if (!n)
		return 0;
	if (process_of(d, key.pid, &cell.process) < 0)
		return too_large(r);
	if (intern_find(&b->tids, &key, sizeof(key), &at) == 0)
		cell.thread = b->current_thread[at];

	int added = intern_add(&b->cells, &cell, sizeof(cell), &at);

	if (added < 0 || (added == 1 && !make_room(&d->counts, at, sizeof(*d->counts))))
		return too_large(r);
	if (added == 1)
		d->counts[d->n_cells++] = 0;
	if (b->lists_samples && data_samples_add(d, rec, at, cell.stack) < 0)
		return too_large(r);
	d->counts[at] += n;
	d->samples += n;
	d->stacks[cell.stack].samples += n;
	d->processes[cell.process].samples += n;
	if (rec->samples.last_t_us > d->last_t_us)
		d->last_t_us = rec->samples.last_t_us;
	if (!b->has_summary)
		data_summary_add(d, &d->stacks[cell.stack], rec, n);
	return 0;
}

/* If only a part of the recording is read, only the duration is taken from the summary. */
static void take_length(struct prof_data *d, const struct prof_record *rec)
{
	const struct data_span *span = &d->build->span;
	u64 end_us = rec->summary.duration_ns / 1000ull;

	if (span->until_us && span->until_us < end_us)
		end_us = span->until_us;
	d->summary.duration_ns = end_us > span->since_us ? (end_us - span->since_us) * 1000ull : 0;
}

static int on_summary(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	d->build->has_summary = true;
	if (d->build->span.since_us || d->build->span.until_us) {
		take_length(d, rec);
		return 0;
	}
	d->summary = rec->summary;
	for (u32 status = 0; status < PROF_N_STATUSES; status++) {
		struct prof_reasons *reasons = &d->summary.reasons[status];

		for (u32 i = 0; i < reasons->n; i++) {
			if (!keep(d->build, &reasons->reasons[i].words))
				return too_large(r);
		}
	}
	return 0;
}

static int on_header(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	struct data_header *h = &d->header;
	struct data_build *b = d->build;

	d->hz = rec->header.hz;
	*h = (struct data_header){ rec->header.start, rec->header.arch, rec->header.kernel };
	return keep(b, &h->start) && keep(b, &h->arch) && keep(b, &h->kernel) ? 0 : too_large(r);
}

static int on_record(struct prof_data *d, struct prof_reader *r, const struct prof_record *rec)
{
	switch (rec->type) {
	case PROF_REC_HEADER:
		return on_header(d, r, rec);
	case PROF_REC_PROCESS:
		return on_process(d, r, rec);
	case PROF_REC_THREAD:
		return on_thread(d, r, rec);
	case PROF_REC_FRAME:
		return on_frame(d, r, rec);
	case PROF_REC_STACK:
		return on_stack(d, r, rec);
	case PROF_REC_SAMPLES:
		return on_samples(d, r, rec);
	case PROF_REC_SUMMARY:
		return on_summary(d, r, rec);
	case PROF_REC_UNKNOWN:
		return 0;
	}
	return 0;
}

int data_new(struct prof_data **data)
{
	struct prof_data *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->build = calloc(1, sizeof(*d->build));
	if (!d->build) {
		free(d);
		return -ENOMEM;
	}
	d->build->arena.limit = ARENA_LIMIT;
	intern_init(&d->build->frame_ids, TABLE_LIMIT);
	intern_init(&d->build->stack_ids, TABLE_LIMIT);
	intern_init(&d->build->pids, TABLE_LIMIT);
	intern_init(&d->build->tids, TABLE_LIMIT);
	intern_init(&d->build->cells, TABLE_LIMIT);
	*data = d;
	return 0;
}

void data_free(struct prof_data **data)
{
	struct prof_data *d = *data;

	if (!d)
		return;
	arena_clear(&d->build->arena);
	intern_deinit(&d->build->frame_ids);
	intern_deinit(&d->build->stack_ids);
	intern_deinit(&d->build->pids);
	intern_deinit(&d->build->tids);
	intern_deinit(&d->build->cells);
	free(d->build->current_process);
	free(d->build->current_thread);
	free(d->build);
	free(d->processes);
	free(d->threads);
	free(d->frames);
	free(d->stacks);
	free(d->counts);
	free(d->list);
	free(d);
	*data = NULL;
}

int data_read_more(struct prof_reader *reader, struct prof_data *d)
{
	struct prof_record rec;
	int r;

	while ((r = prof_reader_next(reader, &rec)) == 1) {
		r = on_record(d, reader, &rec);
		if (r < 0)
			return r;
	}
	return r;
}

static int read_all(struct prof_reader *reader, const struct data_span *span, bool lists_samples,
		    struct prof_data **data)
{
	_cleanup_(data_free) struct prof_data *d = NULL;
	int r = data_new(&d);

	if (r < 0)
		return r;
	d->build->span = *span;
	d->build->lists_samples = lists_samples;
	r = data_read_more(reader, d);
	if (r < 0)
		return r;
	d->interrupted = !d->build->has_summary;
	if (d->summary.samples != d->samples)
		return prof_reader_fail(
			reader, "the summary's sample count differs from that of the lines");
	*data = TAKE_PTR(d);
	return 0;
}

int data_read(struct prof_reader *reader, struct prof_data **data)
{
	return read_all(reader, &(struct data_span){ 0 }, false, data);
}

int data_read_span(struct prof_reader *reader, const struct data_span *span,
		   struct prof_data **data)
{
	return read_all(reader, span, false, data);
}

int data_read_samples(struct prof_reader *reader, struct prof_data **data)
{
	return read_all(reader, &(struct data_span){ 0 }, true, data);
}

const struct data_process *data_busiest(const struct prof_data *d)
{
	const struct data_process *best = NULL;

	for (u32 i = 0; i < d->n_processes; i++) {
		if (!best || d->processes[i].samples > best->samples)
			best = &d->processes[i];
	}
	return best;
}

struct data_cell data_cell(const struct prof_data *d, u32 i)
{
	struct data_cell cell;
	size_t len;

	memcpy(&cell, intern_key(&d->build->cells, i, &len), sizeof(cell));
	return cell;
}
