/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys.h"

#include <stdio.h>
#include <string.h>

#include "../../inspect/util/term.h"
#include "screen.h"

#define PAGE 10 /* rows */

static void scroll(struct top_keys *k, long by, u32 n_rows)
{
	long to = (long)k->choice.skip + by;

	if (to >= (long)n_rows)
		to = (long)n_rows - 1;
	k->choice.skip = to > 0 ? (u32)to : 0;
}

static bool scroll_by_key(struct top_keys *k, int key, u32 n_rows)
{
	switch (key) {
	case SCREEN_UP:
		scroll(k, -1, n_rows);
		return true;
	case SCREEN_DOWN:
		scroll(k, 1, n_rows);
		return true;
	case SCREEN_PAGE_UP:
		scroll(k, -PAGE, n_rows);
		return true;
	case SCREEN_PAGE_DOWN:
		scroll(k, PAGE, n_rows);
		return true;
	case SCREEN_HOME:
		k->choice.skip = 0;
		return true;
	default:
		return false;
	}
}

/* Enter keeps the filter, Escape removes it. */
static void type(struct top_keys *k, int key)
{
	char *filter = k->choice.filter;
	size_t len = strlen(filter);

	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE)
		k->is_typing = false;
	if (key == SCREEN_ESCAPE)
		filter[0] = 0;
	if (key == SCREEN_BACKSPACE && len)
		filter[len - 1] = 0;
	if (key >= ' ' && key < SCREEN_RESIZED && len + 1 < sizeof(k->choice.filter)) {
		filter[len] = (char)key;
		filter[len + 1] = 0;
	}
	k->choice.skip = 0;
}

static void choose(struct top_keys *k, enum top_table table)
{
	k->choice.table = table;
	k->choice.skip = 0;
}

enum top_action top_keys_press(struct top_keys *k, int key, u32 n_rows)
{
	if (scroll_by_key(k, key, n_rows))
		return TOP_CONTINUE;
	if (k->is_typing) {
		type(k, key);
		return TOP_CONTINUE;
	}
	switch (key) {
	case 'q':
		return TOP_QUIT;
	case 's':
		return TOP_SAVE;
	case 'f':
		choose(k, TOP_FUNCTIONS);
		break;
	case 'p':
		choose(k, TOP_PROCESSES);
		break;
	case 't':
		choose(k, TOP_THREADS);
		break;
	case 'o':
		k->choice.order = (k->choice.order + 1) % TOP_N_ORDERS;
		break;
	case '/':
		k->is_typing = true;
		break;
	case SCREEN_ESCAPE:
		k->choice.filter[0] = 0;
		break;
	case ' ':
		k->is_frozen = !k->is_frozen;
	}
	return TOP_CONTINUE;
}

void top_keys_foot(const struct top_keys *k, char foot[TOP_KEYS_FOOT_LEN])
{
	const char *order = top_order_names[k->choice.order];
	char filter[TOP_FILTER_LEN * 2];

	term_escape(k->choice.filter, filter, sizeof(filter));
	if (k->is_typing)
		snprintf(foot, TOP_KEYS_FOOT_LEN, "filter: %s_  (Enter keeps it, Esc removes it)",
			 filter);
	else if (k->is_frozen)
		snprintf(foot, TOP_KEYS_FOOT_LEN, "FROZEN (space continues)  q quit  o:%s  s save",
			 order);
	else if (filter[0])
		snprintf(foot, TOP_KEYS_FOOT_LEN,
			 "filter: %s (Esc removes it)  q quit  o:%s  s save", filter, order);
	else
		snprintf(foot, TOP_KEYS_FOOT_LEN,
			 "q quit  f/p/t table  o:%s  / filter  space freeze  s save", order);
}
