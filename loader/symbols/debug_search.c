/* SPDX-License-Identifier: BSD-2-Clause */

#include "debug_search.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../../inspect/elf/debug_link.h"
#include "../../inspect/util/cleanup.h"

#define MAX_SUMMED_LEN (1ull << 30)

struct search {
	struct elf_file *f;
	const char *want_id; /* build id of the wanted file; NULL: none */
	struct debug_link link; /* link.name is empty if there is no link */
	const char *path;
	char *why;
	size_t why_len;
	struct elf_file *debug;
};

static void refuse(const struct search *s, const char *path, const char *why)
{
	snprintf(s->why, s->why_len, "%s %s", path, why);
}

static bool is_same_file(int a, int b)
{
	struct stat sa, sb;

	return !fstat(a, &sa) && !fstat(b, &sb) && sa.st_ino == sb.st_ino && sa.st_dev == sb.st_dev;
}

/* Opens a regular file under a root for reading. Return: a descriptor or a negative errno. */
static int open_under(const struct search *s, int root_fd, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	_cleanup_close_ int path_fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	char own[64];
	struct statfs fs;
	struct stat st;
	int fd;

	if (path_fd < 0 || fstat(path_fd, &st))
		return -errno;
	if (is_same_file(path_fd, elf_file_fd(s->f)))
		return -ENOENT;
	if (!S_ISREG(st.st_mode)) {
		refuse(s, path, "is not a regular file");
		return -EINVAL;
	}
	if (fstatfs(path_fd, &fs) || fs.f_type == FUSE_SUPER_MAGIC) {
		refuse(s, path, "is on a FUSE file system");
		return -ENOTSUP;
	}
	snprintf(own, sizeof(own), "/proc/self/fd/%d", path_fd);
	fd = open(own, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static bool belongs(const struct search *s, const char *path, struct elf_file *debug)
{
	const char *want = s->want_id, *is = elf_file_build_id(debug);
	u32 crc;

	if (want) {
		if (is && !strcmp(want, is))
			return true;
		refuse(s, path, "is of another build");
		return false;
	}
	if (!debug_link_crc(elf_file_fd(debug), MAX_SUMMED_LEN, &crc) && crc == s->link.crc)
		return true;
	refuse(s, path, "has another checksum");
	return false;
}

/* Tries a file. Return: whether the file matches, so that the search ends. */
static bool try_path(struct search *s, int root_fd, const char *path)
{
	_cleanup_(elf_file_free) struct elf_file *debug = NULL;
	_cleanup_close_ int fd = open_under(s, root_fd, path);

	if (fd < 0)
		return false;
	if (elf_file_open_fd(&debug, fd)) {
		refuse(s, path, "can't be read");
		return false;
	}
	if (!belongs(s, path, debug))
		return false;
	s->debug = TAKE_PTR(debug);
	return true;
}

static bool by_build_id(struct search *s, int root_fd)
{
	const char *id = s->want_id;
	char path[256];

	if (!id || strlen(id) < 4)
		return false;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	return try_path(s, root_fd, path);
}

/*
 * Tries the paths of .gnu_debuglink. The binary's own folder is searched only under the root of the
 * process that maps the binary. There, symlinks in the folder cannot lead out of the root.
 */
static bool by_link(struct search *s, int root_fd, bool is_own_root)
{
	static const char *const before[] = { "/usr/lib/debug", "", "" };
	static const char *const between[] = { "", "", "/.debug" };
	const char *slash = strrchr(s->path, '/');
	char path[PATH_MAX];

	if (!s->link.name[0] || !slash || s->path[0] != '/')
		return false;
	for (size_t i = 0; i < (is_own_root ? 3 : 1); i++) {
		int n = snprintf(path, sizeof(path), "%s%.*s%s/%s", before[i],
				 (int)(slash - s->path), s->path, between[i], s->link.name);

		if (n < (int)sizeof(path) && try_path(s, root_fd, path))
			return true;
	}
	return false;
}

int debug_search(struct elf_file *f, int root_fd, const char *path, const char *fetched,
		 struct elf_file **debug, char *why, size_t why_len)
{
	struct search s = { .f = f,
			    .want_id = elf_file_build_id(f),
			    .path = path,
			    .why = why,
			    .why_len = why_len };
	_cleanup_close_ int own_root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (debug_link_read(f, &s.link))
		s.link.name[0] = 0;
	if (fetched && own_root_fd >= 0)
		try_path(&s, own_root_fd, fetched);
	if (!s.debug && root_fd >= 0 && !by_build_id(&s, root_fd))
		by_link(&s, root_fd, true);
	if (!s.debug && own_root_fd >= 0 && !by_build_id(&s, own_root_fd))
		by_link(&s, own_root_fd, false);
	if (!s.debug)
		return -ENOENT;
	*debug = s.debug;
	return 0;
}

/*
 * Tries the path of .gnu_debugaltlink in all folders where the debug file may be, because the path
 * is relative to the folder of the debug file, and that folder is unknown here.
 */
static bool by_altlink(struct search *s, int root_fd, const char *name, bool is_own_root)
{
	static const char *const before[] = { "/usr/lib/debug", "" };
	const char *slash = strrchr(s->path, '/'), *id = elf_file_build_id(s->f);
	char path[PATH_MAX];

	if (name[0] == '/')
		return try_path(s, root_fd, name);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s", id ? id : "", name);
	if (id && try_path(s, root_fd, path))
		return true;
	for (size_t i = 0; slash && s->path[0] == '/' && i < (is_own_root ? 2 : 1); i++) {
		int n = snprintf(path, sizeof(path), "%s%.*s/%s", before[i], (int)(slash - s->path),
				 s->path, name);

		if (n < (int)sizeof(path) && try_path(s, root_fd, path))
			return true;
	}
	return false;
}

int debug_search_alt(struct elf_file *f, int root_fd, const char *path, struct elf_file **alt,
		     char *why, size_t why_len)
{
	struct debug_altlink link;
	struct search s = {
		.f = f, .want_id = link.build_id, .path = path, .why = why, .why_len = why_len
	};
	_cleanup_close_ int own_root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (debug_altlink_read(f, &link))
		return -ENOENT;
	if (root_fd >= 0 && !by_build_id(&s, root_fd))
		by_altlink(&s, root_fd, link.name, true);
	if (!s.debug && own_root_fd >= 0 && !by_build_id(&s, own_root_fd))
		by_altlink(&s, own_root_fd, link.name, false);
	if (!s.debug)
		return -ENOENT;
	*alt = s.debug;
	return 0;
}
