// SPDX-License-Identifier: BSD-2-Clause

#include "recorder.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/flight.h"
#include "../../inspect/util/cleanup.h"
#include "../sample/sampler.h"
#include "log.h"
#include "pinned.h"

#define MAX_ENTRIES 2048 /* limit of the entries that are counted per ring and tick */
/* maximum wait for a case, which may arrive late, or never if its sample is lost */
#define CASE_WAIT_NS 2000000000

struct recorder {
	struct recorder_config config;
	struct rings rings;
	int names_fd;
	struct pinned pinned; /* pid 0: not pinned */
	struct fl_cursor *cursors;
	struct prof_walks walks;
	u64 n_lost; /* samples lost before the last tick */
	u32 n_frozen; /* frozen rings at the last tick */
	u64 due_ns; /* deadline of the pending dump; 0: none is pending */
	struct fl_case cases[FL_MAX_CASES]; /* the cases of walks that froze rings since the last
					     * reset */
	u32 n_cases, n_asked; /* number of elements of cases; number of cases that arrived,
			       * including those for which there was no room */
	u64 epoch, mask; /* values at the last tick */
};

static int make_names(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "flight_names", sizeof(u32),
				sizeof(struct fl_names) + RINGS_NAME_WORDS * sizeof(u64), 1, &opts);

	return fd < 0 ? -errno : fd;
}

/* Measures the cost of an entry, then clears the rings. */
static void measure(struct recorder *r, const struct sampler *s)
{
	r->rings.control->mask = 1ull << FLIGHT_STEP;
	r->walks.entry_ps = sampler_flight_cost(s);
	r->rings.control->mask = 0;
	for (u32 i = 0; i < r->rings.n; i++)
		if (rings_at(&r->rings, i).ring->next)
			memset(r->rings.memory + r->rings.ring_len * i, 0, r->rings.ring_len);
}

static void start(struct recorder *r)
{
	struct flight_control *c = r->rings.control;
	struct fl_ring own = rings_at(&r->rings, r->rings.n - 1);

	c->format = rings_format();
	c->owner = (u32)getpid();
	c->pid = r->config.pid;
	c->freeze_on = r->config.freeze_on;
	__atomic_store_n(&c->mask, FLIGHT_DEFAULT_MASK, __ATOMIC_RELEASE);
	flight_log_to(c, (struct flight_ring *)own.ring, own.n_slots, r->rings.names,
		      RINGS_NAME_WORDS);
}

static int open_rings(struct recorder *r, int rings_fd, int control_fd, const char **what)
{
	struct rings_fds fds = { rings_fd, control_fd, make_names() };
	int err = fds.names < 0 ? fds.names : 0;

	r->names_fd = fds.names;
	*what = "cannot map the flight recorder's rings";
	if (!err)
		err = rings_map(&fds, true, &r->rings);
	if (!err)
		r->cursors = calloc(r->rings.n, sizeof(*r->cursors));
	if (!err && !r->cursors)
		err = -ENOMEM;
	if (err || !r->config.is_pinned)
		return err;
	err = pinned_make(&fds, &r->pinned);
	*what = "cannot pin the flight recorder's rings; run 'mount -t bpf bpf /sys/fs/bpf'";
	return err;
}

