/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the garbage collector's functions in CoreCLR's file, which has no symbols. These functions
 * are on the stack of a thread that collects garbage because its allocation failed. Each function
 * exists twice (workstation and server):
 *
 *	Promote      refers to the text that it logs: "    GCHeap::Promote: Promote GC Root ..."
 *	mark_phase   refers to Promote, which it passes on as the callback for each root
 *	gc1          calls mark_phase and the later phases
 *
 * Everything that gc1 calls is garbage collection and does not allocate. Source: coreclr
 * src/coreclr/gc/gc.cpp at v8.0.33, v9.0.22 and v10.0.14 (GCHeap::Promote, gc_heap::mark_phase,
 * gc_heap::gc1); in those builds each step finds exactly two functions.
 *
 * x86-64. Function starts come from the table of .eh_frame_hdr: { u8 1, u8 0x1b, u8 3, u8 0x3b,
 * s32 to .eh_frame, u32 entries, { s32 start, s32 FDE } sorted }, both from the header's
 * first byte. Source: LSB 5.0 core, 10.6.2.
 */

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/search.h"
#include "dotnet_build.h"

#define MAX_TEXT_LEN (64u << 20)
#define MAX_ENTRIES (4u << 20)
#define MAX_SEGMENTS 16

static const char promote_text[] = "    GCHeap::Promote: Promote GC Root";

struct entry {
	s32 start, fde;
};

struct code {
	u64 text_addr, table_addr;
	u8 *text;
	size_t text_len;
	struct entry *table;
	u32 n;
};

/* Addresses that a search found: of strings or of functions. */
struct found {
	u64 addrs[DOTNET_MAX_GC];
	u32 n;
	bool is_full; /* there were more addresses than fit into @addrs */
};

static void code_deinit(struct code *c)
{
	free(c->text);
	free(c->table);
}

static void add(struct found *f, u64 addr)
{
	for (u32 i = 0; i < f->n; i++)
		if (f->addrs[i] == addr)
			return;
	if (f->n == DOTNET_MAX_GC)
		f->is_full = true;
	else
		f->addrs[f->n++] = addr;
}

static bool holds(const struct found *f, u64 addr)
{
	bool is_there = false;

	for (u32 i = 0; i < f->n; i++)
		is_there |= f->addrs[i] == addr;
	return is_there;
}

/* Finds the index of the entry for an address in the table of functions. */
static bool function_at(const struct code *c, u64 addr, u32 *idx)
{
	size_t low = search_first(c->n, i, c->table_addr + (u64)(s64)c->table[i].start <= addr);

	*idx = (u32)low - 1;
	return low;
}

/*
 * Returns the address to which an instruction refers: lea reg, [rip + disp32]; call or jmp rel32.
 */
static bool target_of(const struct code *c, size_t at, bool is_call, u64 *addr)
{
	const u8 *p = c->text + at;
	size_t len = is_call ? 5 : 7;
	s32 disp;

	if (at + len > c->text_len)
		return false;
	if (is_call ? p[0] != 0xe8 && p[0] != 0xe9
		    : (p[0] & 0xfb) != 0x48 || p[1] != 0x8d || (p[2] & 0xc7) != 5)
		return false;
	memcpy(&disp, p + len - 4, sizeof(disp));
	*addr = c->text_addr + at + len + (u64)(s64)disp;
	return true;
}

/*
 * Finds the functions that refer to one of the addresses in @to; fails if no function does or too
 * many do.
 */
static int referrers(const struct code *c, const struct found *to, bool is_call, struct found *out)
{
	*out = (struct found){};
	for (size_t at = 0; at < c->text_len; at++) {
		u64 addr;
		u32 idx;

		if (target_of(c, at, is_call, &addr) && holds(to, addr) &&
		    function_at(c, c->text_addr + at, &idx))
			add(out, c->table_addr + (u64)(s64)c->table[idx].start);
	}
	return out->n && !out->is_full ? 0 : -ENOENT;
}

