// SPDX-License-Identifier: BSD-2-Clause

/*
 * One frame of the walk becomes one to many of the profile (functions inlined into
 * it, a builtin without a frame). Looking a JavaScript function up costs reads of
 * the target, so what a token was called is kept for a moment: within NAMES_AGE_NS
 * the same pc, SharedFunctionInfo and bytecode position are the same function.
 * The leaf is named each time: what it is called depends on registers, too.
 */

#include "naming.h"
#include "activity.h"
#include "activity_v8.h"

#include "../../inspect/dotnet/dotnet_frame.h"
#include "../../inspect/elf/symbols.h"
#include "../profile/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_AGE_NS 100000000ull
#define N_CACHED 4096 /* a power of two */
#define CACHED_IDS 32
#define MAX_IDS 4096 /* of one stack */

_Static_assert(MAX_IDS <= PROF_MAX_FRAMES, "a stack the profile takes");

struct cached {
	u64 image; /* serial; 0 where a token means the same in each */
	struct uw_frame token;
	u64 named_ns; /* 0: empty */
	enum prof_activity told;
	u32 n;
	u32 ids[CACHED_IDS];
};

struct naming {
	struct naming_sources from;
	struct cached cache[N_CACHED];
	struct v8_name v8[V8_MAX_NAMES];
	struct dotnet_frame dotnet;
	struct module_frame native[MODULES_MAX_FRAMES];
	u32 ids[MAX_IDS];
	u32 n_ids;
	enum prof_kind leaf; /* of the stack that is being named */
	enum prof_activity told; /* by the names of the frame: what V8 does in it */
	enum prof_activity does; /* told by the first of V8's own that told something */
	bool unresolved;
	bool is_momentary; /* the name is the token's at the sample's time only */
	naming_fn *fn; /* NULL: frames go into the profile */
	void *data;
	u64 pc; /* @fn's: of the frame that is being named */
	char symbol[SYMBOLS_NAME_LEN];
};

int naming_new(struct naming **naming, const struct naming_sources *sources)
{
	struct naming *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->from = *sources;
	*naming = n;
	return 0;
}

void naming_free(struct naming **n)
{
	free(*n);
	*n = NULL;
}

/* Enters a frame and appends it to the stack. A stack that is full keeps its leaf side. */
static int append(struct naming *n, const struct prof_frame *f)
{
	u32 id;
	int err;

	if (n->fn)
		return n->fn(f, n->pc, n->data);
	if (!n->n_ids)
		n->leaf = f->kind;
	err = profile_frame(n->from.profile, f, &id);
	if (!err && n->n_ids < MAX_IDS)
		n->ids[n->n_ids++] = id;
	return err;
}

static const char *frame_reason(const struct uw_frame *f)
{
	return f->status == UW_OK ? NULL : prof_reason_words(f->status);
}

static int append_kernel(struct naming *n, const struct uw_frame *f)
{
	struct prof_frame out = { .kind = PROF_KERNEL, .off = f->pc, .has_off = true };
	u64 off;

	if (n->from.kallsyms && !kallsyms_lookup(n->from.kallsyms, uw_frame_lookup_pc(f), n->symbol,
						 sizeof(n->symbol), &off)) {
		out.name = n->symbol;
		out.has_off = false;
	}
	return append(n, &out);
}

/*
 * The frames of a file's offset. For somebody else than the profile, what the file itself says and
 * no more: that is what a replay can say again.
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

/* Where in a file the function is that a frame is in, for looking it up: @off is the pc's. */
static u64 lookup_off(const struct uw_frame *f, u64 off)
{
	return off - (f->pc - uw_frame_lookup_pc(f));
}

/* A frame of a file: @off is where pc is in it. */
static int append_module(struct naming *n, const struct uw_frame *f, u32 module, u64 off)
{
	const struct module_info *m = modules_info(n->from.modules, module);
	u32 count = m ? native_frames(n, module, lookup_off(f, off)) : 0;
	struct prof_frame out = { .kind = PROF_NATIVE,
				  .guess = f->flags & UW_FRAME_GUESS,
				  .off = m ? off : f->pc,
				  .has_off = true,
				  .reason = frame_reason(f) };
	int err = 0;

	if (m) {
		out.module = m->path;
		out.build_id = m->build_id;
	}
	for (u32 i = 0; !err && i < count; i++) {
		const struct module_frame *native = &n->native[i];

		out.name = native->name;
		out.file = native->file;
		out.line = native->line;
		out.column = native->column;
		out.inlined = native->inlined;
		out.has_off = !native->name;
		if (n->told == PROF_ACT_NATIVE)
			n->told = activity_of_v8(native->name);
		err = append(n, &out);
	}
	return count ? err : append(n, &out);
}

