// SPDX-License-Identifier: BSD-2-Clause

/*
 * The address space of a compiled case:
 *
 *	0x400000 or so   the program's segments, by the ELF headers; a page shared by two
 *	                 segments gets the protection of both
 *	STACK_TOP - 1 MiB .. STACK_TOP
 */

#include "compiled.h"

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../mem/image.h"
#include "rows.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define STACK_TOP 0x7ffe00000000ull
#define STACK_LEN (1u << 20)
#define MAX_MEMORY_LEN (256u << 20)
#define MAX_SEGMENTS 64
#define MAX_FUNCTIONS 65536
#define MAX_INSNS 50000000
#define MODULE 1

struct compiled {
	struct sim_case c;
	struct uw_mapping mappings[MAX_SEGMENTS];
	struct sim_rows rows;
	u64 room; /* number of bytes left for segments */
	u32 functions_room;
	bool has_exit;
	bool follow; /* also derive rows from instructions */
};

static struct compiled *compiled_of(struct sim_case *c)
{
	return (struct compiled *)c;
}

void sim_compiled_free(struct sim_case **c)
{
	if (!*c)
		return;
	for (u32 i = 0; i < (*c)->n_functions; i++)
		free((char *)(*c)->functions[i].name);
	free((*c)->functions);
	free((*c)->name);
	sim_mem_free(&(*c)->target.mem);
	sim_rows_deinit(&compiled_of(*c)->rows);
	free(compiled_of(*c));
	*c = NULL;
}

/* Returns a number of the ELF header; 0 if the header can't be read. */
static Elf64_Half header_half(const struct elf_file *f, off_t off)
{
	Elf64_Half half;

	return pread(elf_file_fd(f), &half, sizeof(half), off) == sizeof(half) ? half : 0;
}

static const struct sim_arch *arch_of(const struct elf_file *f)
{
	Elf64_Half machine = header_half(f, offsetof(Elf64_Ehdr, e_machine));

	return machine == EM_X86_64    ? &sim_arch_x86_64
	       : machine == EM_AARCH64 ? &sim_arch_arm64
				       : NULL;
}

/* Names the case: "path/NAME.ARCH.elf" becomes "compiled/NAME". */
static int name_case(const char *path, struct sim_case *c)
{
	const char *base = strrchr(path, '/');
	char *name = NULL, *end;

	base = base ? base + 1 : path;
	if (asprintf(&name, "compiled/%s", base) < 0)
		return -ENOMEM;
	end = strstr(name, ".elf");
	if (end && !end[4])
		*end = '\0';
	end = strrchr(name, '.');
	if (end && !strcmp(end + 1, c->arch->name))
		*end = '\0';
	c->name = name;
	return 0;
}

static u64 page_down(u64 addr)
{
	return addr & ~(u64)(SIM_PAGE_LEN - 1);
}

static u8 prot_at(struct sim_mem *mem, u64 addr)
{
	size_t n;
	const struct sim_region *r = sim_image_regions(mem, &n);

	for (size_t i = 0; i < n; i++)
		if (addr - r[i].addr < r[i].len)
			return r[i].pages[(addr - r[i].addr) / SIM_PAGE_LEN] & SIM_PROT;
	return 0;
}

/* Maps the pages that are not mapped yet; a page shared by two segments gets both protections. */
static int map_pages(struct sim_mem *mem, u64 start, u64 end, u8 prot)
{
	for (u64 addr = start; addr < end; addr += SIM_PAGE_LEN) {
		int err = sim_image_map(mem, addr, SIM_PAGE_LEN, prot);

		if (err == -EEXIST)
			err = sim_image_protect(mem, addr, SIM_PAGE_LEN, prot | prot_at(mem, addr));
		if (err)
			return err;
	}
	return 0;
}

static int load_bytes(const struct elf_file *f, struct sim_mem *mem, u64 addr, u64 len)
{
	u8 page[SIM_PAGE_LEN];

	while (len) {
		u64 room = SIM_PAGE_LEN - addr % SIM_PAGE_LEN, n = len < room ? len : room;
		int err = elf_file_read_addr(f, addr, page, n);

		if (!err)
			err = sim_image_write(mem, addr, page, n);
		if (err)
			return err;
		addr += n;
		len -= n;
	}
	return 0;
}

static int load_segment(const struct elf_file *f, const struct elf_segment *s, struct compiled *p)
{
	struct sim_target *t = &p->c.target;
	u8 prot = s->is_exec ? SIM_READ | SIM_EXEC : SIM_READ | SIM_WRITE;
	u64 start = page_down(s->addr), end;
	int err;

	if (!s->mem_len)
		return 0;
	if (s->mem_len > p->room || s->addr > SIM_ADDR_LIMIT)
		return -EFBIG;
	p->room -= s->mem_len;
	end = page_down(s->addr + s->mem_len + SIM_PAGE_LEN - 1);
	/*
	 * Maps one block of memory if possible, because the emulated CPU supports only few
	 * mappings.
	 */
	err = sim_image_map(t->mem, start, end - start, prot);
	if (err == -EEXIST)
		err = map_pages(t->mem, start, end, prot);
	if (!err)
		err = load_bytes(f, t->mem, s->addr, s->mem_len);
	if (!err && s->is_exec)
		p->mappings[t->n_mappings++] = (struct uw_mapping){
			.start_addr = start,
			.end_addr = end,
			.file_off = page_down(s->file_off),
			.module = MODULE,
			.kind = UW_MAP_NATIVE,
		};
	return err;
}

