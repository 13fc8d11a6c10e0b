// SPDX-License-Identifier: BSD-2-Clause

/*
 * V8 as a runtime. The binary contains native code and V8's embedded builtins. The builtins may be
 * mapped twice:
 *
 *	file mapping   |  native  |  builtins  |  native  |    becomes up to three
 *	second copy               |  builtins  |               known by its file offset, or its
 *	                                                       bytes: is_copy()
 *	anonymous      |          JIT          |               in a process with V8
 */

#include "runtimes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/v8/v8.h"
#include "../../inspect/v8/v8_rows.h"
#include "v8_activity.h"
#include "v8_sources.h"

#define N_SPOTS 16 /* parts of a copy that are compared, from the first bytes to the last */
#define SPOT_LEN 4096ull

struct v8_process {
	struct runtime rt;
	struct v8_heap *heap; /* NULL: not readable */
	u64 number; /* a number that is unique among processes with a heap */
	struct v8_region *regions; /* the walk's ranges of JIT code and builtins */
	size_t n_regions;
	struct v8_name names[V8_MAX_NAMES];
};

static int detect(struct runtime_build *b, struct elf_file *elf)
{
	struct v8_build *v8 = NULL;
	struct v8_facts facts;
	int err = v8_build_new(&v8, elf);

	if (err && err != -ENOTSUP)
		return err;
	facts = v8_build_facts(v8);
	b->of = v8;
	b->name = facts.runtime;
	b->why = facts.why;
	b->doubt = facts.doubt;
	b->has_info = true;
	b->info = *facts.info;
	b->code_off = facts.blob_off;
	b->code_len = facts.blob_len;
	if (!(b->wants & RUNTIME_WANTS_ASYNC))
		b->info.async = (struct v8_async){ 0 };
	return err;
}

static void free_build(struct runtime_build *b)
{
	struct v8_build *v8 = b->of;

	v8_build_free(&v8);
}

static bool report(const struct runtime_build *b, char *text, size_t len)
{
	const struct v8_facts facts = v8_build_facts(b->of);

	if (b->why)
		snprintf(text, len, "JavaScript frames have no names: %s", b->why);
	else if (b->is_misread)
		snprintf(text, len,
			 "JavaScript frames lack names or lines: the heap of %s is not "
			 "laid out as expected%s%s",
			 facts.v8, b->doubt ? "; " : "", b->doubt ? b->doubt : "");
	else if (b->wants & RUNTIME_WANTS_ASYNC && facts.async_why)
		snprintf(text, len, "JavaScript functions that await are not shown: %s",
			 facts.async_why);
	else if (b->doubt)
		snprintf(text, len, "%s, which fits", b->doubt);
	else
		return false;
	return true;
}

static void v8_close(struct runtime *rt)
{
	struct v8_process *p = (struct v8_process *)rt;

	v8_heap_free(&p->heap);
	free(p->regions);
}

static bool has_bytes(const struct runtime *rt, int fd, u64 start_addr)
{
	const struct runtime_build *b = rt->build;
	u8 want[SPOT_LEN], have[SPOT_LEN];
	struct target_process t;
	bool same = !target_process_init(&t, (int)rt->home.pid);

	if (!same)
		return false;
	for (u64 i = 0; same && i < N_SPOTS; i++) {
		u64 off = (b->code_len - SPOT_LEN) * i / (N_SPOTS - 1);

		same = pread(fd, want, SPOT_LEN, (off_t)(b->code_off + off)) == SPOT_LEN &&
		       !target_read(&t.target, start_addr + off, have, SPOT_LEN) &&
		       !memcmp(want, have, SPOT_LEN);
	}
	target_process_deinit(&t);
	return same;
}

/*
 * Copies of V8's embedded builtins in anonymous memory.
 *
 * A call instruction is shorter if the builtin is near. Therefore an isolate gets its own copy of
 * the builtins if its code is too far from the binary (--short-builtin-calls). V8 11.3 maps the
 * file once more; V8 10.2 copies the bytes to the end of the memory that it has reserved for code:
 *
 *	reserved           |- JIT -|- JIT -| ...          |- builtins -|    |
 *	aligned to 256 KiB                                ^            ^ the next page
 *
 * CodeRange::RemapEmbeddedBuiltins() in v8/src/heap/code-range.cc at 10.2.154. A copy is recognized
 * by its length and its bytes. From then on, the copy is treated like a mapping of the file,
 * because later versions of V8 do map the file there. If the length is right, up to 64 KiB of the
 * process and of the file are read and compared.
 */
