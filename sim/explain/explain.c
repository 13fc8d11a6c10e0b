// SPDX-License-Identifier: BSD-2-Clause

#include "explain.h"

#include "../case/stack.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_WORDS (UW_MAX_FRAME_LEN / 8)

/*
 * Records the data of a trace event in a step. The slot that the instruction implies is taken as
 * the location of the return address only if the walk used this slot.
 */
static void note_step(struct explain_step *s, const struct trace_event *e, u64 *slot_addr)
{
	switch ((enum uw_note)e->note) {
	case UW_NOTE_STEP:
		s->regs = e->regs;
		*slot_addr = 0;
		break;
	case UW_NOTE_RA_SLOT:
		*slot_addr = (s32)e->value < 0 ? 0 : e->regs.sp + e->value;
		break;
	case UW_NOTE_RA_NO_CODE:
	case UW_NOTE_RA_FAULT:
		*slot_addr = 0;
		break;
	case UW_NOTE_RECORD:
		s->record_addr = e->value;
		*slot_addr = e->value + 8;
		break;
	case UW_NOTE_ROW_FP:
		s->fp_addr = e->value;
		break;
	case UW_NOTE_ROW_RA:
		*slot_addr = e->value;
		break;
	case UW_NOTE_CALLER:
		s->ra_addr = *slot_addr;
		break;
	case UW_NOTE_V8:
		s->info_idx = (u16)e->value;
		break;
	case UW_NOTE_V8_SLOTS:
		s->n_slots = e->value < V8_SLOTS_LEN ? (u32)e->value : V8_SLOTS_LEN;
		break;
	default:
		break;
	}
}

static void find_steps(struct explain *e)
{
	u64 slot_addr = 0;

	for (u32 i = 0; i < e->trace.n; i++) {
		const struct trace_event *event = &e->trace.at[i];
		struct explain_step *s = &e->steps[event->frame];

		if (event->kind == TRACE_NOTE && event->note == UW_NOTE_END)
			break;
		if (!s->n_events++)
			s->event_idx = i;
		if (event->kind == TRACE_NOTE)
			note_step(s, event, &slot_addr);
		e->n_steps = event->frame + 1u;
	}
}

/* Returns the address of the highest frame record that the walk has read. */
static u64 highest_record(const struct explain *e)
{
	u64 highest = 0;

	for (u32 i = 0; i < e->n_steps; i++)
		if (e->steps[i].record_addr > highest)
			highest = e->steps[i].record_addr;
	return highest;
}

/*
 * Reads all readable words from sp up, to the highest word that the walk used, and marks the others
 * as unreadable.
 */
static int read_stack(struct explain *e)
{
	struct explain_stack *s = &e->stack;
	u64 highest = highest_record(e), addr = e->target.regs.sp & ~7ull;

	s->addr = addr;
	s->words = calloc(MAX_WORDS, sizeof(*s->words));
	s->is_read = calloc(MAX_WORDS, sizeof(*s->is_read));
	if (!s->words || !s->is_read)
		return -ENOMEM;
	while (s->n < MAX_WORDS && addr < ~(u64)SIM_PAGE_LEN) {
		u32 n = (u32)(SIM_PAGE_LEN - addr % SIM_PAGE_LEN) / 8;

		if (n > MAX_WORDS - s->n)
			n = (u32)MAX_WORDS - s->n;
		if (!sim_mem_read(e->target.mem, s->words + s->n, n * 8, addr))
			for (u32 i = 0; i < n; i++)
				s->is_read[s->n + i] = true;
		else if (addr > highest)
			break;
		s->n += n;
		addr += n * 8;
	}
	return 0;
}

int explain_make(struct explain *e)
{
	int err = trace_walk(&e->trace, e->c->arch, &e->target, &e->u);

	if (e->trace.has_missing)
		sim_mem_missing_words(e->target.mem, e->missing, sizeof(e->missing));
	if (!err) {
		find_steps(e);
		err = read_stack(e);
	}
	if (!err)
		err = explain_find_truth(e);
	if (err)
		explain_deinit(e);
	return err;
}

void explain_deinit(struct explain *e)
{
	trace_deinit(&e->trace);
	free(e->stack.words);
	free(e->stack.is_read);
	free(e->places);
	for (u32 i = 0; e->names && i < e->u.sample.n_frames; i++)
		free(e->names[i]);
	free(e->names);
	e->names = NULL;
	e->stack = (struct explain_stack){ 0 };
	e->places = NULL;
}

bool explain_is_printed(const struct explain *e, u32 step)
{
	bool is_near_wrong = !e->is_right && step + 2 >= e->first_wrong && step <= e->first_wrong;

	return step < e->max_frames || step + 1 == e->n_steps || is_near_wrong;
}

static void print_head(const struct explain *e, FILE *f)
{
	const struct uw_regs *r = &e->target.regs;
	char verdict[320];

	explain_verdict(e, verdict, sizeof(verdict));
	fprintf(f, "%s  %s, native engine\n", e->c->name, e->c->arch->name);
	fprintf(f, "stop     %s\n", e->why);
	fprintf(f, "pc       %s\n", explain_where(e, r->pc, false).text);
	fprintf(f, "regs     sp %#llx  fp %#llx", r->sp, r->fp);
	if (e->c->arch == &sim_arch_arm64)
		fprintf(f, "  lr %s", explain_where(e, r->lr, true).text);
	fprintf(f, "\nverdict  %s\n", verdict);
}

static void print_end(const struct explain *e, FILE *f)
{
	static const char *const meanings[] = {
#define X(name, class, words, meaning) meaning,
		UW_STATUS_LIST(X)
#undef X
	};
	const struct uw_sample *s = &e->u.sample;

	if (e->missing[0]) {
		fprintf(f, "\nstatus   none: %s\n", e->missing);
		return;
	}
	fprintf(f, "\nstatus   %s (%s), %u frames, %u reads", sim_status_words(s->status),
		meanings[s->status], s->n_frames, s->n_reads);
	if (s->fault_addr)
		fprintf(f, "; last failed read: %#llx", s->fault_addr);
	fputc('\n', f);
}

int explain_print(const struct explain *e, FILE *f)
{
	int err;

	print_head(e, f);
	err = explain_print_code(e, f);
	if (err)
		return err;
	explain_print_steps(e, f);
	print_end(e, f);
	return explain_print_picture(e, f);
}
