// SPDX-License-Identifier: BSD-2-Clause

#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../core/flight.h"

#include <flight_load.h>

#define MAX_CHOICES 512
#define TABLE_LEN (1u << 18)

struct op {
	const u64 *at;
	u64 value;
	u32 epoch; /* number of fences before this store */
};

/* One execution of the reader: the option that was taken at each choice. */
struct way {
	u8 taken[MAX_CHOICES], n_options[MAX_CHOICES];
	u32 n, at;
	bool is_over;
	u64 visible, floor; /* one bit for each element of ops */
	u64 history; /* hash of all values that the reader has loaded */
	u64 acquired; /* value of the last acquiring load */
};

struct flight_ring *model_ring;
struct flight_control model_control;
u64 model_len;
u64 model_n_states;

static u64 memory[8 * 64];
static struct op ops[MODEL_MAX_OPS];
static u32 n_ops, n_fences, n_calls;
static bool has_overflowed;
static const struct model *model;
static struct way way;
static u64 *table;

/* The words that the reader loads; all other words can't affect it. */
static bool is_loaded[sizeof(memory) / sizeof(memory[0])], has_grown;

/*
 * Words 2 .. 6 of a slot are stored between the same fences as words 1 and 7 (the test checks
 * this), so these two words suffice.
 */
static bool is_followed(const u64 *at)
{
	u64 i = (u64)(at - memory);

	return i == 0 || (i >= 8 && (i % 8 == 0 || i % 8 == 1 || i % 8 == 7));
}

void model_store(u64 *at, u64 value)
{
	*at = value;
	if (!is_followed(at) || (model->without == MODEL_NO_INVALIDATION && value == FLIGHT_BUSY))
		return;
	if (n_ops == MODEL_MAX_OPS)
		has_overflowed = true;
	else
		ops[n_ops++] = (struct op){ at, value, n_fences };
}

/*
 * Each entry has two fences, so the writer's fences with odd numbers are the first ones of
 * entries.
 */
void model_fence(void)
{
	bool is_first = n_calls++ % 2 == 0;

	if (model->without != (is_first ? MODEL_NO_FIRST_FENCE : MODEL_NO_SECOND_FENCE))
		n_fences++;
}

u64 model_word(u64 n, u32 i)
{
	return (n + 1) * 1000 + i;
}

int model_write(const struct model *m)
{
	u64 d[FLIGHT_MAX_WORDS];

	model = m;
	memset(memory, 0, sizeof(memory));
	model_ring = (struct flight_ring *)memory;
	model_len = m->n_slots;
	n_ops = n_fences = n_calls = 0;
	has_overflowed = false;
	for (u32 n = 0; n < m->n_entries; n++) {
		for (u32 i = 0; i < m->n_words; i++)
			d[i] = model_word(n, i);
		model_ring->walk = n;
		flight_put(model_ring, FLIGHT_STEP, 0, d, m->n_words);
	}
	return has_overflowed ? -E2BIG : 0;
}

static bool is_visible(u32 i)
{
	return way.visible >> i & 1;
}

/* Return: whether store @i can become visible next. */
static bool may_show(u32 i)
{
	if (is_visible(i))
		return false;
	for (u32 k = 0; k < i; k++)
		if (!is_visible(k) && (model->order == MODEL_TSO || ops[k].at == ops[i].at ||
				       ops[k].epoch < ops[i].epoch))
			return false;
	return true;
}

static u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

/*
 * Return: whether this state is new. The hashes of two states are equal with a probability of
 * 2^-64.
 */
static bool enter(u64 key)
{
	for (u64 i = key;; i++) {
		u64 *slot = &table[i & (TABLE_LEN - 1)];

		if (*slot == key)
			return false;
		if (*slot == 0) {
			*slot = key;
			model_n_states++;
			return true;
		}
	}
}

