/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Collects frames of generated JavaScript, and what is needed to find their sources, while the
 * process is alive.
 */

#include "v8_sources.h"

#include <errno.h>
#include <string.h>

#include "../../inspect/sourcemap/map_url.h"
#include "../../inspect/util/cleanup.h"
#include "../process/map_file.h"
#include "../sourcemap/deferred_maps.h"
#include "../sourcemap/generated_text.h"

#define MAX_OWN_LEN (4ll << 20) /* of a file that is compared with the script */

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

/*
 * TypeScript whose types were replaced by spaces has its lines where the file has them; any other
 * translation moves lines.
 */
static bool is_own(void *data)
{
	const struct named *n = data;
	_cleanup_free_ char *path = map_url_resolve(n->name->file, n->name->file);
	const u32 *starts;
	u32 len, n_lines = v8_name_lines(n->name, &starts, &len);
	_cleanup_close_ int fd = path && path[0] == '/' ? open_map(data, path) : -1;
	_cleanup_(generated_text_deinit) struct generated_text text = { 0 };

	return n_lines && fd >= 0 && !generated_text_read(&text, fd, MAX_OWN_LEN) &&
	       generated_text_has_lines(&text, starts, n_lines, len);
}

void v8_sources_add(struct runtime *rt, struct v8_heap *h, u64 owner, const struct v8_name *name,
		    struct prof_frame *f)
{
	struct named named = { rt, h, name };
	struct source_maps_script script = {
		.owner = owner,
		.file = name->file ? name->file : "",
		.url_hash = v8_name_map_hash(name),
		.url = read_url,
		.open = open_map,
		.is_own = is_own,
		.data = &named,
	};

	if (rt->build->maps)
		deferred_maps_add(rt->build->maps, &script, f, read_before, &named);
}
