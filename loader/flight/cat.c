// SPDX-License-Identifier: BSD-2-Clause

/*
 * Prints the rings of a recording or of a dump as text: without --follow, one ring after the other;
 * with --follow, the new entries of all rings as they arrive. The entries of a walk are held back
 * until the end entry of the walk is read, because --on selects walks by the status in that entry.
 */

#include "../../inspect/util/array.h"
#include "../../inspect/util/clock.h"
#include "flight.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/flight/fl_text.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/text_stream.h"
#include "../cli/duration.h"
#include "../cli/reason.h"

/* limit of the entries that are held back for one walk, which has up to 1024 steps */
#define MAX_HELD 2200
#define WAIT_MS 50
#define ALL_CPUS (-1)
#define ALL_EVENTS (~0ull)
#define ALL_ENTRIES (~0ull)

struct options {
	const char *file; /* a dump; NULL: the rings of a recording */
	u32 recorder;
	int cpu; /* or ALL_CPUS */
	u32 pid; /* 0: all */
	u64 since_ns; /* before now, or before the dump was written; 0: all */
	u64 events; /* bits of enum flight_event */
	u64 statuses; /* bits of enum uw_status */
	bool follows, is_raw;
};

/* A ring that is being read. */
struct reading {
	struct fl_ring ring;
	struct fl_cursor cursor;
	u32 cpu;
	u64 lost; /* reported so far */
	struct fl_entry *held;
	u32 n_held;
};

struct cat {
	const struct options *o;
	struct fl_tables tables;
	struct reading *v;
	u32 n, cap;
	u64 from_ns; /* skip earlier entries */
	bool has_failed; /* stdout is closed */
};

enum { KEY_CPU = 0x100, KEY_SINCE, KEY_FOLLOW, KEY_EVENTS, KEY_ON, KEY_RAW };

static const struct argp_option argp_options[] = {
	{ "cpu", KEY_CPU, "N", 0, "Print only entries of this CPU", 1 },
	{ "pid", 'p', "PID", 0, "Print only walks of this process", 1 },
	{ "since", KEY_SINCE, "TIME", 0,
	  "Print only entries that are younger than TIME, in FILE when it was written: 10, 10s, "
	  "500ms or 2m",
	  1 },
	{ "events", KEY_EVENTS, "EVENT[,EVENT]", 0, "Print only these events or classes", 1 },
	{ "on", KEY_ON, "REASON", 0,
	  "Print only walks that end with this: truncated, failed, or a reason that 'unspool "
	  "report' prints",
	  1 },
	{ "follow", KEY_FOLLOW, NULL, 0, "Keep printing new entries until the recording ends", 2 },
	{ "raw", KEY_RAW, NULL, 0, "Print raw words, 16 hexadecimal digits each", 2 },
	FLIGHT_RECORDER_OPTION,
	{ 0 },
};

static int parse_events(struct cli_parse *p, const char *arg)
{
	struct options *o = p->input;
	char bad[64];

	if (flight_events(arg, &o->events, bad, sizeof(bad)))
		return cli_fail(
			p, "--events %s: '%s' is not an event; 'unspool flight show' lists them",
			arg, bad);
	return 0;
}

static int parse_on(struct cli_parse *p, const char *arg)
{
	struct options *o = p->input;
	u64 frames;

	if (reason_parse(arg, &o->statuses, &frames) || frames)
		return cli_fail(p,
				"--on %s: unknown reason; use truncated, failed, or a reason "
				"that 'unspool report' prints",
				arg);
	return 0;
}

