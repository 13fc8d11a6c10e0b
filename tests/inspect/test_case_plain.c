/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Core files made from this running program. Such a core contains the first page and the path of
 * the program, but not its code, like the cores that gcore and the kernel write.
 */

#include "../check.h"

#include "../../inspect/case/case.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define PAGE 4096ull
#define STACK 0x7ffe00000000ull

/* A line of /proc/self/maps. */
struct place {
	u64 start, end, off;
};

static struct place head, code, data; /* mappings of this program */
static char exe[256];

static u8 file[65536];
static size_t len;
static Elf64_Phdr *headers;

static void add(const void *bytes, size_t n)
{
	assert_true(len + n <= sizeof(file));
	if (n)
		memcpy(file + len, bytes, n);
	len += n;
}

static void add_note(const char *name, u32 type, const void *desc, u32 n)
{
	static const u8 zeros[4];
	Elf64_Nhdr head_of = { (u32)strlen(name) + 1, n, type };

	add(&head_of, sizeof(head_of));
	add(name, head_of.n_namesz);
	add(zeros, -head_of.n_namesz & 3);
	add(desc, n);
	add(zeros, -n & 3);
}

/* Starts a core with 8 program headers; the first one is for the notes. */
static void start(u16 machine)
{
	Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 8,
	};
	u8 prstatus[392] = { 0 };

	memset(file, 0, sizeof(file));
	len = 0;
	add(&eh, sizeof(eh));
	headers = (Elf64_Phdr *)(file + len);
	len += 8 * sizeof(Elf64_Phdr);
	headers[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = len, .p_align = 4 };
	for (u64 i = 0; i < 34; i++)
		memcpy(prstatus + 112 + 8 * i, &(u64){ 0x1000 + i }, 8);
	add_note("CORE", NT_PRSTATUS, prstatus, machine == EM_X86_64 ? 336 : 392);
}

static void end_notes(void)
{
	headers[0].p_filesz = len - headers[0].p_offset;
}

static void add_load(u32 i, u64 addr, u64 mem_len, u32 flags, const void *bytes, u64 n)
{
	headers[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
				   .p_flags = flags,
				   .p_offset = len,
				   .p_vaddr = addr,
				   .p_filesz = n,
				   .p_memsz = mem_len,
				   .p_align = 1 };
	add(bytes, n);
}

static void add_files(const char *path)
{
	const struct place below = { PAGE, 2 * PAGE, PAGE }; /* also mapped in a .NET bundle */
	const struct place *places[] = { &below, &head, &code, &data };
	u8 desc[2048];
	u64 words[2 + 3 * N(places)] = { N(places), PAGE };
	size_t n;

	for (u32 i = 0; i < N(places); i++) {
		words[2 + 3 * i] = places[i]->start;
		words[3 + 3 * i] = places[i]->end;
		words[4 + 3 * i] = places[i]->off / PAGE;
	}
	memcpy(desc, words, sizeof(words));
	n = sizeof(words);
	for (u32 i = 0; i < N(places); i++)
		n += (size_t)snprintf((char *)desc + n, sizeof(desc) - n, "%s", path) + 1;
	add_note("CORE", NT_FILE, desc, (u32)n);
}

enum manner { LIKE_GCORE, LIKE_KERNEL };

/* Makes a core of this program. @page: the content of the program's first page. */
static void make(enum manner manner, const char *path, const void *page)
{
	static const u8 stack[64] = { 1, 2, 3 };

	start(EM_X86_64);
	add_files(path);
	end_notes();
	add_load(1, head.start, head.end - head.start, PF_R, page, PAGE);
	if (manner == LIKE_KERNEL) {
		add_load(2, code.start, code.end - code.start, PF_R | PF_X, NULL, 0);
		add_load(3, data.start, data.end - data.start, PF_R | PF_W, NULL, 0);
	}
	add_load(4, STACK, sizeof(stack), PF_R | PF_W, stack, sizeof(stack));
}

static int read_made(struct case_error *error, struct case_file **out)
{
	static int fd = -1;
	char path[32];

	if (fd < 0)
		fd = memfd_create("core", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, file, len, 0), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return case_read(path, error, out);
}

static struct case_file *read_good(void)
{
	struct case_error error;
	struct case_file *c;

	if (read_made(&error, &c))
		fail_msg("%s", error.text);
	assert_true(c->is_plain_core);
	return c;
}

static const struct case_mapping *mapping_at(const struct case_file *c, u64 addr)
{
	for (u32 i = 0; i < c->n_mappings; i++)
		if (addr >= c->mappings[i].map.start_addr && addr < c->mappings[i].map.end_addr)
			return &c->mappings[i];
	return NULL;
}

