/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Stubs are searched for at the alignment that linkers use, the system call at every byte. Sources
 * of the layouts:
 *
 *	x86-64	binutils 2.40 bfd/elf64-x86-64.c, LLVM 14 lld/ELF/Arch/X86_64.cpp
 *	arm64	binutils 2.40 bfd/elfnn-aarch64.c, LLVM 14 lld/ELF/{Arch/AArch64,Thunks}.cpp
 */

#include <string.h>

#include "cfi_code.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_WORDS 6

/*
 * A stub: little-endian words of code, each with its mask. The rule in the member then applies from
 * byte split on.
 */
struct stub {
	u32 words[MAX_WORDS][2];
	u8 n, len, split, first, then;
};

enum { SP_8, SP_16, SP_24, LR_0, LR_16 };

static const struct uw_rule rules[] = {
	[SP_8] = { .cfa = UW_CFA_SP, .cfa_off = 8, .ra = UW_SAVED_CFA, .ra_off = -8 },
	[SP_16] = { .cfa = UW_CFA_SP, .cfa_off = 16, .ra = UW_SAVED_CFA, .ra_off = -8 },
	[SP_24] = { .cfa = UW_CFA_SP, .cfa_off = 24, .ra = UW_SAVED_CFA, .ra_off = -8 },
	[LR_0] = { .cfa = UW_CFA_SP, .ra = UW_SAVED_SAME },
	[LR_16] = { .cfa = UW_CFA_SP, .cfa_off = 16, .ra = UW_SAVED_CFA, .ra_off = -8 },
};

#define ALL 0xffffffff
#define IMM12 0xffc003ff /* mask of all bits except a 12-bit immediate */
#define ENDBR64 0xfa1e0ff3

/* clang-format off: write each stub on one line */
static const struct stub x86_64_stubs[] = {
	/* jmp *GOT; push $n; jmp PLT0 */
	{ { { 0x25ff, 0xffff }, { 0x68 << 16, 0xff << 16 }, { 0xe9u << 24, 0xffu << 24 } },
	  3,
	  16,
	  11,
	  SP_8,
	  SP_16 },
	/* endbr64; push $n; [bnd] jmp PLT0 */
	{ { { ENDBR64, ALL }, { 0x68, 0xff }, { 0xe9 << 8, 0xff << 8 } }, 3, 14, 9, SP_8, SP_16 },
	{ { { ENDBR64, ALL }, { 0x68, 0xff }, { 0xe9f2 << 8, 0xffff << 8 } },
	  3,
	  15,
	  9,
	  SP_8,
	  SP_16 },
	/* PLT0: push GOT+8; [bnd] jmp *GOT+16 */
	{ { { 0x35ff, 0xffff }, { 0x25ff << 16, 0xffffu << 16 } }, 2, 12, 6, SP_16, SP_24 },
	{ { { 0x35ff, 0xffff }, { 0xfff2u << 16, 0xffffu << 16 }, { 0x25, 0xff } },
	  3,
	  13,
	  6,
	  SP_16,
	  SP_24 },
	/* [endbr64]; [bnd] jmp *GOT; the first is followed by xchg %ax, %ax */
	{ { { 0x25ff, 0xffff }, { 0x9066u << 16, 0xffffu << 16 } }, 2, 8, 8, SP_8, SP_8 },
	{ { { ENDBR64, ALL }, { 0x25ff, 0xffff } }, 2, 10, 10, SP_8, SP_8 },
	{ { { ENDBR64, ALL }, { 0x25fff2, 0xffffff } }, 2, 11, 11, SP_8, SP_8 },
};

#define BTI_C                                                                                      \
	{                                                                                          \
		0xd503245f, ALL                                                                    \
	}
#define STP_X16_LR                                                                                 \
	{                                                                                          \
		0xa9bf7bf0, ALL                                                                    \
	} /* stp x16, x30, [sp, #-16]! */
#define ADRP_X16                                                                                   \
	{                                                                                          \
		0x90000010, 0x9f00001f                                                             \
	}
#define LDR_X17                                                                                    \
	{                                                                                          \
		0xf9400211, IMM12                                                                  \
	} /* ldr x17, [x16, ..] */
#define ADD_X16                                                                                    \
	{                                                                                          \
		0x91000210, IMM12                                                                  \
	} /* add x16, x16, .. */
#define AUTIA1716                                                                                  \
	{                                                                                          \
		0xd503219f, ALL                                                                    \
	}
#define BR_X16                                                                                     \
	{                                                                                          \
		0xd61f0200, ALL                                                                    \
	}
