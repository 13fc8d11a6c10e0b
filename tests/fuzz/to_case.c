// SPDX-License-Identifier: BSD-2-Clause

/*
 * fuzz-to-case INPUT CASE.core: converts an input of a target that walks to a case, for
 * `unspool-sim run` and `explain`. Works even if the walk crashes or never ends.
 *
 *	child     walks, and may crash; logs its reads in memory shared with the parent
 *	parent    makes the same reads, for which lazy memory returns the same bytes. Writes the
 *	          pages that were drawn; the rest of the address space is a fault
 */

#include "walk.h"

#include "../core/walks.h"
#include "../../inspect/case/case.h"
#include "../../sim/mem/lazy.h"

#include <elf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_INPUT (1u << 20)
#define MAX_READS (1u << 18)
#define WALK_SECONDS 10

struct memory {
	struct case_range ranges[SIM_LAZY_PAGES];
	struct case_fault faults[SIM_LAZY_PAGES + 2];
	u8 pages[SIM_LAZY_PAGES][SIM_PAGE_LEN];
	u32 n_ranges, n_faults;
};

/*
 * Walks the target in a child. Walks the target in a child, and returns the reads until the walk
 * ends or crashes.
 */
static const struct sim_read_log *reads_of(struct sim_target *t, const struct arch_row *arch)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_ANONYMOUS;
	struct sim_read_log *log =
		mmap(NULL, sizeof(*log) + MAX_READS * sizeof(struct sim_read), prot, flags, -1, 0);
	static struct uw_state u;
	int status;
	pid_t pid;

	FUZZ_MUST(log != MAP_FAILED, "no memory");
	*log = (struct sim_read_log){ .at = (struct sim_read *)(log + 1), .room = MAX_READS };
	pid = fork();
	FUZZ_MUST(pid >= 0, "no process");
	if (!pid) {
		alarm(WALK_SECONDS);
		t->mem->log = log;
		arch->sim->walk(&u, t);
		_exit(0);
	}
	FUZZ_MUST(waitpid(pid, &status, 0) == pid, "no child");
	if (WIFSIGNALED(status))
		fprintf(stderr, "the walk was ended by signal %d\n", WTERMSIG(status));
	if (log->n > MAX_READS)
		log->n = MAX_READS;
	return log;
}

static int by_addr(const void *a, const void *b)
{
	const struct case_range *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void take_page(struct memory *m, struct sim_mem *mem, u64 addr)
{
	u8 *bytes = m->pages[m->n_ranges];

	for (u32 i = 0; i < m->n_ranges; i++)
		if (m->ranges[i].addr == addr)
			return;
	if (m->n_ranges < SIM_LAZY_PAGES && !sim_mem_read(mem, bytes, SIM_PAGE_LEN, addr))
		m->ranges[m->n_ranges++] = (struct case_range){ addr,	      SIM_PAGE_LEN, bytes,
								CASE_BY_WALK, CASE_OTHER,   PF_R };
}

static void take_read(struct memory *m, struct sim_mem *mem, const struct sim_read *r)
{
	u64 page = r->addr & -(u64)SIM_PAGE_LEN;

	if (r->addr >= SIM_ADDR_LIMIT)
		return;
	for (; page < r->addr + r->len; page += SIM_PAGE_LEN)
		take_page(m, mem, page);
}

/* Records as faults the address ranges below, between and above the pages. */
static void take_faults(struct memory *m)
{
	u64 end = 0;

	qsort(m->ranges, m->n_ranges, sizeof(m->ranges[0]), by_addr);
	for (u32 i = 0; i < m->n_ranges; i++) {
		u64 addr = m->ranges[i].addr;

		if (addr > end)
			m->faults[m->n_faults++] = (struct case_fault){ end, addr - end };
		end = addr + SIM_PAGE_LEN;
	}
	if (!end) { /* a length of 2^64 does not fit */
		end = 1ull << 63;
		m->faults[m->n_faults++] = (struct case_fault){ 0, end };
	}
	m->faults[m->n_faults++] = (struct case_fault){ end, -end };
}

static void take_memory(struct memory *m, struct sim_mem *mem, const struct sim_read_log *log)
{
	u8 bytes[UW_WINDOW_LEN];

	for (u32 i = 0; i < log->n; i++) {
		FUZZ_MUST(log->at[i].len <= sizeof(bytes), "a read of %u", log->at[i].len);
		sim_mem_read(mem, bytes, log->at[i].len, log->at[i].addr);
	}
	for (u32 i = 0; i < log->n; i++)
		take_read(m, mem, &log->at[i]);
	take_faults(m);
}

static void write_case(const struct sim_target *t, u32 arch, const struct memory *m,
		       const char *path)
{
	static struct case_mapping mappings[STACK_N_MAPPINGS];
	bool is_arm64 = arch_rows[arch].bit == STACK_ARM64;
	struct case_error error = { "" };

	for (u32 i = 0; i < STACK_N_MAPPINGS; i++)
		mappings[i].map = t->mappings[i];
	/* An input sets lr even on x86-64, where no walk uses lr. */
	FUZZ_MUST(!case_write(
			  &(struct case_file){
				  .arch = arch_rows[arch].bit == STACK_ARM64 ? CASE_ARM64
									     : CASE_X86_64,
				  .regs = { t->regs.pc, t->regs.sp, t->regs.fp,
					    is_arm64 ? t->regs.lr : 0 },
				  .va_mask = t->va_mask,
				  .extent = t->extent,
				  .mappings = mappings,
				  .v8_builds = t->v8_builds,
				  .ranges = m->ranges,
				  .faults = m->faults,
				  .n_mappings = STACK_N_MAPPINGS,
				  .n_v8_builds = t->n_v8_builds,
				  .n_ranges = m->n_ranges,
				  .n_faults = m->n_faults,
			  },
			  path, &error),
		  "%s", error.text);
}

int main(int argc, char **argv)
{
	static struct sim_target target;
	static u8 input[MAX_INPUT];
	static struct memory m;
	struct fuzz_input in = { input, 0 };
	FILE *f;
	u32 arch;

	if (argc != 3) {
		fprintf(stderr, "usage: fuzz-to-case INPUT CASE.core\n");
		return 2;
	}
	f = fopen(argv[1], "rb");
	FUZZ_MUST(f, "cannot read %s", argv[1]);
	in.left = fread(input, 1, sizeof(input), f);
	fclose(f);
	arch = fuzz_target(&target, &in);
	fuzz_memory(&target, &in);
	take_memory(&m, target.mem, reads_of(&target, &arch_rows[arch]));
	write_case(&target, arch, &m, argv[2]);
	return 0;
}
