/* SPDX-License-Identifier: BSD-2-Clause */

#include "perf_record.h"

#include <errno.h>
#include <string.h>

struct sample_id {
	u32 pid, tid;
	__u64 time;
	u32 cpu, res;
};

struct task_body { /* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	u32 pid, ppid, tid, ptid;
	__u64 time;
};

struct comm_body { /* the name follows, padded to a multiple of 8 bytes */
	u32 pid, tid;
};

struct mmap2_body { /* the path follows, padded to a multiple of 8 bytes */
	u32 pid, tid;
	__u64 addr, len, pgoff;
	u32 dev_major, dev_minor;
	__u64 inode, inode_gen;
	u32 prot, flags;
};

struct lost_body {
	__u64 id, lost;
};

static const struct sample_id *sample_id(const struct perf_event_header *rec)
{
	if (rec->size < sizeof(*rec) + sizeof(struct sample_id))
		return NULL;
	return (const void *)((const u8 *)rec + rec->size - sizeof(struct sample_id));
}

u64 perf_record_time(const struct perf_event_header *rec)
{
	const struct sample_id *id = sample_id(rec);

	return id ? id->time : 0;
}

/* Linux's perf_event_pid() returns 0 or -1 for a task without a pid in the namespace. */
static bool is_foreign(u32 pid, u32 tid)
{
	return (s32)pid <= 0 || (s32)tid <= 0;
}

/* The text after the fixed part of a record. Return: NULL if the text is not terminated. */
static const char *text_of(const u8 *body, size_t body_len, size_t fixed)
{
	const char *text = (const char *)body + fixed;

	if (body_len <= fixed || !memchr(text, '\0', body_len - fixed))
		return NULL;
	return text;
}

static int decode_task(const u8 *body, size_t len, struct process_event *ev)
{
	const struct task_body *t = (const void *)body;

	if (len < sizeof(*t))
		return -EBADMSG;
	ev->pid = t->pid;
	ev->tid = t->tid;
	ev->fork.ppid = t->ppid;
	ev->fork.ptid = t->ptid;
	return is_foreign(t->pid, t->tid) ? -ENOMSG : 0;
}

static int decode_comm(const u8 *body, size_t len, struct process_event *ev)
{
	const struct comm_body *c = (const void *)body;
	const char *name = text_of(body, len, sizeof(*c));

	if (!name || strlen(name) >= sizeof(ev->comm))
		return -EBADMSG;
	ev->pid = c->pid;
	ev->tid = c->tid;
	memcpy(ev->comm, name, strlen(name) + 1);
	return is_foreign(c->pid, c->tid) ? -ENOMSG : 0;
}

static int decode_mmap2(const u8 *body, size_t len, struct process_event *ev)
{
	const struct mmap2_body *m = (const void *)body;
	const char *path = text_of(body, len, sizeof(*m));

	if (!path || !m->len || m->addr + m->len < m->addr)
		return -EBADMSG;
	ev->pid = m->pid;
	ev->tid = m->tid;
	ev->mmap = (struct process_mmap_event){
		.start_addr = m->addr,
		.len = m->len,
		.file_off = m->pgoff,
		.inode = m->inode,
		.inode_gen = m->inode_gen,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.path = path,
	};
	return is_foreign(m->pid, m->tid) ? -ENOMSG : 0;
}

static int decode_lost(const u8 *body, size_t len, struct process_event *ev)
{
	const struct lost_body *l = (const void *)body;

	if (len < sizeof(*l))
		return -EBADMSG;
	ev->n_lost = l->lost;
	return 0;
}

static int decode_body(const struct perf_event_header *rec, const u8 *body, size_t len,
		       struct process_event *ev)
{
	switch (rec->type) {
	case PERF_RECORD_FORK:
		ev->type = PROCESS_FORK;
		return decode_task(body, len, ev);
	case PERF_RECORD_EXIT:
		ev->type = PROCESS_EXIT;
		return decode_task(body, len, ev);
	case PERF_RECORD_COMM:
		ev->type = rec->misc & PERF_RECORD_MISC_COMM_EXEC ? PROCESS_EXEC : PROCESS_COMM;
		return decode_comm(body, len, ev);
	case PERF_RECORD_MMAP2:
		ev->type = PROCESS_MMAP;
		if (rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			return -EBADMSG; /* a build id replaces the inode, but build ids were not
					  * requested */
		return decode_mmap2(body, len, ev);
	case PERF_RECORD_LOST:
		ev->type = PROCESS_LOST;
		return decode_lost(body, len, ev);
	}
	return -ENOMSG;
}

int perf_record_decode(const struct perf_event_header *rec, struct process_event *ev)
{
	const struct sample_id *id = sample_id(rec);
	struct process_event e = {};
	int err;

	if (!id)
		return -EBADMSG;
	e.time_ns = id->time;
	e.cpu = id->cpu;
	err = decode_body(rec, (const u8 *)(rec + 1), (const u8 *)id - (const u8 *)(rec + 1), &e);
	if (err)
		return err;
	*ev = e;
	return 0;
}

struct perf_ring *perf_rings_earliest(struct perf_ring **rings, u32 n, u64 until_ns)
{
	struct perf_ring *best = NULL;
	u64 best_ns = until_ns;

	for (u32 i = 0; i < n; i++) {
		const struct perf_event_header *rec = perf_ring_peek(rings[i]);
		u64 ns = rec ? perf_record_time(rec) : 0;

		if (rec && (best ? ns < best_ns : ns <= best_ns)) {
			best = rings[i];
			best_ns = ns;
		}
	}
	return best;
}
