/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Data flow analysis: the state before each node (an instruction) follows from the states after its
 * predecessors. Nodes whose state changed are processed, the most recently changed first, until no
 * state changes.
 *
 *	data_flow_put()		join a state into the state before a node
 *	data_flow_follow()	process all nodes whose state changed
 *	data_flow_try()		both, as a trial: a contradiction resets the nodes it reached
 */

#include <stdlib.h>

#include "../../core/types.h"

enum data_flow_join { DATA_FLOW_SAME, DATA_FLOW_CHANGED, DATA_FLOW_CONTRADICTED };

/* The circumstances of a join. */
enum data_flow_when {
	DATA_FLOW_SURE, /* not in a trial, so the join must not be a contradiction */
	DATA_FLOW_TRIED, /* at a node first reached in this trial */
	DATA_FLOW_KNOWN, /* in a trial, at a node reached before the trial, whose state must not
			  * change */
};

/* The functions of a client; @user is the member of struct data_flow. */
struct data_flow_ops {
	size_t state_size; /* in bytes; the state of an unreached node is all zero */
	/*
	 * Changes @state from the state before @node to the state after it. Returns false on a
	 * contradiction, which ends a trial.
	 */
	bool (*transfer)(const void *user, u32 node, void *state);
	/*
	 * Sets @next to the successors of @node, and returns their number. The last successor is
	 * processed first.
	 */
	u32 (*successors)(const void *user, u32 node, u32 next[2]);
	/* Joins @now into @old, the state before @node. */
	enum data_flow_join (*join)(const void *user, u32 node, void *old, const void *now,
				    enum data_flow_when when);
};

/*
 * A node's neighbours in the list of nodes to follow. A node that is its own neighbour is not in
 * the list.
 */
struct data_flow_link {
	u32 prev, next;
};

struct data_flow {
	const struct data_flow_ops *ops;
	const void *user;
	u32 n; /* number of nodes */
	void *states; /* the state before each node */
	u64 steps; /* remaining steps; set by the client, which may add more */
	/* private */
	u32 *reached; /* for each node, 0: not reached; 1: outside of trials; else number of the
		       * trial */
	u32 *tried, n_tried, trial;
	struct data_flow_link *links; /* one for each node, then the list head */
};

/*
 * Makes @n unreached nodes. Return: 0 or -ENOMEM; in either case free @d with data_flow_deinit().
 */
int data_flow_init(struct data_flow *d, const struct data_flow_ops *ops, const void *user, u32 n);
void data_flow_deinit(struct data_flow *d);

/* The state before a node. */
static inline void *data_flow_state(const struct data_flow *d, u32 node)
{
	return (u8 *)d->states + node * d->ops->state_size;
}

/* Whether a node has been reached. */
static inline bool data_flow_is_reached(const struct data_flow *d, u32 node)
{
	return d->reached[node];
}

/* Resets all states. */
void data_flow_clear(struct data_flow *d);

void data_flow_put(struct data_flow *d, u32 node, const void *state);

/* Returns false if no steps remain; some states may then be unfinished. */
bool data_flow_follow(struct data_flow *d);

/*
 * Returns false on a contradiction, or if no steps remain; in both cases, the nodes that the trial
 * reached are reset.
 */
bool data_flow_try(struct data_flow *d, u32 node, const void *state);
