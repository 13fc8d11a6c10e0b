// SPDX-License-Identifier: BSD-2-Clause

/*
 * Each entry has a generation, which is odd while the entry is being written. The BPF
 * programs read the generation before and after a walk (uw_mapping.h), so a walk that
 * overlaps a change reports the change instead of mixing old and new frames.
 *
 * The mappings of a process are one extent of a pool. Extents are allocated first-fit. If
 * a change of a process's mappings frees an extent, the same change does not reuse it.
 */

#include "tables.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"

#define UNIT 16 /* extents are multiples of this many mappings */
#define N_UNITS (UW_MAX_MAPPINGS / UNIT)

struct tables {
	struct tables_memory m;
	u32 next_unit; /* the next search for free units starts here */
	u16 n_v8;
	u32 n_awaits; /* awaits ever added */
	bool taken[N_UNITS];
};

int tables_new(struct tables **tables, const struct tables_memory *memory)
{
	struct tables *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->m = *memory;
	*tables = t;
	return 0;
}

void tables_free(struct tables **t)
{
	free(*t);
	*t = NULL;
}

/*
 * Finds the entry of a process. If there is none and @create is set, finds a free entry
 * near the hash of the process. Otherwise returns NULL.
 */
static struct uw_process *find(struct tables *t, u32 pid, bool create)
{
	struct uw_process *unused = NULL;
	u32 hash = uw_process_hash(pid);

	for (u32 i = 0; i < UW_PROC_PROBES; i++) {
		struct uw_process *p = &t->m.processes[(hash + i) & (UW_MAX_PROCESSES - 1)];

		if (p->flags & UW_PROC_USED) {
			if (p->pid == pid)
				return p;
		} else if (!unused) {
			unused = p;
		}
	}
	return create ? unused : NULL;
}

static void begin_change(struct uw_process *p)
{
	__atomic_store_n(&p->gen, p->gen | 1, __ATOMIC_SEQ_CST);
}

static void end_change(struct uw_process *p)
{
	__atomic_store_n(&p->gen, p->gen + 1, __ATOMIC_SEQ_CST);
}

static void mark_units(struct tables *t, u64 extent, bool taken)
{
	u32 first = (u32)(extent >> 32) / UNIT, n = ((u32)extent + UNIT - 1) / UNIT;

	memset(t->taken + first, taken, n);
}

/* Allocates an extent for @n mappings. Return: 0 or -ENOSPC. */
static int take_extent(struct tables *t, u32 n, u64 *extent)
{
	u32 units = (n + UNIT - 1) / UNIT, run = 0;

	if (n > UW_MAX_MAPPINGS / 4)
		return -ENOSPC;
	for (u32 seen = 0; seen < N_UNITS + units; seen++) {
		u32 at = t->next_unit;

		t->next_unit = (at + 1) % N_UNITS;
		if (at == 0)
			run = 0; /* an extent must not wrap around */
		run = t->taken[at] ? 0 : run + 1;
		if (run >= units) {
			*extent = (u64)(at + 1 - units) * UNIT << 32 | n;
			mark_units(t, *extent, true);
			return 0;
		}
	}
	return -ENOSPC;
}

int tables_set_target(struct tables *t, u32 pid, u64 started_by_ns)
{
	struct uw_process *p = find(t, pid, true);
	u64 time = started_by_ns >> UW_TARGET_TIME_SHIFT;

	if (!p)
		return -ENOSPC;
	if (!(p->flags & UW_PROC_USED)) {
		begin_change(p);
		p->pid = pid;
		p->extent = 0;
		p->flags = UW_PROC_USED;
		end_change(p);
	}
	__atomic_store_n(&p->target_time, time < UINT32_MAX ? (u32)time : UINT32_MAX,
			 __ATOMIC_SEQ_CST);
	__atomic_or_fetch(&p->flags, UW_PROC_TARGET, __ATOMIC_SEQ_CST);
	return 0;
}

int tables_set_mappings(struct tables *t, const struct tables_key *key,
			const struct uw_mapping *maps, u32 n, u64 exec_id, u32 *gen)
{
	struct uw_process *p = find(t, key->pid, true);
	u64 extent, old;

	if (!p)
		return -ENOSPC;
	if (!n || take_extent(t, n, &extent)) {
		tables_clear_mappings(t, key->pid);
		return -ENOSPC;
	}
	memcpy(&t->m.mappings[extent >> 32], maps, n * sizeof(*maps));
	old = p->flags & UW_PROC_TABLES ? p->extent : 0;
	begin_change(p);
	p->pid = key->pid;
	p->start_ns = key->start_ns;
	p->exec_id = exec_id;
	p->extent = extent;
	p->flags = (p->flags & UW_PROC_TARGET) | UW_PROC_USED | UW_PROC_TABLES;
	end_change(p);
	mark_units(t, old, false);
	*gen = p->gen;
	return 0;
}