static int read_text(const struct elf_file *f, const struct elf_segment *s, struct code *c)
{
	if (c->text || s->file_len > MAX_TEXT_LEN)
		return -ENOTSUP;
	c->text = malloc(s->file_len);
	c->text_addr = s->addr;
	c->text_len = s->file_len;
	return c->text ? elf_file_read_addr(f, s->addr, c->text, c->text_len) : -ENOMEM;
}

static int find_text(const struct elf_file *f, const struct elf_segment *s, struct found *out)
{
	_cleanup_free_ u8 *bytes = NULL;
	const u8 *p;
	int err;

	if (s->file_len > MAX_TEXT_LEN)
		return 0;
	bytes = malloc(s->file_len);
	err = bytes ? elf_file_read_addr(f, s->addr, bytes, s->file_len) : -ENOMEM;
	for (p = bytes; !err && p; p++) {
		p = memmem(p, s->file_len - (size_t)(p - bytes), promote_text,
			   strlen(promote_text));
		if (!p)
			break;
		add(out, s->addr + (u64)(p - bytes));
	}
	return err;
}

static int read_table(const struct elf_file *f, struct code *c)
{
	struct {
		u8 version, eh_frame_enc, count_enc, table_enc;
		s32 eh_frame;
		u32 n;
	} head;
	GElf_Phdr ph;
	size_t n = 0;
	int err = -ENOENT;

	if (elf_getphdrnum(elf_file_elf(f), &n))
		return -ENOEXEC;
	for (size_t i = 0; err && i < n; i++)
		if (gelf_getphdr(elf_file_elf(f), (int)i, &ph) && ph.p_type == PT_GNU_EH_FRAME)
			err = 0;
	if (!err)
		err = elf_file_read_addr(f, ph.p_vaddr, &head, sizeof(head));
	if (err)
		return err;
	if (head.version != 1 || head.count_enc != 3 || head.table_enc != 0x3b ||
	    head.n > MAX_ENTRIES)
		return -ENOTSUP;
	c->n = head.n;
	c->table_addr = ph.p_vaddr;
	c->table = calloc(c->n + 1, sizeof(*c->table));
	return c->table ? elf_file_read_addr(f, ph.p_vaddr + sizeof(head), c->table,
					     c->n * sizeof(*c->table))
			: -ENOMEM;
}

static void keep(struct dotnet_build *b, const struct elf_file *f, const struct code *c, u64 start)
{
	struct dotnet_gc *gc = &b->gc[b->n_gc];
	u32 idx;

	if (!function_at(c, start, &idx) || idx + 1 >= c->n ||
	    elf_file_addr_to_off(f, start, &gc->start_off))
		return;
	gc->end_off = gc->start_off + (u64)(s64)(c->table[idx + 1].start - c->table[idx].start);
	b->n_gc++;
}

int dotnet_build_find_gc(struct dotnet_build *b, const struct elf_file *f)
{
	_cleanup_(code_deinit) struct code c = {};
	struct found texts = {}, promote, mark, gc;
	const struct elf_segment *s;
	size_t n;
	GElf_Ehdr eh;
	int err;

	if (!gelf_getehdr(elf_file_elf(f), &eh) || eh.e_machine != EM_X86_64)
		return -ENOTSUP;
	err = read_table(f, &c);
	s = elf_file_segments(f, &n);
	if (n > MAX_SEGMENTS)
		return -ENOTSUP;
	for (size_t i = 0; !err && i < n; i++)
		err = s[i].is_exec ? read_text(f, &s[i], &c) : find_text(f, &s[i], &texts);
	if (!err)
		err = referrers(&c, &texts, false, &promote);
	if (!err)
		err = referrers(&c, &promote, false, &mark);
	if (!err)
		err = referrers(&c, &mark, true, &gc);
	for (u32 i = 0; !err && i < gc.n; i++)
		keep(b, f, &c, gc.addrs[i]);
	return err;
}

bool dotnet_build_is_gc(const struct dotnet_build *b, u64 file_off)
{
	for (u32 i = 0; i < b->n_gc; i++)
		if (file_off >= b->gc[i].start_off && file_off < b->gc[i].end_off)
			return true;
	return false;
}
