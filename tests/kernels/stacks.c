/* SPDX-License-Identifier: BSD-2-Clause */

#include "stacks.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#define TEXT_LEN 0x100000ull
#define V8_ADDR (STACKS_TEXT_ADDR + TEXT_LEN)
#define ROOT_ADDR (V8_ADDR + TEXT_LEN)
#define MODULE 7
#define OWN_MODULE 8
#define RECORD 1 /* numbers of rules */
#define ROOT 2
#define STUB_MARKER (5 << 1)
#define SHARED_OFF 0x18
#define MAX_DEPTH 1100
#define STACK_LEN (128ul << 10)

struct slots {
	u64 offset, array, argc, unused, function, context; /* fp-48 .. fp-8 */
	u64 fp, ra;
};

static struct slots *stack; /* STACK_LEN bytes, followed by STACK_LEN unreadable bytes */
static u64 functions[MAX_DEPTH][8]; /* JSFunction objects */
static struct uw_frame truth[MAX_DEPTH + 1];

const struct stack_case stack_cases[] = {
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
const int n_stack_cases = sizeof(stack_cases) / sizeof(stack_cases[0]);

/* Sets the pc of frame @i by its kind and, for a V8 frame, the slots below its record. */
static void make_frame(u64 i, u64 depth)
{
	struct uw_frame *f = &truth[i];
	struct slots *s = &stack[i];

	*f = (struct uw_frame){ .flags = i ? UW_FRAME_RA : 0 };
	if (i == depth || i % 3 == 0) {
		f->pc = (i == depth ? ROOT_ADDR : STACKS_TEXT_ADDR) + 16 + i * 16;
		f->kind = UW_NATIVE;
		f->aux = MODULE;
		f->a = f->pc - STACKS_TEXT_ADDR;
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

static int map_stack(void)
{
	void *at = mmap(NULL, 2 * STACK_LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at, STACK_LEN, PROT_READ | PROT_WRITE))
		return -errno;
	stack = at;
	return 0;
}

u64 stacks_make(const struct stack_case *c)
{
	struct slots *middle;

	if (!stack && map_stack())
		return 0;
	memset(stack, 0, STACK_LEN);
	for (u64 i = 0; i <= (u64)c->depth; i++)
		make_frame(i, c->depth);
	for (int i = 0; i < c->depth; i++) {
		stack[i].fp = i + 1 < c->depth ? (u64)&stack[i + 1].fp : 0;
		stack[i].ra = truth[i + 1].pc;
	}
	middle = &stack[c->depth / 2];
	if (c->damage == UNMAPPED_FP)
		middle->fp = (u64)stack + STACK_LEN + 4096;
	else if (c->damage == MISALIGNED_FP)
		middle->fp += 4;
	else if (c->damage == FP_GOES_DOWN)
		middle->fp = (u64)&stack[0].fp;
	else if (c->damage == WRONG_TRUTH)
		truth[c->depth / 2].a ^= 8;
	return (u64)&stack[0].fp;
}

/* Gives a page of a module's file one rule for the whole page. */
static void set_page(const struct stack_tables *tables, u32 module, u32 page, u32 row)
{
	u32 at = uw_row_page_hash(module, page);

	while (tables->row_pages[at & (UW_MAX_ROW_PAGES - 1)].module)
		at++;
	tables->row_pages[at & (UW_MAX_ROW_PAGES - 1)] =
		(struct uw_row_page){ .module = module, .page = page, .first = row, .n = 1 };
}

/*
 * Fills in two rules, RECORD for frame records and ROOT for the root, and a row
 * for each.
 */
static int fill_rows(const struct stack_tables *tables)
{
	struct uw_row_pair rows = { { RECORD, ROOT } };
	u32 first = 0;

	tables->rules[RECORD] = (struct uw_rule){ .cfa = UW_CFA_FP,
						  .cfa_off = 16,
						  .ra = UW_SAVED_CFA,
						  .ra_off = -8,
						  .fp = UW_SAVED_CFA,
						  .fp_off = -16 };
	tables->rules[ROOT] = (struct uw_rule){ .cfa = UW_CFA_ROOT };
	for (u64 off = 0; off < (MAX_DEPTH + 2) * 16; off += UW_ROW_PAGE_LEN) {
		set_page(tables, MODULE, off / UW_ROW_PAGE_LEN, 0);
		set_page(tables, MODULE, (TEXT_LEN + off) / UW_ROW_PAGE_LEN, 0);
		set_page(tables, MODULE, (ROOT_ADDR - STACKS_TEXT_ADDR + off) / UW_ROW_PAGE_LEN, 1);
	}
	set_page(tables, OWN_MODULE, 0, 0);
	return bpf_map_update_elem(tables->rows_fd, &first, &rows, 0) ? -errno : 0;
}

int stacks_fill(const struct stack_tables *tables, u64 own_pc)
{
	u64 own_page = own_pc & ~(u64)(UW_ROW_PAGE_LEN - 1);
	struct uw_mapping *m = tables->mappings;

	if (own_page + UW_ROW_PAGE_LEN > STACKS_TEXT_ADDR)
		return -EINVAL;
	m[0] = (struct uw_mapping){ .start_addr = own_page,
				    .end_addr = own_page + UW_ROW_PAGE_LEN,
				    .module = OWN_MODULE };
	for (int i = 0; i < STACKS_N_MAPPINGS - 1; i++)
		m[i + 1] = (struct uw_mapping){ .start_addr = STACKS_TEXT_ADDR + i * TEXT_LEN,
						.end_addr = STACKS_TEXT_ADDR + (i + 1) * TEXT_LEN,
						.file_off = i * TEXT_LEN,
						.module = MODULE };
	m[2].kind = UW_MAP_V8_BUILTINS;
	tables->v8_builds[0] = (struct v8_info){ .bytecode_array_slot = 40,
						 .bytecode_offset_slot = 48,
						 .shared_off = SHARED_OFF };
	return fill_rows(tables);
}

const char *stacks_compare(const struct stack_case *c, const struct uw_sample *sample,
			   bool own_frame)
{
	if (sample->status != c->status)
		return "status";
	if (sample->n_frames != c->n_frames)
		return "number of frames";
	if (own_frame && (sample->frames[0].aux != OWN_MODULE || sample->frames[0].flags))
		return "own frame";
	for (int i = own_frame; i < c->n_frames; i++)
		if (memcmp(&sample->frames[i], &truth[i], sizeof(truth[i])))
			return "frame";
	return NULL;
}
