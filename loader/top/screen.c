/* SPDX-License-Identifier: BSD-2-Clause */
#include "screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE 27
#define DELETE 127
#define ESCAPE_MS 25 /* maximum time between the bytes of one key */

struct screen {
	SCREEN *terminal;
};

/* ncurses prints UTF-8 only in a locale with that encoding. */
static void use_utf8(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

int screen_new(struct screen **screen)
{
	struct screen *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	use_utf8();
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal) {
		free(s);
		return -ENOTSUP;
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	*screen = s;
	return 0;
}

void screen_free(struct screen **screen)
{
	struct screen *s = *screen;

	if (!s)
		return;
	endwin();
	delscreen(s->terminal);
	free(s);
	*screen = NULL;
}

int screen_key(struct screen *screen)
{
	int key = getch();

	(void)screen;
	switch (key) {
	case ERR:
		return SCREEN_NONE;
	case KEY_RESIZE:
		return SCREEN_RESIZED;
	case KEY_UP:
		return SCREEN_UP;
	case KEY_DOWN:
		return SCREEN_DOWN;
	case KEY_PPAGE:
		return SCREEN_PAGE_UP;
	case KEY_NPAGE:
		return SCREEN_PAGE_DOWN;
	case KEY_HOME:
		return SCREEN_HOME;
	case KEY_ENTER:
	case '\r':
	case '\n':
		return SCREEN_ENTER;
	case ESCAPE:
		return SCREEN_ESCAPE;
	case KEY_BACKSPACE:
	case DELETE:
	case '\b':
		return SCREEN_BACKSPACE;
	default:
		return key < ' ' || key >= DELETE ? SCREEN_OTHER : key;
	}
}

void screen_size(const struct screen *screen, u32 *width, u32 *height)
{
	(void)screen;
	*width = (u32)getmaxx(stdscr);
	*height = (u32)getmaxy(stdscr);
}

void screen_draw(struct screen *screen, const struct top_page *page)
{
	static const attr_t attributes[] = { [TOP_PLAIN] = A_NORMAL,
					     [TOP_HEAD] = A_BOLD,
					     [TOP_COLUMNS] = A_REVERSE,
					     [TOP_FOOT] = A_DIM };

	(void)screen;
	erase();
	for (u32 i = 0; i < page->n && i < (u32)getmaxy(stdscr); i++) {
		attrset(attributes[page->v[i].style]);
		mvaddstr((int)i, 0, page->v[i].text);
	}
	attrset(A_NORMAL);
	refresh();
}
