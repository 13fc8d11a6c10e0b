// SPDX-License-Identifier: BSD-2-Clause

/* Handlers of fork, exec, mmap and exit. */

#include "../flight/log.h"
#include "session_state.h"

#define RESYNC_NS (1000 * MSEC)

/*
 * A child starts with the exec id of its parent. Because the exec id is set now, a sample that is
 * taken after an exec of the child does not match the child's first image.
 */
static void on_fork(struct session *s, struct process *child)
{
	struct process *parent = processes_alive(s->processes, child->ppid);
	const struct image *from = parent ? parent->priv : NULL;
	struct image *im;

	if (!s->config.eager || child->priv)
		return;
	tables_set_target(s->tables, child->pid, process_started_by(child));
	im = session_image_of(s, child);
	if (im && from)
		im->exec_id = from->exec_id;
	session_mark_changed(s, im);
}

static void on_exec(struct session *s, struct process *p)
{
	struct image *im = p->priv;
	bool known = im;

	if (known)
		flight_log_dropped(p->pid);
	image_free(&im);
	p->priv = NULL;
	tables_clear_mappings(s->tables, p->pid);
	metadata_writer_forget_thread(s->metadata, p->pid);
	if (known || s->config.eager)
		session_mark_changed(s, session_image_of(s, p));
}

static void on_exit_of(struct session *s, const struct process *p)
{
	tables_remove(s->tables, p->pid);
	if (p->priv)
		flight_log_exit(p->pid);
}

static void on_mmap(struct session *s, struct image *im, const struct process_mmap_event *e)
{
	image_take_mapping(im, e);
	session_mark_changed(s, im);
}

void session_on_event(struct session *s, const struct process_event *ev)
{
	struct process *p = NULL;

	processes_apply(s->processes, ev, &p);
	s->must_resync |= ev->type == PROCESS_LOST;
	if (!p)
		return;
	if (ev->type == PROCESS_FORK && p->pid == ev->pid && ev->fork.ppid != ev->pid)
		on_fork(s, p);
	else if (ev->type == PROCESS_FORK || ev->type == PROCESS_COMM)
		metadata_writer_forget_thread(s->metadata, ev->tid);
	else if (ev->type == PROCESS_EXEC)
		on_exec(s, p);
	else if (ev->type == PROCESS_MMAP && p->priv)
		on_mmap(s, p->priv, &ev->mmap);
	else if (ev->type == PROCESS_EXIT && p->exit_ns)
		on_exit_of(s, p);
	else if (ev->type == PROCESS_EXIT && p->priv)
		image_forget_thread(p->priv, ev->tid);
}

static void look_again(struct process *p, void *data)
{
	struct image *im = p->priv;

	if (im && im->n_execs != p->n_execs)
		on_exec(data, p);
	else
		session_mark_changed(data, im);
}

void session_resync(struct session *s)
{
	if (!s->must_resync || s->tick_ns - s->resynced_ns < RESYNC_NS)
		return;
	s->must_resync = false;
	s->resynced_ns = s->tick_ns;
	processes_resync(s->processes);
	processes_each_alive(s->processes, look_again, s);
}
