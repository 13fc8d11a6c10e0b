/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Sections by name. The header of a compressed section contains the decompressed length, which is
 * compared with the limit before libelf allocates memory for the section.
 */

#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "elf_file.h"

/* @may_be_empty: also finds a section without bytes in this file, as in a debug file. */
static Elf_Scn *find(struct elf_file *f, const char *name, bool may_be_empty, GElf_Shdr *sh)
{
	Elf *elf = elf_file_elf(f);
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *is;

		if (!gelf_getshdr(scn, sh) || (sh->sh_type == SHT_NOBITS && !may_be_empty))
			continue;
		is = elf_strptr(elf, names, sh->sh_name);
		if (is && !strcmp(is, name))
			return scn;
	}
	return NULL;
}

static u64 length(Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Chdr ch;

	return sh->sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &ch) ? ch.ch_size : sh->sh_size;
}

u64 elf_file_section_len(struct elf_file *f, const char *name)
{
	GElf_Shdr sh;
	Elf_Scn *scn = find(f, name, false, &sh);

	return scn ? length(scn, &sh) : 0;
}

bool elf_file_section_span(struct elf_file *f, const char *name, u64 *start, u64 *end)
{
	GElf_Shdr sh;

	if (!find(f, name, true, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
	    sh.sh_size > ~0ull - sh.sh_addr)
		return false;
	*start = sh.sh_addr;
	*end = sh.sh_addr + sh.sh_size;
	return true;
}

int elf_file_section(struct elf_file *f, const char *name, u64 max_len, const u8 **bytes,
		     size_t *len)
{
	GElf_Shdr sh;
	Elf_Scn *scn = find(f, name, false, &sh);
	Elf_Data *data;

	if (!scn)
		return -ENOENT;
	if (length(scn, &sh) > max_len || sh.sh_size > max_len ||
	    !elf_file_may_load(f, length(scn, &sh) + sh.sh_size))
		return -EFBIG;
	if (sh.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return -ENOEXEC;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return -ENOEXEC;
	*bytes = data->d_buf;
	*len = data->d_size;
	return 0;
}
