/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the doctor on invented facts, with which every check can fail, and on this machine in
 * a child process without capabilities. In the child, the doctor's findings are compared with
 * direct calls of bpf() and perf_event_open().
 */

#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../loader/doctor/checks.h"
#include "../check.h"

#define BIT(cap) (1ull << (cap))
#define ALL_CAPS 0x1ffffffffffull

static struct doctor_facts healthy(void)
{
	return (struct doctor_facts){
		.release = "6.1.0",
		.kernel_major = 6,
		.kernel_minor = 1,
		.caps = ALL_CAPS,
		.is_initial_user_ns = true,
		.is_initial_pid_ns = true,
		.perf_event_paranoid = 2,
		.unprivileged_bpf_disabled = 2,
		.bpf_jit = 1,
		.lockdown = "none",
		.has_btf = true,
		.mappings_tree = DOCTOR_TREE_MAPLE,
		.has_kernel_addresses = true,
		.cgroup_version = 2,
		.memlock_len = FACT_UNLIMITED,
	};
}

#define BREAK(field_, ...)                                                                         \
	static void break_##field_(struct doctor_facts *f)                                         \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}

BREAK(nothing, (void)f)
BREAK(kernel, f->kernel_major = 5; f->kernel_minor = 9)
BREAK(kernel_3, f->kernel_major = 3; f->kernel_minor = 18)
BREAK(kernel_not, f->kernel_major = 5; f->kernel_minor = 10)
BREAK(bpf, f->caps &= ~(BIT(CAP_BPF) | BIT(CAP_SYS_ADMIN)); f->try_program = -EPERM)
BREAK(bpf_user, f->caps = 0; f->euid = 1000; f->try_program = -EPERM)
BREAK(admin_not, f->caps &= ~(BIT(CAP_BPF) | BIT(CAP_PERFMON)))
BREAK(ptrace, f->caps &= ~BIT(CAP_SYS_PTRACE))
BREAK(yama, f->ptrace_scope = 3)
BREAK(user_ns, f->is_initial_user_ns = false; f->try_program = -EPERM)
BREAK(user_ns_not, f->is_initial_user_ns = false)
BREAK(lockdown, strcpy(f->lockdown, "confidentiality"))
BREAK(lockdown_not, strcpy(f->lockdown, "integrity"))
BREAK(btf, f->has_btf = false)
BREAK(memlock, f->memlock_len = 65536)
BREAK(seccomp, f->seccomp = 2; f->try_program = -EPERM)
BREAK(config, f->try_program = -ENOSYS)
BREAK(ringbuf, f->try_ringbuf = -EINVAL)
BREAK(mmapable, f->try_mmapable = -EPERM)
BREAK(clock, f->try_cpu_clock = -EACCES)
BREAK(attach, f->try_attach = -EINVAL)
BREAK(cycles, f->try_cycles = -ENOENT)
BREAK(jit, f->bpf_jit = 0)
BREAK(kptr, f->has_kernel_addresses = false; f->kptr_restrict = 2)
BREAK(syslog, f->has_kernel_addresses = false; f->caps &= ~BIT(CAP_SYSLOG))
BREAK(cgroup, f->cgroup_version = 1)
BREAK(cgroup_none, f->cgroup_version = 0)
BREAK(pid_ns, f->is_initial_pid_ns = false)
BREAK(atomic, f->fences_by_atomic = true; f->try_atomic = -EINVAL)
BREAK(atomic_not, f->try_atomic = -EINVAL)
BREAK(tree, f->mappings_tree = DOCTOR_TREE_UNKNOWN)
BREAK(tree_not, f->mappings_tree = DOCTOR_TREE_RED_BLACK)
BREAK(pt_regs, f->try_task_pt_regs = -EINVAL)

