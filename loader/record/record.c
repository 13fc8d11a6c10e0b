// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool record: from the command line to a profile.
 *
 *	options -> targets -> outputs -> sampler -> session -> loop -> outputs, report
 *
 * Whatever can be wrong with the command line is said before anything starts. From
 * then on every way out goes through finish(), which writes what was recorded.
 */

#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "../../inspect/util/cleanup.h"
#include "../cli/cli.h"
#include "../commands.h"
#include "../doctor/doctor.h"
#include "../report/report.h"
#include "../session/session.h"
#include "../targets/command.h"
#include "../targets/procs.h"
#include "../targets/target_set.h"
#include "output.h"
#include "progress.h"

#define SECOND_NS 1000000000ull
#define FEW_SAMPLES 500

struct recording {
	struct record_options options;
	struct target_set targets;
	struct outputs outputs;
	struct command command;
	struct sampler *sampler;
	struct session *session;
	struct profile *profile;
	char name[PROC_NAME_LEN]; /* of the target */
	u32 pid; /* of the target, 0: several */
	u64 cpu_first_ns, cpu_last_ns; /* CPU time of pid, for when there is no sample */
	int signal_fd;
	u64 start_ns, flushed_ns;
	bool command_alone; /* its status is passed on */
	bool command_ran;
	int command_status;
	bool stop, interrupted;
	int err; /* of the profile */
};

static u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * SECOND_NS + (u64)t.tv_nsec;
}

static struct prof_totals totals(const struct recording *r)
{
	struct sampler_counts c = sampler_counts(r->sampler);

	return (struct prof_totals){ .lost = c.no_room + c.missed + session_n_dropped(r->session),
				     .cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
				     .bpf_ns = c.bpf_ns,
				     .duration_ns = clock_ns(CLOCK_MONOTONIC) - r->start_ns };
}

static enum uw_target_mode sampler_mode(enum target_mode mode)
{
	switch (mode) {
	case TARGET_ALL:
		return UW_TARGET_ALL;
	case TARGET_TIDS:
		return UW_TARGET_TIDS;
	case TARGET_CGROUP:
		return UW_TARGET_CGROUP;
	default:
		return UW_TARGET_PIDS;
	}
}

static bool is_eager(const struct recording *r)
{
	return r->targets.mode != TARGET_ALL && r->targets.mode != TARGET_CGROUP;
}

static int start_sampler(struct recording *r)
{
	struct sampler_config config = { .hz = r->options.hz,
					 .mode = sampler_mode(r->targets.mode),
					 .cgroup_fd = r->targets.cgroup_fd };
	char why[256], better[256];

	if (r->targets.mode == TARGET_TIDS) {
		config.tids = (const u32 *)r->targets.ids.v;
		config.n_tids = (u32)r->targets.ids.n;
	}
	if (!sampler_new(&r->sampler, &config, why, sizeof(why)))
		return CLI_OK;
	cli_error("%s", doctor_why_not(better, sizeof(better)) ? better : why);
	return CLI_CANNOT_RUN;
}

static int start_profile(struct recording *r)
{
	struct utsname u = { 0 };
	struct prof_header header = { .start_unix_ns = clock_ns(CLOCK_REALTIME),
				      .start_boottime_ns = clock_ns(CLOCK_BOOTTIME),
				      .hz = r->options.hz };
	char command[1024] = "";
	int err;

	uname(&u);
	header.arch = strcmp(u.machine, "aarch64") ? u.machine : "arm64";
	header.kernel = u.release;
	for (char **arg = r->options.command; arg && *arg; arg++) {
		size_t len = strlen(command);

		snprintf(command + len, sizeof(command) - len, "%s%s", len ? " " : "", *arg);
	}
	header.command = *command ? command : NULL;
	err = profile_new(&r->profile, r->outputs.partial, &header);
	if (err)
		cli_error("cannot write '%s': %s", r->outputs.partial_path, strerror(-err));
	return err ? CLI_FAILURE : CLI_OK;
}

/* Whose process a target is: with -t the thread's. */
static u32 process_of(const struct recording *r, u32 id)
{
	int leader;

	if (r->targets.mode != TARGET_TIDS || proc_kind_of((int)id, &leader) != PROC_IS_THREAD)
		return id;
	return (u32)leader;
}

/* A target that ended between then and now is no mistake: what is left is recorded. */
static int add_targets(struct recording *r)
{
	int err = 0;

	if (r->command.pid && r->command_alone)
		err = session_add_target(r->session, (u32)r->command.pid);
	for (size_t i = 0; !err && is_eager(r) && i < r->targets.ids.n; i++) {
		u32 id = (u32)r->targets.ids.v[i];

		err = session_add_target(r->session, process_of(r, id));
		if (err == -ESRCH)
			err = 0;
	}
	if (!err)
		return CLI_OK;
	cli_error("cannot read the target: %s; run as root (see `unspool doctor`)", strerror(-err));
	return CLI_CANNOT_RUN;
}