static int load_memory(const struct elf_file *f, struct compiled *p)
{
	struct sim_target *t = &p->c.target;
	size_t n;
	const struct elf_segment *segments = elf_file_segments(f, &n);
	int err = sim_image_new(&t->mem);

	p->room = MAX_MEMORY_LEN;
	if (!err)
		err = sim_image_map(t->mem, STACK_TOP - STACK_LEN, STACK_LEN, SIM_READ | SIM_WRITE);
	if (!err && n > MAX_SEGMENTS)
		err = -EFBIG;
	for (size_t i = 0; i < n && !err; i++)
		err = load_segment(f, &segments[i], p);
	t->mappings = p->mappings;
	t->extent = t->n_mappings;
	t->va_mask = p->c.arch == &sim_arch_arm64 ? (1ull << 48) - 1 : (1ull << 47) - 1;
	return err;
}

/* Records the special symbols of a program. */
static void note_special(struct compiled *p, const char *name, u64 addr)
{
	bool inside = !strcmp(name, "fixture_exit_inside");

	p->follow |= !strcmp(name, "fixture_follow");
	if (!inside && (strcmp(name, "fixture_exit") != 0 || p->c.ends_inside))
		return;
	p->c.exit_addr = addr;
	p->c.ends_inside = inside;
	p->has_exit = true;
}

static int add_symbol(const struct elf_symbol *s, void *data)
{
	struct compiled *p = data;
	struct sim_case *c = &p->c;
	struct sim_function *f;

	if (!s->defined || s->is_dynamic)
		return 0;
	note_special(p, s->name, s->addr);
	if (s->type != STT_FUNC || !s->in_text)
		return 0;
	if (c->n_functions == MAX_FUNCTIONS)
		return -EFBIG;
	if (array_reserve(c->functions, p->functions_room, c->n_functions + 1))
		return -ENOMEM;
	f = &c->functions[c->n_functions];
	f->name = strdup(s->name);
	if (!f->name)
		return -ENOMEM;
	f->start_addr = s->addr;
	f->len = s->len;
	c->n_functions++;
	return 0;
}

static int compare_functions(const void *a, const void *b)
{
	u64 x = ((const struct sim_function *)a)->start_addr;
	u64 y = ((const struct sim_function *)b)->start_addr;

	return (x > y) - (x < y);
}

static int read_entry(const struct elf_file *f, u64 *entry)
{
	Elf64_Addr addr;

	if (pread(elf_file_fd(f), &addr, sizeof(addr), offsetof(Elf64_Ehdr, e_entry)) !=
	    sizeof(addr))
		return -ENOEXEC;
	*entry = addr;
	return 0;
}

static int load_rows(struct elf_file *f, struct compiled *p)
{
	int err = sim_rows_of_file(&p->rows, f, MODULE, p->follow);

	sim_rows_use(&p->rows, &p->c.target);
	return err;
}

static int load(struct elf_file *f, const char *path, struct compiled *p, struct sim_error *error)
{
	struct sim_case *c = &p->c;
	int err = name_case(path, c);

	if (header_half(f, offsetof(Elf64_Ehdr, e_type)) != ET_EXEC)
		return sim_fail(error, -ENOEXEC,
				"the program has no fixed addresses; link it with -static -no-pie");
	if (!err)
		err = load_memory(f, p);
	if (!err)
		err = elf_file_each_symbol(f, add_symbol, p);
	if (!err)
		err = read_entry(f, &c->target.regs.pc);
	if (!err)
		err = load_rows(f, p);
	if (err == -EFBIG)
		return sim_fail(
			error, err,
			"the program is too large: at most %u segments, %u MiB, %u functions, and "
			"addresses below %#llx",
			MAX_SEGMENTS, MAX_MEMORY_LEN >> 20, MAX_FUNCTIONS, SIM_ADDR_LIMIT);
	if (err)
		return sim_fail(error, err, "can't build the memory: %s", strerror(-err));
	if (!p->has_exit)
		return sim_fail(error, -ENOEXEC,
				"the program has no symbol fixture_exit, which marks the end");
	if (c->n_functions)
		qsort(c->functions, c->n_functions, sizeof(*c->functions), compare_functions);
	c->target.regs.sp = STACK_TOP - 64;
	c->is_executed = true;
	c->max_insns = MAX_INSNS;
	c->status = UW_END;
	return 0;
}

int sim_compiled_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		      struct sim_error *error)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	_cleanup_(sim_compiled_free) struct sim_case *c = NULL;
	struct compiled *p;
	int err = elf_file_open(&f, path);

	if (err)
		return sim_fail(error, err, "the file can't be read as a 64-bit ELF file: %s",
				strerror(-err));
	if (!arch_of(f))
		return sim_fail(error, -ENOEXEC, "the program is for another machine");
	if (arch_of(f) != arch)
		return -ENOTSUP;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	c = &p->c;
	c->arch = arch;
	err = load(f, path, p, error);
	if (!err)
		*out = TAKE_PTR(c);
	return err;
}
