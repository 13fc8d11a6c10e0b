/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Methods of live .NET processes, compared with the perf map that the runtime writes. Every
 * compiled method must be found by the address of its first, middle and last byte, both by the
 * library and by the walk (live_dotnet_walk.c), and must have the name that the runtime recorded. A
 * wrong layout or a failing read must give no wrong name.
 *
 *	live_dotnet FOLDER...   of $UNSPOOL_DOTNET_DIR: VERSION or VERSION-single
 */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "../../inspect/dotnet/dotnet_runtime.h"
#include "../../inspect/dotnet/unwind_info.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "live_dotnet.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define ENOUGH 500 /* methods; about 2,900 are compiled, 1,300 precompiled ones run */
#define CONTROL_STEP 5

/* Readable names of methods in fixtures/dotnet/names.cs. */
static const char *const readable[] = {
	"Program.Main()",
	"Program.Throws(int)",
	"Program.Once(int, Func<int, int>, Func<int, int>)",
	"Program.Compare(int*, int*)",
	"Large.Run(long)",
	"Demo.Square.Area(int)",
	"Demo.Circle.get_Item(int)",
	"Demo.Circle..ctor()",
	"Demo.Outer<__Canon>.Inner.Work(long)",
	"Demo.Outer<int>.Inner.Work(long)",
	"Demo.Outer<__Canon>.Inner.Deepest<int>.Both(T, U, V<T, T, U>[])",
	"Demo.Maker.Pick<__Canon>(T, ref int, ref string, int[,], List<T>)",
	"Demo.Maker.Pick<double>(T, ref int, ref string, int[,], List<T>)",
	"Demo.Maker.Pointers(int*, delegate*<int, int>, byte**, nint)",
	"Demo.Maker.Count(int)",
	"Demo.Maker.Count", /* MoveNext of the iterator */
	"Demo.Maker.SumAsync(int)",
	"Demo.Maker.SumAsync",
	"Demo.Maker.Captured(int)",
	"Demo.Maker.Captured.Local(int)",
	"Demo.Maker.Captured.Alone(int)",
	"Demo.Maker.Captured.<lambda_2>(int)",
	"Demo.Maker.Captured.<lambda_5_3>(int)",
	"MyDynamic",
};

struct tally {
	int starts, names, wrong, missing, dynamic, control;
	bool seen[N(readable)];
};

static void note_seen(struct tally *t, const struct dotnet_name *name)
{
	for (size_t i = 0; i < N(readable); i++)
		if (!name->reason && !strcmp(name->name, readable[i]))
			t->seen[i] = true;
}

static bool is_at(struct dotnet_runtime *rt, const struct perf_method *m, u64 pc,
		  struct dotnet_code *code)
{
	return !dotnet_code_find(rt, pc, code) && code->start_addr == m->addr &&
	       code->end_addr == m->addr + m->len;
}

static struct dotnet_name name; /* name of the method that was judged last */

static void judge(struct dotnet_runtime *rt, const struct perf_method *m, struct tally *t, bool say)
{
	struct dotnet_code code;
	int r;

	if (!is_at(rt, m, m->addr, &code) || !is_at(rt, m, m->addr + m->len / 2, &code) ||
	    !is_at(rt, m, m->addr + m->len - 1, &code)) {
		t->missing++;
		if (say)
			printf("  not found: %llx %s\n", m->addr, m->text);
		return;
	}
	t->starts++;
	r = dotnet_name_get(rt, &code, &name);
	if (r) {
		t->missing++;
	} else if (perf_method_is(m, &name)) {
		t->names++;
		t->dynamic += name.is_dynamic;
		note_seen(t, &name);
	} else {
		t->wrong++;
	}
	if (say && (r || !perf_method_is(m, &name)))
		printf("  %s: %s::%s %s\n", m->text, name.type, name.method,
		       name.reason ? name.reason : "");
}

