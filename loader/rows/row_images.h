/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * ReadyToRun images in a file that is something else: a program that is a single file has them
 * behind its own code. Where they are, a process that has mapped them tells.
 */

#include "../../core/types.h"

#define ROW_MAX_IMAGES 1024 /* in a file; .NET's own libraries are 170 */

struct r2r_rows;
struct rules;

struct row_image {
	u64 off; /* of its first byte in the file */
	u32 first_page, end_page; /* of its code, pages of the file */
	bool is_bad; /* it can't be read */
	struct r2r_rows *rows; /* NULL: not open */
};

struct row_images {
	struct row_image *v;
	u32 n;
};

/* 1; 0 when it is known already, -ENOMEM, -E2BIG. */
int row_images_add(struct row_images *images, const struct row_image *image);
bool row_images_has(const struct row_images *images, u32 first_page);
void row_images_deinit(struct row_images *images);

/* Give memory back until one of them is read again. */
void row_images_close(struct row_images *images);

/**
 * row_images_page() - the rows of one page
 * @fd:		of the file, borrowed
 *
 * A page that two images share belongs to the one added first. Return: as r2r_rows_page().
 */
int row_images_page(struct row_images *images, int fd, struct rules *rules, u32 page, u32 *rows,
		    u32 *n);
