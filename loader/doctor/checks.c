/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Has one function per check, which turns facts into a finding. Causes are checked before
 * their effects, so the first DOCTOR_MISSING finding is the first to fix. A finding is
 * DOCTOR_MISSING only if recording cannot work; the trials decide that.
 */

#include "checks.h"

#include "../../inspect/util/array.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MIN_MEMLOCK_LEN (64ull << 20)

#define USER_NS_HINT "run unspool as the machine's root: sudo unspool ..., sudo podman run ..."
#define SECCOMP_HINT "if seccomp forbids this in a container: --security-opt seccomp=unconfined"

__attribute__((format(printf, 3, 4))) static void say(struct doctor_finding *d,
						      enum doctor_state state, const char *fmt, ...)
{
	va_list ap;

	d->state = state;
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void mend(struct doctor_finding *d, const char *fmt,
						       ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->mend, sizeof(d->mend), fmt, ap);
	va_end(ap);
}

/* CAP_SYS_ADMIN includes CAP_BPF and CAP_PERFMON (capabilities(7)). */
static bool can_bpf(const struct doctor_facts *f)
{
	return doctor_has_cap(f, CAP_BPF) || doctor_has_cap(f, CAP_SYS_ADMIN);
}

static bool can_perfmon(const struct doctor_facts *f)
{
	return doctor_has_cap(f, CAP_PERFMON) || doctor_has_cap(f, CAP_SYS_ADMIN);
}

static bool has_failed_trial(const struct doctor_facts *f)
{
	return f->try_program || f->try_ringbuf || f->try_mmapable || f->try_cpu_clock ||
	       f->try_attach;
}

/* Suggests a command line that grants capabilities, such as "BPF PERFMON". */
static void mend_caps(struct doctor_finding *d, const struct doctor_facts *f, const char *caps)
{
	char options[96] = "", units[96] = "";
	size_t o = 0, u = 0;

	if (f->euid) {
		mend(d, "sudo unspool ...");
		return;
	}
	for (const char *c = caps; *c; c += strspn(c, " ")) {
		int len = (int)strcspn(c, " ");

		o += (size_t)snprintf(options + o, sizeof(options) - o, " --cap-add=%.*s", len, c);
		u += (size_t)snprintf(units + u, sizeof(units) - u, " CAP_%.*s", len, c);
		c += len;
	}
	mend(d, "docker run%s ..., or in a systemd unit AmbientCapabilities=%s", options,
	     units + 1);
}

static void check_kernel(const struct doctor_facts *f, struct doctor_finding *d)
{
	bool is_new = doctor_kernel_at_least(f, 5, 10);

	say(d, is_new ? DOCTOR_OK : DOCTOR_MISSING, "Linux %s; unspool needs 5.10 or newer",
	    f->release);
	if (!is_new)
		mend(d, "boot Linux 5.10 or newer");
}

static void check_user_ns(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->is_initial_user_ns) {
		say(d, DOCTOR_OK, "the machine's own");
		return;
	}
	say(d, has_failed_trial(f) ? DOCTOR_MISSING : DOCTOR_LIMITED,
	    "BPF ignores capabilities that are limited to a user namespace (rootless container)");
	mend(d, USER_NS_HINT);
}

static void check_caps(const struct doctor_facts *f, struct doctor_finding *d)
{
	const char *lacks = !can_bpf(f) && !can_perfmon(f) ? "BPF PERFMON"
			    : !can_bpf(f)		   ? "BPF"
			    : !can_perfmon(f)		   ? "PERFMON"
							   : NULL;

	if (!lacks) {
		say(d, DOCTOR_OK, "CAP_BPF and CAP_PERFMON");
		return;
	}
	say(d, DOCTOR_MISSING, "%s missing",
	    !strcmp(lacks, "BPF")	? "CAP_BPF is"
	    : !strcmp(lacks, "PERFMON") ? "CAP_PERFMON is"
					: "CAP_BPF and CAP_PERFMON are");
	mend_caps(d, f, lacks);
}

