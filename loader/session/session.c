// SPDX-License-Identifier: BSD-2-Clause

/*
 * A sample is handled when every event before it is known: those become visible
 * up to SIDEBAND_SETTLE_NS late, so younger samples wait for the next tick.
 *
 * The kernel side knows nothing of a process until its first image_update(). With
 * few targets that is at once (eager); else when a sample asks for it by ending as
 * UW_T_UNKNOWN_PROCESS, at most once in REFRESH_NS for each process.
 */

#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../inspect/util/cleanup.h"
#include "../life/processes.h"
#include "../life/sideband.h"
#include "announce.h"
#include "image.h"
#include "naming.h"
#include "pending.h"

#define REFRESH_NS 100000000ull
#define REAP_NS 1000000000ull
#define BUDGET_NS 20000000ull /* for names, between two looks at events */

struct session {
	struct session_config config;
	struct sideband *sideband;
	struct processes *processes;
	struct tables *tables;
	struct modules *modules;
	struct kallsyms *kallsyms;
	struct images images;
	struct naming *naming;
	struct announcer *announcer;
	struct pending pending;
	u32 *changed; /* pids whose image has changed since the last tick */
	u32 n_changed, cap_changed;
	u32 first_target;
	u64 reaped_ns;
};

static u64 monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* The table of processes lets one go. */
static void on_process_free(struct process *p, void *data)
{
	struct image *im = p->priv;

	(void)data;
	image_free(&im);
	p->priv = NULL;
}

/* The process's image, made if need be; NULL without memory. */
static struct image *image_of(struct session *s, struct process *p)
{
	struct image *im = p->priv;

	if (!im && !image_new(&im, &s->images, p))
		p->priv = im;
	return im;
}

/* The kernel side's tables are brought up to date at the end of the tick. */
static void mark_changed(struct session *s, struct image *im)
{
	if (!im || im->changed)
		return;
	if (s->n_changed == s->cap_changed) {
		u32 cap = s->cap_changed ? s->cap_changed * 2 : 64;
		u32 *v = reallocarray(s->changed, cap, sizeof(*v));

		if (!v)
			return; /* the next sample without tables asks again */
		s->changed = v;
		s->cap_changed = cap;
	}
	im->changed = true;
	s->changed[s->n_changed++] = im->process->pid;
}

static void update_changed(struct session *s)
{
	for (u32 i = 0; i < s->n_changed; i++) {
		struct process *p = processes_alive(s->processes, s->changed[i]);
		struct image *im = p ? p->priv : NULL;

		if (im && im->changed)
			image_update(im);
	}
	s->n_changed = 0;
}

/* Ask /proc again about a process whose tables did not do, but not too often. */
static void refresh(struct session *s, struct process *p, u64 now_ns)
{
	struct image *im = image_of(s, p);

	if (!im || p->exit_ns || p->is_kernel_thread)
		return;
	if (im->refreshed_ns && now_ns - im->refreshed_ns < REFRESH_NS)
		return;
	im->refreshed_ns = now_ns;
	process_load(p);
	mark_changed(s, im);
}

static void on_fork(struct session *s, struct process *child)
{
	if (!s->config.eager || child->priv)
		return;
	tables_set_target(s->tables, child->pid);
	mark_changed(s, image_of(s, child));
}

static void on_exec(struct session *s, struct process *p)
{
	struct image *im = p->priv;
	bool known = im;

	image_free(&im);
	p->priv = NULL;
	tables_clear_mappings(s->tables, p->pid);
	if (known || s->config.eager)
		mark_changed(s, image_of(s, p));
}

static void mark_every(struct process *p, void *data)
{
	mark_changed(data, p->priv);
}

static void on_event(struct session *s, const struct life_event *ev)
{
	struct process *p = NULL;

	processes_apply(s->processes, ev, &p);
	if (ev->type == LIFE_LOST) {
		processes_resync(s->processes);
		processes_each_alive(s->processes, mark_every, s);
	}
	if (!p)
		return;
	if (ev->type == LIFE_FORK && p->pid == ev->pid && ev->fork.ppid != ev->pid)
		on_fork(s, p);
	else if (ev->type == LIFE_EXEC)
		on_exec(s, p);
	else if (ev->type == LIFE_MMAP && p->priv)
		mark_changed(s, p->priv);
	else if (ev->type == LIFE_EXIT && p->exit_ns)
		tables_remove(s->tables, p->pid);
	else if (ev->type == LIFE_EXIT && p->priv)
		image_forget_thread(p->priv, ev->tid);
	else if (ev->type == LIFE_COMM)
		announcer_forget_thread(s->announcer, ev->tid);
}

