/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * `unspool-sim explain`: prints one walk step by step, for finding the reason why it is
 * wrong.
 *
 *	pick.c     selects the stop of the case
 *	trace.c    records the walk
 *	truth.c    locates the true return addresses, and the step that went wrong
 *	code.c     disassembly around the pc
 *	steps.c    a block for each frame: reads, decisions, verdict
 *	words.c    formats addresses and decisions
 *	picture.c  the stack, with the meaning of its words
 *	json.c     the same as JSON
 *	names.c    names of frames, and the resolvers that found them
 */

#include <stdio.h>

#include "../case/case.h"
#include "trace.h"

/* The trace of the step from one frame to its caller. */
struct explain_step {
	u32 event_idx, n_events; /* range in the trace */
	struct uw_regs regs; /* at the start of the step */
	u64 fp_addr; /* address of the caller's fp by the unwind row; 0: not saved */
	u64 record_addr; /* address of the frame record that was read; 0: none */
	u64 ra_addr; /* address of the return address that was used; 0: not on the stack */
	u32 n_slots; /* V8: bytes below the record that were read */
	u16 info_idx; /* V8: layout of the slots */
};

/*
 * Location of a true return address: low if low and high are equal, else somewhere from low to
 * high.
 */
struct explain_place {
	u64 low, high; /* 0: not found in any word */
};

/* The words from sp up. */
struct explain_stack {
	u64 addr;
	u64 *words;
	bool *is_read; /* the word is readable */
	u32 n;
};

struct explain {
	const struct sim_case *c;
	struct sim_target target; /* the case's, with the registers of the stop */
	struct sim_truth truth; /* n 0: unknown */
	char why[192]; /* reason for this stop */
	u32 max_frames; /* maximum number of frames printed in full */
	struct trace trace;
	struct uw_state u; /* the walk's result */
	struct explain_step steps[UW_MAX_FRAMES];
	u32 n_steps; /* number of frames, plus 1 if the last step found no frame */
	struct explain_stack stack;
	struct explain_place *places; /* one for each frame of truth */
	char missing[128]; /* data that the case lacks for a result; empty: none */
	bool is_right; /* also if the truth is unknown */
	u32 first_wrong; /* index of a frame, if not right; 0 also if only the status is wrong */
};

/**
 * explain_make() - make the walk, and compare it with the truth
 * @e:		c, target, truth, why, max_frames are set, the rest is zero
 *
 * Return: 0, then explain_deinit() must be called; or -ENOMEM.
 */
int explain_make(struct explain *e);
void explain_deinit(struct explain *e);

/* Prints everything as text. Return: 0 or -ENOMEM. */
int explain_print(const struct explain *e, FILE *f);

/**
 * explain_json() - print everything except code and picture as JSON lines
 *
 * Return: 0 or -ENOMEM.
 */
int explain_json(const struct explain *e, FILE *f);

/**
 * explain_tell_names() - print the names of a recorded case's frames, and their resolvers
 * @file:	new path of a file that the case maps and that has moved; or NULL
 * @text:	output, or NULL
 * @json:	output as JSON lines, or NULL
 *
 * Return: 0, -ENOMEM, -EMFILE or -ENFILE.
 */
int explain_tell_names(struct explain *e, const char *file, FILE *text, FILE *json);

/* Whether this step is printed: the first, the last, and those around the wrong step. */
bool explain_is_told(const struct explain *e, u32 step);

/* An address as text: "0x400012 name+0x12"; @is_ra: it is a return address. */
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
 * explain_is_return_to() - check whether a word is the return address @pc
 *
 * The word may be signed. Does not use the walk's mask, which may be wrong.
 */
bool explain_is_return_to(const struct explain *e, u64 word, u64 pc);

/*
 * Index of the true frame to which the word at @addr certainly returns; truth.n if there is none.
 */
u32 explain_frame_at(const struct explain *e, u64 addr);

/* Parts of explain_make() and explain_print(); they print to @f. */
int explain_find_truth(struct explain *e);
int explain_print_code(const struct explain *e, FILE *f);
void explain_print_steps(const struct explain *e, FILE *f);
int explain_print_picture(const struct explain *e, FILE *f);

/* Describes the fault in one line, or "right", or that the truth is unknown. */
void explain_verdict(const struct explain *e, char *out, size_t size);

/* Text of a note and its value. */
const char *explain_note_name(u32 note);
void explain_note_words(const struct explain *e, const struct trace_event *event, char *out,
			size_t size);