/* The expected worst finding: parts of its text and of its remedy. */
static const struct row {
	void (*break_it)(struct doctor_facts *f);
	enum doctor_state state;
	const char *check, *text, *mend;
} rows[] = {
	{ break_nothing, DOCTOR_OK, NULL, NULL, NULL },
	{ break_kernel, DOCTOR_MISSING, "kernel", "5.10 or newer", "boot Linux 5.10" },
	{ break_kernel_3, DOCTOR_MISSING, "kernel", "5.10 or newer", "boot Linux 5.10" },
	{ break_kernel_not, DOCTOR_OK, NULL, NULL, NULL },
	{ break_bpf, DOCTOR_MISSING, "capabilities", "CAP_BPF is missing", "--cap-add=BPF ..." },
	{ break_bpf_user, DOCTOR_MISSING, "capabilities", "CAP_BPF and CAP_PERFMON are missing",
	  "sudo unspool" },
	{ break_admin_not, DOCTOR_OK, NULL, NULL, NULL },
	{ break_ptrace, DOCTOR_LIMITED, "reading-targets", "CAP_SYS_PTRACE", "SYS_PTRACE" },
	{ break_yama, DOCTOR_LIMITED, "reading-targets", "ptrace_scope=3", "boot" },
	{ break_user_ns, DOCTOR_MISSING, "user-namespace", "rootless", "sudo" },
	{ break_user_ns_not, DOCTOR_LIMITED, "user-namespace", "rootless", "sudo" },
	{ break_lockdown, DOCTOR_MISSING, "lockdown", "confidentiality", "lockdown=integrity" },
	{ break_lockdown_not, DOCTOR_OK, NULL, NULL, NULL },
	{ break_btf, DOCTOR_MISSING, "btf", "/sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF" },
	{ break_memlock, DOCTOR_MISSING, "memlock", "64 KiB", "ulimit -l unlimited" },
	{ break_seccomp, DOCTOR_MISSING, "bpf-program", "not permitted", "seccomp=unconfined" },
	{ break_config, DOCTOR_MISSING, "bpf-program", "not implemented", "CONFIG_BPF_SYSCALL" },
	{ break_ringbuf, DOCTOR_MISSING, "bpf-maps", "ring buffer", "CONFIG_BPF" },
	{ break_mmapable, DOCTOR_MISSING, "bpf-maps", "mappable", "security module" },
	{ break_clock, DOCTOR_MISSING, "sampling", "cpu-clock", "security module" },
	{ break_attach, DOCTOR_MISSING, "sampling", "attached", "CONFIG_BPF_EVENTS" },
	{ break_cycles, DOCTOR_LIMITED, "hardware-cycles", "cpu-clock is sampled", "" },
	{ break_jit, DOCTOR_LIMITED, "bpf-jit", "bpf_jit_enable is 0", "bpf_jit_enable=1" },
	{ break_kptr, DOCTOR_LIMITED, "kernel-symbols", "restrict=2", "kptr_restrict=1" },
	{ break_syslog, DOCTOR_LIMITED, "kernel-symbols", "restrict=0", "SYSLOG" },
	{ break_cgroup, DOCTOR_LIMITED, "cgroup", "by pid", "/sys/fs/cgroup/unified" },
	{ break_cgroup_none, DOCTOR_LIMITED, "cgroup", "by pid", "mount -t cgroup2" },
	{ break_pid_ns, DOCTOR_LIMITED, "pid-namespace", "container", "--pid=host" },
	{ break_atomic, DOCTOR_LIMITED, "flight-recorder", "samples are recorded", "5.18" },
	{ break_atomic_not, DOCTOR_OK, NULL, NULL, NULL },
	{ break_pt_regs, DOCTOR_OK, NULL, NULL, NULL },
	{ break_tree, DOCTOR_LIMITED, "new-processes", "neither", "" },
	{ break_tree_not, DOCTOR_OK, NULL, NULL, NULL },
};

static const struct doctor_finding *worst(const struct doctor_report *r)
{
	const struct doctor_finding *found = NULL;

	for (size_t i = 0; i < r->n; i++) {
		if (r->findings[i].state > (found ? found->state : DOCTOR_OK))
			found = &r->findings[i];
	}
	return found;
}

static void each_defect_is_reported_with_its_remedy(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doctor_facts f = healthy();
		const struct doctor_finding *d;
		struct doctor_report r;

		rows[i].break_it(&f);
		doctor_judge(&f, &r);
		d = worst(&r);
		if (!rows[i].check) {
			assert_null(d);
			continue;
		}
		if (!d || d->state != rows[i].state || strcmp(d->check, rows[i].check) ||
		    !strstr(d->text, rows[i].text) || !strstr(d->mend, rows[i].mend))
			fail_msg("row %zu: %s: %s -> %s", i, d ? d->check : "nothing",
				 d ? d->text : "", d ? d->mend : "");
		assert_true((doctor_first_missing(&r) != NULL) == (d->state == DOCTOR_MISSING));
	}
}

