// SPDX-License-Identifier: BSD-2-Clause

/*
 * Functions near each other share a section and a segment; the bytes between them are zero.
 * libelf lays out the file and swaps bytes; symbols are local, as perf makes them.
 */

#include "jd_elf.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "../util/array.h"
#include "jd_dwarf.h"
#include "jd_index.h"

#define NEAR 4096
#define MAX_PLACES 30000
#define MAX_BYTES (1ull << 30) /* including the gaps */

struct building {
	const struct jd_file *f;
	struct jd_index index;
	struct jd_function *functions; /* sorted by address */
	size_t n;
	u16 *section; /* section number of each function */
	u8 **code; /* code of each place; libelf uses it until the file is written */
	size_t n_places;
	struct {
		u64 addr, len;
	} places[MAX_PLACES];
	struct jdw_buf names, strings; /* names of sections; names of symbols */
	struct jd_dwarf dwarf;
	Elf *elf;
};

static bool is_32(u32 machine)
{
	return machine == EM_386 || machine == EM_ARM;
}

static int read_index(struct building *b)
{
	struct jdr_record rec;
	u64 at = 0, time = 0;
	int err = 0;

	while (!err && jd_file_next(b->f, &at, &rec) == JDR_RECORD) {
		time = rec.time > time ? rec.time : time;
		if (rec.id == JD_LOAD && !rec.fault)
			err = jd_index_add(&b->index, &(struct jd_code){ .addr = rec.load.addr,
									 .len = rec.load.code_len,
									 .from = time,
									 .off = at - rec.size,
									 .name = rec.load.name });
		else if (rec.id == JD_MOVE && !rec.fault)
			err = jd_index_move(&b->index, rec.move.old_addr, rec.move.new_addr, time);
		err = err == -ENOENT ? 0 : err;
	}
	return err;
}

static int by_addr(const void *a, const void *b)
{
	const struct jd_function *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_off(const void *a, const void *b)
{
	const struct jd_function *x = a, *y = b;

	return x->load.bytes < y->load.bytes ? -1 : x->load.bytes > y->load.bytes;
}

/*
 * Finds the lines of each function: a valid DEBUG_INFO directly before the LOAD, or before its
 * unwind data.
 */
static void find_lines(struct building *b)
{
	struct jdr_record rec, debug = { 0 };
	size_t i = 0;
	u64 at = 0;

	qsort(b->functions, b->n, sizeof(*b->functions), by_off);
	while (i < b->n && jd_file_next(b->f, &at, &rec) == JDR_RECORD) {
		struct jd_function *f = &b->functions[i];

		if (rec.id == JD_DEBUG_INFO)
			debug = rec;
		if (rec.id != JD_LOAD)
			continue;
		for (; i < b->n && b->functions[i].load.bytes == rec.bytes; i++)
			f = &b->functions[i];
		if (f->load.bytes == rec.bytes && debug.bytes && !debug.fault &&
		    debug.debug.addr == rec.load.addr &&
		    jdr_lines(&b->f->h, &debug, rec.load.addr, rec.load.code_len) == JDR_LINES_GOOD)
			f->debug = debug;
		debug.bytes = NULL;
	}
	qsort(b->functions, b->n, sizeof(*b->functions), by_addr);
}

static int choose(struct building *b, u64 time)
{
	u64 need;

	b->functions = calloc(b->index.n + 1, sizeof(*b->functions));
	if (!b->functions)
		return -ENOMEM;
	for (size_t i = 0; i < b->index.n; i++) {
		const struct jd_code *c = b->index.all[i];
		struct jd_function *f = &b->functions[b->n];

		if (!c->len || c->from > time || c->until <= time ||
		    (is_32(b->f->h.mach) && c->addr + c->len > 1ull << 32))
			continue;
		f->addr = c->addr;
		jdr_next(&b->f->h, b->f->bytes + c->off, b->f->len - c->off, &f->load, &need);
		b->n++;
	}
	find_lines(b);
	return b->n ? 0 : -ENODATA;
}

static int find_places(struct building *b)
{
	u64 sum = 0;

	b->section = calloc(b->n, sizeof(*b->section));
	if (!b->section)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++) {
		u64 addr = b->functions[i].addr, end = addr + b->functions[i].load.load.code_len;
		size_t last = b->n_places - 1;

		if (!b->n_places || addr - (b->places[last].addr + b->places[last].len) >= NEAR) {
			if (b->n_places == MAX_PLACES)
				return -E2BIG;
			last = b->n_places++;
			b->places[last].addr = addr;
			b->places[last].len = 0;
		}
		sum += end - b->places[last].addr - b->places[last].len;
		b->places[last].len = end - b->places[last].addr;
		b->section[i] = (u16)(last + 1);
		if (sum > MAX_BYTES)
			return -E2BIG;
	}
	return 0;
}

