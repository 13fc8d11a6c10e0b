// SPDX-License-Identifier: BSD-2-Clause

/*
 * A case as an ELF core:
 *
 *	ELF header | program headers | notes | bytes of each PT_LOAD
 *
 * The last byte of the file belongs to a segment, so truncation anywhere is detected.
 * Segments are not aligned (p_align 1), because they are never mapped.
 */

#include "case_format.h"

#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/whole_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <zstd.h>

#define ZSTD_LEVEL 9

/* The file under construction. After a failed allocation nothing more is added to the file. */
struct image {
	u8 *bytes;
	size_t len, room;
	bool failed;
};

static void cleanup_image(struct image *im)
{
	free(im->bytes);
}

/* Appends @len zero bytes; returns NULL if out of memory. Invalidates pointers of earlier calls. */
static void *grow(struct image *im, size_t len)
{
	if (array_reserve(im->bytes, im->room, im->len + len)) {
		im->failed = true;
		return NULL;
	}
	memset(im->bytes + im->len, 0, len);
	im->len += len;
	return im->bytes + im->len - len;
}

static void add(struct image *im, const void *bytes, size_t len)
{
	void *to = len && !im->failed ? grow(im, len) : NULL;

	if (to)
		memcpy(to, bytes, len);
}

static void pad(struct image *im)
{
	static const u8 zero[4];

	add(im, zero, -im->len & 3);
}

static void add_note(struct image *im, const char *name, u32 type, const void *desc, size_t len)
{
	Elf64_Nhdr head = { (u32)strlen(name) + 1, (u32)len, type };

	add(im, &head, sizeof(head));
	add(im, name, head.n_namesz);
	pad(im);
	add(im, desc, len);
	pad(im);
}

static void add_registers(struct image *im, const struct case_file *c)
{
	const struct case_machine *m = &case_machines[c->arch];
	u8 desc[CASE_PRSTATUS_REGS_OFF + 8 * CASE_MAX_REGS + CASE_PRSTATUS_TAIL_LEN] = { 0 };
	u64 regs[CASE_MAX_REGS] = { 0 };
	u32 tid = c->tid ? c->tid : 1; /* gdb does not show a thread with id 0 */

	if (c->regs.has_all)
		memcpy(regs, c->regs.all, sizeof(regs));
	regs[m->pc] = c->regs.pc;
	regs[m->sp] = c->regs.sp;
	regs[m->fp] = c->regs.fp;
	if (m->lr != CASE_NO_REG)
		regs[m->lr] = c->regs.lr;
	memcpy(desc + CASE_PRSTATUS_PID_OFF, &tid, sizeof(tid));
	memcpy(desc + CASE_PRSTATUS_REGS_OFF, regs, 8ul * m->n_regs);
	add_note(im, "CORE", NT_PRSTATUS, desc,
		 CASE_PRSTATUS_REGS_OFF + 8ul * m->n_regs + CASE_PRSTATUS_TAIL_LEN);
}

static void add_auxv(struct image *im, const struct case_file *c)
{
	static const struct case_aux end = { AT_NULL, 0 };
	_cleanup_(cleanup_image) struct image desc = { 0 };

	add(&desc, c->auxv, c->n_auxv * sizeof(*c->auxv));
	add(&desc, &end, sizeof(end));
	add_note(im, "CORE", NT_AUXV, desc.bytes, desc.len);
	im->failed |= desc.failed;
}

/* NT_FILE: count, page size, { start, end, page of the file } ..., paths */
static void add_files(struct image *im, const struct case_file *c)
{
	_cleanup_(cleanup_image) struct image desc = { 0 };
	u64 head[2] = { c->n_files, CASE_PAGE_LEN };

	add(&desc, head, sizeof(head));
	for (u32 i = 0; i < c->n_files; i++) {
		const struct case_map_file *f = &c->files[i];
		u64 entry[3] = { f->start_addr, f->end_addr, f->file_off / CASE_PAGE_LEN };

		add(&desc, entry, sizeof(entry));
	}
	for (u32 i = 0; i < c->n_files; i++)
		add(&desc, c->files[i].path, strlen(c->files[i].path) + 1);
	add_note(im, "CORE", NT_FILE, desc.bytes, desc.len);
	im->failed |= desc.failed;
}

static int add_case_note(struct image *im, const struct case_file *c)
{
	size_t len = 0;
	_cleanup_free_ char *text = case_note_dump(c, JSON_COMPACT, &len);

	if (!text || len > CASE_MAX_NOTES_LEN)
		return text ? -E2BIG : -ENOMEM;
	add_note(im, CASE_NOTE_NAME, CASE_NOTE_TYPE, text, len);
	return 0;
}

static int add_notes(struct image *im, const struct case_file *c)
{
	add_registers(im, c);
	add_auxv(im, c);
	if (c->n_files)
		add_files(im, c);
	return add_case_note(im, c);
}

/* Index of the first range that does not continue the segment that @first starts. */
static u32 segment_end(const struct case_file *c, u32 first)
{
	u32 i = first + 1;

	while (i < c->n_ranges && c->ranges[i].prot == c->ranges[i - 1].prot &&
	       c->ranges[i].addr == c->ranges[i - 1].addr + c->ranges[i - 1].len)
		i++;
	return i;
}

