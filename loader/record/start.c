// SPDX-License-Identifier: BSD-2-Clause

/* Performs the steps from the command line to the first sample. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <time.h>

#include "../../core/flight_ring.h"
#include "../../inspect/util/budget.h"
#include "../../inspect/util/clock.h"
#include "../doctor/doctor.h"
#include "../symbols/debuginfod.h"
#include "record.h"

bool recording_is_eager(const struct recording *r)
{
	return r->targets.mode != TARGET_ALL && r->targets.mode != TARGET_CGROUP;
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

/* Number of slots of a flight recorder ring; the ring also has a header. */
static u32 flight_slots(const struct record_options *o)
{
	if (o->flight_memory)
		return (u32)(o->flight_memory / sizeof(struct flight_slot));
	return o->flight ? RECORDER_PINNED_SLOTS : RECORDER_SLOTS;
}

static int start_flight(struct recording *r)
{
	const struct record_options *o = &r->options;
	struct recorder_config config = { .is_pinned = o->flight,
					  .freeze_on = o->freeze_on,
					  .freezes_on_loss = o->freeze_on_loss,
					  .has_cases = o->freeze_on != 0,
					  .pid = (u32)o->freeze_pid };
	char why[256] = "out of memory";

	if (!recorder_new(&r->flight, r->sampler, &config, why, sizeof(why)))
		return CLI_OK;
	cli_error("%s", why);
	return CLI_CANNOT_RUN;
}

static int start_sampler(struct recording *r)
{
	struct sampler_config config = { .hz = r->options.hz,
					 .mode = sampler_mode(r->targets.mode),
					 .cgroup_fd = r->targets.cgroup_fd,
					 .rows_len = r->options.max_memory,
					 .wants_async = r->options.async,
					 .freezes = r->options.freeze_on != 0,
					 .flight_slots = flight_slots(&r->options) };
	char why[256], better[256];

	if (r->targets.mode == TARGET_TIDS) {
		config.tids = (const u32 *)r->targets.ids.v;
		config.n_tids = (u32)r->targets.ids.n;
		config.tids_ns = r->targets.known_ns;
	}
	if (!sampler_new(&r->sampler, &config, why, sizeof(why)))
		return start_flight(r);
	cli_error("%s", doctor_why_not(better, sizeof(better)) ? better : why);
	return CLI_CANNOT_RUN;
}

/* Texts to which a header refers. */
struct header_texts {
	struct utsname system;
	char command[1024];
};

/* Joins COMMAND and, with --keep-args, its arguments. Returns NULL if there is no COMMAND. */
static const char *command_text(const struct record_options *o, char *text, size_t size)
{
	size_t len = 0;

	for (char **arg = o->command; arg && *arg && len < size; arg++) {
		int n = snprintf(text + len, size - len, "%s%s", len ? " " : "", *arg);

		len += (size_t)n;
		if (!o->keep_args)
			break;
	}
	return o->command ? text : NULL;
}

/* Makes the header of a profile whose times count from @start_ns (CLOCK_MONOTONIC). */
static struct prof_header make_header(const struct recording *r, u64 start_ns,
				      struct header_texts *texts)
{
	u64 age_ns = monotonic_ns() - start_ns;

	uname(&texts->system);
	return (struct prof_header){
		.start_unix_ns = clock_ns(CLOCK_REALTIME) - age_ns,
		.start_boottime_ns = clock_ns(CLOCK_BOOTTIME) - age_ns,
		.arch = strcmp(texts->system.machine, "aarch64") ? texts->system.machine : "arm64",
		.kernel = texts->system.release,
		.command = command_text(&r->options, texts->command, sizeof(texts->command)),
		.hz = r->options.hz
	};
}

static int start_profile(struct recording *r)
{
	struct header_texts texts;
	struct prof_header header;
	int err;

	r->profile_ns = monotonic_ns();
	header = make_header(r, r->profile_ns, &texts);
	err = profile_new(&r->profile, r->outputs.partial, &header);
	if (err)
		cli_error("cannot write '%s': %s", r->outputs.partial_path, strerror(-err));
	return err ? CLI_FAILURE : CLI_OK;
}

