// SPDX-License-Identifier: BSD-2-Clause

/*
 * Headers and notes of a core, from unspool or any other writer. libelf checks that
 * headers lie in the file and notes in their segment; this file checks their contents.
 */

#include "case_core.h"

#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/search.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#define MAX_HEADERS (1u << 20)
#define MAX_PAGE_LEN (1u << 16)

static u64 word_at(const u8 *p)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static int read_header(const char *path, struct case_error *error, struct core *core)
{
	GElf_Ehdr eh;

	if (elf_kind(core->source.elf) != ELF_K_ELF || !gelf_getehdr(core->source.elf, &eh))
		return case_fail(error, -ENOEXEC, path,
				 "not a core, because it is not an ELF file");
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return case_fail(error, -ENOTSUP, path,
				 "the core is not from a 64-bit little-endian machine");
	if (eh.e_type != ET_CORE)
		return case_fail(error, -ENOEXEC, path, "the file is an ELF file, but not a core");
	for (core->arch = 0; core->arch < CASE_N_ARCHS; core->arch++)
		if (case_machines[core->arch].machine == eh.e_machine)
			return 0;
	return case_fail(error, -ENOTSUP, path,
			 "machine %u is not supported; use a core of x86-64 (62) or arm64 (183)",
			 eh.e_machine);
}

static int take_segment(const GElf_Phdr *ph, struct core *core)
{
	if (!ph->p_memsz)
		return 0;
	if (ph->p_filesz > ph->p_memsz || ph->p_vaddr > ~0ull - (ph->p_memsz - 1) ||
	    ph->p_offset > core->source.len || ph->p_filesz > core->source.len - ph->p_offset)
		return -ENOEXEC;
	core->segments[core->n_segments++] = (struct core_segment){
		ph->p_vaddr,
		ph->p_memsz,
		ph->p_offset,
		ph->p_filesz,
		ph->p_flags & (PF_R | PF_W | PF_X),
	};
	return 0;
}

static int take_registers(const u8 *desc, u64 len, struct core *core)
{
	u64 n = case_machines[core->arch].n_regs;

	if (core->has_regs) /* keep the registers of the first thread */
		return 0;
	if (len != CASE_PRSTATUS_REGS_OFF + 8 * n + CASE_PRSTATUS_TAIL_LEN)
		return -ENOEXEC;
	memcpy(core->regs, desc + CASE_PRSTATUS_REGS_OFF, 8 * n);
	memcpy(&core->tid, desc + CASE_PRSTATUS_PID_OFF, sizeof(core->tid));
	core->has_regs = true;
	return 0;
}

static int take_auxv(const u8 *desc, u64 len, struct core *core)
{
	u32 n = 0;

	if (core->auxv)
		return 0;
	core->auxv = calloc(len / sizeof(struct case_aux) + 1, sizeof(*core->auxv));
	if (!core->auxv)
		return -ENOMEM;
	while ((n + 1) * sizeof(struct case_aux) <= len && word_at(desc + n * 16ul) != AT_NULL) {
		core->auxv[n] =
			(struct case_aux){ word_at(desc + n * 16ul), word_at(desc + n * 16ul + 8) };
		n++;
	}
	core->n_auxv = n;
	return 0;
}

/* Appends entry @i of NT_FILE, whose path is @path. */
static int take_file(const u8 *desc, u64 i, u64 page_len, const char *path, struct core *core)
{
	const u8 *entry = desc + 16 + 24 * i;
	struct case_map_file f = { word_at(entry), word_at(entry + 8), 0, path };

	if (__builtin_mul_overflow(word_at(entry + 16), page_len, &f.file_off) ||
	    f.start_addr >= f.end_addr || (i && f.start_addr < core->files[i - 1].end_addr))
		return -ENOEXEC;
	core->files[core->n_files++] = f;
	return 0;
}

/* NT_FILE: count, page size, { start, end, page of the file } ..., paths */
static int take_files(const u8 *desc, u64 len, struct core *core)
{
	u64 n = len >= 16 ? word_at(desc) : 0, page_len = len >= 16 ? word_at(desc + 8) : 0;
	const char *path, *end = (const char *)desc + len;
	int err = 0;

	if (core->files || len < 16 || n > (len - 16) / 25 || page_len > MAX_PAGE_LEN)
		return -ENOEXEC;
	path = (const char *)desc + 16 + 24 * n;
	core->files = calloc(n + 1, sizeof(*core->files));
	if (!core->files)
		return -ENOMEM;
	for (u64 i = 0; i < n && !err; i++) {
		size_t room = (size_t)(end - path), path_len = strnlen(path, room);

		err = path_len < room ? take_file(desc, i, page_len, path, core) : -ENOEXEC;
		path += path_len + 1;
	}
	return err;
}

static int take_unspool(const u8 *desc, u64 len, struct core *core)
{
	if (core->note)
		return -ENOEXEC;
	core->note = (const char *)desc;
	core->note_len = len;
	return 0;
}

/* NT_ARM_PAC_MASK: { data mask, instruction mask }, arm64's include/uapi/asm/ptrace.h at v6.1 */
static int take_pac_mask(const u8 *desc, u64 len, struct core *core)
{
	if (len != 16)
		return -ENOEXEC;
	core->pac_mask = word_at(desc + 8);
	return 0;
}

