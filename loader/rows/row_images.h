/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * ReadyToRun images inside another file: the file of a single-file program contains such images
 * after its own code. The locations of the images come from the mappings of a process.
 */

#include "../../core/types.h"

#define ROW_MAX_IMAGES 1024 /* images in a file; .NET itself has 170 libraries */

struct r2r_rows;
struct rules;

struct row_image {
	u64 off; /* offset in the file of the image's first byte */
	u32 first_page, end_page; /* pages of the file with the image's code */
	bool is_bad; /* the image can't be read */
	struct r2r_rows *rows; /* NULL: not open */
};

struct row_images {
	struct row_image *v;
	u32 n;
};

/* Return: 1, 0 if the image was added before, -ENOMEM, -E2BIG. */
int row_images_add(struct row_images *images, const struct row_image *image);
bool row_images_has(const struct row_images *images, u32 first_page);
void row_images_deinit(struct row_images *images);

/* Frees the readers of the images; the next read opens them again. */
void row_images_close(struct row_images *images);

/**
 * row_images_page() - read the rows of one page
 * @fd:		the file, borrowed
 *
 * If two images share a page, it belongs to the image that was added first. Return: as
 * r2r_rows_page().
 */
int row_images_page(struct row_images *images, int fd, struct rules *rules, u32 page, u32 *rows,
		    u32 *n);
