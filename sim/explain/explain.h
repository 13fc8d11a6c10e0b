/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * `unspool-sim explain`: prints one walk step by step, to find the reason why a walk is
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
	u32 event_idx, n_events; /* the step's range in the trace */
	struct uw_regs regs; /* registers at the start of the step */
	u64 fp_addr; /* address at which the caller's fp is saved according to the unwind row; 0:
		      * the row says that it is not saved */
	u64 record_addr; /* address of the frame record that the step read; 0: none */
	u64 ra_addr; /* address of the return address that the step used; 0: the return address was
		      * not on the stack */
	u32 n_slots; /* V8: number of bytes read below the record */
	u16 info_idx; /* V8: index of the V8 build, which gives the layout of the slots */
};

/*
 * Location of a true return address: if @low and @high are equal, this address; otherwise, some
 * address from @low to @high.
 */
struct explain_place {
	u64 low, high; /* 0: no word contains the return address */
};

/* The words of the stack from sp up. */
struct explain_stack {
	u64 addr;
	u64 *words;
	bool *is_read; /* for each word, whether it is readable */
	u32 n;
};

struct explain {
	const struct sim_case *c;
	struct sim_target target; /* the case's target, with the registers at the stop */
	struct sim_truth truth; /* n 0: unknown */
	char why[192]; /* the reason why this stop is explained */
	u32 max_frames; /* maximum number of frames printed in full */
	struct trace trace;
	struct uw_state u; /* the walk's result */
	struct explain_step steps[UW_MAX_FRAMES];
	u32 n_steps; /* number of frames, plus 1 if the last step found no frame */
	struct explain_stack stack;
	struct explain_place *places; /* one for each frame of the true stack */
	char missing[128]; /* the memory that the walk needed but the case lacks; empty: the case
			    * lacks none */
	bool is_right; /* true also if the truth is unknown */
	u32 first_wrong; /* if not right: index of the first wrong frame */
	char **names; /* recorded: name of each frame; NULL: unknown, or not looked for yet */
};

/**
 * explain_make() - make the walk, and compare it with the truth
 * @e:		zero, except for c, target, truth, why and max_frames
 *
 * Return: 0 or -ENOMEM. After 0, explain_deinit() must be called.
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
 * explain_find_names() - find the names of the frames of a recorded case, and print them with the
 * resolvers that were called to find them
 * @file:	new path of a file that the case maps and that has moved; or NULL
 * @text:	output, or NULL
 * @json:	output as JSON lines, or NULL
 *
 * After this call, explain_where() knows the names.
 *
 * Return: 0, -ENOMEM, -EMFILE or -ENFILE.
 */
int explain_find_names(struct explain *e, const char *file, FILE *text, FILE *json);

/*
 * Returns whether this step is printed: the first steps, the last step, and the steps around the
 * wrong step are printed.
 */
bool explain_is_printed(const struct explain *e, u32 step);

/*
 * Formats an address: "0x400012 name+0x12", or, if only the name of a frame with this pc is known,
 * "0x400012 name"; @is_ra: the address is a return address.
 */
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
 * The word may be signed. The mask of address bits that the walk used is not used here, because
 * that mask may be wrong.
 */
bool explain_is_return_to(const struct explain *e, u64 word, u64 pc);

/*
 * Returns the index of the true frame whose return address is certainly the word at @addr; if there
 * is none, truth.n.
 */
u32 explain_frame_at(const struct explain *e, u64 addr);

/* Parts of explain_make() and explain_print(); they print to @f. */
int explain_find_truth(struct explain *e);
int explain_print_code(const struct explain *e, FILE *f);
void explain_print_steps(const struct explain *e, FILE *f);
int explain_print_picture(const struct explain *e, FILE *f);

/* Gives the verdict in one line: which frame is wrong, "right", or that the truth is unknown. */
void explain_verdict(const struct explain *e, char *out, size_t size);

/* Formats a note and the note's value. */
const char *explain_note_name(u32 note);
void explain_note_words(const struct explain *e, const struct trace_event *event, char *out,
			size_t size);
