/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds parts of V8 in a stripped file.
 *
 * The embedded builtins are one range of code without call frame information (V8 7.8 to 14.6). No
 * other range of code without call frame information is nearly as long.
 *
 * kBytecodeSizes is three tables with one byte for each bytecode, for operands of 1, 2 and
 * 4 bytes. The first bytecodes have been the same since V8 9.4 (Wide, ExtraWide, their
 * DebugBreaks, DebugBreak0 to 6, Ldar; v8/src/interpreter/bytecodes.h at 12.4.254), so each
 * table begins as below. Only the distance between the tables is unknown.
 */

#include <errno.h>
#include <string.h>

#include "../unwind/cfi_entries.h"
#include "../elf/elf_search.h"
#include "v8_build.h"

#define MIN_LEN (1u << 20) /* the builtins of Node.js 16 to 26 have 1.3 to 2.2 MB */
#define MAX_LEN (64u << 20)

/*
 * Gets the code between two neighbouring functions. Returns -ENOENT if it is too short, or is not
 * code.
 */
static int gap_between(struct cfi_section *s, const struct cfi_listed *e, u64 next, u64 *start)
{
	struct cfi_fde fde;
	u64 off, end_off;
	int err;

	if (next <= e->start || next - e->start < MIN_LEN)
		return -ENOENT;
	err = cfi_section_fde(s, e->pos, &fde);
	if (err < 0)
		return err == -ENOMEM ? err : -ENOENT;
	if (fde.end >= next || next - fde.end < MIN_LEN || next - fde.end > MAX_LEN ||
	    elf_file_addr_to_off(s->file, fde.end, &off) < 0 ||
	    elf_file_addr_to_off(s->file, next, &end_off) < 0 || end_off - off != next - fde.end)
		return -ENOENT;
	*start = fde.end;
	return 0;
}

static int find(struct cfi_section *s, u64 *addr, u64 *len)
{
	struct cfi_listed e, next;
	u64 start, best = 0;
	int err = s->n ? cfi_section_at(s, 0, &next) : -ENOENT;

	for (u32 i = 1; !err && i < s->n; i++) {
		e = next;
		err = cfi_section_at(s, i, &next);
		if (!err)
			err = gap_between(s, &e, next.start, &start);
		if (!err && next.start - start > best) {
			*addr = start;
			*len = best = next.start - start;
		}
		if (err == -ENOENT)
			err = 0;
	}
	return err ? err : best ? 0 : -ENOENT;
}

#define N_FIRST 12

static const u8 first[3][N_FIRST + 1] = {
	{ 1, 1, 1, 1, 1, 2, 3, 4, 5, 5, 6, 2 },
	{ 1, 1, 1, 1, 1, 3, 5, 7, 9, 7, 9, 3 },
	{ 1, 1, 1, 1, 1, 5, 9, 13, 17, 11, 15, 5 },
};

struct sizes {
	u8 (*bytes)[V8_MAX_BYTECODES];
	u32 n;
};

/* Reads the tables. @text follows the first bytes of the first table. */
static int take_sizes(const char *text, size_t len, void *data)
{
	struct sizes *s = data;

	for (u32 n = N_FIRST; n <= V8_MAX_BYTECODES && 3 * n - N_FIRST <= len; n++) {
		if (memcmp(text + n - N_FIRST, first[1], N_FIRST) ||
		    memcmp(text + 2 * n - N_FIRST, first[2], N_FIRST))
			continue;
		memcpy(s->bytes[0], first[0], N_FIRST);
		memcpy(s->bytes[0] + N_FIRST, text, n - N_FIRST);
		memcpy(s->bytes[1], text + n - N_FIRST, n);
		memcpy(s->bytes[2], text + 2 * n - N_FIRST, n);
		s->n = n;
		return 0;
	}
	return -ENOENT;
}

int v8_find_bytecode_sizes(const struct elf_file *f, u8 sizes[3][V8_MAX_BYTECODES], u32 *n)
{
	struct sizes s = { .bytes = sizes };
	int err = elf_file_search(f, (const char *)first[0], 3 * V8_MAX_BYTECODES, take_sizes, &s);

	if (!err)
		*n = s.n;
	return err;
}

int v8_find_blob(struct elf_file *f, u64 *addr, u64 *len)
{
	struct cfi_section s = {};
	int err = cfi_section_eh(&s, f);

	if (!err)
		err = find(&s, addr, len);
	cfi_section_deinit(&s);
	return err;
}
