// SPDX-License-Identifier: BSD-2-Clause

/*
 * The writer. The caller's thread builds a group of records without the lock. Under the lock, a
 * group only gets its time and number and is written by one write, so that times and numbers
 * increase in the file.
 *
 * A process has only one writer, because engines with separate writers would truncate each other's
 * file and use the same numbers twice.
 */

#include "jdw.h"

#include "../util/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static struct jdw *process_writer;

#define REPORT_INTERVAL_NS 250000000ull

/* Returns a time that never goes backward, even if the clock does. */
u64 jdw_time(struct jdw *w)
{
	u64 now = w->options.clock ? w->options.clock(w->options.data) : monotonic_ns();

	if (now > w->last_time)
		w->last_time = now;
	return w->last_time;
}

void jdw_say(struct jdw *w, const char *fmt, ...)
{
	char words[512];
	va_list ap;
	u64 now;

	if (!w->options.report)
		return;
	now = monotonic_ns();
	pthread_mutex_lock(&w->lock);
	if (w->last_report && now - w->last_report < REPORT_INTERVAL_NS) {
		pthread_mutex_unlock(&w->lock);
		return;
	}
	w->last_report = now;
	pthread_mutex_unlock(&w->lock);
	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	w->options.report(w->options.data, words);
}

static void before_fork(void)
{
	pthread_mutex_lock(&process_lock);
	if (process_writer)
		pthread_mutex_lock(&process_writer->lock);
}

static void in_parent(void)
{
	if (process_writer)
		pthread_mutex_unlock(&process_writer->lock);
	pthread_mutex_unlock(&process_lock);
}

