// SPDX-License-Identifier: BSD-2-Clause

/*
 * Names frames of the kernel, of files, and of code without a file. A frame in code without a file
 * gets the name that a JIT wrote, or, if there is none, an address.
 */

#include "../../inspect/util/array.h"
#include "naming_parts.h"

#include <string.h>

int naming_kernel(struct naming *n, const struct uw_frame *f)
{
	struct prof_frame out = { .kind = PROF_KERNEL, .off = f->pc, .has_off = true };
	u64 off;

	if (n->from.kallsyms && !kallsyms_lookup(n->from.kallsyms, uw_frame_lookup_pc(f), n->symbol,
						 sizeof(n->symbol), &off)) {
		out.name = n->symbol;
		out.has_off = false;
	}
	return naming_append(n, &out);
}

/*
 * Finds the frames at an offset of a file, and returns the number of frames. For naming_each(),
 * only the symbols of the file are used, because a replay of the case has the same symbols.
 */
static u32 native_frames(struct naming *n, u32 module, u64 off)
{
	u64 symbol_off;
	u32 count;

	if (!n->fn)
		return modules_frames(n->from.modules, module, off, n->symbol, sizeof(n->symbol),
				      n->native, &count)
			       ? 0
			       : count;
	if (modules_symbol(n->from.modules, module, off, n->symbol, sizeof(n->symbol), &symbol_off))
		return 0;
	n->native[0] = (struct module_frame){ .name = n->symbol };
	return 1;
}

/* The offset at which to look up a frame whose pc is at @off of the file. */
static u64 lookup_off(const struct uw_frame *f, u64 off)
{
	return off - (f->pc - uw_frame_lookup_pc(f));
}

/*
 * Completes a frame without a name; the frame's pc is at @off of the file. @module: 0 if the frame
 * is in no file, and @off is an address.
 */
static void place_unnamed(struct naming *n, const struct uw_frame *f, u32 module, u64 off,
			  struct prof_frame *out)
{
	struct module_start start;

	out->off = off;
	out->has_off = true;
	if (out->inlined || modules_start(n->from.modules, module, lookup_off(f, off), &start))
		return;
	out->start_off = start.off;
	out->addr = start.addr;
}

/* Names a frame in a file; the frame's pc is at @off of the file. @module: 0 if there is no file.
 */
static int append_module(struct naming *n, const struct image *image, const struct uw_frame *f,
			 u32 module, u64 off)
{
	const struct module_info *m = modules_info(n->from.modules, module);
	u32 count = m ? native_frames(n, module, lookup_off(f, off)) : 0;
	int err = 0;

	if (!count)
		n->native[count++] = (struct module_frame){ 0 };
	for (u32 i = 0; !err && i < count; i++) {
		const struct module_frame *native = &n->native[i];
		struct prof_frame out = { .kind = PROF_NATIVE,
					  .name = native->name,
					  .file = native->file,
					  .line = native->line,
					  .column = native->column,
					  .start_line = native->start_line,
					  .module = m ? m->path : NULL,
					  .build_id = m ? m->build_id : NULL,
					  .inlined = native->inlined,
					  .guess = f->flags & UW_FRAME_GUESS,
					  .reason = runtime_reason(f) };

		if (!out.name)
			place_unnamed(n, f, m ? module : 0, m ? off : f->pc, &out);
		else if (n->implied == PROF_ACT_NATIVE)
			n->implied = naming_classify(
				image, &(struct runtime_native){ .function = out.name });
		err = naming_append(n, &out);
	}
	return err;
}

/*
 * Finds the module of a native frame, and the offset of the frame's pc in the file. If the walk had
 * no tables, the module and the offset come from the mappings of the process.
 */
static bool find_module(struct naming *n, struct process *p, const struct uw_frame *f, u32 *module,
			u64 *off)
{
	struct mapping *m;

	if (f->kind == UW_NATIVE) {
		*module = f->aux;
		*off = f->a;
		return f->aux;
	}
	m = p && f->kind == UW_UNKNOWN ? mappings_find(p->maps, uw_frame_lookup_pc(f)) : NULL;
	if (!m || m->is_anon || modules_open(n->from.modules, p, m, module))
		return false;
	*off = f->pc - m->start_addr + m->file_off;
	return true;
}

