/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The header of a shared library may also contain an entry point, which is never executed: linkers
 * before binutils 2.40 and the kernel's vDSO set e_entry to the start of .text, an ordinary
 * function. The dynamic loader, itself a library, has a real entry point, which is not the start of
 * .text.
 */

#include <gelf.h>
#include <string.h>

#include "cfi_code.h"
#include "cfi_entry.h"

#define MAX_ENTRY 128 /* in bytes; the dynamic loader's has 61 on x86-64, 72 on arm64 */
#define MAX_DYNAMIC 128

static bool is_pie(const struct elf_file *f, const GElf_Phdr *ph)
{
	Elf64_Dyn dyn;

	for (u32 i = 0; i < MAX_DYNAMIC && i < ph->p_filesz / sizeof(dyn); i++) {
		if (elf_file_read_addr(f, ph->p_vaddr + i * sizeof(dyn), &dyn, sizeof(dyn)) < 0 ||
		    dyn.d_tag == DT_NULL)
			return false;
		if (dyn.d_tag == DT_FLAGS_1)
			return dyn.d_un.d_val & DF_1_PIE;
	}
	return false;
}

static bool is_text_start(Elf *elf, u64 entry)
{
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name)
							  : NULL;

		if (name && !strcmp(name, ".text"))
			return sh.sh_addr == entry;
	}
	return true;
}

static bool is_meant(const struct elf_file *f, const GElf_Ehdr *eh)
{
	Elf *elf = elf_file_elf(f);
	GElf_Phdr ph;
	size_t n;

	if (!eh->e_entry || elf_getphdrnum(elf, &n))
		return false;
	if (eh->e_type == ET_EXEC)
		return true;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) &&
		    (ph.p_type == PT_INTERP || (ph.p_type == PT_DYNAMIC && is_pie(f, &ph))))
			return true;
	return !is_text_start(elf, eh->e_entry);
}

/*
 * Finds the FDE that covers an address. If there is none, lowers *next to the start of the next
 * FDE.
 */
static bool find_fde(struct cfi_section *s, u64 addr, struct cfi_fde *fde, u64 *next)
{
	struct cfi_listed e;
	u32 i;

	if (!s->n || cfi_section_find(s, addr, &i) < 0 || cfi_section_at(s, i, &e) < 0)
		return false;
	if (e.start <= addr) {
		if (cfi_section_fde(s, e.pos, fde) == 0 && addr >= fde->start && addr < fde->end)
			return true;
		if (i + 1 == s->n || cfi_section_at(s, i + 1, &e) < 0)
			return false;
	}
	if (e.start > addr && e.start < *next)
		*next = e.start;
	return false;
}

/* The end of entry code that has no FDE. @next: start of the next FDE. */
static u64 end_by_code(const struct elf_file *f, u64 entry, bool is_arm64, u64 next)
{
	u8 bytes[MAX_ENTRY];
	struct cfi_code code = { .bytes = bytes, .addr = entry, .is_arm64 = is_arm64 };
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);

	for (; n; n--, s++) {
		u64 s_end = s->addr + s->file_len;

		if (!s->is_exec || entry < s->addr || entry >= s_end)
			continue;
		if (next - entry <= sizeof(bytes) && next <= s_end)
			return next;
		code.len = s_end - entry < sizeof(bytes) ? (size_t)(s_end - entry) : sizeof(bytes);
		code.text_start = s->addr;
		code.text_end = s_end;
		if (elf_file_read_addr(f, entry, bytes, code.len) == 0)
			return entry + cfi_code_entry_len(&code);
	}
	return 0;
}

void cfi_entry_find(struct elf_file *f, struct cfi_section *s, size_t n, u64 *start, u64 *end)
{
	struct cfi_fde fde;
	u64 next = CFI_NO_NEXT;
	GElf_Ehdr eh;

	*start = *end = 0;
	if (!gelf_getehdr(elf_file_elf(f), &eh) || !is_meant(f, &eh))
		return;
	for (size_t i = 0; i < n; i++) {
		if (find_fde(&s[i], eh.e_entry, &fde, &next)) {
			*start = fde.start;
			*end = fde.end;
			return;
		}
	}
	*end = end_by_code(f, eh.e_entry, eh.e_machine == EM_AARCH64, next);
	*start = *end ? eh.e_entry : 0;
}
