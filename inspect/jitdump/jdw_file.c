// SPDX-License-Identifier: BSD-2-Clause

/*
 * The file of a writer. It is opened for appending, and each group is one writev(), so if the
 * process is killed, the file has complete groups and at most a part of the last one. If an append
 * fails half-way, the file is truncated to its former length.
 */

#include "jdw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

static int own_machine(u32 *machine)
{
	unsigned char ident[20];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, ident, sizeof(ident), 0);

	if (fd >= 0)
		close(fd);
	if (n != sizeof(ident))
		return -ENOEXEC;
	*machine = (u32)ident[18] | (u32)ident[19] << 8; /* e_machine of a little-endian ELF */
	if (ident[5] == 2)
		*machine = (u32)ident[19] | (u32)ident[18] << 8;
	return 0;
}

static char *make_path(const struct jdw *w)
{
	const char *dir = w->options.dir;
	char *path;

	if (w->options.path)
		return strdup(w->options.path);
	if (!dir)
		dir = getenv("JITDUMPDIR");
	if (!dir || !*dir)
		dir = "/tmp";
	return asprintf(&path, "%s/jit-%u.dump", dir, w->pid) < 0 ? NULL : path;
}

/* An existing file of that name belongs to an earlier process with this pid, or is an attack. */
static int create(const struct jdw *w)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, fd;

	fd = open(w->path, flags, 0600);
	if (fd < 0 && errno == EEXIST && !w->options.path && unlink(w->path) == 0)
		fd = open(w->path, flags, 0600);
	return fd < 0 ? -errno : fd;
}

static int put_header(struct jdw *w)
{
	struct jdw_buf b = { .is_swapped = w->options.swap };
	u32 machine = w->options.machine;
	int err = machine ? 0 : own_machine(&machine);

	if (err)
		return err;
	jdw_put_header(&b,
		       &(struct jdr_header){ .mach = machine, .pid = w->pid, .time = jdw_time(w) });
	err = b.no_memory ? -ENOMEM : jdw_file_append(w, &b, NULL, 0);
	jdw_buf_deinit(&b);
	return err;
}

/*
 * perf finds the file through the record of an executable mapping; a perf that is started later
 * finds the mapping in /proc/PID/maps.
 */
static int map_marker(struct jdw *w)
{
	void *marker;

	if (w->options.path)
		return 0;
	marker = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE,
		      w->fd, 0);
	if (marker == MAP_FAILED)
		return -errno;
	w->marker = marker;
	return 0;
}

int jdw_file_open(struct jdw *w)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
	int err;

	w->path = make_path(w);
	if (!w->path)
		return -ENOMEM;
	w->fd = create(w);
	if (w->fd < 0)
		return w->fd;
	getrlimit(RLIMIT_FSIZE, &limit);
	w->limit = limit.rlim_cur == RLIM_INFINITY ? ~0ull : limit.rlim_cur;
	w->end = 0;
	err = put_header(w);
	if (!err)
		err = map_marker(w);
	if (err)
		unlink(w->path);
	return err;
}

/* Appends all bytes; on failure restores the file's former length. */
int jdw_file_append(struct jdw *w, const struct jdw_buf *head, const void *code, size_t code_len)
{
	u64 len = (u64)head->len + code_len, done = 0;
	int err = 0;

	if (w->fd < 0)
		return -EBADF;
	if (len > w->limit || w->end > w->limit - len)
		return -EFBIG;
	while (done < len && !err) {
		size_t in_code = done > head->len ? (size_t)(done - head->len) : 0;
		size_t in_head = done < head->len ? (size_t)done : head->len;
		struct iovec v[] = {
			{ head->bytes + in_head, head->len - in_head },
			{ (char *)code + in_code, code_len - in_code },
		};
		ssize_t n = writev(w->fd, v, 2);

		if (n < 0 && errno != EINTR)
			err = -errno;
		else if (n == 0)
			err = -EIO;
		else
			done += n > 0 ? (u64)n : 0;
	}
	if (!err) {
		w->end += len;
		w->counts.bytes += len;
		return 0;
	}
	/*
	 * If truncating the file also fails, a partial record stays in the file, so nothing more is
	 * written.
	 */
	if (done && ftruncate(w->fd, (off_t)w->end)) {
		close(w->fd);
		w->fd = -1;
	}
	return err;
}

void jdw_file_close(struct jdw *w)
{
	if (w->marker)
		munmap(w->marker, (size_t)sysconf(_SC_PAGESIZE));
	w->marker = NULL;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	free(w->path);
	w->path = NULL;
}
