// SPDX-License-Identifier: BSD-2-Clause

/*
 * One tick. A sample is handled when all earlier events have been applied. Events become visible up
 * to SIDEBAND_SETTLE_NS late, so newer samples wait for the next tick. A sample also waits while
 * its process is in an exec and has no name yet; meanwhile, later samples of other processes are
 * handled.
 *
 *	               reached         settled       now
 *	... events applied |  no time left  |  not all visible  |
 *	... samples handled|   waiting      |      waiting      |
 *
 * A helper process reads the lines of native code. Samples wait for these lines, but not for long.
 *
 * A tick always ends in time, because SIGTERM and the duration depend on it.
 */

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <arch.h>

#include "../../inspect/util/clock.h"
#include "../rows/confirm.h"
#include "ownership.h"
#include "session_state.h"

#define REAP_NS (1000 * MSEC)
#define BUDGET_NS (20 * MSEC) /* time limit for each kind of work in a tick */
#define LATE_NS (50 * MSEC) /* if a pending sample is older than this, names get LATE_BUDGET_NS */
#define LATE_BUDGET_NS (100 * MSEC)
#define LAST_BUDGET_NS (5000 * MSEC) /* in the last tick */
#define IDLE_NS (8 * MSEC) /* time limit for loading rows in the background */
#define SAMPLE_READ_NS (100 * MSEC) /* CPU time for reading the target for one sample */
#define MAX_WAIT_NS (1000 * MSEC) /* maximum wait for a name */
/* maximum wait for lines, if names are read from a heap, which changes */
#define MAX_V8_WAIT_NS (50 * MSEC)
/* maximum time for which a tick waits itself, for samples that can't be handled later */
#define MAX_BLOCKED_NS (10 * MSEC)
#define LAST_BLOCKED_NS (1500 * MSEC) /* in the last tick */

/* A selection of pending samples. */
struct pass {
	u64 until_ns, deadline_ns;
	u32 pid; /* 0: all processes */
	bool is_last; /* do not wait for names */
};

/* The process that was sampled, which may be new. */
static struct process *process_of(struct session *s, const struct uw_sample *sample)
{
	struct process *p = processes_find(s->processes, sample->pid, sample->start_ns);

	if (p)
		return p;
	if (processes_get(s->processes, sample->pid, &p) ||
	    !process_started_at(p, sample->start_ns))
		return NULL;
	return p;
}

/*
 * Whether the thread is gone. A V8 isolate ends with its thread, and other objects may then be in
 * the isolate's memory.
 */
static bool is_thread_gone(const struct process *p, u32 tid)
{
	return !p->exit_ns && !p->n_more_threads && !process_find_thread(p, tid);
}

/*
 * Whether names of the sample's frames depend on objects that can move, and that are gone when the
 * thread ends.
 */
static bool has_objects(const struct uw_sample *sample)
{
	for (u32 i = sample->n_kernel; i < sample->n_frames; i++) {
		u32 r = runtime_of_frame(&sample->frames[i]);

		if (r < N_RUNTIMES && runtimes[r]->forget)
			return true;
	}
	return false;
}

/*
 * Whether the sample was walked without tables, only by the files that were mapped in the kernel at
 * that time. Such a walk can't have used stale tables.
 */
static bool is_by_files(const struct uw_sample *sample)
{
	return !sample->proc_gen && sample->flags & UW_SAMPLE_BY_FILE;
}

/* Returns the image that can name the sample's frames; NULL: none. */
static struct image *image_for(struct process *p, struct image *im, struct uw_sample *sample)
{
	if (!im)
		return NULL;
	if (!image_owns(im, sample)) {
		if (!is_by_files(sample))
			sample_disown(sample);
		return NULL;
	}
	if (!is_by_files(sample))
		sample_disown_stale(p, sample);
	if (!has_objects(sample))
		return im;
	if (is_thread_gone(p, sample->tid))
		return NULL;
	image_names_thread(im, sample->tid);
	return im;
}

/*
 * Whether the sample must wait for lines. If @may_wait is false, the tick itself waits for a while.
 */
static bool must_wait_for_lines(struct session *s, struct process *p, struct image *im,
				const struct uw_sample *sample, bool may_wait)
{
	u64 max_ns = has_objects(sample) ? MAX_V8_WAIT_NS : MAX_WAIT_NS, began_ns = monotonic_ns();

	while (!naming_is_ready(s->naming, p, im, sample)) {
		u64 took_ns;

		if (may_wait || !s->blocked_left_ns)
			return may_wait && s->tick_ns - sample->time_ns < max_ns;
		modules_take_answers(s->modules, (int)(s->blocked_left_ns / MSEC + 1));
		took_ns = monotonic_ns() - began_ns;
		began_ns += took_ns;
		s->blocked_left_ns -= took_ns < s->blocked_left_ns ? took_ns : s->blocked_left_ns;
	}
	return false;
}

