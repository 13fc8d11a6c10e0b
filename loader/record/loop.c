// SPDX-License-Identifier: BSD-2-Clause

/* The loop of a recording: signals, samples, and work that is done once a second. */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/util/budget.h"
#include "../../inspect/util/clock.h"
#include "../process/processes.h"
#include "../report/report.h"
#include "progress.h"
#include "record.h"

#define PRIORITY 10 /* steps of nice(2) */
#define COMMAND_END_NS (10 * NS_PER_S) /* time that COMMAND may take to end after Ctrl-C */

static struct prof_rows rows(const struct recording *r, const struct row_counts *c)
{
	return (struct prof_rows){ .budget = r->options.max_memory,
				   .pages = c->pool.pages,
				   .rows = c->pool.rows,
				   .evicted = c->pool.evicted,
				   .refetched = c->refetched,
				   .refused = c->pool.refused + c->rules_refused,
				   .failed = c->failed };
}

struct prof_totals recording_totals(const struct recording *r)
{
	struct sampler_counts c = sampler_counts(r->sampler);
	struct session_counts of = session_counts(r->session);
	u64 until_ns = r->stop_ns ? r->stop_ns : monotonic_ns();
	static const struct prof_walks none;

	return (struct prof_totals){
		.lost = c.no_room + c.missed + of.n_dropped - r->earlier.lost,
		.lost_events = of.n_lost_events - r->earlier.lost_events,
		.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + of.helper_cpu_ns,
		.bpf_ns = c.bpf_ns,
		.duration_ns = until_ns - (r->earlier.samples ? r->profile_ns : r->start_ns),
		.rows = rows(r, &of.rows),
		.walks = r->flight ? *recorder_walks(r->flight) : none
	};
}

static int write_copy(void *data, FILE *to)
{
	struct recording *r = data;
	struct prof_totals t = recording_totals(r);

	return profile_copy(r->profile, &t, to);
}

int recording_copy(struct recording *r, char *path)
{
	return outputs_copy(&r->outputs, write_copy, r, path);
}

/* Writes a dump of the flight recorder beside the profile. */
static void dump_flight(struct recording *r, const char *because)
{
	u32 n_cases = r->flight ? recorder_n_cases(r->flight) : 0;
	struct out_job job = { recorder_dump, r->flight };
	char path[PATH_MAX];
	int err = -ENOTSUP;

	if (r->flight)
		err = outputs_beside(&r->outputs, &job, &r->n_dumps, ".fr", path);
	if (err)
		cli_error("cannot write the flight recorder: %s", strerror(-err));
	else
		fprintf(stderr, "flight recorder (%s%s): %s\n", because,
			n_cases ? "; 'unspool flight cases' extracts the walk" : "", path);
}

void recording_tick_flight(struct recording *r, bool is_last)
{
	struct sampler_counts c = sampler_counts(r->sampler);

	if (r->flight && recorder_tick(r->flight, c.no_room + c.missed, is_last))
		dump_flight(r, "frozen");
}

/*
 * Ctrl-C also goes to COMMAND, so the recording continues until COMMAND has ended. The recording
 * ends at once on any other signal, on a second Ctrl-C, and on a SIGINT that only this program
 * received.
 */
static void on_stop(struct recording *r, const struct signalfd_siginfo *info)
{
	bool is_first = !r->n_stops++;

	r->interrupted = true;
	if (is_first && info->ssi_signo == SIGINT && r->command_alone && r->command.pid &&
	    (info->ssi_code == SI_KERNEL || command_catches(&r->command, SIGINT)))
		r->interrupt_ns = monotonic_ns();
	else
		r->stop = true;
}

static void on_signals(struct recording *r)
{
	struct signalfd_siginfo info;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			recording_check_command(r);
		} else if (info.ssi_signo == SIGUSR2) {
			dump_flight(r, "SIGUSR2");
		} else if (info.ssi_signo == SIGUSR1 && r->stop_ns) {
			continue; /* no copy, because the final profile is being written */
		} else if (info.ssi_signo == SIGUSR1) {
			char path[PATH_MAX];
			int err = recording_copy(r, path);

			if (err)
				cli_error("cannot write a copy of the profile: %s", strerror(-err));
		} else {
			on_stop(r, &info);
		}
	}
}

static void once_a_second(struct recording *r, u64 now_ns)
{
	const char *runtime, *name = session_target_name(r->session, &runtime);
	struct prof_totals t = recording_totals(r);

	r->flushed_ns = now_ns;
	r->err = profile_flush(r->profile);
	if (r->pid)
		proc_cpu_ns((int)r->pid, &r->cpu_last_ns);
	if (r->view && !r->err)
		r->view->on_second(r->view->data, now_ns);
	if (!r->view && !r->options.quiet && isatty(STDERR_FILENO))
		progress_print(stderr,
			       &(struct progress){ .name = name ? name : r->name,
						   .runtime = runtime,
						   .elapsed_ns = now_ns - r->start_ns,
						   .samples = profile_n_samples(r->profile),
						   .complete = profile_n_complete(r->profile),
						   .lost = t.lost },
			       report_width(stderr));
	if (r->options.follow)
		r->err = r->err ?: recording_follow(r);
}

static void be_as_others(void)
{
	(void)!nice(PRIORITY);
}

/*
 * Raises the priority of the recorder. On an overloaded machine a slow recorder loses samples,
 * because it reads them too late, and stacks are truncated in code whose rows it has not loaded
 * yet. Ignores missing privileges; child processes keep the original priority.
 */
static void go_first(void)
{
	errno = 0;
	if (nice(-PRIORITY) == -1 && errno)
		return;
	pthread_atfork(NULL, NULL, be_as_others);
}

void recording_loop(struct recording *r)
{
	struct pollfd fds[] = { { .fd = r->signal_fd, .events = POLLIN },
				{ .fd = session_fd(r->session), .events = POLLIN } };
	u64 now_ns = r->start_ns;
	int more = 0;

	go_first();
	while (!r->stop && !r->err) {
		poll(fds, 2, more ? 0 : SESSION_TICK_MS);
		on_signals(r);
		if (!r->stop)
			budget_stop_at(NEVER_NS); /* a signal did not end the recording */
		if (r->view)
			r->view->on_tick(r->view->data);
		more = session_tick(r->session, false);
		r->err = more < 0 ? more : 0;
		recording_tick_flight(r, false);
		now_ns = monotonic_ns();
		if (!r->err && now_ns - r->flushed_ns >= NS_PER_S)
			once_a_second(r, now_ns);
		if (r->options.duration_ns && now_ns - r->start_ns >= r->options.duration_ns)
			r->stop = true;
		if (r->interrupt_ns && now_ns - r->interrupt_ns >= COMMAND_END_NS)
			r->stop = true;
		if (recording_is_eager(r) && !r->options.follow &&
		    !processes_n_alive(session_processes(r->session)))
			r->stop = true;
	}
}

/* Return: whether another signal arrived after the recording ended by a signal or by -d. */
bool recording_is_stop_asked(void *data)
{
	struct recording *r = data;
	u32 before = r->n_stops;

	on_signals(r);
	return r->n_stops != before;
}
