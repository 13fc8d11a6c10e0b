/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The ELF reader on the test's own executable. The expected values come from the dynamic linker
 * and the compiler.
 */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../../inspect/elf/debug_link.h"
#include "../../inspect/symbols/demangle.h"
#include "../../inspect/elf/elf_search.h"
#include "../../inspect/symbols/lines.h"
#include "../../inspect/elf/minidebug.h"
#include "../../inspect/symbols/symbols.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/v8/v8.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const char marked[] = "bytes that the file has at a known address";

__attribute__((noinline)) int a_function_to_be_found(int n)
{
	return n * 3 + (int)sizeof(marked);
}

static struct dl_phdr_info self;

static int take_self(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	self = *info;
	return 1;
}

static void build_id_read_from_the_file_equals_the_build_id_in_memory(void **state)
{
	char expected[129] = "";
	struct elf_file *f;

	(void)state;
	for (int i = 0; i < self.dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &self.dlpi_phdr[i];
		const u8 *p = (const u8 *)(self.dlpi_addr + ph->p_vaddr), *end = p + ph->p_memsz;

		while (ph->p_type == PT_NOTE && p + 16 <= end) {
			const ElfW(Nhdr) *nh = (const void *)p;

			if (nh->n_type == NT_GNU_BUILD_ID && nh->n_namesz == 4)
				for (u32 k = 0; k < nh->n_descsz; k++)
					snprintf(expected + 2 * k, 3, "%02x", p[16 + k]);
			p += 12 + ((nh->n_namesz + 3) & ~3u) + ((nh->n_descsz + 3) & ~3u);
		}
	}
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	if (expected[0])
		assert_string_equal(elf_file_build_id(f), expected);
	else
		assert_null(elf_file_build_id(f));
	elf_file_free(&f);
}

static void bytes_at_an_address_of_the_file_equal_the_mapped_bytes(void **state)
{
	u64 addr = (u64)(uintptr_t)marked - self.dlpi_addr, off, back;
	char text[sizeof(marked)];
	struct elf_file *f;

	(void)state;
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(elf_file_read_addr(f, addr, text, sizeof(text)), 0);
	assert_string_equal(text, marked);
	assert_int_equal(elf_file_addr_to_off(f, addr, &off), 0);
	assert_int_equal(elf_file_off_to_addr(f, off, &back), 0);
	assert_int_equal(back, addr);
	assert_int_equal(elf_file_read_addr(f, ~0ull - 8, text, 4), -ERANGE);
	assert_int_equal(elf_file_read_addr(f, addr, text, ~(size_t)0), -ERANGE);
	assert_int_equal(elf_file_off_to_addr(f, ~0ull, &back), -ERANGE);
	elf_file_free(&f);
}

/* Reads the first executable mapping of this program from /proc/self/maps. */
static void read_own_mapping(u64 *start, u64 *off)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	u64 pc = (u64)(uintptr_t)a_function_to_be_found;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long long from, to, at;

		if (sscanf(line, "%llx-%llx %*s %llx", &from, &to, &at) == 3 && pc >= from &&
		    pc < to) {
			*start = from;
			*off = at;
			return;
		}
	}
	fail();
}

static void load_bias_is_computed_from_an_executable_mapping(void **state)
{
	u64 start, off, bias = 1;
	struct elf_file *f;

	(void)state;
	read_own_mapping(&start, &off);
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(elf_file_bias(f, start, off, &bias), 0);
	assert_int_equal(bias, self.dlpi_addr);
	assert_int_equal(elf_file_bias(f, start, off + (1ull << 40), &bias), -ERANGE);
	elf_file_free(&f);
}

static int count_texts(const char *text, size_t n, void *data)
{
	const char *rest = "at a known address";

	*(int *)data += n > strlen(rest) && !strcmp(text, rest);
	return -ENOENT;
}

static int end_search(const char *text, size_t n, void *data)
{
	(void)text;
	(void)n;
	(void)data;
	return 7;
}

static void search_of_an_elf_file_finds_the_string_constant_with_a_given_text(void **state)
{
	/* Patched at run time, so that only the marked constant of this program equals the text. */
	char mark[] = "bytes that the file hat ";
	struct elf_file *f;
	int n = 0;

	(void)state;
	mark[strlen(mark) - 2] = 's';
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(elf_file_search(f, mark, 64, count_texts, &n), -ENOENT);
	assert_int_equal(n, 1);
	assert_int_equal(elf_file_search(f, mark, 64, end_search, &n), 7);
	elf_file_free(&f);
}

static char bss[64];

