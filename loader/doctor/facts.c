/* SPDX-License-Identifier: BSD-2-Clause */

#include "facts.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/utsname.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

/* include/linux/proc_ns.h at v6.12: PROC_USER_INIT_INO, PROC_PID_INIT_INO */
#define INITIAL_USER_NS "user:[4026531837]"
#define INITIAL_PID_NS "pid:[4026531836]"
#define MAX_NESTED 8 /* nested anonymous structs */
/* many lines, because the first symbols are absolute and can be 0 on any kernel */
#define MAX_KALLSYMS_LINES 4096

/* The first line of a small file, without its newline; false when it can't be read. */
static bool read_line(const char *path, char *line, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f || !fgets(line, (int)size, f))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

static int read_setting(const char *path)
{
	char line[32], *end;
	long value;

	if (!read_line(path, line, sizeof(line)))
		return FACT_UNKNOWN;
	value = strtol(line, &end, 10);
	return end == line ? FACT_UNKNOWN : (int)value;
}

static void read_status(struct doctor_facts *f)
{
	_cleanup_fclose_ FILE *status = fopen("/proc/self/status", "re");
	char line[256];

	f->seccomp = FACT_UNKNOWN;
	while (status && fgets(line, sizeof(line), status)) {
		sscanf(line, "CapEff: %llx", &f->caps);
		sscanf(line, "Seccomp: %d", &f->seccomp);
	}
}

static bool link_is(const char *path, const char *expected)
{
	char text[64];
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	if (n < 0)
		return true; /* a kernel without such namespaces has only the initial one */
	text[n] = '\0';
	return !strcmp(text, expected);
}

/* Reads the mode that is in brackets, as in "none [integrity] confidentiality". */
static void read_lockdown(char *mode, size_t size)
{
	char line[128], *from, *to;

	mode[0] = '\0';
	if (!read_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to)
		snprintf(mode, size, "%.*s", (int)(to - from - 1), from + 1);
}

static bool has_btf(void)
{
	_cleanup_close_ int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	unsigned short magic = 0;

	return fd >= 0 && read(fd, &magic, sizeof(magic)) == sizeof(magic) && magic == BTF_MAGIC;
}

static bool has_member(const struct btf *btf, s32 id, const char *name, u32 depth)
{
	const struct btf_type *t = id > 0 && depth ? btf__type_by_id(btf, (u32)id) : NULL;

	for (u32 i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *own = btf__name_by_offset(btf, m->name_off);

		if (own && *own ? !strcmp(own, name)
				: has_member(btf, (s32)m->type, name, depth - 1))
			return true;
	}
	return false;
}

/* Tests for those members of kernel structs for which bpf/files.h tests. */
static enum doctor_tree mappings_tree(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	enum doctor_tree tree = DOCTOR_TREE_UNKNOWN;
	s32 mm;

	if (libbpf_get_error(btf))
		return tree;
	mm = btf__find_by_name_kind(btf, "mm_struct", BTF_KIND_STRUCT);
	if (has_member(btf, mm, "mm_mt", MAX_NESTED))
		tree = DOCTOR_TREE_MAPLE;
	else if (has_member(btf, mm, "mm_rb", MAX_NESTED))
		tree = DOCTOR_TREE_RED_BLACK;
	btf__free(btf);
	return tree;
}

static bool has_kernel_addresses(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];

	for (int i = 0; f && i < MAX_KALLSYMS_LINES && fgets(line, sizeof(line), f); i++) {
		if (strtoull(line, NULL, 16) >> 48 == 0xffff)
			return true;
	}
	return false;
}

static int cgroup_version(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (!statfs(places[i], &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
			return 2;
	}
	return !access("/sys/fs/cgroup/memory", F_OK) || !access("/sys/fs/cgroup/cpu", F_OK);
}

/*
 * Before Linux 5.11, maps count against RLIMIT_MEMLOCK, so recording raises this limit
 * as far as possible.
 */
static u64 raise_memlock(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) && !getrlimit(RLIMIT_MEMLOCK, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &limit);
	}
	getrlimit(RLIMIT_MEMLOCK, &limit);
	return limit.rlim_cur;
}

bool doctor_has_cap(const struct doctor_facts *f, int cap)
{
	return f->caps >> cap & 1;
}

bool doctor_kernel_at_least(const struct doctor_facts *f, int major, int minor)
{
	return f->kernel_major != major ? f->kernel_major > major : f->kernel_minor >= minor;
}

void doctor_facts_read(struct doctor_facts *f)
{
	struct utsname un = { 0 };

	*f = (struct doctor_facts){ .euid = (int)geteuid() };
	uname(&un);
	snprintf(f->release, sizeof(f->release), "%.64s", un.release);
	sscanf(f->release, "%d.%d", &f->kernel_major, &f->kernel_minor);
	f->fences_by_atomic = !strcmp(un.machine, "aarch64");
	read_status(f);
	f->is_initial_user_ns = link_is("/proc/self/ns/user", INITIAL_USER_NS);
	f->is_initial_pid_ns = link_is("/proc/self/ns/pid", INITIAL_PID_NS);
	f->perf_event_paranoid = read_setting("/proc/sys/kernel/perf_event_paranoid");
	f->kptr_restrict = read_setting("/proc/sys/kernel/kptr_restrict");
	f->unprivileged_bpf_disabled = read_setting("/proc/sys/kernel/unprivileged_bpf_disabled");
	f->ptrace_scope = read_setting("/proc/sys/kernel/yama/ptrace_scope");
	f->bpf_jit = read_setting("/proc/sys/net/core/bpf_jit_enable");
	read_lockdown(f->lockdown, sizeof(f->lockdown));
	f->has_btf = has_btf();
	if (f->has_btf)
		f->mappings_tree = mappings_tree();
	f->has_kernel_addresses = has_kernel_addresses();
	f->cgroup_version = cgroup_version();
	f->memlock_len = doctor_kernel_at_least(f, 5, 11) ? FACT_UNLIMITED : raise_memlock();
	doctor_try(f);
}
