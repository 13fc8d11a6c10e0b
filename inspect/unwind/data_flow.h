/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Data flow: the state before each node (an instruction) follows from the states behind the nodes
 * that lead to it. Nodes whose state changed are followed newest first, until no state changes.
 *
 *	data_flow_put()		two ways meet: the state before a node, and one that leads there
 *	data_flow_follow()	follow all nodes whose state changed
 *	data_flow_try()		both, on trial: a contradiction undoes them
 */

#include <stdlib.h>

#include "../../core/types.h"

enum data_flow_join { DATA_FLOW_SAME, DATA_FLOW_CHANGED, DATA_FLOW_CONTRADICTED };

/* When two ways meet. */
enum data_flow_when {
	DATA_FLOW_SURE, /* outside of trials: a join does not contradict */
	DATA_FLOW_TRIED, /* in the trial that first led to the node */
	DATA_FLOW_KNOWN, /* in a trial, at a node that was reached before; no undo */
};

/* The functions of a user; @user is that of struct data_flow. */
struct data_flow_ops {
	size_t state_size; /* bytes; all of them zero: nothing leads to the node */
	/* @state: before @node, then behind it. Returns false to contradict a trial. */
	bool (*transfer)(const void *user, u32 node, void *state);
	/* The nodes that @node leads to, returns how many. The last one is followed first. */
	u32 (*successors)(const void *user, u32 node, u32 next[2]);
	/* @old: the state before @node, then what holds of it and of @now. */
	enum data_flow_join (*join)(const void *user, u32 node, void *old, const void *now,
				    enum data_flow_when when);
};

/* A node's neighbours in the list of those to follow; itself twice: it is not in the list. */
struct data_flow_link {
	u32 prev, next;
};

struct data_flow {
	const struct data_flow_ops *ops;
	const void *user;
	u32 n; /* nodes */
	void *states; /* before each node */
	u64 steps; /* left; the user sets and may renew it */
	/* private */
	u32 *reached; /* by node: 0, never; 1, outside of trials; else the trial's number */
	u32 *tried, n_tried, trial;
	struct data_flow_link *links; /* those of the list's ends are the last */
};

/* 0 or -ENOMEM. In either case data_flow_deinit() frees what there is. */
int data_flow_init(struct data_flow *d, const struct data_flow_ops *ops, const void *user, u32 n);
void data_flow_deinit(struct data_flow *d);

/* The state before a node. */
static inline void *data_flow_state(const struct data_flow *d, u32 node)
{
	return (u8 *)d->states + node * d->ops->state_size;
}

/* Does anything lead to a node? */
static inline bool data_flow_is_reached(const struct data_flow *d, u32 node)
{
	return d->reached[node];
}

/* Forgets all states. */
void data_flow_clear(struct data_flow *d);

void data_flow_put(struct data_flow *d, u32 node, const void *state);

/* False: no steps were left, and states may be unfinished. */
bool data_flow_follow(struct data_flow *d);

/* False: a contradiction, or no steps were left. What was reached has no state again. */
bool data_flow_try(struct data_flow *d, u32 node, const void *state);
