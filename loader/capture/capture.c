// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool capture: waits for stacks of one process and writes each stack as a case.
 *
 *	options -> target -> capturing sampler -> session -> each stack: wanted? take() -> file
 */

#include "../../inspect/util/array.h"
#include "../../inspect/util/clock.h"
#include "../commands.h"
#include "../doctor/doctor.h"
#include "../process/processes.h"
#include "../out/place.h"
#include "../targets/procs.h"
#include "../targets/target_set.h"
#include "options.h"
#include "take.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NUMBERS 100 /* names that are tried if files with the default name exist */

struct capture {
	struct capture_options options;
	struct target_set targets;
	struct sampler *sampler;
	struct profile *profile;
	FILE *nowhere; /* discards the profile */
	struct session *session;
	int signal_fd;
	u32 pid;
	u64 start_ns;
	char path[PATH_MAX]; /* path of the file for the first case */
	struct out_owner owner;
	u32 n_cases, n_names; /* n_names: names that were tried */
	u64 n_seen, n_unwanted, n_unlogged, n_by_result[TAKE_FAILED + 1];
	bool stop;
	int status;
};

static bool is_wanted(const struct capture_options *o, const struct uw_sample *s)
{
	u64 frames = 0;

	if (s->status == UW_T_STALE_TABLES || s->flags & UW_SAMPLE_KTHREAD)
		return false;
	for (u32 i = s->n_kernel; i < s->n_frames; i++)
		frames |= 1ull << s->frames[i].status;
	return o->stacks >> s->status & 1 && (!o->frames || o->frames & frames);
}

/* Makes a file name: NAME.core for the first case, NAME-2.core for the second. */
static void name_case(const struct capture *c, char *path, size_t len)
{
	const char *slash = strrchr(c->path, '/');
	const char *suffix = strstr(slash ? slash : c->path, ".core");

	for (const char *next = suffix; next; next = strstr(next + 1, ".core"))
		suffix = next;
	if (!c->n_names || !suffix)
		snprintf(path, len, "%s", c->path);
	else
		snprintf(path, len, "%.*s-%u%s", (int)(suffix - c->path), c->path, c->n_names + 1,
			 suffix);
}

static void print_case(const struct capture *c, const struct case_file *file, const char *path)
{
	u64 len[CASE_N_HOLDS] = { 0 };

	for (u32 i = 0; i < file->n_ranges; i++)
		len[file->ranges[i].holds] += file->ranges[i].len;
	if (!c->options.target.quiet)
		printf("%u frames; bytes of stack %llu, heap %llu, strings %llu, code %llu, other "
		       "%llu\n",
		       file->n_frames, len[CASE_STACK], len[CASE_HEAP], len[CASE_STRINGS],
		       len[CASE_CODE], len[CASE_OTHER]);
	printf("%s\n", path);
	fflush(stdout);
}

struct case_bytes {
	u8 *bytes;
	size_t len;
};

static int write_bytes(void *data, FILE *to)
{
	const struct case_bytes *b = data;

	return fwrite(b->bytes, 1, b->len, to) == b->len ? 0 : -EIO;
}

/* Writes a file under the next name; if Unspool chose the name, under the next that no file has. */
static int put_case(struct capture *c, const struct case_bytes *b, char *path, size_t len)
{
	struct out_job job = { write_bytes, (void *)b };
	int err = -EEXIST;

	for (u32 i = 0; i < MAX_NUMBERS && err == -EEXIST; i++) {
		name_case(c, path, len);
		err = out_write(&job, path, c->owner);
		c->n_names++;
	}
	return err;
}

static void write_case(struct capture *c, const struct case_file *file)
{
	struct case_bytes b = { NULL, 0 };
	char path[PATH_MAX + 16];
	struct case_error error;
	size_t len = strlen(c->path);
	bool is_zst = len > 4 && !strcmp(c->path + len - 4, ".zst");
	int err = case_make(file, is_zst, &error, &b.bytes, &b.len);

	if (err) {
		cli_error("%s", error.text);
	} else {
		err = put_case(c, &b, path, sizeof(path));
		if (err)
			cli_error("cannot write '%s': %s", path, strerror(-err));
	}
	free(b.bytes);
	if (err) {
		c->status = CLI_FAILURE;
		c->stop = true;
		return;
	}
	print_case(c, file, path);
	c->stop = ++c->n_cases == c->options.n;
}

static void on_stack(const struct session_stack *stack, void *data)
{
	struct capture *c = data;
	struct take_options o = { .match = c->options.match ? &c->options.regex : NULL,
				  .va_mask = sampler_va_mask(),
				  .raw = c->options.raw,
				  .minimal = c->options.minimal };
	const struct uw_log *log;
	struct taken t;
	enum take_result result;

	if (c->stop || stack->sample->pid != c->pid)
		return;
	c->n_seen++;
	if (!is_wanted(&c->options, stack->sample)) {
		c->n_unwanted++;
		return;
	}
	log = sampler_log(c->sampler, stack->sample);
	if (!log) {
		c->n_unlogged++;
		return;
	}
	result = take(stack, log, &o, &t);
	c->n_by_result[result]++;
	if (result == TAKE_OK)
		write_case(c, &t.file);
	taken_deinit(&t);
}

static int start_sampler(struct capture *c)
{
	struct sampler_config config = { .hz = c->options.target.hz,
					 .mode = UW_TARGET_PIDS,
					 .cgroup_fd = -1,
					 .rows_len = RECORD_DEFAULT_MEMORY,
					 .wants_async = c->options.target.async,
					 .captures = true };
	int status = capture_at_resolve(&c->options.at, c->pid, config.at_addrs, &config.n_at);
	char why[256], better[256];

	if (status)
		return status;
	if (!sampler_new(&c->sampler, &config, why, sizeof(why)))
		return CLI_OK;
	cli_error("%s", doctor_why_not(better, sizeof(better)) ? better : why);
	return CLI_CANNOT_RUN;
}

