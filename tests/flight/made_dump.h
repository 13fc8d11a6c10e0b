/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A dump of two CPUs with everything that a dump can contain: walks of two threads, one that moved
 * to the other CPU, one without an end, one whose begin was overwritten, an entry of several slots,
 * names that are not UTF-8, cases that are not cases. Times are constants.
 */

#include <stdio.h>
#include <string.h>

#include "../../core/uw_status.h"
#include "../../inspect/flight/fl_chrome.h"
#include "../../inspect/flight/fl_dump.h"
#include "rings.h"

#define MADE_BASE 5000000000ull /* begin time of the first walk */

/* The length is a multiple of 8, because this case is at the end of the file. */
static const char made_case[65] = "another case, of 64 bytes ................................. end";

struct made_walk {
	u64 begin_ns, took_ns; /* begin: after MADE_BASE; took 0: a walk without an end */
	u32 pid, tid, n_steps, status;
};

static const struct made_walk made_walks[2][4] = {
	{ { 0, 1500, 7, 8, 3, UW_END },
	  { 2000, 4210, 7, 9, 17, UW_T_NO_ROW },
	  { 9007, 1, 7, 9, 5, UW_E_FAULT } },
	{ { 1600, 100, 7, 8, 0, UW_END }, { 1800, 0, 7, 8, 2, 0 }, { 1810, 3, 7, 8, 1, UW_END } },
};

static inline void made_walk(struct flight_ring *r, const struct made_walk *w)
{
	u64 begin = MADE_BASE + w->begin_ns, process = (u64)w->pid << 32 | w->tid;
	u64 fault[3] = { 0x7fff0000, 8, (u64)-14 }, code[20] = { 0x1000, 144 };

	r->walk++;
	flight_put(r, FLIGHT_BEGIN, 0, (u64[]){ begin, process, 0x1000, 0x2000, 0x3000 }, 5);
	for (u64 i = 0; i < w->n_steps; i++)
		flight_put(r, FLIGHT_STEP, FLIGHT_NO_TIME | i << 32,
			   (u64[]){ 0x1000 + i, 0x2000 + 16 * i, 0x3000, i, ~0ull }, 5);
	if (w->status == UW_E_FAULT) {
		flight_put(r, FLIGHT_FAULT, FLIGHT_NO_TIME, fault, 3);
		flight_put(r, FLIGHT_READ, FLIGHT_NO_TIME, code, 20);
	}
	if (w->took_ns)
		flight_put(r, FLIGHT_END | FLIGHT_STOP << 8, w->took_ns,
			   (u64[]){ begin + w->took_ns, w->status, w->n_steps, 0x7fff0000, 4 }, 5);
}

/* @names: FL_NAMES_MIN words, all zero */
static inline void made_names(struct fl_names *names)
{
	fl_names_add(names, FL_NAMES_MIN, FL_NAME_PROCESS, 7ull << 32, 1, "server \"js\"", 11);
	fl_names_add(names, FL_NAMES_MIN, FL_NAME_THREAD, 7ull << 32 | 8, 1, "no\xff utf8\n", 9);
	fl_names_add(names, FL_NAMES_MIN, FL_NAME_CODE, 0x1000, 1, "render", 6);
}

/* @out: the whole file; the caller frees it */
static inline int made_dump(char **out, size_t *len)
{
	static u64 memory[8 + FL_NAMES_MIN];
	struct fl_names *names = memset(memory, 0, sizeof(memory));
	struct fl_dump_ring rings[2];
	struct fl_dump d = { .rings = rings,
			     .n_rings = 2,
			     .names = names,
			     .n_name_words = FL_NAMES_MIN,
			     .cases = { { 7, UW_E_FAULT, (const u8 *)"one case", 8, 0 },
					{ 9, UW_T_NO_ROW, NULL, 0, FL_CASE_GONE },
					{ (1 << 22) - 1, UW_T_NO_ROW, (const u8 *)made_case, 64,
					  0 } },
			     .n_cases = 3,
			     .monotonic_ns = MADE_BASE,
			     .realtime_ns = 1 };
	FILE *f = open_memstream(out, len);
	int err;

	fl_tables_init(&d.tables);
	made_names(names);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		rings[cpu] = (struct fl_dump_ring){ cpu, ring_new(cpu ? 16 : 32) };
		for (u32 i = 0; i < 4; i++)
			if (made_walks[cpu][i].pid)
				made_walk(fl_thread.ring, &made_walks[cpu][i]);
	}
	flight_log(FLIGHT_TABLES, FLIGHT_START, 0, (u64[]){ MADE_BASE + 50, 7ull << 32 | 7, 3 }, 3);
	d.control = control;
	err = f ? fl_dump_write(&d, f) : -1;
	if (f)
		fclose(f);
	ring_free(&rings[0].ring);
	ring_free(&rings[1].ring);
	return err;
}
