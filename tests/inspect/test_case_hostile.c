/* SPDX-License-Identifier: BSD-2-Clause */

/* Case files that are truncated, corrupt, huge, from another machine, or inconsistent. */

#include "../check.h"
#include "made_case.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define ROOM 65536
/* Flips every third bit: 2 or 3 bits of each byte, and over all bytes each bit position. */
#define BIT_STEP 3

static char folder[] = "/tmp/test_case_hostile.XXXXXX";

/* A case file in memory. The tests damage it and store it. */
static u8 bytes[ROOM];
static size_t len;

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void load(enum case_arch arch, const char *name)
{
	struct case_error error;
	int fd;

	if (case_write(made_case(arch), path_of(name), &error))
		fail_msg("%s", error.text);
	fd = open(path_of(name), O_RDONLY);
	len = (size_t)read(fd, bytes, sizeof(bytes));
	assert_true(len > 500 && len < ROOM);
	close(fd);
}

/*
 * Path of the stored file. The file is in memory, because the tests store tens of thousands of
 * files.
 */
static char stored[32];

static void store(const void *from, size_t n)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("case", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, from, n, 0), n);
	snprintf(stored, sizeof(stored), "/proc/self/fd/%d", fd);
}

/* Reads the file, accesses all of its contents, and frees it. */
static int try(const char *path, struct case_error *error)
{
	struct case_file *c = NULL;
	int err = case_read(path, error, &c);
	u8 some[300];

	if (err) {
		assert_null(c);
		assert_non_null(strstr(error->text, path));
		return err;
	}
	for (u32 i = 0; i < c->n_ranges; i++)
		case_bytes(c, c->ranges[i].addr, some, sizeof(some));
	free(case_note_text(c));
	case_free(&c);
	return 0;
}

static void case_file_truncated_at_any_byte_is_refused(void **state)
{
	static const char *const names[] = { "a.core", "a.core.zst" };
	struct case_error error;

	(void)state;
	for (u32 i = 0; i < N(names); i++) {
		load(CASE_X86_64, names[i]);
		assert_int_equal(try(path_of(names[i]), &error), 0);
		for (size_t n = 0; n < len; n++) {
			store(bytes, n);
			if (!try(stored, &error))
				fail_msg("%s: the reader accepted the case, although only %zu of "
					 "its %zu bytes are left",
					 names[i], n, len);
		}
	}
}

static void case_is_refused_if_bytes_follow_the_compressed_data(void **state)
{
	struct case_error error;

	(void)state;
	load(CASE_X86_64, "a.core.zst");
	bytes[len] = 0;
	store(bytes, len + 1);
	assert_int_equal(try(stored, &error), -ENOEXEC);
}

/*
 * Only a crash is a failure. A flipped bit in compressed data is always detected, because the data
 * have a checksum.
 */
static void reading_a_file_with_a_flipped_bit_never_crashes(void **state)
{
	struct case_error error;
	u32 n_read = 0, n_refused = 0;

	(void)state;
	load(CASE_ARM64, "a.core");
	for (size_t i = 0; i < 8 * len; i += BIT_STEP) {
		bytes[i / 8] ^= (u8)(1 << i % 8);
		store(bytes, len);
		*(try(stored, &error) ? &n_refused : &n_read) += 1;
		bytes[i / 8] ^= (u8)(1 << i % 8);
	}
	print_message("%u read, %u refused\n", n_read, n_refused);
	assert_true(n_read > 256 * 8 / BIT_STEP && n_refused > 64 * 8 / BIT_STEP);
}

static void flipped_bit_of_compressed_data_is_refused_or_changes_no_contents(void **state)
{
	struct case_error error;
	char *text, *flipped;
	struct case_file *c;
	u32 n_refused = 0;

	(void)state;
	load(CASE_ARM64, "a.core.zst");
	assert_int_equal(case_read(path_of("a.core.zst"), NULL, &c), 0);
	text = case_note_text(c);
	case_free(&c);
	for (size_t i = 0; i < 8 * len; i += BIT_STEP) {
		bytes[i / 8] ^= (u8)(1 << i % 8);
		store(bytes, len);
		bytes[i / 8] ^= (u8)(1 << i % 8);
		if (case_read(stored, &error, &c)) {
			n_refused++;
			continue;
		}
		flipped = case_note_text(c);
		assert_string_equal(flipped, text);
		free(flipped);
		case_free(&c);
	}
	print_message("%u of %zu refused\n", n_refused, 8 * len / BIT_STEP);
	assert_true(n_refused > 8 * len / BIT_STEP * 9 / 10);
	free(text);
}

static void *find(const char *text)
{
	void *at = memmem(bytes, len, text, strlen(text));

	if (!at)
		fail_msg("the case file does not contain %s", text);
	return at;
}

