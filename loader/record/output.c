// SPDX-License-Identifier: BSD-2-Clause

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/whole_file.h"
#include "../../inspect/util/cli.h"
#include "../out/place.h"

#define MAX_NUMBERS 100 /* names that are tried if files with the default name exist */

static int check_one(struct output *out, const char *path, const char *format)
{
	bool is_stdout = !strcmp(path, "-");

	out->format = out_format_find(format ? format : path);
	if (format && !out->format) {
		cli_error("unknown format '%s'; use one of " OUT_FORMAT_NAMES, format);
		return CLI_USAGE;
	}
	if (!out->format && is_stdout) {
		cli_error("-o - needs a format: add -f with one of " OUT_FORMAT_NAMES);
		return CLI_USAGE;
	}
	if (!out->format) {
		cli_error("%s: unknown suffix; add -f with one of " OUT_FORMAT_NAMES, path);
		return CLI_USAGE;
	}
	if (snprintf(out->path, sizeof(out->path), "%s", path) >= (int)sizeof(out->path)) {
		cli_error("the path of the output file is too long");
		return CLI_USAGE;
	}
	return CLI_OK;
}

int outputs_check(struct outputs *o, const struct record_options *options)
{
	*o = (struct outputs){ .owner = OUT_OWNER_SELF, .quiet = options->quiet };
	for (size_t i = 0; i < options->n_outputs; i++) {
		int status = check_one(&o->v[i], options->outputs[i], options->format);

		if (status)
			return status;
		o->has_stdout |= !strcmp(o->v[i].path, "-");
		o->n++;
	}
	if (options->n_outputs)
		return CLI_OK;
	/* outputs_open() sets the name. */
	o->v[0].format = out_format_find(options->format ? options->format : "html");
	return o->v[0].format ? CLI_OK : check_one(&o->v[0], "", options->format);
}

/*
 * Makes the path of the .partial file. The file is beside the first regular output, or, if there is
 * none, in a writable directory.
 */
static void name_partial(struct outputs *o)
{
	char dir[PATH_MAX], own[32];
	const char *file = own;
	struct stat st;

	snprintf(own, sizeof(own), "unspool-%d", getpid()); /* recorders may share a pipe */
	snprintf(dir, sizeof(dir), "%s", place_dir());
	for (size_t i = 0; i < o->n; i++) {
		bool special = !stat(o->v[i].path, &st) && !S_ISREG(st.st_mode) &&
			       !S_ISDIR(st.st_mode);

		if (strcmp(o->v[i].path, "-") && !special && place_split(o->v[i].path, dir, &file))
			break;
	}
	o->owner = place_owner(dir);
	if (snprintf(o->partial_path, sizeof(o->partial_path), "%s/.%s.partial", dir, file) >=
	    (int)sizeof(o->partial_path))
		o->partial_path[0] = 0;
}

static int refuse(const char *path, int err)
{
	cli_error("cannot write '%s': %s; choose another file with -o", path, strerror(err));
	return CLI_USAGE;
}

