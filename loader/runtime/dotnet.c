// SPDX-License-Identifier: BSD-2-Clause

/*
 * CoreCLR as a runtime. The ranges of its code come from the runtime's own tables; the rest of its
 * executable memory contains stubs.
 */

#include "runtimes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../bpf/tables.h"
#include "../../inspect/dotnet/dotnet.h"
#include "../../inspect/dotnet/dotnet_frame.h"
#include "../../inspect/dotnet/r2r_rows.h"
#include "../../inspect/util/cleanup.h"
#include "../jit/jit_file.h"
#include "../process/map_file.h"
#include "../process/maps.h"
#include "anon_stubs.h"
#include "awaits.h"

#define MIN_THREADS_NS 100000000ull /* minimum time between two reads of all threads */

struct dotnet_process {
	struct runtime rt;
	struct dotnet_runtime *runtime; /* NULL: the runtime can't be read */
	struct anon_stubs stubs;
	bool has_anon; /* the next call of place() will get mappings with anonymous code */
	u64 threads_ns; /* time of the sample after which the process's threads were read; 0:
			 * they were not read yet */
	struct awaits *awaits; /* NULL: not needed yet */
	struct dotnet_frame frame;
};

static int detect(struct runtime_build *b, struct elf_file *elf)
{
	struct dotnet_build *dotnet = NULL;
	int err = dotnet_build_new(&dotnet, elf);

	if (err && err != -ENOTSUP)
		return err;
	if (!err && b->wants & RUNTIME_WANTS_ACTIVITY)
		dotnet_build_find_gc(dotnet, elf);
	b->of = dotnet;
	b->name = dotnet_build_runtime(dotnet);
	b->why = dotnet_build_why(dotnet);
	return err;
}

static void free_build(struct runtime_build *b)
{
	struct dotnet_build *dotnet = b->of;

	dotnet_build_free(&dotnet);
}

static void dotnet_close(struct runtime *rt)
{
	struct dotnet_process *p = (struct dotnet_process *)rt;

	dotnet_runtime_free(&p->runtime);
	awaits_free(&p->awaits);
	anon_stubs_deinit(&p->stubs);
}

/*
 * The runtime adds a code heap to its tables soon after it has mapped the heap, so older memory
 * that is in no table is not a code heap.
 */
static int claim(struct runtime *rt, const struct runtime_mapping *m, struct map_list *l)
{
	struct dotnet_process *p = (struct dotnet_process *)rt;
	struct uw_mapping stubs = m->map;

	p->has_anon |= m->is_anon;
	if (!m->is_anon && !(m->path && dotnet_is_code_file(m->path)))
		return 0;
	stubs.kind = UW_MAP_DOTNET_STUBS;
	stubs.info_idx = !m->is_anon && m->was_there ? DOTNET_STUB_HELPER : DOTNET_STUB_UNKNOWN;
	stubs.file_off = 0;
	return map_list_push(l, &stubs) ? -ENOMEM : 1;
}

struct beside {
	u64 addr;
	char path[PATH_MAX];
};

static int find_path(const struct maps_entry *e, void *data)
{
	struct beside *b = data;

	if (b->addr < e->start_addr || b->addr >= e->end_addr)
		return 0;
	if (e->path_len >= sizeof(b->path) || !e->path_len || e->path[0] != '/')
		return -ENOENT;
	maps_path_unescape(e->path, e->path_len, b->path);
	return 1;
}

/* Opens a PDB. The caller checks the id of the PDB. */
static int open_beside(void *data, u64 addr, const char *name)
{
	const struct dotnet_process *p = data;
	struct beside b = { .addr = addr };
	int fd, r = maps_each(p->rt.home.pid, find_path, &b);

	if (r == 1)
		r = map_file_open_beside(p->rt.home.pid, b.path, name, &fd);
	else if (!r)
		r = -ENOENT;
	return r ? r : fd;
}

/*
 * Reports a ReadyToRun image inside another file. An image at offset 0 is a whole file and is not
 * reported.
 */
static void report_image(const struct dotnet_process *p, const struct dotnet_range *r,
			 const struct uw_mapping *m)
{
	const struct runtime_host *h = p->rt.host;
	u32 first_page = (u32)(m->file_off / UW_ROW_PAGE_LEN);
	u64 last = m->file_off + m->end_addr - m->start_addr - 1, off;

	if (!m->file_off || m->file_off >= UW_MAX_ROW_OFF ||
	    h->has_image(h->data, m->module, first_page))
		return;
	if (!r2r_rows_image_off(p->rt.memory, r->start_addr, m->start_addr, m->end_addr,
				m->file_off, &off) &&
	    off)
		h->image(h->data, m->module, off, first_page, (u32)(last / UW_ROW_PAGE_LEN + 1));
}

