/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The instructions of a stub:
 *
 *	x86-64   [endbr64] [bnd] jmp *slot(%rip) ...	16 bytes each, 8 in old .plt.got
 *	arm64    [bti c] adrp x16, slot; ldr x17, [x16, slot]; add x16, x16, slot; br x17
 *
 * System V ABI, AMD64 supplement 1.0, 5.2; ELF for the Arm 64-bit Architecture 2022Q3.
 */

#include "plt.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/search.h"

#define MAX_PLT_LEN (16u << 20)
#define MAX_SLOTS (1u << 20)

struct slot {
	u64 addr, name_off;
};

struct slots {
	struct slot *v;
	size_t n;
};

/* A function of this file that a resolver selects. */
struct ifunc {
	u64 addr, name_off; /* addr: of the resolver */
	size_t underscores;
};

struct ifuncs {
	struct ifunc *v;
	size_t n, room;
};

/* The symbols to which a relocation section refers. */
struct table_of_names {
	Elf_Data *symbols;
	size_t n, strings_idx; /* n: number of symbols */
	GElf_Shdr strings;
};

static int compare(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

static int compare_ifuncs(const void *pa, const void *pb)
{
	const struct ifunc *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->underscores != b->underscores)
		return a->underscores < b->underscores ? -1 : 1;
	return (a->name_off > b->name_off) - (a->name_off < b->name_off);
}

/* Lists the IFUNCs that the file exports; several can have the same resolver. */
static int list_ifuncs(Elf *elf, const struct table_of_names *t, struct ifuncs *ifuncs)
{
	GElf_Sym sym;

	for (size_t i = 0; i < t->n && gelf_getsym(t->symbols, (int)i, &sym); i++) {
		const char *name = elf_strptr(elf, t->strings_idx, sym.st_name);

		if (GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC || !name || !*name)
			continue;
		if (array_reserve(ifuncs->v, ifuncs->room, ifuncs->n + 1))
			return -ENOMEM;
		ifuncs->v[ifuncs->n++] = (struct ifunc){ sym.st_value,
							 t->strings.sh_offset + sym.st_name,
							 strspn(name, "_") };
	}
	if (ifuncs->n)
		qsort(ifuncs->v, ifuncs->n, sizeof(*ifuncs->v), compare_ifuncs);
	return 0;
}

/* The offset of the name of the IFUNC with this resolver; 0: the file does not export it. */
static u64 find_ifunc(const struct ifuncs *ifuncs, u64 addr)
{
	size_t at = search_first(ifuncs->n, i, ifuncs->v[i].addr < addr);

	return at < ifuncs->n && ifuncs->v[at].addr == addr ? ifuncs->v[at].name_off : 0;
}

static bool is_ifunc_slot(u32 machine, u64 type)
{
	return type == (machine == EM_X86_64 ? R_X86_64_IRELATIVE : R_AARCH64_IRELATIVE);
}

static bool is_slot(u32 machine, u64 type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

static bool find_names(struct elf_file *f, const GElf_Shdr *relocs, struct table_of_names *t)
{
	Elf *elf = elf_file_elf(f);
	Elf_Scn *scn = elf_getscn(elf, relocs->sh_link), *strings;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNSYM || !sh.sh_entsize ||
	    !elf_file_may_load_section(f, scn))
		return false;
	t->symbols = elf_getdata(scn, NULL);
	t->n = sh.sh_size / sh.sh_entsize;
	t->strings_idx = sh.sh_link;
	strings = elf_getscn(elf, sh.sh_link);
	return t->symbols && strings && gelf_getshdr(strings, &t->strings) &&
	       elf_file_may_load_section(f, strings);
}

/* The offset of the name of the function that a slot will refer to; 0: unknown. */
static u64 name_of(const struct table_of_names *t, const struct ifuncs *ifuncs, u32 machine,
		   const GElf_Rela *rela)
{
	GElf_Sym sym;

	if (is_ifunc_slot(machine, GELF_R_TYPE(rela->r_info)))
		return find_ifunc(ifuncs, (u64)rela->r_addend);
	if (!is_slot(machine, GELF_R_TYPE(rela->r_info)) || !GELF_R_SYM(rela->r_info) ||
	    !gelf_getsym(t->symbols, (int)GELF_R_SYM(rela->r_info), &sym) ||
	    sym.st_name >= t->strings.sh_size)
		return 0;
	return t->strings.sh_offset + sym.st_name;
}

/*
 * Adds the slots of one relocation section; adds nothing if the section is crafted or very large.
 */
static int add_slots(struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *sh, u32 machine,
		     struct slots *slots)
{
	size_t n = sh->sh_size / sizeof(Elf64_Rela);
	_cleanup_free_ struct ifunc *listed = NULL;
	struct ifuncs ifuncs = { 0 };
	struct table_of_names t;
	Elf_Data *relocs = NULL;
	GElf_Rela rela;
	void *v;
	int err;

