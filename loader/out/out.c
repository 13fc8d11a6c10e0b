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
#include "../../inspect/util/whole_file.h"

/* Outputs can have gigabytes; the default buffer would take four times as long to write them. */
#define BUFFER_LEN (256u << 10)

static const struct out_format *const formats[] = {
	&out_html,	 &out_ndjson,  &out_ndjson_gz,	&out_ndjson_zst,  &out_folded, &out_pprof,
	&out_speedscope, &out_firefox, &out_cpuprofile, &out_perf_script, &out_svg,
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
		    has_suffix(name_or_path, formats[i]->suffix))
			return formats[i];
	}
	return NULL;
}

/* Sets the mode and owner before the file has any content. */
static int dress(int fd, struct out_owner owner)
{
	if (fchmod(fd, 0600) != 0)
		return -errno;
	if (owner.uid != (uid_t)-1 && fchown(fd, owner.uid, owner.gid) != 0)
		return -errno;
	return 0;
}

int out_write(const struct out_job *job, const char *path, struct out_owner owner)
{
	_cleanup_free_ char *buffer = malloc(BUFFER_LEN);
	struct whole_file file;
	int err = -ENOMEM, end;

	if (buffer)
		err = owner.is_new ? whole_file_open_new(path, &file)
				   : whole_file_open(path, true, &file);
	if (err)
		return err;
	setvbuf(file.f, buffer, _IOFBF, BUFFER_LEN);
	if (file.temporary)
		err = dress(fileno(file.f), owner);
	if (!err)
		err = job->write(job->data, file.f);
	end = whole_file_close(&file, !err);
	return err ? err : end;
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

	if (out_writes_threads(format, path))
		return format->write_threads(in, path, &owner);
	return out_write(&job, path, owner);
}

/*
 * Makes the output by renaming the .partial file, if that file already has the output's format. In
 * a shared directory, another user may have replaced the .partial file.
 */
static int rename_partial(const char *partial, const char *path, struct out_owner owner)
{
	_cleanup_close_ int fd = open(partial, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	if (!whole_file_is_plain(fd))
		return -EPERM;
	if (!owner.is_new && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return -EXDEV;
	err = dress(fd, owner);
	if (err < 0)
		return err;
	return fsync(fd) ? -errno : whole_file_rename(partial, path, owner.is_new);
}

int out_finish(const struct out_format *format, const char *partial, const char *path,
	       struct out_owner owner)
{
	_cleanup_(prof_reader_free) struct prof_reader *in = NULL;
	int err;

	if (format == &out_ndjson) {
		err = rename_partial(partial, path, owner);
		if (err != -EXDEV)
			return err;
	}
	err = prof_reader_open(partial, &in);
	if (err == 0)
		err = out_write_file(format, in, path, owner);
	if (err < 0)
		return err;
	return unlink(partial) == 0 ? 0 : -errno;
}
