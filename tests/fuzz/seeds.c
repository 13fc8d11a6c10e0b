// SPDX-License-Identifier: BSD-2-Clause

/*
 * seeds DIR: converts the bundled stacks, and those of made_stacks.h, to inputs of the targets that
 * walk. Each stack is walked over memory that records all first accesses in the format of
 * sim/mem/lazy.h. A walk of the converted input must give the same result.
 */

#include "made_stacks.h"
#include "walk.h"

#include "../core/walks.h"
#include "../../fixtures/stacks/all.h"

#include <sys/stat.h>

#define MAX_INPUT (1u << 20)
#define MAX_TOUCHED 65536

struct output {
	u8 bytes[MAX_INPUT];
	size_t len;
};

/* Memory that wraps the stack's own memory and records accesses. */
struct scribe {
	struct sim_mem mem;
	struct sim_mem *inner;
	struct output *out;
	u64 touched[MAX_TOUCHED]; /* addresses of words, and with bit 0 set addresses of pages */
	u32 n;
};

static void put_u8(struct output *o, u8 byte)
{
	FUZZ_MUST(o->len < MAX_INPUT, "the input is too long");
	o->bytes[o->len++] = byte;
}

static void put_u64(struct output *o, u64 word)
{
	for (u32 i = 0; i < 8; i++)
		put_u8(o, (u8)(word >> i * 8));
}

static void put_reg(struct output *o, u64 value)
{
	put_u8(o, 255);
	put_u64(o, value);
}

static bool is_new(struct scribe *s, u64 key)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->touched[i] == key)
			return false;
	FUZZ_MUST(s->n < MAX_TOUCHED, "too many accesses");
	s->touched[s->n++] = key;
	return true;
}

/*
 * A page counts as present if the accessed word is present, because no bundled stack has a partial
 * page.
 */
static int touch(struct scribe *s, u64 addr)
{
	u64 word;
	int err = (int)sim_mem_read(s->inner, &word, 8, addr);

	if (is_new(s, (addr & ~(u64)(SIM_PAGE_LEN - 1)) | 1))
		put_u8(s->out, err ? 0 : 255);
	if (err)
		return err;
	if (is_new(s, addr)) {
		put_u8(s->out, 255);
		put_u64(s->out, word);
	}
	return 0;
}

static int recorder_read(struct sim_mem *mem, void *dst, u32 len, u64 addr)
{
	struct scribe *s = (struct scribe *)mem;

	for (u64 at = addr & ~7ull; at < addr + len; at += 8)
		if (touch(s, at))
			return SIM_FAULT;
	return (int)sim_mem_read(s->inner, dst, len, addr);
}

static const struct sim_mem_ops recorder_ops = { "scribe", recorder_read, NULL };

static void put_head(struct output *o, const struct sim_target *t, u32 arch)
{
	static const u64 va_masks[] = { VA47, VA48, VA39, VA52 };
	u8 va = 0;

	while (va < 3 && va_masks[va] != t->va_mask)
		va++;
	put_u8(o, (u8)(arch | va << 1 | 8 | (t->extent ? 0x10 : 0) | (t->sample_flags ? 0x40 : 0) |
		       (t->process_key ? 0x80 : 0)));
	put_reg(o, t->regs.pc);
	put_reg(o, t->regs.sp);
	put_u8(o, 0);
	put_reg(o, t->regs.fp);
	put_reg(o, t->regs.lr);
	for (int i = 0; i < UW_N_SCRATCH; i++)
		put_reg(o, t->regs.scratch[i]);
	put_u8(o, t->n_row_pages < STACK_N_ROW_PAGES);
}

/* Does a walk of the input give @wanted? */
static bool gives(const struct output *o, const struct uw_sample *wanted)
{
	static struct sim_target target;
	static struct uw_state u;
	struct fuzz_input in = { o->bytes, o->len };
	const struct arch_row *arch;

	arch = &arch_rows[fuzz_target(&target, &in)];
	fuzz_memory(&target, &in);
	arch->sim->walk(&u, &target);
	return fuzz_is_same(&u.sample, wanted);
}

/* @is_made: the stack's frames are those of a walk with awaits */
static bool make_seed(const struct stack *stack, u32 a, bool is_made, struct output *o)
{
	static struct scribe scribe;
	static struct uw_state u;
	static u64 n_with_cache;
	struct sim_target target;

	FUZZ_MUST(!sim_stack_target(stack, arch_rows[a].bit, &target), "%s", stack->name);
	target.process_key = target.extent ? ++n_with_cache : 0;
	fuzz_awaits(&target);
	scribe.mem.ops = &recorder_ops;
	scribe.inner = target.mem;
	scribe.out = o;
	scribe.n = 0;
	o->len = 0;
	put_head(o, &target, a);
	target.mem = &scribe.mem;
	arch_rows[a].sim->walk(&u, &target);
	sim_mem_free(&scribe.inner);
	FUZZ_MUST(!is_made || sample_is(stack, &u.sample, true), "%s: other frames", stack->name);
	return gives(o, &u.sample);
}

static void write_seed(const char *folder, const struct stack *stack, u32 a, const struct output *o)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%s", folder, stack->name, arch_rows[a].sim->name);
	f = fopen(path, "wb");
	FUZZ_MUST(f && fwrite(o->bytes, 1, o->len, f) == o->len && !fclose(f), "cannot write %s",
		  path);
}

struct seeds {
	const char *folder;
	u32 n, n_unlike;
};

static void add_seeds(struct seeds *seeds, const struct stack *stack, bool is_made)
{
	static struct output o;

	for (u32 a = 0; a < N_ARCHS; a++) {
		if (!(stack->archs & arch_rows[a].bit))
			continue;
		seeds->n_unlike += !make_seed(stack, a, is_made, &o);
		write_seed(seeds->folder, stack, a, &o);
		seeds->n++;
	}
}

static void add_made(const struct stack *stack, void *seeds)
{
	add_seeds(seeds, stack, true);
}

int main(int argc, char **argv)
{
	struct seeds s = { argv[1], 0, 0 };

	FUZZ_MUST(argc == 2, "usage: seeds DIR");
	mkdir(argv[1], 0777);
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++)
			add_seeds(&s, &stack_groups[g].stacks[i], false);
	each_made_stack(add_made, &s);
	printf("wrote %u seeds; the walks of %u seeds differ from the walks of their stacks\n", s.n,
	       s.n_unlike);
	return s.n_unlike > 0;
}