/* Both are sorted. */
static void report_images(const struct dotnet_process *p, const struct dotnet_range *v, u32 n,
			  const struct map_list *l)
{
	for (u32 i = 0, k = 0; p->rt.host && i < l->n; i++) {
		while (k < n && v[k].end_addr <= l->v[i].start_addr)
			k++;
		if (k < n && v[k].kind == DOTNET_RANGE_R2R && l->v[i].module &&
		    l->v[i].end_addr > v[k].start_addr)
			report_image(p, &v[k], &l->v[i]);
	}
}

static int place(struct runtime *rt, struct map_list *l)
{
	struct dotnet_process *p = (struct dotnet_process *)rt;
	_cleanup_free_ struct dotnet_range *v = NULL;
	bool has_anon = p->has_anon;
	int err = 0;
	u32 n = 0;

	p->has_anon = false;
	if (!p->runtime && rt->memory &&
	    !dotnet_runtime_new(&p->runtime, rt->build->of, rt->memory, rt->home.bias) &&
	    rt->home.pid)
		dotnet_runtime_set_files(p->runtime, open_beside, p);
	if (!p->runtime || dotnet_ranges_get(p->runtime, &v, &n))
		return 0; /* the runtime has not started, or has ended */
	report_images(p, v, n, l);
	if (has_anon)
		err = anon_stubs_place(&p->stubs, rt->home.pid, v, n, l);
	return err ? err : dotnet_ranges_overlay(v, n, l);
}

static int name(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
		void *data)
{
	struct dotnet_process *p = (struct dotnet_process *)rt;
	const struct uw_frame *f = &s->frames[i];
	struct dotnet_frame *d = &p->frame;
	struct prof_frame out;

	if (!p->runtime)
		return RUNTIME_GONE;
	dotnet_frame_name(d, p->runtime, f);
	out = runtime_unnamed(&dotnet_runtime, f, f->status ? runtime_reason(f) : d->reason);
	out.kind = d->is_stub ? PROF_STUB : PROF_DOTNET;
	out.name = d->text;
	out.has_off = !d->text;
	out.start_off = d->text ? 0 : out.start_off;
	out.file = d->line.file[0] ? d->line.file : NULL;
	out.line = d->line.line;
	out.start_line = d->line.start_line;
	out.start_column = d->line.start_column;
	out.module = d->name.module[0] ? d->name.module : NULL;
	out.tier = d->tier;
	return fn(&out, data);
}

static int add_awaiter(const char *name, const char *module, const char *reason,
		       runtime_frame_fn *fn, void *data)
{
	return fn(&(struct prof_frame){ .kind = PROF_DOTNET,
					.name = name,
					.module = module,
					.async = true,
					.reason = reason },
		  data);
}

/*
 * Adds the awaiter if it belongs to a method. If the awaiters of this awaiter are missing, adds
 * the reason.
 */
static int name_awaiter(struct dotnet_process *p, const struct uw_frame *f, runtime_frame_fn *fn,
			void *data)
{
	struct dotnet_name *name = &p->frame.name;
	const char *why = runtime_reason(f);
	struct dotnet_awaiter a = {};
	bool is_named;
	int err = 0;

	if (!dotnet_await_type(p->runtime, f->a, &a) && a.is_method) {
		is_named = !dotnet_await_name(p->runtime, a.machine, name);
		err = add_awaiter(is_named ? name->name : NULL, is_named ? name->module : NULL,
				  name->reason, fn, data);
	}
	if (a.are_several)
		why = "multiple awaiters";
	return err || !why ? err : add_awaiter(NULL, NULL, why, fn, data);
}

static int awaiters(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
		    void *data)
{
	struct dotnet_process *p = (struct dotnet_process *)rt;
	const char *why = NULL;
	int err = 0;

	if (!p->awaits)
		return 0;
	if (awaits_are_its(p->awaits, s, i, &why))
		why = runtime_reason(&s->frames[i]);
	else if (!why)
		return 0;
	if (why)
		return add_awaiter(NULL, NULL, why, fn, data);
	while (!err && ++i < s->n_frames && s->frames[i].kind == UW_DOTNET_AWAITER)
		err = name_awaiter(p, &s->frames[i], fn, data);
	return err;
}

struct learning {
	const struct runtime_host *host;
	const struct uw_sample *sample;
	u32 own_tid; /* id of the sample's thread in the innermost PID namespace */
};

/*
 * If the process is in another PID namespace, the id of only one thread is known there, which is
 * the sample's own thread.
 */
