// SPDX-License-Identifier: BSD-2-Clause

#include "rings.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../core/uw_status.h"
#include "../../inspect/util/clock.h"

#define MAX_RINGS 8193 /* 8192 CPUs, the maximum of Linux, and one ring of the recorder */

static u64 page_aligned(u64 len)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	return (len + page - 1) & ~(page - 1);
}

/* Checks that a BPF map is an array that can be mapped. Returns 0 or a negative errno. */
static int check_map(int fd, struct bpf_map_info *info)
{
	u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (bpf_obj_get_info_by_fd(fd, info, &len))
		return -errno;
	return info->type == BPF_MAP_TYPE_ARRAY && info->map_flags & BPF_F_MMAPABLE &&
			       !(info->value_size % 8)
		       ? 0
		       : -EBADMSG;
}

static int map_memory(int fd, u64 len, bool is_written, void **out)
{
	void *at = mmap(NULL, page_aligned(len), PROT_READ | (is_written ? PROT_WRITE : 0),
			MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	*out = at;
	return 0;
}

static int map_rings(int fd, bool is_owner, struct rings *r)
{
	struct bpf_map_info info;
	struct fl_ring ring;
	void *at = NULL;
	int err = check_map(fd, &info);

	if (!err && (info.max_entries < 2 || info.max_entries > MAX_RINGS))
		err = -EBADMSG;
	if (!err)
		err = fl_ring_init(NULL, info.value_size, &ring);
	if (!err)
		err = map_memory(fd, (u64)info.value_size * info.max_entries, is_owner, &at);
	if (err)
		return err;
	r->memory = at;
	r->ring_len = info.value_size;
	r->n = info.max_entries;
	return 0;
}

static int map_one(int fd, u64 len, bool is_written, void **out)
{
	struct bpf_map_info info;
	int err = check_map(fd, &info);

	if (!err && (info.max_entries != 1 || info.value_size != len))
		err = -EBADMSG;
	return err ? err : map_memory(fd, len, is_written, out);
}

static u64 names_len(void)
{
	return sizeof(struct fl_names) + RINGS_NAME_WORDS * sizeof(u64);
}

int rings_map(const struct rings_fds *fds, bool is_owner, struct rings *out)
{
	struct rings r = { 0 };
	void *at = NULL;
	int err = map_rings(fds->rings, is_owner, &r);

	if (!err)
		err = map_one(fds->control, sizeof(struct flight_control), true, &at);
	if (!err) {
		r.control = at;
		err = map_one(fds->names, names_len(), is_owner, &at);
	}
	if (!err)
		r.names = at;
	if (err)
		rings_unmap(&r);
	else
		*out = r;
	return err;
}

void rings_unmap(struct rings *r)
{
	if (r->memory)
		munmap(r->memory, page_aligned(r->ring_len * r->n));
	if (r->control)
		munmap(r->control, page_aligned(sizeof(*r->control)));
	if (r->names)
		munmap(r->names, page_aligned(names_len()));
	*r = (struct rings){ 0 };
}

struct fl_ring rings_at(const struct rings *r, u32 i)
{
	struct fl_ring ring = { 0 };

	fl_ring_init(r->memory + r->ring_len * i, r->ring_len, &ring);
	return ring;
}

u32 rings_cpu(const struct rings *r, u32 i)
{
	return i + 1 < r->n ? i : RINGS_LOADER;
}

u64 rings_age_ns(const struct rings *r, u32 i)
{
	u64 now_ns = monotonic_ns();
	struct fl_ring ring = rings_at(r, i);
	struct fl_cursor c = { 0 };
	struct fl_entry e;

	for (u64 n = 0; n < ring.n_slots && fl_ring_read(&ring, &c, &e) == FL_ENTRY; n++)
		if (e.event == FLIGHT_BEGIN || e.event >= FLIGHT_PROCESS)
			return e.d[0] < now_ns ? now_ns - e.d[0] : 0;
	return 0;
}

int rings_to_dump(const struct rings *r, struct fl_dump *out)
{
	struct fl_dump_ring *rings = calloc(r->n, sizeof(*rings));

	if (!rings)
		return -ENOMEM;
	*out = (struct fl_dump){ .control = *r->control,
				 .monotonic_ns = monotonic_ns(),
				 .realtime_ns = clock_ns(CLOCK_REALTIME),
				 .rings = rings,
				 .names = r->names,
				 .n_name_words = RINGS_NAME_WORDS };
	fl_tables_init(&out->tables);
	for (u32 i = 0; i < r->n; i++) {
		rings[out->n_rings].ring = rings_at(r, i);
		rings[out->n_rings].cpu = rings_cpu(r, i);
		/* Skips the rings of CPUs that were never online. */
		out->n_rings += rings[out->n_rings].ring.ring->next > 0;
	}
	return 0;
}

u32 rings_format(void)
{
	static const char text[] = UNSPOOL_VERSION
#define X(name, class, word, words) class word words
		FLIGHT_EVENT_LIST(X)
#undef X
#define X(name, class, words, meaning) words
			UW_STATUS_LIST(X)
#undef X
		;
	u32 hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < sizeof(text); i++)
		hash = (hash ^ (u8)text[i]) * 16777619u;
	return hash;
}