/*
 * The module of a native frame and where its pc is in the file. For one that was walked without
 * tables, the mappings that were known at the time say whose pc it is.
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

/* Files that are but memory: JITs that map their code twice use such. */
static bool is_memory_file(const struct mapping *m)
{
	static const char *const begins[] = { "/memfd:", "/dev/zero", "/dev/shm/", "/SYSV" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(m->path->text, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Is a frame in code of no binary, which a JIT may have put there? */
static bool is_jit_code(struct naming *n, struct process *p, const struct uw_frame *f)
{
	const struct module_info *info;
	struct mapping *m;
	u32 module;

	if (n->fn || !p || (f->kind != UW_NATIVE && f->kind != UW_UNKNOWN))
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
 * Code is freed and its memory used again, so that a name is good for one sample. Return: 1 when
 * the process's JIT says nothing of it, 0 or a negative errno.
 */
static int append_jit(struct naming *n, struct image *image, const struct uw_sample *s,
		      const struct uw_frame *f, bool is_in_file)
{
	struct prof_frame out = { .kind = PROF_JIT, .guess = f->flags & UW_FRAME_GUESS };
	struct jit_code code;
	const char *why = NULL;

	n->is_momentary = true;
	if (!image->jit)
		return 1;
	if (!jit_names_find(image->jit, uw_frame_lookup_pc(f), s->time_ns, &code, &why)) {
		out.name = code.name;
		out.file = code.file;
		out.line = code.line;
		out.column = code.column;
		return append(n, &out);
	}
	if (!why || is_in_file)
		return 1;
	out.off = f->pc;
	out.has_off = true;
	out.reason = why;
	return append(n, &out);
}

static int append_native(struct naming *n, struct process *p, struct image *image,
			 const struct uw_sample *s, const struct uw_frame *f)
{
	bool is_in_file;
	u32 module = 0;
	u64 off = 0;
	int err = 1;

	is_in_file = find_module(n, p, f, &module, &off);
	if (image && is_jit_code(n, p, f))
		err = append_jit(n, image, s, f, is_in_file);
	if (err <= 0)
		return err;
	return is_in_file ? append_module(n, f, module, off) : append_module(n, f, 0, 0);
}

static enum prof_kind v8_kind(const struct v8_name *name)
{
	switch (name->kind) {
	case V8_NAME_BUILTIN:
		return PROF_BUILTIN;
	case V8_NAME_STUB:
		return PROF_STUB;
	case V8_NAME_REGEXP:
		return PROF_REGEXP;
	case V8_NAME_WASM:
		return PROF_WASM;
	default:
		return PROF_JS;
	}
}

static int append_v8_name(struct naming *n, const struct v8_name *name, const struct uw_frame *f)
{
	struct prof_frame out = { .kind = v8_kind(name),
				  .name = name->name,
				  .file = name->file,
				  .line = name->line,
				  .column = name->column,
				  .tier = v8_tier_name(name->tier),
				  .inlined = name->inlined,
				  .async = f->flags & UW_FRAME_ASYNC,
				  .guess = f->flags & UW_FRAME_GUESS,
				  .off = f->pc,
				  .has_off = !name->name,
				  .reason = name->reason };

	return append(n, &out);
}

static int append_v8(struct naming *n, struct image *image, const struct uw_sample *s, u32 i)
{
	const struct uw_frame *f = &s->frames[i];
	struct v8_name gone = { .kind = f->kind == UW_V8_STUB ? V8_NAME_STUB : V8_NAME_JS,
				.reason = "process or thread is gone" };
	int n_names = -ESRCH, err = 0;

	if (image && image->heap)
		n_names = v8_heap_name(image->heap, s, i, n->v8);
	if (n_names <= 0) {
		const char *why = image ? image_v8_why(image) : NULL;

		n->unresolved |= !why;
		if (why)
			gone.reason = why;
		return append_v8_name(n, &gone, f);
	}
	for (int k = 0; !err && k < n_names; k++)
		err = append_v8_name(n, &n->v8[k], f);
	return err;
}

static int append_dotnet(struct naming *n, struct image *image, const struct uw_frame *f)
{
	struct dotnet_runtime *rt = image ? image->dotnet.runtime : NULL;
	struct dotnet_frame *d = &n->dotnet;
	struct prof_frame out = { .kind = f->kind == UW_DOTNET_STUB ? PROF_STUB : PROF_DOTNET,
				  .async = f->flags & UW_FRAME_ASYNC,
				  .guess = f->flags & UW_FRAME_GUESS,
				  .off = f->pc,
				  .reason = "process or thread is gone" };

	if (rt)
		dotnet_frame_name(d, rt, f);
	else
		n->unresolved = true;
	if (rt) {
		out.kind = d->is_stub ? PROF_STUB : PROF_DOTNET;
		out.name = d->text;
		out.file = d->line.file[0] ? d->line.file : NULL;
		out.line = d->line.line;
		out.module = d->name.module[0] ? d->name.module : NULL;
		out.tier = d->tier;
		out.reason = f->status == UW_OK ? d->reason : frame_reason(f);
	}
	out.has_off = !out.name;
	return append(n, &out);
}

static int append_async(struct naming *n, const struct prof_frame *named)
{
	struct prof_frame out = *named;

	out.kind = PROF_DOTNET;
	out.async = true;
	return append(n, &out);
}

/* An object that waits, if it stands for a method: why not more wait is told in any case. */
static int append_awaiter(struct naming *n, struct image *image, const struct uw_frame *f)
{
	struct dotnet_runtime *rt = image ? image->dotnet.runtime : NULL;
	struct prof_frame why = { .reason = frame_reason(f) };
	struct dotnet_name *name = &n->dotnet.name;
	struct dotnet_awaiter a = {};
	int err = 0;

	if (rt && !dotnet_await_type(rt, f->a, &a) && a.is_method) {
		err = dotnet_await_name(rt, a.machine, name);
		err = append_async(n, &(struct prof_frame){
					      .name = err ? NULL : name->name,
					      .module = err ? NULL : name->module,
					      .reason = name->reason,
				      });
	}
	if (a.are_several)
		why.reason = "several wait for it";
	return err || !why.reason ? err : append_async(n, &why);
}

/*
 * The objects that wait for frame @i - 1, from @i on; *next is the frame after them. The first is
 * that method's own.
 */
static int append_awaiters(struct naming *n, struct image *image, const struct uw_sample *s, u32 i,
			   u32 *next)
{
	struct image_dotnet *d = image ? &image->dotnet : NULL;
	struct prof_frame why = {};
	int err = 0;

	for (*next = i; *next < s->n_frames && s->frames[*next].kind == UW_DOTNET_AWAITER;)
		++*next;
	if (!d || !d->awaits || !awaits_are_its(d->awaits, image->all->tables, s, i, &why.reason))
		return why.reason ? append_async(n, &why) : 0;
	if (s->frames[i].status != UW_OK) {
		why.reason = frame_reason(&s->frames[i]);
		return append_async(n, &why);
	}
	for (u32 k = i + 1; !err && k < *next; k++)
		err = append_awaiter(n, image, &s->frames[k]);
	return err;
}

static int append_frame(struct naming *n, struct process *p, struct image *image,
			const struct uw_sample *s, u32 i)
{
	const struct uw_frame *f = &s->frames[i];

	switch (f->kind) {
	case UW_KERNEL:
		return append_kernel(n, f);
	case UW_V8_STUB:
	case UW_V8_JS:
	case UW_V8_CODE:
		return append_v8(n, image, s, i);
	case UW_DOTNET_METHOD:
	case UW_DOTNET_R2R:
	case UW_DOTNET_STUB:
		return append_dotnet(n, image, f);
	default:
		return append_native(n, p, image, s, f);
	}
}

bool naming_is_ready(struct naming *n, struct process *p, struct image *image,
		     const struct uw_sample *s)
{
	bool is_ready = true;
	u32 module;
	u64 off;

	for (u32 i = s->n_kernel; i < s->n_frames; i++) {
		const struct uw_frame *f = &s->frames[i];

		if (image && is_jit_code(n, p, f))
			is_ready &= !image_jit(image) || jit_names_poll(image->jit, p, s);
		else if (find_module(n, p, f, &module, &off) &&
			 !modules_is_ready(n->from.modules, s->pid, module, lookup_off(f, off)))
			is_ready = false; /* go on: all are asked for at once */
	}
	return is_ready;
}

bool naming_is_v8(const struct uw_frame *f)
{
	return f->kind == UW_V8_STUB || f->kind == UW_V8_JS || f->kind == UW_V8_CODE;
}

bool naming_is_dotnet(const struct uw_frame *f)
{
	return f->kind == UW_DOTNET_METHOD || f->kind == UW_DOTNET_R2R || f->kind == UW_DOTNET_STUB;
}

static struct cached *cache_slot(struct naming *n, u64 image, const struct uw_frame *f)
{
	u64 hash = image;

	hash = (hash ^ f->pc) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ f->a) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ f->b) * 0x9e3779b97f4a7c15ull;
	return &n->cache[hash >> 52];
}

static void append_ids(struct naming *n, const u32 *ids, u32 count)
{
	for (u32 i = 0; i < count && n->n_ids < MAX_IDS; i++)
		n->ids[n->n_ids++] = ids[i];
}

/* The same as append_frame(), by what the token was called a moment ago. */
static int append_cached(struct naming *n, struct process *p, struct image *image,
			 const struct uw_sample *s, u32 i, u64 now_ns)
{
	const struct uw_frame *f = &s->frames[i];
	bool is_images = naming_is_v8(f) || naming_is_dotnet(f);
	u64 serial = is_images && image ? image->serial : 0;
	struct cached *c = cache_slot(n, serial, f);
	u32 before = n->n_ids;
	int err;

	if (c->named_ns && now_ns - c->named_ns < NAMES_AGE_NS && c->image == serial &&
	    !memcmp(&c->token, f, sizeof(*f))) {
		append_ids(n, c->ids, c->n);
		n->told = c->told;
		return 0;
	}
	c->named_ns = 0;
	n->is_momentary = false;
	err = append_frame(n, p, image, s, i);
	if (err || n->unresolved || n->is_momentary || n->n_ids - before > CACHED_IDS)
		return err; /* each stack that misses a name has to know */
	*c = (struct cached){
		.image = serial,
		.token = *f,
		.named_ns = now_ns,
		.told = n->told,
		.n = n->n_ids - before,
	};
	memcpy(c->ids, n->ids + before, c->n * sizeof(*c->ids));
	return 0;
}

int naming_each(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
		naming_fn *fn, void *data)
{
	int err = 0;

	n->fn = fn;
	n->data = data;
	if (image && image->heap)
		v8_heap_forget(image->heap);
	for (u32 i = s->n_kernel; !err && i < s->n_frames; i++) {
		n->pc = s->frames[i].pc;
		err = append_frame(n, p, image, s, i);
	}
	n->fn = NULL;
	return err;
}

static int enter_stack(struct naming *n, struct process *p, struct image *image,
		       const struct uw_sample *s, u64 now_ns, struct naming_result *result)
{
	bool is_v8s = image && image->build; /* no frame of the program yet */
	struct prof_stack stack = { .frames = n->ids, .status = s->status };
	int err = 0;

	n->n_ids = 0;
	n->unresolved = false;
	n->does = PROF_ACT_NATIVE;
	for (u32 i = 0; !err && i < s->n_frames; i++) {
		n->told = PROF_ACT_NATIVE;
		if (i && s->frames[i].kind == UW_DOTNET_AWAITER) {
			err = append_awaiters(n, image, s, i, &i);
			i--;
		} else if (i == s->n_kernel || s->frames[i].kind == UW_UNKNOWN)
			err = append_frame(n, p, image, s, i);
		else
			err = append_cached(n, p, image, s, i, now_ns);
		is_v8s &= !naming_is_v8(&s->frames[i]);
		if (is_v8s && n->does == PROF_ACT_NATIVE)
			n->does = n->told;
	}
	if (err)
		return err;
	stack.n_frames = n->n_ids;
	result->activity = activity_of(n->from.modules, p, image, s,
				       n->n_ids ? n->leaf : PROF_NATIVE, n->does);
	result->unresolved = n->unresolved;
	return profile_stack(n->from.profile, &stack, &result->stack);
}

int naming_stack(struct naming *n, struct process *p, struct image *image,
		 const struct uw_sample *s, u64 now_ns, struct naming_result *result)
{
	int err = enter_stack(n, p, image, s, now_ns, result);

	if (err != -ESTALE)
		return err;
	memset(n->cache, 0, sizeof(n->cache)); /* the ids in it are too old */
	return enter_stack(n, p, image, s, now_ns, result);
}