/* Returns the address of an instruction of this program. */
static u64 code_addr(void)
{
	return (u64)(unsigned long)mapping_at;
}

static void code_missing_in_the_core_is_read_from_the_mapped_file(void **state)
{
	(void)state;
	for (enum manner manner = LIKE_GCORE; manner <= LIKE_KERNEL; manner++) {
		struct case_file *c;
		const struct case_mapping *m;
		u8 bytes[64];

		make(manner, exe, (void *)head.start);
		c = read_good();
		assert_int_equal(c->arch, CASE_X86_64);
		assert_true(c->regs.pc == 0x1010 && c->regs.sp == 0x1013 && c->regs.fp == 0x1004 &&
			    c->regs.lr == 0 && c->regs.has_all);
		assert_int_equal(c->va_mask, (1ull << 47) - 1);
		assert_int_equal(case_bytes(c, code_addr(), bytes, sizeof(bytes)), 0);
		assert_memory_equal(bytes, mapping_at, sizeof(bytes));
		assert_int_equal(case_bytes(c, head.start, bytes, 4), 0);
		assert_memory_equal(bytes, ELFMAG, 4);
		assert_int_equal(case_bytes(c, STACK, bytes, 64), 0);
		assert_int_equal(bytes[2], 3);
		assert_int_equal(case_bytes(c, STACK + 60, bytes, 8), -ENODATA);
		assert_int_equal(case_bytes(c, data.start, bytes, 8), -ENODATA);
		m = mapping_at(c, code_addr());
		assert_non_null(m);
		assert_true(m->map.start_addr == code.start && m->map.end_addr == code.end &&
			    m->map.file_off == code.off && m->map.kind == UW_MAP_NATIVE);
		assert_string_equal(m->path, exe);
		assert_non_null(m->build_id);
		assert_null(mapping_at(c, data.start));
		assert_null(mapping_at(c, STACK));
		case_free(&c);
	}
}

/* The kernel's core marks executable mappings and gcore's does not; neither contains the code. */
static void code_is_not_read_from_a_mapped_file_with_another_build_id(void **state)
{
	static const u8 zeros[PAGE];
	u8 other[PAGE], *id;
	const struct {
		const char *path;
		const void *page;
	} rows[] = {
		{ exe, other }, /* another build ID */
		{ exe, zeros }, /* no build ID */
		{ "/nowhere", (void *)head.start },
		{ "/dev/zero", (void *)head.start },
		{ "/etc/passwd", (void *)head.start },
	};

	(void)state;
	memcpy(other, (void *)head.start, PAGE);
	id = memmem(other, PAGE, "\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU", 16);
	assert_non_null(id);
	id[20] ^= 1;
	for (u32 i = 0; i < 2 * N(rows); i++) {
		struct case_file *c;
		u8 bytes[8];

		make(i % 2, rows[i / 2].path, rows[i / 2].page);
		c = read_good();
		assert_int_equal(case_bytes(c, code_addr(), bytes, 8), -ENODATA);
		assert_int_equal(mapping_at(c, code_addr()) != NULL, i % 2);
		case_free(&c);
	}
}

static struct uw_frame frame_at(const struct case_file *c, u64 pc)
{
	const struct case_mapping *m = mapping_at(c, pc);

	assert_non_null(m);
	return (struct uw_frame){ .pc = pc,
				  .a = pc - m->map.start_addr + m->map.file_off,
				  .aux = m->map.module,
				  .kind = UW_NATIVE,
				  .flags = UW_FRAME_NO_ROWS };
}

static void unwind_rows_missing_in_the_core_are_read_from_the_mapped_file(void **state)
{
	struct uw_frame frames[6];
	struct case_file *c;

	(void)state;
	make(LIKE_GCORE, exe, (void *)head.start);
	c = read_good();
	assert_int_equal(c->n_rows, 0);
	frames[0] = frame_at(c, code_addr());
	frames[1] = frame_at(c, (u64)(unsigned long)read_good);
	frames[2] = frames[0]; /* recursion */
	frames[3] = frame_at(c, (u64)(unsigned long)frame_at);
	frames[3].aux = 99; /* a module that does not exist */
	frames[4] = frame_at(c, (u64)(unsigned long)frame_at);
	frames[4].kind = UW_V8_CODE;
	frames[5] = frame_at(c, code_addr() + 1); /* the byte before is looked up */
	frames[5].flags = UW_FRAME_RA;
	assert_int_equal(case_plain_add_rows(c, frames, N(frames)), 2);
	assert_int_equal(c->n_rows, 2);
	assert_true(c->rows[0].file_off < c->rows[1].file_off);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(c->rows[i].module, frames[0].aux);
		assert_true(c->rows[i].file_off == frames[0].a ||
			    c->rows[i].file_off == frames[1].a);
		assert_int_equal(c->rows[i].rule.cfa, UW_CFA_SP); /* at the first instruction */
		assert_int_equal(c->rows[i].rule.fp, UW_SAVED_SAME);
	}
	assert_int_equal(case_plain_add_rows(c, frames, N(frames)), 0);
	case_free(&c);
}

