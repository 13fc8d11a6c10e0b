/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * libiberty prints piece by piece into a callback and has no way to be stopped,
 * while substitutions ("pair<T, T>" of "pair<T, T>" of ...) double the text with
 * every few bytes. So the callback jumps out when the room is used up. The C++
 * printer holds no memory at that point: with a callback its parts live on the
 * stack. The Rust one can lose one decoded identifier.
 */

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "demangle.h"

/* Longer than any symbol of Node.js, .NET or Rust's library; keeps the parser's stack small. */
#define MAX_MANGLED 4096

struct room {
	char *dst;
	size_t len, used;
	jmp_buf full;
};

static void put(const char *text, size_t n, void *data)
{
	struct room *room = data;

	if (n >= room->len - room->used)
		longjmp(room->full, 1);
	memcpy(room->dst + room->used, text, n);
	room->used += n;
	room->dst[room->used] = 0;
}

static bool try_print(const char *mangled, struct room *room)
{
	const int cxx = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;

	if (setjmp(room->full))
		return false;
	if (rust_demangle_callback(mangled, 0, put, room))
		return true;
	room->used = 0;
	return cplus_demangle_v3_callback(mangled, cxx, put, room);
}

void demangle(const char *mangled, char *dst, size_t len)
{
	struct room room = { .dst = dst, .len = len };
	bool is_mangled = !strncmp(mangled, "_Z", 2) || !strncmp(mangled, "_R", 2);

	if (is_mangled && strnlen(mangled, MAX_MANGLED) < MAX_MANGLED &&
	    try_print(mangled, &room) && room.used)
		return;
	snprintf(dst, len, "%s", mangled);
}
