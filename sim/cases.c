// SPDX-License-Identifier: BSD-2-Clause

#include "cases.h"

#include "../inspect/util/cleanup.h"
#include "compiled.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_PATHS 100000
#define MAX_LEVELS 16

static const struct sim_case_kind kinds[] = {
	{ ".elf", sim_compiled_load, sim_compiled_free },
};

const struct sim_case_kind *sim_case_kind_of(const char *path)
{
	size_t len = strlen(path);

	for (u32 i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].suffix);

		if (len > n && !strcmp(path + len - n, kinds[i].suffix))
			return &kinds[i];
	}
	return NULL;
}

static int add_path(struct sim_paths *paths, const char *path)
{
	char **grown;

	if (paths->n == MAX_PATHS)
		return -E2BIG;
	grown = realloc(paths->at, (paths->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	paths->at = grown;
	grown[paths->n] = strdup(path);
	if (!grown[paths->n])
		return -ENOMEM;
	paths->n++;
	return 0;
}

static int add_folder(struct sim_paths *paths, const char *folder, u32 level);

static int add_entry(struct sim_paths *paths, const char *folder, const char *name, u32 level)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (lstat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return add_folder(paths, path, level + 1);
	return S_ISREG(st.st_mode) && sim_case_kind_of(path) ? add_path(paths, path) : 0;
}

static int add_folder(struct sim_paths *paths, const char *folder, u32 level)
{
	struct dirent **entries;
	int n, err = 0;

	if (level == MAX_LEVELS)
		return -E2BIG;
	n = scandir(folder, &entries, NULL, alphasort);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (!err && entries[i]->d_name[0] != '.')
			err = add_entry(paths, folder, entries[i]->d_name, level);
		free(entries[i]);
	}
	free(entries);
	return err;
}

int sim_paths_add(struct sim_paths *paths, const char *path, struct sim_error *error)
{
	u32 before = paths->n;
	struct stat st;
	int err;

	if (stat(path, &st))
		return sim_fail(error, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode)) {
		if (!sim_case_kind_of(path))
			return sim_fail(error, -EINVAL, "%s: no kind of case ends like this", path);
		return add_path(paths, path);
	}
	err = add_folder(paths, path, 0);
	if (err)
		return sim_fail(error, err, "%s: %s", path, strerror(-err));
	return paths->n > before ? 0 : sim_fail(error, -ENOENT, "%s: holds no case", path);
}

void sim_paths_deinit(struct sim_paths *paths)
{
	for (u32 i = 0; i < paths->n; i++)
		free(paths->at[i]);
	free(paths->at);
	*paths = (struct sim_paths){ 0 };
}
