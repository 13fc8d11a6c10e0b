/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The lines that `unspool top` shows, in text without control characters. The same lines go to a
 * screen or, without a terminal, to a stream.
 *
 *	server.js  (node 24.21.0, pid 812)      last 10 s  0.98 CPUs
 *	JS 71.2 %  GC 12.4 %  native 6.0 %  kernel 7.3 %
 *	   self   total  function          where
 *	  23.1 %  41.0 %  render            /srv/app/view.js:88
 *	complete 99.6 %  truncated 0.3 %  failed 0.1 %  lost 0
 *	q quit  f/p/t table  o order  / filter  space freeze  s save
 */

#include "../profile/data.h"

enum top_table { TOP_FUNCTIONS, TOP_PROCESSES, TOP_THREADS, TOP_N_TABLES };
enum top_order { TOP_BY_SELF, TOP_BY_TOTAL, TOP_BY_NAME, TOP_N_ORDERS };

/* Option arguments, in the order of the enum values. */
extern const char *const top_table_names[TOP_N_TABLES], *const top_order_names[TOP_N_ORDERS];

#define TOP_FILTER_LEN 64
#define TOP_MIN_WIDTH 60

/* The choices of the user. */
struct top_choice {
	enum top_table table;
	enum top_order order;
	char filter[TOP_FILTER_LEN]; /* a part of the names or places to show; empty: all */
	u32 skip; /* number of rows that are scrolled away */
	u32 rows; /* maximum number of rows; 0: all that fit */
};

enum top_style { TOP_PLAIN, TOP_HEAD, TOP_COLUMNS, TOP_FOOT };

struct top_line {
	char *text;
	enum top_style style;
};

struct top_page {
	struct top_line *v;
	u32 n, room;
	u32 n_rows; /* number of rows of the table, shown or not */
};

/**
 * top_page_make() - make the lines for the samples of a window
 * @page:	replaces the earlier lines; { 0 } at first; free with top_page_deinit()
 * @name:	of the recording, used if the window has several processes or no sample
 * @width:	columns; REPORT_UNLIMITED: lines are not cut
 * @height:	maximum number of lines
 * @foot:	text of the last line; NULL: no such line
 *
 * Return: 0, -ENOMEM or -ENOSPC.
 */
int top_page_make(struct top_page *page, const struct prof_data *window, const char *name,
		  const struct top_choice *choice, u32 width, u32 height, const char *foot);
void top_page_deinit(struct top_page *page);
