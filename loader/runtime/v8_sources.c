/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Replaces frames of generated JavaScript by frames of the original sources, while the process is
 * alive.
 */

#include "v8_sources.h"

#include <errno.h>
#include <string.h>

#include "../process/map_file.h"
#include "../sourcemap/map_frame.h"

/* A frame that is being named. */
struct named {
	struct runtime *rt;
	struct v8_heap *h;
	const struct v8_name *name;
};

static int read_url(void *data, char **url)
{
	const struct named *n = data;

	return v8_name_map_url(n->h, n->name, url);
}

static int open_map(void *data, const char *path)
{
	const struct named *n = data;
	int fd, err;

	if (!n->rt->home.pid)
		return -ENOENT;
	err = map_file_open_beside(n->rt->home.pid, path, strrchr(path, '/') + 1, &fd);
	return err ? err : fd;
}

static int read_before(void *data, char *text, size_t len)
{
	const struct named *n = data;

	return v8_name_text_before(n->h, n->name, text, len);
}

void v8_sources_map(struct runtime *rt, struct v8_heap *h, u64 owner, const struct v8_name *name,
		    struct prof_frame *f)
{
	struct named named = { rt, h, name };
	struct source_maps_script script = {
		.owner = owner,
		.file = name->file ? name->file : "",
		.url_hash = v8_name_map_hash(name),
		.url = read_url,
		.open = open_map,
		.data = &named,
	};

	if (!script.url_hash || (!rt->build->maps && source_maps_new(&rt->build->maps)))
		return;
	map_frame(rt->build->maps, &script, f, read_before, &named);
}
