/* SPDX-License-Identifier: BSD-2-Clause */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

static const struct out_format *const formats[] = {
	&out_ndjson,
	&out_ndjson_gz,
	&out_ndjson_zst,
	&out_folded,
};

static bool has_suffix(const char *path, const char *suffix)
{
	size_t path_len = strlen(path), len = strlen(suffix);

	return path_len > len && path[path_len - len - 1] == '.' &&
	       strcmp(path + path_len - len, suffix) == 0;
}

const struct out_format *out_format_find(const char *name_or_path)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(name_or_path, formats[i]->name) == 0 ||
		    has_suffix(name_or_path, formats[i]->name))
			return formats[i];
	}
	return NULL;
}

int out_each_line(struct prof_reader *in, int (*line)(void *sink, const char *text, size_t len),
		  void *sink)
{
	struct prof_record record;
	int r;

	while ((r = prof_reader_next(in, &record)) == 1) {
		r = line(sink, record.line, record.len);
		if (r < 0)
			return r;
	}
	return r;
}

/* Writes all of a job and makes sure that it arrived. Closes @fd. */
static int write_fd(const struct out_job *job, int fd)
{
	_cleanup_close_ int own = fd;
	_cleanup_fclose_ FILE *out = fdopen(own, "w");
	int r;

	if (!out)
		return -errno;
	TAKE_FD(own);
	r = job->write(job->data, out);
	if (r < 0)
		return r;
	/* A pipe can't be synced and need not be. */
	if (fflush(out) != 0 || (fsync(fd) != 0 && errno != EINVAL && errno != EROFS))
		return -errno;
	if (ferror(out)) /* what an earlier failed write dropped is missing in the middle */
		return -EIO;
	return fclose(TAKE_PTR(out)) == 0 ? 0 : -errno;
}

/* Mode and owner, before anything is in the file. */
static int dress(int fd, struct out_owner owner)
{
	if (fchmod(fd, 0600) != 0)
		return -errno;
	if (owner.uid != (uid_t)-1 && fchown(fd, owner.uid, owner.gid) != 0)
		return -errno;
	return 0;
}

/* A new file in the folder of @path. Its name is short: that of @path may be the longest. */
static int open_temporary(const char *path, char **temporary)
{
	const char *slash = strrchr(path, '/');
	int folder_len = slash ? (int)(slash - path) + 1 : 0;
	_cleanup_free_ char *name = NULL;
	int fd;

	if (asprintf(&name, "%.*s.unspool-XXXXXX", folder_len, path) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*temporary = TAKE_PTR(name);
	return fd;
}

static int write_and_rename(const struct out_job *job, const char *path, struct out_owner owner)
{
	_cleanup_free_ char *temporary = NULL;
	int fd = open_temporary(path, &temporary), r;

	if (fd < 0)
		return fd;
	r = dress(fd, owner);
	if (r < 0)
		close(fd);
	else
		r = write_fd(job, fd);
	if (r == 0 && rename(temporary, path) != 0)
		r = -errno;
	if (r < 0)
		unlink(temporary);
	return r;
}

/* A FIFO that nobody reads is an error (ENXIO), not a wait that no signal ends. */
int out_open_special(const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st) || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK))
		return -errno;
	return S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode) ? TAKE_FD(fd) : -EINVAL;
}

int out_write(const struct out_job *job, const char *path, struct out_owner owner)
{
	struct stat st;
	int fd;

	if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
		return write_and_rename(job, path, owner);
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	fd = out_open_special(path);
	return fd < 0 ? fd : write_fd(job, fd);
}

struct profile_job {
	const struct out_format *format;
	struct prof_reader *in;
};

static int write_profile(void *data, FILE *out)
{
	const struct profile_job *job = data;

	return job->format->write(job->in, out);
}

int out_write_file(const struct out_format *format, struct prof_reader *in, const char *path,
		   struct out_owner owner)
{
	struct profile_job profile = { format, in };
	struct out_job job = { write_profile, &profile };

	return out_write(&job, path, owner);
}

/* The partial is the format: nothing is copied. -EXDEV when that can't be. */
static int rename_partial(const char *partial, const char *path, struct out_owner owner)
{
	_cleanup_close_ int fd = open(partial, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	int r;

	if (fd < 0)
		return -errno;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return -EXDEV;
	r = dress(fd, owner);
	if (r < 0)
		return r;
	if (fsync(fd) != 0 || rename(partial, path) != 0)
		return -errno;
	return 0;
}

static void cleanup_reader(struct prof_reader **r)
{
	prof_reader_free(r);
}

int out_finish(const struct out_format *format, const char *partial, const char *path,
	       struct out_owner owner)
{
	_cleanup_(cleanup_reader) struct prof_reader *in = NULL;
	int r;

	if (format == &out_ndjson) {
		r = rename_partial(partial, path, owner);
		if (r != -EXDEV)
			return r;
	}
	r = prof_reader_open(partial, &in);
	if (r == 0)
		r = out_write_file(format, in, path, owner);
	if (r < 0)
		return r;
	return unlink(partial) == 0 ? 0 : -errno;
}