static int check_all(struct live_dotnet *d, const struct perf_map *map, bool is_precompiled)
{
	struct tally t = {};
	int failed;

	for (size_t i = 0; i < map->n; i++) {
		judge(d->runtime, &map->methods[i], &t, true);
		t.control += perf_method_is(&map->methods[(i + map->n / 2) % map->n], &name);
	}
	failed = map->n < ENOUGH || t.names != (int)map->n || (!t.dynamic && !is_precompiled) ||
		 t.control * 50 > (int)map->n;
	printf("  of %zu methods %d have the exact start and end, %d have the right name (%d of "
	       "these are "
	       "dynamic) and %d have a wrong name (control: %d have the name of another method)\n",
	       map->n, t.starts, t.names, t.dynamic, t.wrong, t.control);
	for (size_t i = 0; i < N(readable) && !is_precompiled; i++) {
		if (!t.seen[i]) {
			printf("  no compiled method was named %s\n", readable[i]);
			failed = 1;
		}
	}
	return failed;
}

/* ---- unwind information against the instructions that it describes ---- */

struct prologues {
	int functions, pushes, allocs, exact, other, control;
};

/* Is the instruction that ends at @end `push @reg`, with a REX prefix for r8 to r15? */
static bool is_push(const u8 *end, u8 reg)
{
	return end[-1] == 0x50 + (reg & 7) && (reg < 8 || end[-2] == 0x41);
}

/* Is the instruction that ends at @end `sub rsp, @n` (imm8 or imm32), or for 8 bytes `push rax`? */
static bool is_alloc(const u8 *end, u32 n)
{
	u32 imm;

	memcpy(&imm, end - 4, sizeof(imm));
	return (n < 128 && !memcmp(end - 4, "\x48\x83\xec", 3) && end[-1] == n) ||
	       (imm == n && !memcmp(end - 7, "\x48\x81\xec", 3)) || (n == 8 && end[-1] == 0x50);
}

/* Checks the unwind codes of a function that correspond to exactly one instruction. */
static void check_prologue(struct live_dotnet *d, const struct dotnet_function *f,
			   const struct unwind_info *info, struct prologues *p)
{
	u8 bytes[8 + 256] = "";

	target_read(&d->process.target, f->start_addr, bytes + 8, info->prologue_len);
	p->functions++;
	for (u32 i = 0; i < info->n_codes; i++) {
		const struct unwind_code *c = &info->codes[i];
		const u8 *end = bytes + 8 + c->prologue_off;

		/*
		 * The first unwind codes of an OSR method undo the frame of the method's Tier0
		 * code.
		 */
		if (!c->prologue_off || c->prologue_off > info->prologue_len)
			continue;
		if (c->op == UNWIND_PUSH) {
			p->pushes++;
			p->exact += is_push(end, c->reg);
			p->control += is_push(end, c->reg ^ 1);
		} else if (c->op == UNWIND_ALLOC) {
			p->allocs++;
			p->exact += is_alloc(end, c->value);
			p->control += is_alloc(end, c->value + 8);
		} else {
			p->other++;
		}
	}
}

/*
 * An allocation with stack probes uses other instructions, so up to 1 % of the unwind codes may
 * differ from the code.
 */
static int check_unwinding(struct live_dotnet *d, const struct perf_map *map)
{
	struct prologues p = {};
	int unread = 0, n;

	for (size_t i = 0; i < map->n; i++) {
		struct dotnet_function f;
		struct unwind_info info;
		struct dotnet_code code;

		if (dotnet_code_find(d->runtime, map->methods[i].addr, &code) ||
		    dotnet_function_find(d->runtime, &code, code.start_addr, &f) ||
		    unwind_info_read(&d->process.target, f.unwind_addr, &info))
			unread++;
		else
			check_prologue(d, &f, &info, &p);
	}
	n = p.pushes + p.allocs;
	printf("  unwind information of %d functions: %d of %d pushes and allocations agree with"
	       " the code (control: %d), %d other unwind codes; %d functions are unreadable\n",
	       p.functions, p.exact, n, p.control, p.other, unread);
	return unread || p.control || n < (int)map->n || p.exact * 100 < n * 99;
}

/* ---- tiers, which the runtime appends to each name in its perf map ---- */

