// SPDX-License-Identifier: BSD-2-Clause

#include "dotnet_frame.h"

#include <errno.h>

static void name_stub(struct dotnet_frame *d, u32 kind)
{
	d->is_stub = true;
	d->text = dotnet_stub_name(kind);
	if (!d->text)
		d->reason = "unnamed runtime code";
}

static void name_method(struct dotnet_frame *d, struct dotnet_runtime *rt,
			const struct dotnet_code *code)
{
	if (dotnet_name_get(rt, code, &d->name))
		d->reason = d->name.reason ? d->name.reason : "name unreadable";
	else
		d->text = d->name.name;
	d->tier = dotnet_tier_name(dotnet_tier_get(rt, code));
}

void dotnet_frame_name(struct dotnet_frame *d, struct dotnet_runtime *rt, const struct uw_frame *f)
{
	struct dotnet_code code;
	u64 pc = uw_frame_lookup_pc(f);
	int err;

	d->name.module[0] = d->line.file[0] = '\0';
	d->line.line = d->line.start_line = d->line.start_column = 0;
	d->name.is_dynamic = d->is_stub = false;
	d->name.reason = d->text = d->tier = d->reason = NULL;
	err = f->kind == UW_DOTNET_STUB && f->a != DOTNET_STUB_UNKNOWN
		      ? -ENOENT
		      : dotnet_code_find(rt, pc, &code);
	if (f->kind == UW_DOTNET_STUB && (err || code.kind == DOTNET_STUB)) {
		name_stub(d, err ? (u32)f->a : code.stub_kind);
		return;
	}
	if (f->kind == UW_DOTNET_METHOD && f->b && (err || code.method_desc != f->b)) {
		code = (struct dotnet_code){ .kind = DOTNET_METHOD,
					     .start_addr = f->a,
					     .method_desc = f->b };
		name_method(d, rt, &code);
		return;
	}
	if (err) {
		d->reason = "code no longer present";
		return;
	}
	name_method(d, rt, &code);
	if (dotnet_line_get(rt, &code, pc, &d->line))
		d->line.file[0] = '\0';
}