struct wrong_note {
	const char *old, *new; /* strings of equal length */
	int err;
	const char *words;
};

static const struct wrong_note wrong_notes[] = {
	{ "{\"format\"", "[\"format\"", -ENOEXEC, "not JSON" },
	{ "\"format\":1", "\"format\":2", -ENOTSUP,
	  "format 2 is not supported; this unspool reads format 1" },
	{ "\"format\":1", "\"formal\":1", -ENOEXEC, "format is not a number" },
	{ "\"x86_64\"", "\"x86-64\"", -ENOEXEC, "arch is unknown" },
	{ "\"arch\":\"x86_64\"", "\"arch\":\"arm64\" ", -ENOEXEC, "the note is for arm64" },
	{ "\"pc\":\"0x400010\"", "\"pc\":\"0x400011\"", -ENOEXEC, "differ from NT_PRSTATUS" },
	{ "\"sp\":\"0x7ffe00001000\"", "\"sp\":\"0x7ffe00001008\"", -ENOEXEC, "NT_PRSTATUS" },
	{ "\"va_mask\":\"0x7ff", "\"va_mask\":\"0x6ff", -ENOEXEC, "mask" },
	{ "\"va_mask\":\"0x7ff", "\"va_mask\":\"0X7ff", -ENOEXEC, "va_mask must be" },
	{ "\"va_mask\":\"0x7ff", "\"va_mask\":\"-x7ff", -ENOEXEC, "va_mask must be" },
	{ "\"count\":2", "\"count\":3", -ENOEXEC, "extent" },
	{ "\"count\":2", "\"count\":-", -ENOEXEC, "JSON" },
	{ "\"memory\"", "\"memorx\"", -ENOEXEC, "lacks memory" },
	{ "\"addr\":\"0x400000\",\"len\":128", "\"addr\":\"0x400000\",\"len\":127", -ENOEXEC,
	  "memory 1 of the note has no program header" },
	{ "\"addr\":\"0x400000\",\"len\":128", "\"addr\":\"0x400001\",\"len\":128", -ENOEXEC,
	  "memory 0 of the note has no program header" },
	{ "\"len\":64,\"from\":\"walk\"", "\"len\":65,\"from\":\"walk\"", -ENOEXEC, "memory 2" },
	{ "\"from\":\"walk\"", "\"from\":\"talk\"", -ENOEXEC,
	  "memory[1].from has an unknown word" },
	{ "\"addr\":\"0x7ffe00003000\",\"len\":\"0x1000\"",
	  "\"addr\":\"0x7ffe00001000\",\"len\":\"0x1000\"", -ENOEXEC, "fault 0 overlaps memory" },
	{ "\"addr\":\"0x7ffe00002ff8\",\"len\":16", "\"addr\":\"0x7ffe00002ff8\",\"len\":08",
	  -ENOEXEC, "JSON" },
	{ "\"addr\":\"0x7ffe00002ff8\",\"len\":16", "\"addr\":\"0x7ffe00002ff0\",\"len\":16",
	  -ENOEXEC, "read 3" },
	{ "\"len\":8}", "\"len\":0}", -ENOEXEC, "read 2" },
	{ "\"fault\":true", "\"fault\":1234", -ENOEXEC, "reads[3].fault must be true" },
	{ "\"fault\":true", "\"fauly\":true", -ENOEXEC, "read 3" },
	{ "\"kind\":\"v8_jit\"", "\"kind\":\"v8-jit\"", -ENOEXEC, "mappings[1].kind" },
	{ "\"shared_off\":24", "\"shared_off\":-4", -ENOEXEC, "v8[1].shared_off" },
	{ "\"status\":\"function unreadable\"", "\"status\":\"function unreadable!", -ENOEXEC, "" },
	{ "\"line\":88", "\"line\":-8", -ENOEXEC, "frames[1].line" },
	{ "\"name\":\"main\"", "\"Name\":\"main\"", -ENOEXEC, "function 0 has no name" },
	{ "\"pcs\":[\"0x400010\"", "\"pcs\":[\"0x40001g\"", -ENOEXEC, "truth.pcs" },
	{ "\"name\":\"main\"", "\"name\":\"m\\u0\"", -ENOEXEC, "JSON" },
	{ "\"faults\"", "\"memory\"", -ENOEXEC, "JSON" },
};

