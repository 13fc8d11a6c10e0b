/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The walk at every instruction of a runtime's code, against a true stack: a thread of
 * a live process is single-stepped, a shadow stack (shadow_stack.h) keeps what was
 * called, and the core walks the live memory after each step. What is special about a
 * runtime its program tells (step_v8.c, step_dotnet.c).
 *
 * A step is
 *
 *	exact    each return address is there, in order
 *	by name  not all of them are frames, but naming finds and says the others
 *	miss     anything else
 *
 * $STEP_PRINT: misses whose line has this text are printed in full. $STEP_FAIL_UNDER: it is a
 * failure when less than so many % are right, or when fewer steps than asked could be judged.
 *
 * Misses are listed by place and form. A native call that takes longer than NATIVE_STEPS
 * is run to its end, and so is the handler of a signal.
 */

#include "../../inspect/target/target.h"
#include "live_cpu.h"
#include "shadow_stack.h"

#define STEP_MAX_PLACES 1024
#define STEP_PLACE_LEN 160

struct step_judge;

/* Where steps were missed, and how often. */
struct step_place {
	char text[STEP_PLACE_LEN];
	u64 n;
};

/* What is special about a runtime. @j->data is the program's own. */
struct step_kind {
	bool (*is_mapped)(const struct step_judge *j, u64 pc); /* code that is known */
	bool (*is_judged)(const struct step_judge *j, u64 pc); /* the runtime's code */
	bool (*is_last)(const struct step_judge *j, u64 ra); /* callers of this are not judged */
	bool (*is_base)(const struct step_judge *j); /* can a shadow stack begin with the walk's? */
	bool (*is_by_name)(const struct step_judge *j); /* NULL: nothing is */
	void (*describe)(const struct step_judge *j, char *text, size_t len); /* where pc is */
	int (*refresh)(struct step_judge *j, bool is_fresh); /* mappings may have changed */
	int (*walk)(struct step_judge *j); /* fills @j->walk */
};

struct step_judge {
	const struct step_kind *kind;
	void *data;
	struct live_cpu *cpu; /* the thread that is stepped */
	struct target *target;
	const struct uw_state *walk;

	struct shadow_stack shadow;
	u8 insn[16];
	u64 steps, judged, exact, by_name, lost, spoiled_exact;
	u32 native_steps, lost_steps, window_steps, windows;
	struct step_place places[STEP_MAX_PLACES];
	size_t n_places;
};

/**
 * step_thread() - judge steps of a thread that runs and can be stopped
 * @j:		kind, data, cpu, target and walk are set; the counts go on
 * @n:		judge so many more
 *
 * Return: 0 (also when time was over), -EAGAIN (it never runs the runtime's code) or another
 * negative errno.
 */
int step_thread(struct step_judge *j, u64 n);

/* Do frames from @from on agree with the true stack's from @ra_idx on? @spoil: a control. */
bool step_agrees(const struct step_judge *j, u32 from, u32 ra_idx, u64 spoil);

/* Prints the figures and misses. Return: whether they are as good as $STEP_FAIL_UNDER asks. */
bool step_report(struct step_judge *j, u64 n);
