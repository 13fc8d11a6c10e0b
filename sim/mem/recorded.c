// SPDX-License-Identifier: BSD-2-Clause

/*
 * Reads use the ranges of the file. The kernel engine needs whole pages; for such a reader, an
 * image is made at the first request. The image has whole pages, in which unknown bytes are zero;
 * to detect reads of unknown bytes, the reader of the image has to repeat all reads by
 * sim_mem_read().
 */

#include "recorded.h"

#include "../../inspect/case/case.h"
#include "image.h"

#include <errno.h>
#include <stdlib.h>

struct recorded {
	struct sim_mem mem;
	const struct case_file *c;
	struct sim_mem *image; /* NULL: no reader has requested it */
};

static u64 page_down(u64 addr)
{
	return addr & -(u64)SIM_PAGE_LEN;
}

static u64 page_end(const struct case_range *r)
{
	return page_down(r->addr + (r->len - 1)) + SIM_PAGE_LEN;
}

/* Returns whether a page has both bytes and a fault, so that a kernel can't map it. */
static bool has_torn_page(const struct case_file *c)
{
	for (u32 i = 0, k = 0; i < c->n_ranges && k < c->n_faults;) {
		const struct case_range *r = &c->ranges[i];
		const struct case_fault *f = &c->faults[k];

		if (f->addr + (f->len - 1) < page_down(r->addr))
			k++;
		else if (page_end(r) <= f->addr)
			i++;
		else
			return true;
	}
	return false;
}

/* Maps all pages that have a known byte, each run of such pages as one region. */
static int map_pages(const struct case_file *c, struct sim_mem *image)
{
	int err = 0;

	for (u32 i = 0, k; i < c->n_ranges && !err; i = k) {
		u64 start = page_down(c->ranges[i].addr), end = page_end(&c->ranges[i]);

		for (k = i + 1; k < c->n_ranges && page_down(c->ranges[k].addr) <= end; k++)
			end = page_end(&c->ranges[k]);
		err = sim_image_map(image, start, end - start, SIM_READ);
	}
	for (u32 i = 0; i < c->n_ranges && !err; i++)
		err = c->ranges[i].bytes ? sim_image_write(image, c->ranges[i].addr,
							   c->ranges[i].bytes, c->ranges[i].len)
					 : -EFBIG;
	return err;
}

static int recorded_read(struct sim_mem *mem, void *dst, u32 len, u64 addr)
{
	return case_bytes(((struct recorded *)mem)->c, addr, dst, len);
}

static int recorded_pages(struct sim_mem *mem, const struct sim_region **out, size_t *n)
{
	struct recorded *r = (struct recorded *)mem;
	struct sim_mem *image = NULL;
	int err = r->image ? 0 : has_torn_page(r->c) ? -EFAULT : sim_image_new(&image);

	if (image)
		err = map_pages(r->c, image);
	if (err) {
		sim_mem_free(&image);
		return err;
	}
	if (image)
		r->image = image;
	*out = sim_image_regions(r->image, n);
	return 0;
}

static void recorded_free(struct sim_mem *mem)
{
	sim_mem_free(&((struct recorded *)mem)->image);
	free(mem);
}

static const struct sim_mem_ops recorded_ops = { "case", recorded_read, recorded_free,
						 recorded_pages, .is_partial = true };

int sim_recorded_new(const struct case_file *c, struct sim_mem **out)
{
	struct recorded *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->mem.ops = &recorded_ops;
	r->c = c;
	*out = &r->mem;
	return 0;
}
