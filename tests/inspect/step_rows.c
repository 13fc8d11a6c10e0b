/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Unwind rows at every instruction of a program's file, compared with a true stack. The first
 * thread is single-stepped; a shadow stack (shadow_stack.h) records the calls. The location of the
 * return address and the caller's fp are compared with those that the row gives. For x86-64; run by
 * hand.
 *
 *	step_rows STEPS SKIP_MS PROGRAM [ARG]...
 *
 * A step in the file is judged if the call of the current function was single-stepped. The last
 * line has the numbers of judged steps, of steps without a row, with a wrong return address and
 * with a wrong fp, and as a control the number of steps that are right if 8 is added to the CFA
 * (must be 0).
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/go/go_rows.h"
#include "../../inspect/unwind/cfi.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "shadow_stack.h"

#define MAX_PAGES 65536
#define MAX_PRINTED 40

struct judge {
	int pid;
	struct elf_file *file;
	struct cfi *cfi;
	struct rules rules;
	u64 start, end, file_off; /* offset of the executable mapping */
	struct shadow_stack shadow;
	u64 fps[SHADOW_MAX]; /* the caller's fp for each entry of the shadow stack */
	u64 judged, no_row, wrong_ra, wrong_fp, control;
};

static struct uw_rule table[UW_MAX_RULES];
static u32 *pages[MAX_PAGES]; /* the rule of each byte */

static u64 peek(const struct judge *j, u64 addr)
{
	return (u64)ptrace(PTRACE_PEEKDATA, j->pid, addr, 0);
}

/* Returns the unwind rule of the byte at file offset @off. */
static const struct uw_rule *rule_at(struct judge *j, u64 off)
{
	static u32 rows[UW_MAX_PAGE_ROWS];
	u64 page = off / UW_ROW_PAGE_LEN;
	u32 n;

	if (page >= MAX_PAGES)
		return &table[0];
	if (!pages[page]) {
		pages[page] = calloc(UW_ROW_PAGE_LEN, sizeof(u32));
		if (cfi_page(j->cfi, &j->rules, page * UW_ROW_PAGE_LEN, rows, &n) < 0)
			return &table[0];
		for (u32 i = 0; i < n; i++)
			for (u32 at = rows[i] >> UW_ROW_OFF_SHIFT; at < UW_ROW_PAGE_LEN; at++)
				pages[page][at] = rows[i] & (UW_MAX_RULES - 1);
	}
	return &table[pages[page][off % UW_ROW_PAGE_LEN]];
}

static bool row_cfa_of(const struct judge *j, const struct uw_rule *r,
		       const struct user_regs_struct *regs, u64 *cfa)
{
	u64 off = (u64)(s64)r->cfa_off;

	switch (r->cfa) {
	case UW_CFA_SP:
		*cfa = regs->rsp + off;
		break;
	case UW_CFA_FP:
	case UW_CFA_FP_OTHER_STACK:
		*cfa = regs->rbp + off;
		break;
	case UW_CFA_SCRATCH:
		*cfa = regs->r10 + off;
		break;
	case UW_CFA_AT_SP:
		*cfa = peek(j, regs->rsp + off) + (u64)(s64)r->cfa_add;
		break;
	case UW_CFA_AT_FP:
		*cfa = peek(j, regs->rbp + off) + (u64)(s64)r->cfa_add;
		break;
	case UW_CFA_PLT:
		*cfa = regs->rsp + off + ((s64)(regs->rip & 15) >= r->cfa_add ? 8 : 0);
		break;
	default:
		return false;
	}
	return r->ra == UW_SAVED_CFA;
}

static void judge_step(struct judge *j, const struct user_regs_struct *regs)
{
	const struct uw_rule *r;
	u64 cfa, ra_addr, fp = regs->rbp, off = regs->rip - j->start + j->file_off;
	bool is_wrong;
	u32 n = j->shadow.n;

	if (regs->rip < j->start || regs->rip >= j->end || !n || j->shadow.is_lost ||
	    j->shadow.entries[n - 1].is_popped)
		return;
	j->judged++;
	r = rule_at(j, off);
	if (!row_cfa_of(j, r, regs, &cfa)) {
		if (j->no_row++ < MAX_PRINTED)
			printf("  the row at offset %llx gives no CFA, cfa kind %u\n", off, r->cfa);
		return;
	}
	ra_addr = cfa + (u64)(s64)r->ra_off;
	if (r->fp == UW_SAVED_CFA)
		fp = peek(j, cfa + (u64)(s64)r->fp_off);
	else if (r->fp == UW_SAVED_FP)
		fp = peek(j, regs->rbp + (u64)(s64)r->fp_off);
	is_wrong = ra_addr != j->shadow.entries[n - 1].addr;
	j->control += ra_addr + 8 == j->shadow.entries[n - 1].addr;
	if (is_wrong && j->wrong_ra < MAX_PRINTED)
		printf("  the row at offset %llx gives the return address's location wrong by "
		       "%+lld bytes\n",
		       off, (s64)(ra_addr - j->shadow.entries[n - 1].addr));
	j->wrong_ra += is_wrong;
	if (!is_wrong && r->fp != UW_SAVED_LOST && fp != j->fps[n - 1]) {
		if (j->wrong_fp++ < MAX_PRINTED)
			printf("  the row at offset %llx gives the caller's fp %llx, expected "
			       "%llx\n",
			       off, fp, j->fps[n - 1]);
	}
}