/*
 * The tier that the runtime appended to the name; NULL if it appended none, or if the method is
 * dynamic.
 */
static const char *marked_tier(const struct perf_method *m)
{
	static const char *const marks[][2] = {
		{ "[QuickJitted]", "Tier0" },	 { "[InstrumentedTier]", "Tier0" },
		{ "[OptimizedTier1]", "Tier1" }, { "[InstrumentedTierOptimized]", "Tier1" },
		{ "[PreJIT]", "R2R" },		 { "[OptimizedTier1OSR]", "OSR" },
	};

	if (strstr(m->text, "] dynamicClass::"))
		return "dynamic";
	for (size_t i = 0; i < N(marks); i++) {
		const char *at = strstr(m->text, marks[i][0]);

		if (at && !at[strlen(marks[i][0])])
			return marks[i][1];
	}
	return NULL;
}

struct tiers {
	int equal, later, missing, wrong; /* later: how many of the right tiers are Tier1 or OSR */
};

static void judge_tiers(struct dotnet_runtime *rt, const struct perf_map *map, bool say,
			struct tiers *t)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct perf_method *m = &map->methods[i];
		const char *marked = marked_tier(m), *tier;
		struct dotnet_code code;

		if (dotnet_code_find(rt, m->addr, &code))
			continue;
		tier = dotnet_tier_name(dotnet_tier_get(rt, &code));
		if (!tier) {
			t->missing += marked != NULL;
		} else if (marked && !strcmp(tier, marked)) {
			t->equal++;
			t->later += !strcmp(tier, "Tier1") || !strcmp(tier, "OSR");
		} else {
			t->wrong++;
			if (say)
				printf("  %s is %s\n", m->text, tier);
		}
	}
}

/* As a control, Tier1 and OSR must not be found with a wrong offset of the version tables. */
static int check_tiers(struct live_dotnet *d, const struct perf_map *map)
{
	struct dotnet_layout layout = *d->build->layout;
	struct dotnet_build build = *d->build;
	struct tiers t = {}, control = {};
	struct dotnet_runtime *rt;

	layout.method_versions += layout.method_versions ? 8 : 0;
	layout.domain_versions += layout.domain_versions ? 8 : 0;
	build.layout = &layout;
	judge_tiers(d->runtime, map, true, &t);
	if (dotnet_runtime_new(&rt, &build, &d->process.target, d->bias))
		return 1;
	judge_tiers(rt, map, false, &control);
	dotnet_runtime_free(&rt);
	printf("  tiers: %d are right (%d of these are Tier1 or OSR), %d are unknown, %d are wrong "
	       "(control: %d are Tier1 or OSR)\n",
	       t.equal, t.later, t.missing, t.wrong, control.later);
	return t.wrong || t.missing * 20 > (int)map->n || t.equal * 20 < (int)map->n * 19 ||
	       control.later >= t.later;
}

/* ---- negative controls ---- */

struct change {
	const char *what;
	size_t off;
	u32 len; /* length of the constant */
	s32 by;
};

#define CHANGE(field, by)                                                                          \
	{                                                                                          \
#field, offsetof(struct dotnet_layout, field),                                     \
			sizeof(((struct dotnet_layout *)0)->field), by                             \
	}

static const struct change changes[] = {
	CHANGE(dac_is_rva, 1),	    CHANGE(ranges_are_map, 1), CHANGE(nibbles_are_constant_time, 1),
	CHANGE(section_flags, 8),   CHANGE(section_heap, 8),   CHANGE(section_heap, -8),
	CHANGE(method_desc_len, 8), CHANGE(token_bits, 1),     CHANGE(token_bits, -1),
	CHANGE(dynamic_name, 8),    CHANGE(dynamic_name, -8),  CHANGE(module_name, 8),
	CHANGE(module_name, -8),    CHANGE(module_base, 8),    CHANGE(type_has_token, 1),
};

