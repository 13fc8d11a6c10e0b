/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Random stacks on which a walk makes progress: pairs of words that look like frame
 * records, with the words that V8 puts between them, and plainly wrong words. A given seed always
 * gives the same stack.
 */

#include "walks.h"

#include "../../fixtures/stacks/dotnet.h"
#include "../../fixtures/stacks/v8.h"

#define RANDOM_FIRST 300 /* first redrawn word of the stack; the redrawn words cross a page end */
#define RANDOM_LAST 700
#define RANDOM_WORDS 1024

static inline u64 draw(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline u64 draw_code(u64 r)
{
	static const u64 texts[] = { APP_TEXT, LIBC_TEXT, BUILTINS_TEXT, JIT_TEXT };

	if (r % 61 == 0)
		return JIT(0x8000 + (r >> 8) % 0x1000);
	if (r % 61 == 1)
		return APP_TEXT + TEXT_LEN;
	if (r % 61 < 4)
		return CLR((r >> 8) % 0x400);
	if (r % 61 == 6)
		return CLR(0x8000 + (r >> 8) % 0x6000);
	return texts[r % 4] + (r >> 8) % TEXT_LEN;
}

/* Draws a word between records: a local, marker, function, context or nonsense. */
static inline u64 draw_local(u64 r, u32 i)
{
	static const u64 functions[] = { FUNCTION_A, FUNCTION_B, FUNCTION_C, CONTEXT };

	switch (r % 8) {
	case 0:
	case 1:
	case 2:
		return functions[(r >> 8) % 4];
	case 3:
		return SMI(r >> 8 & 0xfff);
	case 4:
		return r >> 8 & 0x3e;
	case 5:
		return S(i + (r >> 8) % 40);
	case 6:
		return TAGGED(HEAP((r >> 8) % (HEAP_LEN + 0x1000) & ~7ull));
	default:
		return r;
	}
}

static inline u64 draw_fp(u64 r, u32 i)
{
	if (r % 64 == 0)
		return r >> 8;
	if (r % 64 == 1)
		return r >> 8 & 0xfff;
	if (r % 64 == 2)
		return S((r >> 8) % RANDOM_WORDS);
	if (r % 64 == 3)
		return S(i) + (r >> 8 & 0xff);
	if (r % 64 == 4)
		return S(i) + (r >> 8 & 0x1ffff8);
	return S((i + 2 + (r >> 8) % 20) & ~1u);
}

/* Redraws the stack's words in pairs, most of which look like frame records. */
static inline void draw_words(u64 *seed, u64 *words)
{
	for (u32 i = RANDOM_FIRST; i < RANDOM_LAST; i += 2) {
		u64 r = draw(seed);
		bool is_record = r % 16;

		words[i] = is_record ? draw_fp(r >> 4, i) : draw_local(r >> 4, i);
		r = draw(seed);
		words[i + 1] = is_record && r % 32 ? draw_code(r >> 5) : draw_local(r >> 5, i);
	}
}

static inline void draw_regs(u64 *seed, struct uw_regs *regs)
{
	u64 r = draw(seed);
	u32 at = RANDOM_FIRST + r % 64;

	regs->pc = r >> 8 & 31 ? draw_code(r >> 13) : draw(seed);
	regs->sp = S(at) + (r >> 40 & 63 ? 0 : 4);
	regs->fp = draw_fp(draw(seed), at);
	r = draw(seed);
	regs->lr = r & 3 ? draw_code(r >> 2) : draw(seed);
	for (u32 i = 0; i < UW_N_SCRATCH; i++)
		regs->scratch[i] = S(at + ((r >> 40) + i) % 32);
}

/* Fills the text of each module with instructions that have a rule, and with others. */
static inline void draw_text(u64 *seed, u8 *text, u32 bit)
{
	static const u32 x86[] = { 0x55, 0xc3, 0xe58948, 0xfa1e0ff3, 0x90909090, 0xe8 };
	static const u32 arm64[] = { 0xa9bf7bfd, 0xd65f03c0, 0x910003fd,
				     0xd503233f, 0xd503201f, 0x94000000 };

	for (u32 i = 0; i < TEXT_LEN; i += 4)
		memcpy(text + i, bit == STACK_ARM64 ? &arm64[draw(seed) % 6] : &x86[draw(seed) % 6],
		       4);
}

/* Adds valid and invalid methods of CoreCLR. */
static inline void put_methods(struct sim_mem *mem)
{
	static const struct stack_word words[] = { CLR_NIBBLES,	 CLR_METHOD_1, CLR_INFO_1,
						   CLR_METHOD_2, CLR_METHOD_3, CLR_INFO_3 };

	for (u32 i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(sim_image_write(mem, words[i].addr, &words[i].word, 8), 0);
}

/* A target for random words; the caller owns its memory. */
static inline void random_target(const struct arch_row *arch, struct sim_target *out)
{
	static const u64 texts[] = { APP_TEXT, LIBC_TEXT, BUILTINS_TEXT, JIT_TEXT };
	static const u64 words[RANDOM_WORDS];
	struct stack stack = v8_stacks[0];
	u64 seed = 1;

	stack.words = words;
	stack.n_words = RANDOM_WORDS;
	target_of(&stack, arch, out);
	put_methods(out->mem);
	for (u32 i = 0; i < 4; i++)
		draw_text(&seed, sim_image_host(out->mem, texts[i], TEXT_LEN), arch->bit);
}