static u32 choose(u32 n)
{
	if (way.at == way.n) {
		u64 key = mix(mix(mix(way.history, way.visible), way.floor), n);

		if (way.n == MAX_CHOICES || model_n_states > TABLE_LEN / 2 || !enter(key | 1)) {
			way.is_over = true;
			return 0;
		}
		way.taken[way.n] = 0;
		way.n_options[way.n++] = (u8)n;
	}
	return way.taken[way.at++];
}

/* Stores in @out the values that a load may return, newest first; returns the number of values. */
static u32 versions(const u64 *at, bool may_be_old, u64 *out)
{
	u32 n = 0;

	for (u32 i = n_ops; i-- > 0;) {
		if (ops[i].at != at || !is_visible(i))
			continue;
		out[n++] = ops[i].value;
		if (!may_be_old || way.floor >> i & 1)
			return n;
	}
	if (n == 0 || may_be_old)
		out[n++] = 0;
	return n;
}

/* Makes any number of stores visible, then loads. */
static u64 load(const u64 *at, bool may_be_old)
{
	u64 found[MODEL_MAX_OPS + 1];
	u32 next[MODEL_MAX_OPS];

	if (!is_followed(at))
		return 0;
	has_grown |= !is_loaded[at - memory];
	is_loaded[at - memory] = true;
	while (!way.is_over) {
		u32 n_found = versions(at, may_be_old && model->order == MODEL_WEAK, found);
		u32 n_next = 0, chosen;

		for (u32 i = 0; i < n_ops; i++)
			if (may_show(i))
				next[n_next++] = i;
		chosen = choose(n_found + n_next);
		if (way.is_over)
			break;
		if (chosen < n_found) {
			way.history = mix(way.history, found[chosen]);
			return found[chosen];
		}
		way.visible |= 1ull << next[chosen - n_found];
	}
	return 0;
}

u64 flight_load_acquire(const u64 *at)
{
	bool is_plain = model->without == MODEL_NO_ACQUIRE;

	way.acquired = load(at, is_plain);
	if (!is_plain)
		way.floor = way.visible;
	return way.acquired;
}

u64 flight_load(const u64 *at)
{
	if (model->without == MODEL_NO_RECHECK && (at - memory) % 8 == 0)
		return way.acquired;
	return load(at, true);
}

void flight_load_fence(void)
{
	if (model->without != MODEL_NO_LOAD_FENCE)
		way.floor = way.visible;
}

bool model_is_over(void)
{
	return way.is_over;
}

/*
 * Selects the next execution: at the last choice that has an untried option, it takes that
 * option.
 */
static bool next_way(void)
{
	while (way.n && way.taken[way.n - 1] + 1 == way.n_options[way.n - 1])
		way.n--;
	if (!way.n)
		return false;
	way.taken[way.n - 1]++;
	return true;
}

/* Runs all executions of a reader that loads only known words. */
static int read_all_ways(const struct model *m, bool (*read)(const struct model *m, u64 at), u64 at)
{
	u64 unseen = 0;
	int n_wrong = 0;

	for (u32 i = 0; i < n_ops; i++)
		if (!is_loaded[ops[i].at - memory])
			unseen |= 1ull << i;
	memset(table, 0, TABLE_LEN * sizeof(*table));
	model_n_states = 0;
	has_grown = false;
	way.n = 0;
	do {
		way.at = 0;
		way.is_over = false;
		way.visible = way.floor = unseen;
		way.history = way.acquired = 0;
		n_wrong += !read(m, at) && !way.is_over;
	} while (!has_grown && !n_wrong && next_way());
	return !n_wrong && model_n_states > TABLE_LEN / 2 ? -E2BIG : n_wrong;
}

int model_read(const struct model *m, bool (*read)(const struct model *m, u64 at), u64 at)
{
	int n_wrong;

	if (!table)
		table = malloc(TABLE_LEN * sizeof(*table));
	if (!table)
		return -ENOMEM;
	memset(is_loaded, 0, sizeof(is_loaded));
	do
		n_wrong = read_all_ways(m, read, at);
	while (has_grown);
	return n_wrong;
}
