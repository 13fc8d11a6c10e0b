/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs a reader against all that memory may show it of a writer's stores.
 *
 * There is one writer, and its stores are known: the real code is run once and they are
 * written down, with the fences between them. From then on a state is the set of stores
 * that are visible. Which one may become visible next:
 *
 *	TSO (x86-64)	the first that is not
 *	WEAK (arm64)	any, if all before its last fence are, and all to the same word
 *
 * The reader is the real code too. Each of its loads finds what is visible at that time;
 * under WEAK a plain load may also find what was visible at any time since the last
 * acquiring load or fence (which is the same as being made before or after its neighbours).
 * Every choice is taken; a state that was seen before is not entered again.
 */

#include "../../../core/types.h"

enum model_order { MODEL_TSO, MODEL_WEAK };

/* What is taken away from the protocol. */
enum model_break {
	MODEL_WHOLE,
	MODEL_NO_INVALIDATION, /* seq is left while the words change */
	MODEL_NO_FIRST_FENCE,
	MODEL_NO_SECOND_FENCE,
	MODEL_NO_RECHECK, /* the reader does not look at seq again */
	MODEL_NO_LOAD_FENCE,
	MODEL_NO_ACQUIRE,
};

struct model {
	enum model_order order;
	enum model_break without;
	u32 n_slots; /* of the ring */
	u32 n_words; /* of each entry */
	u32 n_entries;
};

#define MODEL_MAX_OPS 64

extern struct flight_ring *model_ring;

/**
 * model_write() - the writer's part: run it and write down its stores
 *
 * Return: 0, -E2BIG: more than MODEL_MAX_OPS of them.
 */
int model_write(const struct model *m);

/* Word @i of entry @n of a model, as flight_put() gets it. */
u64 model_word(u64 n, u32 i);

/**
 * model_read() - run a reader in all ways
 * @m:		was given to model_write()
 * @read:	makes its loads by <flight_load.h>; called once a way. False: what it found
 *		cannot be
 *
 * Return: 0; 1: there is a way in which it is false; -E2BIG: too many states; -ENOMEM.
 */
int model_read(const struct model *m, bool (*read)(const struct model *m, u64 at), u64 at);

/* States that the last model_read() entered. */
extern u64 model_n_states;

/* The way is one that was seen before, from here on: what the reader finds is nothing. */
bool model_is_over(void);
