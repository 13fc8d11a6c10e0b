/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * `unspool-sim explain`: one walk told step by step, for whoever looks for the
 * reason of a wrong one.
 *
 *	pick.c     which stop of the case
 *	trace.c    the walk, written down
 *	truth.c    where the true return addresses lie, and which step went wrong
 *	code.c     disassembly round the pc
 *	steps.c    a block a frame: reads, decisions, verdict
 *	words.c    addresses and decisions in words
 *	picture.c  the stack: whose words they are
 *	json.c     the same for machines
 *	names.c    names of frames, and how they were found
 */

#include <stdio.h>

#include "../case/case.h"
#include "trace.h"

/* What the trace says of the step from one frame to its caller. */
struct explain_step {
	u32 event_idx, n_events; /* of the trace */
	struct uw_regs regs; /* to begin with */
	u64 fp_addr; /* where its row has the caller's fp, 0: nowhere */
	u64 record_addr; /* of the frame record that was read; 0: none */
	u64 ra_addr; /* of the return address that was followed; 0: none on the stack */
	u32 n_slots; /* V8: bytes below the record that were looked at */
	u16 info_idx; /* V8: layout of the slots */
};

/* Where a true return address lies: at low, or if they differ, somewhere from low to high. */
struct explain_place {
	u64 low, high; /* 0: no word holds it */
};

/* The words from sp up. */
struct explain_stack {
	u64 addr;
	u64 *words;
	bool *is_read; /* the word can be read */
	u32 n;
};

struct explain {
	const struct sim_case *c;
	struct sim_target target; /* the case's, with the registers of the stop */
	struct sim_truth truth; /* n 0: nobody knows it */
	char why[192]; /* this stop */
	u32 max_frames; /* that are told in full */
	struct trace trace;
	struct uw_state u; /* the walk's result */
	struct explain_step steps[UW_MAX_FRAMES];
	u32 n_steps; /* one more than frames when the last led nowhere */
	struct explain_stack stack;
	struct explain_place *places; /* one for each frame of truth */
	char missing[128]; /* what the case does not hold: there is no result; empty: it does */
	bool is_right; /* or nobody knows */
	u32 first_wrong; /* frame; if not right, and 0 also when the end alone is wrong */
};

/**
 * explain_make() - walk, and find out what is wrong
 * @e:		c, target, truth, why, max_frames set, the rest zero
 *
 * Return: 0, and explain_deinit() is due; or -ENOMEM.
 */
int explain_make(struct explain *e);
void explain_deinit(struct explain *e);

/* All of it as text. 0 or -ENOMEM. */
int explain_print(const struct explain *e, FILE *f);

/**
 * explain_json() - all of it but code and picture, as JSON lines
 *
 * Return: 0 or -ENOMEM.
 */
int explain_json(const struct explain *e, FILE *f);

/**
 * explain_tell_names() - names of the frames of a recorded case, and how they were found
 * @file:	a file that the case maps, if it is not where it was; or NULL
 * @text:	or NULL
 * @json:	or NULL: JSON lines
 *
 * Return: 0, -ENOMEM, -EMFILE or -ENFILE.
 */
int explain_tell_names(struct explain *e, const char *file, FILE *text, FILE *json);

/* Is this step told? The first and the last are, and those round the wrong one. */
bool explain_is_told(const struct explain *e, u32 step);

/* An address for people: "0x400012 name+0x12"; @is_ra: it follows a call. */
struct explain_where {
	char text[128];
};
struct explain_where explain_where(const struct explain *e, u64 pc, bool is_ra);

/* "0x7ffd40 (sp+0x40)" */
struct explain_addr {
	char text[48];
};
struct explain_addr explain_addr(const struct explain *e, u64 addr);

/**
 * explain_is_return_to() - is this word the return address @pc?
 *
 * Signed or not; it does not ask the walk's own mask, which may be what is wrong.
 */
bool explain_is_return_to(const struct explain *e, u64 word, u64 pc);

/* Which of truth's frames the word at @addr surely returns to; truth.n: none. */
u32 explain_frame_at(const struct explain *e, u64 addr);

/* Parts of it; f is where text goes. */
int explain_find_truth(struct explain *e);
int explain_print_code(const struct explain *e, FILE *f);
void explain_print_steps(const struct explain *e, FILE *f);
int explain_print_picture(const struct explain *e, FILE *f);

/* What is wrong, in one line; "right" or "nobody knows the truth" otherwise. */
void explain_verdict(const struct explain *e, char *out, size_t size);

/* A note's words and value. */
const char *explain_note_name(u32 note);
void explain_note_words(const struct explain *e, const struct trace_event *event, char *out,
			size_t size);