static void bss_reads_as_zeros(void **state)
{
	u64 addr = (u64)(uintptr_t)bss - self.dlpi_addr, off;
	char bytes[sizeof(bss)];
	struct elf_file *f;

	(void)state;
	memset(bytes, 1, sizeof(bytes));
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(elf_file_read_addr(f, addr, bytes, sizeof(bytes)), 0);
	assert_memory_equal(bytes, bss, sizeof(bss));
	assert_int_equal(elf_file_addr_to_off(f, addr, &off), -ERANGE);
	elf_file_free(&f);
}

static void function_is_found_by_the_address_of_each_of_its_bytes(void **state)
{
	u64 start = (u64)(uintptr_t)a_function_to_be_found - self.dlpi_addr, off, file_off;
	char name[SYMBOLS_NAME_LEN];
	struct elf_file *f;
	struct symbols *s;

	(void)state;
	assert_int_equal(a_function_to_be_found(1), 3 + (int)sizeof(marked));
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(symbols_new(&s, f, f, NULL), 0);
	assert_int_equal(elf_file_addr_to_off(f, start + 2, &file_off), 0);
	elf_file_free(&f);
	for (u64 i = 0; i < 4; i++) {
		assert_int_equal(symbols_lookup(s, start + i, name, sizeof(name), &off), 0);
		assert_string_equal(name, "a_function_to_be_found");
		assert_int_equal(off, i);
	}
	assert_int_equal(symbols_lookup_file_off(s, file_off, name, sizeof(name), &off), 0);
	assert_int_equal(off, 2);
	assert_int_equal(symbols_lookup(s, start - 1, name, sizeof(name), &off) == 0 &&
				 !strcmp(name, "a_function_to_be_found"),
			 0);
	assert_int_equal(symbols_lookup(s, 1, name, sizeof(name), &off), -ENOENT);
	symbols_free(&s);
}

static void binary_without_v8_is_not_recognized_as_v8(void **state)
{
	struct v8_build *b = NULL;
	struct elf_file *f;

	(void)state;
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(v8_build_new(&b, f), -ENOENT);
	assert_null(b);
	elf_file_free(&f);
}

static void non_elf_file_is_refused_immediately(void **state)
{
	char fifo[] = "/tmp/unspool-test-XXXXXX";
	struct elf_file *f = NULL;

	(void)state;
	assert_int_equal(elf_file_open(&f, "/dev/zero"), -EINVAL);
	assert_int_equal(elf_file_open(&f, "/"), -EINVAL);
	assert_int_equal(elf_file_open(&f, "/proc/self/maps"), -ENOEXEC);
	assert_int_equal(elf_file_open(&f, "/nowhere"), -ENOENT);
	assert_non_null(mkdtemp(fifo));
	assert_int_equal(rmdir(fifo), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(elf_file_open(&f, fifo), -EINVAL);
	unlink(fifo);
	assert_null(f);
}

/* ---- crafted files ---- */

static u8 *read_self(size_t *len)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/self/exe", "re");
	struct stat st;
	u8 *bytes;

	assert_int_equal(fstat(fileno(in), &st), 0);
	*len = (size_t)st.st_size;
	bytes = malloc(*len);
	assert_int_equal(fread(bytes, 1, *len, in), *len);
	return bytes;
}

/*
 * Calls every function that reads an ELF file, with these bytes as the file. The test fails only by
 * a crash or a hang.
 */
static void use(const u8 *bytes, size_t len)
{
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_file *f;
	struct symbols *s;
	struct v8_build *b;
	struct debug_link link;
	char name[64];
	int mini;
	u64 off;

	assert_int_equal(write(fd, bytes, len), len);
	if (elf_file_open_fd(&f, fd))
		return;
	if (!symbols_new(&s, f, f, NULL)) {
		for (u64 addr = 0; addr < 0x10000; addr += 777)
			symbols_lookup(s, addr, name, sizeof(name), &off);
		symbols_free(&s);
	}
	if (!v8_build_new(&b, f))
		v8_build_free(&b);
	if (!minidebug_open(f, 1 << 20, &mini))
		close(mini);
	debug_link_read(f, &link);
	lines_in(f);
	lines_len(f);
	elf_file_build_id(f);
	elf_file_free(&f);
}

static void file_truncated_at_any_length_is_read_within_bounds(void **state)
{
	_cleanup_free_ u8 *bytes = NULL;
	size_t len;

	(void)state;
	bytes = read_self(&len);
	for (size_t n = 0; n < 4096 && n < len; n += 7)
		use(bytes, n);
	for (size_t n = 4096; n < len; n += len / 200 + 1)
		use(bytes, n);
	/* The section headers are at the end of the file. */
	for (size_t n = len > 4096 ? len - 4096 : 0; n < len; n += 61)
		use(bytes, n);
}