static const struct {
	const char *name;
	u32 type;
	int (*take)(const u8 *desc, u64 len, struct core *core);
} notes[] = {
	{ "CORE", NT_PRSTATUS, take_registers },
	{ "CORE", NT_AUXV, take_auxv },
	{ "CORE", NT_FILE, take_files },
	{ "LINUX", NT_ARM_PAC_MASK, take_pac_mask },
	{ CASE_NOTE_NAME, CASE_NOTE_TYPE, take_unspool },
};

static int take_note(const GElf_Nhdr *nh, const u8 *name, const u8 *desc, struct core *core)
{
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (nh->n_type == notes[i].type && nh->n_namesz == strlen(notes[i].name) + 1 &&
		    !memcmp(name, notes[i].name, nh->n_namesz))
			return notes[i].take(desc, nh->n_descsz, core);
	return 0;
}

static int take_notes(const GElf_Phdr *ph, struct core *core)
{
	Elf_Type type = ph->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
	size_t off = 0, next, name_off, desc_off;
	Elf_Data *data;
	GElf_Nhdr nh;
	int err = 0;

	if (!ph->p_filesz)
		return 0;
	if (ph->p_filesz > CASE_MAX_NOTES_LEN - core->notes_len ||
	    ph->p_offset > core->source.len || ph->p_filesz > core->source.len - ph->p_offset)
		return -ENOEXEC;
	core->notes_len += ph->p_filesz; /* libelf keeps a copy of each note segment */
	data = elf_getdata_rawchunk(core->source.elf, (s64)ph->p_offset, ph->p_filesz, type);
	while (data && !err && (next = gelf_getnote(data, off, &nh, &name_off, &desc_off)) > 0) {
		const u8 *bytes = data->d_buf;

		err = take_note(&nh, bytes + name_off, bytes + desc_off, core);
		off = next;
	}
	if (!err && (!data || off < data->d_size))
		return -ENOEXEC;
	return err;
}

static int by_address(const void *a, const void *b)
{
	u64 x = ((const struct core_segment *)a)->addr, y = ((const struct core_segment *)b)->addr;

	return (x > y) - (x < y);
}

static int check_segments(const char *path, struct case_error *error, struct core *core)
{
	struct core_segment *s = core->segments;

	if (core->n_segments)
		qsort(s, core->n_segments, sizeof(*s), by_address);
	for (u32 i = 1; i < core->n_segments; i++)
		if (s[i].addr <= s[i - 1].addr + (s[i - 1].len - 1))
			return case_fail(error, -ENOEXEC, path,
					 "the memory at %#llx is in two segments", s[i].addr);
	return 0;
}

static int read_program_headers(const char *path, struct case_error *error, struct core *core)
{
	GElf_Ehdr eh;
	size_t n = 0;
	int err = 0;

	/* libelf clamps the number of headers to the ones that fit into the file. */
	if (elf_getphdrnum(core->source.elf, &n) || !gelf_getehdr(core->source.elf, &eh) ||
	    n > MAX_HEADERS || (eh.e_phnum != PN_XNUM && n != eh.e_phnum) || !n)
		return case_fail(error, -ENOEXEC, path,
				 "the core is truncated, or has no program headers");
	core->segments = calloc(n, sizeof(*core->segments));
	if (!core->segments)
		return case_fail(error, -ENOMEM, path, "out of memory");
	for (size_t i = 0; i < n && !err; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(core->source.elf, (int)i, &ph))
			err = -ENOEXEC;
		else if (ph.p_type == PT_LOAD)
			err = take_segment(&ph, core);
		else if (ph.p_type == PT_NOTE)
			err = take_notes(&ph, core);
		if (err == -ENOEXEC)
			return case_fail(error, err, path,
					 "the core is truncated or corrupt at program header %zu",
					 i);
	}
	return err ? case_fail(error, err, path, "%s", strerror(-err)) : 0;
}

int core_open(const char *path, struct case_error *error, struct core *out)
{
	int err;

	*out = (struct core){ .source.fd = -1 };
	err = case_source_open(path, error, &out->source);
	if (!err)
		err = read_header(path, error, out);
	if (!err)
		err = read_program_headers(path, error, out);
	if (!err)
		err = check_segments(path, error, out);
	if (!err && !out->has_regs)
		return case_fail(error, -ENOEXEC, path,
				 "the core has no registers, so it cannot be walked");
	return err;
}

void core_close(struct core *core)
{
	case_source_close(&core->source);
	free(core->segments);
	free(core->files);
	free(core->auxv);
}

const struct core_segment *core_segment_at(const struct core *core, u64 addr)
{
	u32 i = CASE_FIRST_AT(core->segments, core->n_segments, addr);

	return i < core->n_segments && core->segments[i].addr <= addr ? &core->segments[i] : NULL;
}

u32 core_file_at(const struct core *core, u64 addr)
{
	u32 at = (u32)search_first(core->n_files, i, core->files[i].end_addr <= addr);

	return at < core->n_files && core->files[at].start_addr <= addr ? at : core->n_files;
}
