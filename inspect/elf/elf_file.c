/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * libelf checks the offsets and sizes of headers and sections against the length of the file; this
 * file checks the relations between headers. The file may shrink while it is read. Nothing is
 * mapped, so this causes a short read and an error, not SIGBUS.
 */

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>

#include "../util/cleanup.h"
#include "../util/file_read.h"
#include "elf_file.h"

#define MAX_FILE_LEN (2ull << 30)
#define MAX_SEGMENTS 128
#define MAX_BUILD_ID 64
/* Linked files have less than 100 headers of each kind. */
#define MAX_SECTIONS 8192
#define MAX_HEADERS 1024
#define MAX_NAMES_LEN (1u << 20) /* of sections; elf_strptr() loads all names */
#define MAX_LOADED (96u << 20)

struct elf_file {
	int fd;
	u64 len; /* length of the file when it was opened */
	u64 loaded; /* bytes that libelf has loaded */
	u64 loaded_sections[MAX_SECTIONS / 64]; /* one bit for each section */
	Elf *elf;
	struct elf_segment segments[MAX_SEGMENTS];
	size_t n_segments;
	char build_id[2 * MAX_BUILD_ID + 1];
};

bool elf_file_may_load(struct elf_file *f, u64 len)
{
	if (len > MAX_LOADED - f->loaded)
		return false;
	f->loaded += len;
	return true;
}

bool elf_file_may_load_section(struct elf_file *f, Elf_Scn *scn)
{
	size_t i = elf_ndxscn(scn);
	GElf_Shdr sh;

	if (i >= MAX_SECTIONS || !gelf_getshdr(scn, &sh))
		return false;
	if (f->loaded_sections[i / 64] >> i % 64 & 1)
		return true;
	if (!elf_file_may_load(f, sh.sh_size))
		return false;
	f->loaded_sections[i / 64] |= 1ull << i % 64;
	return true;
}

/*
 * Checks the number of section headers, because elf_begin() allocates memory for all of them. A
 * number that does not fit into the ELF header is in the first section header.
 */
static int check_numbers(int fd)
{
	Elf64_Ehdr eh;
	Elf64_Shdr sh;
	int err = file_read(fd, 0, &eh, sizeof(eh));

	if (err)
		return err;
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB || eh.e_shnum > MAX_SECTIONS)
		return -ENOEXEC;
	if (eh.e_shnum || !eh.e_shoff)
		return 0;
	err = eh.e_shoff > INT64_MAX ? -ENOEXEC : file_read(fd, eh.e_shoff, &sh, sizeof(sh));
	return err ? err : sh.sh_size > MAX_SECTIONS ? -ENOEXEC : 0;
}

/* Checks the names of sections before libelf loads them. */
static int check_names(struct elf_file *f)
{
	GElf_Shdr sh;
	size_t names;
	Elf_Scn *scn;

	if (elf_getshdrstrndx(f->elf, &names) || !names)
		return 0;
	scn = elf_getscn(f->elf, names);
	if (!scn || !gelf_getshdr(scn, &sh))
		return 0;
	return sh.sh_size <= MAX_NAMES_LEN && !(sh.sh_flags & SHF_COMPRESSED) ? 0 : -ENOEXEC;
}

static void take_build_id(struct elf_file *f, u64 file_off, u64 len, u64 align)
{
	Elf_Type type = align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
	size_t off = 0, name_off, desc_off;
	Elf_Data *data = NULL;
	GElf_Nhdr nh;

	if (elf_file_may_load(f, len))
		data = elf_getdata_rawchunk(f->elf, (s64)file_off, len, type);
	while (data && (off = gelf_getnote(data, off, &nh, &name_off, &desc_off)) > 0) {
		const u8 *bytes = data->d_buf;

		if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != sizeof("GNU") ||
		    memcmp(bytes + name_off, "GNU", sizeof("GNU")) || nh.n_descsz > MAX_BUILD_ID)
			continue;
		for (u32 i = 0; i < nh.n_descsz; i++)
			snprintf(f->build_id + 2 * i, 3, "%02x", bytes[desc_off + i]);
		return;
	}
}

