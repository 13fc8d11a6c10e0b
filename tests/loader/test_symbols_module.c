/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Compares modules and names of this process, and of a dead one, with dlsym(3), nm(1) and
 * readelf(1).
 */

#include "../check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/symbols/libc_name.h"
#include "../../loader/symbols/module.h"

/* A static function, whose symbol is only in .symtab. */
static __attribute__((noinline, noclone)) int local_function(int x)
{
	__asm__ volatile("nop\n\tnop" : "+r"(x));
	return x + 1;
}

static struct process *self(void)
{
	struct process *p = process_new(getpid());

	assert_non_null(p);
	assert_int_equal(process_load(p), 0);
	return p;
}

static u32 open_at(struct modules *m, const struct process *p, u64 addr)
{
	struct mapping *map = mappings_find(p->maps, addr);
	u32 id = 0;

	assert_non_null(map);
	assert_int_equal(modules_open(m, p, map, &id), 0);
	assert_int_equal(map->module, id);
	return id;
}

static void assert_symbol(struct modules *m, struct process *p, u64 addr, const char *want,
			  u64 want_off)
{
	struct mapping *map = mappings_find(p->maps, addr);
	char name[512];
	u64 off = 0;
	u32 id = open_at(m, p, addr);

	assert_int_equal(modules_symbol(m, id, addr - map->start_addr + map->file_off, name,
					sizeof(name), &off),
			 0);
	assert_string_equal(name, want);
	assert_int_equal(off, want_off);
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* Reads the first line that a command prints. */
static void first_line(const char *format, const char *arg, char *line, size_t len)
{
	char command[4600];
	FILE *f;

	snprintf(command, sizeof(command), format, arg);
	f = popen(command, "r");
	assert_non_null(f);
	line[0] = '\0';
	if (fgets(line, len, f))
		line[strcspn(line, "\n")] = '\0';
	pclose(f);
}

static void functions_of_the_test_program_have_the_names_that_nm_prints(void **state)
{
	struct modules *m = NULL;
	struct process *p = self();
	char nm_name[128];
	u64 nm_addr;

	(void)state;
	assert_int_equal(modules_new(&m), 0);
	assert_symbol(m, p, (u64)local_function, "local_function", 0);
	assert_symbol(m, p, (u64)local_function + 2, "local_function", 2);
	assert_symbol(m, p, (u64)self + 1, "self", 1);
	first_line("nm '%s' | awk '$3 == \"local_function\" { print $1, $3 }'", p->exe, nm_name,
		   sizeof(nm_name));
	assert_int_equal(sscanf(nm_name, "%llx", &nm_addr), 1);
	/* Addresses relative to main are the same in memory and in the file. */
	first_line("nm '%s' | awk '$3 == \"main\" { print $1 }'", p->exe, nm_name, sizeof(nm_name));
	extern int main(int argc, char **argv);
	assert_int_equal(nm_addr - strtoull(nm_name, NULL, 16), (u64)local_function - (u64)main);
	modules_free(&m);
	process_free(&p);
}

static void start_and_address_of_a_function_are_known_without_its_name(void **state)
{
	struct process *p = self();
	struct mapping *map = mappings_find(p->maps, (u64)local_function);
	u64 off = (u64)local_function - map->start_addr + map->file_off;
	struct module_start start = { 0 };
	struct modules *m = NULL;
	char nm_addr[64];
	u32 id;

	(void)state;
	assert_int_equal(modules_new(&m), 0);
	id = open_at(m, p, (u64)local_function);
	assert_int_equal(modules_start(m, id, off + 3, &start), 0);
	assert_int_equal(start.off, off);
	first_line("nm '%s' | awk '$3 == \"local_function\" { print $1 }'", p->exe, nm_addr,
		   sizeof(nm_addr));
	assert_int_equal(start.addr, strtoull(nm_addr, NULL, 16) + 3);
	assert_int_equal(modules_start(m, id, 0, &start), 0); /* the ELF header */
	assert_int_equal(start.off, 0);
	assert_int_equal(modules_start(m, id + 1, off, &start), -ESTALE);
	modules_free(&m);
	process_free(&p);
}

/* A library function can have several names; dlsym(3) must find the function by each of them. */
static void library_functions_have_names_that_dlsym_finds(void **state)
{
	/* Functions that sanitizers do not replace. */
	void *const functions[] = { dlsym(RTLD_DEFAULT, "hcreate"), dlsym(RTLD_DEFAULT, "l64a"),
				    dlsym(RTLD_DEFAULT, "strfry") };
	struct modules *m = NULL;
	struct process *p = self();

	(void)state;
	assert_int_equal(modules_new(&m), 0);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		struct mapping *map = mappings_find(p->maps, (u64)functions[i]);
		u32 id = open_at(m, p, (u64)functions[i]);
		char name[512];
		u64 off = 0;

		assert_int_equal(
			modules_symbol(m, id,
				       (u64)functions[i] + 1 - map->start_addr + map->file_off,
				       name, sizeof(name), &off),
			0);
		assert_int_equal(off, 1);
		assert_ptr_equal(dlsym(RTLD_DEFAULT, name), functions[i]);
		assert_string_equal(modules_info(m, id)->name, "libc.so.6");
	}
	assert_int_equal(modules_usage(m).n_modules, 1);
	modules_free(&m);
	process_free(&p);
}

