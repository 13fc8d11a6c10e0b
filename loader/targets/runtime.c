/* SPDX-License-Identifier: BSD-2-Clause */

#include "runtime.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/interpreters.h"
#include "../process/map_device.h"
#include "../process/maps.h"
#include "../runtime/runtimes.h"
#include "procs.h"

#define MAX_MAPPINGS 4096 /* maximum number of mappings that are examined in one process */
#define MAX_FILES 4096 /* maximum number of files in the cache */

struct file_key {
	u64 dev, inode, len, ctime_ns;
};

struct file_entry {
	struct file_key key;
	u32 runtime; /* index of the runtime in the file; N_RUNTIMES: none */
	struct runtime_info info; /* of that runtime */
};

struct runtime_cache {
	void *files; /* tsearch() tree of struct file_entry */
	struct map_devices devices;
	size_t n;
};

struct search {
	struct runtime_cache *cache;
	int pid;
	int n_mappings;
	u64 last_inode;
	struct interpreter interpreter; /* the first one that is mapped; name "": none */
	int err; /* error of a file that could not be read */
	struct runtime_info found[N_RUNTIMES]; /* has_runtime is false if the runtime was not
						* found */
	struct file_entry uncached;
};

static int by_key(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct file_key));
}

int runtime_cache_new(struct runtime_cache **cache)
{
	*cache = calloc(1, sizeof(**cache));
	return *cache ? 0 : -ENOMEM;
}

void runtime_cache_free(struct runtime_cache **cache)
{
	if (!*cache)
		return;
	tdestroy((*cache)->files, free);
	free(*cache);
	*cache = NULL;
}

static void say(struct runtime_info *info, const char *name, bool is_supported, const char *why_not)
{
	*info = (struct runtime_info){ .is_supported = is_supported,
				       .frames = is_supported ? "names, lines" : "native only" };
	snprintf(info->name, sizeof(info->name), "%s", name);
	snprintf(info->why_not, sizeof(info->why_not), "%s", why_not);
}

/* Return: whether the file contains runtime @r. */
static bool inspect_for(struct elf_file *elf, u32 r, struct runtime_info *info)
{
	struct runtime_build *b = NULL;
	bool is_supported = !runtime_build_new(&b, runtimes[r], elf, 0);
	const char *why_not;

	if (!b)
		return false;
	why_not = is_supported ? b->doubt : b->why;
	say(info, b->name, is_supported, why_not ? why_not : "");
	info->has_runtime = true;
	runtime_build_free(&b);
	return true;
}

static void inspect_file(int fd, u64 len, struct file_entry *e)
{
	_cleanup_(elf_file_free) struct elf_file *elf = NULL;

	e->runtime = N_RUNTIMES;
	for (u32 r = 0; r < N_RUNTIMES && e->runtime == N_RUNTIMES; r++) {
		if (len < runtimes[r]->min_file_len)
			continue;
		if (!elf && elf_file_open_fd(&elf, fd))
			return;
		if (inspect_for(elf, r, &e->info))
			e->runtime = r;
	}
}

/* Returns the cache entry of a file, after inspecting a new file. NULL: out of memory. */
static const struct file_entry *look_up(struct search *s, int fd, const struct stat *st)
{
	struct file_entry fresh = { .key = { (u64)st->st_dev, (u64)st->st_ino, (u64)st->st_size,
					     timespec_ns(st->st_ctim) } };
	struct file_entry **hit = tfind(&fresh.key, &s->cache->files, by_key);
	struct file_entry *e;

	if (hit)
		return *hit;
	inspect_file(fd, (u64)st->st_size, &fresh);
	if (s->cache->n == MAX_FILES) {
		s->uncached = fresh;
		return &s->uncached;
	}
	e = malloc(sizeof(*e));
	if (!e)
		return NULL;
	*e = fresh;
	if (!tsearch(e, &s->cache->files, by_key)) {
		free(e);
		return NULL;
	}
	s->cache->n++;
	return e;
}

/* Examines one executable mapping. Return: 1 to end the search. */
static int look_at(const struct maps_entry *m, void *data)
{
	struct search *s = data;
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	const struct file_entry *e;
	struct map_file file;
	struct stat st;
	int err;

	if (++s->n_mappings > MAX_MAPPINGS)
		return 1;
	if (!m->inode || m->inode == s->last_inode)
		return 0;
	s->last_inode = m->inode;
	path = malloc(m->path_len + 1);
	if (!path)
		return -ENOMEM;
	maps_path_unescape(m->path, m->path_len, path);
	if (!s->interpreter.name[0])
		interpreter_find(strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
				 &s->interpreter);
	file = (struct map_file){
		.pid = (u32)s->pid,
		.start_addr = m->start_addr,
		.end_addr = m->end_addr,
		.inode = m->inode,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.seen_ns = monotonic_ns(),
		.path = path,
	};
	err = map_device_open(&s->cache->devices, &file, &fd);
	if (!err && fstat(fd, &st))
		err = -errno;
	if (err) {
		s->err = err;
		return 0;
	}
	e = look_up(s, fd, &st);
	if (!e)
		return -ENOMEM;
	if (e->runtime < N_RUNTIMES && (e->info.is_supported || !s->found[e->runtime].has_runtime))
		s->found[e->runtime] = e->info;
	return s->found[0].is_supported;
}

/*
 * Chooses the first runtime whose frames can be named, or, if no runtime's frames can be named,
 * the last one found. Runtimes that precede the chosen one in the table are embedded in the
 * chosen one (ClearScript is V8 in .NET).
 * Return: false if there is none.
 */
static bool choose(struct runtime_info *info, const struct search *s)
{
	u32 best = N_RUNTIMES;

	for (u32 r = 0; r < N_RUNTIMES; r++)
		if (s->found[r].has_runtime && (best == N_RUNTIMES || !s->found[best].is_supported))
			best = r;
	if (best == N_RUNTIMES)
		return false;
	*info = s->found[best];
	for (u32 r = 0; r < best; r++)
		if (s->found[r].has_runtime && !info->why_not[0])
			snprintf(info->why_not, sizeof(info->why_not), "%.48s in it: %.64s",
				 s->found[r].name, s->found[r].why_not);
	return true;
}

/*
 * Whether @err means that the recorder itself lacks resources, so that the runtime stays unknown.
 */
static bool is_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

static void describe(struct runtime_info *info, const struct interpreter *interpreter, int pid)
{
	bool has_names = interpreter->has_perf_map && proc_has_perf_map(pid);

	say(info, interpreter->name, has_names, has_names ? "" : interpreter->advice);
	info->has_runtime = true;
	if (has_names)
		info->frames = "names";
}

int runtime_detect(struct runtime_cache *cache, int pid, struct runtime_info *info)
{
	struct search s = { .cache = cache, .pid = pid };
	int err = maps_each_exec((u32)pid, look_at, &s);

	if (err == -ESRCH || is_shortage(err))
		return err;
	if (!s.found[0].is_supported && is_shortage(s.err))
		return s.err;
	if (choose(info, &s))
		return 0;
	if (s.interpreter.name[0]) {
		describe(info, &s.interpreter, pid);
		return 0;
	}
	if (err < 0 || s.err == -EACCES || s.err == -EPERM)
		say(info, "?", false,
		    geteuid() ? "not readable; run as root"
			      : "not readable, even as root; see unspool doctor");
	else
		say(info, "native", true, "");
	info->frames = info->is_supported ? "by symbols" : "?";
	return 0;
}