/* Capabilities in a user namespace do not help, so the remedy does not suggest them. */
static void the_remedy_suggests_no_capabilities_inside_a_user_namespace(void **state)
{
	struct doctor_facts f = healthy();
	struct doctor_report r;
	u32 n_named = 0;

	(void)state;
	break_user_ns(&f);
	f.caps = 0;
	f.try_ringbuf = -EPERM;
	doctor_judge(&f, &r);
	for (size_t i = 0; i < r.n; i++)
		n_named += (!strcmp(r.findings[i].check, "bpf-program") ||
			    !strcmp(r.findings[i].check, "bpf-maps")) &&
			   strstr(r.findings[i].mend, "the machine's root");
	assert_int_equal(n_named, 2);
}

/* Without the BPF helper bpf_task_pt_regs() all else works, so the finding is not a limit. */
static void a_missing_bpf_task_pt_regs_is_reported_but_is_no_obstacle(void **state)
{
	struct doctor_facts f = healthy();
	struct doctor_report r;
	bool is_named = false;

	(void)state;
	break_pt_regs(&f);
	doctor_judge(&f, &r);
	for (size_t i = 0; i < r.n; i++)
		is_named |= !strcmp(r.findings[i].check, "user-registers") &&
			    strstr(r.findings[i].text, "kernel stack");
	assert_true(is_named);
}

/* The kernel has maple trees since Linux 6.1 (mm/mmap.c; see bpf/files.h). */
static void the_reported_kind_of_mappings_tree_matches_the_kernel_version(void **state)
{
	struct doctor_facts f;

	(void)state;
	doctor_facts_read(&f);
	if (f.has_btf)
		assert_int_equal(f.mappings_tree, doctor_kernel_at_least(&f, 6, 1)
							  ? DOCTOR_TREE_MAPLE
							  : DOCTOR_TREE_RED_BLACK);
	else
		assert_int_equal(f.mappings_tree, DOCTOR_TREE_UNKNOWN);
}

/* Makes the system calls of a recording in their simplest form. Return: 0 or an errno. */
static int load_program(void)
{
	struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } }; /* r0 = 0; exit */
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insn_cnt = 2,
		.insns = (u64)(uintptr_t)insns,
		.license = (u64)(uintptr_t) "GPL",
	};
	int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	return fd < 0 ? errno : close(fd);
}

static int make_ringbuf(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_RINGBUF,
		.max_entries = (u32)sysconf(_SC_PAGESIZE),
	};
	int fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));

	return fd < 0 ? errno : close(fd);
}

static int open_clock(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	return fd < 0 ? errno : close(fd);
}

static int drop_caps(u64 drop)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < 2; i++) {
		data[i].effective &= ~(u32)(drop >> (32 * i));
		data[i].permitted &= ~(u32)(drop >> (32 * i));
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

static const struct doctor_finding *finding(const struct doctor_report *r, const char *check)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!strcmp(r->findings[i].check, check))
			return &r->findings[i];
	}
	return NULL;
}

static bool is_missing(const struct doctor_report *r, const char *check)
{
	return finding(r, check)->state == DOCTOR_MISSING;
}

/*
 * Runs in a child process: checks that the kernel behaves as the doctor reports. Return: 0,
 * or the number of the failed step.
 */
static int compare_without(u64 drop, const char *words)
{
	const struct doctor_finding *caps;
	struct doctor_report r;
	char why[512];

	if (drop_caps(drop))
		return 1;
	doctor_examine(&r);
	caps = finding(&r, "capabilities");
	if (words ? caps->state != DOCTOR_MISSING || strcmp(caps->text, words)
		  : caps->state != DOCTOR_OK)
		return 2;
	if (is_missing(&r, "bpf-program") != (load_program() != 0))
		return 3;
	if (is_missing(&r, "bpf-maps") != (make_ringbuf() != 0))
		return 4;
	if (is_missing(&r, "sampling") != (open_clock() != 0))
		return 5;
	if (doctor_why_not(why, sizeof(why)) != (words != NULL))
		return 6;
	if (words && !strstr(why, words))
		return 7;
	if (words && !load_program() && !make_ringbuf() && !open_clock())
		return 8; /* missing, but recording works without it */
	return 0;
}

