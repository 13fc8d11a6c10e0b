/* SPDX-License-Identifier: BSD-2-Clause */

#include "../check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "../../loader/process/map_file.h"
#include "../../loader/process/mappings.h"
#include "../../loader/process/maps.h"

static void each_line_of_proc_pid_maps_is_parsed(void **state)
{
	static const struct {
		const char *line;
		struct maps_entry e;
	} rows[] = {
		{ "7f69a138c000-7f69a14e2000 r-xp 00026000 fe:01 332096                     /lib/a "
		  "b",
		  { 0x7f69a138c000, 0x7f69a14e2000, 0x26000, 332096, 0xfe, 1, MAPS_READ | MAPS_EXEC,
		    "/lib/a b" } },
		{ "7f69a126b000-7f69a126c000 rw-s 00000000 00:00 0 ",
		  { 0x7f69a126b000, 0x7f69a126c000, 0, 0, 0, 0,
		    MAPS_READ | MAPS_WRITE | MAPS_SHARED, "" } },
		{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
		  "[vsyscall]",
		  { 0xffffffffff600000, 0xffffffffff601000, 0, 0, 0, 0, MAPS_EXEC, "[vsyscall]" } },
		{ "1000-2000 r-xp 00000000 100000:fffff 18446744073709551615 /x (deleted)",
		  { 0x1000, 0x2000, 0, ~0ull, 0x100000, 0xfffff, MAPS_READ | MAPS_EXEC,
		    "/x (deleted)" } },
		{ "1000-2000 r-xp 00000000 00:00 0 \xff\x01\x7f",
		  { 0x1000, 0x2000, 0, 0, 0, 0, MAPS_READ | MAPS_EXEC, "\xff\x01\x7f" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct maps_entry *want = &rows[i].e;
		struct maps_entry e;

		assert_int_equal(parse_maps_line(rows[i].line, strlen(rows[i].line), &e), 0);
		assert_int_equal(e.start_addr, want->start_addr);
		assert_int_equal(e.end_addr, want->end_addr);
		assert_int_equal(e.file_off, want->file_off);
		assert_int_equal(e.inode, want->inode);
		assert_int_equal(e.dev_major, want->dev_major);
		assert_int_equal(e.dev_minor, want->dev_minor);
		assert_int_equal(e.prot, want->prot);
		assert_int_equal(e.path_len, strlen(want->path));
		assert_memory_equal(e.path, want->path, e.path_len);
	}
}

static void invalid_lines_of_proc_pid_maps_are_rejected(void **state)
{
	static const char *const rows[] = {
		"",
		"-",
		"1000-2000",
		"2000-1000 r-xp 00000000 00:00 0 ",
		"1000-1000 r-xp 00000000 00:00 0 ",
		"1000-2000 rwx 00000000 00:00 0 ",
		"1000-2000 xxxp 00000000 00:00 0 ",
		"1000-2000 r-xq 00000000 00:00 0 ",
		"10000000000000000-20000000000000000 r-xp 00000000 00:00 0 ",
		"1000-2000 r-xp 00000000 00:100000000 0 ",
		"1000-2000 r-xp 00000000 00:00 18446744073709551616 ",
		"1000-2000 r-xp 00000000 00:00 0f ",
		"1000-2000 r-xp 0000000g 00:00 0 ",
		" 1000-2000 r-xp 00000000 00:00 0 ",
		"+1000-2000 r-xp 00000000 00:00 0 ",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct maps_entry e;

		assert_int_equal(parse_maps_line(rows[i], strlen(rows[i]), &e), -EBADMSG);
	}
}

static void a_truncated_maps_line_is_rejected_unless_its_inode_is_complete(void **state)
{
	const char *line = "7f69a138c000-7f69a14e2000 r-xp 00026000 fe:01 332096     /lib/x";
	size_t whole = strstr(line, "332096 ") + 7 - line;

	(void)state;
	for (size_t len = 0; len <= strlen(line); len++) {
		char *cut = malloc(len + 1);
		struct maps_entry e;

		memcpy(cut, line, len);
		assert_int_equal(parse_maps_line(cut, len, &e), len < whole ? -EBADMSG : 0);
		free(cut);
	}
}

static void octal_escapes_are_decoded_and_deleted_suffixes_are_removed_from_paths(void **state)
{
	static const struct {
		const char *kernel, *path;
		bool is_deleted;
	} rows[] = {
		{ "/a", "/a", false },
		{ "/a\\012b", "/a\nb", false },
		{ "/a\\01", "/a\\01", false },
		{ "/a\\0123 (deleted)", "/a\n3", true },
		{ " (deleted)", " (deleted)", false },
		{ "/memfd:x (deleted)", "/memfd:x", true },
		{ "\\012\\012\\012", "\n\n\n", false },
		{ "", "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *dst = malloc(strlen(rows[i].kernel) + 1);

		assert_int_equal(maps_path_unescape(rows[i].kernel, strlen(rows[i].kernel), dst),
				 rows[i].is_deleted);
		assert_string_equal(dst, rows[i].path);
		free(dst);
	}
}

struct step {
	u64 start, end, off, inode;
};

static void add_steps(struct mappings **m, const struct step *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct process_mmap_event map = {
			.start_addr = s[i].start,
			.len = s[i].end - s[i].start,
			.file_off = s[i].off,
			.inode = s[i].inode,
			.path = s[i].inode ? "/lib/x" : "//anon",
		};

		assert_int_equal(mappings_add(m, &map, 1), 0);
	}
}

static void assert_steps(const struct mappings *m, const struct step *s, size_t n)
{
	assert_int_equal(m->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(m->v[i].start_addr, s[i].start);
		assert_int_equal(m->v[i].end_addr, s[i].end);
		assert_int_equal(m->v[i].file_off, s[i].off);
		assert_int_equal(m->v[i].inode, s[i].inode);
	}
}

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void a_new_mapping_replaces_the_parts_of_old_mappings_that_it_overlaps(void **state)
{
	static const struct {
		struct step add[5], want[5];
		size_t n_add, n_want;
	} rows[] = {
		{ { { 50, 60, 5, 1 }, { 10, 20, 0, 1 } },
		  { { 10, 20, 0, 1 }, { 50, 60, 5, 1 } },
		  2,
		  2 },
		{ { { 10, 50, 0, 1 }, { 20, 30, 7, 2 } },
		  { { 10, 20, 0, 1 }, { 20, 30, 7, 2 }, { 30, 50, 20, 1 } },
		  2,
		  3 },
		{ { { 10, 50, 0, 1 }, { 10, 50, 7, 2 } }, { { 10, 50, 7, 2 } }, 2, 1 },
		{ { { 10, 50, 0, 1 }, { 40, 60, 7, 2 } },
		  { { 10, 40, 0, 1 }, { 40, 60, 7, 2 } },
		  2,
		  2 },
		{ { { 10, 50, 3, 1 }, { 5, 20, 7, 2 } },
		  { { 5, 20, 7, 2 }, { 20, 50, 13, 1 } },
		  2,
		  2 },
		{ { { 10, 20, 0, 1 }, { 20, 30, 0, 2 }, { 30, 40, 0, 3 }, { 15, 35, 9, 4 } },
		  { { 10, 15, 0, 1 }, { 15, 35, 9, 4 }, { 35, 40, 5, 3 } },
		  4,
		  3 },
		{ { { 10, 20, 9, 0 }, { 30, 40, 9, 0 }, { 20, 30, 9, 0 } },
		  { { 10, 40, 0, 0 } },
		  3,
		  1 },
		{ { { 10, 40, 9, 0 }, { 20, 30, 3, 1 }, { 20, 30, 9, 0 } },
		  { { 10, 40, 0, 0 } },
		  3,
		  1 },
		{ { { 10, 20, 0, 1 }, { 20, 30, 0, 0 } },
		  { { 10, 20, 0, 1 }, { 20, 30, 0, 0 } },
		  2,
		  2 },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct mappings *m = mappings_new();

		add_steps(&m, rows[i].add, rows[i].n_add);
		assert_steps(m, rows[i].want, rows[i].n_want);
		mappings_unref(&m);
	}
}

/*
 * Compares with a simple model: an array that contains, for each of 256 addresses, the file
 * mapped there.
 */
static void random_mappings_match_an_array_that_has_an_entry_per_address(void **state)
{
	u8 owner[256] = {};
	struct mappings *m = mappings_new();

	(void)state;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		u64 start = random() % 255, end = start + 1 + random() % (256 - start);
		struct step s = { start, end, start, 1 + random() % 200 };
		u64 addr = random() % 256;
		const struct mapping *found;

		add_steps(&m, &s, 1);
		memset(owner + start, s.inode, end - start);
		found = mappings_find(m, addr);
		assert_int_equal(found ? found->inode : 0, owner[addr]);
		if (found)
			assert_int_equal(found->file_off, found->start_addr);
	}
	for (u32 i = 1; i < m->n; i++)
		assert_true(m->v[i - 1].end_addr <= m->v[i].start_addr);
	mappings_unref(&m);
}

static void a_shared_set_of_mappings_is_copied_before_it_is_changed(void **state)
{
	static const struct step both[] = { { 10, 20, 0, 1 } }, one[] = { { 15, 18, 0, 2 } };
	static const struct step changed[] = { { 10, 15, 0, 1 },
					       { 15, 18, 0, 2 },
					       { 18, 20, 8, 1 } };
	struct mappings *parent = mappings_new(), *child;

	(void)state;
	add_steps(&parent, both, 1);
	child = mappings_ref(parent);
	add_steps(&child, one, 1);
	assert_steps(parent, both, 1);
	assert_steps(child, changed, 3);
	mappings_unref(&parent);
	assert_string_equal(child->v[2].path->text, "/lib/x");
	mappings_unref(&child);
}

static void a_mapping_beyond_the_limit_is_counted_and_still_shrinks_old_mappings(void **state)
{
	struct process_mmap_event map = { .len = 8, .inode = 1, .path = "/lib/x" };
	struct mappings *m = mappings_new();

	(void)state;
	for (u32 i = 0; i < MAPPINGS_MAX; i++) {
		map.start_addr = 16 * i + 16;
		assert_int_equal(mappings_add(&m, &map, 1), 0);
	}
	map.start_addr = 8;
	assert_int_equal(mappings_add(&m, &map, 1), -E2BIG);
	map.start_addr = 20;
	assert_int_equal(mappings_add(&m, &map, 1), -E2BIG);
	assert_int_equal(m->n_dropped, 2);
	assert_null(mappings_find(m, 21));
	assert_non_null(mappings_find(m, 17));
	map.start_addr = 32; /* a mapping that replaces another one fits */
	assert_int_equal(mappings_add(&m, &map, 1), 0);
	map.len = 0;
	assert_int_equal(mappings_add(&m, &map, 1), -EINVAL);
	mappings_unref(&m);
}

/* A copy of this program in a new directory, mapped as executable by this process. */
struct mapped_copy {
	char dir[32], path[64];
	void *addr;
	size_t len;
	struct map_file m;
};

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void map_copy(struct mapped_copy *c)
{
	struct stat st;
	int fd;

	strcpy(c->dir, "/tmp/process-maps-XXXXXX");
	assert_non_null(mkdtemp(c->dir));
	snprintf(c->path, sizeof(c->path), "%s/file", c->dir);
	write_file(c->path, "original");
	usleep(20000); /* a file's times have the resolution of the clock tick */
	fd = open(c->path, O_RDONLY | O_CLOEXEC);
	c->len = getpagesize();
	c->addr = mmap(NULL, c->len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(c->addr, MAP_FAILED);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	c->m = (struct map_file){
		.pid = getpid(),
		.start_addr = (u64)c->addr,
		.end_addr = (u64)c->addr + c->len,
		.inode = st.st_ino,
		.dev_major = major(st.st_dev),
		.dev_minor = minor(st.st_dev),
		.seen_ns = now_ns(),
		.path = c->path,
	};
	usleep(20000);
}

static void unmap_copy(struct mapped_copy *c)
{
	munmap(c->addr, c->len);
	unlink(c->path);
	rmdir(c->dir);
}

static void assert_opens(const struct map_file *m, const char *text)
{
	char buf[64] = {};
	int fd = -1, err = map_file_open(m, &fd);

	assert_int_equal(err, 0);
	assert_true(read(fd, buf, sizeof(buf) - 1) > 0);
	assert_string_equal(buf, text);
	close(fd);
}

static bool can_use_map_files(void)
{
	char path[64];
	struct mapped_copy c;
	int fd;

	map_copy(&c);
	snprintf(path, sizeof(path), "/proc/self/map_files/%llx-%llx", c.m.start_addr,
		 c.m.end_addr);
	fd = open(path, O_PATH | O_CLOEXEC);
	unmap_copy(&c);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void a_mapped_file_opens_even_when_it_is_deleted(void **state)
{
	struct mapped_copy c;

	(void)state;
	map_copy(&c);
	assert_opens(&c.m, "original");
	if (can_use_map_files()) { /* needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE */
		assert_int_equal(unlink(c.path), 0);
		write_file(c.path, "another");
		assert_opens(&c.m, "original");
	}
	unmap_copy(&c);
}

/* The process has exited; only the event of the mapping is known. */
static void a_file_of_a_dead_process_opens_only_if_the_file_is_unchanged(void **state)
{
	struct mapped_copy c;
	struct map_file dead, other;
	unsigned long gen = 0;
	int fd = -1;

	(void)state;
	map_copy(&c);
	dead = c.m;
	dead.pid = 0x7ffffffe; /* above every pid */
	assert_opens(&dead, "original");

	other = dead;
	other.inode++;
	assert_int_equal(map_file_open(&other, &fd), -ENOENT);
	other = dead;
	other.dev_minor++;
	assert_int_equal(map_file_open(&other, &fd), -ENOENT);

	fd = open(c.path, O_RDONLY | O_CLOEXEC);
	if (!ioctl(fd, FS_IOC_GETVERSION, &gen) && gen) { /* not every file system supports it */
		other = dead;
		other.inode_gen = gen;
		assert_opens(&other, "original");
		other.inode_gen ^= 1;
		close(fd);
		fd = -1;
		assert_int_equal(map_file_open(&other, &fd), -ENOENT);
	}
	if (fd >= 0)
		close(fd);
	fd = -1;

	write_file(c.path, "changed");
	assert_int_equal(map_file_open(&dead, &fd), -ENOENT);
	assert_int_equal(unlink(c.path), 0);
	write_file(c.path, "original");
	assert_int_equal(map_file_open(&dead, &fd), -ENOENT);
	assert_int_equal(fd, -1);
	unmap_copy(&c);
}

static void links_pipes_and_devices_are_not_opened(void **state)
{
	struct mapped_copy c;
	struct map_file dead;
	char link[64];
	struct stat st;
	int fd = -1;

	(void)state;
	map_copy(&c);
	dead = c.m;
	dead.pid = 0x7ffffffe;
	snprintf(link, sizeof(link), "%s/link", c.dir);
	assert_int_equal(symlink(c.path, link), 0);
	dead.path = link;
	assert_true(map_file_open(&dead, &fd) < 0);
	unlink(link);
	assert_int_equal(mkfifo(link, 0700), 0); /* opening it for reading would block */
	assert_int_equal(stat(link, &st), 0);
	dead.inode = st.st_ino;
	dead.seen_ns = now_ns();
	assert_int_equal(map_file_open(&dead, &fd), -EINVAL);
	unlink(link);
	dead.path = "//anon";
	assert_int_equal(map_file_open(&dead, &fd), -ENOENT);
	dead.path = "relative";
	assert_int_equal(map_file_open(&dead, &fd), -ENOENT);
	assert_int_equal(fd, -1);
	unmap_copy(&c);
}

static int count_file(const struct maps_entry *e, void *data)
{
	const struct map_file *m = data;

	return e->start_addr == m->start_addr && e->inode == m->inode &&
	       e->dev_major == m->dev_major && e->dev_minor == m->dev_minor;
}

static void the_executable_mappings_of_a_process_are_listed(void **state)
{
	struct mapped_copy c;

	(void)state;
	map_copy(&c);
	assert_int_equal(maps_each_exec(getpid(), count_file, &c.m), 1);
	assert_int_equal(mprotect(c.addr, c.len, PROT_READ), 0);
	assert_int_equal(maps_each_exec(getpid(), count_file, &c.m), 0);
	assert_int_equal(maps_each_exec(0x7ffffffe, count_file, &c.m), -ESRCH);
	unmap_copy(&c);
}

#define MIB (1ull << 20)

/* The mappings that are listed in [start, end), and whether there is a gap between them. */
struct cover {
	u64 start, end, from, to;
	bool is_torn;
};

static int cover(const struct maps_entry *e, void *data)
{
	struct cover *c = data;

	if (e->end_addr <= c->start || e->start_addr >= c->end)
		return 0;
	c->is_torn |= c->to && c->to != e->start_addr;
	c->from = c->from ? c->from : e->start_addr;
	c->to = e->end_addr;
	return 0;
}

static void assert_code(u64 start, u64 len, u64 from, u64 to)
{
	struct cover c = { .start = start, .end = start + len };

	assert_int_equal(maps_each_code(getpid(), cover, &c), 0);
	assert_false(c.is_torn);
	assert_int_equal(c.from, to ? start + from : 0);
	assert_int_equal(c.to, to ? start + to : 0);
}

static void protect(u64 addr, int prot)
{
	assert_int_equal(mprotect((void *)addr, 4096, prot), 0);
}

/* The protection of consecutive pages: none | none, near | code | none | data | none */
static void memory_reserved_next_to_code_counts_as_code(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const u64 code = 1024 * MIB, data = code + 64 * MIB, len = 2048 * MIB;
	void *p = mmap(NULL, len, PROT_NONE, flags, -1, 0);
	u64 start = (u64)p;

	(void)state;
	assert_ptr_not_equal(p, MAP_FAILED);
	protect(start, PROT_READ); /* no longer next to code */
	protect(start + len - 4096, PROT_READ);
	protect(start + data, PROT_READ | PROT_WRITE);
	assert_code(start, len, 0, 0);
	protect(start + code, PROT_READ | PROT_EXEC);
	assert_code(start, len, code - MAPS_MAX_RESERVED, data);
	protect(start + code + 4096, PROT_READ);
	assert_code(start, len, code - MAPS_MAX_RESERVED, code + 4096);
	protect(start + data, PROT_READ | PROT_EXEC);
	protect(start + code, PROT_READ);
	assert_code(start, len, code + 8192, data + 4096 + MAPS_MAX_RESERVED);
	assert_int_equal(munmap(p, len), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_line_of_proc_pid_maps_is_parsed),
	cmocka_unit_test(invalid_lines_of_proc_pid_maps_are_rejected),
	cmocka_unit_test(a_truncated_maps_line_is_rejected_unless_its_inode_is_complete),
	cmocka_unit_test(octal_escapes_are_decoded_and_deleted_suffixes_are_removed_from_paths),
	cmocka_unit_test(a_new_mapping_replaces_the_parts_of_old_mappings_that_it_overlaps),
	cmocka_unit_test(random_mappings_match_an_array_that_has_an_entry_per_address),
	cmocka_unit_test(a_shared_set_of_mappings_is_copied_before_it_is_changed),
	cmocka_unit_test(a_mapping_beyond_the_limit_is_counted_and_still_shrinks_old_mappings),
	cmocka_unit_test(a_mapped_file_opens_even_when_it_is_deleted),
	cmocka_unit_test(a_file_of_a_dead_process_opens_only_if_the_file_is_unchanged),
	cmocka_unit_test(links_pipes_and_devices_are_not_opened),
	cmocka_unit_test(the_executable_mappings_of_a_process_are_listed),
	cmocka_unit_test(memory_reserved_next_to_code_counts_as_code),
};

int main(void)
{
	return CHECK_RUN(tests);
}
