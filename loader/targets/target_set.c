/* SPDX-License-Identifier: BSD-2-Clause */

#include "target_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../process/proc_text.h"
#include "applications.h"
#include "cgroup.h"
#include "procs.h"
#include "target_list.h"

#define N_BUSIEST 5

static int out_of_memory(void)
{
	cli_error("not enough memory to list processes; end some processes");
	return CLI_FAILURE;
}

static int unreadable(int id)
{
	cli_error(
		"/proc/%d/status can't be read; 'unspool doctor' reports what this machine allows",
		id);
	return CLI_FAILURE;
}

static int check_pid(int pid)
{
	int leader;

	switch (proc_kind_of(pid, &leader)) {
	case PROC_IS_PROCESS:
		if (!proc_is_32_bit(pid))
			return CLI_OK;
		cli_error("-p %d: this is a 32-bit program; only 64-bit programs can be recorded",
			  pid);
		return CLI_CANNOT_RUN;
	case PROC_IS_THREAD:
		cli_error("-p %d: this is a thread of process %d; use -p %d or -t %d", pid, leader,
			  leader, pid);
		return CLI_USAGE;
	case PROC_IS_ZOMBIE:
		cli_error("-p %d: this process has ended; 'unspool ps' lists the running processes",
			  pid);
		return CLI_USAGE;
	case PROC_UNREADABLE:
		return unreadable(pid);
	default:
		cli_error("-p %d: there is no such process; 'unspool ps' lists the processes", pid);
		return CLI_USAGE;
	}
}

static int add_application(const struct application *a, struct ids *ids)
{
	int status = CLI_OK;

	for (size_t i = 0; status == CLI_OK && i < a->pids.n; i++) {
		status = check_pid(a->pids.v[i]);
		if (status == CLI_OK && ids_add(ids, a->pids.v[i]))
			return out_of_memory();
	}
	return status;
}

static int resolve_name(const char *name, bool follows, struct ids *ids)
{
	_cleanup_(applications_deinit) struct applications found = { 0 };

	if (applications_find(name, &found))
		return out_of_memory();
	if (found.n == 1)
		return add_application(&found.v[0], ids);
	if (found.n) {
		cli_error("-p %s: %zu applications match; choose one:", name, found.n);
		target_list_applications(stderr, &found);
		return CLI_USAGE;
	}
	if (follows) {
		cli_error("-p %s: no process has this name yet; waiting for one", name);
		return CLI_OK;
	}
	cli_error("-p %s: no process has this name; 'unspool ps --all' lists them", name);
	return CLI_USAGE;
}

static int resolve_pids(const struct record_options *o, struct target_set *t)
{
	int status = CLI_OK;

	t->mode = TARGET_PIDS;
	for (size_t i = 0; status == CLI_OK && i < o->n_pids; i++) {
		status = check_pid(o->pids[i]);
		if (status == CLI_OK && ids_add(&t->ids, o->pids[i]))
			return out_of_memory();
	}
	for (size_t i = 0; status == CLI_OK && i < o->n_names; i++)
		status = resolve_name(o->names[i], o->follow, &t->ids);
	return status;
}

static int resolve_tids(const struct record_options *o, struct target_set *t)
{
	t->mode = TARGET_TIDS;
	for (size_t i = 0; i < o->n_tids; i++) {
		int leader;
		enum proc_kind kind = proc_kind_of(o->tids[i], &leader);

		if (kind == PROC_UNREADABLE)
			return unreadable(o->tids[i]);
		if (kind == PROC_GONE) {
			cli_error(
				"-t %d: there is no such thread; 'ps -L -p PID' lists the threads",
				o->tids[i]);
			return CLI_USAGE;
		}
		if (ids_add(&t->ids, o->tids[i]))
			return out_of_memory();
	}
	return CLI_OK;
}