static void case_with_an_invalid_note_is_refused(void **state)
{
	(void)state;
	for (u32 i = 0; i < N(wrong_notes); i++) {
		struct case_error error = { "" };
		int err;

		load(CASE_X86_64, "a.core");
		assert_int_equal(strlen(wrong_notes[i].old), strlen(wrong_notes[i].new));
		memcpy(find(wrong_notes[i].old), wrong_notes[i].new, strlen(wrong_notes[i].new));
		store(bytes, len);
		err = try(stored, &error);
		if (err != wrong_notes[i].err || !strstr(error.text, wrong_notes[i].words))
			fail_msg("%s: %d, %s", wrong_notes[i].new, err, error.text);
	}
}

/* The ELF header of the file in memory. */
static Elf64_Ehdr *header(void)
{
	return (Elf64_Ehdr *)bytes;
}

/* Program header @i of the file: 0 notes, 1 code, 2 stack. */
static Elf64_Phdr *segment(u32 i)
{
	return (Elf64_Phdr *)(bytes + sizeof(Elf64_Ehdr)) + i;
}

static void other_machine(void)
{
	header()->e_machine = EM_RISCV;
}

static void other_machine_that_is_known(void)
{
	header()->e_machine = EM_AARCH64;
}

static void no_core(void)
{
	header()->e_type = ET_EXEC;
}

static void of_32_bits(void)
{
	header()->e_ident[EI_CLASS] = ELFCLASS32;
}

static void big_endian(void)
{
	header()->e_ident[EI_DATA] = ELFDATA2MSB;
}

static void no_elf(void)
{
	bytes[1] = 'X';
}

static void no_headers(void)
{
	header()->e_phnum = 0;
}

static void too_many_headers(void)
{
	header()->e_phnum = 65000;
}

static void headers_elsewhere(void)
{
	header()->e_phoff = ~0ull - 8;
}

static void segments_overlap(void)
{
	segment(2)->p_vaddr = MADE_CODE + 127;
}

static void segments_same(void)
{
	*segment(2) = *segment(1);
}

static void segment_wraps(void)
{
	segment(2)->p_vaddr = ~0ull - 8;
}

static void segment_behind_the_file(void)
{
	segment(2)->p_offset = len - 127;
}

static void segment_wraps_in_the_file(void)
{
	segment(2)->p_offset = ~0ull - 8;
}

static void segment_is_not_all_there(void)
{
	segment(2)->p_memsz += 4096;
}

static void segment_is_more_than_there(void)
{
	segment(2)->p_memsz--;
}

static void segment_is_huge(void)
{
	segment(2)->p_memsz = segment(2)->p_filesz = 1ull << 40;
}

static void segment_the_note_does_not_know(void)
{
	segment(0)->p_type = PT_LOAD;
}

static void notes_are_huge(void)
{
	segment(0)->p_filesz = 1ull << 40;
}

static void notes_end_within_one(void)
{
	segment(0)->p_filesz -= 64;
}

static void note_is_longer_than_all(void)
{
	((Elf64_Nhdr *)(bytes + segment(0)->p_offset))->n_descsz = 0x7fffffff;
}

static void registers_are_short(void)
{
	((Elf64_Nhdr *)(bytes + segment(0)->p_offset))->n_descsz -= 8;
}

static void no_registers(void)
{
	((Elf64_Nhdr *)(bytes + segment(0)->p_offset))->n_type = 99;
}

/*
 * Sets word @i of NT_FILE. The words are count, page size, start, end, file offset in pages; then
 * comes the path.
 */
static void set_file_word(u32 i, u64 word)
{
	memcpy((u8 *)find("/lib/libc.so.6") - 40 + i * 8ul, &word, sizeof(word));
}

static void more_files_than_there_is_room_for(void)
{
	set_file_word(0, 1ull << 60);
}

static void files_with_huge_pages(void)
{
	set_file_word(1, 1ull << 40);
}

static void file_that_ends_before_it_starts(void)
{
	set_file_word(3, 0);
}

static void file_offset_that_wraps(void)
{
	set_file_word(4, ~0ull);
}

static void path_without_an_end(void)
{
	memset(find("/lib/libc.so.6"), 'x', 15);
}

