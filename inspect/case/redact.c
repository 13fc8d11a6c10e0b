// SPDX-License-Identifier: BSD-2-Clause

#include "redact.h"

#include "../../core/dotnet/dotnet_info.h"
#include "../../core/v8/v8_info.h"

#include <string.h>

#define SMALL 4096
#define NEAR_SP (1ull << 20) /* a walk looks no further in one step */
#define SMALL_SMI (1 << 24)

static bool is_harmless(const struct redaction *r, u64 word)
{
	u64 addr = word & r->va_mask;
	s64 smi = (s64)word >> 32;

	if (word < SMALL || word > -(u64)SMALL)
		return true;
	if (!(u32)word && smi > -SMALL_SMI && smi < SMALL_SMI)
		return true;
	if (r->fault_addr && addr - r->fault_addr + PAGE_LEN < 2ul * PAGE_LEN)
		return true;
	return word - r->sp <= NEAR_SP || areas_find(r->areas, addr);
}

/*
 * Another word that leads a walk to the same end: as little an address, as far from the
 * stack and on the same side of it, as aligned.
 */
static u64 blank(const struct redaction *r, u64 word)
{
	u64 like = word > r->va_mask ? ~r->va_mask : word > r->sp ? r->va_mask - 7 : SMALL;

	return like | (word & 7);
}

static bool is_v8(u8 kind)
{
	return kind == UW_V8_STUB || kind == UW_V8_JS || kind == UW_V8_CODE;
}

/* Has the walk gone from a frame of V8 to the return address that lies there? */
static bool is_return_from_v8(const struct redaction *r, const struct pages *p, u64 addr,
			      bool is_stub)
{
	const struct page *page = pages_find(p, addr);
	u32 off = addr & (PAGE_LEN - 1);
	u64 word;

	if (!page || page->state[off] != BYTE_READ)
		return false;
	memcpy(&word, page->bytes + off, 8);
	for (u32 i = 1; i < r->n_frames; i++) {
		u8 kind = r->frames[i - 1].kind;

		if (r->frames[i].pc == (word & r->va_mask) &&
		    (is_stub ? kind == UW_V8_STUB : is_v8(kind)))
			return true;
	}
	return false;
}

/*
 * The slots of a frame of V8 lie below its record, whose return address tells it: the
 * record before may be nowhere, since native code uses fp as it likes. What an exit frame
 * is of lies above it.
 */
static bool is_in_v8_frame(const struct redaction *r, const struct pages *p, u64 addr)
{
	for (u64 at = addr; at <= addr + V8_SLOTS_LEN + 8; at += 8)
		if (is_return_from_v8(r, p, at, false))
			return true;
	return is_return_from_v8(r, p, addr - V8_EXIT_TARGET + 8, true);
}

/* Of a nibble map a walk uses only where methods start: 4 bytes for 256 bytes of code. */
static bool is_nibble_map(const struct redaction *r, u64 addr)
{
	for (u32 i = 0; i < r->n_mappings; i++) {
		const struct uw_mapping *m = &r->mappings[i].map;

		if (m->kind == UW_MAP_DOTNET_JIT &&
		    addr - m->file_off < (m->end_addr - m->start_addr) / 64 + 8)
			return true;
	}
	return false;
}

/* The MethodDesc and the unwind entries, behind what the word before a method points to. */
static bool is_dotnet_header(const struct redaction *r, const struct pages *p, u64 addr)
{
	for (u32 i = 0; i < r->n_frames; i++) {
		u64 slot = r->frames[i].a - DOTNET_HEADER_SLOT, header;
		u32 off = (u32)(slot & (PAGE_LEN - 1));
		const struct page *page;

		if (r->frames[i].kind != UW_DOTNET_METHOD || off > PAGE_LEN - 8)
			continue;
		page = pages_find(p, slot);
		if (!page || page->state[off] != BYTE_READ)
			continue;
		memcpy(&header, page->bytes + off, 8);
		if (addr - header - DOTNET_HEADER_METHOD_DESC < PAGE_LEN)
			return true;
	}
	return false;
}

/* Copied bytes beside them are nothing that the walk needs, and may be anything. */
static bool is_of_dotnet(const struct redaction *r, const struct pages *p, const struct page *page,
			 u32 off)
{
	u64 addr = page->addr + off;

	return page->state[off] == BYTE_READ && page->holds != CASE_STACK &&
	       (is_nibble_map(r, addr) || is_dotnet_header(r, p, addr));
}

static void redact_word(const struct redaction *r, const struct pages *p, struct page *page,
			u32 off)
{
	u64 word, like;

	memcpy(&word, page->bytes + off, 8);
	if (is_harmless(r, word) || is_in_v8_frame(r, p, page->addr + off) ||
	    is_of_dotnet(r, p, page, off))
		return;
	like = blank(r, word);
	for (u32 i = 0; i < 8; i++)
		if (page->state[off + i] == BYTE_READ)
			page->bytes[off + i] = ((u8 *)&like)[i];
		else if (page->state[off + i] == BYTE_COPIED)
			page->bytes[off + i] = 0;
}

void redact_pages(const struct redaction *r, struct pages *p)
{
	for (u32 i = 0; i < p->n; i++)
		for (u32 off = 0; p->v[i]->holds != CASE_CODE && off < PAGE_LEN; off += 8)
			redact_word(r, p, p->v[i], off);
}

void redact_regs(const struct redaction *r, struct case_regs *regs)
{
	u64 fp = regs->fp;

	if (!is_harmless(r, fp))
		regs->fp = blank(r, fp);
	for (u32 i = 0; i < CASE_MAX_REGS; i++) {
		u64 word = regs->all[i];

		if (word != regs->pc && word != regs->sp && word != regs->lr &&
		    !is_harmless(r, word))
			regs->all[i] = word == fp ? regs->fp : 0;
	}
}

/* In two-byte text the line ends of V8 are 0x0a, 0x0d, 0x2028 and 0x2029; zeros are halves of
 * ASCII. */
void redact_source(u8 *bytes, u64 len)
{
	for (u64 i = 0; i < len; i++) {
		bool is_wide = i + 1 < len && (bytes[i] & 0xfe) == 0x28 && bytes[i + 1] == 0x20;

		if (is_wide)
			i++;
		else if (bytes[i] && bytes[i] != '\n' && bytes[i] != '\r')
			bytes[i] = 'x';
	}
}
