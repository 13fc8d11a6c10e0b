// SPDX-License-Identifier: BSD-2-Clause

#include "whole_file.h"

#include "cleanup.h"
#include "file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The mode that a new file gets from open() with mode 0666. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Creates a temporary file beside @path. The temporary name is short, because the name in @path may
 * be as long as is allowed.
 */
static int open_temporary(const char *path, mode_t mode, char **temporary)
{
	const char *slash = strrchr(path, '/');
	_cleanup_close_ int fd = -1;
	char *name;

	if (asprintf(&name, "%.*s.unspool-XXXXXX", slash ? (int)(slash - path) + 1 : 0, path) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, mode)) {
		*temporary = name;
		return TAKE_FD(fd);
	}
	if (fd >= 0)
		unlink(name);
	free(name);
	return -errno;
}

int whole_file_open_special(const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st) || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK))
		return -errno;
	if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		return -EINVAL;
	return whole_file_is_ours(&st) ? TAKE_FD(fd) : -EPERM;
}

bool whole_file_is_ours(const struct stat *st)
{
	const char *caller = geteuid() ? NULL : getenv("SUDO_UID");

	return !st->st_uid || st->st_uid == geteuid() ||
	       (caller && st->st_uid == (uid_t)strtoul(caller, NULL, 10));
}

bool whole_file_is_plain(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       whole_file_is_ours(&st);
}

static int open_stream(int fd, struct whole_file *w, struct whole_file *out)
{
	if (fd < 0)
		return fd;
	w->f = fdopen(fd, "w");
	if (!w->f) {
		close(fd);
		if (w->temporary)
			unlink(w->temporary);
		free(w->temporary);
		return -ENOMEM;
	}
	*out = *w;
	return 0;
}

int whole_file_open(const char *path, bool is_private, struct whole_file *out)
{
	struct whole_file w = { .path = path };
	mode_t mode = 0600;
	struct stat st;
	bool is_there;
	int fd;

	if (!strcmp(path, "-")) {
		w.f = stdout;
		*out = w;
		return 0;
	}
	if (!*path)
		return -ENOENT;
	is_there = !stat(path, &st);
	if (!is_private)
		mode = is_there ? st.st_mode & 0777 : usual_mode();
	fd = is_there && !S_ISREG(st.st_mode) ? whole_file_open_special(path)
					      : open_temporary(path, mode, &w.temporary);
	return open_stream(fd, &w, out);
}

int whole_file_open_new(const char *path, struct whole_file *out)
{
	struct whole_file w = { .path = path, .is_new = true };

	if (!*path)
		return -ENOENT;
	return open_stream(open_temporary(path, 0600, &w.temporary), &w, out);
}

int whole_file_rename(const char *from, const char *to, bool is_new)
{
	if (!is_new)
		return rename(from, to) ? -errno : 0;
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL)
		return -errno;
	/* The file system has no RENAME_NOREPLACE. */
	return link(from, to) || unlink(from) ? -errno : 0;
}

int whole_file_close(struct whole_file *w, bool is_good)
{
	int err = 0;

	if (!w->f)
		return 0;
	errno = 0;
	if (fflush(w->f) || ferror(w->f))
		err = errno ? -errno : -EIO;
	if (w->temporary && is_good && !err && fsync(fileno(w->f)) && errno != EINVAL &&
	    errno != EROFS) /* with these errors the file system does not support fsync() */
		err = -errno;
	if (w->f != stdout && fclose(w->f) && !err)
		err = -errno;
	if (w->temporary && is_good && !err)
		err = whole_file_rename(w->temporary, w->path, w->is_new);
	if (w->temporary && (err || !is_good))
		unlink(w->temporary);
	free(w->temporary);
	*w = (struct whole_file){ 0 };
	return err;
}

int whole_file_read(const char *path, size_t max, char **out)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ char *text = NULL;
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((size_t)st.st_size > max)
		return -EFBIG;
	text = calloc(1, (size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	err = file_read(fd, 0, text, (u64)st.st_size);
	if (!err && strlen(text) != (size_t)st.st_size)
		err = -EINVAL;
	if (!err)
		*out = TAKE_PTR(text);
	return err;
}
