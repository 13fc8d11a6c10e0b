// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump tail`: prints the functions of a JIT as it compiles them. */

#include "../../inspect/util/clock.h"
#include "jitdump.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../inspect/jitdump/jd_tail.h"
#include "../../inspect/util/cleanup.h"
#include "../cli/duration.h"
#include "../process/map_file.h"
#include "../process/maps.h"
#include "../profile/json_line.h"

#define POLL_NS 50000000
#define MAX_PER_POLL (64ull << 20)

struct tail_run {
	const char *file;
	u32 pid;
	u64 duration_ns;
	bool is_json;
	struct json_line line;
	u64 n;
};

struct marker {
	u32 pid;
	int fd;
};

static volatile sig_atomic_t stopped;

static const struct argp_option options[] = {
	{ "pid", 'p', "PID", 0,
	  "Follow the jitdump that this process has mapped, until the process exits", 1 },
	{ "duration", 'd', "TIME", 0, "Follow for this time: 30, 30s or 2m (default: until Ctrl-C)",
	  1 },
	{ "json", 'j', NULL, 0, "Print JSON lines, for jq", 1 },
	{ 0 },
};

static error_t set_pid(struct cli_parse *p, const char *arg, void *member)
{
	char *end;
	u32 pid = (u32)strtoul(arg, &end, 10);

	*(u32 *)member = pid;
	return !pid || *end ? cli_fail(p, "'%s' is not a pid", arg) : 0;
}

static error_t set_duration(struct cli_parse *p, const char *arg, void *member)
{
	if (duration_parse(arg, member))
		return cli_fail(p, "'%s' is not a time; use 30, 30s, 500ms, 2m or 1h", arg);
	return 0;
}

static const struct cli_field fields[] = {
	{ 'p', offsetof(struct tail_run, pid), set_pid, NULL },
	{ 'd', offsetof(struct tail_run, duration_ns), set_duration, NULL },
	{ 'j', offsetof(struct tail_run, is_json), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct tail_run, file), cli_set_text, NULL },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE\n-p PID",
	.doc = "Print all code in the file, then new code as it is added: "
	       "time, address, size, name, first line.\v"
	       "Exit status: 0 success, 1 the jitdump can't be found or read.",
};

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/*
 * A marker is an executable mapping of a file with the name of a jitdump; perf finds
 * jitdumps by such mappings.
 */
static bool is_marker(const struct maps_entry *e)
{
	static const char name[] = "/jit-";
	const char *end = e->path + e->path_len, *at = memrchr(e->path, '/', e->path_len);
	static const char deleted[] = " (deleted)";

	if (e->path_len > sizeof(deleted) &&
	    memcmp(end - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1) == 0)
		end -= sizeof(deleted) - 1;
	if (!(e->prot & MAPS_EXEC) || !at || (size_t)(end - at) <= sizeof(name) + 4 ||
	    memcmp(at, name, sizeof(name) - 1) != 0 || memcmp(end - 5, ".dump", 5) != 0)
		return false;
	for (at += sizeof(name) - 1; at < end - 5; at++)
		if (*at < '0' || *at > '9')
			return false;
	return true;
}

/*
 * A callback that opens the first marker of a process. Returns 1 with the fd or a negative
 * errno in *data.
 */
static int open_marker(const struct maps_entry *e, void *data)
{
	struct marker *marker = data;
	char path[PATH_MAX + 1];
	struct map_file m = { .pid = marker->pid,
			      .start_addr = e->start_addr,
			      .end_addr = e->end_addr,
			      .inode = e->inode,
			      .dev_major = e->dev_major,
			      .dev_minor = e->dev_minor,
			      .path = path,
			      .may_change = true };
	int err;

	if (e->path_len > PATH_MAX || !is_marker(e))
		return 0;
	maps_path_unescape(e->path, e->path_len, path);
	err = map_file_open(&m, &marker->fd);
	if (err)
		marker->fd = err;
	return 1;
}

static int open_of_process(u32 pid)
{
	struct marker marker = { pid, -1 };
	int r = maps_each_exec(pid, open_marker, &marker);

	return r < 0 ? r : r ? marker.fd : -ENOENT;
}

