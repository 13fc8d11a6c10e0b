// SPDX-License-Identifier: BSD-2-Clause

/*
 * Memory is a list of regions sorted by address, each with a byte of flags for each page. The
 * locations of pages are cached, because a walk reads few pages.
 */

#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/search.h"

#define N_KNOWN 16

/* A readable page. */
struct known_page {
	u64 addr;
	const u8 *bytes; /* NULL: empty entry */
};

struct image {
	struct sim_mem mem;
	struct sim_region *regions;
	size_t n_regions;
	u64 total_len;
	struct known_page known[N_KNOWN]; /* by page number; cleared when flags change */
};

static struct image *image_of(struct sim_mem *mem)
{
	return (struct image *)mem;
}

/* Returns the index of the first region that ends above @addr, or n_regions. */
static size_t find_region(const struct image *image, u64 addr)
{
	const struct sim_region *r = image->regions;

	return search_first(image->n_regions, i, r[i].addr + r[i].len <= addr);
}

static bool region_holds(const struct sim_region *r, u64 addr, u64 len)
{
	return addr - r->addr < r->len && len <= r->len - (addr - r->addr);
}

/* Returns the region that contains the whole range, or NULL. */
static struct sim_region *region_of(struct image *image, u64 addr, u64 len)
{
	size_t idx = find_region(image, addr);

	if (idx == image->n_regions || !region_holds(&image->regions[idx], addr, len))
		return NULL;
	return &image->regions[idx];
}

static bool all_pages(const struct sim_region *r, u64 addr, u64 len, u8 flags)
{
	u64 first = (addr - r->addr) / SIM_PAGE_LEN,
	    last = (addr - r->addr + len - 1) / SIM_PAGE_LEN;

	for (u64 i = first; i <= last; i++)
		if ((r->pages[i] & flags) != flags)
			return false;
	return true;
}

/* Returns the host address of a readable page, or NULL. */
static const u8 *find_page(struct image *image, u64 addr)
{
	struct known_page *known = &image->known[addr / SIM_PAGE_LEN % N_KNOWN];
	const struct sim_region *r;

	if (known->bytes && known->addr == addr)
		return known->bytes;
	r = region_of(image, addr, SIM_PAGE_LEN);
	if (!r || !all_pages(r, addr, SIM_PAGE_LEN, SIM_MAPPED | SIM_PRESENT | SIM_READ))
		return NULL;
	*known = (struct known_page){ addr, r->bytes + (addr - r->addr) };
	return known->bytes;
}

/*
 * Uses memmove(), because gcc turns a memcpy() of up to a page into rep movs, which is slow to
 * start.
 */
static int image_read(struct sim_mem *mem, void *dst, u32 len, u64 addr)
{
	u8 *to = dst;

	while (len) {
		u32 off = addr % SIM_PAGE_LEN, room = SIM_PAGE_LEN - off;
		u32 n = len < room ? len : room;
		const u8 *page = find_page(image_of(mem), addr - off);

		if (!page)
			return -EFAULT;
		memmove(to, page + off, n);
		to += n;
		len -= n;
		addr += n;
	}
	return 0;
}

static void image_free(struct sim_mem *mem)
{
	struct image *image = image_of(mem);

	for (size_t i = 0; i < image->n_regions; i++) {
		free(image->regions[i].bytes);
		free(image->regions[i].pages);
	}
	free(image->regions);
	free(image);
}

static int image_pages(struct sim_mem *mem, const struct sim_region **out, size_t *n)
{
	*out = sim_image_regions(mem, n);
	return 0;
}

static const struct sim_mem_ops image_ops = { "image", image_read, image_free, image_pages,
					      .is_partial = false };

bool sim_mem_is_image(const struct sim_mem *mem)
{
	return mem->ops == &image_ops;
}

int sim_image_new(struct sim_mem **out)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return -ENOMEM;
	image->mem.ops = &image_ops;
	*out = &image->mem;
	return 0;
}

static bool is_page_range(u64 addr, u64 len)
{
	return len && addr % SIM_PAGE_LEN == 0 && len % SIM_PAGE_LEN == 0 &&
	       len <= SIM_ADDR_LIMIT && addr <= SIM_ADDR_LIMIT - len;
}

