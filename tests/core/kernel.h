/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The conformance program: the core's walk as a BPF program in the kernel. The program reads memory
 * of this process, which is mapped at the target's addresses. CONFORMANCE_SKEL is the skeleton for
 * the architecture under test; every host can run both architectures' walks.
 */

#include "../../bpf/tables.h"
#include "../../sim/case/target.h"
#include "mapped.h"

#include <bpf/libbpf.h>
#include <stdio.h>

#ifdef KERNEL_RING_SLOTS
#include "../../core/flight_ring.h"
#endif
#include CONFORMANCE_SKEL

#define KERNEL_MAX_ROWS 512 /* the bundled stacks have fewer */

struct kernel {
	struct conformance_bpf *skel;
	u8 *slots;
	size_t slots_len;
	struct uw_state *state; /* state of the CPU that this thread is pinned to */
	u32 n_mappings; /* entries of the pool in use */
};

/* Same layout as in bpf/conformance.bpf.c. */
struct kernel_start {
	struct uw_regs regs;
	u64 extent;
	u64 va_mask : 56;
	u64 sample_flags : 8;
};

static inline int kernel_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

static inline void kernel_close(struct kernel *k)
{
	if (k->slots)
		munmap(k->slots, k->slots_len);
	conformance_bpf__destroy(k->skel);
	*k = (struct kernel){ 0 };
}

#ifdef KERNEL_RING_SLOTS
/* For a program with a flight recorder: gives the rings the length that a recording uses. */
static inline int kernel_size_rings(struct kernel *k, u32 n_cpus)
{
	k->skel->rodata->flight_slot_mask = KERNEL_RING_SLOTS - 1;
	bpf_map__set_max_entries(k->skel->maps.flight_rings, n_cpus);
	return bpf_map__set_value_size(k->skel->maps.flight_rings, 64 + KERNEL_RING_SLOTS * 64);
}
#else
static inline int kernel_size_rings(struct kernel *k, u32 n_cpus)
{
	(void)k;
	(void)n_cpus;
	return 0;
}
#endif

static inline int kernel_open(struct kernel *k)
{
	size_t value_len;
	u32 cpu = 0;
	int err = kernel_pin(&cpu);

	*k = (struct kernel){ 0 };
	libbpf_set_print(kernel_quiet);
	if (err)
		return err;
	k->skel = conformance_bpf__open();
	if (!k->skel)
		return -errno;
	bpf_map__set_max_entries(k->skel->maps.uw_slots, cpu + 1);
	bpf_map__set_max_entries(k->skel->maps.uw_rows, KERNEL_MAX_ROWS / 2);
	err = kernel_size_rings(k, cpu + 1);
	if (!err)
		err = conformance_bpf__load(k->skel);
	if (err)
		goto fail;
	value_len = (bpf_map__value_size(k->skel->maps.uw_slots) + 7u) & ~7u;
	k->slots_len = value_len * (cpu + 1);
	k->slots = mmap(NULL, k->slots_len, PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(k->skel->maps.uw_slots), 0);
	if (k->slots == MAP_FAILED) {
		k->slots = NULL;
		err = -errno;
		goto fail;
	}
	k->state = (struct uw_state *)(k->slots + value_len * cpu);
	return 0;
fail:
	kernel_close(k);
	return err;
}

/* Stores a page at the first free entry that the program's search reads. */
static inline void kernel_set_page(struct uw_row_page *table, const struct uw_row_page *page)
{
	u32 at = uw_row_page_hash(page->module, page->page);

	while (table[at & (UW_MAX_ROW_PAGES - 1)].module)
		at++;
	table[at & (UW_MAX_ROW_PAGES - 1)] = *page;
}

static inline void kernel_set_rows(struct kernel *k, const struct sim_target *t)
{
	struct uw_row_page *table = k->skel->bss->uw_row_pages;
	u32 pairs[KERNEL_MAX_ROWS] = { 0 };

	memset(table, 0, sizeof(k->skel->bss->uw_row_pages));
	for (u32 i = 0; i < t->n_row_pages; i++)
		kernel_set_page(table, &t->row_pages[i]);
	memcpy(k->skel->bss->uw_rules, t->rules, t->n_rules * sizeof(*t->rules));
	memcpy(pairs, t->rows, t->n_rows * sizeof(*t->rows));
	for (u32 i = 0; i < KERNEL_MAX_ROWS / 2; i++)
		bpf_map_update_elem(bpf_map__fd(k->skel->maps.uw_rows), &i, &pairs[2 * i], 0);
}

/* Copies the target's tables into the program's maps. */
static inline void kernel_set_tables(struct kernel *k, const struct sim_target *t)
{
	kernel_set_rows(k, t);
	memcpy(k->skel->bss->uw_mappings, t->mappings, t->n_mappings * sizeof(*t->mappings));
	memcpy(k->skel->bss->uw_v8_builds, t->v8_builds, t->n_v8_builds * sizeof(*t->v8_builds));
}

static inline struct kernel_start kernel_start_of(const struct sim_target *t)
{
	return (struct kernel_start){ t->regs, t->extent, t->va_mask, t->sample_flags };
}

/* Walks @t, whose memory must be mapped, in the kernel; the sample is then in k->state. */
static inline int kernel_walk(struct kernel *k, const struct sim_target *t)
{
	struct kernel_start start = kernel_start_of(t);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &start, .ctx_size_in = sizeof(start));

	return bpf_prog_test_run_opts(bpf_program__fd(k->skel->progs.uw_run_raw_tp), &opts);
}
