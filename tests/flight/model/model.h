/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs a reader against every order in which a writer's stores can become visible.
 *
 * There is one writer. The recorder's code runs once as the writer, and its stores and the
 * fences between them are logged. After that a state is the set of stores that are visible.
 * The store that may become visible next is:
 *
 *	TSO (x86-64)	the first invisible one
 *	WEAK (arm64)	any, if all stores before its last fence and all earlier stores to
 *			the same word are visible
 *
 * The reader is real code, too. Each load of the reader returns the value that is visible at
 * that time. Under WEAK a plain load may also return a value visible at any time since the
 * last acquiring load or fence, which is equivalent to reordering it with its neighbours.
 * Every choice is explored, except after states that were reached before.
 */

#include "../../../core/types.h"

enum model_order { MODEL_TSO, MODEL_WEAK };

/* Parts removed from the protocol. */
enum model_break {
	MODEL_WHOLE,
	MODEL_NO_INVALIDATION, /* seq stays valid while the words change */
	MODEL_NO_FIRST_FENCE,
	MODEL_NO_SECOND_FENCE,
	MODEL_NO_RECHECK, /* the reader checks seq only once */
	MODEL_NO_LOAD_FENCE,
	MODEL_NO_ACQUIRE,
};

struct model {
	enum model_order order;
	enum model_break without;
	u32 n_slots; /* number of slots of the ring */
	u32 n_words; /* number of words of each entry */
	u32 n_entries;
};

#define MODEL_MAX_OPS 64

extern struct flight_ring *model_ring;

/**
 * model_write() - run the writer and record its stores
 *
 * Return: 0, or -E2BIG if there are more than MODEL_MAX_OPS stores.
 */
int model_write(const struct model *m);

/* Word @i of entry @n of a model, as passed to flight_put(). */
u64 model_word(u64 n, u32 i);

/**
 * model_read() - run all executions of a reader
 * @m:		as set by model_write()
 * @read:	the reader, called once for each execution; it loads only by <flight_load.h>,
 *		and returns false if its result is impossible
 *
 * Return: 0; 1 if @read returned false; -E2BIG if there are too many states; -ENOMEM.
 */
int model_read(const struct model *m, bool (*read)(const struct model *m, u64 at), u64 at);

/* Returns the number of states that the last model_read() entered. */
extern u64 model_n_states;

/*
 * Return: whether the execution reached a state that is already explored; then ignore the
 * result of the reader.
 */
bool model_is_over(void);
