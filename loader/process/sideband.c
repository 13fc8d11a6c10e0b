/* SPDX-License-Identifier: BSD-2-Clause */

#include "sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "perf_record.h"
#include "perf_ring.h"

#define MAX_CPUS 4096
#define RINGS_BUDGET (16ul << 20) /* maximum length of all rings together */
#define MAX_RING_LEN (512ul << 10) /* about 4,000 records */
#define MIN_RING_LEN (64ul << 10)

struct cpu_ring {
	u32 cpu;
	int fd;
	void *map;
	struct perf_ring ring;
};

struct sideband {
	int epoll_fd;
	u32 n_rings, n_cpus; /* number of opened rings; number of possible CPUs */
	size_t ring_len, map_len;
	u64 n_lost, n_bad;
	struct perf_ring *last; /* ring whose record the caller is using */
	struct perf_ring **rings; /* the rings of cpus */
	struct cpu_ring **cpus;
};

static void ring_free(struct cpu_ring *r, size_t map_len)
{
	if (r->map)
		munmap(r->map, map_len);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

/*
 * Linux 6.0 and later versions count lost records per event; older versions only report
 * PROCESS_LOST.
 */
static int open_event(u32 cpu, size_t watermark, u64 read_format)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_RECORD_SAMPLE_TYPE,
		.read_format = read_format,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.disabled = 1, /* enabled when the ring is mapped */
		.mmap = 1, /* mmap_data is not set, so only executable mappings are reported */
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = watermark,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int map_ring(struct cpu_ring *r, size_t ring_len, size_t map_len)
{
	struct perf_event_mmap_page *page;
	void *map = mmap(NULL, map_len, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	page = r->map = map;
	r->ring.data = (const u8 *)map + (map_len - ring_len);
	r->ring.size = ring_len;
	r->ring.head = &page->data_head;
	r->ring.tail = &page->data_tail;
	return ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/*
 * Opens the event and the ring of a CPU. Return: 0, also for a CPU that is offline, or a negative
 * errno.
 */
static int add_cpu(struct sideband *sb, u32 cpu)
{
	struct epoll_event want = { .events = EPOLLIN };
	struct cpu_ring *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->cpu = cpu;
	r->fd = open_event(cpu, sb->ring_len / 8, PERF_FORMAT_LOST);
	if (r->fd == -EINVAL)
		r->fd = open_event(cpu, sb->ring_len / 8, 0);
	err = r->fd;
	if (r->fd >= 0)
		err = map_ring(r, sb->ring_len, sb->map_len);
	if (!err && epoll_ctl(sb->epoll_fd, EPOLL_CTL_ADD, r->fd, &want))
		err = -errno;
	if (err) {
		ring_free(r, sb->map_len);
		return err == -ENODEV ? 0 : err;
	}
	sb->rings[sb->n_rings] = &r->ring;
	sb->cpus[sb->n_rings++] = r;
	return 0;
}

/* The length of a ring: the largest power of two for which all rings fit into the budget. */
static size_t ring_len_for(size_t n_cpus)
{
	size_t len = MAX_RING_LEN;

	while (len > MIN_RING_LEN && len * n_cpus > RINGS_BUDGET)
		len /= 2;
	return len;
}

int sideband_new(struct sideband **out)
{
	_cleanup_(sideband_free) struct sideband *sb = calloc(1, sizeof(*sb));
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
	int err;

	if (!sb)
		return -ENOMEM;
	if (n_cpus < 1 || n_cpus > MAX_CPUS)
		n_cpus = MAX_CPUS;
	sb->n_cpus = (u32)n_cpus;
	sb->ring_len = ring_len_for(n_cpus);
	sb->map_len = sb->ring_len + sysconf(_SC_PAGESIZE);
	sb->rings = calloc(n_cpus, sizeof(*sb->rings));
	sb->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (sb->epoll_fd < 0)
		return -errno;
	sb->cpus = calloc(n_cpus, sizeof(*sb->cpus));
	if (!sb->rings || !sb->cpus)
		return -ENOMEM;
	for (long cpu = 0; cpu < n_cpus; cpu++) {
		err = add_cpu(sb, cpu);
		if (err)
			return err;
	}
	if (!sb->n_rings)
		return -ENODEV;
	*out = TAKE_PTR(sb);
	return 0;
}

void sideband_free(struct sideband **sb)
{
	struct sideband *s = *sb;

	if (!s)
		return;
	for (u32 i = 0; i < s->n_rings; i++)
		ring_free(s->cpus[i], s->map_len);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	free(s->rings);
	free(s->cpus);
	free(s);
	*sb = NULL;
}

int sideband_renew(struct sideband *sb, u32 cpu)
{
	u32 i = 0;

	while (i < sb->n_rings && sb->cpus[i]->cpu != cpu)
		i++;
	if (i < sb->n_rings) {
		if (sb->last == sb->rings[i])
			sb->last = NULL;
		ring_free(sb->cpus[i], sb->map_len);
		sb->n_rings--;
		sb->rings[i] = sb->rings[sb->n_rings];
		sb->cpus[i] = sb->cpus[sb->n_rings];
	}
	return sb->n_rings < sb->n_cpus ? add_cpu(sb, cpu) : 0;
}

int sideband_fd(const struct sideband *sb)
{
	return sb->epoll_fd;
}

bool sideband_next(struct sideband *sb, u64 until_ns, struct process_event *ev)
{
	for (;;) {
		int err;

		if (sb->last)
			perf_ring_consume(sb->last);
		sb->last = perf_rings_earliest(sb->rings, sb->n_rings, until_ns);
		if (!sb->last)
			return false;
		err = perf_record_decode(perf_ring_peek(sb->last), ev);
		if (err == -EBADMSG)
			sb->n_bad++;
		if (err)
			continue;
		if (ev->type == PROCESS_LOST)
			sb->n_lost += ev->n_lost;
		return true;
	}
}

u64 sideband_n_lost(const struct sideband *sb)
{
	struct {
		u64 value, lost; /* PERF_FORMAT_LOST */
	} counts;
	u64 n = 0;

	for (u32 i = 0; i < sb->n_rings; i++)
		if (read(sb->cpus[i]->fd, &counts, sizeof(counts)) == sizeof(counts))
			n += counts.lost;
	return n > sb->n_lost ? n : sb->n_lost;
}

u64 sideband_n_bad(const struct sideband *sb)
{
	u64 n = sb->n_bad;

	for (u32 i = 0; i < sb->n_rings; i++)
		n += sb->rings[i]->n_bad;
	return n;
}
