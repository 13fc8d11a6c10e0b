/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The walk at every instruction of a runtime's code, compared with a true stack: a thread of a
 * live process is single-stepped, a shadow stack (shadow_stack.h) records each call and return,
 * and the core walks the live memory after each step. step_v8.c and step_dotnet.c have the
 * parts of the runtimes.
 *
 * The shadow stack begins at a point where the true stack is known from another source
 * (step_kind.begin). All later calls are single-stepped. Functions that take long are not stepped,
 * but run up to their return address on the shadow stack.
 *
 * The verdicts on a step are
 *
 *	exact    all return addresses have frames, in order, and all names are right
 *	by name  the frame of the innermost return address is missing, but all names are right
 *	moved    all return addresses have frames, but other functions are inlined at pc
 *	miss     anything else
 *
 * Names are right if the program itself reports the same functions (step_program.h). An optimizing
 * compiler may move other instructions past those by which a function reports that it runs, and
 * instructions of an inlined function past the report of the outer function; and it records no
 * positions for deferred code. So moved steps are not misses, but at most MAX_MOVED % of the steps
 * may be moved. Steps without a valid shadow stack are left out, and so are steps whose names were
 * never settled; at most MAX_LEFT_OUT % of all steps may be left out. As a control, each step is
 * also compared with a true stack without its innermost caller, with one without its outermost
 * caller, with return addresses that are off by one, and with a wrong name: the walk must agree
 * with none of these.
 *
 * STEP_PRINT: print all details of misses whose line contains this text. STEP_FAIL_UNDER: fail if
 * fewer than this many % are right, or if fewer steps than requested were judged. STEP_NAME and
 * UNSPOOL_RESULTS: append the figures to this file under this name, as a line of JSON.
 */

#include "../../inspect/target/target.h"
#include "live_cpu.h"
#include "shadow_stack.h"
#include "step_compare.h"

#define STEP_MAX_PLACES 1024
#define STEP_PLACE_LEN 192

struct step_judge;

enum step_verdict { STEP_MISS, STEP_EXACT, STEP_BY_NAME, STEP_MOVED, STEP_N_VERDICTS };
enum step_names {
	STEP_NAMES_WRONG,
	STEP_NAMES_RIGHT,
	STEP_NAMES_MOVED,
	STEP_NAMES_OPEN,
	STEP_NAMES_MOVED_OPEN
};
enum step_control {
	STEP_NO_INNERMOST,
	STEP_NO_OUTERMOST,
	STEP_OFF_BY_ONE,
	STEP_WRONG_NAME,
	STEP_N_CONTROLS
};

/* A location in code, and the number of misses there. */
struct step_place {
	char text[STEP_PLACE_LEN];
	u64 n;
};

/* The callbacks of one runtime; @j->data belongs to it. Optional callbacks are marked. */
struct step_kind {
	/*
	 * Runs the thread until its stack is known, and begins j->shadow. -ETIMEDOUT: call again.
	 */
	int (*begin)(struct step_judge *j);
	bool (*is_mapped)(const struct step_judge *j, u64 pc); /* the code at pc is known */
	bool (*is_judged)(const struct step_judge *j, u64 pc); /* the code at pc is the runtime's */
	bool (*is_last)(const struct step_judge *j, u64 ra); /* are @ra's callers not judged? */
	/* Called after each step, before it is judged. NULL: nothing to do. */
	int (*after_step)(struct step_judge *j);
	/*
	 * Do the names include the function that contains this return address? NULL: names are not
	 * judged.
	 */
	bool (*is_named)(const struct step_judge *j, u64 ra);
	/* @is_spoiled: compare with a wrong name (control). */
	enum step_names (*names)(struct step_judge *j, bool is_spoiled);
	void (*describe)(const struct step_judge *j, char *text, size_t len); /* describes pc */
	void (*print)(const struct step_judge *j); /* prints names of a miss; NULL: no names */
	int (*refresh)(struct step_judge *j, bool is_fresh); /* reads the mappings again */
	int (*walk)(struct step_judge *j); /* fills @j->walk, and @j->is_spoiled (step_spoil.h) */
	u8 skip_bits; /* up to 2^skip_bits steps in a row are not judged; 0: all steps are judged */
};

struct step_judge {
	const struct step_kind *kind;
	void *data;
	struct live_cpu *cpu; /* the thread that is stepped */
	struct target *target;
	const struct uw_state *walk;

	struct shadow_stack shadow;
	u8 insn[16];
	bool is_outside; /* no function of the program runs, so the step is not judged */
	u64 steps, judged, verdicts[STEP_N_VERDICTS];
	u64 pending[STEP_N_VERDICTS]; /* steps whose names are not settled yet */
	u64 recorded; /* steps in the runtime's code, judged or not */
	u64 lost, open; /* numbers of steps left out: lost shadow stack; name never settled */
	u64 outside;
	bool is_spoiled; /* the last walk was made wrong on purpose (step_spoil.h) */
	u64 spoiled, noticed; /* walks made wrong on purpose; of these, misses */
	u64 controls[STEP_N_CONTROLS]; /* number of steps that agreed with a control; must be 0 */
	u64 random;
	u32 native_steps, lost_steps, window_steps, skip_steps, windows;
	struct step_place places[STEP_MAX_PLACES];
	size_t n_places;
};

/**
 * @j:		kind, data, cpu, target and walk are set; the counts continue
 * @n:		number of further steps to judge
 * @n:		number of further steps to judge
 *
 * Return: 0 (also after a timeout), -EAGAIN (the thread never reaches a known stack)
 * or another negative errno.
 */
int step_thread(struct step_judge *j, u64 n);

/*
 * Runs the thread until it is at @pc with sp at or above @sp. -ETIMEDOUT: it did not reach that
 * point, and is stopped.
 */
int step_run_to(struct step_judge *j, u64 pc, u64 sp);

/* Reads registers and the instruction of the stopped thread. */
int step_read_state(struct step_judge *j);

/* Decides on the steps whose names are pending. */
void step_settle_names(struct step_judge *j, bool is_right);

/* Counts the last walk as a miss of kind @form at the location of pc. */
void step_list_miss(struct step_judge *j, const char *form);

/* Prints the figures and misses. Return: true if the figures meet $STEP_FAIL_UNDER. */
bool step_report(struct step_judge *j, u64 n);