#define BR_X17                                                                                     \
	{                                                                                          \
		0xd61f0220, ALL                                                                    \
	}

static const struct stub arm64_stubs[] = {
	{ { ADRP_X16, LDR_X17, ADD_X16, BR_X17 }, 4, 16, 16, LR_0, LR_0 },
	{ { BTI_C, ADRP_X16, LDR_X17, ADD_X16, BR_X17 }, 5, 20, 20, LR_0, LR_0 },
	{ { ADRP_X16, LDR_X17, ADD_X16, AUTIA1716, BR_X17 }, 5, 20, 20, LR_0, LR_0 },
	{ { BTI_C, ADRP_X16, LDR_X17, ADD_X16, AUTIA1716, BR_X17 }, 6, 24, 24, LR_0, LR_0 },
	/* PLT0 */
	{ { STP_X16_LR, ADRP_X16, LDR_X17, ADD_X16, BR_X17 }, 5, 20, 4, LR_0, LR_16 },
	{ { BTI_C, STP_X16_LR, ADRP_X16, LDR_X17, ADD_X16, BR_X17 }, 6, 24, 8, LR_0, LR_16 },
	/* Veneers for targets that bl cannot reach; the second one uses ldr x16, .+8, the third one
	   adr x17 and an add. */
	{ { ADRP_X16, ADD_X16, BR_X16 }, 3, 12, 12, LR_0, LR_0 },
	{ { { 0x58000050, ALL }, BR_X16 }, 2, 8, 8, LR_0, LR_0 },
	{ { { 0x58000090, ALL }, { 0x10000011, ALL }, { 0x8b110210, ALL }, BR_X16 },
	  4,
	  16,
	  16,
	  LR_0,
	  LR_0 },
};
/* clang-format on */

static u32 word_at(const struct cfi_code *c, size_t at)
{
	u32 word;

	memcpy(&word, c->bytes + at, sizeof(word));
	return word;
}

static bool matches(const struct cfi_code *c, size_t at, const struct stub *s)
{
	if (c->len - at < 4 * s->n)
		return false;
	for (u32 i = 0; i < s->n; i++)
		if ((word_at(c, at + 4 * i) & s->words[i][1]) != s->words[i][0])
			return false;
	return true;
}

/* Whether a stub can start with this byte; few instructions outside stubs start with it. */
static bool may_begin(const struct cfi_code *c, u8 byte)
{
	return c->is_arm64 ? (byte & 0x1f) == 0x10 || byte == 0x5f : byte == 0xff || byte == 0xf3;
}

void cfi_code_stubs(const struct cfi_code *c)
{
	const struct stub *stubs = c->is_arm64 ? arm64_stubs : x86_64_stubs;
	size_t n = c->is_arm64 ? N(arm64_stubs) : N(x86_64_stubs);
	u32 align = c->is_arm64 ? 4 : 8;

	for (size_t at = -c->addr % align; at + 4 <= c->len; at += align) {
		u64 addr = c->addr + at;
		size_t i;

		if (!may_begin(c, c->bytes[at]))
			continue;
		for (i = 0; i < n && !matches(c, at, &stubs[i]);)
			i++;
		if (i == n)
			continue;
		c->fn(&rules[stubs[i].first], addr, addr + stubs[i].split, c->data);
		c->fn(&rules[stubs[i].then], addr + stubs[i].split, addr + stubs[i].len, c->data);
	}
}

u64 cfi_code_leaves_aligned(const struct cfi_code *c, u64 start, u64 end)
{
	static const u8 lea[] = { 0x49, 0x8d, 0x62, 0xf8 }; /* lea -8(%r10), %rsp */
	size_t at = start - c->addr > sizeof(lea) ? start - c->addr - sizeof(lea) + 1 : 0;
	const u8 *p = memmem(c->bytes + at, c->len - at, lea, sizeof(lea));
	u64 addr = p ? c->addr + (u64)(p - c->bytes) : end;

	return addr < start ? start : addr < end ? addr : end;
}

bool cfi_code_next_call(const struct cfi_code *c, u64 *at, u64 end, u64 *callee)
{
	for (u64 last = *at; last < end && last - c->addr < c->len; last++) {
		size_t first = last - c->addr - 4;

		if (last - c->addr < 4 || c->bytes[first] != 0xe8)
			continue;
		*at = last + 1;
		*callee = *at + (u64)(s64)(s32)word_at(c, first + 1);
		return true;
	}
	return false;
}