static int open_partial(struct outputs *o)
{
	_cleanup_close_ int fd =
		open(o->partial_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	int err;

	if (fd < 0)
		return -errno;
	if (!whole_file_is_plain(fd))
		return -EEXIST;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return -EBUSY;
	if (!fchmod(fd, 0600) && !ftruncate(fd, 0) &&
	    (o->owner.uid == (uid_t)-1 || !fchown(fd, o->owner.uid, o->owner.gid)))
		o->partial = fdopen(fd, "w+");
	if (!o->partial) {
		err = -errno;
		unlink(o->partial_path);
		return err;
	}
	TAKE_FD(fd);
	return 0;
}

/*
 * Makes "DIR/profile-1.ndjson.gz" from "DIR/profile.ndjson.gz"; the new name may also get another
 * suffix.
 */
static bool name_copy(const struct outputs *o, u32 n, const char *end, char *path, size_t len)
{
	const struct output *out = &o->v[0];
	size_t stem = strlen(out->path), suffix = strlen(out->format->suffix) + 1;
	const char *own = "";

	if (stem > suffix && out->path[stem - suffix] == '.' &&
	    !strcmp(out->path + stem - suffix + 1, out->format->suffix)) {
		stem -= suffix;
		own = out->path + stem;
	}
	return snprintf(path, len, "%.*s-%u%s", (int)stem, out->path, n, end ? end : own) <
	       (int)len;
}

/* Opens the .partial file of the first default name that no file has. */
static int open_default(struct outputs *o, const char *name, u32 pid)
{
	char *path = o->v[0].path, numbered[PATH_MAX];
	int err = -EEXIST;

	o->n = 1;
	o->is_default = true;
	for (u32 n = 0; n < MAX_NUMBERS && err == -EEXIST; n++) {
		struct stat st;

		place_default(path, sizeof(o->v[0].path), name, pid, o->v[0].format->suffix);
		if (n && name_copy(o, n, NULL, numbered, sizeof(numbered)))
			memcpy(path, numbered, sizeof(numbered));
		name_partial(o);
		o->owner.is_new = true;
		if (lstat(path, &st))
			err = open_partial(o);
	}
	return err;
}

int outputs_open(struct outputs *o, const char *name, u32 pid)
{
	int err = deferred_maps_new(&o->maps);

	if (err)
		return refuse(place_dir(), -err);
	if (!o->n) {
		err = open_default(o, name, pid);
		return err ? refuse(o->v[0].path, -err) : CLI_OK;
	}
	for (size_t i = 0; i < o->n; i++) {
		struct stat st;

		if (strcmp(o->v[i].path, "-") && !stat(o->v[i].path, &st)) {
			if (S_ISDIR(st.st_mode))
				return refuse(o->v[i].path, EISDIR);
			if (access(o->v[i].path, W_OK))
				return refuse(o->v[i].path, errno);
			if (!S_ISREG(st.st_mode) && !whole_file_is_ours(&st))
				return refuse(o->v[i].path, EPERM);
		}
	}
	name_partial(o);
	err = open_partial(o);
	return err ? refuse(err == -EEXIST ? o->partial_path : o->v[0].path, -err) : CLI_OK;
}

/* A pipe or terminal is written directly, because rename() can't replace it. */
static bool is_special(const struct output *out)
{
	struct stat st;

	return !strcmp(out->path, "-") ||
	       (!stat(out->path, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)));
}

int outputs_read(const struct outputs *o, struct prof_reader **in)
{
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", o->partial ? fileno(o->partial) : -1);
	err = prof_reader_open(o->is_hidden ? path : o->partial_path, in);
	if (!err)
		deferred_maps_attach(o->maps, *in);
	return err;
}

static int finish_special(struct outputs *o, const struct output *out, const struct out_stop *stop)
{
	bool is_stdout = !strcmp(out->path, "-");
	_cleanup_close_ int own = is_stdout ? -1 : whole_file_open_special(out->path);
	_cleanup_fclose_ FILE *to = NULL;
	struct prof_reader *in = NULL;
	int err = is_stdout || own >= 0 ? outputs_read(o, &in) : own;

	if (!err)
		err = out_stream_new(&to, is_stdout ? STDOUT_FILENO : own, stop);
	if (!err)
		err = out->format->write(in, to);
	if (!err && fflush(to))
		err = -errno;
	if (!err && !o->quiet)
		out_print_omissions(out->format, in, out->path);
	prof_reader_free(&in);
	return err;
}

/* @path: name of the output, which can differ from @out->path */
static int finish_file(struct outputs *o, const struct output *out, const char *path, bool is_last)
{
	struct prof_reader *in = NULL;
	int err;

	if (is_last && out->format == &out_ndjson && !deferred_maps_any(o->maps))
		return out_finish(out->format, o->partial_path, path, o->owner);
	err = outputs_read(o, &in);
	if (!err)
		err = out_write_file(out->format, in, path, o->owner);
	if (!err && !o->quiet)
		out_print_omissions(out->format, in, path);
	prof_reader_free(&in);
	return err;
}

