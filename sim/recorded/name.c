// SPDX-License-Identifier: BSD-2-Clause

#include "name.h"

#include "../../inspect/case/case_target.h"
#include "../../inspect/go/go_frames.h"
#include "../../inspect/symbols/symbols.h"
#include "../../inspect/util/cleanup.h"
#include "../../loader/profile/case_frame.h"
#include "../../loader/runtime/runtimes.h"
#include "../case/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TABLES 32
#define RUNTIME_LEN 64

struct naming {
	const struct case_file *c;
	const struct sim_listener *listener; /* NULL: none */
	struct case_frames *out;
	struct runtime_build *builds[N_RUNTIMES];
	struct runtime *runtimes[N_RUNTIMES]; /* NULL: no such runtime, or no file of it */
	u64 pc; /* pc of the frame that is being named */
	struct {
		u32 module;
		struct symbols *symbols; /* NULL: none */
		bool is_unreadable; /* the symbols of the module's file can't be read */
	} tables[MAX_TABLES];
	u32 n_tables;
};

static void naming_deinit(struct naming *n)
{
	for (u32 r = 0; r < N_RUNTIMES; r++) {
		runtime_free(&n->runtimes[r]);
		runtime_build_free(&n->builds[r]);
	}
	for (u32 i = 0; i < n->n_tables; i++)
		symbols_free(&n->tables[i].symbols);
}

/*
 * Returns @err only if this process has run out of memory or descriptors; such an error ends the
 * naming. If a file is missing or unreadable, only some frames have no names.
 */
static int or_no_room(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE ? err : 0;
}

/* Does the error of an open mean that this machine does not have the file? */
static bool is_missing(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -EACCES || err == -EPERM;
}

/*
 * Opens @path if it is the file that was mapped; else sets *elf to NULL. Return: 0, also if the
 * file is missing, or a negative errno.
 */
static int open_as(struct elf_file **elf, const struct case_mapping *m, const char *path)
{
	int err;

	*elf = NULL;
	if (!path || !m->build_id)
		return 0;
	err = elf_file_open(elf, path);
	if (err)
		return is_missing(err) ? 0 : err;
	if (!elf_file_build_id(*elf) || strcmp(elf_file_build_id(*elf), m->build_id) != 0)
		elf_file_free(elf);
	return 0;
}

static int open_file(struct elf_file **elf, const struct naming *n, const struct case_mapping *m)
{
	int err = open_as(elf, m, m->path);

	return err || *elf || !n->listener ? err : open_as(elf, m, n->listener->file);
}

static const struct case_mapping *mapping_of(const struct case_file *c, u32 module)
{
	for (u32 i = 0; i < c->n_mappings; i++)
		if (c->mappings[i].map.module == module)
			return &c->mappings[i];
	return NULL;
}

/*
 * Sets *symbols to the symbols of a module, or to NULL. Sets *is_unreadable if the module's file is
 * there, but its symbols can't be read.
 */
static int symbols_of(const struct symbols **symbols, bool *is_unreadable, struct naming *n,
		      u32 module, const struct case_mapping *m)
{
	struct elf_file *elf = NULL;
	u32 i = 0;
	int err;

	*symbols = NULL;
	while (i < n->n_tables && n->tables[i].module != module)
		i++;
	if (i == MAX_TABLES)
		return 0;
	if (i == n->n_tables) {
		n->tables[n->n_tables++].module = module;
		err = open_file(&elf, n, m);
		if (!err && elf)
			err = symbols_new(&n->tables[i].symbols, elf, elf, go_symbols);
		elf_file_free(&elf);
		if (err) {
			n->tables[i].symbols = NULL;
			n->tables[i].is_unreadable = true;
			if (or_no_room(err))
				return err;
		}
	}
	*symbols = n->tables[i].symbols;
	*is_unreadable = n->tables[i].is_unreadable;
	return 0;
}

static int add_native(struct naming *n, const struct uw_frame *f)
{
	const struct case_mapping *m = f->aux ? mapping_of(n->c, f->aux) : NULL;
	const struct symbols *symbols = NULL;
	bool is_unreadable = false;
	u64 lookup = f->a - (f->pc - uw_frame_lookup_pc(f)), off;
	char name[SYMBOLS_NAME_LEN];
	struct case_frame out = { .pc = f->pc,
				  .kind = "native",
				  .module = m ? m->path : NULL,
				  .build_id = m ? m->build_id : NULL,
				  .guess = f->flags & UW_FRAME_GUESS,
				  .off = m ? f->a : f->pc,
				  .reason = f->status ? sim_status_words(f->status) : NULL };
	int err = m ? symbols_of(&symbols, &is_unreadable, n, f->aux, m) : 0;

	if (err)
		return err;
	err = symbols ? symbols_lookup_file_off(symbols, lookup, name, sizeof(name), &off)
		      : -ENOENT;
	if (!err) {
		out.name = name;
		out.off = 0;
	} else if ((is_unreadable || err != -ENOENT) && !out.reason) {
		out.reason = "the symbols of the module can't be read";
	}
	return case_frames_add(n->out, &out);
}

