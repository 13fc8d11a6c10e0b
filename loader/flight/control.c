// SPDX-License-Identifier: BSD-2-Clause

/* Shows and changes the recorded events of a running recorder. Writes only the control page. */

#include "../../inspect/util/clock.h"
#include "flight.h"

#include <errno.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"

enum mask_verb { MASK_SET, MASK_BITS, MASK_CLEAR, N_VERBS };

static const char *const verbs[N_VERBS] = { "set", "bits", "clear" };

struct options {
	u32 recorder;
	const char *verb, *words;
	bool takes_mask;
};

static const struct argp_option argp_options[] = { FLIGHT_RECORDER_OPTION, { 0 } };

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;
	struct options *o = p->input;

	if (key == FLIGHT_KEY_RECORDER)
		return flight_set_recorder(p, arg, &o->recorder);
	if (key == ARGP_KEY_ARG && o->takes_mask && !o->verb) {
		o->verb = arg;
		return 0;
	}
	if (key == ARGP_KEY_ARG && o->takes_mask && !o->words) {
		o->words = arg;
		return 0;
	}
	if (key == ARGP_KEY_ARG)
		return cli_fail(p, "unexpected argument '%s'; see --help", arg);
	if (key == ARGP_KEY_END && o->takes_mask && !o->words)
		return cli_fail(p, "missing arguments; use set, bits or clear with events: "
				   "'unspool flight mask bits step'");
	return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

static const struct argp show_argp = {
	.options = argp_options,
	.parser = parse_option,
	.doc = "Print the state of a flight recorder, and a command that restores its event mask.",
};
static const struct argp mask_argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "set|bits|clear EVENT[,EVENT]",
	.doc = "Choose the events that are recorded: only these (set), also these (bits), or no "
	       "longer these (clear). An EVENT "
	       "is "
	       "a word that 'show' prints, a class (walk, step, error, loader), or a number with a "
	       "bit for each event.",
};
static const struct argp clear_argp = {
	.options = argp_options,
	.parser = parse_option,
	.doc = "Hide the present entries from 'cat'. A dump still contains these entries.",
};
static const struct argp reset_argp = {
	.options = argp_options,
	.parser = parse_option,
	.doc = "Resume frozen rings. The conditions of --freeze stay set.",
};

static void print_mask(u64 mask)
{
	static const char *const words[] = {
#define X(name, class, word, words) word,
		FLIGHT_EVENT_LIST(X)
#undef X
	};
	const char *comma = "";

	if (!mask)
		putchar('0');
	for (u32 i = 0; i < FLIGHT_N_EVENTS; i++) {
		if (mask >> i & 1)
			printf("%s%s", comma, words[i]);
		if (mask >> i & 1)
			comma = ",";
	}
}

static void show_ring(const struct rings *r, u32 i)
{
	const struct flight_ring *ring = rings_at(r, i).ring;
	u64 age_ns = rings_age_ns(r, i);

	if (!ring->next)
		return;
	if (i + 1 < r->n)
		printf("# cpu %u: ", i);
	else
		printf("# recorder: ");
	printf("%llu entries written, %llu walks not recorded%s", ring->next, ring->suppressed,
	       ring->frozen_epoch == r->control->epoch + 1 ? ", frozen" : "");
	if (age_ns)
		printf("; the oldest entry is %.1f s old", (double)age_ns / 1e9);
	putchar('\n');
}

static void show(const struct pinned *p, const struct rings *r)
{
	const struct flight_control *c = r->control;

	printf("# recorder %u, %s; %u rings of %llu entries (%llu KiB), the last ring "
	       "for events of the recorder\n",
	       p->pid, p->is_alive ? "running" : "ended; 'unspool flight dump' removes its rings",
	       r->n, (r->ring_len / 64) - 1, r->ring_len * r->n >> 10);
	if (c->pid)
		printf("# only walks of process %u are recorded\n", c->pid);
	if (c->is_stopped)
		puts("# stopped because samples were lost; 'unspool flight reset' resumes");
	for (u32 i = 0; i < r->n; i++)
		show_ring(r, i);
	printf("unspool flight mask set ");
	print_mask(c->mask & ((1ull << FLIGHT_N_EVENTS) - 1));
	printf(" --recorder %u\n", p->pid);
}