static void apply(const struct change *c, struct dotnet_layout *l)
{
	u8 *p = (u8 *)l + c->off;
	u16 value;

	if (c->len == 1) {
		*p = sizeof(bool) == 1 && c->by == 1 && *p < 2 ? !*p : (u8)(*p + c->by);
		return;
	}
	memcpy(&value, p, sizeof(value));
	value = (u16)(value + c->by);
	memcpy(p, &value, sizeof(value));
}

/* Changes one constant of the layout at a time: names may be missing, but none may be wrong. */
static int check_layouts(struct live_dotnet *d, const struct perf_map *map, bool is_precompiled)
{
	int failed = 0, effective = 0;

	for (size_t i = 0; i < N(changes); i++) {
		struct dotnet_layout layout = *d->build->layout;
		struct dotnet_build build = *d->build;
		struct dotnet_runtime *rt;
		struct tally t = {};

		apply(&changes[i], &layout);
		build.layout = &layout;
		if (dotnet_runtime_new(&rt, &build, &d->process.target, d->bias))
			return 1;
		for (size_t j = i % CONTROL_STEP; j < map->n; j += CONTROL_STEP)
			judge(rt, &map->methods[j], &t, false);
		dotnet_runtime_free(&rt);
		effective += t.missing > 0;
		if (t.wrong) {
			printf("  if %s is changed by %d, %d names are wrong\n", changes[i].what,
			       changes[i].by, t.wrong);
			failed = 1;
		}
	}
	printf("  %d of %zu wrong layouts make names missing\n", effective, N(changes));
	/* most constants have no effect on precompiled methods */
	return failed || effective < (is_precompiled ? 4 : (int)N(changes) - 4);
}

struct failing {
	struct target target;
	struct target *inner;
	u32 n, every;
};

static int failing_read(struct target *t, u64 addr, void *dst, size_t len)
{
	struct failing *f = (struct failing *)t;

	return ++f->n % f->every ? f->inner->read(f->inner, addr, dst, len) : -EFAULT;
}

static int check_faults(struct live_dotnet *d, const struct perf_map *map)
{
	static const u32 every[] = { 29, 101, 499, 1999 };
	struct tally t = {};

	for (size_t i = 0; i < N(every); i++) {
		struct failing f = { { .read = failing_read }, &d->process.target, 0, every[i] };
		struct dotnet_runtime *rt;

		if (dotnet_runtime_new(&rt, d->build, &f.target, d->bias))
			return 1;
		for (size_t j = i; j < map->n; j += 4 * CONTROL_STEP)
			judge(rt, &map->methods[j], &t, false);
		dotnet_runtime_free(&rt);
	}
	printf("  with failing reads, %d names are right, %d are missing and %d are wrong\n",
	       t.names, t.missing, t.wrong);
	return t.wrong || !t.missing || !t.names;
}

/* ---- lines, compared with the program's report of its own stack ---- */

#define MAX_FRAMES 64

struct frame {
	u64 method_desc;
	u32 native_off, il_off, line;
	char file[64];
};

struct frames {
	struct frame all[MAX_FRAMES];
	u32 n;
};

static void take_frame(const char *text, void *data)
{
	struct frames *frames = data;
	struct frame *f = &frames->all[frames->n];
	unsigned long long method_desc;

	if (frames->n < MAX_FRAMES && sscanf(text, "frame %llx %u %u %u %63s", &method_desc,
					     &f->native_off, &f->il_off, &f->line, f->file) == 5) {
		f->method_desc = method_desc;
		frames->n++;
	}
}

/*
 * Finds the compiled code of a method; false if there is no compiled code, or more than one version
 * of it.
 */
static bool find_body(struct live_dotnet *d, const struct perf_map *map, u64 method_desc,
		      struct dotnet_code *body)
{
	int n = 0;

	for (size_t i = 0; i < map->n; i++) {
		struct dotnet_code code;

		if (dotnet_code_find(d->runtime, map->methods[i].addr, &code) ||
		    code.method_desc != method_desc)
			continue;
		*body = code;
		n++;
	}
	return n == 1;
}

