// SPDX-License-Identifier: BSD-2-Clause

#include "jd_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../util/cleanup.h"

static int read_up_to(int fd, u8 *bytes, size_t room, size_t *len)
{
	size_t done = 0;
	ssize_t n;

	while (done < room) {
		n = pread(fd, bytes + done, room - done, (off_t)done);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	*len = done;
	return 0;
}

int jd_file_read(struct jd_file *f, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ u8 *bytes = NULL;
	struct jd_file found = { 0 };
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((u64)st.st_size > JD_MAX_FILE)
		return -EFBIG;
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	err = read_up_to(fd, bytes, (size_t)st.st_size, &found.len);
	if (err == 0)
		err = jdr_header(bytes, found.len, &found.h);
	if (err < 0)
		return err;
	found.bytes = TAKE_PTR(bytes);
	*f = found;
	return 0;
}

void jd_file_deinit(struct jd_file *f)
{
	free(f->bytes);
	*f = (struct jd_file){ 0 };
}

enum jdr_status jd_file_next(const struct jd_file *f, u64 *at, struct jdr_record *rec)
{
	u64 from = *at ? *at : f->h.size < JD_H_LEN ? JD_H_LEN : f->h.size, need;
	enum jdr_status status;

	if (from > f->len)
		from = f->len;
	status = jdr_next(&f->h, f->bytes + from, f->len - from, rec, &need);
	*at = from + (status == JDR_RECORD ? rec->size : 0);
	return status;
}
