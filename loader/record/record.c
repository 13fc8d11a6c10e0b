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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/budget.h"
#include "../../inspect/util/clock.h"
#include "../commands.h"
#include "../report/report.h"
#include "progress.h"
#include "record.h"

#define FEW_SAMPLES 500
#define LAST_READ_NS (NS_PER_S / 2) /* time for reading targets after the end */

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
	const struct out_stop stop = { r->signal_fd, recording_is_stop_asked, r };
	struct prof_totals t;
	u64 n;
	int status;

	sampler_stop(r->sampler);
	r->stop_ns = monotonic_ns();
	budget_stop_at(r->stop_ns + LAST_READ_NS);
	if (!r->err && !r->view)
		r->err = session_tick(r->session, true);
	recording_tick_flight(r, true);
	t = recording_totals(r);
	if (!r->err)
		r->err = profile_finish(r->profile, &t);
	if (!r->options.quiet && isatty(STDERR_FILENO))
		progress_clear(stderr);
	recording_print_unheard(r);
	if (r->err && r->view) {
		cli_error("cannot write the profile: %s", strerror(-r->err));
		return CLI_FAILURE;
	}
	if (r->err) {
		if (!r->outputs.has_stdout)
			print_report(r, &stop);
		cli_error("cannot write '%s': %s; the file contains the samples up to this error",
			  r->outputs.partial_path, strerror(-r->err));
		return CLI_FAILURE;
	}
	n = profile_n_samples(r->profile) + r->earlier.samples;
	if (!n)
		return say_no_sample(r);
	if (r->view) {
		outputs_discard(&r->outputs);
		return CLI_OK;
	}
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

struct recording *recording_new(void)
{
	struct recording *r = calloc(1, sizeof(*r));

	if (!r) {
		cli_error("out of memory");
		return NULL;
	}
	r->command = COMMAND_NONE;
	r->signal_fd = -1;
	r->targets.cgroup_fd = -1;
	return r;
}

void recording_free(struct recording **recording)
{
	struct recording *r = *recording;

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
	free(r);
	*recording = NULL;
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

int recording_run(struct recording *r)
{
	int status = recording_start(r);

	if (status) {
		outputs_discard(&r->outputs);
		return status;
	}
	status = recording_run_command(r);
	if (status)
		return status;
	if (r->view)
		r->view->begin(r->view->data);
	recording_loop(r);
	if (r->view)
		r->view->end(r->view->data);
	status = finish(r);
	recording_end_command(r);
	return exit_status(r, status);
}

int cmd_record(int argc, char **argv)
{
	struct recording *r = recording_new();
	struct cli_parse parse = { 0 };
	int status;

	if (!r)
		return CLI_FAILURE;
	status = record_options_parse(argc, argv, &r->options, &parse);
	if (status) {
		cli_error("%s", parse.error);
		status = status == -ENOMEM ? CLI_FAILURE : CLI_USAGE;
	} else if (parse.done) {
		status = CLI_OK;
	} else {
		status = recording_run(r);
	}
	recording_free(&r);
	return status;
}