static bool is_line(const struct dotnet_line *line, const struct frame *f, u32 off)
{
	const char *name = strrchr(line->file, '/');

	return name && !strcmp(name + 1, f->file) && line->line == f->line + off;
}

/*
 * The program reports the return address and the line of each call: line 0 if the runtime has
 * none, and the method's first line if the code has no IL.
 */
static int check_lines(struct live_dotnet *d, const struct perf_map *map,
		       const struct frames *frames)
{
	static struct dotnet_line line;
	int equal = 0, none = 0, wrong = 0, control = 0;

	for (u32 i = 0; i < frames->n; i++) {
		const struct frame *f = &frames->all[i];
		struct dotnet_code body;
		int r;

		if (!find_body(d, map, f->method_desc, &body))
			continue;
		r = dotnet_line_get(d->runtime, &body, body.start_addr + f->native_off - 1, &line);
		control += !r && is_line(&line, f, 1);
		if (!r && is_line(&line, f, 0)) {
			equal++;
		} else if (!f->il_off) {
			none++;
		} else {
			wrong++;
			printf("  %s:%u at IL %u: found %s:%u %s\n", f->file, f->line, f->il_off,
			       line.file, line.line, line.reason ? line.reason : "");
		}
	}
	printf("  lines of %u frames: %d are right, %d are missing, %d are wrong (control: %d)\n",
	       frames->n, equal, none, wrong, control);
	return wrong || control || equal < 6;
}

/* ---- the test ---- */

static bool is_version(const struct live_dotnet *d, const char *folder)
{
	const char *version = dotnet_build_runtime(d->build) + strlen(".NET ");

	return !strncmp(folder, version, strlen(version)) &&
	       strspn(folder + strlen(version), "0123456789.") == 0;
}

static int start(struct live_dotnet *d, const char *path, bool is_precompiled, struct perf_map *map,
		 struct frames *frames)
{
	int r = live_dotnet_start(d, path, is_precompiled);

	if (!r)
		r = live_dotnet_wait(d, take_frame, frames);
	if (!r)
		r = live_dotnet_find(d);
	if (!r)
		r = is_precompiled ? live_dotnet_read_dump(d, map) : live_dotnet_read_map(d, map);
	return r;
}

static int run(const char *dir, const char *folder, bool is_precompiled)
{
	static struct live_dotnet d;
	struct perf_map map = {};
	struct frames frames = {};
	char path[PATH_MAX];
	int failed = 1, r;

	snprintf(path, sizeof(path), "%s/%s", dir, folder);
	r = start(&d, path, is_precompiled, &map, &frames);
	if (r) {
		printf("%s: %s\n", folder, strerror(-r));
	} else {
		printf("%s: %s, %s\n", folder, dotnet_build_runtime(d.build),
		       is_precompiled ? "precompiled code" : "compiled code");
		failed = !is_version(&d, folder);
		failed |= check_all(&d, &map, is_precompiled);
		failed |= check_unwinding(&d, &map);
		failed |= !is_precompiled && live_dotnet_check_walk(&d, &map);
		failed |= !is_precompiled && check_tiers(&d, &map);
		failed |= !is_precompiled && check_lines(&d, &map, &frames);
		failed |= check_layouts(&d, &map, is_precompiled);
		failed |= check_faults(&d, &map);
	}
	perf_map_free(&map);
	live_dotnet_end(&d);
	return failed;
}

int main(int argc, char **argv)
{
	const char *dir = getenv("UNSPOOL_DOTNET_DIR");
	int failed = 0;

	if (!dir)
		return check_cannot_run("the variable UNSPOOL_DOTNET_DIR is not set");
	for (int i = 1; i < argc; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s/names", dir, argv[i]);
		if (access(path, X_OK))
			return check_cannot_run("$UNSPOOL_DOTNET_DIR has no program FOLDER/names");
		for (int is_precompiled = 0; is_precompiled <= 1; is_precompiled++) {
			failed += run(dir, argv[i], is_precompiled);
			fflush(stdout);
		}
	}
	printf("%d passed, %d failed\n", 2 * (argc - 1) - failed, failed);
	return failed != 0;
}