static const struct uw_rule *rule_of(const void *session, u32 module, u64 file_off)
{
	return row_filler_rule(((const struct session *)session)->rows, module, file_off);
}

static int slot_of(const void *session, u32 module, u64 file_off)
{
	int fd = modules_fd(((const struct session *)session)->modules, module), slot;
	u32 insn;

	if (fd < 0 || pread(fd, &insn, sizeof(insn), (off_t)file_off) != sizeof(insn))
		return CONFIRM_UNKNOWN;
	slot = arch_ra_slot(insn);
	if (slot == ARCH_RA_IN_FRAME)
		return CONFIRM_IN_FRAME;
	if (slot == ARCH_RA_IN_LR)
		return CONFIRM_IN_LR;
	return slot >= 0 ? slot : CONFIRM_UNKNOWN;
}

static struct uw_sample *confirm(struct session *s, const struct image *im,
				 struct uw_sample *sample)
{
	const struct confirm_source from = { .fp_is_record = ARCH_FP_IS_RECORD,
					     .rule_of = rule_of,
					     .slot_of = slot_of,
					     .data = s,
					     .maps = im ? im->maps : NULL,
					     .n_maps = im ? im->n_maps : 0 };

	return confirm_guesses(sample, &from, &s->confirmed);
}

/* Handles a sample. Returns 0, 1 if the sample has to wait, or a negative errno of the profile. */
static int name_sample(struct session *s, struct process *p, struct uw_sample *sample, u64 now_ns,
		       bool may_wait)
{
	struct image *im = p ? session_image_of(s, p) : NULL;
	struct naming_result r = { 0 };
	int err;

	if (im && metadata_writer_must_wait(p, im, s->tick_ns) && may_wait &&
	    s->tick_ns - sample->time_ns < MAX_WAIT_NS)
		return 1;
	if (must_wait_for_lines(s, im ? p : NULL, im, sample, may_wait))
		return 1;
	im = image_for(p, im, sample);
	err = metadata_writer_sample(s->metadata, p, sample);
	if (!err && im && s->config.on_stack)
		s->config.on_stack(
			&(struct session_stack){ sample, p, im, s->naming, s->modules, s->rows },
			s->config.data);
	sample = confirm(s, im, sample);
	if (!err)
		err = naming_stack(s->naming, im ? p : NULL, im, sample, now_ns, &r);
	if (err)
		return err;
	return profile_sample(s->config.profile, sample->pid, sample->tid, r.stack,
			      (sample->time_ns - s->config.start_ns) / 1000, r.activity,
			      r.unresolved || !p);
}

/* As name_sample(), in the time that the process has left. */
static int on_sample(struct session *s, struct uw_sample *sample, u64 now_ns, bool may_wait)
{
	struct process *p = process_of(s, sample);
	struct image *im = p ? session_image_of(s, p) : NULL;
	struct budget b;
	int err;

	if (!im)
		return name_sample(s, p, sample, now_ns, may_wait);
	image_begin_reading(im, &b, SAMPLE_READ_NS);
	err = name_sample(s, p, sample, now_ns, may_wait);
	image_end_reading(im, &b);
	return err;
}

static void keep_sample(const struct uw_sample *sample, void *data)
{
	struct session *s = data;

	if (sample->time_ns >= s->config.start_ns)
		pending_add(&s->pending, sample);
}

/*
 * Handles samples in order of time. Returns 0, 1 if there was no time for all, or a negative errno.
 */
static int handle_samples(struct session *s, const struct pass *pass)
{
	u32 ready = pending_before(&s->pending, pass->until_ns);
	u64 now_ns = monotonic_ns();
	int err = 0;
	u32 i = 0;

	for (; err >= 0 && i < ready && now_ns < pass->deadline_ns; i++) {
		struct uw_sample *sample = s->pending.v[i];

		if (pass->pid && sample->pid != pass->pid)
			continue;
		err = on_sample(s, sample, now_ns, !pass->is_last);
		if (err <= 0)
			pending_take(&s->pending, i);
		now_ns = monotonic_ns();
	}
	pending_close_up(&s->pending);
	return err < 0 ? err : i < ready;
}