static int parse_number(struct cli_parse *p, const char *option, const char *arg, int *out)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || n > 1 << 22)
		return cli_fail(p, "%s %s: give a number", option, arg);
	*out = (int)n;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;
	struct options *o = p->input;

	switch (key) {
	case FLIGHT_KEY_RECORDER:
		return flight_set_recorder(p, arg, &o->recorder);
	case KEY_CPU:
		return parse_number(p, "--cpu", arg, &o->cpu);
	case 'p':
		return parse_number(p, "-p", arg, (int *)&o->pid);
	case KEY_SINCE:
		return duration_parse(arg, &o->since_ns)
			       ? cli_fail(p, "--since %s: not a time; write 10, 10s, 500ms or 2m",
					  arg)
			       : 0;
	case KEY_EVENTS:
		return parse_events(p, arg);
	case KEY_ON:
		return parse_on(p, arg);
	case KEY_FOLLOW:
		o->follows = true;
		return 0;
	case KEY_RAW:
		o->is_raw = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->file)
			return cli_fail(p, "unexpected argument '%s'; see --help", arg);
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->file && (o->follows || o->recorder))
			return cli_fail(p, "--follow and --recorder select a recording; drop FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[FILE]",
	.doc = "Print the rings of a recording, or of FILE, which 'unspool flight dump' or "
	       "'unspool "
	       "record --freeze' wrote, one entry per line. Each line starts with the number of "
	       "the "
	       "CPU; the recorder's own entries start with a minus sign.",
};

static void print(struct cat *c, const struct reading *r, const struct fl_entry *e)
{
	if (e->event < 64 && !(c->o->events >> e->event & 1))
		return;
	if (r->cpu == RINGS_LOADER)
		fputs("-   ", stdout);
	else
		printf("%-3u ", r->cpu);
	if (c->o->is_raw)
		fl_text_words(e, stdout);
	else
		fl_text_entry(&c->tables, e, stdout);
	c->has_failed |= putchar('\n') == EOF;
}

/*
 * Return: whether the options select the walk whose entries are held back. @end: last entry
 *         of that walk, or NULL.
 */
static bool is_wanted(const struct cat *c, const struct reading *r, const struct fl_entry *end)
{
	const struct fl_entry *begin = &r->held[0];

	if (begin->event == FLIGHT_BEGIN) {
		if (begin->d[0] < c->from_ns)
			return false;
		if (c->o->pid && c->o->pid != begin->d[1] >> 32)
			return false;
	} else if (c->o->pid || c->from_ns) {
		return false; /* the first entry of the walk, which has the process and the time,
			       * was overwritten */
	}
	return c->o->statuses == REASON_ANY || (end && c->o->statuses >> (end->d[1] & 63) & 1);
}

static void release_held(struct cat *c, struct reading *r, const struct fl_entry *end)
{
	if (r->n_held && is_wanted(c, r, end))
		for (u32 i = 0; i < r->n_held; i++)
			print(c, r, &r->held[i]);
	r->n_held = 0;
}

static void take(struct cat *c, struct reading *r, const struct fl_entry *e)
{
	if (e->event >= FLIGHT_PROCESS) {
		if (e->d[0] >= c->from_ns && (!c->o->pid || c->o->pid == e->d[1] >> 32))
			print(c, r, e);
		return;
	}
	if (e->event == FLIGHT_BEGIN || r->n_held == MAX_HELD ||
	    (r->n_held && r->held[0].walk != e->walk))
		release_held(c, r, NULL);
	r->held[r->n_held++] = *e;
	if (e->event == FLIGHT_END)
		release_held(c, r, &r->held[r->n_held - 1]);
}

/* Releases the held walk first, because its entries precede the lost ones. */
static void report_lost(struct cat *c, struct reading *r)
{
	if (r->cursor.lost == r->lost)
		return;
	release_held(c, r, NULL);
	if (!c->o->is_raw && c->o->follows)
		c->has_failed |= printf("%-3u lost %llu\n", r->cpu, r->cursor.lost - r->lost) < 0;
	r->lost = r->cursor.lost;
}

/* Reads at most @max entries of each ring. */
static void read_rings(struct cat *c, u64 max)
{
	struct fl_entry e;

	for (u32 i = 0; i < c->n; i++) {
		struct reading *r = &c->v[i];

		for (u64 n = 0; n < max && !c->has_failed; n++) {
			if (fl_ring_read(&r->ring, &r->cursor, &e) != FL_ENTRY)
				break;
			report_lost(c, r);
			take(c, r, &e);
		}
	}
	c->has_failed |= fflush(stdout) || ferror(stdout);
}

/* Adds a ring, unless --cpu selects another one. */
static int add_reading(struct cat *c, struct fl_ring ring, u32 cpu)
{
	struct reading at = { .ring = ring, .cpu = cpu };

	if (c->o->cpu != ALL_CPUS && c->o->cpu != (int)cpu)
		return 0;
	if (array_reserve(c->v, c->cap, c->n + 1ul))
		return -ENOMEM;
	at.held = calloc(MAX_HELD, sizeof(*at.held));
	if (!at.held)
		return -ENOMEM;
	c->v[c->n++] = at;
	return 0;
}

