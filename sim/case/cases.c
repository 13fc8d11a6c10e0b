// SPDX-License-Identifier: BSD-2-Clause

#include "cases.h"

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/term.h"
#include "../fixture/load.h"
#include "../recorded/load.h"
#include "bundled.h"
#include "compiled.h"
#include "jitdump.h"

#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_PATHS 100000
#define MAX_LEVELS 16

const struct sim_arch *const sim_archs[SIM_N_ARCHS] = { &sim_arch_x86_64, &sim_arch_arm64 };

static const struct sim_case_kind bundled = { "", sim_bundled_load, sim_bundled_free };

#define KIND_CORE 2 /* index of the kind in kinds */

static const struct sim_case_kind kinds[] = {
	{ ".elf", sim_compiled_load, sim_compiled_free, NULL },
	{ ".yaml", sim_text_load, sim_text_free, sim_text_show },
	[KIND_CORE] = { ".core", sim_recorded_load, sim_recorded_free, sim_recorded_show },
	{ ".dump", sim_jitdump_load, NULL, sim_jitdump_show },
	{ ".core.zst", sim_recorded_load, sim_recorded_free, sim_recorded_show },
};

static bool has_number_at_end(const char *name)
{
	size_t len = strlen(name);

	return len > 1 && name[len - 1] >= '0' && name[len - 1] <= '9' &&
	       name[strcspn(name, ".-")] != '\0';
}

/*
 * Return: whether a file has a name that programs give to core files: "core", "core.812",
 * "core-node-812", "core.node.812".
 */
static bool is_named_core(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strcmp(name, "core") ||
	       ((!strncmp(name, "core.", 5) || !strncmp(name, "core-", 5)) &&
		has_number_at_end(name));
}

bool sim_is_bundled(const char *path)
{
	return !strncmp(path, SIM_BUNDLED_PREFIX, strlen(SIM_BUNDLED_PREFIX));
}

const struct sim_case_kind *sim_case_kind_of(const char *path)
{
	size_t len = strlen(path);

	if (sim_is_bundled(path))
		return &bundled;
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i].suffix);

		if (len > n && !strcmp(path + len - n, kinds[i].suffix))
			return &kinds[i];
	}
	return is_named_core(path) ? &kinds[KIND_CORE] : NULL;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(a, b);
}

/*
 * Adds @key to the cases already seen. All names of a case have the same key. Takes ownership of
 * @key; NULL: out of memory.
 */
static int see(struct sim_paths *paths, char *key, bool *is_new)
{
	char **at = key ? tsearch(key, &paths->seen, compare_keys) : NULL;

	*is_new = at && *at == key;
	if (!*is_new)
		free(key);
	return at ? 0 : -ENOMEM;
}

static int add_path(struct sim_paths *paths, const char *path, char *key)
{
	bool is_new;
	int err = see(paths, key, &is_new);

	paths->n_named += !err;
	if (err || !is_new)
		return err;
	if (paths->n == MAX_PATHS)
		return -E2BIG;
	if (array_reserve(paths->at, paths->room, paths->n + 1))
		return -ENOMEM;
	paths->at[paths->n] = strdup(path);
	if (!paths->at[paths->n])
		return -ENOMEM;
	paths->n++;
	return 0;
}

static int add_file(struct sim_paths *paths, const char *path, const struct stat *st)
{
	char *key;

	if (asprintf(&key, "%lx:%lx", (unsigned long)st->st_dev, (unsigned long)st->st_ino) < 0)
		key = NULL;
	return add_path(paths, path, key);
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
	return S_ISREG(st.st_mode) && sim_case_kind_of(path) ? add_file(paths, path, &st) : 0;
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

/* Adds the bundled stacks of some groups; @wanted: only the stack with this name, or NULL. */
static int add_stacks(struct sim_paths *paths, u32 groups, const char *wanted)
{
	const char *name;
	int err = 0;

	for (u32 i = 0; !err && (name = sim_bundled_name(i)); i++) {
		_cleanup_free_ char *whole = NULL;

		if (!(groups & sim_bundled_group(i)) || (wanted && strcmp(wanted, name) != 0))
			continue;
		if (asprintf(&whole, SIM_BUNDLED_PREFIX "%s", name) < 0)
			whole = NULL;
		err = whole ? add_path(paths, whole, strdup(whole)) : -ENOMEM;
	}
	return err;
}

int sim_paths_add_groups(struct sim_paths *paths, u32 groups)
{
	return add_stacks(paths, groups, NULL);
}

static int add_bundled(struct sim_paths *paths, const char *path, struct sim_error *error)
{
	const char *wanted = path + strlen(SIM_BUNDLED_PREFIX);
	u32 before = paths->n_named;
	int err = add_stacks(paths, SIM_ALL_GROUPS, strcmp(wanted, "all") ? wanted : NULL);

	if (err)
		return sim_fail(error, err, "%s: %s", path, strerror(-err));
	return paths->n_named > before
		       ? 0
		       : sim_fail(error, -ENOENT, "%s: no such bundled stack", path);
}

int sim_paths_add(struct sim_paths *paths, const char *path, struct sim_error *error)
{
	u32 before = paths->n_named;
	struct stat st;
	int err;

	if (sim_is_bundled(path))
		return add_bundled(paths, path, error);
	if (stat(path, &st))
		return sim_fail(error, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode)) {
		if (!S_ISREG(st.st_mode))
			return sim_fail(error, -EINVAL, "%s: not a regular file", path);
		if (!sim_case_kind_of(path))
			return sim_fail(error, -EINVAL,
					"%s: unknown kind of case; for a core file, rename it "
					"to NAME.core",
					path);
		err = add_file(paths, path, &st);
		return err ? sim_fail(error, err, "%s: %s", path, strerror(-err)) : 0;
	}
	err = add_folder(paths, path, 0);
	if (err)
		return sim_fail(error, err, "%s: %s", path, strerror(-err));
	return paths->n_named > before ? 0 : sim_fail(error, -ENOENT, "%s: contains no case", path);
}

void sim_paths_deinit(struct sim_paths *paths)
{
	for (u32 i = 0; i < paths->n; i++)
		free(paths->at[i]);
	free(paths->at);
	tdestroy(paths->seen, free);
	*paths = (struct sim_paths){ 0 };
}

/* Escapes a name for output, because names come from hostile files. */
static int make_safe(char **name)
{
	size_t size = strlen(*name) * 4 + 1;
	char *safe = malloc(size);

	if (!safe)
		return -ENOMEM;
	term_escape(*name, safe, size);
	free(*name);
	*name = safe;
	return 0;
}

int sim_case_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		  struct sim_error *error)
{
	const struct sim_case_kind *kind = sim_case_kind_of(path);
	struct sim_case *c = NULL;
	int err = kind->load(path, arch, &c, error);

	if (err)
		return err;
	err = make_safe(&c->name);
	for (u32 i = 0; i < c->n_functions && !err; i++)
		err = make_safe((char **)&c->functions[i].name);
	if (err)
		kind->free(&c);
	else
		*out = c;
	return err;
}

void sim_case_free(const char *path, struct sim_case **c)
{
	sim_case_kind_of(path)->free(c);
}