int recording_begin_again(struct recording *r)
{
	struct prof_totals t = recording_totals(r);
	struct header_texts texts;
	struct prof_header header;

	r->earlier.samples += profile_n_samples(r->profile);
	r->earlier.lost += t.lost;
	r->earlier.lost_events += t.lost_events;
	r->profile_ns = session_begin_again(r->session);
	header = make_header(r, r->profile_ns, &texts);
	return profile_begin_again(r->profile, &header);
}

/* Finds the pid of a target; with -t the target is a thread. */
static u32 process_of(const struct recording *r, u32 id)
{
	int leader;

	if (r->targets.mode != TARGET_TIDS || proc_kind_of((int)id, &leader) != PROC_IS_THREAD)
		return id;
	return (u32)leader;
}

/* A target that has ended in the meantime is not an error; the others are recorded. */
static int add_targets(struct recording *r)
{
	char why[256];
	int err = 0;

	if (r->command.pid && r->command_alone)
		err = session_add_command(r->session, (u32)r->command.pid, r->options.command[0]);
	for (size_t i = 0; !err && recording_is_eager(r) && i < r->targets.ids.n; i++) {
		u32 id = (u32)r->targets.ids.v[i];

		err = session_add_target(r->session, process_of(r, id), r->targets.known_ns);
		if (err == -ESRCH)
			err = 0;
	}
	if (!err)
		return CLI_OK;
	doctor_why_unreadable(err, why, sizeof(why));
	cli_error("cannot read the target: %s", why);
	return CLI_CANNOT_RUN;
}

/* Elapsed time and CPU time are measured from the first moment at which a sample can arrive. */
static void start_clocks(struct recording *r)
{
	r->start_ns = r->flushed_ns = monotonic_ns();
	if (r->pid)
		proc_cpu_ns((int)r->pid, &r->cpu_first_ns);
	r->cpu_last_ns = r->cpu_first_ns;
}

static int start_session(struct recording *r)
{
	struct session_config config = { .sampler = r->sampler,
					 .profile = r->profile,
					 .maps = r->outputs.maps,
					 .start_ns = r->profile_ns,
					 .fetches = r->options.debuginfod,
					 .wants_async = r->options.async,
					 .eager = recording_is_eager(r),
					 .data = r };
	char why[256];
	int status;

	if (r->options.freeze_on)
		config.on_stack = recording_take_frozen;
	if (session_new(&r->session, &config, why, sizeof(why))) {
		cli_error("%s", why);
		return CLI_CANNOT_RUN;
	}
	status = add_targets(r);
	if (status)
		return status;
	start_clocks(r); /* after reading the symbols of the targets, which is slow */
	if (sampler_start(r->sampler, why, sizeof(why))) {
		cli_error("%s", why);
		return CLI_CANNOT_RUN;
	}
	return CLI_OK;
}

/* Chooses the process whose name and pid identify the recording. */
static void find_name(struct recording *r)
{
	struct proc_names names;

	snprintf(r->name, sizeof(r->name), "all");
	if (r->command_alone) {
		const char *slash = strrchr(r->options.command[0], '/');

		snprintf(r->name, sizeof(r->name), "%s", slash ? slash + 1 : r->options.command[0]);
		r->pid = (u32)r->command.pid;
	} else if (recording_is_eager(r) && r->targets.ids.n == 1) {
		r->pid = process_of(r, (u32)r->targets.ids.v[0]);
		if (!proc_names_read((int)r->pid, &names))
			snprintf(r->name, sizeof(r->name), "%s", names.name);
	} else if (r->options.n_names) {
		snprintf(r->name, sizeof(r->name), "%s", r->options.names[0]);
	}
}

/* Whether a signal that ends the recording has arrived, but has not been read from signal_fd. */
static bool is_stop_pending(void)
{
	sigset_t set;

	return !sigpending(&set) && (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
				     sigismember(&set, SIGHUP));
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGCHLD);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	budget_set_stop(is_stop_pending);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int recording_start(struct recording *r)
{
	const char *why = r->options.debuginfod ? debuginfod_why_not() : NULL;
	int status = outputs_check(&r->outputs, &r->options);

	if (!status && why) {
		cli_error("--debuginfod: %s", why);
		status = CLI_CANNOT_RUN;
	}
	if (!status)
		status = target_set_resolve(&r->options, &r->targets);
	if (status)
		return status;
	r->command_alone = r->targets.mode == TARGET_COMMAND;
	recording_hint_runtime(&r->options);
	if (r->options.command &&
	    command_start(r->options.command, r->mutes_command, &r->command)) {
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
