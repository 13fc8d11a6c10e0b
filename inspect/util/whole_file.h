/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A file that is written completely or not at all, because it is renamed to its path only when it
 * is complete. "-" is standard output; a device or a pipe is written directly.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

struct whole_file {
	FILE *f; /* NULL: not open */
	const char *path; /* borrowed */
	char *temporary; /* temporary name; NULL: written directly */
	bool is_new; /* whole_file_close() replaces no file */
};

/**
 * whole_file_open() - open a file for writing
 * @path:	borrowed until whole_file_close()
 * @is_private:	true: create the file with mode 0600; false: an existing file keeps its mode
 * @out:	close with whole_file_close()
 *
 * Never blocks; for a pipe without a reader, returns -ENXIO.
 *
 * Return: 0 or a negative errno.
 */
int whole_file_open(const char *path, bool is_private, struct whole_file *out);

/*
 * Opens a new file with mode 0600. If there is a file with this name, whatever its kind,
 * whole_file_close() returns -EEXIST and leaves it unchanged. Return: 0 or a negative errno.
 */
int whole_file_open_new(const char *path, struct whole_file *out);

/*
 * Renames a file; with @is_new, replaces no file and returns -EEXIST instead. Return: 0 or a
 * negative errno.
 */
int whole_file_rename(const char *from, const char *to, bool is_new);

/*
 * Opens a FIFO or character device for writing. Return: a descriptor, -ENXIO if a FIFO has no
 * reader, -EINVAL for any other file, -EPERM if whole_file_is_ours() is false, or the errno of
 * open.
 */
int whole_file_open_special(const char *path);

/* Whether a file belongs to root, to the current user, or to the user who called sudo. */
bool whole_file_is_ours(const struct stat *st);

/*
 * Whether a file is regular, has only one name, and whole_file_is_ours(). In a shared directory,
 * another user may have created a link or file with the name that was opened.
 */
bool whole_file_is_plain(int fd);

/**
 * whole_file_close() - complete or discard a file
 * @is_good:	true: rename the file to its path; false: delete it
 *
 * Return: 0 (also if nothing is open), or a negative errno, in which case an existing file at the
 * path is unchanged.
 */
int whole_file_close(struct whole_file *w, bool is_good);

/**
 * whole_file_read() - read a whole text file
 * @max:	limit in bytes; a longer file gives -EFBIG
 * @out:	the contents and a NUL byte, to be freed with free()
 *
 * Never blocks.
 *
 * Return: 0 or a negative errno, -EINVAL if the file is not a regular file or not text, -ENOEXEC
 * if it was truncated during the read.
 */
int whole_file_read(const char *path, size_t max, char **out);
