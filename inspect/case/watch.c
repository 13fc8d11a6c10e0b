// SPDX-License-Identifier: BSD-2-Clause

#include "watch.h"

#include "../util/cleanup.h"
#include "redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void on_read(struct target *target, u64 addr, const void *bytes, size_t len)
{
	struct case_watch *w = target->data;
	enum byte_state state = target->holds == TARGET_OBJECT ? BYTE_NAMED : BYTE_TEXT;
	_cleanup_free_ u8 *blanked = NULL;

	if (w->err)
		return;
	if (target->holds == TARGET_SOURCE && !w->raw) {
		blanked = malloc(len);
		if (!blanked) {
			w->err = -ENOMEM;
			return;
		}
		memcpy(blanked, bytes, len);
		redact_source(blanked, len);
		bytes = blanked;
	}
	w->err = pages_put(w->pages, addr, bytes, len, state);
}

void case_watch_begin(struct case_watch *w, struct target *memory)
{
	memory->data = w;
	memory->on_read = on_read;
}

int case_watch_end(const struct case_watch *w, struct target *memory)
{
	memory->on_read = NULL;
	return w->err;
}
