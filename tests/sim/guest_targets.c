// SPDX-License-Identifier: BSD-2-Clause

#include "guest_targets.h"

#include "../../fixtures/stacks/all.h"
#include "../core/random.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define N_RANDOM 40
#define N_ROUNDS 3 /* rounds of changes for each bundled stack */
#define MAX_WORDS 1024
#define PAGE_WORDS (SIM_PAGE_LEN / 8)
#define MAX_REPEATED 16 /* each row is repeated once for each byte of a rule (RULE_LEN) */
#define N_POKES N(((struct stack *)0)->pokes)
#define KEPT_OF 0x1234 /* an arbitrary image; see struct uw_state */

/* Instructions for which core/arch has a rule. */
static const u8 insns_x86_64[][8] = {
	{ 0x55 },
	{ 0xc3 },
	{ 0xc2, 0x08 },
	{ 0xf3, 0xc3 },
	{ 0xf3, 0x0f, 0x1e, 0xfa },
	{ 0x48, 0x89, 0xe5 },
	{ 0x48, 0x8b, 0xec },
	{ 0x5d, 0xc3 },
	{ 0x5b, 0x5d, 0xc3 },
	{ 0x41, 0x5e, 0x5d, 0xc3 },
	{ 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3 },
	{ 0x48, 0x8d, 0x65, 0xf8, 0x5b, 0x5d, 0xc3 },
	{ 0x48, 0x81, 0xc4, 0x88, 0, 0, 0, 0xc3 },
	{ 0x48, 0x8d, 0xa5, 0x40, 0xff, 0xff, 0xff, 0x5d },
	{ 0xff, 0x25 },
	{ 0xff, 0xe0 },
	{ 0x48, 0xff, 0xe0 },
	{ 0xeb, 0x7c },
	{ 0xe9, 0, 0x10 },
	{ 0x48, 0x8b, 0x59, 0xf0, 0xf6, 0x43 },
	{ 0xf6, 0x43, 0x07, 0x20 },
	{ 0x41, 0xf6, 0x41, 0x07, 0x20, 0x0f, 0x85 },
	{ 0x74, 0x05, 0xe9 },
	{ 0x48, 0x83, 0xf9, 0, 0x7f, 0x03, 0xc2 },
	{ 0x49, 0x83, 0xf8, 0, 0x0f, 0x8f },
	{ 0x41, 0x51, 0xc3 },
	{ 0x41, 0x52, 0xc3 },
	{ 0x48, 0x8d, 0x24, 0xcc, 0x41, 0x51, 0xc3 },
	{ 0xe8 },
	{ 0xbb, 0, 0, 0, 0, 0x49, 0xbc },
	{ 0x33, 0xdb, 0x49, 0xbc },
};
static const u32 insns_arm64[] = {
	0xa9bf7bfd, 0xa9007bfd, 0x910003fd, 0xd65f03c0, 0xd65f0bff, 0xd65f0fff, 0xd503233f,
	0xd50323bf, 0xd503245f, 0x36000070, 0x58000011, 0xd61f0220, 0xf8400050, 0xb8400210,
	0x8b306fff, 0x91000410, 0x927ffa10, 0xf100007f, 0x5400004a, 0xd2800003, 0xa8c17bfd,
};

static u64 draw_insns(u64 *seed, u32 bit)
{
	u64 r = draw(seed), word = 0;

	if (bit == STACK_ARM64)
		word = insns_arm64[r % N(insns_arm64)] | (u64)insns_arm64[(r >> 8) % N(insns_arm64)]
								 << 32;
	else
		memcpy(&word, insns_x86_64[r % N(insns_x86_64)], sizeof(word));
	return r >> 16 & 1 ? word ^ 1ull << (r >> 17 & 31) : word;
}

/* Replaces the instructions at pc with pokes, unless the stack already uses all pokes. */
static void put_insns(struct stack *s, u64 *seed, u32 bit)
{
	u32 n = 0;

	while (n < N_POKES && s->pokes[n].addr)
		n++;
	for (u32 i = 0; i < 2 && n < N_POKES; i++, n++)
		s->pokes[n] = (struct stack_word){ s->regs.pc + 8 * i, draw_insns(seed, bit) };
}

