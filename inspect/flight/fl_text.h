/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Formats entries as lines of text. */

#include <stdio.h>

#include "fl_ring.h"
#include "fl_tables.h"

/**
 * fl_text_entry() - print one line, without its newline
 *
 *	#12 begin    time 81.200531007  process 812/815  pc 0x7f12..  sp 0x7ffd..  fp 0x1
 *	#12 miss     pc 0x7f12..  module 3  value 0x1200: no unwind row, so its caller is a guess;
 *offset
 */
void fl_text_entry(const struct fl_tables *t, const struct fl_entry *e, FILE *out);

/* Prints all words of an entry, 16 hex digits each. */
void fl_text_words(const struct fl_entry *e, FILE *out);
