/* SPDX-License-Identifier: BSD-2-Clause */

#include "trampoline.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FRAME_LEN 120 /* a multiple of 8 that fits into an imm8 */

/* Matches @len bytes at *@at, and moves *@at to their end. */
static bool match(const u8 *code, size_t *at, const char *bytes, size_t len)
{
	if (*at + len > TRAMPOLINE_LEN || memcmp(code + *at, bytes, len))
		return false;
	*at += len;
	return true;
}

/* call *%reg, with or without the prefix of r8 to r15. */
static bool match_call(const u8 *code, size_t *at)
{
	match(code, at, "\x41", 1);
	return match(code, at, "\xff", 1) && *at < TRAMPOLINE_LEN && (code[(*at)++] & 0xf8) == 0xd0;
}

bool trampoline_parse(struct trampoline *t, const u8 *code)
{
	static const u8 zeros[TRAMPOLINE_LEN];
	size_t at = 0;

	match(code, &at, "\xf3\x0f\x1e\xfa", 4);
	if (!match(code, &at, "\x48\x83\xec", 3))
		return false;
	t->frame_len = code[at++];
	t->call_off = (u8)at;
	if (t->frame_len > MAX_FRAME_LEN || t->frame_len % 8 || !match_call(code, &at) ||
	    !match(code, &at, "\x48\x83\xc4", 3) || at >= TRAMPOLINE_LEN ||
	    code[at++] != t->frame_len)
		return false;
	t->ret_off = (u8)at;
	if (!match(code, &at, "\xc3", 1) || memcmp(code + at, zeros, TRAMPOLINE_LEN - at))
		return false;
	t->end_off = (u8)at;
	memcpy(t->code, code, TRAMPOLINE_LEN);
	return true;
}

bool trampoline_fills(const struct trampoline *t, const u8 *bytes, size_t len)
{
	for (size_t at = 0; at < len; at += TRAMPOLINE_LEN)
		if (memcmp(bytes + at, t->code, TRAMPOLINE_LEN))
			return false;
	return true;
}

int trampoline_open(struct trampoline *t, int fd)
{
	u8 bytes[UW_ROW_PAGE_LEN];
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size != TRAMPOLINES_LEN)
		return -ENOEXEC;
	for (off_t at = 0; at < TRAMPOLINES_LEN; at += UW_ROW_PAGE_LEN) {
		if (pread(fd, bytes, sizeof(bytes), at) != (ssize_t)sizeof(bytes) ||
		    (!at && !trampoline_parse(t, bytes)) ||
		    !trampoline_fills(t, bytes, sizeof(bytes)))
			return -ENOEXEC;
	}
	return 0;
}

int trampoline_write(const struct trampoline *t, int fd)
{
	u8 bytes[UW_ROW_PAGE_LEN];

	for (size_t at = 0; at < sizeof(bytes); at += TRAMPOLINE_LEN)
		memcpy(bytes + at, t->code, TRAMPOLINE_LEN);
	for (size_t at = 0; at < TRAMPOLINES_LEN; at += sizeof(bytes))
		if (write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
			return -EIO;
	return 0;
}

u32 trampoline_page(const struct trampoline *t, struct rules *rules, u32 *rows)
{
	struct uw_rule outside = {
		.cfa = UW_CFA_SP, .cfa_off = 8, .ra = UW_SAVED_CFA, .ra_off = -8
	};
	struct uw_rule inside = outside;
	struct paint paint;

	inside.cfa_off += t->frame_len;
	paint_init(&paint, rules);
	paint_span(&paint, 0, UW_ROW_PAGE_LEN, 0);
	for (u64 at = 0; at < UW_ROW_PAGE_LEN; at += TRAMPOLINE_LEN) {
		paint_rule(&outside, at, at + t->call_off, &paint);
		paint_rule(&inside, at + t->call_off, at + t->ret_off, &paint);
		paint_rule(&outside, at + t->ret_off, at + t->end_off, &paint);
	}
	return paint_rows(&paint, rows);
}