/* The process that was sampled, also when nothing was heard of it before. */
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

/* Was the sample walked with the tables of this image, or with none? */
static bool is_of_image(struct image *im, const struct uw_sample *sample)
{
	if (im->exec_id == UW_EXEC_UNKNOWN)
		im->exec_id = sample->exec_id;
	if (im->exec_id != sample->exec_id)
		return false;
	return !sample->proc_gen || (im->first_gen && (s32)(sample->proc_gen - im->first_gen) >= 0);
}

/* Tokens of another image mean nothing: what is left are addresses. */
static void disown(struct uw_sample *sample)
{
	sample->status = UW_T_STALE_TABLES;
	for (u32 i = sample->n_kernel; i < sample->n_frames; i++) {
		sample->frames[i].kind = UW_UNKNOWN;
		sample->frames[i].status = UW_OK;
	}
}

/* The isolate is gone with its thread, and its memory may be another's by now. */
static bool is_thread_gone(const struct process *p, u32 tid)
{
	return !p->exit_ns && !p->n_more_threads && !process_find_thread(p, tid);
}

static bool has_v8(const struct uw_sample *sample)
{
	for (u32 i = sample->n_kernel; i < sample->n_frames; i++)
		if (naming_is_v8(&sample->frames[i]))
			return true;
	return false;
}

static int on_sample(struct session *s, struct uw_sample *sample, u64 now_ns)
{
	struct process *p = process_of(s, sample);
	struct image *im = p ? image_of(s, p) : NULL;
	struct naming_result r = { 0 };
	int err;

	if (im && !is_of_image(im, sample)) {
		disown(sample);
		im = NULL;
	}
	if (p && (sample->status == UW_T_UNKNOWN_PROCESS || sample->status == UW_T_UNKNOWN_PC))
		refresh(s, p, now_ns);
	if (im && has_v8(sample)) {
		if (is_thread_gone(p, sample->tid))
			im = NULL;
		else
			image_names_thread(im, sample->tid);
	}
	err = announcer_sample(s->announcer, p, sample);
	if (!err)
		err = naming_stack(s->naming, im ? p : NULL, im, sample, now_ns, &r);
	if (err)
		return err;
	if (im && s->config.on_stack)
		s->config.on_stack(&(struct session_stack){ sample, p, im, s->naming, s->modules },
				   s->config.data);
	return profile_sample(s->config.profile, sample->pid, sample->tid, r.stack,
			      (sample->time_ns - s->config.start_ns) / 1000, r.activity,
			      r.unresolved || !p);
}

static void keep_sample(const struct uw_sample *sample, void *data)
{
	struct session *s = data;

	if (sample->time_ns >= s->config.start_ns)
		pending_add(&s->pending, sample);
}

/* Samples before @until_ns, in order; those for which there is no time wait. */
static int handle_samples(struct session *s, u64 until_ns, u64 deadline_ns)
{
	u32 ready = pending_before(&s->pending, until_ns), done = 0;
	u64 now_ns = monotonic_ns();
	int err = 0;

	while (!err && done < ready && now_ns < deadline_ns) {
		err = on_sample(s, s->pending.v[done++], now_ns);
		now_ns = monotonic_ns();
	}
	pending_drop(&s->pending, done);
	return err;
}

/*
 * Events go first, so that the kernel side hears of a new mapping before any time is
 * spent on names. Only an exec waits for the samples of the image that it ends.
 */
static int apply_events(struct session *s, u64 until_ns)
{
	struct life_event ev;
	int err = 0;

	while (!err && sideband_next(s->sideband, until_ns, &ev)) {
		if (ev.type == LIFE_EXEC)
			err = handle_samples(s, ev.time_ns, ~0ull);
		on_event(s, &ev);
	}
	return err;
}

int session_tick(struct session *s, bool last)
{
	u64 now_ns = monotonic_ns(), settled_ns = last ? ~0ull : now_ns - SIDEBAND_SETTLE_NS;
	int err, n = sampler_drain(s->config.sampler, keep_sample, s);

	if (n < 0)
		return n;
	pending_sort(&s->pending);
	err = apply_events(s, settled_ns);
	update_changed(s);
	if (!err)
		err = handle_samples(s, settled_ns, last ? ~0ull : now_ns + BUDGET_NS);
	update_changed(s); /* of processes that samples made known */
	if (now_ns - s->reaped_ns > REAP_NS) {
		processes_reap(s->processes, s->reaped_ns);
		s->reaped_ns = now_ns;
	}
	return err;
}

