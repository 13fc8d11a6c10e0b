// SPDX-License-Identifier: BSD-2-Clause

/* Starts COMMAND, ends it, and finds its descendants. */

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../process/processes.h"
#include "record.h"

int recording_run_command(struct recording *r)
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

void recording_check_command(struct recording *r)
{
	int status;

	if (!r->command.pid || waitpid(r->command.pid, &status, WNOHANG) != r->command.pid)
		return;
	r->command_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	r->command.pid = 0;
	r->stop = true;
}

/* Waits at most @ms milliseconds for COMMAND to end. */
static void await_command(struct recording *r, int ms)
{
	for (recording_check_command(r); r->command.pid && ms > 0; ms -= 10) {
		poll(NULL, 0, 10);
		recording_check_command(r);
	}
}

/* Does not signal descendants of COMMAND that left its process group. */
static void terminate(struct process *p, void *data)
{
	(void)data;
	if (getpgid((pid_t)p->pid) == getpgrp())
		kill((pid_t)p->pid, SIGTERM);
}

/* A parent may fork before it gets SIGTERM, so descendants are looked for repeatedly. */
static void end_descendants(struct recording *r)
{
	struct processes *processes = session_processes(r->session);

	processes_resync(processes);
	for (int i = 0; i < 5 && processes_n_alive(processes); i++) {
		processes_each_alive(processes, terminate, NULL);
		poll(NULL, 0, 20);
		processes_resync(processes);
	}
}

void recording_end_command(struct recording *r)
{
	pid_t pid = r->command.pid;

	if (!r->command_ran || !pid)
		return;
	await_command(r, r->interrupted ? 1000 : 0);
	if (r->command_alone)
		end_descendants(r);
	else if (r->command.pid)
		kill(pid, SIGTERM);
	await_command(r, 5000);
	if (r->command.pid)
		cli_error("'%s' (pid %d) ignores SIGTERM and still runs", r->options.command[0],
			  pid);
	else if (!r->interrupted)
		r->command_status = CLI_OK; /* this program ended COMMAND */
}
