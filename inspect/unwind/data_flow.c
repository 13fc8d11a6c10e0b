/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A node is in the list of nodes to follow at most once: if its state changes again, it moves to
 * the front. Therefore the list never has more entries than there are nodes.
 */

#include <errno.h>
#include <string.h>

#include "data_flow.h"

#define OUTSIDE 1 /* value of reached for nodes that were reached outside of trials */

static void take_off(struct data_flow *d, u32 node)
{
	struct data_flow_link *l = &d->links[node];

	d->links[l->prev].next = l->next;
	d->links[l->next].prev = l->prev;
	*l = (struct data_flow_link){ node, node };
}

static void put_first(struct data_flow *d, u32 node)
{
	struct data_flow_link *ends = &d->links[d->n];

	take_off(d, node);
	d->links[node] = (struct data_flow_link){ d->n, ends->next };
	d->links[ends->next].prev = node;
	ends->next = node;
}

static void clear_list(struct data_flow *d)
{
	while (d->links[d->n].next != d->n)
		take_off(d, d->links[d->n].next);
}

int data_flow_init(struct data_flow *d, const struct data_flow_ops *ops, const void *user, u32 n)
{
	*d = (struct data_flow){ .ops = ops, .user = user, .n = n, .trial = OUTSIDE };
	d->states = calloc(n + 1, ops->state_size); /* the last element is the state after the
						     * current node */
	d->reached = calloc(n + 1, sizeof(*d->reached));
	d->tried = calloc(n + 1, sizeof(*d->tried));
	d->links = calloc(n + 1, sizeof(*d->links));
	if (!d->states || !d->reached || !d->tried || !d->links)
		return -ENOMEM;
	for (u32 i = 0; i <= n; i++)
		d->links[i] = (struct data_flow_link){ i, i };
	return 0;
}

void data_flow_deinit(struct data_flow *d)
{
	free(d->states);
	free(d->reached);
	free(d->tried);
	free(d->links);
	*d = (struct data_flow){};
}

void data_flow_clear(struct data_flow *d)
{
	clear_list(d);
	memset(d->states, 0, d->n * d->ops->state_size);
	memset(d->reached, 0, d->n * sizeof(*d->reached));
}

/*
 * Joins @state into the state before @node. @trial: number of the trial, or OUTSIDE. Returns false
 * on a contradiction.
 */
static bool put(struct data_flow *d, u32 trial, u32 node, const void *state)
{
	enum data_flow_join joined = DATA_FLOW_CHANGED;

	if (!d->reached[node]) {
		memcpy(data_flow_state(d, node), state, d->ops->state_size);
		d->reached[node] = trial;
		if (trial != OUTSIDE)
			d->tried[d->n_tried++] = node;
	} else {
		enum data_flow_when when = trial == OUTSIDE	       ? DATA_FLOW_SURE
					   : d->reached[node] == trial ? DATA_FLOW_TRIED
								       : DATA_FLOW_KNOWN;

		joined = d->ops->join(d->user, node, data_flow_state(d, node), state, when);
	}
	if (joined == DATA_FLOW_CHANGED)
		put_first(d, node);
	return joined != DATA_FLOW_CONTRADICTED;
}

void data_flow_put(struct data_flow *d, u32 node, const void *state)
{
	put(d, OUTSIDE, node, state);
}

static bool step(struct data_flow *d, u32 trial, u32 node)
{
	void *behind = data_flow_state(d, d->n);
	u32 next[2], n;
	bool ok;

	take_off(d, node);
	memcpy(behind, data_flow_state(d, node), d->ops->state_size);
	ok = d->ops->transfer(d->user, node, behind) || trial == OUTSIDE;
	n = ok ? d->ops->successors(d->user, node, next) : 0;
	for (u32 i = 0; i < n; i++)
		ok &= put(d, trial, next[i], behind);
	return ok;
}

/* Follows all listed nodes. Returns false on a contradiction, or if no steps remain. */
static bool follow(struct data_flow *d, u32 trial)
{
	bool ok = true;

	for (; ok && d->steps && d->links[d->n].next != d->n; d->steps--)
		ok = step(d, trial, d->links[d->n].next);
	ok &= d->links[d->n].next == d->n;
	clear_list(d);
	return ok;
}

bool data_flow_follow(struct data_flow *d)
{
	return follow(d, OUTSIDE);
}

bool data_flow_try(struct data_flow *d, u32 node, const void *state)
{
	u32 trial = ++d->trial;
	bool ok;

	d->n_tried = 0;
	ok = put(d, trial, node, state) && follow(d, trial);
	for (u32 i = 0; !ok && i < d->n_tried; i++) {
		memset(data_flow_state(d, d->tried[i]), 0, d->ops->state_size);
		d->reached[d->tried[i]] = 0;
	}
	return ok;
}
