/* SPDX-License-Identifier: BSD-2-Clause */
#include "held_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/sourcemap/source_map.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/file_read.h"

void held_maps_deinit(struct held_maps *h)
{
	for (u32 i = 0; i < h->n; i++) {
		free(h->v[i].text);
		if (h->v[i].fd >= 0)
			close(h->v[i].fd);
	}
	free(h->v);
	*h = (struct held_maps){ 0 };
}

static int identify(int fd, struct held_map *map)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*map = (struct held_map){ .dev = st.st_dev,
				  .inode = st.st_ino,
				  .size = (u64)st.st_size,
				  .changed_ns = timespec_ns(st.st_ctim),
				  .fd = -1 };
	return 0;
}

static bool is_same(const struct held_map *a, const struct held_map *b)
{
	return a->inode == b->inode && a->dev == b->dev && a->size == b->size &&
	       a->changed_ns == b->changed_ns;
}

static int copy(struct held_maps *h, int fd, struct held_map *map)
{
	_cleanup_free_ char *text = NULL;
	int err;

	if (h->copied_len + map->size > HELD_MAPS_MAX_COPIED_LEN)
		return -EFBIG;
	text = malloc(map->size + 1);
	if (!text)
		return -ENOMEM;
	err = file_read(fd, 0, text, map->size);
	if (err)
		return err;
	map->text = TAKE_PTR(text);
	h->copied_len += map->size;
	return 0;
}

static int keep_open(struct held_maps *h, int *fd, struct held_map *map)
{
	if (map->size > SOURCE_MAP_MAX_LEN || h->n_open == HELD_MAPS_MAX_OPEN ||
	    h->open_len + map->size > HELD_MAPS_MAX_OPEN_LEN)
		return -EFBIG;
	map->fd = TAKE_FD(*fd);
	h->n_open++;
	h->open_len += map->size;
	return 0;
}

int held_maps_add(struct held_maps *h, int file, u32 *idx)
{
	_cleanup_close_ int fd = file;
	struct held_map map;
	int err = identify(fd, &map);

	if (err)
		return err;
	for (*idx = 0; *idx < h->n; ++*idx)
		if (is_same(&h->v[*idx], &map))
			return 0;
	if (array_reserve(h->v, h->cap, h->n + 1ul))
		return -ENOMEM;
	err = map.size <= HELD_MAPS_COPIED_LEN ? copy(h, fd, &map) : keep_open(h, &fd, &map);
	if (!err)
		h->v[h->n++] = map;
	return err;
}

static int open_copy(const struct held_map *map)
{
	_cleanup_close_ int fd = memfd_create("source map", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, map->text, map->size) != (ssize_t)map->size)
		return -EIO;
	return TAKE_FD(fd);
}

int held_maps_open(const struct held_maps *h, u32 idx)
{
	const struct held_map *map = &h->v[idx];
	struct held_map now;
	int err, fd;

	if (map->text)
		return open_copy(map);
	err = identify(map->fd, &now);
	if (err || !is_same(map, &now))
		return err ? err : -ESTALE;
	fd = fcntl(map->fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}
