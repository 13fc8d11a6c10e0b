// SPDX-License-Identifier: BSD-2-Clause

/*
 * Names are stored in memory. Line tables are not: only the position of each table in the
 * file is stored, and the table is read and checked again when a sample contains the code.
 *
 * If a file has no times, each poll assigns start times to new code, and no code is valid
 * before the file was created:
 *
 *	polled_ns	new code is valid from here
 *	written_ns	code that replaced other code is valid from here
 *	now_ns		time of this poll
 */

#include "jit_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/jitdump/jd_index.h"
#include "../../inspect/jitdump/jd_tail.h"
#include "../../inspect/jitdump/perf_map.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"

/* when newer samples have been named, an older sample may still be named for this long */
#define KEEP_NS 2000000000ull
#define DROP_NS 1000000000ull
/* a record with a time further in the future was written with another clock */
#define AHEAD_NS 1000000000ull

struct jit_source {
	struct jit_source_config config;
	u64 dev, inode;
	struct jd_tail dump;
	struct perf_map_tail map;
	struct jd_index index;
	size_t counted; /* bytes of the index included in *config.used */
	u64 polled_ns, dropped_ns;
	u64 now_ns; /* time of this poll */
	u64 written_ns; /* time of the last write to the file; between polled_ns and now_ns */
	u64 last_ns; /* start time of the latest code */
	bool has_more, is_full, is_gone;
	bool is_anew; /* the file was rewritten since the last poll, so the old content is
		       * unknown */
	char name[PERF_MAP_MAX_NAME + 1];
	u8 *lines; /* copy of the DEBUG_INFO record that was read last */
	u64 lines_off;
	struct jdr_record lines_rec;
};

/* Time of the file's creation or last write in CLOCK_MONOTONIC; 0: long ago or unknown. */
static u64 file_time(struct jit_source *s, u32 which)
{
	u64 now = monotonic_ns(), real = clock_ns(CLOCK_REALTIME), at;
	int fd = s->config.is_map ? s->map.fd : s->dump.fd;
	const struct statx_timestamp *t;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, which | STATX_NLINK, &st) || !(st.stx_mask & which))
		return 0;
	s->is_gone = !st.stx_nlink;
	t = which == STATX_BTIME ? &st.stx_btime : &st.stx_mtime;
	at = (u64)t->tv_sec * NS_PER_S + t->tv_nsec;
	if (at >= real)
		return now;
	return real - at < now ? now - (real - at) : 0;
}

int jit_source_new(struct jit_source **source, int fd, const struct jit_source_config *config)
{
	struct jit_source *s = calloc(1, sizeof(*s));
	struct stat st;

	if (!s || fstat(fd, &st)) {
		free(s);
		close(fd);
		return -ENOMEM;
	}
	s->config = *config;
	s->dev = st.st_dev;
	s->inode = st.st_ino;
	s->map.fd = s->dump.fd = -1;
	if (config->is_map)
		perf_map_open_fd(&s->map, fd);
	else if (jd_tail_open_fd(&s->dump, fd)) {
		free(s);
		return -EINVAL;
	}
	if (config->is_map) /* its code may be older, but its age is unknown */
		s->polled_ns = file_time(s, STATX_BTIME);
	if (s->polled_ns < config->since_ns)
		s->polled_ns = config->since_ns;
	*source = s;
	return 0;
}

static void forget(struct jit_source *s)
{
	jd_index_deinit(&s->index);
	free(s->lines);
	s->lines = NULL;
	s->last_ns = 0;
	s->is_full = false;
}

/* Updates the memory use that all sources share. */
static void count(struct jit_source *s)
{
	*s->config.used += s->index.n_bytes - s->counted;
	s->counted = s->index.n_bytes;
}

void jit_source_free(struct jit_source **source)
{
	struct jit_source *s = *source;

	if (!s)
		return;
	forget(s);
	count(s);
	jd_tail_deinit(&s->dump);
	perf_map_deinit(&s->map);
	free(s);
	*source = NULL;
}

bool jit_source_is(const struct jit_source *s, u64 dev, u64 inode)
{
	return s->dev == dev && s->inode == inode;
}

bool jit_source_is_map(const struct jit_source *s)
{
	return s->config.is_map;
}

u64 jit_source_polled_ns(const struct jit_source *s)
{
	return s->polled_ns;
}

bool jit_source_is_gone(const struct jit_source *s)
{
	return s->is_gone;
}

bool jit_source_is_full(const struct jit_source *s)
{
	return s->is_full;
}

/*
 * Start time of code that was added between two polls: the time of the earlier poll, or, if
 * the code replaced other code, the time of the last write.
 */
static u64 stamp(const struct jit_source *s, u64 addr, u64 len)
{
	return s->is_anew || jd_index_live(&s->index, addr, len) ? s->written_ns : s->polled_ns;
}

/* New code replaces the older code at the same addresses even if there is no room for its name. */
static void add(struct jit_source *s, struct jd_code *c)
{
	c->from = c->from > s->last_ns ? c->from : s->last_ns;
	s->last_ns = c->from;
	if (*s->config.used + (s->index.n_bytes - s->counted) < JIT_MAX_BYTES &&
	    !jd_index_add(&s->index, c))
		return;
	s->is_full = true;
	if (jd_index_end(&s->index, c->addr, c->len, c->from))
		forget(s); /* no name is better than a wrong one */
}