/* Returns the word, plus @by if it points into the stack. */
static u64 moved(const struct stack *from, u64 word, u64 by)
{
	return word - STACK_ADDR <= from->n_words * 8ull ? word + by : word;
}

/* Makes @s a copy of @from that begins with @n_before zero words; @words is its storage. */
static void move(const struct stack *from, u32 n_before, struct stack *s, u64 words[MAX_WORDS])
{
	u64 by = 8ull * n_before;

	*s = *from;
	memset(words, 0, by);
	for (u32 i = 0; i < from->n_words; i++)
		words[n_before + i] = moved(from, from->words[i], by);
	s->words = words;
	s->n_words = from->n_words + n_before;
	s->regs.sp = moved(from, s->regs.sp, by);
	s->regs.fp = moved(from, s->regs.fp, by);
	for (u32 i = 0; i < UW_N_SCRATCH; i++)
		s->regs.scratch[i] = moved(from, s->regs.scratch[i], by);
	for (u32 i = 0; i < N_POKES && s->pokes[i].addr; i++)
		s->pokes[i].word = moved(from, s->pokes[i].word, by);
}

/* Repeats each row once for each byte of a rule. */
static void repeat_rows(struct sim_target *t)
{
	static u32 rows[MAX_REPEATED * N(stack_rows)];
	static struct uw_row_page pages[N(stack_row_pages)];

	for (u32 i = 0; i < N(rows); i++)
		rows[i] = stack_rows[i / MAX_REPEATED] + (i % MAX_REPEATED << UW_ROW_OFF_SHIFT);
	for (u32 i = 0; i < t->n_row_pages; i++) {
		pages[i] = t->row_pages[i];
		pages[i].first *= MAX_REPEATED;
		pages[i].n *= MAX_REPEATED;
	}
	t->rows = rows;
	t->n_rows = N(rows);
	t->row_pages = pages;
}

/* Returns false if the stack is too long, or if its pc would be outside of the memory. */
static bool derive(const struct stack *from, u32 bit, u64 seed, struct sim_target *out)
{
	static u64 words[MAX_WORDS];
	u64 r = draw(&seed);
	u32 end = (u32)(r % (from->n_words + 1ull)); /* index of the word after which a page ends */
	u32 n_before = (PAGE_WORDS - end % PAGE_WORDS) % PAGE_WORDS;
	struct stack s;

	if (from->n_words + n_before > MAX_WORDS)
		return false;
	move(from, n_before, &s, words);
	if (s.regs.pc - CLR_TEXT < TEXT_LEN && r >> 32 & 1)
		s.regs.pc = CLR(r >> 33 & (bit == STACK_ARM64 ? 0x3fc : 0x3ff));
	if (r >> 48 & 3)
		put_insns(&s, &seed, bit);
	if (sim_stack_target(&s, bit, out))
		return false;
	if (r >> 50 & 1 && !s.no_rows)
		repeat_rows(out);
	if (r >> 51 & 1)
		out->process_key = KEPT_OF;
	return true;
}

static void add_random(struct guest_targets *t, const struct arch_row *arch)
{
	for (u64 i = 0; i < N_RANDOM; i++) {
		struct sim_target *target = &t->at[t->n++];
		u64 seed = i << 20;

		random_target(arch, target);
		draw_words(&seed, (u64 *)sim_image_host(target->mem, STACK_ADDR, RANDOM_WORDS * 8));
		draw_regs(&seed, &target->regs);
	}
}

static void add_of(struct guest_targets *t, const struct stack *stack, const struct arch_row *arch,
		   u64 number)
{
	if (!(stack->archs & arch->bit))
		return;
	assert_in_range(t->n, 0, GUEST_MAX_TARGETS - 1 - N_ROUNDS);
	target_of(stack, arch, &t->at[t->n++]);
	for (u64 i = 0; i < N_ROUNDS; i++)
		t->n += derive(stack, arch->bit, (i << 16 | number) << 20, &t->at[t->n]);
}

void guest_targets_init(struct guest_targets *t, const struct arch_row *arch)
{
	u64 number = 0;

	t->n = 0;
	add_random(t, arch);
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++)
			add_of(t, &stack_groups[g].stacks[i], arch, number++);
}

void guest_targets_deinit(struct guest_targets *t)
{
	while (t->n)
		sim_mem_free(&t->at[--t->n].mem);
}
