// SPDX-License-Identifier: BSD-2-Clause

/*
 * At each store, Unicorn 2.0.1 searches for translated code in 1,024 pages around it (page_find()
 * in qemu/accel/tcg/translate-all.c), with pages numbered in the order of their mapping. A store
 * for which there is no code in these pages costs half as much, so padding separates code and
 * data:
 *
 *	code | PAD_LEN unused bytes | data
 */

#include "windows.h"

#include <errno.h>
#include <string.h>

#define PAD_LEN (1024ull * SIM_PAGE_LEN)
#define PAD_ADDR (1ull << 60)

_Static_assert(SIM_READ == (int)UC_PROT_READ && SIM_WRITE == (int)UC_PROT_WRITE &&
		       SIM_EXEC == (int)UC_PROT_EXEC,
	       "SIM_* and UC_PROT_* must have the same bits");
_Static_assert(PAD_ADDR > SIM_ADDR_LIMIT, "the padding must be above the memory of all cases");

static bool is_alike(u8 a, u8 b)
{
	return ((a ^ b) & (SIM_PROT | SIM_MAPPED)) == 0;
}

static int list_region(const struct sim_region *r, struct cpu_windows *w)
{
	u64 n_pages = r->len / SIM_PAGE_LEN, end;

	for (u64 i = 0; i < n_pages; i = end) {
		for (end = i + 1; end < n_pages && is_alike(r->pages[i], r->pages[end]);)
			end++;
		if (!(r->pages[i] & SIM_MAPPED))
			continue;
		if (w->n == CPU_MAX_WINDOWS)
			return -E2BIG;
		w->at[w->n++] = (struct cpu_window){
			.addr = r->addr + i * SIM_PAGE_LEN,
			.len = (end - i) * SIM_PAGE_LEN,
			.bytes = r->bytes + i * SIM_PAGE_LEN,
			.prot = r->pages[i] & SIM_PROT,
		};
	}
	return 0;
}

int cpu_windows_list(struct sim_mem *mem, struct cpu_windows *w)
{
	size_t n;
	const struct sim_region *regions = sim_image_regions(mem, &n);
	int err = 0;

	w->n = 0;
	w->last_idx = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = list_region(&regions[i], w);
	return err;
}

static int map_some(const struct cpu_windows *w, uc_engine *uc, bool exec)
{
	for (u32 i = 0; i < w->n; i++) {
		const struct cpu_window *at = &w->at[i];

		if (exec == ((at->prot & SIM_EXEC) != 0) &&
		    uc_mem_map_ptr(uc, at->addr, at->len, at->prot, at->bytes))
			return -ENOTSUP;
	}
	return 0;
}

int cpu_windows_map(const struct cpu_windows *w, uc_engine *uc)
{
	int err = map_some(w, uc, true);

	if (!err && uc_mem_map(uc, PAD_ADDR, PAD_LEN, UC_PROT_NONE))
		err = -ENOTSUP;
	return err ? err : map_some(w, uc, false);
}

static const struct cpu_window *window_at(struct cpu_windows *w, u64 addr)
{
	u32 i = w->last_idx;

	if (i < w->n && addr - w->at[i].addr < w->at[i].len)
		return &w->at[i];
	for (i = 0; i < w->n; i++) {
		if (addr - w->at[i].addr < w->at[i].len) {
			w->last_idx = i;
			return &w->at[i];
		}
	}
	return NULL;
}

u32 cpu_windows_code(struct cpu_windows *w, u64 addr, u8 room[CPU_CODE_LEN], const u8 **out)
{
	const struct cpu_window *at = window_at(w, addr);
	u64 off, len;

	if (!at)
		return 0;
	off = addr - at->addr;
	*out = at->bytes + off;
	len = at->len - off;
	if (len >= CPU_CODE_LEN)
		return CPU_CODE_LEN;
	memcpy(room, *out, len);
	*out = room;
	at = window_at(w, addr + len);
	if (!at || !(at->prot & SIM_EXEC))
		return (u32)len;
	memcpy(room + len, at->bytes, CPU_CODE_LEN - len);
	return CPU_CODE_LEN;
}