static void the_build_id_equals_the_build_id_that_readelf_prints(void **state)
{
	u64 addrs[] = { (u64)local_function, (u64)dlsym(RTLD_DEFAULT, "l64a") };
	struct modules *m = NULL;
	struct process *p = self();

	(void)state;
	assert_int_equal(modules_new(&m), 0);
	for (size_t i = 0; i < 2; i++) {
		const struct module_info *info = modules_info(m, open_at(m, p, addrs[i]));
		char line[256];

		first_line("readelf -n '%s' | sed -n 's/.*Build ID: //p'", info->path, line,
			   sizeof(line));
		assert_string_equal(info->build_id, line);
		assert_string_equal(info->name, strrchr(info->path, '/') + 1);
	}
	modules_free(&m);
	process_free(&p);
}

static void the_vdso_has_the_names_that_it_exports(void **state)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *function = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct modules *m = NULL;
	struct process *p = self();
	u64 addr = getauxval(AT_SYSINFO_EHDR);
	const struct module_info *info;
	struct mapping *map;
	char name[128];
	u64 off;

	(void)state;
	assert_int_equal(modules_new(&m), 0);
	info = modules_info(m, open_at(m, p, addr));
	assert_string_equal(info->name, "[vdso]");
	assert_true(info->is_vdso);
	if (function) { /* arm64 names it __kernel_clock_gettime */
		map = mappings_find(p->maps, (u64)function);
		assert_int_equal(modules_symbol(m, map->module, (u64)function - map->start_addr,
						name, sizeof(name), &off),
				 0);
		assert_non_null(strstr(name, "clock_gettime")); /* one of its two names */
		assert_int_equal(off, 0);
	}
	modules_free(&m);
	process_free(&p);
}

static void anonymous_memory_has_no_module_and_is_looked_up_only_once(void **state)
{
	struct modules *m = NULL;
	struct process *p = process_new(getpid());
	struct process_mmap_event anon = { .start_addr = 0x1000, .len = 0x1000, .path = "//anon" };
	u32 id = 77;

	(void)state;
	assert_int_equal(modules_new(&m), 0);
	assert_int_equal(mappings_add(&p->maps, &anon, 1), 0);
	assert_int_equal(modules_open(m, p, &p->maps->v[0], &id), -ENOENT);
	assert_int_equal(p->maps->v[0].module, MODULE_NONE);
	assert_int_equal(modules_open(m, p, &p->maps->v[0], &id), -ENOENT);
	assert_int_equal(id, 77);
	assert_null(modules_info(m, 0));
	assert_null(modules_info(m, MODULE_NONE));
	modules_free(&m);
	process_free(&p);
}

static void functions_of_a_dead_process_are_named_from_the_file_that_was_opened(void **state)
{
	struct modules *m = NULL;
	struct process *p = NULL;
	pid_t child = fork();

	(void)state;
	if (!child) {
		pause();
		_exit(0);
	}
	p = process_new(child);
	assert_int_equal(process_load(p), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(modules_new(&m), 0);
	assert_symbol(m, p, (u64)local_function + 1, "local_function", 1);
	modules_free(&m);
	process_free(&p);
}

/*
 * A directory of files that a dead process had mapped one after another, from address 1 << 20
 * on.
 */
struct files {
	char dir[32];
	int n;
	struct process *process;
};

#define FILE_ADDR(i) ((1ull << 20) + 4096ull * (u64)(i))

/* Maps the next file, which must exist. */
static void map_file(struct files *f)
{
	char path[64];
	struct stat st;
	struct process_mmap_event e = { .start_addr = FILE_ADDR(f->n), .len = 4096, .path = path };

	snprintf(path, sizeof(path), "%s/%d", f->dir, f->n++);
	assert_int_equal(stat(path, &st), 0);
	e.inode = st.st_ino;
	e.dev_major = major(st.st_dev);
	e.dev_minor = minor(st.st_dev);
	/* One minute in the future, because file times and this clock can differ. */
	assert_int_equal(mappings_add(&f->process->maps, &e, now_ns() + 60000000000ull), 0);
}

static void add_file(struct files *f, const void *data, size_t len)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%d", f->dir, f->n);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
	map_file(f);
}

