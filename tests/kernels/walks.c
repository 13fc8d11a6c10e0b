/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The conformance program on the running kernel. A stack is made in this process
 * and the kernel walks it (raw_tp, BPF_PROG_TEST_RUN: v5.10). What must come out
 * is written down while the stack is made, frame by frame, not computed by
 * the core:
 *
 *	slots[i]                          slots[i + 1]
 *	+-----------------------+----+----+-------- ...
 *	| 48 bytes of V8 slots  | fp | ra |
 *	+-----------------------+----+----+-------- ...
 *	                          |     `- pc of frame i + 1
 *	                          `- &slots[i + 1].fp; of the root: 0
 *
 * Frames take turns: native, V8 stub, JavaScript. Native code has rows that say what is
 * drawn above; for the last frame's there is one that says it has no caller.
 */

#include "guest.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../../bpf/tables.h"
#include "../../core/uw_state.h"
#include CONFORMANCE_SKEL

#define TEXT_ADDR 0x10000000ull /* native code: three mappings of this length, in a row */
#define TEXT_LEN 0x100000ull
#define V8_ADDR (TEXT_ADDR + TEXT_LEN)
#define ROOT_ADDR (V8_ADDR + TEXT_LEN)
#define N_MAPPINGS 3
#define MODULE 7
#define RECORD 1 /* rules */
#define ROOT 2
#define STUB_MARKER (5 << 1)
#define SHARED_OFF 0x18
#define MAX_DEPTH 1100
#define STACK_LEN (128ul << 10)

/* As the program takes it (bpf/conformance.bpf.c). */
struct start {
	struct uw_regs regs;
	u64 extent;
	u64 va_mask;
};

struct slots {
	u64 offset, array, argc, unused, function, context; /* fp-48 .. fp-8 */
	u64 fp, ra;
};

static struct slots *stack; /* STACK_LEN bytes, and as much again that is not readable */
static u64 functions[MAX_DEPTH][8]; /* JSFunction objects */
static struct uw_frame truth[MAX_DEPTH + 1];

enum damage { SOUND, UNMAPPED_FP, MISALIGNED_FP, FP_GOES_DOWN, WRONG_TRUTH };

static const struct stack_case {
	const char *name;
	int depth; /* frame records; frames are one more */
	enum damage damage; /* to the record in the middle */
	enum uw_status status;
	int n_frames; /* that must be found */
} cases[] = {
	{ "one_record_ends_at_the_root", 1, SOUND, UW_END, 2 },
	{ "records_of_three_kinds_are_told_apart", 10, SOUND, UW_END, 11 },
	{ "a_block_of_32_frames_is_filled", 31, SOUND, UW_END, 32 },
	{ "the_walk_goes_on_in_a_second_block", 32, SOUND, UW_END, 33 },
	{ "two_hundred_records_are_walked", 200, SOUND, UW_END, 201 },
	{ "1024_frames_just_fit", 1023, SOUND, UW_END, 1024 },
	{ "more_than_1024_frames_are_truncated", 1090, SOUND, UW_T_DEPTH, 1024 },
	{ "an_unmapped_frame_pointer_is_a_fault", 22, UNMAPPED_FP, UW_E_FAULT, 13 },
	{ "a_misaligned_frame_pointer_ends_the_walk", 22, MISALIGNED_FP, UW_E_CFA, 13 },
	{ "a_frame_pointer_that_goes_down_ends_the_walk", 22, FP_GOES_DOWN, UW_E_CFA, 13 },
	{ "a_frame_that_differs_is_noticed", 20, WRONG_TRUTH, UW_END, 21 },
};

/* What frame @i is, by its pc; its slots in its own record when it is V8's. */
static void make_frame(u64 i, u64 depth)
{
	struct uw_frame *f = &truth[i];
	struct slots *s = &stack[i];

	*f = (struct uw_frame){ .flags = i ? UW_FRAME_RA : 0 };
	if (i == depth || i % 3 == 0) {
		f->pc = (i == depth ? ROOT_ADDR : TEXT_ADDR) + 16 + i * 16;
		f->kind = UW_NATIVE;
		f->aux = MODULE;
		f->a = f->pc - TEXT_ADDR;
		return;
	}
	f->pc = V8_ADDR + 16 + i * 16;
	if (i % 3 == 1) {
		f->kind = UW_V8_STUB;
		f->a = s->context = STUB_MARKER;
		return;
	}
	f->kind = UW_V8_JS;
	s->context = 0x4001;
	s->function = (u64)functions[i] + 1;
	functions[i][SHARED_OFF / 8] = f->a = 0x500000 + i * 64 + 1;
	s->offset = f->b = (u64)(i + 57) << 32;
	s->array = 0x1111222233330001ull + i * 8;
	f->aux = (u32)s->array;
}

static void make_stack(const struct stack_case *c)
{
	memset(stack, 0, STACK_LEN);
	for (u64 i = 0; i <= (u64)c->depth; i++)
		make_frame(i, c->depth);
	for (int i = 0; i < c->depth; i++) {
		stack[i].fp = i + 1 < c->depth ? (u64)&stack[i + 1].fp : 0;
		stack[i].ra = truth[i + 1].pc;
	}
	if (c->damage == UNMAPPED_FP)
		stack[c->depth / 2].fp = (u64)stack + STACK_LEN + 4096;
	else if (c->damage == MISALIGNED_FP)
		stack[c->depth / 2].fp += 4;
	else if (c->damage == FP_GOES_DOWN)
		stack[c->depth / 2].fp = (u64)&stack[0].fp;
	else if (c->damage == WRONG_TRUTH)
		truth[c->depth / 2].a ^= 8;
}

