// SPDX-License-Identifier: BSD-2-Clause

#include "whole.h"

#include "../../inspect/util/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What open() with 0666 would give. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return 0666 & ~mask;
}

/* Beside @path, so that it can be renamed; short, as @path may have the longest name there is. */
static int open_temporary(const char *path, mode_t mode, char **temporary)
{
	const char *slash = strrchr(path, '/');
	_cleanup_close_ int fd = -1;
	char *name;

	if (asprintf(&name, "%.*s.unspool-sim-XXXXXX", slash ? (int)(slash - path) + 1 : 0, path) <
	    0)
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

static int open_special(const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK))
		return -errno;
	return TAKE_FD(fd);
}

int sim_whole_open(const char *path, struct sim_whole *out)
{
	struct sim_whole w = { .path = path };
	bool is_there, is_regular;
	struct stat st;
	int fd;

	if (!strcmp(path, "-")) {
		w.f = stdout;
		*out = w;
		return 0;
	}
	if (!*path)
		return -ENOENT;
	is_there = !stat(path, &st);
	is_regular = !is_there || S_ISREG(st.st_mode);
	if (is_regular)
		fd = open_temporary(path, is_there ? st.st_mode & 0777 : usual_mode(),
				    &w.temporary);
	else
		fd = open_special(path);
	if (fd < 0)
		return fd;
	w.f = fdopen(fd, "w");
	if (!w.f) {
		close(fd);
		if (w.temporary)
			unlink(w.temporary);
		free(w.temporary);
		return -ENOMEM;
	}
	*out = w;
	return 0;
}

int sim_whole_close(struct sim_whole *w, bool is_good)
{
	int err = 0;

	if (!w->f)
		return 0;
	errno = 0;
	if (fflush(w->f) || ferror(w->f))
		err = errno ? -errno : -EIO;
	if (w->f != stdout && fclose(w->f) && !err)
		err = -errno;
	if (w->temporary && is_good && !err && rename(w->temporary, w->path))
		err = -errno;
	if (w->temporary && (err || !is_good))
		unlink(w->temporary);
	free(w->temporary);
	*w = (struct sim_whole){ 0 };
	return err;
}

static int read_all(int fd, char *text, size_t room, size_t *len)
{
	ssize_t n = 1;

	while (*len < room && n != 0) {
		n = read(fd, text + *len, room - *len);
		if (n < 0 && errno != EINTR)
			return -errno;
		*len += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int sim_read_file(const char *path, size_t max, char **out)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((size_t)st.st_size > max)
		return -EFBIG;
	text = calloc(1, max + 1);
	if (!text)
		return -ENOMEM;
	err = read_all(fd, text, max, &len);
	if (!err && strlen(text) != len)
		err = -EINVAL;
	if (!err)
		*out = TAKE_PTR(text);
	return err;
}
