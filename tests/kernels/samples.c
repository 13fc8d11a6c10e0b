// SPDX-License-Identifier: BSD-2-Clause

/*
 * Runs the production program on the running kernel as for a sample, but at a
 * chosen instruction, because each page fault of this thread is an event. The
 * test sets the frame pointer to a stack of stacks.h and then touches a missing
 * page.
 *
 *	arch_fault()         frame 0: in this program; pushes no return address
 *	  fp -> slots[0]     frame 1 and up: the made stack
 */

#include "guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <bpf/libbpf.h>

#include "../../inspect/util/cleanup.h"
#include "sampler.h"
#include "stacks.h"

#include <fault.h>

/* Causes one fault with the stack at @fp; stores the sample in @s->last. */
static int sample_once(struct sampler *s, u64 fp, char *page)
{
	int n;

	if (madvise(page, 4096, MADV_DONTNEED))
		return -errno;
	sampler_arm(s, fp - ARCH_FAULT_SP, fp);
	arch_fault(fp, page);
	n = sampler_take(s);
	return n < 0 ? n : n == 1 ? 0 : -ENODATA;
}

/*
 * Finds how the kernel identifies this program's file, and the offset of
 * arch_fault() in the file. Returns 0 or a negative errno.
 */
static int know_own_file(struct uw_file *f, u64 *off)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, at;
	char line[512];
	struct stat st;

	if (!maps || stat("/proc/self/exe", &st))
		return -errno;
	*f = (struct uw_file){ .inode = st.st_ino,
			       .size = (u64)st.st_size,
			       .changed_ns = (u64)st.st_mtim.tv_sec * 1000000000 +
					     (u64)st.st_mtim.tv_nsec,
			       .dev = major(st.st_dev) << 20 | minor(st.st_dev),
			       .module = 77 };
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &at) == 3 &&
		    (u64)arch_fault >= start && (u64)arch_fault < end) {
			*off = (u64)arch_fault - start + at;
			return 0;
		}
	return -ENOENT;
}

/*
 * Checks that for a process without tables a file is identified by the kernel's
 * mapping if uw_files has the file, and not if its modification time differs.
 */
static int run_files(struct sampler *s, char *page, struct tally *t)
{
	struct uw_file *files = s->skel->bss->uw_files, own;
	u64 fp = stacks_make(&stack_cases[0]), off = 0;
	int err = know_own_file(&own, &off);

	for (int i = 0; !err && i < 3; i++) {
		const struct uw_frame *f = &s->last.frames[0];
		bool should = i == 1, is_found, is_right;

		files[uw_file_hash(own.dev, own.inode)] = own;
		files[uw_file_hash(own.dev, own.inode)].module = i ? own.module : 0;
		files[uw_file_hash(own.dev, own.inode)].changed_ns += i == 2;
		err = sample_once(s, fp, page);
		is_found = s->last.flags & UW_SAMPLE_BY_FILE;
		is_right = should ? f->kind == UW_NATIVE && f->aux == own.module &&
					    f->a - off == f->pc - (u64)arch_fault
				  : s->last.status == UW_T_UNKNOWN_PROCESS;
		printf("page fault in a file that is %s: %s\n", should ? "known" : "unknown",
		       !err && is_found == should && is_right ? "ok" : "FAILED");
		tally_add(t, !err && is_found == should && is_right);
	}
	return err;
}

static int run_cases(struct sampler *s, char *page, struct tally *t)
{
	const struct stack_tables tables = { .mappings = s->skel->bss->uw_mappings,
					     .row_pages = s->skel->bss->uw_row_pages,
					     .rules = s->skel->bss->uw_rules,
					     .v8_builds = s->skel->bss->uw_v8_builds,
					     .rows_fd = bpf_map__fd(s->skel->maps.uw_rows) };
	int err = stacks_fill(&tables, (u64)arch_fault);

	if (!err)
		err = sample_once(s, stacks_make(&stack_cases[0]), page);
	if (!err)
		err = run_files(s, page, t);
	if (err)
		return err;
	sampler_set_process(s, STACKS_N_MAPPINGS);
	for (int i = 0; i < n_stack_cases; i++) {
		const struct stack_case *c = &stack_cases[i];

		err = sample_once(s, stacks_make(c), page);
		guest_say(t, "page fault", c,
			  err ? strerror(-err) : stacks_compare(c, &s->last, true), &s->last);
	}
	return 0;
}

void samples_run(struct tally *t)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static struct sampler s;
	int err = page == MAP_FAILED ? -errno : sampler_open(0, (1ull << 47) - 1, 1, &s);

	if (!err)
		err = run_cases(&s, page, t);
	if (err) {
		printf("page fault FAILED: the test did not start: %s\n", strerror(-err));
		tally_add(t, 0);
	}
	sampler_close(&s);
}
