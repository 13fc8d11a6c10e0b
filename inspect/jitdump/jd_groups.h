/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Which debug and unwind data belong to which code. */

#include "jd_repair.h"

struct jd_item {
	u64 off;
	struct jdr_record rec; /* LOAD or MOVE */
	struct jdr_record debug, unwind; /* .bytes is NULL: none */
	u64 debug_off;
};

struct jd_groups {
	struct jd_item *all; /* in the order of the file */
	size_t n, room;
	struct jd_item *waiting; /* debug records that are not the next LOAD's */
	size_t n_waiting, waiting_room;
	u64 dropped;
};

/**
 * jd_groups_read() - every LOAD and MOVE with what belongs to it
 * @g:		zeroed; free with jd_groups_deinit()
 *
 * perf pairs by place alone. Here debug records that are for another address than that
 * of the LOAD behind them go to the next LOAD of theirs, else to the last before.
 *
 * Return: 0 or -ENOMEM.
 */
int jd_groups_read(const struct jd_file *f, const struct jd_repair *how, struct jd_groups *g);
void jd_groups_deinit(struct jd_groups *g);

/* To how->told. */
void jd_tell(const struct jd_repair *how, u64 off, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
