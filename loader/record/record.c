// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool record: all steps from the command line to a profile.
 *
 *	options -> targets -> outputs -> sampler -> session -> loop -> outputs, messages
 *
 * Errors in the command line are reported before anything starts. After the start, every exit
 * goes through finish(), which writes the recorded samples.
 */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/util/clock.h"
#include "../commands.h"
#include "../process/processes.h"
#include "../report/report.h"
#include "progress.h"
#include "record.h"

#define FEW_SAMPLES 500
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

static struct prof_totals totals(const struct recording *r)
{
	struct sampler_counts c = sampler_counts(r->sampler);
	struct session_counts of = session_counts(r->session);
	u64 until_ns = r->stop_ns ? r->stop_ns : monotonic_ns();
	static const struct prof_walks none;

	return (struct prof_totals){ .lost = c.no_room + c.missed + of.n_dropped,
				     .lost_events = of.n_lost_events,
				     .cpu_ns =
					     clock_ns(CLOCK_PROCESS_CPUTIME_ID) + of.helper_cpu_ns,
				     .bpf_ns = c.bpf_ns,
				     .duration_ns = until_ns - r->start_ns,
				     .rows = rows(r, &of.rows),
				     .walks = r->flight ? *recorder_walks(r->flight) : none };
}

static int write_copy(void *data, FILE *to)
{
	struct recording *r = data;
	struct prof_totals t = totals(r);

	return profile_copy(r->profile, &t, to);
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

static void tick_flight(struct recording *r, bool is_last)
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
			int err = outputs_copy(&r->outputs, write_copy, r);

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
	struct prof_totals t = totals(r);

	r->flushed_ns = now_ns;
	r->err = profile_flush(r->profile);
	if (r->pid)
		proc_cpu_ns((int)r->pid, &r->cpu_last_ns);
	if (!r->options.quiet && isatty(STDERR_FILENO))
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

static void loop(struct recording *r)
{
	struct pollfd fds[] = { { .fd = r->signal_fd, .events = POLLIN },
				{ .fd = session_fd(r->session), .events = POLLIN } };
	u64 now_ns = r->start_ns;
	int more = 0;

	go_first();
	while (!r->stop && !r->err) {
		poll(fds, 2, more ? 0 : SESSION_TICK_MS);
		on_signals(r);
		more = session_tick(r->session, false);
		r->err = more < 0 ? more : 0;
		tick_flight(r, false);
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

static int say_no_sample(struct recording *r)
{
	double s = (double)(monotonic_ns() - r->start_ns) / NS_PER_S;

	outputs_discard(&r->outputs);
	if (r->pid) {
		proc_cpu_ns((int)r->pid, &r->cpu_last_ns);
		cli_error("no sample: pid %u used %.1f s of CPU in %.0f s; record while it is busy",
			  r->pid, (double)(r->cpu_last_ns - r->cpu_first_ns) / NS_PER_S, s);
	} else {
		cli_error("no sample in %.0f s: no target used the CPU; record a busy target", s);
	}
	return CLI_FAILURE;
}

/* Return: whether another signal arrived after the recording ended by a signal or by -d. */
static bool is_stop_asked(void *data)
{
	struct recording *r = data;
	u32 before = r->n_stops;

	on_signals(r);
	return r->n_stops != before;
}

static void print_report(const struct recording *r, const struct out_stop *stop)
{
	struct prof_reader *in = NULL;
	FILE *to = NULL;

	if (!outputs_read(&r->outputs, &in) && !out_stream_new(&to, STDOUT_FILENO, stop)) {
		report_print(to, in, &(struct report_options){ .width = report_width(stdout) });
		fclose(to);
	}
	prof_reader_free(&in);
}

/* Ends the recording and writes the files. Recorded samples are never discarded. */
static int finish(struct recording *r)
{
	const struct out_stop stop = { r->signal_fd, is_stop_asked, r };
	struct prof_totals t;
	u64 n;
	int status;

	sampler_stop(r->sampler);
	r->stop_ns = monotonic_ns();
	if (!r->err)
		r->err = session_tick(r->session, true);
	tick_flight(r, true);
	t = totals(r);
	if (!r->err)
		r->err = profile_finish(r->profile, &t);
	if (!r->options.quiet && isatty(STDERR_FILENO))
		progress_clear(stderr);
	recording_print_unheard(r);
	if (r->err) {
		if (!r->outputs.has_stdout)
			print_report(r, &stop);
		cli_error("cannot write '%s': %s; the file contains the samples up to this error",
			  r->outputs.partial_path, strerror(-r->err));
		return CLI_FAILURE;
	}
	n = profile_n_samples(r->profile);
	if (!n)
		return say_no_sample(r);
	if (!r->outputs.has_stdout)
		print_report(r, &stop);
	status = outputs_finish(&r->outputs, &stop);
	if (status)
		return status;
	recording_print_problems(r);
	if (n < FEW_SAMPLES && !r->options.quiet)
		fprintf(stderr, "hint: only %llu samples; record longer (-d) or faster (-F)\n", n);
	for (size_t i = 0; i < r->outputs.n; i++)
		if (strcmp(r->outputs.v[i].path, "-"))
			fprintf(stderr, "%s\n", r->outputs.v[i].path);
	return CLI_OK;
}

static void deinit(struct recording *r)
{
	session_free(&r->session);
	profile_free(&r->profile);
	recorder_free(&r->flight);
	sampler_free(&r->sampler);
	outputs_deinit(&r->outputs);
	target_set_deinit(&r->targets);
	ids_deinit(&r->followed);
	command_deinit(&r->command);
	record_options_deinit(&r->options);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
}

/*
 * If COMMAND ran, returns the status of COMMAND, or CLI_LATE_FAILURE if samples were recorded and
 * then something failed.
 */
static int exit_status(const struct recording *r, int status)
{
	if (!r->command_alone || !r->command_ran)
		return status;
	if (status && profile_n_samples(r->profile))
		return CLI_LATE_FAILURE;
	return r->command_status;
}

static int record(struct recording *r)
{
	int status = recording_start(r);

	if (status) {
		outputs_discard(&r->outputs);
		return status;
	}
	status = recording_run_command(r);
	if (status)
		return status;
	loop(r);
	status = finish(r);
	recording_end_command(r);
	return exit_status(r, status);
}

int cmd_record(int argc, char **argv)
{
	struct recording *r = calloc(1, sizeof(*r));
	struct cli_parse parse = { 0 };
	int status;

	if (!r) {
		cli_error("out of memory");
		return CLI_FAILURE;
	}
	r->command = COMMAND_NONE;
	r->signal_fd = -1;
	r->targets.cgroup_fd = -1;
	status = record_options_parse(argc, argv, &r->options, &parse);
	if (status) {
		cli_error("%s", parse.error);
		status = status == -ENOMEM ? CLI_FAILURE : CLI_USAGE;
	} else if (parse.done) {
		status = CLI_OK;
	} else {
		status = record(r);
	}
	deinit(r);
	free(r);
	return status;
}
