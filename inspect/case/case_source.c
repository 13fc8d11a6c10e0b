// SPDX-License-Identifier: BSD-2-Clause

/*
 * A compressed file is expanded completely, up to a limit; the size in its header is not trusted.
 * An uncompressed file is not read into memory, because it may be a core of gigabytes.
 */

#include "case_source.h"

#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#define CHUNK_LEN (128u << 10)

struct expansion {
	u8 *bytes;
	u64 len, room;
};

int case_source_read(const struct case_source *s, u64 off, void *dst, u64 len)
{
	if (off > s->len || len > s->len - off)
		return -ENOEXEC;
	if (s->fd >= 0)
		return file_read(s->fd, off, dst, len);
	memcpy(dst, s->bytes + off, len);
	return 0;
}

static int make_room(struct expansion *x)
{
	if (x->len < x->room)
		return 0;
	if (x->room == CASE_MAX_LEN)
		return -EFBIG;
	return array_reserve(x->bytes, x->room, x->room ? x->room + 1 : 1u << 20);
}

/* Expands one chunk of the file; @left becomes 0 when the zstd frame is complete. */
static int expand_chunk(ZSTD_DStream *z, ZSTD_inBuffer *in, struct expansion *x, size_t *left)
{
	while (in->pos < in->size) {
		int err = make_room(x);
		ZSTD_outBuffer out = { x->bytes, x->room, x->len };

		if (err)
			return err;
		if (!*left)
			return -ENOEXEC; /* the file has data after the zstd frame */
		*left = ZSTD_decompressStream(z, &out, in);
		if (ZSTD_isError(*left))
			return -ENOEXEC;
		x->len = out.pos;
	}
	return 0;
}

/* Expands the data that remains in the decoder after the file has been read. */
static int drain(ZSTD_DStream *z, struct expansion *x, size_t *left)
{
	ZSTD_inBuffer none = { NULL, 0, 0 };

	while (*left) {
		u64 before = x->len;
		int err = make_room(x);
		ZSTD_outBuffer out = { x->bytes, x->room, x->len };

		if (err)
			return err;
		*left = ZSTD_decompressStream(z, &out, &none);
		if (ZSTD_isError(*left) || (*left && out.pos == before))
			return -ENOEXEC;
		x->len = out.pos;
	}
	return 0;
}

static int expand_all(int fd, ZSTD_DStream *z, struct expansion *x)
{
	_cleanup_free_ u8 *chunk = malloc(CHUNK_LEN);
	size_t left = 1;
	ssize_t n = 1;
	int err = z && chunk ? 0 : -ENOMEM;

	while (!err && n) {
		n = read(fd, chunk, CHUNK_LEN);
		if (n < 0 && errno != EINTR)
			err = -errno;
		else if (n > 0)
			err = expand_chunk(z, &(ZSTD_inBuffer){ chunk, (size_t)n, 0 }, x, &left);
	}
	return err ? err : drain(z, x, &left);
}

static int expand(const char *path, struct case_error *error, struct case_source *s)
{
	struct expansion x = { 0 };
	ZSTD_DStream *z = ZSTD_createDStream();
	int err = expand_all(s->fd, z, &x);

	ZSTD_freeDStream(z);
	cleanup_close(&s->fd);
	s->fd = -1;
	s->bytes = x.bytes;
	s->len = x.len;
	if (err == -EFBIG)
		return case_fail(error, err, path,
				 "the file is larger than %llu MiB when decompressed",
				 CASE_MAX_LEN >> 20);
	if (err == -ENOEXEC)
		return case_fail(error, err, path,
				 "the file is truncated or corrupt and cannot be decompressed");
	return err ? case_fail(error, err, path, "%s", strerror(-err)) : 0;
}

static int open_regular(const char *path, struct case_error *error, struct case_source *s)
{
	struct stat st;

	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (s->fd < 0 || fstat(s->fd, &st))
		return case_fail(error, -errno, path, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return case_fail(error, -EINVAL, path, "not a regular file");
	s->len = (u64)st.st_size;
	return 0;
}

int case_source_open(const char *path, struct case_error *error, struct case_source *out)
{
	u32 magic = 0;
	int err;

	*out = (struct case_source){ .fd = -1 };
	err = open_regular(path, error, out);
	if (err)
		return err;
	if (out->len >= sizeof(magic) && case_source_read(out, 0, &magic, sizeof(magic)))
		return case_fail(error, -EIO, path, "cannot be read");
	if (magic == ZSTD_MAGICNUMBER)
		err = expand(path, error, out);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	out->elf = out->fd >= 0 ? elf_begin(out->fd, ELF_C_READ, NULL)
		   : out->len	? elf_memory((char *)out->bytes, out->len)
				: NULL;
	return out->elf ? 0
			: case_fail(error, -ENOEXEC, path,
				    "not a core, because it is not an ELF file");
}

void case_source_close(struct case_source *s)
{
	elf_end(s->elf);
	cleanup_close(&s->fd);
	free(s->bytes);
}