/* The length of an x86-64 nop (nopw, nopl: 0f 1f /0), or of int3; 0: neither. */
static u64 x86_64_nop(const u8 *p, u64 len)
{
	static const u8 lens[] = { 0, 4, 7, 0 }; /* indexed by addressing mode; a SIB byte adds 1 */
	u64 n = 0;

	while (n < len && (p[n] == 0x66 || p[n] == 0x2e))
		n++;
	if (n < len && (p[n] == 0x90 || p[n] == 0xcc))
		return n + 1;
	if (len - n < 3 || p[n] != 0x0f || p[n + 1] != 0x1f)
		return 0;
	return n + (lens[p[n + 2] >> 6] ? lens[p[n + 2] >> 6] : 3) + ((p[n + 2] & 7) == 4);
}

bool cfi_code_is_padding(const struct cfi_code *c, u64 start, u64 end)
{
	const u8 *p = c->bytes + (start - c->addr);
	u64 len = end - start, at = c->is_arm64 ? -start & 3 : 0, n;

	for (; at < len; at += n) {
		n = c->is_arm64 ? 4 : x86_64_nop(p + at, len - at);
		if (!n)
			return false;
		if (c->is_arm64 && len - at >= 4 && word_at(c, start - c->addr + at) &&
		    word_at(c, start - c->addr + at) != 0xd503201f)
			return false;
	}
	return true;
}

/*
 * Reports the code that returns from a signal, with the byte before it if @and_before. In musl's
 * arm64 code, the byte before is not part of a nop, but the last byte of another function, which is
 * never a pc. On x86-64 the byte may be a whole `ret`; the byte is then omitted.
 */
static void report_signal(const struct cfi_code *c, size_t at, size_t len, bool and_before)
{
	u64 start = c->addr + at;

	if (and_before && at && (c->is_arm64 || c->bytes[at - 1] != 0xc3))
		start--;
	c->fn(&(struct uw_rule){ .cfa = UW_CFA_SIGNAL }, start, c->addr + at + len, c->data);
}

bool cfi_code_signals(const struct cfi_code *c, bool and_before)
{
	/* mov $15, %rax; syscall. mov $15, %eax ends with the same bytes. */
	static const u8 rax[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	/* mov x8, #139; svc #0 */
	static const u8 x8[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
	const u8 *tail = c->is_arm64 ? x8 : rax + 3, *p = c->bytes, *end = c->bytes + c->len;
	size_t len = c->is_arm64 ? sizeof(x8) : sizeof(rax) - 3;
	bool found = false;

	for (; (p = memmem(p, (size_t)(end - p), tail, len)); p += len) {
		size_t at = (size_t)(p - c->bytes);

		found = true;
		if (c->is_arm64 && (c->addr + at) % 4 == 0)
			report_signal(c, at, len, and_before);
		else if (!c->is_arm64 && at >= 3 && !memcmp(p - 3, rax, 3))
			report_signal(c, at - 3, len + 3, and_before);
		else if (!c->is_arm64 && at >= 1 && p[-1] == 0xb8)
			report_signal(c, at - 1, len + 1, and_before);
	}
	return found;
}

bool cfi_code_is_syscall(const struct cfi_code *c, u64 addr)
{
	static const u8 syscall[] = { 0x0f, 0x05 };
	u64 at = addr - c->addr;

	return !c->is_arm64 && at < c->len && c->len - at >= sizeof(syscall) &&
	       !memcmp(c->bytes + at, syscall, sizeof(syscall));
}

static bool arm64_leaves(u32 insn)
{
	return (insn & 0x7c000000) == 0x14000000 /* b, bl */ ||
	       (insn & 0xff9ffc1f) == 0xd61f0000 /* br, blr, ret */;
}

/*
 * Whether a call or jump is at @at. A byte e8 or e9 that is part of an operand is mostly rejected,
 * because the apparent target is rarely inside the code.
 */
static bool x86_64_leaves(const struct cfi_code *c, size_t at)
{
	return (c->bytes[at] & 0xfe) == 0xe8 &&
	       c->addr + at + 5 + (u64)(s32)word_at(c, at + 1) - c->text_start <
		       c->text_end - c->text_start;
}

size_t cfi_code_entry_len(const struct cfi_code *c)
{
	size_t len = c->is_arm64 ? 4 : 5;

	for (size_t at = 0; at + len <= c->len; at += c->is_arm64 ? 4 : 1)
		if (c->is_arm64 ? arm64_leaves(word_at(c, at)) : x86_64_leaves(c, at))
			return at + len;
	return c->len;
}
