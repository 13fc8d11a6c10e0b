// SPDX-License-Identifier: BSD-2-Clause

/*
 * The live code, which a child of fork() must record again: the child has all of the code, but perf
 * needs a file of the child's own. No code is cached here; the child copies it from its parent's
 * file.
 */

#include "jdw.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
	const struct jdw_live *x = a, *y = b;

	if (x->addr + x->size <= y->addr)
		return -1;
	return x->addr >= y->addr + y->size;
}

static struct jdw_live *touching(struct jdw *w, u64 addr, u64 size)
{
	struct jdw_live key = { .addr = addr, .size = size };
	struct jdw_live **node = size ? tfind(&key, &w->live, compare) : NULL;

	return node ? *node : NULL;
}

struct jdw_live *jdw_live_at(struct jdw *w, u64 addr)
{
	struct jdw_live *l = touching(w, addr, 1);

	return l && l->addr == addr ? l : NULL;
}

void jdw_live_forget(struct jdw *w, u64 addr, u64 size)
{
	struct jdw_live *l;

	while ((l = touching(w, addr, size))) {
		tdelete(l, &w->live, compare);
		free(l);
		w->counts.live--;
	}
}

int jdw_live_set(struct jdw *w, const struct jdw_live *l)
{
	struct jdw_live *own;

	jdw_live_forget(w, l->addr, l->size);
	if (!l->size)
		return 0;
	own = malloc(sizeof(*own));
	if (!own)
		return -ENOMEM;
	*own = *l;
	if (!tsearch(own, &w->live, compare)) {
		free(own);
		return -ENOMEM;
	}
	w->counts.live++;
	return 0;
}

void jdw_live_deinit(struct jdw *w)
{
	tdestroy(w->live, free);
	w->live = NULL;
	w->counts.live = 0;
}

struct live_list {
	struct jdw_live **all;
	size_t n;
};

static void collect(const void *node, VISIT which, void *data)
{
	struct live_list *list = data;

	if (which == postorder || which == leaf)
		list->all[list->n++] = *(struct jdw_live *const *)node;
}

static int by_order(const void *a, const void *b)
{
	const struct jdw_live *const *x = a, *const *y = b;

	return (*x)->order < (*y)->order ? -1 : 1;
}

static void put_move(struct jdw *w, struct jdw_buf *b, const struct jdw_live *l)
{
	jdw_put_u32(b, JD_MOVE);
	jdw_put_u32(b, JD_M_LEN);
	jdw_put_u64(b, jdw_time(w));
	jdw_put_u32(b, w->pid);
	jdw_put_u32(b, w->pid);
	jdw_put_u64(b, l->addr);
	jdw_put_u64(b, l->loaded_addr);
	jdw_put_u64(b, l->addr);
	jdw_put_u64(b, l->size);
	jdw_put_u64(b, l->number);
}

static int replay(struct jdw *w, struct jdw_live *l, int old_fd)
{
	struct jdw_buf b = { .is_swapped = w->options.swap };
	u64 off = w->end, number = w->next_number;
	int err;

	b.bytes = malloc(l->group_len);
	if (!b.bytes)
		return -ENOMEM;
	b.len = b.room = l->group_len;
	if (pread(old_fd, b.bytes, b.len, (off_t)l->group_off) != (ssize_t)b.len) {
		jdw_buf_deinit(&b);
		return -EIO;
	}
	jdw_group_stamp(&b, jdw_time(w), w->pid, w->pid, number);
	l->number = number;
	if (l->addr != l->loaded_addr)
		put_move(w, &b, l);
	err = b.no_memory ? -ENOMEM : jdw_file_append(w, &b, NULL, 0);
	if (!err) {
		w->next_number++;
		w->counts.records++;
		l->group_off = off;
	}
	jdw_buf_deinit(&b);
	return err;
}

/*
 * Writes the live code in the order in which it was added, because the old address of moved code
 * may hold other code.
 */
int jdw_live_replay(struct jdw *w, int old_fd)
{
	struct live_list list = { .all = calloc(w->counts.live + 1, sizeof(*list.all)) };
	int err = list.all ? 0 : -ENOMEM;

	if (!err) {
		twalk_r(w->live, collect, &list);
		qsort(list.all, list.n, sizeof(*list.all), by_order);
	}
	for (size_t i = 0; i < list.n; i++) {
		err = replay(w, list.all[i], old_fd);
		if (err)
			w->counts.lost++;
	}
	free(list.all);
	return err;
}