static int show_all(u32 recorder)
{
	_cleanup_free_ struct pinned *v = NULL;
	struct rings r;
	size_t n = 0;

	if (recorder || pinned_list(&v, &n) || n < 2) {
		struct pinned p;
		int status = flight_open(recorder, &p, &r);

		if (!status) {
			show(&p, &r);
			rings_unmap(&r);
		}
		return status;
	}
	for (size_t i = 0; i < n; i++) {
		if (pinned_open(&v[i], &r)) {
			printf("# recorder %u: rings unreadable; run the same version of unspool, "
			       "as "
			       "the same user\n",
			       v[i].pid);
			continue;
		}
		show(&v[i], &r);
		rings_unmap(&r);
	}
	return CLI_OK;
}

int flight_show(int argc, char **argv)
{
	struct options o = { 0 };
	int status = cli_parse_or_exit_status(&show_argp, argc, argv, &o);

	return status != CLI_CONTINUE ? status : show_all(o.recorder);
}

static void change_mask(struct flight_control *c, enum mask_verb verb, u64 bits)
{
	u64 old = __atomic_load_n(&c->mask, __ATOMIC_RELAXED), new;

	do
		new = verb == MASK_SET ? bits : verb == MASK_BITS ? old | bits : old & ~bits;
	while (!__atomic_compare_exchange_n(&c->mask, &old, new, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED));
}

int flight_mask(int argc, char **argv)
{
	struct options o = { .takes_mask = true };
	int status = cli_parse_or_exit_status(&mask_argp, argc, argv, &o), err;
	u32 verb = 0;
	struct pinned p;
	struct rings r;
	char bad[64];
	u64 bits;

	if (status != CLI_CONTINUE)
		return status;
	while (verb < N_VERBS && strcmp(o.verb, verbs[verb]) != 0)
		verb++;
	if (verb == N_VERBS) {
		cli_error("unknown word '%s'; use set, bits or clear", o.verb);
		return CLI_USAGE;
	}
	err = flight_events(o.words, &bits, bad, sizeof(bad));
	if (err) {
		cli_error("'%s' %s", bad,
			  err == -ENOTSUP
				  ? "is an event that the kernel does not record; run 'unspool-sim "
				    "explain' on a case"
				  : "is not an event; use begin, end, step, fault, miss, "
				    "refused, limit, trigger, walk, error or loader");
		return CLI_USAGE;
	}
	status = flight_open(o.recorder, &p, &r);
	if (status)
		return status;
	change_mask(r.control, verb, bits);
	rings_unmap(&r);
	return CLI_OK;
}

static int change(const struct argp *argp, int argc, char **argv,
		  void (*fn)(struct flight_control *c))
{
	struct options o = { 0 };
	int status = cli_parse_or_exit_status(argp, argc, argv, &o);
	struct pinned p;
	struct rings r;

	if (status != CLI_CONTINUE)
		return status;
	status = flight_open(o.recorder, &p, &r);
	if (status)
		return status;
	fn(r.control);
	rings_unmap(&r);
	return CLI_OK;
}

static void clear(struct flight_control *c)
{
	c->clear_ns = monotonic_ns();
}

static void reset(struct flight_control *c)
{
	__atomic_fetch_add(&c->epoch, 1, __ATOMIC_SEQ_CST);
	c->is_stopped = 0;
}

int flight_clear(int argc, char **argv)
{
	return change(&clear_argp, argc, argv, clear);
}

int flight_reset(int argc, char **argv)
{
	return change(&reset_argp, argc, argv, reset);
}
