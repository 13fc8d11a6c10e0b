// SPDX-License-Identifier: BSD-2-Clause

#include "bpf_object.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int sim_bpf_try(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 4, 1, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

static int map_memory(const struct bpf_map *map, size_t len, u8 **out)
{
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (at == MAP_FAILED)
		return -errno;
	*out = at;
	return 0;
}

/* Finds a global variable in the program's .bss, by the BTF of the object. */
static void *find_global(const struct sim_bpf *bpf, const char *name, size_t len)
{
	const struct btf *btf = bpf_object__btf(bpf->object);
	s32 id = btf__find_by_name_kind(btf, ".bss", BTF_KIND_DATASEC);
	const struct btf_type *section = id < 0 ? NULL : btf__type_by_id(btf, (u32)id);
	const struct btf_var_secinfo *var = section ? btf_var_secinfos(section) : NULL;

	for (u32 i = 0; section && i < btf_vlen(section); i++, var++) {
		const struct btf_type *type = btf__type_by_id(btf, var->type);

		if (strcmp(btf__name_by_offset(btf, type->name_off), name) == 0)
			return var->size == len && var->offset + len <= bpf->bss_len
				       ? bpf->bss + var->offset
				       : NULL;
	}
	return NULL;
}

static int find_globals(struct sim_bpf *bpf)
{
	bpf->mappings = find_global(bpf, "uw_mappings", UW_MAX_MAPPINGS * sizeof(*bpf->mappings));
	bpf->v8_builds =
		find_global(bpf, "uw_v8_builds", UW_MAX_V8_BUILDS * sizeof(*bpf->v8_builds));
	bpf->row_pages =
		find_global(bpf, "uw_row_pages", UW_MAX_ROW_PAGES * sizeof(*bpf->row_pages));
	bpf->rules = find_global(bpf, "uw_rules", UW_MAX_RULES * sizeof(*bpf->rules));
	bpf->reads = find_global(bpf, "uw_reads", SIM_MAX_READS * sizeof(*bpf->reads));
	bpf->n_reads = find_global(bpf, "uw_n_reads", sizeof(*bpf->n_reads));
	return bpf->mappings && bpf->v8_builds && bpf->row_pages && bpf->rules && bpf->reads &&
			       bpf->n_reads
		       ? 0
		       : -ENOENT;
}

static int map_all(struct sim_bpf *bpf, u32 cpu)
{
	const struct bpf_map *slots = bpf_object__find_map_by_name(bpf->object, "uw_slots");
	const struct bpf_map *bss = bpf_object__find_map_by_name(bpf->object, ".bss");
	const struct bpf_map *rows = bpf_object__find_map_by_name(bpf->object, "uw_rows");
	size_t slot_len;
	int err;

	if (!slots || !bss || !rows)
		return -ENOENT;
	slot_len = (bpf_map__value_size(slots) + 7u) & ~7u;
	bpf->slots_len = slot_len * (cpu + 1);
	bpf->bss_len = bpf_map__value_size(bss);
	err = map_memory(slots, bpf->slots_len, &bpf->slots);
	if (!err)
		err = map_memory(bss, bpf->bss_len, &bpf->bss);
	bpf->pool_len = SIM_MAX_ROWS * sizeof(u32);
	if (!err)
		err = map_memory(rows, bpf->pool_len, &bpf->pool);
	if (err)
		return err;
	bpf->rows = (u32 *)bpf->pool;
	bpf->state = (const struct uw_state *)(bpf->slots + slot_len * cpu);
	return find_globals(bpf);
}

int sim_bpf_load(struct sim_blob elf, u32 cpu, struct sim_bpf *out)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "conformance");
	struct bpf_program *prog, *unused;
	int err;

	*out = (struct sim_bpf){ .prog_fd = -1 };
	libbpf_set_print(quiet);
	out->object = bpf_object__open_mem(elf.bytes, elf.len, &opts);
	if (!out->object)
		return -errno;
	prog = bpf_object__find_program_by_name(out->object, "uw_run_raw_tp");
	unused = bpf_object__find_program_by_name(out->object, "uw_run_tc");
	if (!prog || !unused)
		return -ENOENT;
	bpf_program__set_autoload(unused, false);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(out->object, "uw_slots"), cpu + 1);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(out->object, "uw_rows"),
				 SIM_MAX_ROWS * sizeof(u32) / sizeof(struct uw_row_pair));
	err = bpf_object__load(out->object);
	if (err)
		return err;
	out->prog_fd = bpf_program__fd(prog);
	return map_all(out, cpu);
}

/*
 * Returns the slot in which the program will find a page; NULL if all slots that the program probes
 * are in use.
 */
static struct uw_row_page *row_page_slot(const struct sim_bpf *bpf, const struct uw_row_page *p)
{
	u32 hash = uw_row_page_hash(p->module, p->page);

	for (u32 i = 0; i < UW_ROW_PAGE_PROBES; i++) {
		struct uw_row_page *slot = &bpf->row_pages[(hash + i) & (UW_MAX_ROW_PAGES - 1)];

		if (!slot->module)
			return slot;
	}
	return NULL;
}

static int set_rows(struct sim_bpf *bpf, const struct sim_target *t)
{
	while (bpf->n_row_pages)
		bpf->row_pages[bpf->row_page_idx[--bpf->n_row_pages]] = (struct uw_row_page){ 0 };
	for (u32 i = 0; i < t->n_row_pages; i++) {
		struct uw_row_page *slot = row_page_slot(bpf, &t->row_pages[i]);

		if (!slot)
			return -ENOSPC;
		*slot = t->row_pages[i];
		bpf->row_page_idx[bpf->n_row_pages++] = (u32)(slot - bpf->row_pages);
	}
	if (t->n_rows)
		memcpy(bpf->rows, t->rows, t->n_rows * sizeof(*t->rows));
	if (t->n_rules)
		memcpy(bpf->rules, t->rules, t->n_rules * sizeof(*t->rules));
	return 0;
}

int sim_bpf_set_tables(struct sim_bpf *bpf, const struct sim_target *t)
{
	memset(bpf->v8_builds, 0, UW_MAX_V8_BUILDS * sizeof(struct v8_info));
	if (t->n_v8_builds)
		memcpy(bpf->v8_builds, t->v8_builds, t->n_v8_builds * sizeof(struct v8_info));
	if (t->n_mappings)
		memcpy(bpf->mappings, t->mappings, t->n_mappings * sizeof(struct uw_mapping));
	*bpf->n_reads = 0;
	return set_rows(bpf, t);
}

void sim_bpf_unload(struct sim_bpf *bpf)
{
	if (bpf->slots)
		munmap(bpf->slots, bpf->slots_len);
	if (bpf->bss)
		munmap(bpf->bss, bpf->bss_len);
	if (bpf->pool)
		munmap(bpf->pool, bpf->pool_len);
	bpf_object__close(bpf->object);
	*bpf = (struct sim_bpf){ .prog_fd = -1 };
}
