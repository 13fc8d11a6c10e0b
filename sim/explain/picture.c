// SPDX-License-Identifier: BSD-2-Clause

/*
 * Prints the stack from sp up, with the meaning of each word: the meaning that the walk took it to
 * have, and the true meaning.
 */

#include "../../inspect/util/array.h"
#include "explain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Number of true frames shown after the end of a walk that ends early. */
#define N_BEYOND 8
#define MAX_BARE 3 /* longer runs of unknown words are omitted */

struct mark {
	u64 addr;
	u32 order; /* the mark's position among the marks of the same word */
	char text[160];
};

struct marks {
	struct mark *at;
	u32 n, room;
	int err;
};

static void add(struct marks *m, u64 addr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add(struct marks *m, u64 addr, const char *fmt, ...)
{
	va_list ap;

	if (array_reserve(m->at, m->room, m->n + 1)) {
		m->err = -ENOMEM;
		return;
	}
	m->at[m->n].addr = addr;
	m->at[m->n].order = m->n;
	va_start(ap, fmt);
	vsnprintf(m->at[m->n].text, sizeof(m->at[m->n].text), fmt, ap);
	va_end(ap);
	m->n++;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Marks a slot that the step read, @slot bytes below the frame record. */
static void mark_slot(struct marks *m, const struct explain_step *s, u32 slot, u32 frame,
		      const char *what)
{
	if (slot <= s->n_slots)
		add(m, s->record_addr - slot, "%s of frame %u", what, frame);
}

static void mark_slots(const struct explain *e, struct marks *m, u32 frame)
{
	const struct explain_step *s = &e->steps[frame];
	u8 kind = e->u.sample.frames[frame].kind;
	const struct v8_info *info;

	if (!s->record_addr || s->info_idx >= e->target.n_v8_builds)
		return;
	info = &e->target.v8_builds[s->info_idx];
	if (kind == UW_V8_STUB)
		mark_slot(m, s, V8_CONTEXT_SLOT, frame, "frame type");
	if (kind == UW_V8_STUB && e->u.sample.frames[frame].b)
		add(m, s->record_addr + V8_EXIT_TARGET, "%s of frame %u",
		    "JSFunction of the C++ builtin", frame);
	if (kind != UW_V8_JS)
		return;
	mark_slot(m, s, V8_CONTEXT_SLOT, frame, "context");
	mark_slot(m, s, V8_FUNCTION_SLOT, frame, "JSFunction");
	mark_slot(m, s, V8_FUNCTION_SLOT + 8, frame, "argument count");
	mark_slot(m, s, info->bytecode_array_slot, frame, "if interpreted: BytecodeArray");
	mark_slot(m, s, info->bytecode_offset_slot, frame,
		  "bytecode offset, if the frame is interpreted");
}

static void mark_walk(const struct explain *e, struct marks *m)
{
	const struct uw_sample *sample = &e->u.sample;

	for (u32 i = 0; i < sample->n_frames; i++) {
		const struct explain_step *s = &e->steps[i];

		if (!explain_is_printed(e, i))
			continue;
		mark_slots(e, m, i);
		if (s->record_addr)
			add(m, s->record_addr, "record of frame %u: caller's fp", i);
		if (s->fp_addr)
			add(m, s->fp_addr, "caller's fp, saved by frame %u", i);
		if (s->ra_addr && i + 1 < sample->n_frames)
			add(m, s->ra_addr, "return address of frame %u -> %s", i,
			    explain_where(e, sample->frames[i + 1].pc, true).text);
		else if (s->record_addr)
			add(m, s->record_addr + 8,
			    "return address of frame %u, which led to no frame", i);
	}
}

static bool is_followed(const struct explain *e, u64 addr)
{
	for (u32 i = 0; i < e->u.sample.n_frames; i++)
		if (e->steps[i].ra_addr == addr)
			return true;
	return false;
}

static void mark_truth(const struct explain *e, struct marks *m)
{
	for (u32 i = 1; i < e->truth.n && i < e->first_wrong + N_BEYOND && !e->is_right; i++) {
		const struct explain_place *p = &e->places[i];
		struct explain_where to = explain_where(e, e->truth.pcs[i], true);

		if (p->low && p->low == p->high && !is_followed(e, p->low)) {
			add(m, p->low, "NOT FOLLOWED: true return address -> %s", to.text);
		} else if (p->low != p->high && i >= e->first_wrong) {
			add(m, p->low, "perhaps the true return address -> %s", to.text);
			add(m, p->high, "perhaps the true return address -> %s", to.text);
		}
	}
}

static bool was_read(const struct explain *e, u64 addr)
{
	for (u32 i = 0; i < e->trace.n; i++) {
		const struct trace_event *event = &e->trace.at[i];

		if (event->kind == TRACE_READ && !event->result && addr - event->value < event->len)
			return true;
	}
	return false;
}

static void print_word(const struct explain *e, u32 idx, FILE *f)
{
	u64 addr = e->stack.addr + idx * 8ull;

	fprintf(f, "  %c %#llx  sp+%#-8llx", was_read(e, addr) ? 'r' : ' ', addr,
		addr - e->stack.addr);
	if (e->stack.is_read[idx])
		fprintf(f, "%016llx", e->stack.words[idx]);
	else
		fputs("can't be read   ", f);
}

/* Prints the words @from to @to - 1, whose meaning is unknown. */
static void print_bare(const struct explain *e, u32 from, u32 to, FILE *f)
{
	if (to - from > MAX_BARE) {
		fprintf(f, "    ...  %u words\n", to - from);
		return;
	}
	for (; from < to; from++) {
		print_word(e, from, f);
		fputc('\n', f);
	}
}

static void print_marked(const struct explain *e, const struct marks *m, FILE *f)
{
	u32 next = 0;

	for (u32 i = 0; i < m->n; i++) {
		u64 off = m->at[i].addr - e->stack.addr;
		u32 idx = (u32)(off / 8);

		if (off % 8 || off / 8 >= e->stack.n) {
			fprintf(f, "    %#llx is outside of the words above: %s\n", m->at[i].addr,
				m->at[i].text);
			continue;
		}
		if (idx >= next) {
			print_bare(e, next, idx, f);
			print_word(e, idx, f);
			fprintf(f, "  %s\n", m->at[i].text);
			next = idx + 1;
		} else {
			fprintf(f, "%60s%s\n", "", m->at[i].text);
		}
	}
}

int explain_print_picture(const struct explain *e, FILE *f)
{
	struct marks m = { 0 };

	add(&m, e->target.regs.sp, "<- sp");
	add(&m, e->target.regs.fp, "<- fp");
	mark_walk(e, &m);
	mark_truth(e, &m);
	if (!m.err) {
		qsort(m.at, m.n, sizeof(*m.at), compare_marks);
		fputs("\nstack from sp up; r means that the walk has read the word\n", f);
		print_marked(e, &m, f);
	}
	free(m.at);
	return m.err;
}