static u32 count_segments(const struct case_file *c)
{
	u32 n = 0;

	for (u32 i = 0; i < c->n_ranges; i = segment_end(c, i))
		n++;
	return n;
}

static void set_headers(u8 *bytes, const struct case_file *c, u32 n_segments, u64 notes_off,
			u64 notes_len)
{
	Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = case_machines[c->arch].machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (u16)(n_segments + 1),
	};
	Elf64_Phdr ph = {
		.p_type = PT_NOTE, .p_offset = notes_off, .p_filesz = notes_len, .p_align = 4
	};
	u64 off = notes_off + notes_len;

	memcpy(bytes, &eh, sizeof(eh));
	bytes += sizeof(eh);
	memcpy(bytes, &ph, sizeof(ph));
	for (u32 i = 0, end; i < c->n_ranges; i = end) {
		const struct case_range *r = &c->ranges[i];

		end = segment_end(c, i);
		ph = (Elf64_Phdr){ .p_type = PT_LOAD,
				   .p_offset = off,
				   .p_vaddr = r->addr,
				   .p_flags = r->prot,
				   .p_align = 1 };
		ph.p_filesz = ph.p_memsz = r[end - i - 1].addr + r[end - i - 1].len - r->addr;
		off += ph.p_filesz;
		bytes += sizeof(ph);
		memcpy(bytes, &ph, sizeof(ph));
	}
}

static int make_image(struct image *im, const struct case_file *c)
{
	u32 n_segments = count_segments(c);
	size_t notes_off = sizeof(Elf64_Ehdr) + (n_segments + 1) * sizeof(Elf64_Phdr), notes_end;
	int err;

	if (n_segments > CASE_MAX_SEGMENTS)
		return -E2BIG;
	if (!grow(im, notes_off))
		return -ENOMEM;
	err = add_notes(im, c);
	if (err)
		return err;
	notes_end = im->len;
	for (u32 i = 0; i < c->n_ranges; i++)
		add(im, c->ranges[i].bytes, c->ranges[i].len);
	if (im->failed)
		return -ENOMEM;
	set_headers(im->bytes, c, n_segments, notes_off, notes_end - notes_off);
	return 0;
}

static int compress_image(struct image *im)
{
	size_t room = ZSTD_compressBound(im->len), len;
	ZSTD_CCtx *z = ZSTD_createCCtx();
	u8 *bytes = malloc(room);

	if (!z || !bytes) {
		ZSTD_freeCCtx(z);
		free(bytes);
		return -ENOMEM;
	}
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	len = ZSTD_compress2(z, bytes, room, im->bytes, im->len);
	ZSTD_freeCCtx(z);
	free(im->bytes);
	im->bytes = bytes;
	im->room = room;
	im->len = len;
	return ZSTD_isError(len) ? -ENOMEM : 0;
}

static int write_file(const struct image *im, const char *path)
{
	struct whole_file file;
	int err = whole_file_open(path, true, &file);

	if (err)
		return err;
	fwrite(im->bytes, 1, im->len, file.f); /* fclose() reports errors */
	return whole_file_close(&file, true);
}

static bool ends_with(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = strlen(suffix);

	return len > n && !strcmp(path + len - n, suffix);
}

/* Checks a case, then makes its image. */
static int make_checked(struct image *im, const struct case_file *c, const char *path,
			struct case_error *error)
{
	struct case_error why = { "" };
	int err = case_check(c, &why);

	for (u32 i = 0; i < c->n_ranges && !err; i++)
		if (!c->ranges[i].bytes)
			err = case_fail(&why, -EINVAL, NULL, "memory %u has no bytes", i);
	if (err)
		return case_fail(error, err, path, "cannot be written: %s", why.text);
	err = make_image(im, c);
	return err ? case_fail(error, err, path, "cannot be written: %s", strerror(-err)) : 0;
}

int case_make(const struct case_file *c, bool is_zst, struct case_error *error, u8 **bytes,
	      size_t *len)
{
	_cleanup_(cleanup_image) struct image im = { 0 };
	int err = make_checked(&im, c, NULL, error);

	if (err)
		return err;
	err = is_zst ? compress_image(&im) : 0;
	if (err)
		return case_fail(error, err, NULL, "cannot be compressed: %s", strerror(-err));
	*len = im.len;
	*bytes = TAKE_PTR(im.bytes);
	return 0;
}

int case_write(const struct case_file *c, const char *path, struct case_error *error)
{
	_cleanup_(cleanup_image) struct image im = { 0 };
	int err;

	if (!ends_with(path, ".core") && !ends_with(path, ".core.zst"))
		return case_fail(error, -EINVAL, path,
				 "the name of a case must end in .core or .core.zst");
	err = make_checked(&im, c, path, error);
	if (err)
		return err;
	if (ends_with(path, ".zst"))
		err = compress_image(&im);
	if (!err)
		err = write_file(&im, path);
	return err ? case_fail(error, err, path, "cannot be written: %s", strerror(-err)) : 0;
}