/* If there is a file with the default name by now, the output gets another name. */
static int finish_default(struct outputs *o)
{
	struct output *out = &o->v[0];
	char path[PATH_MAX];
	int err = finish_file(o, out, out->path, true);

	for (u32 n = 1; n < MAX_NUMBERS && err == -EEXIST; n++) {
		if (!name_copy(o, n, NULL, path, sizeof(path)))
			break;
		err = finish_file(o, out, path, true);
		if (!err)
			memcpy(out->path, path, sizeof(path));
	}
	return err;
}

int outputs_finish(struct outputs *o, const struct out_stop *stop)
{
	for (size_t i = 0; i < o->n; i++) {
		int err = o->is_default ? finish_default(o)
			  : is_special(&o->v[i])
				  ? finish_special(o, &o->v[i], stop)
				  : finish_file(o, &o->v[i], o->v[i].path, i + 1 == o->n);

		if (err) {
			cli_error("cannot write '%s': %s; the recorded samples are in '%s'",
				  o->v[i].path, strerror(-err), o->partial_path);
			return CLI_FAILURE;
		}
	}
	unlink(o->partial_path);
	return CLI_OK;
}

int outputs_beside(const struct outputs *o, const struct out_job *job, u32 *n, const char *end,
		   char *path)
{
	struct out_owner owner = o->owner;
	int err = -EEXIST;
	struct stat st;

	owner.is_new |= !o->n || !strcmp(o->v[0].path, "-") ||
			(!stat(o->v[0].path, &st) && !S_ISREG(st.st_mode));
	for (u32 i = 0; i < MAX_NUMBERS && err == -EEXIST; i++) {
		bool fits = owner.is_new && !o->is_default
				    ? snprintf(path, PATH_MAX, "%s/unspool-%d-%u%s", place_dir(),
					       getpid(), ++*n, end) < PATH_MAX
				    : name_copy(o, ++*n, end, path, PATH_MAX);

		err = fits ? out_write(job, path, owner) : -ENAMETOOLONG;
	}
	return err;
}

/* Creates a file that only its owner can read, whatever the umask is. NULL: see errno. */
static FILE *create_private(const char *path)
{
	_cleanup_close_ int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f)
		TAKE_FD(fd);
	return f;
}

/* Writes a copy under the next number; beside a default name, under a number that no file has. */
static int write_copy(struct outputs *o, struct prof_reader *in, char *path)
{
	int err = -EEXIST;

	for (u32 n = 0; n < MAX_NUMBERS && err == -EEXIST; n++) {
		if (!name_copy(o, ++o->n_copies, NULL, path, PATH_MAX))
			return -ENAMETOOLONG;
		err = out_write_file(o->v[0].format, in, path, o->owner);
	}
	return err;
}

int outputs_copy(struct outputs *o, int (*write)(void *data, FILE *to), void *data, char *path)
{
	char partial[PATH_MAX + 8];
	struct prof_reader *in = NULL;
	FILE *to;
	int err;

	if (!o->n || !strcmp(o->v[0].path, "-"))
		return -EINVAL;
	snprintf(partial, sizeof(partial), "%s.copy", o->partial_path);
	to = create_private(partial);
	if (!to)
		return -errno;
	err = write(data, to);
	if (fclose(to) && !err)
		err = -errno;
	if (!err)
		err = prof_reader_open(partial, &in);
	if (!err) {
		deferred_maps_attach(o->maps, in);
		err = write_copy(o, in, path);
	}
	prof_reader_free(&in);
	unlink(partial);
	return err;
}

void outputs_hide(struct outputs *o)
{
	outputs_discard(o);
	o->is_hidden = true;
}

void outputs_discard(struct outputs *o)
{
	if (o->partial && !o->is_hidden)
		unlink(o->partial_path);
}

void outputs_deinit(struct outputs *o)
{
	if (o->partial)
		fclose(o->partial);
	o->partial = NULL;
	deferred_maps_free(&o->maps);
}
