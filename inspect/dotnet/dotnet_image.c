/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The index of an image is read only once, because it does not change while the image is mapped;
 * the index of the largest assembly has a million bytes. The Module identifies the image, because
 * another image at the same address would have another Module.
 */

#include <errno.h>

#include "../util/cleanup.h"
#include "dotnet_image.h"
#include "r2r.h"

static struct dotnet_image *kept_image(struct dotnet_runtime *rt, u64 addr, u64 module)
{
	for (size_t i = 0; i < rt->n_images; i++)
		if (rt->images[i]->addr == addr && rt->images[i]->module == module)
			return rt->images[i];
	return NULL;
}

static int add_image(struct dotnet_runtime *rt, struct dotnet_image *image)
{
	if (rt->n_images == DOTNET_MAX_MODULES)
		return -ENOMEM;
	if (!(rt->n_images & (rt->n_images - 1))) {
		size_t room = rt->n_images ? 2 * rt->n_images : 1;
		struct dotnet_image **p = reallocarray(rt->images, room, sizeof(*p));

		if (!p)
			return -ENOMEM;
		rt->images = p;
	}
	rt->images[rt->n_images++] = image;
	return 0;
}

static void image_free(struct dotnet_image **image)
{
	if (*image)
		r2r_free(&(*image)->r2r);
	free(*image);
}

int dotnet_image_get(struct dotnet_runtime *rt, u64 addr, u64 module, struct r2r **r2r)
{
	_cleanup_(image_free) struct dotnet_image *image = NULL;
	struct dotnet_image *kept = kept_image(rt, addr, module);
	int err;

	if (!kept) {
		image = calloc(1, sizeof(*image));
		if (!image)
			return -ENOMEM;
		image->addr = addr;
		image->module = module;
		err = r2r_new(&image->r2r, rt->target, addr);
		/* An unreadable image may become readable later. */
		if (err && err != -ENOEXEC && err != -ENOTSUP)
			return err;
		err = add_image(rt, image);
		if (err)
			return err;
		kept = TAKE_PTR(image);
	}
	if (!kept->r2r)
		return -ENOENT;
	*r2r = kept->r2r;
	return 0;
}
