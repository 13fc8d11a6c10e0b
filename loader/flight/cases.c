// SPDX-License-Identifier: BSD-2-Clause

/*
 * Turns a failed walk into a case. If a walk froze a ring, the dump contains the case of
 * that walk, which is written unchanged. A ring that was not frozen contains only the
 * registers and faults of a failed walk and not the stack, because copying the stack of
 * every walk, good or failed, would cost too much. For a failed walk in such a ring,
 * `unspool capture` captures the next stack of the same process that ends with the same
 * status.
 */

#include "flight.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../core/uw_status.h"
#include "../../inspect/flight/fl_walks.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/term.h"
#include "../commands.h"
#include "../out/out.h"
#include "../targets/procs.h"

#define MAX_CASES 16

struct options {
	u32 recorder;
	const char *file, *dir, *duration;
	bool is_listing, is_yes;
};

struct failing {
	u32 pid, status, n;
	u64 pc; /* first pc of the newest of these walks */
};

enum { KEY_LIST = 0x100 };

static const struct argp_option argp_options[] = {
	{ "output", 'o', "DIR", 0, "Write the cases into this directory (default: the current one)",
	  1 },
	{ "duration", 'd', "TIME", 0, "Wait at most this long for each stack (default 10s)", 1 },
	{ "yes", 'y', NULL, 0, "Capture from the processes that FILE names without asking", 1 },
	{ "list", KEY_LIST, NULL, 0, "Only list the failed stacks and their processes", 1 },
	FLIGHT_RECORDER_OPTION,
	{ 0 },
};

static error_t set_dir(struct cli_parse *p, const char *arg, void *member)
{
	return *arg ? cli_set_text(p, arg, member)
		    : cli_fail(p, "-o needs the name of a directory");
}

static const struct cli_field fields[] = {
	{ FLIGHT_KEY_RECORDER, offsetof(struct options, recorder), flight_set_recorder, NULL },
	{ 'o', offsetof(struct options, dir), set_dir, NULL },
	{ 'd', offsetof(struct options, duration), cli_set_text, NULL },
	{ 'y', offsetof(struct options, is_yes), cli_set_flag, NULL },
	{ KEY_LIST, offsetof(struct options, is_listing), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct options, file), cli_set_text, NULL },
	{ 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.args_doc = "[FILE]",
	.doc = "If 'unspool record --freeze' wrote FILE, write each walk that triggered a freeze "
	       "as a case for unspool-sim. Otherwise look for failed walks in FILE or in the "
	       "rings of a recording, and for each pair of process and reason capture the next "
	       "stack of that process that fails with that reason.",
};

/* Collects the distinct (process, status) pairs of all incomplete walks. */
static u32 find_failing(const struct fl_walks *walks, struct failing *v)
{
	u32 n = 0, at;

	for (u32 i = 0; i < walks->n; i++) {
		const struct fl_walk *w = &walks->v[i];

		if (!w->has_end || w->status <= UW_END || w->status >= UW_N_STATUS)
			continue;
		for (at = 0; at < n; at++)
			if (v[at].pid == w->pid && v[at].status == w->status)
				break;
		if (at == MAX_CASES)
			continue;
		if (at == n)
			v[n++] = (struct failing){ w->pid, (u32)w->status, 0, 0 };
		v[at].n++;
		v[at].pc = w->pc;
	}
	return n;
}

static void print_failing(const struct fl_tables *t, const struct failing *f)
{
	char room[24];

	printf("pid %u: \"%s\", %u walks, the last one from pc 0x%llx\n", f->pid,
	       fl_status_words(t, f->status, room), f->n, f->pc);
}

/*
 * Turns the name of a status into a part of a file name, such as "no-unwind-row". The name comes
 * from a dump, so it may contain any bytes.
 */
