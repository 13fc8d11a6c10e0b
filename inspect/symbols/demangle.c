/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * libiberty prints piece by piece into a callback and cannot be stopped, although substitutions
 * ("pair<T, T>" of "pair<T, T>" of ...) double the text with every few bytes. Therefore the
 * callback leaves the printer by longjmp() when the output buffer is full. The C++ printer has
 * allocated no heap memory then, because with a callback it keeps the parts of the name on the
 * stack. The Rust printer can leak one decoded identifier.
 *
 * The printer also does work that prints nothing. To find the pack of a pack expansion ("T..."),
 * the printer visits the whole type, and visits a substitution each time the substitution is used.
 * Therefore a C++ name is parsed first, the parts that the printer would visit are counted, and a
 * name with too many parts is not printed at all.
 */

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "../../core/types.h"
#include "../util/cleanup.h"
#include "demangle.h"

/*
 * The limit is longer than any symbol of Node.js, .NET or Rust's library, and keeps the parser's
 * stack small.
 */
#define MAX_MANGLED 4096

/* Maximum number of parts of a name, each counted once per use; a text of 1 KiB has hundreds. */
#define MAX_PARTS 16384
#define MAX_NESTING 1024

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

static bool is_leaf(const struct demangle_component *c)
{
	switch (c->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_FIXED_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
	case DEMANGLE_COMPONENT_CTOR:
	case DEMANGLE_COMPONENT_DTOR:
		return true;
	default:
		return false;
	}
}

static bool has_one_below(const struct demangle_component *c)
{
	/* the right member of these components is a number, not a part */
	return c->type == DEMANGLE_COMPONENT_LAMBDA || c->type == DEMANGLE_COMPONENT_DEFAULT_ARG;
}

/* Counts a part and all parts below it. Returns false if there are more than @left. */
static bool count_parts(const struct demangle_component *c, u32 nesting, u32 *left)
{
	if (!c)
		return true;
	if (!*left || nesting == MAX_NESTING)
		return false;
	(*left)--;
	if (is_leaf(c))
		return true;
	return count_parts(c->u.s_binary.left, nesting + 1, left) &&
	       (has_one_below(c) || count_parts(c->u.s_binary.right, nesting + 1, left));
}

static bool print(const char *mangled, struct demangle_component *parts, struct room *room)
{
	const int cxx = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;
	u32 left = MAX_PARTS;

	if (setjmp(room->full))
		return false;
	if (!parts)
		return rust_demangle_callback(mangled, 0, put, room);
	return count_parts(parts, 0, &left) && cplus_demangle_print_callback(cxx, parts, put, room);
}

/* Prints a name. Rust's older names look like C++ names, so the Rust demangler is tried first. */
static bool try_print(const char *mangled, struct room *room)
{
	_cleanup_free_ void *mem = NULL;
	struct demangle_component *parts;

	if (print(mangled, NULL, room))
		return true;
	room->used = 0;
	parts = cplus_demangle_v3_components(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP,
					     &mem);
	return parts && print(mangled, parts, room);
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
