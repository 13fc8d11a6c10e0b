// SPDX-License-Identifier: BSD-2-Clause

#include "row_images.h"

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/dotnet/r2r_rows.h"

bool row_images_has(const struct row_images *images, u32 first_page)
{
	for (u32 i = 0; i < images->n; i++)
		if (images->v[i].first_page == first_page)
			return true;
	return false;
}

int row_images_add(struct row_images *images, const struct row_image *image)
{
	struct row_image *v;

	if (row_images_has(images, image->first_page))
		return 0;
	if (images->n == ROW_MAX_IMAGES)
		return -E2BIG;
	v = reallocarray(images->v, images->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	images->v = v;
	v[images->n] = *image;
	v[images->n++].rows = NULL;
	return 1;
}

void row_images_close(struct row_images *images)
{
	for (u32 i = 0; i < images->n; i++)
		r2r_rows_free(&images->v[i].rows);
}

void row_images_deinit(struct row_images *images)
{
	row_images_close(images);
	free(images->v);
	*images = (struct row_images){ 0 };
}

static int image_page(struct row_image *image, int fd, struct rules *rules, u32 page, u32 *rows,
		      u32 *n)
{
	int err = image->is_bad ? -ENOENT : 0;

	if (!err && !image->rows)
		err = r2r_rows_open(&image->rows, fd, image->off);
	image->is_bad |= err == -ENOEXEC;
	return err ? err : r2r_rows_page(image->rows, rules, (u64)page * UW_ROW_PAGE_LEN, rows, n);
}

int row_images_page(struct row_images *images, int fd, struct rules *rules, u32 page, u32 *rows,
		    u32 *n)
{
	int err = -ENOENT;

	for (u32 i = 0; err && i < images->n; i++)
		if (page >= images->v[i].first_page && page < images->v[i].end_page)
			err = image_page(&images->v[i], fd, rules, page, rows, n);
	return err == -ENOEXEC ? -ENOENT : err;
}