static int step(struct judge *j, struct user_regs_struct *regs)
{
	struct user_regs_struct before = *regs;
	u64 words[2] = { peek(j, regs->rip), peek(j, regs->rip + 8) };
	enum shadow_insn insn = shadow_classify((const u8 *)words);
	struct uw_regs before_regs = { regs->rip, regs->rsp, regs->rbp, 0, {} }, after_regs;
	u64 loads_from = shadow_loads_from(insn, &before_regs);
	u64 loaded = loads_from ? peek(j, loads_from) : 0;
	u32 n = j->shadow.n;
	int status;

	if (ptrace(PTRACE_SINGLESTEP, j->pid, 0, 0) < 0 || waitpid(j->pid, &status, __WALL) < 0)
		return -errno;
	if (!WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, j->pid, 0, regs) < 0)
		return -ESRCH;
	after_regs = (struct uw_regs){ .pc = regs->rip, .sp = regs->rsp };
	if (WSTOPSIG(status) != SIGTRAP) /* the handlers' calls would not be recorded */
		return 0;
	shadow_step(&j->shadow, insn, &before_regs, &after_regs, peek(j, regs->rsp), loaded);
	if (insn == SHADOW_CALL && j->shadow.n && j->shadow.n <= n + 1)
		j->fps[j->shadow.n - 1] = before.rbp;
	if (j->shadow.is_lost)
		shadow_begin(&j->shadow, NULL, 0);
	return 0;
}

static int find_mapping(struct judge *j, const char *path)
{
	char name[64], line[512], file[256];
	_cleanup_fclose_ FILE *maps = NULL;
	char *real = realpath(path, NULL);
	int r = -ENOENT;

	snprintf(name, sizeof(name), "/proc/%d/maps", j->pid);
	maps = fopen(name, "re");
	while (real && maps && fgets(line, sizeof(line), maps)) {
		unsigned long start, end, off;

		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %255s", &start, &end, &off, file) != 4 ||
		    strcmp(file, real))
			continue;
		j->start = start;
		j->end = end;
		j->file_off = off;
		r = 0;
	}
	free(real);
	return r;
}

static int run(struct judge *j, u64 steps)
{
	struct user_regs_struct regs;
	int r = ptrace(PTRACE_GETREGS, j->pid, 0, &regs) < 0 ? -errno : 0;

	for (u64 i = 0; !r && i < steps; i++) {
		r = step(j, &regs);
		if (!r)
			judge_step(j, &regs);
	}
	return r;
}

static int start(struct judge *j, char **argv, int skip_ms)
{
	int status;

	j->pid = fork();
	if (j->pid < 0)
		return -errno;
	if (!j->pid) {
		freopen("/dev/null", "w", stdout);
		execv(argv[0], argv);
		_exit(127);
	}
	usleep((useconds_t)skip_ms * 1000);
	if (ptrace(PTRACE_SEIZE, j->pid, 0, 0) < 0 || ptrace(PTRACE_INTERRUPT, j->pid, 0, 0) < 0)
		return -errno;
	return waitpid(j->pid, &status, __WALL) < 0 ? -errno : find_mapping(j, argv[0]);
}

int main(int argc, char **argv)
{
	static struct judge j;
	int r;

	if (argc < 4)
		return check_cannot_run("usage: step_rows STEPS SKIP_MS PROGRAM [ARG]...");
	r = elf_file_open(&j.file, argv[3]);
	if (!r)
		r = cfi_open(&j.cfi, j.file);
	if (!r)
		r = go_rows_add(j.cfi, j.file);
	if (!r)
		r = rules_init(&j.rules, table, UW_MAX_RULES);
	if (!r)
		r = start(&j, argv + 3, atoi(argv[2]));
	if (!r)
		r = run(&j, strtoull(argv[1], NULL, 0));
	if (j.pid > 0)
		kill(j.pid, SIGKILL);
	printf("%llu steps judged: %llu without a row, %llu with a wrong return address, %llu with "
	       "a wrong fp; the shadow stack was lost %u times; control %llu%s%s\n",
	       j.judged, j.no_row, j.wrong_ra, j.wrong_fp, j.shadow.n_lost, j.control,
	       r ? "; " : "", r ? strerror(-r) : "");
	return r || !j.judged || j.no_row || j.wrong_ra || j.wrong_fp || j.control;
}