static int add(const struct prof_frame *f, void *data)
{
	struct naming *n = data;
	struct case_frame frame = case_frame_of(f, n->pc);

	return case_frames_add(n->out, &frame);
}

/* Names a frame of runtime @r. */
static int add_managed(struct naming *n, const struct uw_sample *s, u32 i, u32 r)
{
	struct runtime *rt = n->runtimes[r];
	struct prof_frame unnamed =
		runtime_unnamed(runtimes[r], &s->frames[i], "the runtime's file was not found");
	int err = rt ? runtimes[r]->name(rt, s, i, add, n) : RUNTIME_GONE;

	return err == RUNTIME_GONE ? add(&unnamed, n) : err;
}

/* Opens runtime @r if @m is a mapping of the runtime's file. */
static int try_file(struct naming *n, u32 r, const struct case_mapping *m)
{
	struct runtime_home home = { .module = m->map.module };
	struct elf_file *elf;
	int err = open_file(&elf, n, m);

	if (err || !elf)
		return or_no_room(err);
	home.has_bias = !elf_file_bias(elf, m->map.start_addr, m->map.file_off, &home.bias);
	err = runtime_build_new(&n->builds[r], runtimes[r], elf, 0);
	if (!err)
		err = runtime_open(&n->runtimes[r], n->builds[r], &home);
	if (err)
		runtime_build_free(&n->builds[r]);
	elf_file_free(&elf);
	return or_no_room(err);
}

static int place(const struct naming *n, u32 r)
{
	struct map_list l = { 0 };
	int err = 0;

	for (u32 i = 0; i < n->c->n_mappings && !err; i++)
		err = map_list_push(&l, &n->c->mappings[i].map);
	if (!err && runtimes[r]->place)
		err = runtimes[r]->place(n->runtimes[r], &l);
	free(l.v);
	return err;
}

static int open_runtime(struct naming *n, u32 r, struct target *memory)
{
	bool has_code = false;
	int err = 0;

	for (u32 i = 0; i < n->c->n_mappings; i++)
		has_code |= n->c->mappings[i].map.kind != UW_MAP_NATIVE;
	for (u32 i = 0; has_code && !err && !n->runtimes[r] && i < n->c->n_mappings; i++)
		err = try_file(n, r, &n->c->mappings[i]);
	if (err || !n->runtimes[r])
		return err;
	n->runtimes[r]->memory = memory;
	err = place(n, r);
	if (!err && n->listener && runtimes[r]->explain)
		runtimes[r]->explain(n->runtimes[r], n->listener->asked, n->listener->ctx);
	return err;
}

static int add_frame(struct naming *n, const struct uw_sample *s, u32 i)
{
	u32 r = runtime_of_frame(&s->frames[i]), first = n->out->n;
	int err;

	n->pc = s->frames[i].pc;
	err = r < N_RUNTIMES ? add_managed(n, s, i, r) : add_native(n, &s->frames[i]);
	if (!err && n->listener)
		n->listener->named(n->listener->ctx, i, n->out->v + first, n->out->n - first);
	return err;
}

/* Sets the registers that V8's names need, as arch_take_regs() in bpf/arch does. */
void sim_take_regs(const struct case_file *core, struct uw_sample *s)
{
	static const u8 interp[CASE_N_ARCHS][2] = { { 8, 3 }, { 19, 20 } };
	static const u8 callee[CASE_N_ARCHS] = { 14, 1 };

	s->sp = core->regs.sp;
	s->fp = core->regs.fp;
	s->pc = core->regs.pc;
	s->lr = core->regs.lr;
	for (u32 i = 0; i < 2; i++)
		s->interp[i] = core->regs.all[interp[core->arch][i]];
	s->callee = core->regs.all[callee[core->arch]];
	if (case_bytes(core, s->sp, s->sp_words, sizeof(s->sp_words)))
		memset(s->sp_words, 0, sizeof(s->sp_words));
}

int sim_name_frames(const struct case_file *c, const struct uw_sample *s, struct target *memory,
		    const struct sim_listener *listener, char *runtime, struct case_frames *out)
{
	_cleanup_(naming_deinit) struct naming n = { .c = c, .listener = listener, .out = out };
	const struct runtime_build *first;
	/* as in the recorder, a case includes only those reads for naming that find V8's names */
	struct case_target unwatched;
	int err = 0;

	case_target_init(&unwatched, c);
	for (u32 r = 0; r < N_RUNTIMES && !err; r++)
		err = open_runtime(&n, r, r == RUNTIME_V8 ? memory : &unwatched.target);
	first = runtime_first((const struct runtime_build *const *)n.builds);
	snprintf(runtime, RUNTIME_LEN, "%s", first ? first->name : "");
	for (u32 i = s->n_kernel; i < s->n_frames && !err; i++)
		err = add_frame(&n, s, i);
	return err;
}