/* Whether the mapping is of a file in memory; a JIT uses such a file to map its code twice. */
static bool is_memory_file(const struct mapping *m)
{
	static const char *const begins[] = { "/memfd:", "/dev/zero", "/dev/shm/", "/SYSV" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(m->path->text, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/*
 * Whether the files of a JIT may name the frame. If the frame belongs to a runtime that can be
 * read, these files may not name the frame.
 */
static bool may_be_jit(const struct image *image, const struct uw_frame *f)
{
	u32 r = runtime_of_frame(f);

	if (r < N_RUNTIMES)
		return image->runtimes[r] && image->runtimes[r]->build->why;
	return f->kind == UW_NATIVE || f->kind == UW_UNKNOWN;
}

/* Whether the code of a frame is in no binary, so that a JIT may have written this code. */
static bool is_jit_code(struct naming *n, struct process *p, const struct image *image,
			const struct uw_frame *f)
{
	const struct module_info *info;
	struct mapping *m;
	u32 module;

	if (n->fn || !p || !image || !may_be_jit(image, f))
		return false;
	info = f->kind == UW_NATIVE && f->aux ? modules_info(n->from.modules, f->aux) : NULL;
	if (info)
		return !info->is_elf;
	m = mappings_find(p->maps, uw_frame_lookup_pc(f));
	if (!m || m->is_anon || !m->inode)
		return m && (m->is_anon || strcmp(m->path->text, "[vdso]") != 0);
	if (modules_open(n->from.modules, p, m, &module))
		return is_memory_file(m);
	info = modules_info(n->from.modules, module);
	return info && !info->is_elf;
}

/*
 * Names a frame by the files of the process's JIT. A JIT may put other code into memory that it has
 * freed, so the name of an address is right for this sample only. Return: 0, 1 if the files have no
 * name, or a negative errno.
 */
static int append_jit(struct naming *n, struct image *image, const struct uw_sample *s,
		      const struct uw_frame *f, bool is_in_file)
{
	struct prof_frame out = { .kind = PROF_JIT, .guess = f->flags & UW_FRAME_GUESS };
	struct jit_code code = { 0 };
	const char *why = NULL;

	n->is_momentary = true;
	if (!image->jit)
		return 1;
	jit_names_find(image->jit, uw_frame_lookup_pc(f), s->time_ns, &code, &why);
	if (code.name) {
		out.name = code.name;
		out.file = code.file;
		out.line = code.line;
		out.column = code.column;
		return naming_append(n, &out);
	}
	if (!why || (is_in_file && !code.start_addr))
		return 1;
	out.off = f->pc;
	out.has_off = true;
	out.start_off = code.start_addr;
	out.reason = why;
	return naming_append(n, &out);
}

int naming_jit(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
	       const struct uw_frame *f)
{
	return is_jit_code(n, p, image, f) ? append_jit(n, image, s, f, true) : 1;
}

int naming_native(struct naming *n, struct process *p, struct image *image,
		  const struct uw_sample *s, const struct uw_frame *f)
{
	bool is_in_file;
	u32 module = 0;
	u64 off = 0;
	int err = 1;

	is_in_file = find_module(n, p, f, &module, &off);
	if (is_jit_code(n, p, image, f))
		err = append_jit(n, image, s, f, is_in_file);
	if (err <= 0)
		return err;
	return is_in_file ? append_module(n, image, f, module, off)
			  : append_module(n, image, f, 0, 0);
}

bool naming_is_ready(struct naming *n, struct process *p, struct image *image,
		     const struct uw_sample *s)
{
	bool is_ready = true;
	u32 module;
	u64 off;

	for (u32 i = s->n_kernel; i < s->n_frames; i++) {
		const struct uw_frame *f = &s->frames[i];

		if (is_jit_code(n, p, image, f))
			is_ready &= !image_jit(image) || jit_names_poll(image->jit, p, s);
		else if (find_module(n, p, f, &module, &off) &&
			 !modules_is_ready(n->from.modules, s->pid, module, lookup_off(f, off)))
			is_ready = false; /* also check the other frames, so that the data for all
					   * frames is requested at once */
	}
	return is_ready;
}