static int copy_code(struct building *b)
{
	b->code = calloc(b->n_places, sizeof(*b->code));
	if (!b->code)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_places; i++) {
		b->code[i] = calloc(1, b->places[i].len);
		if (!b->code[i])
			return -ENOMEM;
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct jd_function *f = &b->functions[i];
		size_t place = b->section[i] - 1u;

		memcpy(b->code[place] + (f->addr - b->places[place].addr), f->load.load.code,
		       f->load.load.code_len);
	}
	return 0;
}

static u32 put_name(struct jdw_buf *b, const char *name)
{
	u32 at = (u32)b->len;

	jdw_put(b, name, strlen(name) + 1);
	return at;
}

/* Adds a section; its bytes must stay valid until the file is written. */
static int add_section(struct building *b, const char *name, GElf_Shdr *sh, void *bytes, u64 len,
		       Elf_Type type)
{
	Elf_Scn *scn = elf_newscn(b->elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr now;

	if (!data || !gelf_getshdr(scn, &now))
		return -ENOMEM;
	data->d_buf = bytes;
	data->d_size = len;
	data->d_type = type;
	data->d_align = sh->sh_addralign ? sh->sh_addralign : 1;
	now.sh_name = put_name(&b->names, name);
	now.sh_type = sh->sh_type;
	now.sh_flags = sh->sh_flags;
	now.sh_addr = sh->sh_addr;
	now.sh_link = sh->sh_link;
	now.sh_info = sh->sh_info;
	now.sh_entsize = sh->sh_entsize;
	return gelf_update_shdr(scn, &now) ? 0 : -ENOMEM;
}

static int add_code(struct building *b)
{
	for (size_t i = 0; i < b->n_places; i++) {
		GElf_Shdr sh = { .sh_type = SHT_PROGBITS,
				 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				 .sh_addr = b->places[i].addr };
		int err = add_section(b, ".text", &sh, b->code[i], b->places[i].len, ELF_T_BYTE);

		if (err)
			return err;
	}
	return 0;
}

static int add_symbols(struct building *b)
{
	GElf_Shdr sh = { .sh_type = SHT_SYMTAB, .sh_info = (u32)b->n + 1, .sh_addralign = 8 };
	size_t entry = gelf_fsize(b->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn;
	Elf_Data *data;
	int err;

	put_name(&b->strings, "");
	sh.sh_link = (u32)b->n_places + 2;
	sh.sh_entsize = entry;
	/* libelf stores symbols as structs of the file's class, 32 or 64 bits. */
	err = add_section(b, ".symtab", &sh, calloc(b->n + 1, entry), (b->n + 1) * entry,
			  ELF_T_SYM);
	scn = elf_getscn(b->elf, b->n_places + 1);
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (err || !data || !data->d_buf)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++) {
		const struct jd_function *f = &b->functions[i];
		GElf_Sym sym = { .st_name = put_name(&b->strings, f->load.load.name),
				 .st_info = GELF_ST_INFO(STB_LOCAL, STT_FUNC),
				 .st_shndx = b->section[i],
				 .st_value = f->addr,
				 .st_size = f->load.load.code_len };

		if (!gelf_update_sym(data, (int)i + 1, &sym))
			return -ENOMEM;
	}
	if (b->strings.no_memory)
		return -ENOMEM;
	return add_section(b, ".strtab", &(GElf_Shdr){ .sh_type = SHT_STRTAB }, b->strings.bytes,
			   b->strings.len, ELF_T_BYTE);
}

static int add_debug(struct building *b)
{
	const struct {
		const char *name;
		struct jdw_buf *buf;
	} sections[] = {
		{ ".debug_abbrev", &b->dwarf.abbrev }, { ".debug_aranges", &b->dwarf.aranges },
		{ ".debug_info", &b->dwarf.info },     { ".debug_line", &b->dwarf.line },
		{ ".debug_ranges", &b->dwarf.ranges },
	};
	int err =
		jd_dwarf_make(&b->dwarf, &b->f->h, b->functions, b->n, is_32(b->f->h.mach) ? 4 : 8);

	for (size_t i = 0; !err && i < ARRAY_SIZE(sections); i++)
		err = add_section(b, sections[i].name, &(GElf_Shdr){ .sh_type = SHT_PROGBITS },
				  sections[i].buf->bytes, sections[i].buf->len, ELF_T_BYTE);
	return err;
}

static int add_header(struct building *b)
{
	const u16 one = 1;
	bool is_little = *(const u8 *)&one != b->f->h.is_swapped;
	GElf_Ehdr eh = { .e_type = ET_EXEC,
			 .e_version = EV_CURRENT,
			 .e_machine = (u16)b->f->h.mach };

	if (!gelf_newehdr(b->elf, is_32(b->f->h.mach) ? ELFCLASS32 : ELFCLASS64))
		return -ENOMEM;
	eh.e_ident[EI_DATA] = is_little ? ELFDATA2LSB : ELFDATA2MSB;
	put_name(&b->names, "");
	return gelf_update_ehdr(b->elf, &eh) && gelf_newphdr(b->elf, b->n_places) ? 0 : -ENOMEM;
}

/* Adds segments. libelf must have laid out the sections. */
static int add_segments(struct building *b)
{
	GElf_Shdr sh;

	if (elf_update(b->elf, ELF_C_NULL) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_places; i++) {
		GElf_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = 1 };

		if (!gelf_getshdr(elf_getscn(b->elf, i + 1), &sh))
			return -ENOMEM;
		ph.p_offset = sh.sh_offset;
		ph.p_vaddr = ph.p_paddr = sh.sh_addr;
		ph.p_filesz = ph.p_memsz = sh.sh_size;
		if (!gelf_update_phdr(b->elf, (int)i, &ph))
			return -ENOMEM;
	}
	return 0;
}