static void files_init(struct files *f)
{
	f->n = 0;
	strcpy(f->dir, "/tmp/modules-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->process = process_new(0x7ffffffe); /* above every pid */
	assert_non_null(f->process);
}

static void files_deinit(struct files *f)
{
	char path[64];

	while (f->n--) {
		snprintf(path, sizeof(path), "%s/%d", f->dir, f->n);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(f->dir), 0);
	process_free(&f->process);
}

static void the_number_of_open_files_is_limited_and_closed_files_are_opened_again(void **state)
{
	struct modules *m = NULL;
	struct files f;
	u32 first;

	(void)state;
	files_init(&f);
	assert_int_equal(modules_new(&m), 0);
	for (int i = 0; i < MODULES_MAX_OPEN + 20; i++)
		add_file(&f, "x", 1);
	first = open_at(m, f.process, FILE_ADDR(0));
	assert_true(modules_fd(m, first) >= 0);
	for (int i = 1; i < f.n; i++)
		assert_int_not_equal(open_at(m, f.process, FILE_ADDR(i)), first);
	assert_int_equal(modules_usage(m).n_modules, f.n);
	assert_int_equal(modules_usage(m).n_open, MODULES_MAX_OPEN);
	assert_int_equal(modules_fd(m, first), -ESTALE);
	assert_string_equal(modules_info(m, first)->name,
			    "0"); /* still known after the file was closed */
	assert_int_equal(open_at(m, f.process, FILE_ADDR(0)), first);
	files_deinit(&f);
	modules_free(&m);
}

static void the_number_of_modules_is_limited_and_no_id_is_reused(void **state)
{
	struct modules *m = NULL;
	struct files f;
	u32 first, again;

	(void)state;
	files_init(&f);
	assert_int_equal(modules_new(&m), 0);
	for (int i = 0; i < MODULES_MAX + 1; i++)
		add_file(&f, "x", 1);
	first = open_at(m, f.process, FILE_ADDR(0));
	for (int i = 1; i < f.n; i++)
		open_at(m, f.process, FILE_ADDR(i));
	assert_int_equal(modules_usage(m).n_modules, MODULES_MAX);
	assert_null(modules_info(m, first));
	assert_string_equal(modules_info(m, first + 1)->name, "1");
	again = open_at(m, f.process, FILE_ADDR(0));
	assert_int_equal(again, first + (u32)f.n);
	assert_string_equal(modules_info(m, again)->name, "0");
	files_deinit(&f);
	modules_free(&m);
}

static void symbol_tables_beyond_the_limit_are_dropped_and_read_again_if_needed(void **state)
{
	static u8 elf[1 << 20];
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, elf, sizeof(elf));
	struct modules *m = NULL;
	struct files f;
	char name[64];
	u64 off;

	(void)state;
	assert_true(len > 0 && len < (ssize_t)sizeof(elf));
	close(fd);
	files_init(&f);
	assert_int_equal(modules_new(&m), 0);
	for (int i = 0; i < MODULES_MAX_TABLES + 5; i++) {
		add_file(&f, elf, len);
		modules_symbol(m, open_at(m, f.process, FILE_ADDR(i)), 0, name, sizeof(name), &off);
	}
	assert_int_equal(modules_usage(m).n_tables, MODULES_MAX_TABLES);
	modules_symbol(m, open_at(m, f.process, FILE_ADDR(0)), 0, name, sizeof(name), &off);
	assert_int_equal(modules_usage(m).n_tables, MODULES_MAX_TABLES);
	files_deinit(&f);
	modules_free(&m);
}

/*
 * A copy of this program. The names of the copy are available until the modification time of the
 * file changes.
 */
static void functions_of_a_file_get_no_names_after_the_file_has_changed(void **state)
{
	static u8 elf[4 << 20];
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1 } };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, elf, sizeof(elf));
	struct process *p = self();
	struct mapping *map = mappings_find(p->maps, (u64)local_function);
	u64 file_off = (u64)local_function - map->start_addr + map->file_off, off;
	char name[64], path[64];
	struct modules *m = NULL;
	struct files f;
	u32 id, unread;

	(void)state;
	assert_true(len > 0 && len < (ssize_t)sizeof(elf));
	close(fd);
	files_init(&f);
	assert_int_equal(modules_new(&m), 0);
	add_file(&f, elf, len);
	add_file(&f, elf, len);
	id = open_at(m, f.process, FILE_ADDR(0));
	unread = open_at(m, f.process, FILE_ADDR(1));
	assert_int_equal(modules_symbol(m, id, file_off, name, sizeof(name), &off), 0);
	assert_string_equal(name, "local_function");
	for (int i = 0; i < f.n; i++) {
		snprintf(path, sizeof(path), "%s/%d", f.dir, i);
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	assert_int_equal(modules_symbol(m, id, file_off, name, sizeof(name), &off), -ESTALE);
	assert_int_equal(modules_symbol(m, unread, file_off, name, sizeof(name), &off), -ESTALE);
	files_deinit(&f);
	modules_free(&m);
	process_free(&p);
}