static int start_session(struct capture *c)
{
	struct prof_header header = { .hz = c->options.target.hz };
	struct session_config config = { .sampler = c->sampler,
					 .start_ns = monotonic_ns(),
					 .wants_async = c->options.target.async,
					 .eager = true,
					 .on_stack = on_stack,
					 .data = c };
	char why[256];
	int err;

	c->nowhere = fopen("/dev/null", "w+e");
	err = c->nowhere ? profile_new(&c->profile, c->nowhere, &header) : -errno;
	if (err) {
		cli_error("can't begin: %s", strerror(-err));
		return CLI_FAILURE;
	}
	config.profile = c->profile;
	if (session_new(&c->session, &config, why, sizeof(why))) {
		cli_error("%s", why);
		return CLI_CANNOT_RUN;
	}
	err = session_add_target(c->session, c->pid, c->targets.known_ns);
	if (err == -ESRCH) {
		cli_error("pid %u has ended before a stack was captured", c->pid);
		return CLI_FAILURE;
	}
	if (err) {
		doctor_why_unreadable(err, why, sizeof(why));
		cli_error("cannot read the target: %s", why);
		return CLI_CANNOT_RUN;
	}
	c->start_ns = monotonic_ns();
	if (sampler_start(c->sampler, why, sizeof(why))) {
		cli_error("%s", why);
		return CLI_CANNOT_RUN;
	}
	return CLI_OK;
}

static int name_output(struct capture *c)
{
	const char *slash;
	char dir[PATH_MAX];
	struct proc_names names = { 0 };

	if (c->options.output) {
		snprintf(c->path, sizeof(c->path), "%s", c->options.output);
	} else {
		proc_names_read((int)c->pid, &names);
		place_default(c->path, sizeof(c->path), names.name, c->pid, "core.zst");
	}
	slash = strrchr(c->path, '/');
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - c->path) + 1 : 1,
		 slash ? c->path : ".");
	c->owner = place_owner(dir);
	c->owner.is_new = !c->options.output;
	if (!access(dir, W_OK))
		return CLI_OK;
	cli_error("cannot write into '%s': %s", dir, strerror(errno));
	return CLI_FAILURE;
}

static void open_signals(struct capture *c)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	c->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int start(struct capture *c)
{
	int status = target_set_resolve(&c->options.target, &c->targets);

	if (status)
		return status;
	c->pid = (u32)c->targets.ids.v[0];
	open_signals(c);
	status = name_output(c);
	if (!status)
		status = start_sampler(c);
	return status ? status : start_session(c);
}

static void loop(struct capture *c)
{
	struct pollfd fds[] = { { .fd = c->signal_fd, .events = POLLIN },
				{ .fd = session_fd(c->session), .events = POLLIN } };
	u64 duration_ns = c->options.target.duration_ns;
	int err;

	while (!c->stop && !c->status) {
		poll(fds, 2, SESSION_TICK_MS);
		err = session_tick(c->session, false);
		if (err < 0) {
			cli_error("can't process the captured stacks: %s", strerror(-err));
			c->status = CLI_FAILURE;
		}
		if (fds[0].revents || !processes_n_alive(session_processes(c->session)) ||
		    (duration_ns && monotonic_ns() - c->start_ns >= duration_ns))
			break;
	}
	sampler_stop(c->sampler);
}

/* Prints one line that explains why fewer cases than requested were captured. */
static int say_missing(const struct capture *c)
{
	const u64 *by = c->n_by_result;
	const struct {
		u64 n;
		const char *words;
	} reasons[] = {
		{ c->n_unwanted, "did not match --on" },
		{ by[TAKE_NO_MATCH], "had no name that matches --match" },
		{ by[TAKE_CHANGED] + by[TAKE_GONE],
		  "failed because the process changed or ended too soon" },
		{ by[TAKE_FAILED] + c->n_unlogged, "were lost for lack of memory" },
	};
	char words[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].n)
			len += (size_t)snprintf(words + len, sizeof(words) - len, ", %llu %s",
						reasons[i].n, reasons[i].words);
	cli_error("%u of %u stacks captured: pid %u had %llu samples%s; record longer (-d) or "
		  "faster (-F)",
		  c->n_cases, c->options.n, c->pid, c->n_seen, words);
	return CLI_FAILURE;
}

static void deinit(struct capture *c)
{
	session_free(&c->session);
	profile_free(&c->profile);
	sampler_free(&c->sampler);
	target_set_deinit(&c->targets);
	capture_options_deinit(&c->options);
	if (c->nowhere)
		fclose(c->nowhere);
	if (c->signal_fd >= 0)
		close(c->signal_fd);
}

int cmd_capture(int argc, char **argv)
{
	struct capture *c = calloc(1, sizeof(*c));
	int status;

	if (!c) {
		cli_error("out of memory");
		return CLI_FAILURE;
	}
	c->signal_fd = -1;
	c->targets.cgroup_fd = -1;
	status = capture_options_parse(argc, argv, &c->options);
	if (status == CLI_CONTINUE)
		status = start(c);
	else
		c->stop = true;
	if (!status && !c->stop) {
		loop(c);
		status = c->status		     ? c->status
			 : c->n_cases < c->options.n ? say_missing(c)
						     : CLI_OK;
	}
	deinit(c);
	free(c);
	return status;
}