static bool is_copy(const struct runtime *rt, int fd, u64 start_addr, u64 len)
{
	u64 code_len = rt->build->code_len;

	return fd >= 0 && code_len >= SPOT_LEN && len - code_len < (u64)sysconf(_SC_PAGESIZE) &&
	       has_bytes(rt, fd, start_addr);
}

/* Claims a mapping of the file. The builtins in the mapping become a separate range. */
static int claim_file(const struct runtime *rt, const struct uw_mapping *m, struct map_list *l)
{
	const struct runtime_build *b = rt->build;
	u64 len = m->end_addr - m->start_addr, from, to;
	struct uw_mapping before = *m, blob = *m, after = *m;

	if (!b->code_len || m->file_off >= b->code_off + b->code_len ||
	    m->file_off + len <= b->code_off)
		return 0;
	from = b->code_off > m->file_off ? b->code_off - m->file_off : 0;
	to = b->code_off + b->code_len - m->file_off;
	to = to < len ? to : len;
	before.end_addr = blob.start_addr = m->start_addr + from;
	blob.end_addr = after.start_addr = m->start_addr + to;
	blob.file_off += from;
	blob.kind = UW_MAP_V8_BUILTINS;
	blob.info_idx = rt->home.info_idx;
	after.file_off += to;
	return map_list_push(l, &before) || map_list_push(l, &blob) || map_list_push(l, &after)
		       ? -ENOMEM
		       : 1;
}

static int claim(struct runtime *rt, const struct runtime_mapping *m, struct map_list *l)
{
	struct uw_mapping jit = m->map;

	if (!m->is_anon)
		return m->map.module == rt->home.module ? claim_file(rt, &m->map, l) : 0;
	jit.kind = UW_MAP_V8_JIT;
	jit.info_idx = rt->home.info_idx;
	return map_list_push(l, &jit) ? -ENOMEM : 1;
}

static u64 n_heaps;

