// SPDX-License-Identifier: BSD-2-Clause

#include "name_dotnet.h"

#include "../case/stack.h"

static bool is_code(const struct case_mapping *m)
{
	return m->map.kind == UW_MAP_DOTNET_JIT || m->map.kind == UW_MAP_DOTNET_R2R;
}

/* Is it the runtime's file? Then it is open. */
static bool take_file(struct sim_dotnet *d, struct elf_file *elf, const struct case_mapping *m)
{
	u64 bias;

	if (elf_file_bias(elf, m->map.start_addr, m->map.file_off, &bias))
		return false;
	if (!dotnet_build_new(&d->build, elf) &&
	    !dotnet_runtime_new(&d->runtime, d->build, &d->memory.target, bias))
		return true;
	dotnet_build_free(&d->build);
	return false;
}

void sim_dotnet_open(struct sim_dotnet *d, const struct case_file *c,
		     struct elf_file *(*open)(const struct case_mapping *m))
{
	bool has_code = false;

	*d = (struct sim_dotnet){ 0 };
	case_target_init(&d->memory, c);
	for (u32 i = 0; i < c->n_mappings; i++)
		has_code |= is_code(&c->mappings[i]);
	for (u32 i = 0; has_code && !d->runtime && i < c->n_mappings; i++) {
		struct elf_file *elf = open(&c->mappings[i]);

		if (elf)
			take_file(d, elf, &c->mappings[i]);
		elf_file_free(&elf);
	}
}

void sim_dotnet_deinit(struct sim_dotnet *d)
{
	dotnet_runtime_free(&d->runtime);
	dotnet_build_free(&d->build);
}

int sim_dotnet_add(struct sim_dotnet *d, const struct uw_frame *f, struct case_frames *out)
{
	const struct dotnet_frame *named = &d->frame;
	struct case_frame frame = { .pc = f->pc,
				    .kind = f->kind == UW_DOTNET_STUB ? "stub" : "dotnet",
				    .guess = f->flags & UW_FRAME_GUESS,
				    .reason = "the runtime's file is not here" };

	if (d->runtime) {
		dotnet_frame_name(&d->frame, d->runtime, f);
		frame.kind = named->is_stub ? "stub" : "dotnet";
		frame.name = named->text;
		frame.module = named->name.module[0] ? named->name.module : NULL;
		frame.file = named->line.file[0] ? named->line.file : NULL;
		frame.line = named->line.line;
		frame.tier = named->tier;
		frame.reason = f->status ? sim_status_words(f->status) : named->reason;
	}
	if (!frame.name)
		frame.off = f->pc;
	return case_frames_add(out, &frame);
}