static void check_reading(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->ptrace_scope == 3) {
		say(d, DOCTOR_LIMITED,
		    "kernel.yama.ptrace_scope=3 forbids reading other processes, "
		    "so JavaScript frames stay unnamed");
		mend(d, "boot with kernel.yama.ptrace_scope below 3 (it can't be lowered)");
	} else if (!doctor_has_cap(f, CAP_SYS_PTRACE)) {
		say(d, DOCTOR_LIMITED, "CAP_SYS_PTRACE is missing: %s",
		    f->euid ? "other users' frames stay unnamed"
			    : "frames of processes with more capabilities stay unnamed");
		mend_caps(d, f, "SYS_PTRACE");
	} else {
		say(d, DOCTOR_OK, "CAP_SYS_PTRACE");
	}
}

static void check_lockdown(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (!strcmp(f->lockdown, "confidentiality")) {
		say(d, DOCTOR_MISSING, "lockdown=confidentiality forbids BPF to read memory");
		mend(d, "boot with lockdown=integrity");
	} else {
		say(d, DOCTOR_OK, "%s", f->lockdown[0] ? f->lockdown : "not in this kernel");
	}
}

static void check_btf(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->has_btf) {
		say(d, DOCTOR_OK, "/sys/kernel/btf/vmlinux");
		return;
	}
	say(d, DOCTOR_MISSING, "/sys/kernel/btf/vmlinux can't be read");
	mend(d, "boot a kernel with CONFIG_DEBUG_INFO_BTF=y; in a container mount /sys");
}

static void check_memlock(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->memlock_len >= MIN_MEMLOCK_LEN) {
		say(d, DOCTOR_OK,
		    doctor_kernel_at_least(f, 5, 11) ? "no limit for BPF since Linux 5.11"
						     : "high enough");
		return;
	}
	say(d, DOCTOR_MISSING, "RLIMIT_MEMLOCK is %llu KiB; Linux before 5.11 needs 65536 KiB",
	    f->memlock_len >> 10);
	mend(d, "ulimit -l unlimited (as root), or docker run --ulimit memlock=-1");
}

/* Explains a failed trial by a known cause, or else by what may block the system call. */
static void explain(const struct doctor_facts *f, struct doctor_finding *d, const char *what,
		    int err, bool is_allowed)
{
	say(d, DOCTOR_MISSING, "%s: %s", what, strerror(-err));
	if (err == -ENOSYS || err == -EINVAL)
		mend(d, "boot a kernel with CONFIG_BPF_SYSCALL, CONFIG_BPF_EVENTS, "
			"CONFIG_PERF_EVENTS");
	else if (!f->is_initial_user_ns)
		mend(d, USER_NS_HINT);
	else if (!is_allowed)
		mend_caps(d, f, can_bpf(f) ? "PERFMON" : can_perfmon(f) ? "BPF" : "BPF PERFMON");
	else if (f->seccomp == 2)
		mend(d, SECCOMP_HINT);
	else if (err == -EPERM || err == -EACCES)
		mend(d, "a security module forbids this; find out which: journalctl -k | grep -i "
			"denied");
}

static void check_program(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->try_program)
		explain(f, d, "a BPF program can't be loaded", f->try_program,
			can_bpf(f) && can_perfmon(f));
	else
		say(d, DOCTOR_OK, "a BPF program was loaded");
}

/* If a sample interrupts the kernel, the walk starts from the saved user registers. */
static void check_user_regs(const struct doctor_facts *f, struct doctor_finding *d)
{
	say(d, DOCTOR_OK, "%s",
	    f->try_program	  ? "not tried, because no BPF program can be loaded"
	    : f->try_task_pt_regs ? "user registers are read at the high end of the kernel stack, "
				    "because this kernel has no bpf_task_pt_regs (Linux 5.15)"
				  : "user registers are read with bpf_task_pt_regs");
}

