/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Modules and names of this very process, and of one that is dead, against what
 * dlsym(3), nm(1) and readelf(1) say.
 */

#include "../check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../loader/symbols/module.h"

/* Known to .symtab only. */
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

/* The first line that a command prints. */
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

static void own_functions_have_the_names_that_nm_prints(void **state)
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
	/* Both are the same distance from main, wherever the program was loaded. */
	first_line("nm '%s' | awk '$3 == \"main\" { print $1 }'", p->exe, nm_name, sizeof(nm_name));
	extern int main(void);
	assert_int_equal(nm_addr - strtoull(nm_name, NULL, 16), (u64)local_function - (u64)main);
	modules_free(&m);
	process_free(&p);
}

/* A function has several names; each of them must lead the dynamic linker to it. */
static void library_functions_have_names_that_dlsym_finds(void **state)
{
	/* Such as no sanitizer replaces. */
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
		assert_true(modules_info(m, id)->is_libc);
	}
	assert_int_equal(modules_usage(m).n_modules, 1);
	modules_free(&m);
	process_free(&p);
}

static void a_build_id_is_the_one_that_readelf_prints(void **state)
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
	assert_false(info->is_libc);
	if (function) { /* arm64 calls it __kernel_clock_gettime */
		map = mappings_find(p->maps, (u64)function);
		assert_int_equal(modules_symbol(m, map->module, (u64)function - map->start_addr,
						name, sizeof(name), &off),
				 0);
		assert_non_null(strstr(name, "clock_gettime")); /* it has two names */
		assert_int_equal(off, 0);
	}
	modules_free(&m);
	process_free(&p);
}

static void anonymous_memory_has_no_module_and_is_not_asked_twice(void **state)
{
	struct modules *m = NULL;
	struct process *p = process_new(getpid());
	struct life_mmap anon = { .start_addr = 0x1000, .len = 0x1000, .path = "//anon" };
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

static void the_file_of_a_dead_process_still_names_its_functions(void **state)
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

/* A file of its own for each of so many mappings. */
static void map_new_file(struct process *p, const char *dir, int i, u64 addr)
{
	char path[96] = {};
	struct process *loaded;
	struct mapping *map;
	struct life_mmap e;
	void *mem;
	int fd;

	snprintf(path, sizeof(path), "%s/%d", dir, i);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, path, sizeof(path)), sizeof(path));
	mem = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mem, MAP_FAILED);
	close(fd);
	loaded = self();
	map = mappings_find(loaded->maps, (u64)mem);
	assert_non_null(map);
	e = (struct life_mmap){ .start_addr = addr,
				.len = 4096,
				.inode = map->inode,
				.dev_major = map->dev_major,
				.dev_minor = map->dev_minor,
				.path = path };
	assert_int_equal(mappings_add(&p->maps, &e, map->seen_ns), 0);
	process_free(&loaded);
	munmap(mem, 4096);
}

static void what_exceeds_the_budget_makes_room_and_comes_back(void **state)
{
	char dir[] = "/tmp/modules-XXXXXX", command[64];
	struct process *p = process_new(getpid());
	struct modules *m = NULL;
	int n = MODULES_MAX_OPEN + 20;
	u32 first, id;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(modules_new(&m), 0);
	for (int i = 0; i < n; i++)
		map_new_file(p, dir, i, 0x10000 + 0x10000ull * i);
	first = open_at(m, p, 0x10000);
	for (int i = 1; i < n; i++)
		assert_int_not_equal(open_at(m, p, 0x10000 + 0x10000ull * i), first);
	assert_int_equal(modules_usage(m).n_modules, n);
	assert_int_equal(modules_usage(m).n_open, MODULES_MAX_OPEN);
	assert_int_equal(modules_fd(m, first), -ESTALE);
	assert_string_equal(modules_info(m, first)->name, "0"); /* known, though closed */
	id = open_at(m, p, 0x10000);
	assert_int_equal(id, first);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	modules_free(&m);
	process_free(&p);
}

static void the_c_library_is_known_by_name(void **state)
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
		assert_int_equal(module_name_is_libc(rows[i].name), rows[i].is_libc);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(own_functions_have_the_names_that_nm_prints),
	cmocka_unit_test(library_functions_have_names_that_dlsym_finds),
	cmocka_unit_test(a_build_id_is_the_one_that_readelf_prints),
	cmocka_unit_test(the_vdso_has_the_names_that_it_exports),
	cmocka_unit_test(anonymous_memory_has_no_module_and_is_not_asked_twice),
	cmocka_unit_test(the_file_of_a_dead_process_still_names_its_functions),
	cmocka_unit_test(what_exceeds_the_budget_makes_room_and_comes_back),
	cmocka_unit_test(the_c_library_is_known_by_name),
};

int main(void)
{
	return CHECK_RUN(tests);
}
