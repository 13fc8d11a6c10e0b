/* SPDX-License-Identifier: BSD-2-Clause */

#include "maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"

struct cursor {
	const char *at, *end;
};

/* Parses the digits of a number and the character that must follow them. */
static bool number(struct cursor *c, int base, char after, u64 *value)
{
	u64 v = 0;
	const char *start = c->at;

	for (; c->at < c->end && *c->at != after; c->at++) {
		char ch = *c->at;
		int digit = ch >= '0' && ch <= '9'   ? ch - '0'
			    : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
						     : 16;

		if (digit >= base || __builtin_mul_overflow(v, (u64)base, &v) ||
		    __builtin_add_overflow(v, (u64)digit, &v))
			return false;
	}
	if (c->at == start || c->at == c->end)
		return false;
	c->at++;
	*value = v;
	return true;
}

static bool protection(struct cursor *c, u32 *prot)
{
	static const char letters[] = "rwxs";

	if (c->end - c->at < 5 || c->at[4] != ' ')
		return false;
	*prot = 0;
	for (int i = 0; i < 4; i++)
		if (c->at[i] == letters[i])
			*prot |= 1u << i;
		else if (c->at[i] != (i < 3 ? '-' : 'p'))
			return false;
	c->at += 5;
	return true;
}

int parse_maps_line(const char *line, size_t len, struct maps_entry *e)
{
	struct cursor c = { line, line + len };
	u64 start, end, off, major, minor, inode;
	u32 prot;

	/*
	 * 7f00-7f01 r-xp 00026000 fe:00 332096     /path; there is always a blank after the inode
	 */
	if (!number(&c, 16, '-', &start) || !number(&c, 16, ' ', &end) || !protection(&c, &prot) ||
	    !number(&c, 16, ' ', &off) || !number(&c, 16, ':', &major) ||
	    !number(&c, 16, ' ', &minor) || !number(&c, 10, ' ', &inode))
		return -EBADMSG;
	if (end <= start || major > 0xffffffff || minor > 0xffffffff)
		return -EBADMSG;
	while (c.at < c.end && *c.at == ' ')
		c.at++;
	*e = (struct maps_entry){
		.start_addr = start,
		.end_addr = end,
		.file_off = off,
		.inode = inode,
		.dev_major = major,
		.dev_minor = minor,
		.prot = prot,
		.path = c.at,
		.path_len = c.end - c.at,
	};
	return 0;
}

bool maps_path_unescape(const char *path, size_t len, char *dst)
{
	static const char deleted[] = " (deleted)";
	const size_t n = sizeof(deleted) - 1;
	bool is_deleted = len > n && !memcmp(path + len - n, deleted, n);

	if (is_deleted)
		len -= n;
	for (size_t i = 0; i < len; i++) {
		if (len - i >= 4 && !memcmp(path + i, "\\012", 4)) {
			*dst++ = '\n';
			i += 3;
		} else {
			*dst++ = path[i];
		}
	}
	*dst = '\0';
	return is_deleted;
}

static int each_with(u32 pid, u32 prot, int (*fn)(const struct maps_entry *e, void *data),
		     void *data)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[64];
	size_t cap = 0;
	ssize_t len;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (len = getline(&line, &cap, f)) > 0) {
		struct maps_entry e;

		if (line[len - 1] == '\n')
			len--;
		if (!parse_maps_line(line, len, &e) && (e.prot & prot) == prot)
			err = fn(&e, data);
	}
	if (!err && !feof(f))
		return errno == ESRCH || errno == ENOMEM ? -errno : -EIO;
	return err;
}

int maps_each(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data)
{
	return each_with(pid, 0, fn, data);
}

int maps_each_exec(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data)
{
	return each_with(pid, MAPS_EXEC, fn, data);
}

/* State of maps_each_code(), kept from one mapping to the next mapping if the two are adjacent. */
struct code_scan {
	int (*fn)(const struct maps_entry *e, void *data);
	void *data;
	u64 code_end; /* end of the last anonymous code, and end of the reserved memory after that
		       * code */
	u64 room; /* bytes of reserved memory that may still be reported */
	struct maps_entry reserved;
};

static int on_reserved(struct code_scan *s, const struct maps_entry *e)
{
	u64 len = e->end_addr - e->start_addr;
	struct maps_entry part = *e;

	s->reserved = *e;
	s->reserved.path = "";
	if (e->start_addr != s->code_end)
		return 0;
	if (len > s->room)
		part.end_addr = part.start_addr + s->room;
	s->reserved.start_addr = part.end_addr;
	s->room -= part.end_addr - part.start_addr;
	s->code_end = part.end_addr == e->end_addr ? e->end_addr : 0;
	return s->fn(&part, s->data);
}

static int on_code(struct code_scan *s, const struct maps_entry *e)
{
	struct maps_entry before = s->reserved;
	int err = 0;

	if (!e->inode && !e->path_len) {
		if (before.end_addr == e->start_addr && before.start_addr < before.end_addr) {
			if (before.end_addr - before.start_addr > MAPS_MAX_RESERVED)
				before.start_addr = before.end_addr - MAPS_MAX_RESERVED;
			err = s->fn(&before, s->data);
		}
		s->code_end = e->end_addr;
		s->room = MAPS_MAX_RESERVED;
	}
	return err ? err : s->fn(e, s->data);
}

static int look_at(const struct maps_entry *e, void *data)
{
	struct code_scan *s = data;

	if (e->prot & MAPS_EXEC)
		return on_code(s, e);
	return e->prot || e->inode || e->path_len ? 0 : on_reserved(s, e);
}

int maps_each_code(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data)
{
	struct code_scan s = { .fn = fn, .data = data };

	return maps_each(pid, look_at, &s);
}
