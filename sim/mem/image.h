/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The image back end: memory that the program builds. As in a kernel, a page has a protection, and
 * is present or not. Memory that is mapped by one call is one block of host memory, so that a CPU
 * emulator can map it.
 */

#include "mem.h"

enum sim_page_flags {
	SIM_READ = 1 << 0,
	SIM_WRITE = 1 << 1,
	SIM_EXEC = 1 << 2,
	SIM_PROT = SIM_READ | SIM_WRITE | SIM_EXEC,
	SIM_MAPPED = 1 << 3,
	SIM_PRESENT = 1 << 4, /* the page is resident, so a read does not have to wait for it */
};

struct sim_region {
	u64 addr;
	u64 len;
	u8 *bytes; /* len bytes, page-aligned */
	u8 *pages; /* enum sim_page_flags of each page; 0: a hole */
};

#define SIM_IMAGE_MAX_LEN (1ull << 30)

/**
 * sim_image_new() - make memory with nothing mapped
 * @out:	owned by the caller, freed by sim_mem_free()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_image_new(struct sim_mem **out);

/**
 * sim_mem_is_image() - check whether memory belongs to this back end
 */
bool sim_mem_is_image(const struct sim_mem *mem);

/**
 * sim_image_map() - map zeroed, present pages
 * @addr, @len:	multiples of SIM_PAGE_LEN
 * @prot:	protection of each page, SIM_READ ...
 *
 * The range must either be outside of all regions, or be an unmapped part of a single region.
 *
 * Return: 0, -EINVAL for a range that no process can have, -EEXIST if one of its pages is
 * mapped already, -ENOMEM (also above SIM_IMAGE_MAX_LEN in total).
 */
int sim_image_map(struct sim_mem *mem, u64 addr, u64 len, u8 prot);

/**
 * sim_image_unmap(), sim_image_protect(), sim_image_set_present() - change pages
 * @addr, @len:	as for sim_image_map(); all pages must be mapped
 *
 * A page keeps its contents while it is protected or not present.
 *
 * Return: 0, -EINVAL, or -EFAULT if a page is not mapped, in which case nothing has changed.
 */
int sim_image_unmap(struct sim_mem *mem, u64 addr, u64 len);
int sim_image_protect(struct sim_mem *mem, u64 addr, u64 len, u8 prot);
int sim_image_set_present(struct sim_mem *mem, u64 addr, u64 len, bool present);

/**
 * sim_image_write() - store bytes, regardless of the pages' protection and presence
 *
 * Return: 0, or -EFAULT if a page is not mapped, in which case nothing is stored.
 */
int sim_image_write(struct sim_mem *mem, u64 addr, const void *src, u64 len);

/**
 * sim_image_host() - get the host address of a range
 *
 * Return: borrowed until the image is freed; NULL if the range is not in one region.
 */
u8 *sim_image_host(struct sim_mem *mem, u64 addr, u64 len);

/**
 * sim_image_regions() - list all regions, sorted by address
 *
 * Return: an array of @n regions, borrowed until the next sim_image_map().
 */
const struct sim_region *sim_image_regions(struct sim_mem *mem, size_t *n);