/*
 * Applies events before samples are named, so that new mappings are written to the BPF tables
 * early. Only if the event is an exec, the samples of the image that ends are handled first; those
 * for which there is no time will not be named.
 */
static int apply_events(struct session *s, u64 until_ns, u64 deadline_ns, u64 *reached_ns)
{
	struct process_event ev;
	int err = 0;

	*reached_ns = until_ns;
	while (!err && sideband_next(s->sideband, until_ns, &ev)) {
		if (ev.type == PROCESS_EXEC)
			err = handle_samples(s, &(struct pass){ .until_ns = ev.time_ns,
								.deadline_ns = deadline_ns,
								.pid = ev.pid,
								.is_last = true });
		session_on_event(s, &ev);
		if (monotonic_ns() >= deadline_ns) {
			*reached_ns = ev.time_ns;
			break;
		}
	}
	return err;
}

/*
 * Names get more time if samples are late. With 20 ms for names and 20 ms for events, late samples
 * could stay late forever.
 */
static u64 budget_for_names(const struct session *s, u64 budget_ns)
{
	bool is_late = s->pending.n && s->tick_ns - s->pending.v[0]->time_ns > LATE_NS;

	return is_late && budget_ns < LATE_BUDGET_NS ? LATE_BUDGET_NS : budget_ns;
}

static int tick(struct session *s, u64 until_ns, u64 budget_ns, bool is_last)
{
	struct pass pass = { .is_last = is_last };
	bool more_rows = false;
	int err = apply_events(s, until_ns, s->tick_ns + budget_ns, &pass.until_ns);

	if (!is_last) {
		session_resync(s);
		session_handle_early(s, monotonic_ns() + budget_ns);
		row_filler_misses(s->rows, monotonic_ns() + budget_ns);
	}
	session_update_changed(s);
	pass.deadline_ns = monotonic_ns() + budget_for_names(s, budget_ns);
	if (!err)
		err = handle_samples(s, &pass);
	session_update_changed(s); /* for processes that samples have added */
	if (!is_last && !err)
		more_rows = row_filler_idle(s->rows, monotonic_ns() + IDLE_NS);
	return err ? err : more_rows || pass.until_ns < until_ns;
}

/* Sampling has ended. Events continue to arrive, but only events up to now matter. */
static int last_tick(struct session *s)
{
	int err;

	/* Wait, because events become visible late. */
	poll(NULL, 0, SIDEBAND_SETTLE_NS / MSEC);
	err = tick(s, s->tick_ns, LAST_BUDGET_NS, true);
	pending_give_up(&s->pending);
	return err < 0 ? err : 0;
}

/* Frees processes some time after they have ended, when none of their samples can be pending. */
static void reap(struct session *s)
{
	u64 before_ns = s->reaped_ns;

	if (s->tick_ns - s->reaped_ns <= REAP_NS)
		return;
	if (s->pending.n && s->pending.v[0]->time_ns < before_ns)
		before_ns = s->pending.v[0]->time_ns;
	processes_reap(s->processes, before_ns);
	s->reaped_ns = s->tick_ns;
}

static void renew_cpu(struct session *s, u32 cpu)
{
	int sampled = sampler_renew(s->config.sampler, cpu);
	int heard = sideband_renew(s->sideband, cpu);

	if (sampled || heard) {
		s->n_unheard++;
		s->unheard_err = sampled ? sampled : heard;
	}
	s->must_resync = true;
}

/*
 * Opens the events of CPUs that came online, because a CPU that was offline reports nothing until
 * its events are opened again.
 */
static void renew_cpus(struct session *s)
{
	u32 cpu;
	int r;

	while ((r = cpus_next(s->cpus_fd, &cpu)) > 0)
		renew_cpu(s, cpu);
	for (cpu = 0; r < 0 && cpu < sampler_n_cpus(s->config.sampler); cpu++)
		renew_cpu(s, cpu);
}

int session_tick(struct session *s, bool last)
{
	int err, n;

	s->tick_ns = monotonic_ns();
	s->blocked_left_ns = last ? LAST_BLOCKED_NS : MAX_BLOCKED_NS;
	modules_take_answers(s->modules, 0);
	renew_cpus(s);
	n = sampler_drain(s->config.sampler, keep_sample, s);
	if (n < 0)
		return n;
	pending_sort(&s->pending);
	err = last ? last_tick(s) : tick(s, s->tick_ns - SIDEBAND_SETTLE_NS, BUDGET_NS, false);
	reap(s);
	return err;
}
