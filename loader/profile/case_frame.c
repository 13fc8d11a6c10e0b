// SPDX-License-Identifier: BSD-2-Clause

#include "case_frame.h"

#include "kinds.h"

struct case_frame case_frame_of(const struct prof_frame *f, u64 pc)
{
	return (struct case_frame){ .pc = pc,
				    .kind = prof_kind_name(f->kind),
				    .name = f->name,
				    .file = f->file,
				    .module = f->module,
				    .build_id = f->build_id,
				    .tier = f->tier,
				    .reason = f->reason,
				    .off = f->has_off ? f->off : 0,
				    .line = f->line,
				    .column = f->column,
				    .inlined = f->inlined,
				    .async = f->async,
				    .guess = f->guess };
}
