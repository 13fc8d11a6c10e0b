/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the files of the checker share. */

#include "jd_check.h"
#include "jd_index.h"

struct jd_run {
	const struct jd_file *f;
	const struct jd_check *c;
	u64 off; /* of the record that is looked at */
	struct jdr_record rec; /* it */
	u64 n, last_time, close_off;
	bool is_wall_told, is_future_told, is_shift_told;
	/* What waits for its LOAD: .bytes is NULL when nothing does. */
	struct jdr_record debug, unwind;
	u64 debug_off, unwind_off;
	struct jd_index index;
	void *numbers; /* code indexes that were used */
};

void jd_found(struct jd_run *r, enum jd_rule rule, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* At another place than that of the record. */
void jd_found_at(struct jd_run *r, u64 off, enum jd_rule rule, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void jd_check_header(struct jd_run *r);

/* The record at hand by its kind. 0 or -ENOMEM. */
int jd_check_load(struct jd_run *r);
void jd_check_debug(struct jd_run *r);
void jd_check_unwind(struct jd_run *r);
int jd_check_move(struct jd_run *r);

/* Debug and unwind data that no LOAD took. */
void jd_check_orphans(struct jd_run *r);
