/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Declarations shared by the files of the checker. */

#include "jd_check.h"
#include "jd_index.h"

struct jd_run {
	const struct jd_file *f;
	const struct jd_check *c;
	u64 off; /* file offset of the current record */
	struct jdr_record rec; /* the current record */
	u64 n, last_time, close_off;
	bool is_wall_reported, is_future_reported, is_shift_reported;
	/* Pending records for the next LOAD; .bytes is NULL if there is none. */
	struct jdr_record debug, unwind;
	u64 debug_off, unwind_off;
	struct jd_index index;
	void *numbers; /* tsearch() tree of all code indexes so far */
};

void jd_found(struct jd_run *r, enum jd_rule rule, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports a finding at @off instead of at the current record. */
void jd_found_at(struct jd_run *r, u64 off, enum jd_rule rule, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void jd_check_header(struct jd_run *r);

/* Check the current record; one function for each kind. Return: 0 or -ENOMEM. */
int jd_check_load(struct jd_run *r);
void jd_check_debug(struct jd_run *r);
void jd_check_unwind(struct jd_run *r);
int jd_check_move(struct jd_run *r);

/* Reports pending debug and unwind data that no LOAD follows. */
void jd_check_orphans(struct jd_run *r);