static void elf_file_whose_headers_were_changed_is_read_within_bounds(void **state)
{
	static const u64 values[] = { 0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, ~0ull };
	_cleanup_free_ u8 *bytes = NULL;
	const Elf64_Ehdr *eh;
	size_t len, from[3], to[3];

	(void)state;
	bytes = read_self(&len);
	eh = (const void *)bytes;
	from[0] = 0, to[0] = sizeof(*eh);
	from[1] = eh->e_phoff, to[1] = from[1] + (size_t)eh->e_phnum * sizeof(Elf64_Phdr);
	from[2] = eh->e_shoff, to[2] = from[2] + (size_t)eh->e_shnum * sizeof(Elf64_Shdr);
	for (int part = 0; part < 3; part++)
		for (size_t at = from[part]; at + 8 <= to[part]; at += 4) {
			u64 old, value = values[at / 4 % N(values)];

			memcpy(&old, bytes + at, 8);
			memcpy(bytes + at, &value, 8);
			use(bytes, len);
			memcpy(bytes + at, &old, 8);
		}
}

/* Finds the first PT_LOAD program header of at least @min bytes. */
static Elf64_Phdr *segment_of(u8 *bytes, u64 min)
{
	const Elf64_Ehdr *eh = (const void *)bytes;
	Elf64_Phdr *ph = (void *)(bytes + eh->e_phoff);

	while (ph->p_type != PT_LOAD || ph->p_filesz < min)
		ph++;
	return ph;
}

static int open_bytes(const u8 *bytes, size_t len, struct elf_file **f)
{
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes, len), len);
	return elf_file_open_fd(f, fd);
}

/* Without this limit, the search for the name of a runtime would read 2^50 bytes. */
static void segment_that_is_longer_than_the_file_is_cut_to_the_file(void **state)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	_cleanup_free_ u8 *bytes = NULL;
	const struct elf_segment *s;
	Elf64_Phdr *last = NULL;
	size_t len, n;
	u64 addr, off;
	u8 byte;

	(void)state;
	bytes = read_self(&len);
	for (Elf64_Phdr *ph = segment_of(bytes, 1); ph->p_type == PT_LOAD; ph++)
		last = ph;
	last->p_filesz = last->p_memsz = 1ull << 50;
	assert_int_equal(open_bytes(bytes, len, &f), 0);
	s = elf_file_segments(f, &n);
	addr = s[n - 1].addr + s[n - 1].file_len;
	assert_int_equal(s[n - 1].file_off + s[n - 1].file_len, len);
	assert_int_equal(elf_file_addr_to_off(f, addr - 1, &off), 0);
	assert_int_equal(off, len - 1);
	assert_int_equal(elf_file_addr_to_off(f, addr, &off), -ERANGE);
	assert_int_equal(elf_file_read_addr(f, addr, &byte, 1), 0);
	assert_int_equal(byte, 0);
}

static void overlapping_segments_are_refused(void **state)
{
	struct elf_file *f = NULL;
	_cleanup_free_ u8 *bytes = NULL;
	Elf64_Phdr *first;
	size_t len;

	(void)state;
	bytes = read_self(&len);
	first = segment_of(bytes, 1);
	first->p_memsz = first[1].p_vaddr - first->p_vaddr;
	assert_int_equal(open_bytes(bytes, len, &f), 0);
	elf_file_free(&f);
	first->p_memsz++;
	assert_int_equal(open_bytes(bytes, len, &f), -ENOEXEC);
}

static void forget_sections(u8 *bytes)
{
	Elf64_Ehdr *eh = (void *)bytes;

	eh->e_shoff = 0;
	eh->e_shnum = eh->e_shstrndx = 0;
}

/* Without section headers, the reader can only use PT_DYNAMIC and the tables that it points to. */
static void file_that_has_only_an_invalid_dynamic_segment_is_read_within_bounds(void **state)
{
	static const u64 values[] = { 0, 1, 5, 0x7f, 0xffff, 0x7fffffff, 0x6ffffef5, ~0ull };
	_cleanup_free_ u8 *bytes = NULL;
	size_t len;

	(void)state;
	bytes = read_self(&len);
	forget_sections(bytes);
	for (int i = 0; i < self.dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &self.dlpi_phdr[i];

		for (u64 k = 0; ph->p_type == PT_DYNAMIC && k < ph->p_filesz; k += 8) {
			u8 *at = bytes + ph->p_offset + k;
			u64 old;

			memcpy(&old, at, 8);
			for (size_t v = 0; v < N(values); v++) {
				memcpy(at, &values[v], 8);
				use(bytes, len);
			}
			memcpy(at, &old, 8);
		}
	}
	for (size_t n = 0; n < len; n += len / 100 + 1)
		use(bytes, n);
}

/* ---- names ---- */