/* Maps pages in a hole of a region. */
static int map_again(struct sim_region *r, u64 addr, u64 len, u8 prot)
{
	u8 *pages = r->pages + (addr - r->addr) / SIM_PAGE_LEN;

	for (u64 i = 0; i < len / SIM_PAGE_LEN; i++)
		if (pages[i])
			return -EEXIST;
	memset(pages, SIM_MAPPED | SIM_PRESENT | prot, len / SIM_PAGE_LEN);
	memset(r->bytes + (addr - r->addr), 0, len);
	return 0;
}

static int map_region(struct image *image, size_t idx, u64 addr, u64 len, u8 prot)
{
	struct sim_region *regions, r = { .addr = addr, .len = len };

	if (len > SIM_IMAGE_MAX_LEN - image->total_len)
		return -ENOMEM;
	regions = realloc(image->regions, (image->n_regions + 1) * sizeof(*regions));
	if (!regions)
		return -ENOMEM;
	image->regions = regions;
	r.bytes = aligned_alloc(SIM_PAGE_LEN, len);
	r.pages = malloc(len / SIM_PAGE_LEN);
	if (!r.bytes || !r.pages) {
		free(r.bytes);
		free(r.pages);
		return -ENOMEM;
	}
	memset(r.bytes, 0, len);
	memset(r.pages, SIM_MAPPED | SIM_PRESENT | prot, len / SIM_PAGE_LEN);
	memmove(&regions[idx + 1], &regions[idx], (image->n_regions - idx) * sizeof(*regions));
	regions[idx] = r;
	image->n_regions++;
	image->total_len += len;
	return 0;
}

int sim_image_map(struct sim_mem *mem, u64 addr, u64 len, u8 prot)
{
	struct image *image = image_of(mem);
	size_t idx = find_region(image, addr);

	if (!is_page_range(addr, len) || prot & ~SIM_PROT)
		return -EINVAL;
	if (idx < image->n_regions && region_holds(&image->regions[idx], addr, len))
		return map_again(&image->regions[idx], addr, len, prot);
	if (idx < image->n_regions && image->regions[idx].addr < addr + len)
		return -EEXIST;
	return map_region(image, idx, addr, len, prot);
}

/* Sets the flags of each page of a range to (flags & keep) | set. All pages must be mapped. */
static int change_pages(struct sim_mem *mem, u64 addr, u64 len, u8 keep, u8 set)
{
	struct sim_region *r;

	if (!is_page_range(addr, len))
		return -EINVAL;
	r = region_of(image_of(mem), addr, len);
	if (!r || !all_pages(r, addr, len, SIM_MAPPED))
		return -EFAULT;
	memset(image_of(mem)->known, 0, sizeof(image_of(mem)->known));
	for (u64 i = 0; i < len / SIM_PAGE_LEN; i++) {
		u8 *page = &r->pages[(addr - r->addr) / SIM_PAGE_LEN + i];

		*page = (u8)((*page & keep) | set);
	}
	return 0;
}

int sim_image_unmap(struct sim_mem *mem, u64 addr, u64 len)
{
	return change_pages(mem, addr, len, 0, 0);
}

int sim_image_protect(struct sim_mem *mem, u64 addr, u64 len, u8 prot)
{
	return prot & ~SIM_PROT ? -EINVAL : change_pages(mem, addr, len, (u8)~SIM_PROT, prot);
}

int sim_image_set_present(struct sim_mem *mem, u64 addr, u64 len, bool present)
{
	return change_pages(mem, addr, len, (u8)~SIM_PRESENT, present ? SIM_PRESENT : 0);
}

int sim_image_write(struct sim_mem *mem, u64 addr, const void *src, u64 len)
{
	struct sim_region *r;

	if (!len)
		return 0;
	r = region_of(image_of(mem), addr, len);
	if (!r || !all_pages(r, addr, len, SIM_MAPPED))
		return -EFAULT;
	memcpy(r->bytes + (addr - r->addr), src, len);
	return 0;
}

u8 *sim_image_host(struct sim_mem *mem, u64 addr, u64 len)
{
	struct sim_region *r = region_of(image_of(mem), addr, len);

	return r ? r->bytes + (addr - r->addr) : NULL;
}

const struct sim_region *sim_image_regions(struct sim_mem *mem, size_t *n)
{
	*n = image_of(mem)->n_regions;
	return image_of(mem)->regions;
}