static int start_session(struct recording *r)
{
	struct session_config config = { .sampler = r->sampler,
					 .profile = r->profile,
					 .start_ns = clock_ns(CLOCK_MONOTONIC),
					 .eager = is_eager(r) };
	char why[256];
	int status;

	r->start_ns = r->flushed_ns = config.start_ns;
	if (session_new(&r->session, &config, why, sizeof(why))) {
		cli_error("%s", why);
		return CLI_CANNOT_RUN;
	}
	if (r->command_alone)
		session_preload(r->session, r->options.command[0]);
	status = add_targets(r);
	if (status)
		return status;
	if (sampler_start(r->sampler, why, sizeof(why))) {
		cli_error("%s", why);
		return CLI_CANNOT_RUN;
	}
	return CLI_OK;
}

/* What the recording is called after, and whose pid stands for it. */
static void find_name(struct recording *r)
{
	struct proc_names names;

	snprintf(r->name, sizeof(r->name), "all");
	if (r->command_alone) {
		const char *slash = strrchr(r->options.command[0], '/');

		snprintf(r->name, sizeof(r->name), "%s", slash ? slash + 1 : r->options.command[0]);
		r->pid = (u32)r->command.pid;
	} else if (is_eager(r) && r->targets.ids.n == 1) {
		r->pid = process_of(r, (u32)r->targets.ids.v[0]);
		if (!proc_names_read((int)r->pid, &names))
			snprintf(r->name, sizeof(r->name), "%s", names.name);
	}
	if (r->pid)
		proc_cpu_ns((int)r->pid, &r->cpu_first_ns);
	r->cpu_last_ns = r->cpu_first_ns;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int write_copy(void *data, FILE *to)
{
	struct recording *r = data;
	struct prof_totals t = totals(r);

	return profile_copy(r->profile, &t, to);
}

static void on_child(struct recording *r)
{
	int status;

	if (!r->command.pid || waitpid(r->command.pid, &status, WNOHANG) != r->command.pid)
		return;
	r->command_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	r->command.pid = 0;
	r->stop = true;
}

/* Waits for COMMAND's end, @ms at most. */
static void await_command(struct recording *r, int ms)
{
	for (on_child(r); r->command.pid && ms > 0; ms -= 10) {
		poll(NULL, 0, 10);
		on_child(r);
	}
}

/* A descendant of COMMAND that went off as a session of its own is left alone. */
static void terminate(u32 pid, void *data)
{
	(void)data;
	if (getpgid((pid_t)pid) == getpgrp())
		kill((pid_t)pid, SIGTERM);
}

/*
 * What was started for the recording ends with it, children included. After Ctrl-C the
 * terminal has told them already.
 */
static void end_command(struct recording *r)
{
	pid_t pid = r->command.pid;

	if (!r->command_ran || !pid)
		return;
	await_command(r, r->interrupted ? 1000 : 0);
	if (r->command_alone)
		session_each_alive(r->session, terminate, NULL);
	else if (r->command.pid)
		kill(pid, SIGTERM);
	await_command(r, 5000);
	if (r->command.pid)
		cli_error("'%s' (pid %d) does not end on SIGTERM; it still runs",
			  r->options.command[0], pid);
	else if (!r->interrupted)
		r->command_status = CLI_OK; /* it was this program that ended it */
}

static void on_signals(struct recording *r)
{
	struct signalfd_siginfo info;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			on_child(r);
		} else if (info.ssi_signo == SIGUSR1) {
			int err = outputs_copy(&r->outputs, write_copy, r);

			if (err)
				cli_error("cannot write the profile so far: %s", strerror(-err));
		} else {
			r->interrupted = r->stop = true;
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
		progress_print(&(struct progress){ .name = name ? name : r->name,
						   .runtime = runtime,
						   .elapsed_ns = now_ns - r->start_ns,
						   .samples = profile_n_samples(r->profile),
						   .complete = profile_n_complete(r->profile),
						   .lost = t.lost });
}

static void loop(struct recording *r)
{
	struct pollfd fds[] = { { .fd = r->signal_fd, .events = POLLIN },
				{ .fd = session_fd(r->session), .events = POLLIN } };
	u64 now_ns = r->start_ns;

	while (!r->stop && !r->err) {
		poll(fds, 2, SESSION_TICK_MS);
		on_signals(r);
		r->err = session_tick(r->session, false);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (!r->err && now_ns - r->flushed_ns >= SECOND_NS)
			once_a_second(r, now_ns);
		if (r->options.duration_ns && now_ns - r->start_ns >= r->options.duration_ns)
			r->stop = true;
		if (is_eager(r) && !session_n_alive(r->session))
			r->stop = true;
	}
}

static int say_no_sample(struct recording *r)
{
	double s = (double)(clock_ns(CLOCK_MONOTONIC) - r->start_ns) / SECOND_NS;

	outputs_discard(&r->outputs);
	if (r->pid) {
		proc_cpu_ns((int)r->pid, &r->cpu_last_ns);
		cli_error("no sample: pid %u used %.1f s of CPU in %.0f s; record while it is busy",
			  r->pid, (double)(r->cpu_last_ns - r->cpu_first_ns) / SECOND_NS, s);
	} else {
		cli_error("no sample in %.0f s: no target used the CPU; record while one is busy",
			  s);
	}
	return CLI_FAILURE;
}

static int print_report(const struct recording *r)
{
	struct prof_reader *in = NULL;
	int err = prof_reader_open(r->outputs.partial_path, &in);

	if (!err)
		err = report_print(stdout, in, 0);
	fflush(stdout);
	prof_reader_free(&in);
	return err;
}

/* Ends the recording and makes the files; what was recorded is never thrown away. */
static int finish(struct recording *r)
{
	struct prof_totals t;
	u64 n;
	int status;

	sampler_stop(r->sampler);
	if (!r->err)
		r->err = session_tick(r->session, true);
	t = totals(r);
	if (!r->err)
		r->err = profile_finish(r->profile, &t);
	if (!r->options.quiet && isatty(STDERR_FILENO))
		progress_clear();
	if (r->err) {
		cli_error("cannot write '%s': %s; what was recorded until then is in it",
			  r->outputs.partial_path, strerror(-r->err));
		return CLI_FAILURE;
	}
	n = profile_n_samples(r->profile);
	if (!n)
		return say_no_sample(r);
	if (!r->outputs.has_stdout)
		print_report(r);
	status = outputs_finish(&r->outputs);
	if (status)
		return status;
	if (n < FEW_SAMPLES && !r->options.quiet)
		fprintf(stderr, "hint: only %llu samples; record longer (-d) or faster (-F)\n", n);
	for (size_t i = 0; i < r->outputs.n; i++)
		if (strcmp(r->outputs.v[i].path, "-"))
			fprintf(stderr, "%s\n", r->outputs.v[i].path);
	return CLI_OK;
}

/* Everything up to the first sample. A CLI exit status. */
static int start(struct recording *r)
{
	int status = outputs_check(&r->outputs, &r->options);

	if (!status)
		status = target_set_resolve(&r->options, &r->targets);
	if (status)
		return status;
	r->command_alone = r->targets.mode == TARGET_COMMAND;
	if (r->options.command && command_start(r->options.command, &r->command)) {
		cli_error("cannot start '%s': %s", r->options.command[0], strerror(errno));
		return CLI_CANNOT_RUN;
	}
	r->signal_fd = open_signals();
	find_name(r);
	status = start_sampler(r);
	if (!status)
		status = outputs_open(&r->outputs, r->name, r->pid);
	if (!status)
		status = start_profile(r);
	if (!status)
		status = start_session(r);
	return status;
}

static int run_command(struct recording *r)
{
	int err;

	if (!r->options.command)
		return CLI_OK;
	err = command_go(&r->command);
	if (err) {
		outputs_discard(&r->outputs);
		cli_error("cannot run '%s': %s", r->options.command[0], strerror(-err));
		return command_exit_status(err);
	}
	r->command_ran = true;
	return CLI_OK;
}

static void deinit(struct recording *r)
{
	session_free(&r->session);
	profile_free(&r->profile);
	sampler_free(&r->sampler);
	outputs_deinit(&r->outputs);
	target_set_deinit(&r->targets);
	command_deinit(&r->command);
	record_options_deinit(&r->options);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
}

/* COMMAND's status wins once it ran, unless this program failed later. */
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
	int status = start(r);

	if (status) {
		outputs_discard(&r->outputs);
		return status;
	}
	status = run_command(r);
	if (status)
		return status;
	loop(r);
	status = finish(r);
	end_command(r);
	return exit_status(r, status);
}

int cmd_record(int argc, char **argv)
{
	struct recording *r = calloc(1, sizeof(*r));
	struct cli_parse parse = { 0 };
	int status;

	if (!r)
		return CLI_FAILURE;
	r->command = COMMAND_NONE;
	r->signal_fd = -1;
	r->targets.cgroup_fd = -1;
	if (record_options_parse(argc, argv, &r->options, &parse)) {
		cli_error("%s", parse.error);
		status = CLI_USAGE;
	} else if (parse.done) {
		status = CLI_OK;
	} else {
		status = record(r);
	}
	deinit(r);
	free(r);
	return status;
}
