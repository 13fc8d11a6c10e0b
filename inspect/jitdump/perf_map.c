// SPDX-License-Identifier: BSD-2-Clause

#include "perf_map.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "../util/cleanup.h"

#define CHUNK (64u << 10)

/* Parses up to 16 digits and the blank after them. */
static bool take_hex(const char **at, const char *end, u64 *value)
{
	const char *p = *at;
	u64 v = 0;
	int n = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (; p < end && n <= 16; p++, n++) {
		int digit = *p >= '0' && *p <= '9'		   ? *p - '0'
			    : (*p | 32) >= 'a' && (*p | 32) <= 'f' ? (*p | 32) - 'a' + 10
								   : -1;

		if (digit < 0)
			break;
		v = v << 4 | (u64)digit;
	}
	if (!n || n > 16 || p == end || *p != ' ')
		return false;
	*at = p + 1;
	*value = v;
	return true;
}

int perf_map_line(const char *line, size_t len, struct perf_map_entry *e)
{
	const char *end = line + len;
	struct perf_map_entry found;

	if (!take_hex(&line, end, &found.addr) || !take_hex(&line, end, &found.len))
		return -EBADMSG;
	if (!found.len || found.addr + found.len < found.addr || line == end)
		return -EBADMSG;
	found.name = line;
	found.name_len = (size_t)(end - line);
	if (found.name_len > PERF_MAP_MAX_NAME)
		found.name_len = PERF_MAP_MAX_NAME;
	*e = found;
	return 0;
}

void perf_map_open_fd(struct perf_map_tail *t, int fd)
{
	*t = (struct perf_map_tail){ .fd = fd };
}

void perf_map_deinit(struct perf_map_tail *t)
{
	cleanup_close(&t->fd);
	*t = (struct perf_map_tail){ .fd = -1 };
}

static ssize_t read_at(int fd, char *buf, size_t len, u64 off)
{
	ssize_t n;

	do
		n = pread(fd, buf, len, (off_t)off);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Whether the map was truncated or rewritten; the size alone does not show a rewritten map. */
static bool is_another(const struct perf_map_tail *t)
{
	char there[PERF_MAP_KNOWN];

	return t->n_known &&
	       (read_at(t->fd, there, t->n_known, t->off - t->n_known) != t->n_known ||
		memcmp(there, t->known, t->n_known) != 0);
}

static void move_on(struct perf_map_tail *t, const char *bytes, size_t n)
{
	if (!n)
		return;
	t->n_known = n < PERF_MAP_KNOWN ? (u8)n : PERF_MAP_KNOWN;
	memcpy(t->known, bytes + n - t->n_known, t->n_known);
	t->off += n;
}

/* Parses all complete lines of a piece. Return: the number of bytes consumed. */
static size_t take_lines(struct perf_map_tail *t, const char *bytes, size_t len,
			 void (*fn)(void *data, const struct perf_map_entry *e), void *data)
{
	const char *at = bytes, *end = bytes + len, *newline;
	struct perf_map_entry e;

	for (; (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
		if (!t->in_long_line && !perf_map_line(at, (size_t)(newline - at), &e))
			fn(data, &e);
		t->in_long_line = false;
	}
	if (at > bytes || len < CHUNK)
		return (size_t)(at - bytes);
	if (!t->in_long_line && !perf_map_line(at, len, &e))
		fn(data, &e);
	t->in_long_line = true;
	return len;
}

int perf_map_poll(struct perf_map_tail *t, u64 max,
		  void (*fn)(void *data, const struct perf_map_entry *e), void *data)
{
	_cleanup_free_ char *bytes = malloc(CHUNK);
	ssize_t n = 0;

	if (!bytes)
		return -ENOMEM;
	if (is_another(t)) {
		perf_map_open_fd(t, t->fd);
		fn(data, NULL);
	}
	for (u64 end = t->off + max; t->off < end;) {
		size_t done;

		n = read_at(t->fd, bytes, CHUNK, t->off);
		if (n <= 0)
			return (int)n;
		done = take_lines(t, bytes, (size_t)n, fn, data);
		move_on(t, bytes, done);
		if ((size_t)n < CHUNK)
			return 0;
	}
	return 1;
}
