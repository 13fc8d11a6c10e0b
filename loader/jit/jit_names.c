// SPDX-License-Identifier: BSD-2-Clause

#include "jit_names.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"

/* two engines in the process, and one jitdump that the process inherited from its parent */
#define MAX_DUMPS 3
#define LOOK_NS 1000000000ull
#define LOOK_SOON_NS 20000000ull /* interval of checks after the perf map was deleted */

struct jit_names {
	size_t *used;
	struct jit_source *dumps[MAX_DUMPS];
	struct jit_source *map;
	const char *why; /* reason why a perf map is not trusted */
	u64 looked_ns;
};

struct jit_names *jit_names_new(size_t *used)
{
	struct jit_names *n = calloc(1, sizeof(*n));

	if (n)
		n->used = used;
	return n;
}

void jit_names_free(struct jit_names **names)
{
	if (!*names)
		return;
	for (u32 i = 0; i < MAX_DUMPS; i++)
		jit_source_free(&(*names)->dumps[i]);
	jit_source_free(&(*names)->map);
	free(*names);
	*names = NULL;
}

/* The code that existed at the fork is also in the child. */
static u64 birth_ns(const struct uw_sample *s)
{
	u64 mono = monotonic_ns(), ahead_ns = clock_ns(CLOCK_BOOTTIME) - mono;

	return s->start_ns > ahead_ns ? s->start_ns - ahead_ns : 0;
}

static void add_dump(struct jit_names *n, const struct process *p, const struct mapping *m,
		     const struct jit_source_config *config)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	u32 i = 0;

	if (jit_open_marker(p, m, &fd) || fstat(fd, &st))
		return;
	while (i < MAX_DUMPS && n->dumps[i] && !jit_source_is(n->dumps[i], st.st_dev, st.st_ino))
		i++;
	if (i < MAX_DUMPS && !n->dumps[i])
		jit_source_new(&n->dumps[i], TAKE_FD(fd), config);
}

static void look_for_dumps(struct jit_names *n, const struct process *p, u32 pid, u64 born_ns)
{
	struct jit_source_config config = { .pid = pid, .used = n->used };

	for (u32 i = 0; i < p->maps->n; i++) {
		const struct mapping *m = &p->maps->v[i];
		u32 writer;

		if (!jit_is_marker(m, &writer))
			continue;
		config.until_ns = writer == pid ? NEVER_NS : born_ns;
		add_dump(n, p, m, &config);
	}
}

/* A new file of the same name replaces the perf map. */
static void look_for_map(struct jit_names *n, const struct process *p, const struct jit_owner *o)
{
	struct jit_source_config config = { .is_map = true, .until_ns = NEVER_NS, .used = n->used };
	_cleanup_close_ int fd = -1;
	struct stat st;

	n->why = NULL;
	if (jit_open_map(p, o, &fd, &n->why) || fstat(fd, &st))
		return;
	if (n->map && jit_source_is(n->map, st.st_dev, st.st_ino))
		return;
	if (n->map)
		config.since_ns = jit_source_polled_ns(n->map);
	jit_source_free(&n->map);
	jit_source_new(&n->map, TAKE_FD(fd), &config);
}

static void look(struct jit_names *n, const struct process *p, const struct uw_sample *s)
{
	u64 now = monotonic_ns();
	u64 wait = n->map && jit_source_is_gone(n->map) ? LOOK_SOON_NS : LOOK_NS;
	struct jit_owner owner;

	if (p->exit_ns || (n->looked_ns && now - n->looked_ns < wait))
		return;
	n->looked_ns = now;
	if (jit_owner_read(p->pid, &owner))
		return;
	look_for_dumps(n, p, owner.pid, birth_ns(s));
	look_for_map(n, p, &owner);
}

bool jit_names_poll(struct jit_names *n, const struct process *p, const struct uw_sample *s)
{
	bool is_done = true;

	look(n, p, s);
	for (u32 i = 0; i < MAX_DUMPS && n->dumps[i]; i++)
		is_done &= jit_source_poll(n->dumps[i], s->time_ns);
	if (n->map)
		is_done &= jit_source_poll(n->map, s->time_ns);
	if (n->map && jit_source_is_gone(n->map))
		look(n, p, s); /* the next call of jit_source_poll() reads the new map */
	return is_done && (!n->map || jit_source_polled_ns(n->map) >= s->time_ns);
}

static const char *why_not(const struct jit_names *n)
{
	bool is_full = n->map && jit_source_is_full(n->map);

	for (u32 i = 0; i < MAX_DUMPS && n->dumps[i]; i++)
		is_full |= jit_source_is_full(n->dumps[i]);
	if (is_full)
		return "too many functions";
	if (n->dumps[0])
		return n->map ? "not in its jitdump or perf map" : "not in its jitdump";
	return n->map ? "not in its perf map" : n->why;
}

int jit_names_find(struct jit_names *n, u64 addr, u64 time_ns, struct jit_code *c, const char **why)
{
	struct jit_code unnamed = { 0 };

	for (u32 i = 0; i <= MAX_DUMPS; i++) {
		struct jit_source *s = i < MAX_DUMPS ? n->dumps[i] : n->map;

		if (!s || jit_source_find(s, addr, time_ns, c))
			continue;
		if (c->name)
			return 0;
		unnamed = *c;
	}
	*c = unnamed;
	*why = unnamed.start_addr ? "the JIT gave it no name" : why_not(n);
	return unnamed.start_addr ? 0 : -ENOENT;
}
