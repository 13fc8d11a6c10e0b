/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

/* The offset that identifies the function of a frame without a name; 0: none. */
static u64 function_off(const struct prof_frame *f, bool with_off)
{
	return f->start_off ? f->start_off : with_off && f->has_off ? f->off : 0;
}

static char *name_in_module(const struct prof_frame *f, bool with_off)
{
	const char *slash = strrchr(f->module, '/'), *base = slash ? slash + 1 : f->module;
	u64 off = function_off(f, with_off);
	char *name;
	int n = off ? asprintf(&name, "%s+0x%llx", base, off) : asprintf(&name, "[%s]", base);

	return n < 0 ? NULL : name;
}

char *frame_name(const struct prof_frame *f, bool with_off)
{
	const char *kind = prof_kind_name(f->kind);
	u64 start = function_off(f, with_off);
	char *name, off[32] = "";

	if (f->name && f->name[0])
		return strdup(f->name);
	if (f->module && f->module[0])
		return name_in_module(f, with_off);
	if (start)
		snprintf(off, sizeof(off), " 0x%llx", start);
	if (asprintf(&name, "[%s%s%s%s]", kind ? kind : "unknown", off, f->reason ? ": " : "",
		     f->reason ? f->reason : "") < 0)
		return NULL;
	return name;
}
