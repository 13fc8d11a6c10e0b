/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Data flow over graphs of up to eight nodes. A state is a number, and each node adds a constant to
 * it. When two paths with different numbers meet, the state becomes MIXED; in a trial, that is a
 * contradiction.
 */

#include <string.h>

#include "../../inspect/unwind/data_flow.h"
#include "../check.h"

#define MAX_NODES 8
#define MAX_LOG 16
#define MIXED 1000
#define REFUSED 99 /* a trial is contradicted if this state occurs after a node */

struct node {
	u32 n_next, next[2];
	u32 add;
};

struct graph {
	u32 n;
	struct node nodes[MAX_NODES];
};

struct log {
	u32 n, nodes[MAX_LOG], n_joins;
	enum data_flow_when when[MAX_LOG];
};

struct user {
	const struct graph *graph;
	struct log *log;
};

static bool transfer(const void *user, u32 node, void *state)
{
	const struct user *u = user;
	u32 *value = state;

	assert_true(u->log->n < MAX_LOG);
	u->log->nodes[u->log->n++] = node;
	if (*value != MIXED)
		*value += u->graph->nodes[node].add;
	return *value != REFUSED;
}

static u32 successors(const void *user, u32 node, u32 next[2])
{
	const struct node *from = &((const struct user *)user)->graph->nodes[node];

	memcpy(next, from->next, sizeof(from->next));
	return from->n_next;
}

static enum data_flow_join join(const void *user, u32 node, void *old, const void *now,
				enum data_flow_when when)
{
	struct log *log = ((const struct user *)user)->log;
	u32 *value = old;

	(void)node;
	log->when[log->n_joins++] = when;
	if (*value == *(const u32 *)now || *value == MIXED)
		return DATA_FLOW_SAME;
	if (when == DATA_FLOW_KNOWN)
		return DATA_FLOW_CONTRADICTED;
	*value = MIXED;
	return DATA_FLOW_CHANGED;
}

static const struct data_flow_ops ops = { sizeof(u32), transfer, successors, join };

/* 0 -> 1 -> 3, 0 -> 2 -> 3 -> 4; 5 -> 6 -> 3 */
static const struct graph diamond = { 7,
				      { { 2, { 1, 2 }, 1 },
					{ 1, { 3 }, 10 },
					{ 1, { 3 }, 10 },
					{ 1, { 4 }, 1 },
					{ 0 },
					{ 1, { 6 }, 1 },
					{ 1, { 3 }, 1 } } };

struct flow {
	struct data_flow d;
	struct user user;
	struct log log;
};

static void start(struct flow *f, const struct graph *graph)
{
	*f = (struct flow){ .user = { graph, &f->log } };
	assert_return_code(data_flow_init(&f->d, &ops, &f->user, graph->n), 0);
	f->d.steps = 100;
}

static void put(struct flow *f, u32 node, u32 value)
{
	data_flow_put(&f->d, node, &value);
}

static bool try(struct flow *f, u32 node, u32 value)
{
	return data_flow_try(&f->d, node, &value);
}

static void check_states(const struct flow *f, const u32 *want)
{
	assert_memory_equal(f->d.states, want, f->d.n * sizeof(*want));
}

static void node_starts_with_the_state_at_the_end_of_its_predecessor(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 0, 5);
	assert_true(data_flow_follow(&f.d));
	check_states(&f, (u32[]){ 5, 6, 6, 16, 17, 0, 0 });
	assert_int_equal(f.log.n, 5);
	data_flow_deinit(&f.d);
}

static void data_flow_follows_the_node_that_changed_last_first(void **state)
{
	static const u32 order[] = { 0, 2, 3, 4, 1 };
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 0, 5);
	data_flow_follow(&f.d);
	assert_memory_equal(f.log.nodes, order, sizeof(order));
	data_flow_deinit(&f.d);
}

static void data_flow_next_follows_the_node_whose_state_changed_again(void **state)
{
	static const u32 order[] = { 1, 3, 4, 2 };
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 1, 5);
	put(&f, 2, 5);
	put(&f, 1, 6);
	assert_true(data_flow_follow(&f.d));
	check_states(&f, (u32[]){ 0, MIXED, 5, MIXED, MIXED, 0, 0 });
	assert_int_equal(f.log.n, 4);
	assert_memory_equal(f.log.nodes, order, sizeof(order));
	data_flow_deinit(&f.d);
}

static void loop_is_followed_until_no_state_changes(void **state)
{
	static const struct graph graph = { 3, { { 1, { 1 }, 0 }, { 2, { 2, 0 }, 1 }, { 0 } } };
	struct flow f;

	(void)state;
	start(&f, &graph);
	put(&f, 0, 5);
	assert_true(data_flow_follow(&f.d));
	check_states(&f, (u32[]){ MIXED, MIXED, MIXED });
	data_flow_deinit(&f.d);
}