static const char *bare_path, *debug_path;

/* Waits for the final result of modules_debug_fd() for module @id. */
static int wait_for_debug(struct modules *m, u32 id)
{
	int fd = modules_debug_fd(m, id);

	for (int i = 0; fd == -EINPROGRESS && i < 150; i++) {
		modules_take_answers(m, 100);
		fd = modules_debug_fd(m, id);
	}
	return fd;
}

/* A file without unwind information that has a debug link. */
static void a_debug_file_is_found_beside_the_binary(void **state)
{
	struct process *p = self();
	struct modules *m = NULL;
	struct stat want, is;
	char command[4096], path[64];
	struct files f;
	int fd;
	u32 id;

	(void)state;
	files_init(&f);
	process_free(&f.process);
	f.process = process_new(getpid());
	snprintf(command, sizeof(command),
		 "cp '%s' %s/1 && objcopy --add-gnu-debuglink=%s/1 '%s' %s/0", debug_path, f.dir,
		 f.dir, bare_path, f.dir);
	assert_int_equal(system(command), 0);
	map_file(&f);
	snprintf(path, sizeof(path), "%s/1", f.dir);
	assert_int_equal(stat(path, &want), 0);
	assert_int_equal(modules_new(&m), 0);
	id = open_at(m, f.process, FILE_ADDR(0));
	assert_int_equal(modules_debug_fd(m, id), -EINPROGRESS);
	fd = wait_for_debug(m, id);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &is), 0);
	assert_int_equal(is.st_ino, want.st_ino);
	/* This program is not stripped. */
	assert_int_equal(wait_for_debug(m, open_at(m, p, (u64)local_function)), -ENOENT);
	assert_int_equal(modules_debug_fd(m, 12345), -ENOENT);
	f.n = 2;
	files_deinit(&f);
	modules_free(&m);
	process_free(&p);
}

/* Without a process it is unknown below which root directory to search for the debug file. */
static void a_debug_file_is_not_looked_for_before_a_process_maps_the_binary(void **state)
{
	int fd = open(bare_path, O_RDONLY | O_CLOEXEC);
	struct modules *m = NULL;
	u32 id;

	(void)state;
	assert_int_equal(modules_new(&m), 0);
	assert_int_equal(modules_preload(m, fd, bare_path, &id), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(modules_debug_fd(m, id), -EINPROGRESS);
		modules_take_answers(m, 100);
	}
	assert_int_equal(modules_helper_cpu_ns(m), 0);
	close(fd);
	modules_free(&m);
}

static void the_c_library_is_recognized_by_name(void **state)
{
	static const struct {
		const char *name;
		bool is_libc;
	} rows[] = {
		{ "libc.so.6", true },
		{ "libc-2.31.so", true },
		{ "ld-musl-x86_64.so.1", true },
		{ "libc.musl-aarch64.so.1", true },
		{ "libc.so", true },
		{ "libcrypto.so.3", false },
		{ "libc++.so.1", false },
		{ "libc-client.so.2007e", false },
		{ "glibc.so.6", false },
		{ "ld-linux-x86-64.so.2", false },
		{ "libc.so.6.txt", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(elf_name_is_libc(rows[i].name), rows[i].is_libc);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_of_the_test_program_have_the_names_that_nm_prints),
	cmocka_unit_test(start_and_address_of_a_function_are_known_without_its_name),
	cmocka_unit_test(library_functions_have_names_that_dlsym_finds),
	cmocka_unit_test(the_build_id_equals_the_build_id_that_readelf_prints),
	cmocka_unit_test(the_vdso_has_the_names_that_it_exports),
	cmocka_unit_test(anonymous_memory_has_no_module_and_is_looked_up_only_once),
	cmocka_unit_test(functions_of_a_dead_process_are_named_from_the_file_that_was_opened),
	cmocka_unit_test(the_number_of_open_files_is_limited_and_closed_files_are_opened_again),
	cmocka_unit_test(the_number_of_modules_is_limited_and_no_id_is_reused),
	cmocka_unit_test(symbol_tables_beyond_the_limit_are_dropped_and_read_again_if_needed),
	cmocka_unit_test(functions_of_a_file_get_no_names_after_the_file_has_changed),
	cmocka_unit_test(a_debug_file_is_found_beside_the_binary),
	cmocka_unit_test(a_debug_file_is_not_looked_for_before_a_process_maps_the_binary),
	cmocka_unit_test(the_c_library_is_recognized_by_name),
};

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: test_symbols_module STRIPPED DEBUG\n");
		return 2;
	}
	bare_path = argv[1];
	debug_path = argv[2];
	return CHECK_RUN(tests);
}