static void mangled_name_is_demangled_and_any_other_name_is_unchanged(void **state)
{
	static const char *const cases[][2] = {
		{ "main", "main" },
		{ "_ZN4node5StartEiPPc", "node::Start(int, char**)" },
		{ "_ZNK3FooixERKi", "Foo::operator[](int const&) const" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		  "core::fmt::Write::write_fmt" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_RNCNvC6_123foo3bar0", "123foo::bar::{closure#0}" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
		  "17h930b740aa94f1d3aE",
		  "<Test + 'static as foo::Bar<Test>>::bar" },
		{ "_Znonsense", "_Znonsense" },
		{ "", "" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		demangle(cases[i][0], text, sizeof(text));
		assert_string_equal(text, cases[i][1]);
	}
}

/*
 * Writes the mangled name of f(pair<int, int>, T2, T3, ...), where each type is a pair of two
 * copies of the type before it.
 */
static void nest(char *mangled, int levels)
{
	mangled += sprintf(mangled, "_Z1fSt4pairIiiE");
	for (int i = 0; i < levels; i++) {
		char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		mangled += sprintf(mangled, "S_IS%c_S%c_E", digit, digit);
	}
}

/* The demangled name would have 2^30 words, and the mangled one has less than 400 bytes. */
static void name_whose_demangled_form_has_gigabytes_stays_mangled(void **state)
{
	char mangled[512], text[512];

	(void)state;
	nest(mangled, 1);
	demangle(mangled, text, sizeof(text));
	assert_string_equal(text, "f(std::pair<int, int>, std::pair<std::pair<int, int>, "
				  "std::pair<int, int> >)");
	nest(mangled, 30);
	demangle(mangled, text, sizeof(text));
	assert_string_equal(text, mangled);
}

/*
 * A return type that is not printed contains A<A<..>, A<..>>, nested 30 deep. To expand the
 * parameter pack, the demangler would visit all 2^30 nodes and print nothing.
 */
static void name_that_takes_exponential_time_to_demangle_stays_mangled(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char mangled[512], text[1024];
	int n = sprintf(mangled, "_Z1fIiEPFv1AIiiE"), i;

	(void)state;
	for (i = 1; i < 31; i++)
		n += sprintf(mangled + n, "S0_IS%c_S%c_E", digits[i], digits[i]);
	sprintf(mangled + n, "EDpS%c_", digits[i]);
	demangle(mangled, text, sizeof(text));
	assert_string_equal(text, mangled);
	/* Real names, whose pack expansions are small, are still demangled. */
	demangle("_Z1fIJilEEvDpT_", text, sizeof(text));
	assert_string_equal(text, "f<int, long>(int, long)");
	demangle("_ZZ4mainENKUlT_E_clIiEEDaS_", text, sizeof(text));
	assert_string_equal(text, "main::{lambda(auto:1)#1}::operator()<int>(int) const");
	demangle("_ZZ4mainEN1xUt0_C2Ev", text,
		 sizeof(text)); /* an unnamed type, which has only a number */
}

static void name_longer_than_the_buffer_is_truncated(void **state)
{
	char text[64];

	(void)state;
	demangle("_ZN4node5StartEiPPc", text, 8);
	assert_string_equal(text, "_ZN4nod");
	demangle("_ZN4node5StartEiPPc", text, 1);
	assert_string_equal(text, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_id_read_from_the_file_equals_the_build_id_in_memory),
		cmocka_unit_test(bytes_at_an_address_of_the_file_equal_the_mapped_bytes),
		cmocka_unit_test(load_bias_is_computed_from_an_executable_mapping),
		cmocka_unit_test(search_of_an_elf_file_finds_the_string_constant_with_a_given_text),
		cmocka_unit_test(bss_reads_as_zeros),
		cmocka_unit_test(function_is_found_by_the_address_of_each_of_its_bytes),
		cmocka_unit_test(binary_without_v8_is_not_recognized_as_v8),
		cmocka_unit_test(non_elf_file_is_refused_immediately),
		cmocka_unit_test(file_truncated_at_any_length_is_read_within_bounds),
		cmocka_unit_test(elf_file_whose_headers_were_changed_is_read_within_bounds),
		cmocka_unit_test(
			file_that_has_only_an_invalid_dynamic_segment_is_read_within_bounds),
		cmocka_unit_test(segment_that_is_longer_than_the_file_is_cut_to_the_file),
		cmocka_unit_test(overlapping_segments_are_refused),
		cmocka_unit_test(mangled_name_is_demangled_and_any_other_name_is_unchanged),
		cmocka_unit_test(name_whose_demangled_form_has_gigabytes_stays_mangled),
		cmocka_unit_test(name_that_takes_exponential_time_to_demangle_stays_mangled),
		cmocka_unit_test(name_longer_than_the_buffer_is_truncated),
	};

	dl_iterate_phdr(take_self, NULL);
	return CHECK_RUN(tests);
}