/* Time from which a record is valid; NEVER_NS: the record is not valid for this process. */
static u64 time_of(const struct jit_source *s, const struct jdr_header *h,
		   const struct jdr_record *rec)
{
	bool is_known = !(h->flags & JD_FLAG_ARCH_TIME) && rec->time <= s->now_ns + AHEAD_NS;
	u64 from = is_known		? rec->time
		   : rec->id == JD_MOVE ? stamp(s, rec->move.new_addr, rec->move.code_len)
					: stamp(s, rec->load.addr, rec->load.code_len);

	if (s->config.until_ns != NEVER_NS && !is_known)
		return NEVER_NS;
	return from <= s->config.until_ns ? from : NEVER_NS;
}

static const char *cut_name(struct jit_source *s, const char *name, size_t len)
{
	len = len < PERF_MAP_MAX_NAME ? len : PERF_MAP_MAX_NAME;
	memcpy(s->name, name, len);
	s->name[len] = '\0';
	return s->name;
}

static void on_record(void *data, const struct jd_tail_event *e)
{
	struct jit_source *s = data;
	const struct jdr_record *rec = e->code;
	u64 from;

	if (e->what == JD_TAIL_NEW) {
		s->is_anew = s->polled_ns;
		forget(s);
	}
	if (e->what != JD_TAIL_CODE)
		return;
	from = time_of(s, e->header, rec);
	if (from == NEVER_NS)
		return;
	if (rec->id == JD_MOVE) {
		if (rec->move.pid == e->header->pid || rec->move.pid == s->config.pid)
			jd_index_move(&s->index, rec->move.old_addr, rec->move.new_addr,
				      from > s->last_ns ? from : s->last_ns);
	} else if (rec->load.pid == e->header->pid || rec->load.pid == s->config.pid) {
		add(s,
		    &(struct jd_code){ .addr = rec->load.addr,
				       .len = rec->load.code_len,
				       .from = from,
				       .index = rec->load.addr,
				       .off = e->debug ? e->debug_off : 0,
				       .name = cut_name(s, rec->load.name, rec->load.name_len) });
	}
}

static void on_line(void *data, const struct perf_map_entry *e)
{
	struct jit_source *s = data;

	if (!e) {
		s->is_anew = s->polled_ns;
		forget(s);
	} else
		add(s, &(struct jd_code){ .addr = e->addr,
					  .len = e->len,
					  .from = stamp(s, e->addr, e->len),
					  .name = cut_name(s, e->name, e->name_len) });
}

static void drop_old(struct jit_source *s, u64 sample_ns)
{
	if (sample_ns <= KEEP_NS || s->now_ns - s->dropped_ns < DROP_NS)
		return;
	s->dropped_ns = s->now_ns;
	jd_index_drop(&s->index, sample_ns - KEEP_NS);
}

bool jit_source_poll(struct jit_source *s, u64 until_ns)
{
	int r;

	if (!s->has_more && s->polled_ns > until_ns)
		return true;
	s->now_ns = monotonic_ns();
	s->written_ns = file_time(s, STATX_MTIME);
	if (s->written_ns < s->polled_ns)
		s->written_ns = s->polled_ns;
	r = s->config.is_map ? perf_map_poll(&s->map, JIT_POLL_BYTES, on_line, s)
			     : jd_tail_poll(&s->dump, JIT_POLL_BYTES, on_record, s);
	s->has_more = r > 0;
	if (r <= 0) {
		s->polled_ns = s->now_ns;
		s->is_anew = false;
	}
	drop_old(s, until_ns);
	count(s);
	return r <= 0;
}

static bool pread_all(int fd, u8 *bytes, size_t len, u64 off)
{
	return pread(fd, bytes, len, (off_t)off) == (ssize_t)len;
}

/*
 * Reads the lines of a piece of code. Return: false if the file no longer contains these
 * lines at the stored position.
 */
static bool read_lines(struct jit_source *s, const struct jd_code *c)
{
	const struct jdr_header *h = &s->dump.h;
	_cleanup_free_ u8 *bytes = NULL;
	struct jdr_record rec;
	u8 prefix[JD_P_LEN];
	u64 need;
	u32 len;

	if (s->lines && s->lines_off == c->off)
		return true;
	if (!pread_all(s->dump.fd, prefix, sizeof(prefix), c->off))
		return false;
	len = jdr_u32(h, prefix + JD_P_SIZE);
	bytes = len <= JD_TAIL_MAX_DEBUG ? malloc(len) : NULL;
	if (!bytes || !pread_all(s->dump.fd, bytes, len, c->off) ||
	    jdr_next(h, bytes, len, &rec, &need) != JDR_RECORD || rec.id != JD_DEBUG_INFO ||
	    rec.fault || rec.debug.addr != c->index ||
	    jdr_lines(h, &rec, rec.debug.addr, c->len) != JDR_LINES_GOOD)
		return false;
	free(s->lines);
	s->lines = TAKE_PTR(bytes);
	s->lines_off = c->off;
	s->lines_rec = rec;
	return true;
}

/* Finds the last line entry that begins at or before the address; entries are sorted. */
static void find_line(struct jit_source *s, const struct jd_code *code, u64 addr,
		      struct jit_code *c)
{
	struct jdr_cursor cursor = { 0 };
	struct jdr_entry e;

	if (!code->off || !read_lines(s, code))
		return;
	addr = addr - code->addr + code->index; /* the code may have moved */
	while (jdr_entry(&s->dump.h, &s->lines_rec, &cursor, &e) == 1 && e.addr <= addr) {
		c->file = e.file;
		c->line = e.line;
		c->column = e.column;
	}
}

int jit_source_find(struct jit_source *s, u64 addr, u64 time_ns, struct jit_code *c)
{
	const struct jd_code *code = jd_index_find(&s->index, addr, time_ns);

	if (!code)
		return -ENOENT;
	*c = (struct jit_code){ .name = *code->name ? code->name : NULL, .start_addr = code->addr };
	find_line(s, code, addr, c);
	return 0;
}
