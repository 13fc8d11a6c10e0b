/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A terminal that is controlled by ncurses. Lines must be escaped before they are drawn. */

#include "page.h"

struct screen;

enum screen_key {
	SCREEN_NONE = -1, /* no key was pressed */
	SCREEN_RESIZED = 0x100, /* the size of the terminal has changed */
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_ENTER,
	SCREEN_ESCAPE,
	SCREEN_BACKSPACE,
	SCREEN_OTHER,
};

/* Takes over the terminal on stdin and stdout. Returns 0 or -ENOTSUP (unknown $TERM). */
int screen_new(struct screen **screen);
void screen_free(struct screen **screen);

/* Returns a key, as its ASCII character or one of enum screen_key. Does not wait. */
int screen_key(struct screen *screen);
void screen_size(const struct screen *screen, u32 *width, u32 *height);
void screen_draw(struct screen *screen, const struct top_page *page);
