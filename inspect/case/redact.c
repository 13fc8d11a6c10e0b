// SPDX-License-Identifier: BSD-2-Clause

#include "redact.h"

#include "../../core/v8/v8_info.h"

#include <string.h>

#define SMALL 4096
#define SMALL_SMI (1 << 24)

static bool is_harmless(const struct redaction *r, u64 word)
{
	s64 smi = (s64)word >> 32;

	if (word < SMALL || word > -(u64)SMALL)
		return true;
	if (!(u32)word && smi > -SMALL_SMI && smi < SMALL_SMI)
		return true;
	return areas_find(r->areas, word & r->va_mask) != NULL;
}

static bool is_v8(const struct redaction *r, u32 i)
{
	u8 kind = i < r->n_frames ? r->frames[i].kind : (u8)UW_UNKNOWN;

	return kind == UW_V8_STUB || kind == UW_V8_JS || kind == UW_V8_CODE;
}

/*
 * Where the walk's records lie, found again as it found them. The interrupted function
 * may have none yet, so a record is that of frame i or of i + 1.
 */
struct record {
	u64 from, to;
};

static u32 find_records(const struct redaction *r, const struct pages *p, struct record *records)
{
	u64 fp = r->fp;
	u32 n = 0;

	while (n < r->n_frames && n < UW_MAX_FRAMES && !(fp & 7)) {
		const struct page *page = pages_find(p, fp);
		u32 off = fp & (PAGE_LEN - 1);
		bool v8 = is_v8(r, n) || is_v8(r, n + 1);

		if (!page || page->state[off] != BYTE_READ)
			break;
		records[n++] = (struct record){ fp - (v8 ? V8_SLOTS_LEN : 0), fp + 16 };
		if (*(const u64 *)(page->bytes + off) <= fp)
			break;
		fp = *(const u64 *)(page->bytes + off);
	}
	return n;
}

/* Records go up the stack, so both are sorted. */
static bool is_in_record(const struct record *records, u32 n, u64 addr)
{
	u32 low = 0, high = n;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (records[middle].to <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && records[low].from <= addr;
}

static void redact_word(const struct redaction *r, struct page *page, u32 off)
{
	u64 word;

	memcpy(&word, page->bytes + off, 8);
	if (is_harmless(r, word))
		return;
	for (u32 i = off; i < off + 8; i++)
		if (page->state[i] == BYTE_COPIED || page->state[i] == BYTE_READ)
			page->bytes[i] = 0;
}

void redact_pages(const struct redaction *r, struct pages *p)
{
	static struct record records[UW_MAX_FRAMES];
	u32 n = find_records(r, p, records);

	for (u32 i = 0; i < p->n; i++)
		for (u32 off = 0; p->v[i]->holds != CASE_CODE && off < PAGE_LEN; off += 8)
			if (!is_in_record(records, n, p->v[i]->addr + off))
				redact_word(r, p->v[i], off);
}

void redact_regs(const struct redaction *r, struct case_regs *regs)
{
	for (u32 i = 0; i < CASE_MAX_REGS; i++) {
		u64 word = regs->all[i];

		if (word != regs->pc && word != regs->sp && word != regs->fp && word != regs->lr &&
		    !is_harmless(r, word))
			regs->all[i] = 0;
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
