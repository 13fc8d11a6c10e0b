/* SPDX-License-Identifier: BSD-2-Clause */

#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/util/cleanup.h"
#include "../process/proc_text.h"

#define CGROUP_PLACE "/sys/fs/cgroup"
#define MAX_DEPTH 24 /* of nested groups */
#define MAX_DIRS 200000 /* in one walk */

static void cleanup_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static void cleanup_endmntent(FILE **f)
{
	if (*f)
		endmntent(*f);
}

int cgroup_mounts_read(const char *file, struct cgroup_mounts *m)
{
	_cleanup_(cleanup_endmntent) FILE *f = setmntent(file, "re");
	const struct mntent *e;

	if (!f)
		return -errno;
	m->v2[0] = '\0';
	m->n_v1 = 0;
	while ((e = getmntent(f))) {
		if (strlen(e->mnt_dir) >= PATH_MAX)
			continue;
		if (!strcmp(e->mnt_type, "cgroup2") && !m->v2[0])
			strcpy(m->v2, e->mnt_dir);
		else if (!strcmp(e->mnt_type, "cgroup") && m->n_v1 < CGROUP_MAX_V1)
			strcpy(m->v1[m->n_v1++], e->mnt_dir);
	}
	return 0;
}

static bool is_below(const char *path, const char *mount)
{
	size_t len = strlen(mount);

	return len && !strncmp(path, mount, len) && (!path[len] || path[len] == '/');
}

/* Return: 0, -ENOENT, or -EINVAL for a path outside the mounts. */
static int try_dir(const struct cgroup_mounts *m, const char *path, struct cgroup_dir *dir)
{
	char real[PATH_MAX];
	struct stat st;
	bool is_v2;

	if (!realpath(path, real) || stat(real, &st) || !S_ISDIR(st.st_mode))
		return -ENOENT;
	is_v2 = is_below(real, m->v2);
	for (size_t i = 0; !is_v2 && i < m->n_v1; i++) {
		if (is_below(real, m->v1[i]))
			break;
		if (i + 1 == m->n_v1)
			return -EINVAL;
	}
	if (!is_v2 && !m->n_v1)
		return -EINVAL;
	strcpy(dir->path, real);
	dir->is_v2 = is_v2;
	return 0;
}

static int try_below(const struct cgroup_mounts *m, const char *top, const char *name,
		     struct cgroup_dir *dir)
{
	char path[PATH_MAX];

	if (!top[0] || snprintf(path, sizeof(path), "%s/%s", top, name) >= (int)sizeof(path))
		return -ENOENT;
	return try_dir(m, path, dir);
}

int cgroup_find(const struct cgroup_mounts *m, const char *name, struct cgroup_dir *dir)
{
	int worst = -ENOENT, err;

	err = name[0] == '/' ? try_dir(m, name, dir) : -ENOENT;
	if (err == -EINVAL && strcmp(name, "/"))
		worst = err;
	if (err)
		err = try_below(m, m->v2, name, dir);
	if (err)
		err = try_below(m, CGROUP_PLACE, name, dir);
	for (size_t i = 0; err && i < m->n_v1; i++)
		err = try_below(m, m->v1[i], name, dir);
	return err ? worst : 0;
}

/*
 * Walks directories, outermost first. The callback returns 0 to continue, 1 to skip the directory's
 * children, or a negative errno to end the walk.
 */
struct walk {
	int (*fn)(const char *path, const char *name, void *data);
	void *data;
	size_t n_dirs;
};

static int walk_dirs(struct walk *w, const char *path, int depth)
{
	_cleanup_(cleanup_closedir) DIR *dir = opendir(path);
	const struct dirent *e;

	if (!dir)
		return 0; /* the directory was removed during the walk */
	while ((e = readdir(dir))) {
		char below[PATH_MAX];
		int err;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, e->d_name) >= (int)sizeof(below))
			continue;
		if (++w->n_dirs > MAX_DIRS)
			return -E2BIG;
		err = w->fn(below, e->d_name, w->data);
		if (!err && depth < MAX_DEPTH)
			err = walk_dirs(w, below, depth + 1);
		if (err < 0)
			return err;
	}
	return 0;
}

