/* SPDX-License-Identifier: BSD-2-Clause */

#include "procs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../process/proc_text.h"

#define WATCH_NS 300000000
#define MAX_CMDLINE_LEN 4096

static void cleanup_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static ssize_t read_proc(int id, const char *file, char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	ssize_t n, len = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", id, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((size_t)len < size - 1) {
		n = TEMP_FAILURE_RETRY(read(fd, buf + len, size - 1 - (size_t)len));
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
	}
	buf[len] = '\0';
	return len;
}

int procs_list(struct ids *pids)
{
	_cleanup_(cleanup_closedir) DIR *dir = opendir("/proc");
	const struct dirent *e;

	if (!dir)
		return -errno;
	while (errno = 0, (e = readdir(dir))) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);
		int err;

		if (*end || pid <= 0)
			continue;
		err = ids_add(pids, (int)pid);
		if (err)
			return err;
	}
	return -errno;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void copy(char *dst, const char *src)
{
	snprintf(dst, PROC_NAME_LEN, "%.*s", PROC_NAME_LEN - 1, src);
}

/*
 * Reads the path of the executable. Return: false for a kernel thread, or if reading is not
 * permitted.
 */
static bool read_exe(int pid, char *exe, size_t size)
{
	static const char deleted[] = " (deleted)";
	char path[64];
	size_t len;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, exe, size - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	len = (size_t)n;
	if (len > strlen(deleted) && !strcmp(exe + len - strlen(deleted), deleted))
		exe[len - strlen(deleted)] = '\0';
	return true;
}

int proc_names_read(int pid, struct proc_names *names)
{
	char cmdline[MAX_CMDLINE_LEN + 1], exe[4096], stat_text[1024];
	ssize_t len = read_proc(pid, "cmdline", cmdline, sizeof(cmdline));
	ssize_t stat_len = read_proc(pid, "stat", stat_text, sizeof(stat_text));
	struct proc_names out = { 0 };
	struct proc_stat stat = { 0 };
	const char *script;
	bool has_exe;

	if (len < 0 || stat_len < 0)
		return (int)(len < 0 ? len : stat_len);
	parse_proc_stat(stat_text, (size_t)stat_len, &stat);
	has_exe = read_exe(pid, exe, sizeof(exe));
	if (has_exe)
		copy(out.exe, base_name(exe));
	proc_display_name(cmdline, (size_t)len, has_exe ? exe : NULL, out.name, sizeof(out.name));
	script = proc_script(cmdline, (size_t)len, has_exe ? exe : NULL);
	if (script)
		snprintf(out.script, sizeof(out.script), "%s", script);
	out.ppid = (int)stat.ppid;
	if (!out.name[0])
		copy(out.name, stat.comm);
	out.is_kernel = !len && (pid == 2 || stat.ppid == 2);
	*names = out;
	return 0;
}

static bool is_whole(const struct proc_names *names, const char *package, const char *wanted)
{
	size_t len = strlen(wanted);

	if (!strcmp(names->name, wanted) || !strcmp(names->exe, wanted) ||
	    !strcmp(names->script, wanted) || (package && !strcmp(package, wanted)))
		return true;
	return !strncmp(names->name, wanted, len) && !strcmp(names->name + len, ".dll");
}

enum proc_match proc_names_match(const struct proc_names *names, const char *package,
				 const char *wanted)
{
	if (!*wanted)
		return PROC_MATCH_NONE;
	if (is_whole(names, package, wanted))
		return PROC_MATCH_WHOLE;
	if (strstr(names->name, wanted) || strstr(names->exe, wanted) ||
	    strstr(names->script, wanted) || (package && strstr(package, wanted)))
		return PROC_MATCH_PART;
	return PROC_MATCH_NONE;
}

enum proc_kind proc_kind_of(int id, int *leader)
{
	char text[4096], state = '\0';
	const char *tgid, *state_line;
	ssize_t len = read_proc(id, "status", text, sizeof(text));
	int n = 0;

	if (len <= 0)
		return !len || len == -ESRCH ? PROC_GONE : PROC_UNREADABLE;
	/*
	 * strstr() finds the right lines: the process chooses only the line of its name, and
	 * newlines in this line are escaped.
	 */
	tgid = strstr(text, "\nTgid:");
	state_line = strstr(text, "\nState:");
	if (!tgid || !state_line || sscanf(tgid, "\nTgid: %d", &n) != 1)
		return PROC_GONE;
	sscanf(state_line, "\nState: %c", &state);
	*leader = n;
	if (n != id)
		return PROC_IS_THREAD;
	return state == 'Z' || state == 'X' ? PROC_IS_ZOMBIE : PROC_IS_PROCESS;
}

/*
 * In the auxiliary vector of a 32-bit process, a number has 4 bytes instead of 8. Therefore the
 * value of the first entry is at an offset where a 64-bit process has zeros.
 */
bool proc_is_32_bit(int pid)
{
	u32 words[2 * 4];

	return read_proc(pid, "auxv", (char *)words, sizeof(words)) >= 16 && words[1];
}

bool proc_has_perf_map(int pid)
{
	char text[4096], path[64];
	ssize_t len = read_proc(pid, "status", text, sizeof(text));
	struct stat st;
	u32 nspid;

	if (len <= 0 || parse_proc_nspid(text, (size_t)len, &nspid))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%u.map", pid, nspid);
	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

int proc_cpu_ns(int pid, u64 *ns)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return -ESRCH;
	*ns = timespec_ns(t);
	return 0;
}

static int by_load(const void *a, const void *b)
{
	const struct proc_load *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	return x->pid - y->pid;
}

int procs_measure(const struct ids *pids, struct proc_load **loads, size_t *n, u64 *wall_ns)
{
	_cleanup_free_ struct proc_load *list = calloc(pids->n + 1, sizeof(*list));
	struct timespec watch = { 0, WATCH_NS };
	size_t n_before = 0, n_after = 0;
	u64 start_ns;

	if (!list)
		return -ENOMEM;
	start_ns = monotonic_ns();
	for (size_t i = 0; i < pids->n; i++) {
		struct proc_load *load = &list[n_before];

		load->pid = pids->v[i];
		if (load->pid != getpid() && !proc_cpu_ns(load->pid, &load->cpu_ns))
			n_before++;
	}
	while (nanosleep(&watch, &watch) && errno == EINTR)
		;
	for (size_t i = 0; i < n_before; i++) {
		u64 after_ns;

		/*
		 * If the CPU time is lower than before, the pid now belongs to another process,
		 * usually.
		 */
		if (proc_cpu_ns(list[i].pid, &after_ns) || after_ns < list[i].cpu_ns)
			continue;
		list[n_after].pid = list[i].pid;
		list[n_after++].cpu_ns = after_ns - list[i].cpu_ns;
	}
	*wall_ns = monotonic_ns() - start_ns;
	qsort(list, n_after, sizeof(*list), by_load);
	*loads = TAKE_PTR(list);
	*n = n_after;
	return 0;
}