int session_add_target(struct session *s, u32 pid)
{
	struct process *p;
	int err = processes_get(s->processes, pid, &p);

	if (!err)
		err = tables_set_target(s->tables, pid);
	if (err)
		return err;
	if (!s->first_target)
		s->first_target = pid;
	mark_changed(s, image_of(s, p));
	update_changed(s);
	if (p->priv)
		image_preload(p->priv);
	return 0;
}

/* The file that execvp() would take, open for reading; -1: none. */
static int open_in_path(const char *name, char *path, size_t len)
{
	const char *dir = getenv("PATH");
	int fd = -1;

	if (strchr(name, '/')) {
		snprintf(path, len, "%s", name);
		return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	for (; fd < 0 && dir; dir = strchr(dir, ':') ? strchr(dir, ':') + 1 : NULL) {
		snprintf(path, len, "%.*s/%s", (int)strcspn(dir, ":"), dir, name);
		if (!access(path, X_OK))
			fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	return fd;
}

void session_preload(struct session *s, const char *name)
{
	char path[PATH_MAX];
	_cleanup_close_ int fd = open_in_path(name, path, sizeof(path));

	if (fd >= 0)
		images_preload(&s->images, fd, path);
}

static int open_sources(struct session *s)
{
	struct tables_memory memory = sampler_tables(s->config.sampler);
	struct naming_sources sources;
	int err = tables_new(&s->tables, &memory);

	if (!err)
		err = processes_new(&s->processes, on_process_free, s);
	if (!err)
		err = modules_new(&s->modules);
	if (!err)
		err = kallsyms_new(&s->kallsyms, "/proc/kallsyms");
	if (err)
		return err;
	kallsyms_preload(s->kallsyms);
	s->images = (struct images){ .tables = s->tables, .modules = s->modules };
	sources = (struct naming_sources){ .modules = s->modules,
					   .kallsyms = s->kallsyms,
					   .profile = s->config.profile };
	err = naming_new(&s->naming, &sources);
	return err ? err : announcer_new(&s->announcer, s->config.profile);
}

int session_new(struct session **session, const struct session_config *config, char *why,
		size_t why_len)
{
	struct session *s = calloc(1, sizeof(*s));
	const char *what = "cannot start";
	int err = -ENOMEM;

	if (s) {
		s->config = *config;
		s->reaped_ns = monotonic_ns();
		err = open_sources(s);
	}
	if (!err) {
		what = "cannot listen to processes (see `unspool doctor`)";
		err = sideband_new(&s->sideband);
	}
	if (!err && !config->eager) {
		what = "cannot read /proc";
		err = processes_scan(s->processes);
	}
	if (err) {
		snprintf(why, why_len, "%s: %s", what, strerror(-err));
		session_free(&s);
	} else {
		*session = s;
	}
	return err;
}

void session_free(struct session **session)
{
	struct session *s = *session;

	if (!s)
		return;
	pending_deinit(&s->pending);
	naming_free(&s->naming);
	announcer_free(&s->announcer);
	processes_free(&s->processes);
	images_deinit(&s->images);
	modules_free(&s->modules);
	kallsyms_free(&s->kallsyms);
	tables_free(&s->tables);
	sideband_free(&s->sideband);
	free(s->changed);
	free(s);
	*session = NULL;
}

int session_fd(const struct session *s)
{
	return sideband_fd(s->sideband);
}

u32 session_n_alive(const struct session *s)
{
	return processes_n_alive(s->processes);
}

struct each_alive {
	void (*fn)(u32 pid, void *data);
	void *data;
};

static void call_with_pid(struct process *p, void *data)
{
	const struct each_alive *each = data;

	each->fn(p->pid, each->data);
}

void session_each_alive(const struct session *s, void (*fn)(u32 pid, void *data), void *data)
{
	struct each_alive each = { fn, data };

	processes_each_alive(s->processes, call_with_pid, &each);
}

const char *session_target_name(const struct session *s, const char **runtime)
{
	const struct process *p = processes_alive(s->processes, s->first_target);

	*runtime = p && p->priv ? image_runtime(p->priv) : NULL;
	return p ? p->name : NULL;
}

u64 session_n_lost_events(const struct session *s)
{
	return sideband_n_lost(s->sideband);
}

u64 session_n_dropped(const struct session *s)
{
	return s->pending.n_dropped;
}