static int add_procs(const char *path, const char *name, void *data)
{
	_cleanup_fclose_ FILE *f = NULL;
	char file[PATH_MAX + 16];
	int pid, err;

	(void)name;
	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	f = fopen(file, "re");
	while (f && fscanf(f, "%d", &pid) == 1) {
		err = pid > 0 ? ids_add(data, pid) : 0; /* 0: not in this PID namespace */
		if (err)
			return err;
	}
	return 0;
}

int cgroup_pids(const char *path, struct ids *pids)
{
	struct walk w = { .fn = add_procs, .data = pids };
	int err = add_procs(path, NULL, pids);

	return err ? err : walk_dirs(&w, path, 0);
}

/*
 * A search for containers that match, and for the first directory with processes in such a
 * container.
 */
struct container_search {
	const char *prefix;
	char id[CONTAINER_ID_LEN + 1];
	char path[PATH_MAX];
	bool is_ambiguous;
};

static int look_for_container(const char *path, const char *name, void *data)
{
	struct container_search *s = data;
	char id[CONTAINER_ID_LEN + 1];
	struct ids pids = { 0 };
	int err;

	if (!container_id_of(name, strlen(name), id) || strncmp(id, s->prefix, strlen(s->prefix)))
		return 0;
	if (s->id[0] && strcmp(s->id, id))
		s->is_ambiguous = true;
	strcpy(s->id, id);
	if (s->path[0])
		return 1;
	err = cgroup_pids(path, &pids);
	if (!err && pids.n)
		strcpy(s->path, path);
	ids_deinit(&pids);
	return err ? err : 1;
}

int cgroup_find_container(const struct cgroup_mounts *m, const char *prefix, struct cgroup_dir *dir,
			  char *id)
{
	struct container_search s = { .prefix = prefix };
	struct walk w = { .fn = look_for_container, .data = &s };
	int err = m->v2[0] ? walk_dirs(&w, m->v2, 0) : 0;
	bool is_v2 = s.path[0];

	for (size_t i = 0; !err && !s.path[0] && i < m->n_v1; i++)
		err = walk_dirs(&w, m->v1[i], 0);
	if (err)
		return err;
	if (s.id[0] && s.is_ambiguous)
		err = -EEXIST;
	else if (!s.path[0])
		return -ENOENT;
	strcpy(id, s.id);
	if (err)
		return err;
	strcpy(dir->path, s.path);
	dir->is_v2 = is_v2;
	return 0;
}

static bool read_container(int pid, char *id)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], text[8192];
	const char *group;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	f = fopen(path, "re");
	len = f ? fread(text, 1, sizeof(text), f) : 0;
	return !parse_proc_cgroup(text, len, &group, &len) && container_id_of(group, len, id);
}

int cgroup_container_pids(const char *prefix, struct ids *pids, char *id)
{
	_cleanup_(cleanup_closedir) DIR *dir = opendir("/proc");
	char found[CONTAINER_ID_LEN + 1] = "", one[CONTAINER_ID_LEN + 1];
	bool is_ambiguous = false;
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		int pid = atoi(e->d_name), err;

		if (pid <= 0 || !read_container(pid, one) || strncmp(one, prefix, strlen(prefix)))
			continue;
		is_ambiguous |= found[0] && strcmp(found, one);
		strcpy(found, one);
		err = ids_add(pids, pid);
		if (err)
			return err;
	}
	if (found[0])
		strcpy(id, found);
	return !found[0] ? -ENOENT : is_ambiguous ? -EEXIST : 0;
}

int cgroup_id(const char *path, u64 *id)
{
	union {
		struct file_handle handle;
		u8 bytes[sizeof(struct file_handle) + sizeof(u64)];
	} h = { .handle = { .handle_bytes = sizeof(u64) } };
	int mount_id;

	/*
	 * The file handle of a kernfs node consists of the 8 bytes of the node's id;
	 * fs/kernfs/mount.c at v5.10.
	 */
	if (name_to_handle_at(AT_FDCWD, path, &h.handle, &mount_id, 0))
		return -errno;
	if (h.handle.handle_bytes != sizeof(u64))
		return -EINVAL;
	memcpy(id, h.handle.f_handle, sizeof(*id));
	return 0;
}