#define ADMIN BIT(CAP_SYS_ADMIN)

static const struct drop_row {
	u64 drop;
	const char *words; /* NULL: recording works without the capability */
} drop_rows[] = {
	{ 0, NULL },
	{ BIT(CAP_BPF), NULL }, /* CAP_SYS_ADMIN includes it */
	{ BIT(CAP_PERFMON), NULL },
	{ ADMIN, NULL },
	{ BIT(CAP_SYS_PTRACE), NULL },
	{ ADMIN | BIT(CAP_BPF), "CAP_BPF is missing" },
	{ ADMIN | BIT(CAP_PERFMON), "CAP_PERFMON is missing" },
	{ ADMIN | BIT(CAP_PERFMON) | BIT(CAP_BPF), "CAP_BPF and CAP_PERFMON are missing" },
	{ ALL_CAPS, "CAP_BPF and CAP_PERFMON are missing" },
};

static void the_findings_match_the_kernels_behaviour_if_capabilities_are_missing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(drop_rows) / sizeof(drop_rows[0]); i++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (!pid)
			_exit(compare_without(drop_rows[i].drop, drop_rows[i].words));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			fail_msg("row %zu: step %d", i, WEXITSTATUS(status));
	}
}

static const struct unreadable_row {
	void (*change)(struct doctor_facts *f);
	int err;
	const char *words;
} unreadable_rows[] = {
	{ break_nothing, -EACCES, "Permission denied, even to root: a security module" },
	{ break_ptrace, -EACCES, "Permission denied, because this root lacks CAP_SYS_PTRACE" },
	{ break_user_ns, -EPERM,
	  "not permitted, because the process is outside of this user namespace" },
	{ break_bpf_user, -EACCES, "Permission denied; run as root" },
	{ break_bpf_user, -EIO, "Input/output error" },
};

static void a_target_that_is_unreadable_is_reported_together_with_the_reason(void **state)
{
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(unreadable_rows) / sizeof(unreadable_rows[0]); i++) {
		const struct unreadable_row *row = &unreadable_rows[i];
		struct doctor_facts f = healthy();

		row->change(&f);
		doctor_judge_unreadable(&f, row->err, text, sizeof(text));
		if (!strstr(text, row->words))
			fail_msg("row %zu: %s", i, text);
	}
	assert_string_equal(text, "Input/output error");
}

int main(void)
{
	static const struct CMUnitTest invented[] = {
		cmocka_unit_test(each_defect_is_reported_with_its_remedy),
		cmocka_unit_test(the_remedy_suggests_no_capabilities_inside_a_user_namespace),
		cmocka_unit_test(a_missing_bpf_task_pt_regs_is_reported_but_is_no_obstacle),
		cmocka_unit_test(the_reported_kind_of_mappings_tree_matches_the_kernel_version),
		cmocka_unit_test(a_target_that_is_unreadable_is_reported_together_with_the_reason),
	};
	static const struct CMUnitTest real[] = {
		cmocka_unit_test(each_defect_is_reported_with_its_remedy),
		cmocka_unit_test(the_remedy_suggests_no_capabilities_inside_a_user_namespace),
		cmocka_unit_test(a_missing_bpf_task_pt_regs_is_reported_but_is_no_obstacle),
		cmocka_unit_test(the_reported_kind_of_mappings_tree_matches_the_kernel_version),
		cmocka_unit_test(a_target_that_is_unreadable_is_reported_together_with_the_reason),
		cmocka_unit_test(
			the_findings_match_the_kernels_behaviour_if_capabilities_are_missing),
	};

	if (load_program() || make_ringbuf() || open_clock()) {
		int status = CHECK_RUN(invented);

		return status ? status : check_cannot_run("no BPF or perf events to drop");
	}
	return CHECK_RUN(real);
}
