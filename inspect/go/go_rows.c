/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * .gopclntab contains delta, the distance of sp below the value of sp at function entry:
 *
 *	x86-64                              arm64
 *	cfa = sp + delta + 8                cfa = sp + delta
 *	ra = *(cfa - 8)                     ra = lr, or *(cfa - delta) = *sp
 *	fp = *(cfa - 16), once stored       fp = *(cfa - delta - 8), once stored
 *
 * The table does not record the store of fp, but the store is among the first instructions:
 *
 *	x86-64, go1.21 on   push %rbp | mov %rsp,%rbp
 *	        before      sub $n,%rsp | mov %rbp,n-8(%rsp); lea n-8(%rsp),%rbp
 *	arm64               str x30,[sp,#-n]! | stur x29,[sp,#-8]; sub x29,sp,#8
 *	        large       sub x20,sp,#n; stp x29,x30,[x20,#-8]; mov sp,x20 | sub x29,sp,#8
 *
 * The bar marks the point from which delta is not 0. Source: go/src/cmd/internal/obj/x86/obj6.go
 * and arm64/obj7.go at go1.16 to go1.26.
 *
 * Runtime functions that switch stacks are flagged. Such a function leaves its frame on the old
 * stack, with fp pointing to it, so the caller is found from fp. Functions without such a frame
 * (systemstack and asmcgocall before go1.21, morestack) have no rule from the first instruction
 * that sets sp. The scheduler, which mcall calls, never returns, so the stack starts at mcall's
 * switch.
 */

#include "go_rows.h"

#include "../util/array.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* limit of values read by one call of go_rows(); a page of rows of the TypeScript compiler needs
 * 1,000 */
#define MAX_WORK 100000
#define MAX_DELTA (1 << 20)
#define MAX_SWITCH_LEN 4096 /* maximum length of a function that sets sp */
#define NOWHERE (~0ull)

#define PROLOGUE_BEFORE 8
#define PROLOGUE_LEN 24

struct painter {
	const struct go_table *table;
	bool is_arm64;
	u64 start, end; /* the requested range */
	u32 work;
	rule_fn *fn;
	void *data;

	/* Addresses in the current function from which on the condition holds */
	u64 fp_stored, fp_own; /* the function's frame has the caller's fp; fp points to the
				* frame */
	u64 sp_set; /* sp points to another stack */
	bool is_root_there; /* code after sp_set never returns to the caller */
	struct go_function function;
};

static u32 word_at(const u8 *p)
{
	return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

/* Matches mov %rbp,n(%rsp) (0x89) or lea n(%rsp),%rbp (0x8d); returns its length, 0: no match. */
static u32 x86_64_at_sp(const u8 *p, u8 opcode, u32 n)
{
	if (p[0] != 0x48 || p[1] != opcode || p[3] != 0x24)
		return 0;
	if (p[2] == 0x6c && p[4] == n)
		return 5;
	return p[2] == 0xac && word_at(p + 4) == n ? 8 : 0;
}

/*
 * Recognizes a prologue. @p is the code at @addr, which is the first address where delta is not 0.
 */
static void x86_64_prologue(struct painter *g, const u8 *p, u64 addr, u32 delta)
{
	u32 move = x86_64_at_sp(p, 0x89, delta - 8), lea;

	if (delta == 8 && p[-1] == 0x55) {
		g->fp_stored = addr;
		if (!memcmp(p, "\x48\x89\xe5", 3))
			g->fp_own = addr + 3;
	} else if (move) {
		g->fp_stored = addr + move;
		lea = x86_64_at_sp(p + move, 0x8d, delta - 8);
		if (lea)
			g->fp_own = addr + move + lea;
	}
}

#define ARM64_STUR_X29 0xf81f83fd /* stur x29,[sp,#-8] */
#define ARM64_STP_X29_X30 0xa93ffa9d /* stp x29,x30,[x20,#-8] */
#define ARM64_MOV_SP_X20 0x9100029f
#define ARM64_SUB_X29 0xd10023fd /* sub x29,sp,#8 */

static void arm64_prologue(struct painter *g, const u8 *p, u64 addr)
{
	if (word_at(p) == ARM64_STUR_X29)
		g->fp_stored = addr + 4;
	else if (word_at(p - 8) == ARM64_STP_X29_X30 && word_at(p - 4) == ARM64_MOV_SP_X20)
		g->fp_stored = addr;
	else
		return;
	if (word_at(p + (g->fp_stored - addr)) == ARM64_SUB_X29)
		g->fp_own = g->fp_stored + 4;
}

static void read_prologue(struct painter *g, u64 addr, s32 delta)
{
	const struct elf_file *f = go_table_elf(g->table);
	u8 code[PROLOGUE_LEN];

	if (elf_file_read_addr(f, addr - PROLOGUE_BEFORE, code, sizeof(code)) < 0)
		return;
	if (g->is_arm64)
		arm64_prologue(g, code + PROLOGUE_BEFORE, addr);
	else
		x86_64_prologue(g, code + PROLOGUE_BEFORE, addr, (u32)delta);
}

/* mov ...,%rsp and lea ...,%rsp. */
static bool x86_64_sets_sp(const u8 *p)
{
	if ((p[0] & 0xf8) != 0x48)
		return false;
	if (p[1] == 0x8b || p[1] == 0x8d)
		return !(p[0] & 4) && (p[2] & 0x38) == 0x20;
	return p[1] == 0x89 && !(p[0] & 1) && (p[2] & 0xc7) == 0xc4;
}

/* mov sp,xN */
static bool arm64_sets_sp(const u8 *p)
{
	return (word_at(p) & 0xfffffc1f) == 0x9100001f;
}

/*
 * The address of the first instruction that sets sp, or of the function's start if there is none.
 */
static u64 find_sp_set(const struct painter *g)
{
	const struct go_function *fn = &g->function;
	u32 step = g->is_arm64 ? 4 : 1;
	u8 code[MAX_SWITCH_LEN];
	size_t n = fn->end - fn->start;

	if (n > sizeof(code) || elf_file_read_addr(go_table_elf(g->table), fn->start, code, n) < 0)
		return fn->start;
	for (size_t i = 0; i + 4 <= n; i += step)
		if (g->is_arm64 ? arm64_sets_sp(code + i) : x86_64_sets_sp(code + i))
			return fn->start + i;
	return fn->start;
}

/* Flags of some functions, by name, because only Go 1.17 and later have flags in the table. */
static const struct known {
	const char *name;
	u8 flags;
} known[] = {
	{ "runtime.goexit", GO_IS_TOP },
	{ "runtime.mstart", GO_IS_TOP },
	{ "runtime.rt0_go", GO_IS_TOP },
	{ "runtime.mcall", GO_SETS_SP },
	{ "runtime.systemstack", GO_SETS_SP },
	{ "runtime.morestack", GO_SETS_SP },
	{ "runtime.asmcgocall", GO_SETS_SP },
	{ "runtime.cgocallback", GO_SETS_SP },
	{ "runtime.gogo", GO_SETS_SP },
	{ "runtime.nanotime1", GO_SETS_SP },
	{ "runtime.walltime1", GO_SETS_SP },
	{ "runtime.walltime", GO_SETS_SP },
	{ "runtime.clone", GO_SETS_SP },
	{ "runtime.sigfwd", GO_SETS_SP },
	{ "runtime.sigtramp", 0 }, /* the signal frame is its caller */
};

static void name_flags(struct painter *g)
{
	struct go_function *fn = &g->function;
	char name[32];

	if (go_table_text(g->table, fn->name_addr, name, sizeof(name)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(name, known[i].name))
			continue;
		fn->flags = known[i].flags ? fn->flags | known[i].flags : fn->flags & ~GO_IS_TOP;
		g->is_root_there = !strcmp(name, "runtime.mcall");
	}
}

static void begin_function(struct painter *g)
{
	g->fp_stored = g->fp_own = g->sp_set = NOWHERE;
	g->is_root_there = false;
	if (g->function.flags || !go_table_has_flags(g->table))
		name_flags(g);
	if (g->function.flags & GO_SETS_SP)
		g->sp_set = find_sp_set(g);
}

static struct uw_rule rule_at(const struct painter *g, u64 addr, s32 delta)
{
	s32 below = g->is_arm64 ? delta : 8; /* distance of the return address below the CFA */
	struct uw_rule r = { .cfa = UW_CFA_SP, .ra = UW_SAVED_CFA };

	if (delta < 0 || delta > MAX_DELTA || delta & 7)
		return (struct uw_rule){};
	if (addr >= g->sp_set && g->is_root_there)
		return (struct uw_rule){ .cfa = UW_CFA_ROOT };
	if (addr >= g->sp_set && g->fp_own == NOWHERE)
		return (struct uw_rule){};
	if (g->is_arm64 && !delta)
		return (struct uw_rule){ .cfa = UW_CFA_SP, .ra = UW_SAVED_SAME };
	r.cfa_off = g->is_arm64 ? delta : delta + 8;
	r.ra_off = -below;
	if (delta && addr >= g->fp_stored) {
		r.fp = UW_SAVED_CFA;
		r.fp_off = -below - 8;
	}
	if (delta && g->sp_set != NOWHERE && addr >= g->fp_own) {
		r.cfa = UW_CFA_FP_OTHER_STACK;
		r.cfa_off = below + 8;
	}
	return r;
}

/* Paints the range of one value. Splits the range where the rule changes. */
static void paint_value(struct painter *g, u64 start, u64 end, s32 delta)
{
	const u64 cuts[] = { g->fp_stored, g->fp_own, g->sp_set };

	while (start < end) {
		struct uw_rule rule = rule_at(g, start, delta);
		u64 stop = end;

		for (size_t i = 0; i < ARRAY_SIZE(cuts); i++)
			if (cuts[i] > start && cuts[i] < stop)
				stop = cuts[i];
		g->fn(&rule, start, stop, g->data);
		start = stop;
	}
}

static int paint_function(struct painter *g)
{
	const struct go_function *fn = &g->function;
	bool has_frame = false;
	struct go_values v;
	int err;

	begin_function(g);
	if (fn->flags & GO_IS_TOP) {
		g->fn(&(struct uw_rule){ .cfa = UW_CFA_ROOT }, fn->start, fn->end, g->data);
		return 0;
	}
	go_values_begin(&v, g->table, fn, fn->sp);
	while (g->work && !(err = go_values_next(&v)) && v.start < fn->end && v.start < g->end) {
		g->work--;
		if (v.value > 0 && !has_frame)
			read_prologue(g, v.start, v.value);
		has_frame |= v.value > 0;
		if (v.end > g->start)
			paint_value(g, v.start, v.end < fn->end ? v.end : fn->end, v.value);
	}
	return err == -ENOENT || err == -ENOEXEC || !g->work ? 0 : err;
}

int go_rows(const void *table, struct elf_file *f, u64 start, u64 end, rule_fn *fn, void *data)
{
	const struct go_table *t = table;
	struct painter g = { .table = t,
			     .is_arm64 = elf_file_machine(f) == EM_AARCH64,
			     .start = start,
			     .end = end,
			     .work = MAX_WORK,
			     .fn = fn,
			     .data = data };
	u32 i = 0;
	int err = go_table_find(t, start, &i, &g.function);

	if (err == -ENOENT)
		err = go_table_function(t, i, &g.function);
	while (!err && g.work && g.function.start < end) {
		err = paint_function(&g);
		if (!err)
			err = ++i < go_table_count(t) ? go_table_function(t, i, &g.function)
						      : -ENOENT;
		/* If a function's data is broken, only that function has no rules. */
		while (err == -ENOEXEC && g.work && g.work--)
			err = ++i < go_table_count(t) ? go_table_function(t, i, &g.function)
						      : -ENOENT;
	}
	return err == -ENOENT || err == -ENOEXEC ? 0 : err;
}

static void free_table(const void *data)
{
	struct go_table *t = (struct go_table *)data;

	go_table_free(&t);
}

int go_rows_add(struct cfi *c, struct elf_file *f)
{
	struct go_table *t;
	int err = go_table_open(&t, f);

	if (err)
		return err == -ENOENT ? 0 : err;
	err = cfi_add_provider(c, &(struct cfi_provider){ .describe = go_rows,
							  .data = t,
							  .free = free_table,
							  .is_complete = true });
	if (err)
		go_table_free(&t);
	return err;
}
