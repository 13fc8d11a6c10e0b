// SPDX-License-Identifier: BSD-2-Clause

/* Finds a recording, parses events and reads dumps, for all subcommands of `unspool flight`. */

#include "flight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/util/cleanup.h"

int flight_set_recorder(struct cli_parse *p, const char *arg, void *member)
{
	unsigned long pid;
	char *end;

	errno = 0;
	pid = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !pid || pid > 1 << 22)
		return cli_fail(p, "--recorder %s: give a pid", arg);
	*(u32 *)member = (u32)pid;
	return 0;
}

static int say_none(u32 pid)
{
	if (pid)
		cli_error("no recording of pid %u has pinned rings; 'unspool flight show' lists "
			  "recordings",
			  pid);
	else
		cli_error(
			"no recording has pinned rings; start one with 'unspool record --flight'");
	return CLI_FAILURE;
}

static int say_several(const struct pinned *v, size_t n)
{
	char list[256] = "";

	for (size_t i = 0; i < n && strlen(list) < sizeof(list) - 32; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%u%s", i ? ", " : "",
			 v[i].pid, v[i].is_alive ? "" : " (ended)");
	cli_error("several recordings have pinned rings; choose one with --recorder: %s", list);
	return CLI_USAGE;
}

static int find(u32 pid, struct pinned *out)
{
	_cleanup_free_ struct pinned *v = NULL;
	size_t n = 0, found = 0, n_alive = 0, at = 0, alive = 0;
	int err = pinned_list(&v, &n);

	if (err) {
		cli_error("cannot look for recordings in /sys/fs/bpf: %s; run as root",
			  strerror(-err));
		return CLI_CANNOT_RUN;
	}
	for (size_t i = 0; i < n; i++) {
		if (pid && v[i].pid != pid)
			continue;
		at = i;
		found++;
		alive = v[i].is_alive ? i : alive;
		n_alive += v[i].is_alive;
	}
	if (!found)
		return say_none(pid);
	if (found > 1 && n_alive != 1)
		return say_several(v, n);
	*out = v[n_alive == 1 ? alive : at];
	return CLI_OK;
}

int flight_open(u32 pid, struct pinned *p, struct rings *r)
{
	int status = find(pid, p), err;

	if (status)
		return status;
	err = pinned_open(p, r);
	if (!err)
		return CLI_OK;
	if (err == -EBADMSG)
		cli_error("%s: not the rings of a flight recorder; remove this directory", p->dir);
	else if (err == -EPROTO)
		cli_error("%s: another version of unspool created these rings; use that version",
			  p->dir);
	else
		cli_error("cannot open %s: %s; run as the user that runs 'unspool record'", p->dir,
			  strerror(-err));
	return err == -EPERM || err == -EACCES ? CLI_CANNOT_RUN : CLI_FAILURE;
}

static const struct {
	const char *name, *class;
} events[] = {
#define X(name, class, word, words) { word, class },
	FLIGHT_EVENT_LIST(X)
#undef X
};

static u64 named(const char *word, size_t len)
{
	u64 set = 0;

	for (u32 i = 0; i < FLIGHT_N_EVENTS; i++)
		if ((strlen(events[i].name) == len && !strncmp(events[i].name, word, len)) ||
		    (strlen(events[i].class) == len && !strncmp(events[i].class, word, len)))
			set |= 1ull << i;
	return set;
}

int flight_events(const char *list, u64 *out, char *bad, size_t bad_len)
{
	const u64 unbuilt = 1ull << FLIGHT_DECISION | 1ull << FLIGHT_READ;
	u64 set = 0, all = (1ull << FLIGHT_N_EVENTS) - 1;

	for (const char *s = list;; s++) {
		size_t len = strcspn(s, ",");
		u64 bits = named(s, len);
		char *end = NULL;

		if (!bits && len && *s >= '0' && *s <= '9') {
			errno = 0;
			bits = strtoull(s, &end, 0);
			if (end != s + len || errno || bits & ~all)
				end = NULL;
		}
		snprintf(bad, bad_len, "%.*s", (int)len, s);
		if (!bits && !end)
			return -EINVAL;
		if (bits & unbuilt && !end)
			return -ENOTSUP;
		set |= bits & ~unbuilt;
		s += len;
		if (!*s)
			break;
	}
	*out = set;
	return 0;
}

/* Reads a regular file. */
static int read_all(const char *path, char **out, size_t *len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_free_ char *bytes = NULL;
	struct stat st;
	size_t at = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if ((u64)st.st_size > FL_MAX_DUMP)
		return -E2BIG;
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	while (at < (size_t)st.st_size) {
		n = read(fd, bytes + at, (size_t)st.st_size - at);
		if (n < 0)
			return -errno;
		if (!n)
			break;
		at += (size_t)n;
	}
	*out = TAKE_PTR(bytes);
	*len = at;
	return 0;
}

int flight_read_file(const char *path, struct fl_dump *out)
{
	_cleanup_free_ char *bytes = NULL;
	size_t len = 0;
	int err = read_all(path, &bytes, &len);

	if (err) {
		cli_error("cannot read '%s': %s", path, strerror(-err));
		return CLI_FAILURE;
	}
	err = fl_dump_parse(bytes, len, out);
	if (!err)
		return CLI_OK;
	cli_error("'%s' is %s", path,
		  err == -EPROTO ? "a dump that another version of unspool wrote; use that version"
		  : err == -E2BIG
			  ? "too large for a dump"
			  : "not a flight recorder dump ('unspool flight dump' writes them)");
	return CLI_FAILURE;
}