/* Files made by dwz(1) have no segments, only sections. */
static void take_build_id_of_section(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (!f->build_id[0] && (scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE && sh.sh_size < 1 << 16)
			take_build_id(f, sh.sh_offset, sh.sh_size, sh.sh_addralign);
}

/*
 * Appends a segment, without the bytes that lie beyond the end of the file. Segments must not
 * overlap in memory.
 */
static int take_segment(struct elf_file *f, const GElf_Phdr *ph)
{
	u64 room = ph->p_offset < f->len ? f->len - ph->p_offset : 0;

	if (f->n_segments == MAX_SEGMENTS || ph->p_filesz > ph->p_memsz ||
	    ph->p_vaddr + ph->p_memsz < ph->p_vaddr || ph->p_offset + ph->p_filesz < ph->p_offset)
		return -ENOEXEC;
	for (size_t i = 0; i < f->n_segments; i++)
		if (ph->p_vaddr < f->segments[i].addr + f->segments[i].mem_len &&
		    f->segments[i].addr < ph->p_vaddr + ph->p_memsz)
			return -ENOEXEC;
	f->segments[f->n_segments++] = (struct elf_segment){
		.addr = ph->p_vaddr,
		.file_off = ph->p_offset,
		.file_len = ph->p_filesz < room ? ph->p_filesz : room,
		.mem_len = ph->p_memsz,
		.is_exec = ph->p_flags & PF_X,
	};
	return 0;
}

static int read_headers(struct elf_file *f)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;
	size_t n;
	int err;

	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    elf_getphdrnum(f->elf, &n) || n > MAX_HEADERS || check_names(f))
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &ph))
			return -ENOEXEC;
		if (ph.p_type == PT_LOAD) {
			err = take_segment(f, &ph);
			if (err < 0)
				return err;
		}
		if (ph.p_type == PT_NOTE && !f->build_id[0] && ph.p_filesz < 1 << 16)
			take_build_id(f, ph.p_offset, ph.p_filesz, ph.p_align);
	}
	if (!n)
		take_build_id_of_section(f);
	return 0;
}

int elf_file_open_fd(struct elf_file **file, int fd)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	struct stat st;
	int err;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((u64)st.st_size > MAX_FILE_LEN)
		return -EFBIG;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->len = (u64)st.st_size;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (f->fd < 0)
		return -errno;
	err = check_numbers(f->fd);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (!f->elf)
		return -ENOEXEC;
	err = read_headers(f);
	if (err < 0)
		return err;
	*file = TAKE_PTR(f);
	return 0;
}

int elf_file_open(struct elf_file **file, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	return elf_file_open_fd(file, fd);
}

void elf_file_free(struct elf_file **file)
{
	struct elf_file *f = *file;

	*file = NULL;
	if (!f)
		return;
	elf_end(f->elf);
	cleanup_close(&f->fd);
	free(f);
}

int elf_file_fd(const struct elf_file *f)
{
	return f->fd;
}

u16 elf_file_machine(const struct elf_file *f)
{
	GElf_Ehdr eh;

	return gelf_getehdr(f->elf, &eh) ? eh.e_machine : EM_NONE;
}

Elf *elf_file_elf(const struct elf_file *f)
{
	return f->elf;
}

const char *elf_file_build_id(const struct elf_file *f)
{
	return f->build_id[0] ? f->build_id : NULL;
}

const struct elf_segment *elf_file_segments(const struct elf_file *f, size_t *n)
{
	*n = f->n_segments;
	return f->segments;
}

int elf_segments_off_to_addr(const struct elf_segment *s, size_t n, u64 off, u64 *addr)
{
	const struct elf_segment *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (off >= s[i].file_off && off - s[i].file_off < s[i].file_len &&
		    (!found || (s[i].is_exec && !found->is_exec)))
			found = &s[i];
	if (!found)
		return -ERANGE;
	*addr = found->addr + (off - found->file_off);
	return 0;
}

int elf_file_off_to_addr(const struct elf_file *f, u64 off, u64 *addr)
{
	return elf_segments_off_to_addr(f->segments, f->n_segments, off, addr);
}

/*
 * A mapping starts at a page boundary; its segment may start anywhere in that page. The offset in
 * the page is the same in the file and in memory.
 */
int elf_file_bias(const struct elf_file *f, u64 start, u64 file_off, u64 *bias)
{
	const u64 page = 65536; /* the largest page size */

	for (size_t i = 0; i < f->n_segments; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (!s->is_exec || (file_off < s->file_off && s->file_off - file_off >= page) ||
		    (file_off >= s->file_off && file_off - s->file_off >= s->file_len))
			continue;
		*bias = start - file_off + s->file_off - s->addr;
		return 0;
	}
	return -ERANGE;
}

static const struct elf_segment *segment_at(const struct elf_file *f, u64 addr)
{
	for (size_t i = 0; i < f->n_segments; i++)
		if (addr >= f->segments[i].addr &&
		    addr - f->segments[i].addr < f->segments[i].mem_len)
			return &f->segments[i];
	return NULL;
}

int elf_file_addr_to_off(const struct elf_file *f, u64 addr, u64 *off)
{
	const struct elf_segment *s = segment_at(f, addr);

	if (!s || addr - s->addr >= s->file_len)
		return -ERANGE;
	*off = s->file_off + (addr - s->addr);
	return 0;
}

int elf_file_read_addr(const struct elf_file *f, u64 addr, void *dst, size_t len)
{
	const struct elf_segment *s = segment_at(f, addr);
	u64 in_segment = s ? addr - s->addr : 0;
	size_t from_file = 0;
	int err;

	if (!s || len > s->mem_len - in_segment)
		return -ERANGE;
	if (in_segment < s->file_len)
		from_file = len < s->file_len - in_segment ? len : s->file_len - in_segment;
	err = file_read(f->fd, s->file_off + in_segment, dst, from_file);
	if (err < 0)
		return err;
	memset((char *)dst + from_file, 0, len - from_file);
	return 0;
}
