/* SPDX-License-Identifier: BSD-2-Clause */

#include "debug_index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/symbols/lines.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

#define MIN_ID_LEN 8
#define MAX_ID_LEN 128

struct indexed {
	char *build_id, *path; /* path: relative to the folder */
	u32 rank; /* higher is better */
};

struct debug_index {
	int dir_fd;
	bool is_read;
	u32 left, max_depth; /* left: number of files and folders that may still be searched */
	struct indexed *v;
	size_t n, room;
};

int debug_index_new(struct debug_index **x, int dir_fd, u32 max_files, u32 max_depth)
{
	*x = calloc(1, sizeof(**x));
	if (!*x)
		return -ENOMEM;
	**x = (struct debug_index){ .dir_fd = dir_fd, .left = max_files, .max_depth = max_depth };
	return 0;
}

void debug_index_free(struct debug_index **index)
{
	struct debug_index *x = TAKE_PTR(*index);

	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++) {
		free(x->v[i].build_id);
		free(x->v[i].path);
	}
	free(x->v);
	free(x);
}

/* Opens an ELF file. elf_file_open_fd() refuses all files but regular files. */
static int open_elf(const struct debug_index *x, const char *path, struct elf_file **f)
{
	_cleanup_close_ int fd =
		openat(x->dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : elf_file_open_fd(f, fd);
}

static bool has_id(const struct elf_file *f, const char *build_id)
{
	const char *own = elf_file_build_id(f);

	return own && !strcmp(own, build_id);
}

static int open_by_path(const struct debug_index *x, const char *build_id, struct elf_file **f)
{
	static const char *const formats[] = { ".build-id/%.2s/%s.debug",
					       "usr/lib/debug/.build-id/%.2s/%s.debug" };
	char path[MAX_ID_LEN + 64];

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		_cleanup_(elf_file_free) struct elf_file *found = NULL;

		snprintf(path, sizeof(path), formats[i], build_id, build_id + 2);
		if (!open_elf(x, path, &found) && has_id(found, build_id)) {
			*f = TAKE_PTR(found);
			return 0;
		}
	}
	return -ENOENT;
}

static int add_file(struct debug_index *x, const char *path)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	struct indexed made = { 0 };

	if (open_elf(x, path, &f) || !elf_file_build_id(f))
		return 0;
	if (array_reserve(x->v, x->room, x->n + 1))
		return -ENOMEM;
	made.build_id = strdup(elf_file_build_id(f));
	made.path = strdup(path);
	made.rank = (lines_in(f) ? 2 : 0) + (elf_file_section_len(f, ".symtab") ? 1 : 0);
	x->v[x->n++] = made;
	return made.build_id && made.path ? 0 : -ENOMEM;
}

static int add_folder(struct debug_index *x, const char *path, u32 depth);

static int add_entry(struct debug_index *x, const char *folder, const char *name, u32 depth)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	/* Does not follow links, which could form a circle. */
	if (fstatat(x->dir_fd, path, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	x->left--;
	if (S_ISDIR(st.st_mode))
		return depth < x->max_depth ? add_folder(x, path, depth + 1) : 0;
	return S_ISREG(st.st_mode) ? add_file(x, path) : 0;
}

static int add_folder(struct debug_index *x, const char *path, u32 depth)
{
	int fd = openat(x->dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		cleanup_close(&fd);
		return 0;
	}
	while (!err && x->left && (e = readdir(dir)))
		err = add_entry(x, path, e->d_name, depth);
	closedir(dir);
	return err;
}

static const struct indexed *best_of(const struct debug_index *x, const char *build_id)
{
	const struct indexed *best = NULL;

	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->v[i].build_id, build_id) && (!best || x->v[i].rank > best->rank))
			best = &x->v[i];
	return best;
}

int debug_index_open(struct debug_index *x, const char *build_id, struct elf_file **f)
{
	size_t len = strnlen(build_id, MAX_ID_LEN + 1);
	const struct indexed *found;
	int err = 0;

	if (len < MIN_ID_LEN || len > MAX_ID_LEN || strspn(build_id, "0123456789abcdef") != len)
		return -ENOENT;
	if (!open_by_path(x, build_id, f))
		return 0;
	if (!x->is_read)
		err = add_folder(x, ".", 0);
	x->is_read = true;
	if (err)
		return err;
	found = best_of(x, build_id);
	if (!found || open_elf(x, found->path, f))
		return -ENOENT;
	if (has_id(*f, build_id))
		return 0;
	elf_file_free(f);
	return -ENOENT;
}