static int map_stack(void)
{
	stack = mmap(NULL, 2 * STACK_LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return stack == MAP_FAILED ? -errno : mprotect(stack, STACK_LEN, PROT_READ | PROT_WRITE);
}

/* The rows of a page of the module's file: one rule for all of it. */
static void set_page(struct conformance_bpf *skel, u32 page, u32 row)
{
	u32 at = uw_row_page_hash(MODULE, page);

	while (skel->bss->uw_row_pages[at & (UW_MAX_ROW_PAGES - 1)].module)
		at++;
	skel->bss->uw_row_pages[at & (UW_MAX_ROW_PAGES - 1)] =
		(struct uw_row_page){ .module = MODULE, .page = page, .first = row, .n = 1 };
}

/* Rules and rows have the same numbers; frame records, and a root. */
static int fill_rows(struct conformance_bpf *skel)
{
	struct uw_row_pair rows = { { RECORD, ROOT } };
	u32 first = 0;

	skel->bss->uw_rules[RECORD] = (struct uw_rule){ .cfa = UW_CFA_FP,
							.cfa_off = 16,
							.ra = UW_SAVED_CFA,
							.ra_off = -8,
							.fp = UW_SAVED_CFA,
							.fp_off = -16 };
	skel->bss->uw_rules[ROOT] = (struct uw_rule){ .cfa = UW_CFA_ROOT };
	for (u64 off = 0; off < (MAX_DEPTH + 2) * 16; off += UW_ROW_PAGE_LEN) {
		set_page(skel, off / UW_ROW_PAGE_LEN, 0);
		set_page(skel, (ROOT_ADDR - TEXT_ADDR + off) / UW_ROW_PAGE_LEN, 1);
	}
	return bpf_map_update_elem(bpf_map__fd(skel->maps.uw_rows), &first, &rows, 0);
}

static void fill_tables(struct conformance_bpf *skel)
{
	struct uw_mapping *m = skel->bss->uw_mappings;

	for (int i = 0; i < N_MAPPINGS; i++)
		m[i] = (struct uw_mapping){ .start_addr = TEXT_ADDR + i * TEXT_LEN,
					    .end_addr = TEXT_ADDR + (i + 1) * TEXT_LEN,
					    .file_off = i * TEXT_LEN,
					    .module = MODULE };
	m[1].kind = UW_MAP_V8_BUILTINS;
	skel->bss->uw_v8_builds[0] = (struct v8_info){ .bytecode_array_slot = 40,
						       .bytecode_offset_slot = 48,
						       .shared_off = SHARED_OFF };
}

/* 0 when the kernel found what was put there, else a word on what differs. */
static const char *compare(const struct stack_case *c, const struct uw_sample *sample)
{
	if (sample->status != c->status)
		return "status";
	if (sample->n_frames != c->n_frames)
		return "number of frames";
	for (int i = 0; i < c->n_frames; i++)
		if (memcmp(&sample->frames[i], &truth[i], sizeof(truth[i])))
			return "frame";
	return NULL;
}

static void run_case(const struct stack_case *c, int prog_fd, const struct uw_sample *sample,
		     struct tally *t)
{
	struct start start = {
		.regs = { .pc = TEXT_ADDR + 16, .sp = (u64)&stack[0], .fp = (u64)&stack[0].fp },
		.extent = N_MAPPINGS,
		.va_mask = (1ull << 47) - 1
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &start, .ctx_size_in = sizeof(start));
	const char *differs;
	int err;

	make_stack(c);
	err = bpf_prog_test_run_opts(prog_fd, &opts);
	differs = err ? strerror(-err) : compare(c, sample);
	if (c->damage == WRONG_TRUTH && differs && !strcmp(differs, "frame"))
		differs = NULL;
	else if (c->damage == WRONG_TRUTH)
		differs = "comparison blind";
	printf("%s: %s%s (%u frames, status %u, %u reads)\n", c->name, differs ? "FAILED: " : "ok",
	       differs ?: "", sample->n_frames, sample->status, sample->n_reads);
	tally_add(t, !differs);
}

/* All cases; the program leaves its result in the first slot of the map. */
static int run_cases(struct conformance_bpf *skel, struct tally *t)
{
	const struct uw_state *slot = mmap(NULL, sizeof(*slot), PROT_READ, MAP_SHARED,
					   bpf_map__fd(skel->maps.uw_slots), 0);
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (slot == MAP_FAILED || map_stack() || sched_setaffinity(0, sizeof(first), &first))
		return -errno;
	fill_tables(skel);
	if (fill_rows(skel))
		return -errno;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(&cases[i], bpf_program__fd(skel->progs.uw_run_raw_tp), &slot->sample, t);
	return 0;
}

void walks_run(struct tally *t)
{
	struct conformance_bpf *skel = conformance_bpf__open_and_load();

	if (!skel || run_cases(skel, t)) {
		printf("conformance FAILED to start: %s\n", strerror(errno));
		tally_add(t, 0);
	}
	conformance_bpf__destroy(skel);
}
