/* SPDX-License-Identifier: BSD-2-Clause */
#include "map_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/sourcemap/map_url.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/cli.h"
#include "generated_text.h"
#include "map_frame.h"

struct map_dir {
	int fd;
	struct source_maps *maps;
	struct generated_text text; /* text of the generated file that was read last */
	char *file; /* path of that file, as in the profile; NULL: no file */
};

/* The frame whose source is looked for. */
struct wanted {
	struct map_dir *d;
	const struct prof_frame *f;
	const char *file; /* path of the generated file */
};

int map_dir_new(struct map_dir **dir, const char *path)
{
	_cleanup_(map_dir_free) struct map_dir *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0)
		return -errno;
	err = source_maps_new(&d->maps);
	if (!err)
		*dir = TAKE_PTR(d);
	return err;
}

int map_dir_open(struct map_dir **d, const char *path)
{
	int err = map_dir_new(d, path);

	if (err)
		cli_error("--source-maps %s: %s", path, strerror(-err));
	return err;
}

void map_dir_free(struct map_dir **dir)
{
	struct map_dir *d = *dir;

	if (!d)
		return;
	source_maps_free(&d->maps);
	generated_text_deinit(&d->text);
	free(d->file);
	if (d->fd >= 0)
		close(d->fd);
	free(d);
	*dir = NULL;
}

/* Opens the file of the folder whose path is the longest suffix of @path. */
static int open_file(const struct map_dir *d, const char *path)
{
	for (const char *end = path; (end = strchr(end, '/')); end++) {
		int fd = openat(d->fd, end + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		struct stat st;

		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -ENOENT;
}

static int open_map(void *data, const char *path)
{
	const struct wanted *w = data;

	return open_file(w->d, path);
}

/*
 * Returns the text of a generated file, which is empty if the file is unreadable. The
 * text is cached until the text of another file is needed.
 */
static const struct generated_text *text_of(struct map_dir *d, const char *file)
{
	_cleanup_close_ int fd = -1;

	if (d->file && !strcmp(d->file, file))
		return &d->text;
	generated_text_deinit(&d->text);
	free(d->file);
	d->file = strdup(file);
	fd = open_file(d, file);
	if (fd >= 0)
		generated_text_read(&d->text, fd, GENERATED_TEXT_MAX_LEN);
	return &d->text;
}

static int find_url(void *data, char **url)
{
	const struct wanted *w = data;
	const struct generated_text *t = text_of(w->d, w->file);
	size_t len;
	const char *found = t->bytes ? map_url_find(t->bytes, t->len, &len) : NULL;

	if (found)
		*url = strndup(found, len);
	else if (asprintf(url, "%s.map", strrchr(w->file, '/') + 1) < 0)
		*url = NULL;
	return *url ? 0 : -ENOMEM;
}

static int read_before(void *data, char *text, size_t len)
{
	const struct wanted *w = data;
	const struct generated_text *t = text_of(w->d, w->file);

	return t->bytes ? generated_text_before(t, w->f->start_line, w->f->start_column, text, len)
			: -ENOENT;
}

static bool map(void *data, struct prof_frame *f)
{
	_cleanup_free_ char *file = NULL;
	struct map_dir *d = data;
	struct wanted w = { d, f, NULL };
	struct source_maps_script script = { .url = find_url, .open = open_map, .data = &w };

	if (f->kind != PROF_JS || !f->file || f->generated_file || !f->line)
		return false;
	file = map_url_resolve(f->file, f->file);
	if (!file || file[0] != '/')
		return false;
	w.file = script.file = file;
	map_frame(d->maps, &script, f, read_before, &w);
	return f->generated_file != NULL;
}

void map_dir_attach(struct map_dir *d, struct prof_reader *r)
{
	if (d)
		prof_reader_change_frames(r, map, d);
}