	if (n <= MAX_SLOTS && elf_file_may_load_section(f, scn))
		relocs = elf_getdata(scn, NULL);
	if (!relocs || !find_names(f, sh, &t))
		return 0;
	err = list_ifuncs(elf_file_elf(f), &t, &ifuncs);
	listed = ifuncs.v;
	v = reallocarray(slots->v, slots->n + n + 1, sizeof(*slots->v));
	if (!v)
		return -ENOMEM;
	slots->v = v;
	for (size_t i = 0; !err && i < n && gelf_getrela(relocs, (int)i, &rela); i++) {
		u64 name_off = name_of(&t, &ifuncs, machine, &rela);

		if (name_off)
			slots->v[slots->n++] = (struct slot){ rela.r_offset, name_off };
	}
	return err;
}

static const struct slot *find_slot(const struct slots *slots, u64 addr)
{
	return slots->n ? bsearch(&(struct slot){ .addr = addr }, slots->v, slots->n,
				  sizeof(*slots->v), compare)
			: NULL;
}

/* The slot that a unit of an x86-64 table jumps through; 0: none. */
static u64 slot_of_x86_64(const u8 *code, size_t len, u64 addr)
{
	size_t at = 0;
	s32 disp;

	if (len >= 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		at = 4;
	if (at < len && code[at] == 0xf2)
		at++;
	if (at + 6 > len || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	memcpy(&disp, code + at + 2, sizeof(disp));
	return addr + at + 6 + (u64)(s64)disp;
}

/* The slot that a stub of an arm64 table jumps through; 0: none. */
static u64 slot_of_arm64(const u8 *code, size_t len, u64 addr)
{
	u32 insn[4];
	s64 page;

	if (len < sizeof(insn))
		return 0;
	memcpy(insn, code, sizeof(insn));
	/* adrp x16; ldr x17, [x16, #]; ...; br x17 */
	if ((insn[0] & 0x9f00001f) != 0x90000010 || (insn[1] & 0xffc003ff) != 0xf9400211 ||
	    insn[3] != 0xd61f0220)
		return 0;
	page = (s64)((u64)(insn[0] >> 5 & 0x7ffff) << 45) >> 43 | (insn[0] >> 29 & 3);
	return (addr & ~4095ull) + ((u64)page << 12) + (insn[1] >> 10 & 0xfff) * 8ull;
}

struct table {
	const u8 *code;
	u64 addr;
	size_t len, unit;
	u32 machine;
};

static int each_stub(const struct table *t, const struct slots *slots,
		     int (*fn)(const struct plt_stub *s, void *data), void *data)
{
	bool is_x86 = t->machine == EM_X86_64;
	size_t step = is_x86 ? t->unit : 4;
	int r = 0;

	for (size_t at = 0; !r && at + step <= t->len; at += step) {
		const u8 *code = t->code + at;
		u64 addr = t->addr + at;
		u64 slot_addr = is_x86 ? slot_of_x86_64(code, t->unit, addr)
				       : slot_of_arm64(code, t->len - at, addr);
		const struct slot *slot = slot_addr ? find_slot(slots, slot_addr) : NULL;
		struct plt_stub stub = { .addr = addr, .len = is_x86 ? t->unit : 16 };

		if (!slot)
			continue;
		if (!is_x86 && at >= 4 && !memcmp(code - 4, "\x5f\x24\x03\xd5", 4)) {
			stub.addr -= 4; /* bti c */
			stub.len += 4;
		}
		stub.name_off = slot->name_off;
		r = fn(&stub, data);
	}
	return r;
}

static bool is_table(const char *name)
{
	return !strcmp(name, ".plt") || !strcmp(name, ".plt.sec") || !strcmp(name, ".plt.got");
}

static int gather_slots(struct elf_file *f, u32 machine, struct slots *slots)
{
	Elf *elf = elf_file_elf(f);
	GElf_Shdr sh;
	int err = 0;

	for (Elf_Scn *scn = NULL; !err && (scn = elf_nextscn(elf, scn));)
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
			err = add_slots(f, scn, &sh, machine, slots);
	if (slots->n)
		qsort(slots->v, slots->n, sizeof(*slots->v), compare);
	return err;
}

int plt_each(struct elf_file *f, int (*fn)(const struct plt_stub *s, void *data), void *data)
{
	Elf *elf = elf_file_elf(f);
	_cleanup_free_ struct slot *v = NULL;
	struct slots slots = {};
	size_t names;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	int r;

	if (!gelf_getehdr(elf, &eh) || elf_getshdrstrndx(elf, &names) ||
	    (eh.e_machine != EM_X86_64 && eh.e_machine != EM_AARCH64))
		return 0;
	r = gather_slots(f, eh.e_machine, &slots);
	v = slots.v;
	for (Elf_Scn *scn = NULL; !r && slots.n && (scn = elf_nextscn(elf, scn));) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name)
							  : NULL;
		Elf_Data *code;

		if (!name || !is_table(name) || sh.sh_type != SHT_PROGBITS ||
		    sh.sh_size > MAX_PLT_LEN)
			continue;
		if (!elf_file_may_load_section(f, scn))
			continue;
		code = elf_rawdata(scn, NULL);
		if (code && code->d_buf)
			r = each_stub(&(struct table){ code->d_buf, sh.sh_addr, code->d_size,
						       sh.sh_entsize == 8 ? 8 : 16, eh.e_machine },
				      &slots, fn, data);
	}
	return r;
}
