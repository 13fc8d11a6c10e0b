// SPDX-License-Identifier: BSD-2-Clause

/*
 * Prints a block for each frame: the reads and decisions of the step to the frame's caller, and
 * whether the step found the true caller.
 */

#include "explain.h"

#include "../case/stack.h"

#include <string.h>

static void print_read(const struct explain *e, const struct trace_event *event, FILE *f)
{
	u64 word = 0;

	fprintf(f, "  read     %u at %s", event->len, explain_addr(e, event->value).text);
	memcpy(&word, event->bytes, sizeof(word));
	if (event->is_missing)
		fputs(": NOT RECORDED, so the rest of the walk is invalid\n", f);
	else if (event->result)
		fputs(": FAULT\n", f);
	else if (event->len <= sizeof(word))
		fprintf(f, " = %#llx\n", word);
	else
		fprintf(f, ", to %s\n", explain_addr(e, event->value + event->len).text);
}

static void print_events(const struct explain *e, u32 frame, FILE *f)
{
	const struct explain_step *s = &e->steps[frame];
	char words[512];

	for (u32 i = s->event_idx; i < s->event_idx + s->n_events; i++) {
		const struct trace_event *event = &e->trace.at[i];

		if (event->kind == TRACE_READ) {
			print_read(e, event, f);
		} else if (event->note != UW_NOTE_STEP) {
			explain_note_words(e, event, words, sizeof(words));
			fprintf(f, "           %s\n", words);
		}
	}
}

static void print_place(const struct explain *e, u32 frame, FILE *f)
{
	const struct explain_place *p = &e->places[frame];
	u64 pc = e->truth.pcs[frame], lr = e->target.regs.lr, word = pc;

	fputs("           its return address ", f);
	if (p->low && p->low == p->high) {
		fprintf(f, "is at %s", explain_addr(e, p->low).text);
		word = e->stack.words[(p->low - e->stack.addr) / 8];
	} else if (p->low) {
		fprintf(f, "is at %s or %s, or between these addresses",
			explain_addr(e, p->low).text, explain_addr(e, p->high).text);
	} else if (frame == 1 && explain_is_return_to(e, lr, pc)) {
		fputs("is in lr", f);
		word = lr;
	} else {
		fputs("is in no word from sp up", f);
	}
	if (word != pc)
		fprintf(f, ", signed: %#llx", word);
	fputc('\n', f);
}

/* Returns the index of the true frame that the walk found as @frame; truth.n: none. */
static u32 true_frame(const struct explain *e, u32 frame)
{
	u64 found = frame ? e->steps[frame - 1].ra_addr : 0, pc = e->u.sample.frames[frame].pc;
	u32 i = found ? explain_frame_at(e, found) : e->truth.n;

	if (i == e->truth.n)
		for (i = e->first_wrong; i < e->truth.n && e->truth.pcs[i] != pc; i++)
			;
	return i;
}

static void print_true_frame(const struct explain *e, u32 frame, FILE *f)
{
	u32 i = true_frame(e, frame);

	if (i < e->truth.n)
		fprintf(f, "this is frame %u of the true stack\n", i);
	else
		fputs("this is not a frame of the true stack\n", f);
}

static void print_wrong(const struct explain *e, u32 frame, FILE *f)
{
	if (frame >= e->truth.n) {
		fputs("  WRONG    the true stack ends before this frame\n", f);
		return;
	}
	fprintf(f, "  WRONG    the true frame %u is %s\n", frame,
		explain_where(e, e->truth.pcs[frame], frame > 0).text);
	if (frame)
		print_place(e, frame, f);
	if (frame < e->u.sample.n_frames) {
		fputs("           ", f);
		print_true_frame(e, frame, f);
	}
}

/* Prints the verdict on the step that found @frame, or on the end of the walk. */
static void print_verdict(const struct explain *e, u32 frame, FILE *f)
{
	const struct uw_sample *s = &e->u.sample;
	bool is_end = frame == s->n_frames;

	if (!e->truth.n)
		return;
	if (frame < e->first_wrong && !is_end)
		fputs("  right\n", f);
	else if (is_end && e->is_right)
		fputs("  right    the stack ends here\n", f);
	else if (frame == e->first_wrong && frame == e->truth.n && is_end)
		fprintf(f, "  WRONG    it ends with \"%s\", not \"%s\"\n",
			sim_status_words(s->status), sim_status_words(e->c->status));
	else if (frame == e->first_wrong)
		print_wrong(e, frame, f);
	else if (!is_end) {
		fputs("  after    ", f);
		print_true_frame(e, frame, f);
	}
}

static void print_step(const struct explain *e, u32 frame, FILE *f)
{
	const struct uw_frame *found = &e->u.sample.frames[frame];
	const char *kind = frame < e->u.sample.n_frames ? sim_kind_words(found->kind) : "no frame";

	fprintf(f, "\nframe %-3u%s  %s%s\n", frame, explain_where(e, found->pc, frame > 0).text,
		kind, found->flags & UW_FRAME_GUESS ? ", a guess" : "");
	if (!frame && e->truth.n && !e->first_wrong)
		print_wrong(e, 0, f);
	print_events(e, frame, f);
	if (frame < e->u.sample.n_frames)
		print_verdict(e, frame + 1, f);
}

void explain_print_steps(const struct explain *e, FILE *f)
{
	u32 n_skipped = 0;

	for (u32 i = 0; i < e->n_steps; i++) {
		if (!explain_is_printed(e, i)) {
			n_skipped++;
			continue;
		}
		if (n_skipped)
			fprintf(f, "\n...      %u frames; use --frames for more\n", n_skipped);
		n_skipped = 0;
		print_step(e, i, f);
	}
}