static void unwind_rows_are_not_read_from_a_mapped_file_with_another_build_id(void **state)
{
	static const u8 zeros[PAGE];
	struct uw_frame frame;
	struct case_file *c;

	(void)state;
	make(LIKE_KERNEL, exe, zeros);
	c = read_good();
	frame = frame_at(c, code_addr());
	assert_int_equal(case_plain_add_rows(c, &frame, 1), 0);
	frame.aux = 0;
	assert_int_equal(case_plain_add_rows(c, &frame, 1), 0);
	assert_int_equal(c->n_rows, 0);
	case_free(&c);
}

static void arm64_pointer_signatures_are_stripped(void **state)
{
	static const u64 masks[2] = { 0x7f << 20, 0x007f000000000000 };
	struct case_file *c;

	(void)state;
	start(EM_AARCH64);
	end_notes();
	c = read_good();
	assert_true(c->regs.pc == 0x1020 && c->regs.sp == 0x101f && c->regs.fp == 0x101d &&
		    c->regs.lr == 0x101e);
	assert_int_equal(c->va_mask, (1ull << 48) - 1);
	case_free(&c);
	start(EM_AARCH64);
	add_note("LINUX", NT_ARM_PAC_MASK, (u64[]){ masks[1], 0x007ff80000000000 }, 16);
	end_notes();
	c = read_good();
	assert_int_equal(c->va_mask, (1ull << 43) - 1);
	case_free(&c);
}

static void core_file_truncated_at_any_byte_is_refused(void **state)
{
	size_t whole;

	(void)state;
	make(LIKE_KERNEL, exe, (void *)head.start);
	whole = len;
	for (len = 0; len < whole; len++) {
		struct case_error error;
		struct case_file *c;

		assert_int_equal(read_made(&error, &c), -ENOEXEC);
	}
}

/* No real list of file mappings is as long as this one, but even this one must be read quickly. */
static void long_list_of_file_mappings_is_read(void **state)
{
	enum { COUNT = 400 };
	u64 words[2 + 3 * COUNT] = { COUNT, PAGE };
	u8 desc[sizeof(words) + 2 * COUNT];
	struct case_file *c;

	(void)state;
	for (u64 i = 0; i < COUNT; i++) {
		words[2 + 3 * i] = 0x10000 + i * PAGE;
		words[3 + 3 * i] = 0x10000 + (i + 1) * PAGE;
	}
	memcpy(desc, words, sizeof(words));
	for (u32 i = 0; i < COUNT; i++) {
		desc[sizeof(words) + 2 * i] = (u8)('a' + i % 26);
		desc[sizeof(words) + 2 * i + 1] = 0;
	}
	start(EM_X86_64);
	add_note("CORE", NT_FILE, desc, sizeof(desc));
	end_notes();
	add_load(1, 0x10000 + 100 * PAGE, 3 * PAGE, PF_R | PF_X, NULL, 0);
	c = read_good();
	assert_int_equal(c->n_files, COUNT);
	assert_int_equal(c->n_mappings, 1);
	assert_int_equal(c->mappings[0].map.module, 100 % 26 + 1);
	case_free(&c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(code_missing_in_the_core_is_read_from_the_mapped_file),
	cmocka_unit_test(code_is_not_read_from_a_mapped_file_with_another_build_id),
	cmocka_unit_test(unwind_rows_missing_in_the_core_are_read_from_the_mapped_file),
	cmocka_unit_test(unwind_rows_are_not_read_from_a_mapped_file_with_another_build_id),
	cmocka_unit_test(arm64_pointer_signatures_are_stripped),
	cmocka_unit_test(core_file_truncated_at_any_byte_is_refused),
	cmocka_unit_test(long_list_of_file_mappings_is_read),
};

/* Finds the mappings of this program. */
static bool find_self(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], prot[5], path[256];
	struct place p;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %255s", &p.start, &p.end, prot, &p.off,
			   path) != 5 ||
		    strcmp(path, exe) != 0)
			continue;
		if (!p.off)
			head = p;
		else if (prot[2] == 'x')
			code = p;
		else if (prot[1] == 'w')
			data = p;
	}
	if (maps)
		fclose(maps);
	return head.end && code.end && data.end;
}

int main(void)
{
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0 || !find_self())
		return 1;
	return CHECK_RUN(tests);
}