static void learn_thread(const struct dotnet_thread *thread, void *data)
{
	const struct learning *l = data;
	const struct uw_sample *s = l->sample;
	struct dotnet_await e = { .process_key = uw_image_number(s->pid, s->start_ns, s->exec_id),
				  .key = DOTNET_THREAD_KEY(s->tid) };

	e.hijack_addr = thread->hijack_addr;
	if (thread->tid != l->own_tid) {
		if (s->tid != l->own_tid)
			return;
		e.key = DOTNET_THREAD_KEY(thread->tid);
	}
	l->host->await(l->host->data, &e);
}

/* Reads all threads once, and again when a walk ends at a hijacked return address. */
static void learn_threads(struct dotnet_process *p, const struct uw_sample *s)
{
	struct learning l = { .host = p->rt.host, .sample = s };
	struct jit_owner own;

	if ((p->threads_ns && s->status != UW_T_HIJACKED) ||
	    s->time_ns - p->threads_ns < MIN_THREADS_NS || jit_owner_read(s->tid, &own))
		return;
	p->threads_ns = s->time_ns;
	l.own_tid = own.pid;
	dotnet_threads_each(p->runtime, learn_thread, &l);
}

/*
 * Reads memory that a walk could not read, so that the page is resident for later walks. A BPF
 * program cannot wait for a page.
 */
static void touch(const struct dotnet_process *p, u64 addr)
{
	u8 byte;

	target_read(p->rt.memory, addr, &byte, sizeof(byte));
}

/* Whether there are frames in memory that was in no known range at the previous call of place(). */
static bool has_new_code(const struct dotnet_process *p, const struct uw_sample *s)
{
	bool is_new = false;

	if (s->status == UW_E_FAULT)
		touch(p, s->fault_addr);
	for (u32 i = s->n_kernel; i < s->n_frames; i++) {
		const struct uw_frame *f = &s->frames[i];

		if (f->status == UW_F_METHOD_FAULT)
			touch(p, s->fault_addr);
		is_new |= f->kind == UW_DOTNET_STUB &&
			  (f->a == DOTNET_STUB_UNKNOWN || f->a == DOTNET_STUB_HELPER);
	}
	return is_new;
}

static bool learn(struct runtime *rt, const struct uw_sample *s)
{
	struct dotnet_process *p = (struct dotnet_process *)rt;

	if (!p->runtime)
		return false;
	learn_threads(p, s);
	if (rt->home.wants_async &&
	    (p->awaits || !awaits_new(&p->awaits, p->runtime, rt->memory, rt->host)))
		awaits_learn(p->awaits, s);
	return has_new_code(p, s);
}

struct known {
	const char *name;
	enum prof_activity activity;
};

/*
 * Names of CoreCLR's own threads, truncated to 15 bytes. Source: src/coreclr/gc/gc.cpp and
 * vm/tieredcompilation.cpp at v8.0.33 to v10.0.14.
 */
static const struct known threads[] = {
	{ ".NET Server GC", PROF_ACT_GC },
	{ ".NET BGC", PROF_ACT_GC },
	{ ".NET Tiered Com", PROF_ACT_COMPILE },
	{},
};

/* Libraries that CoreCLR loads by these names. */
static const struct known modules[] = {
	{ "libclrjit.so", PROF_ACT_COMPILE },
	{ "libclrgc.so", PROF_ACT_GC },
	{ "libclrgcexp.so", PROF_ACT_GC },
	{},
};

/* Finds the activity for a name, which may be NULL. */
static enum prof_activity find(const struct known *k, const char *name)
{
	for (; name && k->name; k++)
		if (!strcmp(name, k->name))
			return k->activity;
	return PROF_ACT_NATIVE;
}

static enum prof_activity classify(const struct runtime *rt, const struct runtime_native *at)
{
	if (at->thread)
		return find(threads, at->thread);
	if (at->module != rt->home.module)
		return find(modules, at->module_name);
	return dotnet_build_is_gc(rt->build->of, at->off) ? PROF_ACT_GC : PROF_ACT_NATIVE;
}

const struct runtime_ops dotnet_runtime = {
	.functions = 1u << UW_DOTNET_METHOD | 1u << UW_DOTNET_R2R,
	.stubs = 1u << UW_DOTNET_STUB,
	.awaiting = 1u << UW_DOTNET_AWAITER,
	.kind = PROF_DOTNET,
	.min_file_len = 4 << 20, /* libcoreclr.so has 6.5 to 7.3 MB in .NET 8 to 10 */
	.detect = detect,
	.free_build = free_build,
	.is_code_file = dotnet_is_code_file,
	.len = sizeof(struct dotnet_process),
	.needs_bias = true,
	.close = dotnet_close,
	.claim = claim,
	.place = place,
	.name = name,
	.awaiters = awaiters,
	.learn = learn,
	.classify = classify,
};