int recorder_new(struct recorder **out, const struct sampler *s, const struct recorder_config *c,
		 char *why, size_t why_len)
{
	int rings_fd, control_fd, err;
	struct recorder *r;
	const char *what;

	*out = NULL;
	if (!sampler_flight(s, &rings_fd, &control_fd)) {
		snprintf(why, why_len,
			 "this kernel refuses the flight recorder; record without "
			 "--flight and its options");
		return c->is_pinned || c->freeze_on || c->freezes_on_loss ? -ENOTSUP : 0;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->config = *c;
	err = open_rings(r, rings_fd, control_fd, &what);
	if (err) {
		snprintf(why, why_len, "%s: %s", what, strerror(-err));
		recorder_free(&r);
		return err;
	}
	measure(r, s);
	start(r);
	*out = r;
	return 0;
}

static void drop_cases(struct recorder *r)
{
	for (u32 i = 0; i < r->n_cases; i++)
		free((u8 *)r->cases[i].bytes);
	r->n_cases = r->n_asked = 0;
}

void recorder_add_case(struct recorder *r, const struct fl_case *c)
{
	struct fl_case kept = *c;

	r->n_asked++;
	if (c->len > FL_MAX_CASE_LEN || r->n_cases == FL_MAX_CASES) {
		free((u8 *)c->bytes);
		kept = (struct fl_case){ c->pid, c->status, NULL, 0, FL_CASE_FAILED };
	}
	if (r->n_cases < FL_MAX_CASES)
		r->cases[r->n_cases++] = kept;
}

u32 recorder_n_cases(const struct recorder *r)
{
	u32 n = 0;

	for (u32 i = 0; i < r->n_cases; i++)
		n += !r->cases[i].why_not;
	return n;
}

void recorder_free(struct recorder **recorder)
{
	struct recorder *r = *recorder;

	if (!r)
		return;
	flight_log_to(NULL, NULL, 1, NULL, 0);
	if (r->pinned.pid)
		pinned_remove(&r->pinned);
	drop_cases(r);
	rings_unmap(&r->rings);
	if (r->names_fd >= 0)
		close(r->names_fd);
	free(r->cursors);
	free(r);
	*recorder = NULL;
}

static u32 bucket(u64 ns)
{
	u32 i = ns ? 63 - (u32)__builtin_clzll(ns) : 0;

	return i < PROF_N_BUCKETS ? i : PROF_N_BUCKETS - 1;
}

static void count(struct prof_walks *c, const struct fl_entry *e)
{
	u64 frames = e->d[2];

	c->n++;
	c->ns += e->took_ns;
	c->frames += frames;
	c->walk_ns[bucket(e->took_ns)]++;
	if (frames)
		c->frame_ns[bucket(e->took_ns / frames)]++;
}

static void count_ring(struct recorder *r, u32 i)
{
	struct fl_ring ring = rings_at(&r->rings, i);
	struct fl_cursor *c = &r->cursors[i];
	u64 lost = c->lost;
	struct fl_entry e;

	for (u32 n = 0; n < MAX_ENTRIES && fl_ring_read(&ring, c, &e) == FL_ENTRY; n++)
		if (e.event == FLIGHT_END)
			count(&r->walks, &e);
	r->walks.uncounted += c->lost - lost;
}

/* Number of frozen rings. `unspool flight reset` starts a new epoch, which re-arms all rings. */
static u32 n_frozen(const struct recorder *r)
{
	u64 epoch = r->rings.control->epoch + 1;
	u32 n = 0;

	for (u32 i = 0; i + 1 < r->rings.n; i++)
		n += rings_at(&r->rings, i).ring->frozen_epoch == epoch;
	return n;
}

/* Return: whether newly frozen rings are ready to be dumped. */
static bool is_dump_due(struct recorder *r, bool is_last)
{
	u64 now_ns = flight_now();
	u32 before = r->n_frozen;
	bool is_due;

	if (r->epoch != r->rings.control->epoch)
		drop_cases(r);
	r->epoch = r->rings.control->epoch;
	r->n_frozen = n_frozen(r);
	if (r->n_frozen > before)
		r->due_ns = now_ns + CASE_WAIT_NS;
	is_due = r->due_ns && (is_last || !r->config.has_cases || r->n_asked >= r->n_frozen ||
			       now_ns >= r->due_ns);
	if (is_due)
		r->due_ns = 0;
	return is_due;
}

bool recorder_tick(struct recorder *r, u64 n_lost, bool is_last)
{
	bool is_due;

	for (u32 i = 0; i < r->rings.n; i++)
		count_ring(r, i);
	if (r->mask != r->rings.control->mask) {
		r->mask = r->rings.control->mask;
		flight_log_mask(r->mask);
	}
	is_due = is_dump_due(r, is_last);
	if (r->config.freezes_on_loss && n_lost > r->n_lost && !r->rings.control->is_stopped) {
		r->rings.control->is_stopped = 1;
		is_due = true;
	}
	r->n_lost = n_lost;
	return is_due;
}

/* Adds a lost case for each frozen ring whose case did not arrive in time. */
static void add_cases(const struct recorder *r, struct fl_dump *d)
{
	u32 n_lost = r->config.has_cases && !r->due_ns && r->n_frozen > r->n_asked
			     ? r->n_frozen - r->n_asked
			     : 0;

	memcpy(d->cases, r->cases, sizeof(r->cases));
	d->n_cases = r->n_cases;
	while (n_lost-- && d->n_cases < FL_MAX_CASES)
		d->cases[d->n_cases++] = (struct fl_case){ .why_not = FL_CASE_LOST };
}

int recorder_dump(void *recorder, FILE *to)
{
	const struct recorder *r = recorder;
	struct fl_dump d;
	int err = rings_to_dump(&r->rings, &d);

	if (err)
		return err;
	add_cases(r, &d);
	err = fl_dump_write(&d, to);
	free(d.rings);
	return err;
}

const struct prof_walks *recorder_walks(const struct recorder *r)
{
	return &r->walks;
}