static void check_flight(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->try_program || !f->try_atomic || !f->fences_by_atomic) {
		say(d, DOCTOR_OK, "%s",
		    f->try_program ? "not tried, because no BPF program can be loaded"
				   : "this kernel supports the rings of the flight recorder");
		return;
	}
	say(d, DOCTOR_LIMITED,
	    "the flight recorder is off, because this kernel refuses BPF_ADD with BPF_FETCH (%s); "
	    "samples are recorded",
	    strerror(-f->try_atomic));
	mend(d, "boot Linux 5.18 or newer");
}

/*
 * Until user space has read the mappings of a process, the BPF program looks up the file of a
 * pc itself.
 */
static void check_new_processes(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (!f->has_btf)
		say(d, DOCTOR_OK, "not tried, because there is no BTF");
	else if (f->mappings_tree == DOCTOR_TREE_UNKNOWN)
		say(d, DOCTOR_LIMITED,
		    "this kernel keeps mappings in neither a maple nor a red-black tree, so stacks "
		    "that are sampled in the first milliseconds of a program are truncated");
	else
		say(d, DOCTOR_OK, "mapped files are looked up in the kernel's %s tree of mappings",
		    f->mappings_tree == DOCTOR_TREE_MAPLE ? "maple" : "red-black");
}

static void check_maps(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->try_ringbuf)
		explain(f, d, "a BPF ring buffer can't be made", f->try_ringbuf, can_bpf(f));
	else if (f->try_mmapable)
		explain(f, d, "a mappable BPF array can't be made", f->try_mmapable, can_bpf(f));
	else
		say(d, DOCTOR_OK, "a BPF ring buffer and a mappable BPF array were made");
}

static void check_sampling(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->try_cpu_clock)
		explain(f, d, "cpu-clock can't be sampled", f->try_cpu_clock, can_perfmon(f));
	else if (f->try_attach)
		explain(f, d, "a BPF program can't be attached to cpu-clock", f->try_attach, true);
	else
		say(d, DOCTOR_OK,
		    f->try_program ? "cpu-clock was opened"
				   : "cpu-clock was opened, and a BPF program was attached to it");
}

static void check_cycles(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (!f->try_cycles)
		say(d, DOCTOR_OK, "hardware cycles were opened");
	else if (f->try_cycles == -ENOENT || f->try_cycles == -EOPNOTSUPP ||
		 f->try_cycles == -ENODEV)
		say(d, DOCTOR_LIMITED,
		    "this machine can't count hardware cycles (usual in virtual machines); "
		    "cpu-clock is sampled instead");
	else
		say(d, DOCTOR_LIMITED, "hardware cycles can't be opened: %s",
		    strerror(-f->try_cycles));
}

static void check_paranoid(const struct doctor_facts *f, struct doctor_finding *d)
{
	say(d, DOCTOR_OK, "kernel.perf_event_paranoid=%d%s", f->perf_event_paranoid,
	    can_perfmon(f) ? ", but CAP_PERFMON overrides this setting" : "");
	if (f->perf_event_paranoid == FACT_UNKNOWN) {
		say(d, f->try_cpu_clock ? DOCTOR_MISSING : DOCTOR_LIMITED,
		    "kernel.perf_event_paranoid can't be read");
		mend(d, "boot a kernel with CONFIG_PERF_EVENTS; in a container mount /proc");
	}
}

static void check_unprivileged(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->unprivileged_bpf_disabled == FACT_UNKNOWN)
		say(d, DOCTOR_OK, "kernel.unprivileged_bpf_disabled is not in this kernel");
	else
		say(d, DOCTOR_OK, "kernel.unprivileged_bpf_disabled=%d%s",
		    f->unprivileged_bpf_disabled,
		    can_bpf(f) ? ", but CAP_BPF overrides this setting"
			       : ", but sampling needs CAP_BPF whatever this setting is");
}

