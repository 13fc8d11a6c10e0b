// SPDX-License-Identifier: BSD-2-Clause

#include "redact.h"

#include "../../core/dotnet/dotnet_info.h"

#include <string.h>

#define SMALL 4096
#define NEAR_SP (1ull << 20) /* one step of a walk reads at most this far above sp */
#define SMALL_SMI (1 << 24)
#define FOLLOWED_LEN 64 /* maximum distance from a tagged address to a field that was read */
#define TYPE_LEN 2 /* length of a V8 instance type; two bytes are too short to be private data */

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
 * Returns a replacement that ends a walk in the same way as @word, because it has the same
 * alignment and is in the same range (beyond all addresses, above the stack pointer, or below it).
 */
static u64 blank(const struct redaction *r, u64 word)
{
	u64 like = word > r->va_mask ? ~r->va_mask : word > r->sp ? r->va_mask - 7 : SMALL;

	return like | (word & 7);
}

/* Whether the walk read, or tried to read, the object at @addr. */
static bool was_followed(const struct pages *p, u64 addr)
{
	for (u64 at = addr; at < addr + FOLLOWED_LEN; at++) {
		const struct page *page = pages_find(p, at);
		u8 state = page ? page->state[at & (PAGE_LEN - 1)] : BYTE_NONE;

		if (state == BYTE_READ || state == BYTE_FAULT)
			return true;
	}
	return false;
}

/*
 * The return address of a frame. Async frames have no return address, because they are not on the
 * stack.
 */
static u64 return_pc(const struct redaction *r, u32 frame)
{
	for (u32 i = frame + 1; i < r->n_frames; i++)
		if (!(r->frames[i].flags & UW_FRAME_ASYNC))
			return r->frames[i].pc;
	return r->fault_addr; /* the walk ended at this address, which is in no known code */
}

/*
 * Whether @addr is the BytecodeArray slot of a frame. The slot is at a fixed offset from the
 * frame's return address.
 */
static bool is_array_slot(const struct redaction *r, const struct pages *p, u64 addr, u32 frame)
{
	u64 at = addr + (r->v8 ? r->v8->bytecode_array_slot + 8u : 0), word;
	const struct page *page = pages_find(p, at);
	u32 off = at & (PAGE_LEN - 1);

	if (!r->v8 || !page || off > PAGE_LEN - 8 || page->state[off] != BYTE_READ)
		return false;
	memcpy(&word, page->bytes + off, 8);
	return (word & r->va_mask) == return_pc(r, frame);
}

/*
 * The token of a V8 frame holds values of the frame's slots, so the token is also updated. See
 * uw_frame.h.
 */
static void redact_tokens(const struct redaction *r, const struct pages *p, u64 addr, u64 word,
			  u64 like)
{
	for (u32 i = 0; i < r->n_frames; i++) {
		struct uw_frame *f = &r->frames[i];

		if (f->kind != UW_V8_STUB && f->kind != UW_V8_JS)
			continue;
		if (f->a == word)
			f->a = like;
		if (f->b == word)
			f->b = like;
		if (f->aux == (u32)word && is_array_slot(r, p, addr, i))
			f->aux = (u32)like;
	}
}

/*
 * Whether @addr is in a nibble map, in the part that a walk reads to find method starts: 4 bytes
 * per 256 bytes of code.
 */
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

/*
 * Whether @addr is near a method's header (MethodDesc, unwind entries), to which the word before
 * the method points.
 */
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

/*
 * Whether the walk read this word of a nibble map or method header. Bytes of a map or header that
 * were only copied are not needed, and may have any value.
 */
static bool is_of_dotnet(const struct redaction *r, const struct pages *p, const struct page *page,
			 u32 off)
{
	u64 addr = page->addr + off;

	return page->state[off] == BYTE_READ && page->holds != CASE_STACK &&
	       (is_nibble_map(r, addr) || is_dotnet_header(r, p, addr));
}

static u32 count_read(const struct page *page, u32 off)
{
	u32 n = 0;

	for (u32 i = 0; i < 8; i++)
		n += page->state[off + i] == BYTE_READ;
	return n;
}

static void redact_word(const struct redaction *r, const struct pages *p, struct page *page,
			u32 off)
{
	u32 n_read = count_read(page, off);
	u64 word, like;

	memcpy(&word, page->bytes + off, 8);
	if (is_harmless(r, word) || is_of_dotnet(r, p, page, off) ||
	    (n_read == 8 && was_followed(p, word & r->va_mask)))
		return;
	like = n_read > TYPE_LEN ? blank(r, word) : word;
	for (u32 i = 0; i < 8; i++)
		if (page->state[off + i] == BYTE_READ)
			page->bytes[off + i] = ((u8 *)&like)[i];
		else if (page->state[off + i] == BYTE_COPIED)
			page->bytes[off + i] = 0;
	if (n_read)
		redact_tokens(r, p, page->addr + off, word, like);
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

/* V8 ends lines at 0x0a, 0x0d, 0x2028 and 0x2029. Zeros are the high bytes of ASCII in two-byte
 * text. */
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
