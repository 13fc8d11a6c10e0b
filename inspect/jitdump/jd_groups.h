/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Assigns debug and unwind data to code. */

#include "jd_repair.h"

struct jd_item {
	u64 off;
	struct jdr_record rec; /* a LOAD or a MOVE */
	struct jdr_record debug, unwind; /* .bytes is NULL: none */
	u64 debug_off;
};

struct jd_groups {
	struct jd_item *all; /* in file order */
	size_t n, room;
	struct jd_item *waiting; /* debug records that do not belong to the next LOAD */
	size_t n_waiting, waiting_room;
	u64 dropped;
};

/**
 * jd_groups_read() - read every LOAD and MOVE with its debug and unwind data
 * @g:		zeroed; free with jd_groups_deinit()
 *
 * perf assigns a debug record to the LOAD that follows it, whatever their addresses. This function
 * does so only if the addresses are equal; else it assigns the record to the next LOAD with the
 * record's address or, if there is none, to the previous LOAD with that address.
 *
 * Return: 0 or -ENOMEM.
 */
int jd_groups_read(const struct jd_file *f, const struct jd_repair *how, struct jd_groups *g);
void jd_groups_deinit(struct jd_groups *g);

/* Formats a message and passes it to the callback how->on_change. */
void jd_report_change(const struct jd_repair *how, u64 off, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