static void check_jit(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->bpf_jit == 0) {
		say(d, DOCTOR_LIMITED,
		    "net.core.bpf_jit_enable is 0, so unwinding costs several times as much");
		mend(d, "sysctl net.core.bpf_jit_enable=1");
	} else {
		say(d, DOCTOR_OK, f->bpf_jit == FACT_UNKNOWN ? "unreadable; usually on" : "on");
	}
}

static void check_kallsyms(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->has_kernel_addresses) {
		say(d, DOCTOR_OK, "/proc/kallsyms has addresses");
		return;
	}
	say(d, DOCTOR_LIMITED,
	    "/proc/kallsyms has no addresses (kernel.kptr_restrict=%d), so kernel frames stay "
	    "unnamed",
	    f->kptr_restrict);
	if (f->kptr_restrict > 1)
		mend(d, "sysctl kernel.kptr_restrict=1");
	else if (!f->is_initial_user_ns)
		mend(d, USER_NS_HINT);
	else
		mend_caps(d, f, "SYSLOG");
}

static void check_cgroup(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->cgroup_version == 2) {
		say(d, DOCTOR_OK, "version 2 is mounted");
		return;
	}
	say(d, DOCTOR_LIMITED, "version 2 is missing, so --cgroup and --container select by pid");
	mend(d, "mount -t cgroup2 none /sys/fs/cgroup%s", f->cgroup_version ? "/unified" : "");
}

static void check_pid_ns(const struct doctor_facts *f, struct doctor_finding *d)
{
	if (f->is_initial_pid_ns) {
		say(d, DOCTOR_OK, "the machine's own");
		return;
	}
	say(d, DOCTOR_LIMITED,
	    "not the machine's namespace, so only processes of this container can be recorded");
	mend(d, "docker run --pid=host ...");
}

static const struct check {
	const char *name;
	void (*run)(const struct doctor_facts *f, struct doctor_finding *d);
} checks[] = {
	{ "kernel", check_kernel },
	{ "user-namespace", check_user_ns },
	{ "capabilities", check_caps },
	{ "lockdown", check_lockdown },
	{ "btf", check_btf },
	{ "memlock", check_memlock },
	{ "bpf-program", check_program },
	{ "bpf-maps", check_maps },
	{ "user-registers", check_user_regs },
	{ "new-processes", check_new_processes },
	{ "flight-recorder", check_flight },
	{ "perf-events", check_paranoid },
	{ "sampling", check_sampling },
	{ "hardware-cycles", check_cycles },
	{ "unprivileged-bpf", check_unprivileged },
	{ "bpf-jit", check_jit },
	{ "reading-targets", check_reading },
	{ "kernel-symbols", check_kallsyms },
	{ "cgroup", check_cgroup },
	{ "pid-namespace", check_pid_ns },
};

_Static_assert(ARRAY_SIZE(checks) <= DOCTOR_MAX_FINDINGS, "each check must have a finding");

void doctor_judge(const struct doctor_facts *f, struct doctor_report *r)
{
	r->n = ARRAY_SIZE(checks);
	for (size_t i = 0; i < r->n; i++) {
		r->findings[i] = (struct doctor_finding){ .check = checks[i].name };
		checks[i].run(f, &r->findings[i]);
	}
}

void doctor_judge_unreadable(const struct doctor_facts *f, int err, char *buf, size_t size)
{
	const char *why = "";

	if (err == -EACCES || err == -EPERM)
		why = f->euid ? "; run as root (see `unspool doctor`)"
		      : !doctor_has_cap(f, CAP_SYS_PTRACE)
			      ? ", because this root lacks CAP_SYS_PTRACE (see `unspool doctor`)"
		      : !f->is_initial_user_ns
			      ? ", because the process is outside of this user namespace"
			      : ", even to root: a security module of the kernel protects the "
				"process";
	snprintf(buf, size, "%s%s", strerror(-err), why);
}
