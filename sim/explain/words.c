// SPDX-License-Identifier: BSD-2-Clause

/* Formats addresses, notes and their values. */

#include "explain.h"

#include "../case/stack.h"
#include "../case/where.h"
#include "../sweep/disasm.h"

#include <ctype.h>
#include <string.h>

/* Returns the name of a frame with this pc, or NULL. */
static const char *name_at(const struct explain *e, u64 pc)
{
	const struct uw_sample *s = &e->u.sample;

	for (u32 i = 0; e->names && i < s->n_frames; i++)
		if (s->frames[i].pc == pc && e->names[i])
			return e->names[i];
	return NULL;
}

struct explain_where explain_where(const struct explain *e, u64 pc, bool is_ra)
{
	const struct sim_function *f = sim_function_at(e->c, pc - is_ra);
	const char *name = f ? NULL : name_at(e, pc);
	struct explain_where w;

	if (f)
		snprintf(w.text, sizeof(w.text), "%#llx %.80s+%#llx", pc, f->name,
			 pc - f->start_addr);
	else if (name)
		snprintf(w.text, sizeof(w.text), "%#llx %.100s", pc, name);
	else
		snprintf(w.text, sizeof(w.text), "%#llx", pc);
	for (char *p = w.text; *p; p++) /* escaped, because names come from files */
		if (!isprint((unsigned char)*p))
			*p = '?';
	return w;
}

const char *explain_note_name(u32 note)
{
	static const char *const names[] = {
#define X(name, form, words) #name,
		UW_NOTE_LIST(X)
#undef X
	};

	return note < UW_N_NOTES ? names[note] : "?";
}

static const char *note_words(u32 note)
{
	static const char *const words[] = {
#define X(name, form, words) words,
		UW_NOTE_LIST(X)
#undef X
	};

	return note < UW_N_NOTES ? words[note] : "?";
}

static enum uw_note_form note_form(u32 note)
{
	static const enum uw_note_form forms[] = {
#define X(name, form, words) UW_FORM_##form,
		UW_NOTE_LIST(X)
#undef X
	};

	return note < UW_N_NOTES ? forms[note] : UW_FORM_WORD;
}

struct text {
	char text[192];
};

struct explain_addr explain_addr(const struct explain *e, u64 addr)
{
	u64 off = addr - e->target.regs.sp;
	struct explain_addr t;

	if (off < e->stack.n * 8ull)
		snprintf(t.text, sizeof(t.text), "%#llx (sp+%#llx)", addr, off);
	else
		snprintf(t.text, sizeof(t.text), "%#llx", addr);
	return t;
}

static struct text insn_words(const struct explain *e, u32 insn)
{
	u64 pc = e->target.regs.pc;
	char insn_text[128];
	u32 len = 16;
	u8 code[16];
	struct text t;

	if (sim_mem_read(e->target.mem, code, len, pc)) { /* not recorded */
		len = sizeof(insn);
		memcpy(code, &insn, len);
	}
	sim_disasm(e->c->arch, code, len, pc, insn_text, sizeof(insn_text));
	snprintf(t.text, sizeof(t.text), "%s (%#010x)", insn_text, insn);
	return t;
}

static const char *scratch_name(u32 i)
{
	static const char *const names[] = { "r10", "rax", "rcx", "r8", "r9", "r11" };

	return i < UW_N_SCRATCH ? names[i] : "no register";
}

static struct text slot_words(s32 slot)
{
	struct text t;

	if (slot >= 0)
		snprintf(t.text, sizeof(t.text), "the word at sp+%#x", (u32)slot);
	else
		snprintf(t.text, sizeof(t.text), "%s",
			 slot == -1   ? "the record at fp"
			 : slot == -2 ? "lr"
				      : scratch_name((u32)(-3 - slot)));
	return t;
}