/* This does not affect a walk that is in progress, because that walk has already read exec_id. */
void tables_set_exec_id(struct tables *t, u32 pid, u64 exec_id)
{
	struct uw_process *p = find(t, pid, false);

	if (p && p->flags & UW_PROC_TABLES)
		__atomic_store_n(&p->exec_id, exec_id, __ATOMIC_SEQ_CST);
}

void tables_clear_mappings(struct tables *t, u32 pid)
{
	struct uw_process *p = find(t, pid, false);

	if (!p || !(p->flags & UW_PROC_TABLES))
		return;
	begin_change(p);
	p->flags &= ~(u32)UW_PROC_TABLES;
	mark_units(t, p->extent, false);
	p->extent = 0;
	end_change(p);
}

void tables_remove(struct tables *t, u32 pid)
{
	struct uw_process *p = find(t, pid, false);

	if (!p)
		return;
	tables_clear_mappings(t, pid);
	begin_change(p);
	p->flags = 0;
	end_change(p);
}

/*
 * Finds the entry of a file; if there is none, a free entry; if there is no free entry, an entry to
 * replace.
 */
static struct uw_file *find_file(struct tables *t, const struct uw_file *file)
{
	u32 hash = uw_file_hash(file->dev, file->inode);
	struct uw_file *best = &t->m.files[hash];

	for (u32 i = 0; i < UW_FILE_PROBES; i++) {
		struct uw_file *f = &t->m.files[(hash + i) & (UW_MAX_FILES - 1)];

		if (f->module && f->dev == file->dev && f->inode == file->inode)
			return f;
		if (best->module && !f->module)
			best = f;
	}
	return best;
}

void tables_add_file(struct tables *t, const struct uw_file *file)
{
	struct uw_file *f = find_file(t, file);

	if (!memcmp(f, file, sizeof(*f)))
		return;
	__atomic_store_n(&f->module, 0, __ATOMIC_SEQ_CST);
	f->inode = file->inode;
	f->size = file->size;
	f->changed_ns = file->changed_ns;
	f->dev = file->dev;
	__atomic_store_n(&f->module, file->module, __ATOMIC_SEQ_CST);
}

int tables_add_v8(struct tables *t, const struct v8_info *info, u16 *idx)
{
	for (u16 i = 0; i < t->n_v8; i++) {
		if (!memcmp(&t->m.v8_builds[i], info, sizeof(*info))) {
			*idx = i;
			return 0;
		}
	}
	if (t->n_v8 == UW_MAX_V8_BUILDS)
		return -ENOSPC;
	t->m.v8_builds[t->n_v8] = *info;
	*idx = t->n_v8++;
	return 0;
}

bool tables_want_awaits(const struct tables *t)
{
	return t->m.wants_awaits;
}

/*
 * Finds the entry with this key; if there is none, a free entry near the hash of the key; if there
 * is no free entry, an entry to replace.
 */
static struct dotnet_await *await_slot(struct tables *t, const struct dotnet_await *e)
{
	u32 hash = uw_await_hash(e->process_key, e->key), evicted = t->n_awaits % UW_AWAIT_PROBES;
	struct dotnet_await *slot = NULL;

	for (u32 i = 0; i < UW_AWAIT_PROBES; i++) {
		struct dotnet_await *at = &t->m.awaits[(hash + i) & (UW_MAX_AWAITS - 1)];

		if (at->process_key == e->process_key && at->key == e->key)
			return at;
		if (!slot && !at->process_key)
			slot = at;
	}
	return slot ? slot : &t->m.awaits[(hash + evicted) & (UW_MAX_AWAITS - 1)];
}

void tables_add_await(struct tables *t, const struct dotnet_await *e)
{
	struct dotnet_await *slot = await_slot(t, e);

	if (!memcmp(slot, e, sizeof(*e)))
		return;
	t->n_awaits++;
	__atomic_store_n(&slot->process_key, 0, __ATOMIC_SEQ_CST);
	slot->key = e->key;
	slot->hijack_addr = e->hijack_addr; /* in a union with slot and off */
	slot->from = e->from;
	slot->flags = e->flags;
	__atomic_store_n(&slot->process_key, e->process_key, __ATOMIC_SEQ_CST);
}