static void states_set_in_a_trial_are_kept_if_the_trial_finds_no_contradiction(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 0, 5);
	data_flow_follow(&f.d);
	assert_true(try(&f, 5, 14));
	check_states(&f, (u32[]){ 5, 6, 6, 16, 17, 14, 15 });
	data_flow_deinit(&f.d);
}

static void states_set_in_a_trial_are_undone_if_the_trial_finds_a_contradiction(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 0, 5);
	data_flow_follow(&f.d);
	assert_false(try(&f, 5, 20)); /* two paths meet with different numbers */
	check_states(&f, (u32[]){ 5, 6, 6, 16, 17, 0, 0 });
	assert_true(try(&f, 5, 14));
	data_flow_clear(&f.d);
	assert_false(try(&f, 5, REFUSED - 2)); /* node 6 reaches REFUSED */
	check_states(&f, (u32[]){ 0, 0, 0, 0, 0, 0, 0 });
	data_flow_deinit(&f.d);
}

static void state_refused_outside_of_a_trial_causes_no_contradiction(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 5, REFUSED - 1);
	assert_true(data_flow_follow(&f.d));
	check_states(&f, (u32[]){ 0, 0, 0, REFUSED + 1, REFUSED + 2, REFUSED - 1, REFUSED });
	data_flow_deinit(&f.d);
}

static void join_callback_learns_whether_the_node_was_reached_before_the_trial(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 0, 5);
	data_flow_follow(&f.d);
	assert_int_equal(f.log.n_joins, 1);
	assert_int_equal(f.log.when[0], DATA_FLOW_SURE);
	try(&f, 5, 14);
	assert_int_equal(f.log.n_joins, 2);
	assert_int_equal(f.log.when[1], DATA_FLOW_KNOWN);
	data_flow_clear(&f.d);
	assert_true(try(&f, 0, 5));
	assert_int_equal(f.log.n_joins, 3);
	assert_int_equal(f.log.when[2], DATA_FLOW_TRIED);
	data_flow_deinit(&f.d);
}

static void data_flow_analysis_ends_when_the_step_budget_is_exhausted(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	f.d.steps = 2;
	put(&f, 0, 5);
	assert_false(data_flow_follow(&f.d));
	check_states(&f, (u32[]){ 5, 6, 6, 16, 0, 0, 0 });
	f.d.steps = 100;
	assert_true(data_flow_follow(&f.d)); /* no node is left to follow */
	assert_int_equal(f.log.n, 2);
	f.d.steps = 1;
	data_flow_clear(&f.d);
	assert_false(try(&f, 5, 7));
	check_states(&f, (u32[]){ 0, 0, 0, 0, 0, 0, 0 });
	data_flow_deinit(&f.d);
}

static void trial_that_uses_up_the_step_budget_is_not_contradicted(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	f.d.steps = 4;
	assert_true(try(&f, 5, 7));
	assert_int_equal(f.d.steps, 0);
	data_flow_deinit(&f.d);
}

static void no_state_is_left_after_the_data_flow_is_cleared(void **state)
{
	struct flow f;

	(void)state;
	start(&f, &diamond);
	put(&f, 0, 5);
	data_flow_clear(&f.d);
	check_states(&f, (u32[]){ 0, 0, 0, 0, 0, 0, 0 });
	assert_true(data_flow_follow(&f.d));
	assert_int_equal(f.log.n, 0);
	put(&f, 0, 7);
	assert_int_equal(f.log.n_joins, 0);
	assert_true(data_flow_follow(&f.d));
	check_states(&f, (u32[]){ 7, 8, 8, 18, 19, 0, 0 });
	data_flow_deinit(&f.d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_starts_with_the_state_at_the_end_of_its_predecessor),
		cmocka_unit_test(data_flow_follows_the_node_that_changed_last_first),
		cmocka_unit_test(data_flow_next_follows_the_node_whose_state_changed_again),
		cmocka_unit_test(loop_is_followed_until_no_state_changes),
		cmocka_unit_test(
			states_set_in_a_trial_are_kept_if_the_trial_finds_no_contradiction),
		cmocka_unit_test(
			states_set_in_a_trial_are_undone_if_the_trial_finds_a_contradiction),
		cmocka_unit_test(state_refused_outside_of_a_trial_causes_no_contradiction),
		cmocka_unit_test(
			join_callback_learns_whether_the_node_was_reached_before_the_trial),
		cmocka_unit_test(data_flow_analysis_ends_when_the_step_budget_is_exhausted),
		cmocka_unit_test(trial_that_uses_up_the_step_budget_is_not_contradicted),
		cmocka_unit_test(no_state_is_left_after_the_data_flow_is_cleared),
	};

	return CHECK_RUN(tests);
}