/* Reads at most one ring length, because the recorder may write faster than this prints. */
static void cat_once(struct cat *c)
{
	u64 longest = 0;

	for (u32 i = 0; i < c->n; i++)
		if (c->v[i].ring.n_slots > longest)
			longest = c->v[i].ring.n_slots;
	read_rings(c, longest);
	for (u32 i = 0; i < c->n; i++)
		release_held(c, &c->v[i], NULL);
}

/* A recorder removes its pins when it ends, unless it was killed. */
static bool is_recorded(const struct pinned *p)
{
	return !access(p->dir, F_OK) && pinned_is_alive(p);
}

static void follow(struct cat *c, const struct pinned *p)
{
	bool is_last = false;

	while (!c->has_failed && !is_last) {
		is_last = !is_recorded(p);
		read_rings(c, ALL_ENTRIES);
		if (!is_last)
			poll(NULL, 0, WAIT_MS);
	}
}

/* Returns the time from which entries are printed. */
static u64 begin_of(const struct options *o, u64 from_ns, u64 now_ns)
{
	u64 since_ns = o->since_ns < now_ns ? now_ns - o->since_ns : 0;

	return o->since_ns && since_ns > from_ns ? since_ns : from_ns;
}

static int cat_rings(struct cat *c, const struct pinned *p, const struct rings *r)
{
	c->from_ns = begin_of(c->o, r->control->clear_ns, monotonic_ns());
	if (c->o->cpu != ALL_CPUS && (u32)c->o->cpu + 1 >= r->n) {
		cli_error("--cpu %d: this machine has CPUs 0 to %u", c->o->cpu, r->n - 2);
		return CLI_USAGE;
	}
	for (u32 i = 0; i < r->n; i++) {
		if (add_reading(c, rings_at(r, i), rings_cpu(r, i))) {
			cli_error("out of memory");
			return CLI_FAILURE;
		}
	}
	if (c->o->follows)
		follow(c, p);
	else
		cat_once(c);
	return CLI_OK;
}

static int cat_recording(struct cat *c)
{
	struct pinned p;
	struct rings r;
	int status = flight_open(c->o->recorder, &p, &r);

	if (status)
		return status;
	fl_tables_init(&c->tables);
	status = cat_rings(c, &p, &r);
	rings_unmap(&r);
	return status;
}

/* Prints all entries of a dump, including those that 'unspool flight clear' hid. */
static int cat_file(struct cat *c)
{
	struct fl_dump d;
	int status = flight_read_file(c->o->file, &d), err = 0;

	if (status)
		return status;
	c->tables = d.tables;
	c->from_ns = begin_of(c->o, 0, d.monotonic_ns);
	for (u32 i = 0; !err && i < d.n_rings; i++)
		err = add_reading(c, d.rings[i].ring, d.rings[i].cpu);
	if (err) {
		cli_error("out of memory");
		status = CLI_FAILURE;
	} else if (!c->n && c->o->cpu != ALL_CPUS) {
		cli_error("--cpu %d: '%s' has no entries of this CPU", c->o->cpu, c->o->file);
		status = CLI_USAGE;
	} else {
		cat_once(c);
	}
	if (!status && d.is_cut)
		fprintf(stderr, "%s: the dump is truncated, so its last entries are missing\n",
			c->o->file);
	fl_dump_deinit(&d);
	return status;
}

int flight_cat(int argc, char **argv)
{
	struct options o = { .cpu = ALL_CPUS, .events = ALL_EVENTS, .statuses = REASON_ANY };
	int status = cli_parse_or_exit_status(&argp, argc, argv, &o);
	_cleanup_free_ struct cat *c = calloc(1, sizeof(*c));

	if (status != CLI_CONTINUE)
		return status;
	if (!c) {
		cli_error("out of memory");
		return CLI_FAILURE;
	}
	c->o = &o;
	status = o.file ? cat_file(c) : cat_recording(c);
	for (u32 i = 0; i < c->n; i++)
		free(c->v[i].held);
	free(c->v);
	return status;
}