static void reason_of(const struct fl_tables *t, u32 status, char reason[64])
{
	char room[24];

	snprintf(reason, 64, "%s", fl_status_words(t, status, room));
	for (char *c = reason; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '-';
}

/*
 * The first case is DIR/flight-PID-REASON.core, the next ones end with -2.core, -3.core.
 * Return: false if the path is too long.
 */
static bool name_case(const struct options *o, u32 pid, const char *reason, u32 n, char *path)
{
	char number[16] = "";

	if (n > 1)
		snprintf(number, sizeof(number), "-%u", n);
	if (snprintf(path, PATH_MAX, "%s/flight-%u-%s%s.core", o->dir ? o->dir : ".", pid, reason,
		     number) < PATH_MAX)
		return true;
	cli_error("the name of the directory after -o is too long");
	return false;
}

/* As name_case(), with the first number from @n on that no file has. */
static bool name_new_case(const struct options *o, u32 pid, const char *reason, u32 n, char *path)
{
	struct stat st;

	for (; name_case(o, pid, reason, n, path); n++)
		if (lstat(path, &st))
			return true;
	return false;
}

/*
 * Whether the user wants a stack of a running process to be captured. FILE may be from another
 * machine or from another user, so its pids may be those of any processes.
 */
static bool is_wanted(const struct options *o, u32 pid)
{
	char name[256], answer[8] = "";
	struct proc_names names = { 0 };

	if (!o->file || o->is_yes)
		return true;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		cli_error("pid %u is named by '%s', which may be from another machine; use --yes "
			  "to capture a stack of this process",
			  pid, o->file);
		return false;
	}
	proc_names_read((int)pid, &names);
	fprintf(stderr, "capture a stack of process %u (%s)? [y/N] ", pid,
		term_escape(names.name, name, sizeof(name)));
	return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

static int capture(const struct options *o, const struct fl_tables *t, const struct failing *f)
{
	char pid[16], reason[64], path[PATH_MAX], name[] = "unspool capture";
	char *argv[] = { name,	 "-q",	 "-p", pid,
			 "--on", reason, "-d", (char *)(o->duration ? o->duration : "10s"),
			 "-o",	 path,	 NULL };

	snprintf(pid, sizeof(pid), "%u", f->pid);
	reason_of(t, f->status, reason);
	if (kill((pid_t)f->pid, 0) && errno == ESRCH) {
		cli_error(
			"pid %u has ended; 'unspool record --freeze %s' saves a walk when it fails",
			f->pid, reason);
		return CLI_FAILURE;
	}
	if (!is_wanted(o, f->pid))
		return CLI_FAILURE;
	return name_new_case(o, f->pid, reason, 1, path) ? cmd_capture(10, argv) : CLI_USAGE;
}

static int write_bytes(void *data, FILE *to)
{
	const struct fl_case *c = data;

	return fwrite(c->bytes, 1, c->len, to) == c->len ? 0 : -EIO;
}

static void print_no_case(const struct fl_tables *t, const struct fl_case *c)
{
	char reason[64];

	reason_of(t, c->status, reason);
	if (!c->pid)
		printf("a ring was frozen, but the dump contains no case: %s\n",
		       fl_no_case_words(c->why_not));
	else
		printf("pid %u: a ring was frozen because of \"%s\", but the dump contains no "
		       "case: %s\n",
		       c->pid, reason, fl_no_case_words(c->why_not));
}

/* Writes the case of the walk that froze a ring. */
static int write_frozen(const struct options *o, const struct fl_dump *d, u32 i)
{
	const struct fl_case *c = &d->cases[i];
	struct out_job job = { write_bytes, (void *)c };
	struct out_owner owner = OUT_OWNER_SELF;
	char reason[64], path[PATH_MAX];
	u32 n = 1;
	int err;

	reason_of(&d->tables, c->status, reason);
	printf("pid %u: a ring was frozen because a walk ended with \"%s\"\n", c->pid, reason);
	for (u32 k = 0; k < i; k++)
		n += !d->cases[k].why_not && d->cases[k].pid == c->pid &&
		     d->cases[k].status == c->status;
	if (o->is_listing)
		return CLI_OK;
	if (!name_new_case(o, c->pid, reason, n, path))
		return CLI_USAGE;
	owner.is_new = true;
	err = out_write(&job, path, owner);
	if (err) {
		cli_error("cannot write '%s': %s", path, strerror(-err));
		return CLI_FAILURE;
	}
	printf("%s\n", path);
	return CLI_OK;
}

static int make_cases(const struct options *o, const struct fl_dump *d)
{
	struct failing v[MAX_CASES];
	struct fl_walks walks;
	int status = CLI_OK, one;
	u32 n = 0;

	for (u32 i = 0; i < d->n_cases && !status; i++) {
		if (d->cases[i].why_not) {
			print_no_case(&d->tables, &d->cases[i]);
			continue;
		}
		status = write_frozen(o, d, i);
		n++;
	}
	if (n)
		return status;
	if (fl_walks_init(d, &walks)) {
		cli_error("out of memory");
		return CLI_FAILURE;
	}
	n = find_failing(&walks, v);
	fl_walks_deinit(&walks);
	if (!n) {
		cli_error("no walk in the rings failed");
		return CLI_FAILURE;
	}
	for (u32 i = 0; i < n; i++) {
		print_failing(&d->tables, &v[i]);
		fflush(stdout);
		one = o->is_listing ? CLI_OK : capture(o, &d->tables, &v[i]);
		if (one > status)
			status = one;
	}
	return status;
}

int flight_cases(int argc, char **argv)
{
	struct options o = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &o);
	struct rings r = { 0 };
	struct fl_dump d;
	struct pinned p;

	if (status != CLI_CONTINUE)
		return status;
	if (o.file) {
		status = flight_read_file(o.file, &d);
		if (status)
			return status;
		status = make_cases(&o, &d);
		fl_dump_deinit(&d);
		return status;
	}
	status = flight_open(o.recorder, &p, &r);
	if (status)
		return status;
	if (rings_to_dump(&r, &d)) {
		cli_error("out of memory");
		status = CLI_FAILURE;
	} else {
		status = make_cases(&o, &d);
		free(d.rings);
	}
	rings_unmap(&r);
	return status;
}