static int add_names(struct building *b)
{
	GElf_Ehdr eh;
	size_t at = b->names.len;
	int err;

	/* Add the name ".shstrtab" first, because adding it may move the bytes of names. */
	put_name(&b->names, ".shstrtab");
	if (b->names.no_memory)
		return -ENOMEM;
	jdw_put(&b->names, "", 0);
	b->names.len = at;
	err = add_section(b, ".shstrtab", &(GElf_Shdr){ .sh_type = SHT_STRTAB }, b->names.bytes,
			  at + sizeof(".shstrtab"), ELF_T_BYTE);
	if (err || !gelf_getehdr(b->elf, &eh))
		return -ENOMEM;
	eh.e_shstrndx = (u16)elf_ndxscn(elf_getscn(b->elf, b->n_places + 8));
	return gelf_update_ehdr(b->elf, &eh) ? 0 : -ENOMEM;
}

static int build(struct building *b, int fd)
{
	int err = find_places(b);

	if (!err)
		err = copy_code(b);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	b->elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!b->elf)
		return -ENOMEM;
	err = add_header(b);
	if (!err)
		err = add_code(b);
	if (!err)
		err = add_symbols(b);
	if (!err)
		err = add_debug(b);
	if (!err)
		err = add_names(b);
	if (!err)
		err = add_segments(b);
	return err ? err : elf_update(b->elf, ELF_C_WRITE) < 0 ? -EIO : 0;
}

static void building_free(struct building *b)
{
	Elf_Scn *symbols = b->elf ? elf_getscn(b->elf, b->n_places + 1) : NULL;
	Elf_Data *data = symbols ? elf_getdata(symbols, NULL) : NULL;
	void *own = data ? data->d_buf : NULL;

	elf_end(b->elf);
	free(own);
	for (size_t i = 0; b->code && i < b->n_places; i++)
		free(b->code[i]);
	free(b->code);
	free(b->section);
	free(b->functions);
	jd_index_deinit(&b->index);
	jd_dwarf_deinit(&b->dwarf);
	jdw_buf_deinit(&b->names);
	jdw_buf_deinit(&b->strings);
	free(b);
}

int jd_elf_write(const struct jd_file *f, int fd, u64 time, u64 *n)
{
	struct building *b = calloc(1, sizeof(*b));
	int err = b ? 0 : -ENOMEM;

	if (err || !f->h.mach || f->h.mach > 0xffff) {
		free(b);
		return err ? err : -EINVAL;
	}
	b->f = f;
	err = read_index(b);
	if (!err)
		err = choose(b, time);
	if (!err)
		err = build(b, fd);
	if (!err)
		*n = b->n;
	building_free(b);
	return err;
}