static int take_v2(const char *path, struct target_set *t)
{
	t->mode = TARGET_CGROUP;
	t->cgroup_path = strdup(path);
	if (!t->cgroup_path)
		return out_of_memory();
	t->cgroup_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->cgroup_fd < 0 || cgroup_id(path, &t->cgroup_id)) {
		cli_error("%s: can't be opened (%s); run as root", path, strerror(errno));
		return CLI_USAGE;
	}
	return CLI_OK;
}

/*
 * Adds the pids of the processes that are in the group now. Children of these processes are also
 * recorded.
 */
static int take_pids(const char *what, const char *path, struct target_set *t)
{
	t->mode = TARGET_PIDS;
	if (path && cgroup_pids(path, &t->ids))
		return out_of_memory();
	if (!t->ids.n) {
		cli_error("%s: no process is in this group or container; start one first", what);
		return CLI_USAGE;
	}
	cli_error("%s: not reachable through cgroup version 2, so only the %zu processes "
		  "that it contains now and their children are recorded",
		  what, t->ids.n);
	return CLI_OK;
}

static int resolve_cgroup(const char *name, struct target_set *t)
{
	struct cgroup_mounts mounts;
	struct cgroup_dir dir;
	int err = cgroup_mounts_read("/proc/self/mounts", &mounts);

	if (!err)
		err = cgroup_find(&mounts, name, &dir);
	if (err == -EINVAL) {
		cli_error("--cgroup %s: this directory is no control group; systemd-cgls lists "
			  "the control groups",
			  name);
		return CLI_USAGE;
	}
	if (err) {
		cli_error("--cgroup %s: there is no such control group; systemd-cgls lists the "
			  "control groups",
			  name);
		return CLI_USAGE;
	}
	return dir.is_v2 ? take_v2(dir.path, t) : take_pids(dir.path, dir.path, t);
}

static int resolve_container(const char *prefix, struct target_set *t)
{
	char id[CONTAINER_ID_LEN + 1], what[CONTAINER_ID_LEN + 16];
	struct cgroup_mounts mounts;
	struct cgroup_dir dir = { .path = "" };
	int err = cgroup_mounts_read("/proc/self/mounts", &mounts);

	if (!err)
		err = cgroup_find_container(&mounts, prefix, &dir, id);
	if (err == -ENOENT)
		err = cgroup_container_pids(prefix, &t->ids, id);
	if (err == -EEXIST) {
		cli_error("--container %s: several container ids begin with these digits, for "
			  "example %s; give more digits",
			  prefix, id);
		return CLI_USAGE;
	}
	if (err) {
		cli_error("--container %s: no running container has this id; see docker ps or "
			  "crictl ps",
			  prefix);
		return CLI_USAGE;
	}
	if (dir.path[0] && dir.is_v2)
		return take_v2(dir.path, t);
	snprintf(what, sizeof(what), "container %.12s", id);
	return take_pids(what, dir.path[0] ? dir.path : NULL, t);
}

static int refuse_without_target(void)
{
	fputs("usage: unspool record -p PID|NAME [-d TIME] [-o FILE]\n"
	      "       unspool record COMMAND [ARG]...      (--help shows all); the busiest "
	      "processes now:\n",
	      stderr);
	target_list_busiest(stderr, N_BUSIEST);
	return CLI_USAGE;
}

int target_set_resolve(const struct record_options *o, struct target_set *t)
{
	*t = (struct target_set){ .cgroup_fd = -1, .known_ns = clock_ns(CLOCK_BOOTTIME) };
	if (o->n_pids || o->n_names)
		return resolve_pids(o, t);
	if (o->n_tids)
		return resolve_tids(o, t);
	if (o->cgroup)
		return resolve_cgroup(o->cgroup, t);
	if (o->container)
		return resolve_container(o->container, t);
	t->mode = o->all ? TARGET_ALL : TARGET_COMMAND;
	return o->all || o->command ? CLI_OK : refuse_without_target();
}

void target_set_deinit(struct target_set *t)
{
	ids_deinit(&t->ids);
	cleanup_close(&t->cgroup_fd);
	free(t->cgroup_path);
	*t = (struct target_set){ .cgroup_fd = -1 };
}
