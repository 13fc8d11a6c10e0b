// SPDX-License-Identifier: BSD-2-Clause

#include "jd_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "../util/array.h"
#include "../util/cleanup.h"

#define CHUNK (256u << 10)

struct polling {
	struct jd_tail *t;
	void (*event)(void *data, const struct jd_tail_event *e);
	void *data;
};

static void report(const struct polling *p, enum jd_tail_what what, const struct jdr_record *code,
		   const struct jdr_record *debug)
{
	p->event(p->data, &(struct jd_tail_event){ .what = what,
						   .header = &p->t->h,
						   .off = p->t->off,
						   .code = code,
						   .debug = debug,
						   .debug_off = p->t->debug_off });
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

int jd_tail_open_fd(struct jd_tail *t, int fd)
{
	struct stat st;
	int err = fd < 0 ? fd : fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;

	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	*t = (struct jd_tail){ .fd = fd };
	return 0;
}

int jd_tail_open(struct jd_tail *t, const char *path)
{
	int err = jd_tail_open_fd(t, open_file(path));

	if (err)
		return err;
	t->path = strdup(path);
	if (t->path)
		return 0;
	jd_tail_deinit(t);
	return -ENOMEM;
}

void jd_tail_deinit(struct jd_tail *t)
{
	cleanup_close(&t->fd);
	free(t->path);
	free(t->bytes);
	free(t->debug);
	*t = (struct jd_tail){ .fd = -1 };
}

static void restart(struct polling *p)
{
	struct jd_tail *t = p->t;

	t->off = t->len = t->debug_len = 0;
	t->has_header = t->is_stuck = false;
	report(p, JD_TAIL_NEW, NULL, NULL);
}

/* Loads at least @need bytes at off. Return: 1, 0 at the file's end, or a negative errno. */
static int fill(struct jd_tail *t, u64 need)
{
	size_t want = need > CHUNK ? (size_t)need : CHUNK;
	ssize_t n = 1;

	if (array_reserve(t->bytes, t->room, want))
		return -ENOMEM;
	while (t->len < want && n > 0) {
		n = pread(t->fd, t->bytes + t->len, want - t->len, (off_t)(t->off + t->len));
		if (n < 0 && errno != EINTR)
			return -errno;
		t->len += n > 0 ? (size_t)n : 0;
		n = n < 0 ? 1 : n;
	}
	return t->len >= need;
}

static void skip(struct jd_tail *t, u64 n)
{
	size_t held = n < t->len ? (size_t)n : t->len;

	if (t->len - held)
		memmove(t->bytes, t->bytes + held, t->len - held);
	t->len -= held;
	t->off += n;
}

static int keep_debug(struct jd_tail *t, const struct jdr_record *rec)
{
	u8 *own;

	t->debug_len = 0;
	if (rec->size > JD_TAIL_MAX_DEBUG)
		return 0;
	own = realloc(t->debug, rec->size);
	if (!own)
		return -ENOMEM;
	memcpy(own, rec->bytes, rec->size);
	t->debug = own;
	t->debug_len = rec->size;
	t->debug_off = t->off;
	return 0;
}

static void take_code(struct polling *p, const struct jdr_record *rec)
{
	struct jd_tail *t = p->t;
	struct jdr_record debug;
	bool has_lines = false;
	u64 need;

	if (rec->id == JD_LOAD && t->debug_len &&
	    jdr_next(&t->h, t->debug, t->debug_len, &debug, &need) == JDR_RECORD)
		has_lines = debug.debug.addr == rec->load.addr &&
			    jdr_lines(&t->h, &debug, rec->load.addr, rec->load.code_len) ==
				    JDR_LINES_GOOD;
	if (rec->id == JD_LOAD)
		t->debug_len = 0;
	report(p, JD_TAIL_CODE, rec, has_lines ? &debug : NULL);
}

static int take(struct polling *p, const struct jdr_record *rec)
{
	bool is_code = rec->id == JD_LOAD || rec->id == JD_MOVE;

	if (rec->id < JD_N_IDS && rec->fault && !(rec->id == JD_LOAD && rec->fault == JDR_NO_CODE))
		report(p, JD_TAIL_PASSED, NULL, NULL);
	else if (rec->id == JD_DEBUG_INFO)
		return keep_debug(p->t, rec);
	else if (is_code)
		take_code(p, rec);
	return 0;
}

/*
 * Processes all complete records in memory, then moves the rest to the front. Return: the length
 * of the next record, 0 if it is still unknown, or -ENOMEM.
 */
static s64 take_held(struct polling *p)
{
	struct jd_tail *t = p->t;
	enum jdr_status status;
	struct jdr_record rec;
	u64 at = 0, need = 0, start = t->off;
	int err = 0;

	while (!err &&
	       (status = jdr_next(&t->h, t->bytes + at, t->len - at, &rec, &need)) == JDR_RECORD) {
		t->off = start + at;
		err = take(p, &rec);
		at += rec.size;
	}
	t->off = start;
	skip(t, at);
	if (err)
		return err;
	if (status == JDR_CORRUPT) {
		t->is_stuck = true;
		report(p, JD_TAIL_STUCK, NULL, NULL);
	}
	return status == JDR_NEED_MORE ? (s64)need : 0;
}

static int read_header(struct polling *p)
{
	struct jd_tail *t = p->t;
	int r = fill(t, JD_H_LEN);

	if (r <= 0)
		return r;
	r = jdr_header(t->bytes, t->len, &t->h);
	if (r)
		return r;
	t->has_header = true;
	memcpy(t->head, t->bytes, sizeof(t->head));
	skip(t, t->h.size < JD_H_LEN ? JD_H_LEN : t->h.size);
	return 1;
}

static int read_records(struct polling *p, u64 max)
{
	struct jd_tail *t = p->t;
	u64 end = t->off + max;
	s64 need = JD_P_LEN;
	struct stat st;
	int r = 1;

	while (t->off < end && !t->is_stuck) {
		if (need > JD_TAIL_MAX_RECORD) {
			/*
			 * Wait until the file has the whole record before skipping it, because the
			 * stated size may be wrong.
			 */
			if (fstat(t->fd, &st) || (u64)st.st_size - t->off < (u64)need)
				return 0;
			report(p, JD_TAIL_PASSED, NULL, NULL);
			skip(t, (u64)need);
			need = JD_P_LEN;
		}
		r = fill(t, (u64)need);
		if (r <= 0)
			return r;
		need = take_held(p);
		if (need <= 0)
			return (int)need;
	}
	return !t->is_stuck;
}

/*
 * Whether the header changed: the file may have been truncated and rewritten beyond our offset,
 * which the file size does not show.
 */
static bool has_another_header(const struct jd_tail *t)
{
	u8 head[JD_H_LEN];

	return t->has_header && (pread(t->fd, head, sizeof(head), 0) != sizeof(head) ||
				 memcmp(head, t->head, sizeof(head)) != 0);
}

/*
 * Detects that the path names another file, or that the file was truncated below our offset.
 * Return: 1 if more of the old file must be read first, 0, or a negative errno.
 */
static int see_changes(struct polling *p, u64 max)
{
	struct jd_tail *t = p->t;
	struct stat own, named;
	int fd;

	if (fstat(t->fd, &own))
		return -errno;
	if ((u64)own.st_size < t->off || has_another_header(t))
		restart(p);
	if (!t->path || stat(t->path, &named) ||
	    (named.st_ino == own.st_ino && named.st_dev == own.st_dev))
		return 0; /* a deleted file is read to the end */
	if (t->has_header && read_records(p, max) > 0)
		return 1;
	fd = open_file(t->path);
	if (fd < 0 || fstat(fd, &named) || !S_ISREG(named.st_mode)) {
		cleanup_close(&fd);
		return 0; /* the new file is not usable now */
	}
	close(t->fd);
	t->fd = fd;
	restart(p);
	return 0;
}

int jd_tail_poll(struct jd_tail *t, u64 max,
		 void (*event)(void *data, const struct jd_tail_event *e), void *data)
{
	struct polling p = { t, event, data };
	int r = see_changes(&p, max);

	if (r == 0) {
		r = t->has_header ? 1 : read_header(&p);
		if (r > 0)
			r = read_records(&p, max);
	}
	/* Discard a partial record, because it may be truncated; the next poll reads it again. */
	t->len = 0;
	if (t->room > JD_TAIL_KEEP) {
		cleanup_free(&t->bytes);
		t->bytes = NULL;
		t->room = 0;
	}
	return r;
}