/* Formats the CFA of a rule (UW_NOTE_ROW_VALUE()) as readelf does. */
static struct text rule_words(u64 value)
{
	static const char *const forms[] = {
		[UW_CFA_NONE] = "no unwind information",
		[UW_CFA_SP] = "cfa = sp%+d",
		[UW_CFA_FP] = "cfa = fp%+d",
		[UW_CFA_SCRATCH] = "",
		[UW_CFA_AT_SP] = "cfa = *(sp%+d)%+d",
		[UW_CFA_AT_FP] = "cfa = *(fp%+d)%+d",
		[UW_CFA_PLT] = "cfa = sp%+d, plus 8 from byte %d of a 16-byte PLT entry on",
		[UW_CFA_SIGNAL] = "signal frame",
		[UW_CFA_ROOT] = "no caller",
		[UW_CFA_FP_OTHER_STACK] = "cfa = fp%+d, on another stack",
		[UW_CFA_HIJACKED] = "hijacked return address; the true address is stored elsewhere",
	};
	u8 cfa = (u8)value;
	struct text t;

	if (cfa == UW_CFA_SCRATCH) {
		snprintf(t.text, sizeof(t.text), "cfa = %s%+d", scratch_name((u8)(value >> 8)),
			 (s32)(value >> 32));
		return t;
	}
	snprintf(t.text, sizeof(t.text), cfa < UW_N_CFAS ? forms[cfa] : "no rule (%d)",
		 (s32)(value >> 32), (s8)(value >> 8));
	return t;
}

static struct text value_words(const struct explain *e, const struct trace_event *event)
{
	struct text t = { "" };
	u64 v = event->value;

	switch (note_form(event->note)) {
	case UW_FORM_NONE:
		break;
	case UW_FORM_PC:
		snprintf(t.text, sizeof(t.text), "%s",
			 explain_where(e, v, event->frame || event->note == UW_NOTE_CALLER).text);
		break;
	case UW_FORM_ADDR:
		snprintf(t.text, sizeof(t.text), "%s", explain_addr(e, v).text);
		break;
	case UW_FORM_WORD:
		snprintf(t.text, sizeof(t.text), "%#llx", v);
		break;
	case UW_FORM_NUMBER:
		snprintf(t.text, sizeof(t.text), "%llu", v);
		break;
	case UW_FORM_INSN:
		return insn_words(e, (u32)v);
	case UW_FORM_SLOT:
		return slot_words((s32)v);
	case UW_FORM_RULE:
		return rule_words(v);
	case UW_FORM_STATUS:
		snprintf(t.text, sizeof(t.text), "%s", sim_status_words((u32)v));
		break;
	}
	return t;
}

/* Additional information about the value. */
static struct text more_words(const struct explain *e, const struct trace_event *event)
{
	const struct uw_regs *r = &event->regs;
	struct text t = { "" };
	u64 word;

	switch ((enum uw_note)event->note) {
	case UW_NOTE_RECORD:
		if (!sim_mem_read(e->target.mem, &word, sizeof(word), event->value))
			snprintf(t.text, sizeof(t.text), ": the caller's fp is %s",
				 explain_addr(e, word).text);
		break;
	case UW_NOTE_RECORD_RA:
		if ((event->value & e->target.va_mask) != event->value)
			snprintf(t.text, sizeof(t.text), ", whose address bits are %#llx",
				 event->value & e->target.va_mask);
		break;
	case UW_NOTE_CALLER:
		snprintf(t.text, sizeof(t.text), event->sp_known ? "; sp %s" : "; sp unknown",
			 explain_addr(e, r->sp).text);
		snprintf(t.text + strlen(t.text), sizeof(t.text) - strlen(t.text), ", fp %#llx",
			 r->fp);
		break;
	case UW_NOTE_FP_REFUSED:
		snprintf(t.text, sizeof(t.text),
			 ", because it must be a multiple of 8 from %#llx to %#llx",
			 event->stack_low, event->stack_low + UW_MAX_FRAME_LEN);
		break;
	case UW_NOTE_V8_MARKER:
		snprintf(t.text, sizeof(t.text), " type %llu", event->value >> 1);
		break;
	case UW_NOTE_V8_BYTECODE:
		if (!(event->value & 0xffffffff))
			snprintf(t.text, sizeof(t.text), ", the small integer %llu",
				 event->value >> 32);
		break;
	default:
		break;
	}
	return t;
}

void explain_note_words(const struct explain *e, const struct trace_event *event, char *out,
			size_t size)
{
	snprintf(out, size, "%s %s%s", note_words(event->note), value_words(e, event).text,
		 more_words(e, event).text);
}