/* The parent's file stays open until the live code is copied. */
static void in_child(void)
{
	struct jdw *w = process_writer;
	int old_fd;

	if (w) {
		old_fd = w->fd;
		w->fd = -1;
		jdw_file_close(w);
		w->pid = (u32)getpid();
		w->next_number = 0;
		w->counts = (struct jdw_counts){ .live = w->counts.live };
		if (jdw_file_open(w) == 0)
			jdw_live_replay(w, old_fd);
		else
			w->counts.lost += w->counts.live;
		if (old_fd >= 0)
			close(old_fd);
		pthread_mutex_unlock(&w->lock);
	}
	pthread_mutex_unlock(&process_lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}

static void writer_free(struct jdw *w)
{
	jdw_file_close(w);
	jdw_live_deinit(w);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static int writer_new(const struct jdw_options *o, struct jdw **out)
{
	struct jdw *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->options = *o;
	w->options.dir = NULL;
	w->fd = -1;
	w->users = 1;
	w->pid = o->path && o->pid ? o->pid : (u32)getpid();
	pthread_mutex_init(&w->lock, NULL);
	/* Child processes also use the directory. */
	if (o->dir && !o->path) {
		w->options.dir = strdup(o->dir);
		if (!w->options.dir) {
			writer_free(w);
			return -ENOMEM;
		}
	}
	err = jdw_file_open(w);
	if (err) {
		free((char *)w->options.dir);
		writer_free(w);
		return err;
	}
	*out = w;
	return 0;
}

int jdw_open(const struct jdw_options *options, struct jdw **out)
{
	static const struct jdw_options usual;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int err = 0;

	options = options ? options : &usual;
	if (options->path)
		return writer_new(options, out);
	if (options->swap || options->pid)
		return -EINVAL;
	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&process_lock);
	if (process_writer)
		process_writer->users++;
	else
		err = writer_new(options, &process_writer);
	if (!err)
		*out = process_writer;
	pthread_mutex_unlock(&process_lock);
	return err;
}

static void put_close(struct jdw *w)
{
	struct jdw_buf b = { .is_swapped = w->options.swap };

	jdw_put_u32(&b, JD_CLOSE);
	jdw_put_u32(&b, JD_P_LEN);
	jdw_put_u64(&b, jdw_time(w));
	if (!b.no_memory)
		jdw_file_append(w, &b, NULL, 0);
	jdw_buf_deinit(&b);
}

void jdw_close(struct jdw **pointer)
{
	struct jdw *w = *pointer;

	*pointer = NULL;
	if (!w)
		return;
	pthread_mutex_lock(&process_lock);
	if (--w->users == 0) {
		if (w->options.with_close)
			put_close(w);
		if (w->options.delete_at_close && w->path)
			unlink(w->path);
		if (w == process_writer)
			process_writer = NULL;
		free((char *)w->options.dir);
		writer_free(w);
	}
	pthread_mutex_unlock(&process_lock);
}

static int lose(struct jdw *w, const char *name, int err)
{
	jdw_say(w, "%s: '%.100s' is lost: %s", w->path, name, strerror(-err));
	return err;
}

int jdw_add(struct jdw *w, const struct jdw_code *c)
{
	struct jdw_buf b = { .is_swapped = w->options.swap };
	struct jdw_live live = { .addr = c->addr, .size = c->size, .loaded_addr = c->addr };
	int err = c->name && *c->name ? jdw_group(&b, c) : -EINVAL;

	pthread_mutex_lock(&w->lock);
	if (!err) {
		jdw_group_stamp(&b, jdw_time(w), w->pid, (u32)gettid(), w->next_number);
		live.group_off = w->end;
		live.group_len = (u64)b.len + c->size;
		live.number = w->next_number;
		live.order = w->next_order++;
		err = jdw_file_append(w, &b, c->code, c->size);
		if (!err) {
			w->next_number++;
			w->counts.records++;
		}
	}
	/* Older code at the address is overwritten even if the new record cannot be written. */
	if (err)
		jdw_live_forget(w, c->addr, c->size);
	else
		jdw_live_set(w, &live); /* if out of memory, later moves and child processes lack
					 * this code */
	w->counts.lost += err != 0;
	pthread_mutex_unlock(&w->lock);
	jdw_buf_deinit(&b);
	return err ? lose(w, c->name ? c->name : "", err) : 0;
}

int jdw_move(struct jdw *w, uint64_t from, uint64_t to)
{
	struct jdw_buf b = { .is_swapped = w->options.swap };
	struct jdw_live moved, *l;
	int err = -ENOENT;

	pthread_mutex_lock(&w->lock);
	l = jdw_live_at(w, from);
	if (l && to + l->size >= to) {
		moved = *l;
		moved.addr = to;
		jdw_put_u32(&b, JD_MOVE);
		jdw_put_u32(&b, JD_M_LEN);
		jdw_put_u64(&b, jdw_time(w));
		jdw_put_u32(&b, w->pid);
		jdw_put_u32(&b, (u32)gettid());
		jdw_put_u64(&b, to);
		jdw_put_u64(&b, from);
		jdw_put_u64(&b, to);
		jdw_put_u64(&b, moved.size);
		jdw_put_u64(&b, moved.number);
		err = b.no_memory ? -ENOMEM : jdw_file_append(w, &b, NULL, 0);
		jdw_live_forget(w, from, 1);
		jdw_live_forget(w, to, moved.size);
		if (!err) {
			w->counts.records++;
			jdw_live_set(w, &moved);
		}
		w->counts.lost += err != 0;
	}
	pthread_mutex_unlock(&w->lock);
	jdw_buf_deinit(&b);
	return err && err != -ENOENT ? lose(w, "a move", err) : err;
}

void jdw_forget(struct jdw *w, uint64_t addr, uint64_t size)
{
	pthread_mutex_lock(&w->lock);
	jdw_live_forget(w, addr, size);
	pthread_mutex_unlock(&w->lock);
}

void jdw_counts(struct jdw *w, struct jdw_counts *out)
{
	pthread_mutex_lock(&w->lock);
	*out = w->counts;
	pthread_mutex_unlock(&w->lock);
}

const char *jdw_path(struct jdw *w)
{
	return w->path;
}