static const struct {
	void (*spoil)(void);
	int err;
	const char *words;
} headers[] = {
	{ other_machine, -ENOTSUP, "machine 243" },
	{ other_machine_that_is_known, -ENOEXEC, "" },
	{ no_core, -ENOEXEC, "not a core" },
	{ of_32_bits, -ENOTSUP, "64-bit" },
	{ big_endian, -ENOTSUP, "little-endian" },
	{ no_elf, -ENOEXEC, "not an ELF file" },
	{ no_headers, -ENOEXEC, "program headers" },
	{ too_many_headers, -ENOEXEC, "truncated" },
	{ headers_elsewhere, -ENOEXEC, "" },
	{ segments_overlap, -ENOEXEC, "is in two segments" },
	{ segments_same, -ENOEXEC, "is in two segments" },
	{ segment_wraps, -ENOEXEC, "program header 2" },
	{ segment_behind_the_file, -ENOEXEC, "program header 2" },
	{ segment_wraps_in_the_file, -ENOEXEC, "program header 2" },
	{ segment_is_not_all_there, -ENOEXEC, "memory 1 of the note" },
	{ segment_is_more_than_there, -ENOEXEC, "program header 2" },
	{ segment_is_huge, -ENOEXEC, "program header 2" },
	{ segment_the_note_does_not_know, -ENOEXEC, "" },
	{ notes_are_huge, -ENOEXEC, "program header 0" },
	{ notes_end_within_one, -ENOEXEC, "program header 0" },
	{ note_is_longer_than_all, -ENOEXEC, "program header 0" },
	{ registers_are_short, -ENOEXEC, "program header 0" },
	{ no_registers, -ENOEXEC, "no registers" },
	{ more_files_than_there_is_room_for, -ENOEXEC, "program header 0" },
	{ files_with_huge_pages, -ENOEXEC, "program header 0" },
	{ file_that_ends_before_it_starts, -ENOEXEC, "program header 0" },
	{ file_offset_that_wraps, -ENOEXEC, "program header 0" },
	{ path_without_an_end, -ENOEXEC, "program header 0" },
};

static void case_is_refused_if_a_header_of_the_core_file_is_invalid(void **state)
{
	(void)state;
	for (u32 i = 0; i < N(headers); i++) {
		struct case_error error = { "" };
		int err;

		load(CASE_X86_64, "a.core");
		headers[i].spoil();
		store(bytes, len);
		err = try(stored, &error);
		if (err != headers[i].err || !strstr(error.text, headers[i].words))
			fail_msg("row %u (%s): %d, %s", i, headers[i].words, err, error.text);
	}
}

/* 300 MiB of zeros, compressed to about 10 kB. */
static void case_that_decompresses_to_too_many_bytes_is_refused(void **state)
{
	static u8 zeros[1 << 20], out[1 << 16];
	ZSTD_CStream *z = ZSTD_createCStream();
	ZSTD_outBuffer to = { out, sizeof(out), 0 };
	struct case_error error;

	(void)state;
	for (u32 i = 0; i < 300; i++) {
		ZSTD_inBuffer from = { zeros, sizeof(zeros), 0 };

		while (from.pos < from.size)
			ZSTD_compressStream2(z, &to, &from, ZSTD_e_continue);
	}
	ZSTD_compressStream2(z, &to, &(ZSTD_inBuffer){ NULL, 0, 0 }, ZSTD_e_end);
	ZSTD_freeCStream(z);
	store(out, to.pos);
	assert_int_equal(try(stored, &error), -EFBIG);
	assert_non_null(strstr(error.text, "larger than 256 MiB"));
}

static void case_whose_json_is_nested_too_deeply_is_refused(void **state)
{
	struct case_error error;
	u8 *note;

	(void)state;
	load(CASE_X86_64, "a.core");
	note = find("{\"format\"");
	memset(note, '[', (size_t)(bytes + segment(1)->p_offset - note));
	store(bytes, len);
	assert_int_equal(try(stored, &error), -ENOEXEC);
}

static void case_is_refused_if_the_file_is_not_a_regular_file(void **state)
{
	struct case_error error;

	(void)state;
	assert_int_equal(mkfifo(path_of("fifo.core"), 0600), 0);
	assert_int_equal(try(path_of("fifo.core"), &error), -EINVAL);
	assert_int_equal(mkdir(path_of("dir.core"), 0700), 0);
	assert_int_equal(try(path_of("dir.core"), &error), -EINVAL);
	assert_int_equal(try(path_of("none.core"), &error), -ENOENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(case_file_truncated_at_any_byte_is_refused),
	cmocka_unit_test(case_is_refused_if_bytes_follow_the_compressed_data),
	cmocka_unit_test(reading_a_file_with_a_flipped_bit_never_crashes),
	cmocka_unit_test(flipped_bit_of_compressed_data_is_refused_or_changes_no_contents),
	cmocka_unit_test(case_with_an_invalid_note_is_refused),
	cmocka_unit_test(case_is_refused_if_a_header_of_the_core_file_is_invalid),
	cmocka_unit_test(case_that_decompresses_to_too_many_bytes_is_refused),
	cmocka_unit_test(case_whose_json_is_nested_too_deeply_is_refused),
	cmocka_unit_test(case_is_refused_if_the_file_is_not_a_regular_file),
};

int main(void)
{
	char command[64];
	int status;

	if (!mkdtemp(folder))
		return 1;
	status = CHECK_RUN(tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : status;
}