/* Passes the ranges of code to the heap, which drops its caches when the ranges change. */
static int place(struct runtime *rt, struct map_list *l)
{
	struct v8_process *p = (struct v8_process *)rt;
	_cleanup_free_ struct v8_region *v = calloc(l->n + 1ul, sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	if (!p->heap && rt->memory && !v8_heap_new(&p->heap, p->rt.build->of, rt->memory)) {
		p->n_regions = 0;
		p->number = ++n_heaps;
	}
	for (u32 i = 0; i < l->n; i++) {
		const struct uw_mapping *m = &l->v[i];

		if (m->kind == UW_MAP_V8_BUILTINS || m->kind == UW_MAP_V8_JIT) {
			v[n].start_addr = m->start_addr;
			v[n].end_addr = m->end_addr;
			v[n].file_off = m->file_off;
			v[n++].is_jit = m->kind == UW_MAP_V8_JIT;
		}
	}
	if (p->regions && n == p->n_regions && !memcmp(v, p->regions, n * sizeof(*v)))
		return 0;
	free(p->regions);
	p->regions = TAKE_PTR(v);
	p->n_regions = n;
	return p->heap ? v8_heap_set_regions(p->heap, p->regions, n) : 0;
}

static enum prof_kind kind_of(const struct v8_name *name)
{
	static const enum prof_kind kinds[] = { [V8_NAME_JS] = PROF_JS,
						[V8_NAME_BUILTIN] = PROF_BUILTIN,
						[V8_NAME_STUB] = PROF_STUB,
						[V8_NAME_REGEXP] = PROF_REGEXP,
						[V8_NAME_WASM] = PROF_WASM };

	return kinds[name->kind];
}

/*
 * The name of the builtin at @pc, for a build whose heap is not supported; NULL: no builtin, or a
 * builtin without a symbol.
 */
static const char *builtin_at(const struct v8_process *p, u64 pc)
{
	for (size_t i = 0; i < p->n_regions; i++) {
		const struct v8_region *r = &p->regions[i];

		if (pc >= r->start_addr && pc < r->end_addr && !r->is_jit)
			return v8_build_builtin_name(p->rt.build->of,
						     r->file_off + pc - r->start_addr);
	}
	return NULL;
}

/*
 * Names a frame without the heap. An interrupted builtin shares the frame of the function that
 * called the builtin.
 */
static int name_without_heap(const struct v8_process *p, const struct uw_sample *s, u32 i,
			     runtime_frame_fn *fn, void *data)
{
	const struct uw_frame *f = &s->frames[i];
	struct prof_frame frame = runtime_unnamed(&v8_runtime, f, p->rt.build->why);
	struct prof_frame builtin = frame;
	int err;

	builtin.name = builtin_at(p, uw_frame_lookup_pc(f));
	if (!builtin.name)
		return fn(&frame, data);
	builtin.kind = f->kind == UW_V8_STUB ? PROF_STUB : PROF_BUILTIN;
	builtin.has_off = false;
	builtin.reason = NULL;
	err = fn(&builtin, data);
	return !err && i == s->n_kernel && f->kind == UW_V8_JS ? fn(&frame, data) : err;
}

static int name(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
		void *data)
{
	struct v8_process *p = (struct v8_process *)rt;
	int n = p->heap ? v8_heap_name(p->heap, s, i, p->names) : 0, err = 0;

	if (n <= 0)
		return rt->build->why ? name_without_heap(p, s, i, fn, data) : RUNTIME_GONE;
	rt->build->is_misread |= v8_heap_is_misread(p->heap);
	for (int k = 0; !err && k < n; k++) {
		const struct v8_name *v8 = &p->names[k];
		struct prof_frame out = runtime_unnamed(&v8_runtime, &s->frames[i], v8->reason);

		out.kind = kind_of(v8);
		out.name = v8->name;
		out.has_off = !v8->name;
		out.file = v8->file;
		out.line = v8->line;
		out.column = v8->column;
		out.start_line = v8->start_line;
		out.start_column = v8->start_column;
		out.tier = v8_tier_name(v8->tier);
		out.inlined = v8->inlined;
		v8_sources_add(rt, p->heap, p->number, v8, &out);
		err = fn(&out, data);
	}
	return err;
}

static void explain(struct runtime *rt,
		    void (*on_resolver)(void *ctx, const struct v8_asked *asked), void *ctx)
{
	struct v8_process *p = (struct v8_process *)rt;

	if (p->heap)
		v8_heap_explain(p->heap, on_resolver, ctx);
}

/* The current line of a function that called a stub depends on the stub and on registers. */
static bool is_fleeting(const struct uw_sample *s, u32 i)
{
	return i && s->frames[i].kind == UW_V8_JS &&
	       (s->frames[i - 1].kind == UW_V8_STUB || s->frames[i - 1].kind == UW_V8_CODE);
}

static enum prof_activity classify(const struct runtime *rt, const struct runtime_native *at)
{
	(void)rt;
	return activity_of_v8(at->function);
}

static void forget(struct runtime *rt)
{
	struct v8_process *p = (struct v8_process *)rt;

	if (p->heap)
		v8_heap_forget(p->heap);
}

const struct runtime_ops v8_runtime = {
	.functions = 1u << UW_V8_JS | 1u << UW_V8_CODE,
	.stubs = 1u << UW_V8_STUB,
	.kind = PROF_JS,
	/* In Node.js 14 to 26 the embedded builtins alone have 1.2 to 2 MB; the file also has the
	 * compilers. */
	.min_file_len = 8 << 20,
	.renews = true,
	.wants_symbols = true,
	.detect = detect,
	.free_build = free_build,
	.rows = v8_build_rows,
	.report = report,
	.len = sizeof(struct v8_process),
	.close = v8_close,
	.is_copy = is_copy,
	.claim = claim,
	.place = place,
	.name = name,
	.explain = explain,
	.is_fleeting = is_fleeting,
	.classify = classify,
	.forget = forget,
};