static void print_json(struct tail_run *run, const struct jd_tail_event *e,
		       const struct jdr_entry *line)
{
	const struct jdr_record *rec = e->code;

	json_line_start(&run->line, rec->id == JD_LOAD ? "load" : "move");
	json_line_u64(&run->line, "time", rec->time);
	if (rec->id == JD_LOAD) {
		json_line_hex(&run->line, "addr", rec->load.addr);
		json_line_u64(&run->line, "code_size", rec->load.code_len);
		json_line_string(&run->line, "name", rec->load.name);
	} else {
		json_line_hex(&run->line, "from", rec->move.old_addr);
		json_line_hex(&run->line, "to", rec->move.new_addr);
	}
	if (line->file) {
		json_line_string(&run->line, "file", line->file);
		json_line_u64(&run->line, "line", line->line);
	}
	json_line_write(&run->line, stdout);
}

static void print_code(struct tail_run *run, const struct jd_tail_event *e)
{
	const struct jdr_record *rec = e->code;
	struct jdr_cursor c = { 0 };
	struct jdr_entry line = { 0 };

	if (e->debug)
		jdr_entry(e->header, e->debug, &c, &line);
	if (run->is_json) {
		print_json(run, e, &line);
		return;
	}
	printf("%6llu.%06llu ", rec->time / NS_PER_S, rec->time % NS_PER_S / 1000);
	if (rec->id == JD_MOVE)
		printf("%#llx moved to %#llx\n", rec->move.old_addr, rec->move.new_addr);
	else if (line.file)
		printf("%#llx %6llu %s (%s:%u)\n", rec->load.addr, rec->load.code_len,
		       jitdump_safe(rec->load.name), jitdump_safe(line.file), line.line);
	else
		printf("%#llx %6llu %s\n", rec->load.addr, rec->load.code_len,
		       jitdump_safe(rec->load.name));
}

static void on_event(void *data, const struct jd_tail_event *e)
{
	struct tail_run *run = data;

	if (e->what == JD_TAIL_CODE) {
		run->n++;
		print_code(run, e);
	} else if (e->what == JD_TAIL_NEW) {
		cli_error("the file was truncated or replaced; reading starts again at offset 0");
	} else if (e->what == JD_TAIL_PASSED) {
		cli_error("the record at offset %llu is too large or broken; skipped", e->off);
	} else {
		cli_error("no record at offset %llu; the rest of the file can't be read", e->off);
	}
}

static bool is_alive(u32 pid)
{
	return !pid || kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

static int follow(struct tail_run *run, struct jd_tail *t)
{
	u64 end = run->duration_ns ? monotonic_ns() + run->duration_ns : NEVER_NS;
	bool is_last = false;
	int r = 0;

	while (r >= 0 && !stopped) {
		r = jd_tail_poll(t, MAX_PER_POLL, on_event, run);
		if (fflush(stdout) || ferror(stdout))
			return -EPIPE;
		if (r != 0)
			continue;
		if (is_last)
			break;
		/*
		 * After the process has ended, read once more, because the process may have
		 * written records since the last read.
		 */
		is_last = !is_alive(run->pid) || monotonic_ns() >= end;
		if (!is_last)
			nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
	}
	return r < 0 ? r : 0;
}

static void cleanup_run(struct tail_run *run)
{
	json_line_deinit(&run->line);
}

int jitdump_tail(int argc, char **argv)
{
	_cleanup_(jd_tail_deinit) struct jd_tail t = { .fd = -1 };
	_cleanup_(cleanup_run) struct tail_run run = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &run), err;

	if (status != CLI_CONTINUE)
		return status;
	if (!run.file == !run.pid) {
		cli_error("missing argument; use unspool jitdump tail FILE, or -p PID");
		return CLI_USAGE;
	}
	err = run.pid ? jd_tail_open_fd(&t, open_of_process(run.pid)) : jd_tail_open(&t, run.file);
	if (err == -ENOENT && run.pid)
		cli_error(
			"process %u has no jitdump mapped; start the process with the option that "
			"writes one",
			run.pid);
	else if (err < 0)
		cli_error("can't follow the jitdump: %s", strerror(-err));
	if (err < 0)
		return CLI_FAILURE;
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	err = follow(&run, &t);
	if (err == 0)
		return CLI_OK;
	cli_error("can't follow the file: %s",
		  err == -EBADMSG ? "it is not a jitdump" : strerror(-err));
	return CLI_FAILURE;
}
