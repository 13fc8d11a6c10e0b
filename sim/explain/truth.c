// SPDX-License-Identifier: BSD-2-Clause

/*
 * Locates the true return addresses on the stack. From sp up, the return addresses are in the
 * order of the true frames. Therefore one search goes up from sp and looks for them in this
 * order; the other goes down from the top and looks for them in reverse order. If both searches
 * find the same word, that word is the location; if some stale words look like return
 * addresses, the two searches may find different words.
 *
 *	truth        leaf  a      b      a             a is called by b is called by a
 *	words        ...  [a] ... [a] ... [b] ... [a]
 *	from below         a              b      a      the first a may be stale:
 *	from above               a        b      a      the two searches differ
 *
 * If the location is certain, it distinguishes frames that have the same pc because of
 * recursion.
 */

#include "explain.h"

#include "../case/stack.h"
#include "../sweep/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Mask of the bits that are address bits in every arm64 configuration of interest. */
#define ADDR_BITS ((1ull << 39) - 1)

bool explain_is_return_to(const struct explain *e, u64 word, u64 pc)
{
	u64 differs = word ^ pc;

	return e->c->arch == &sim_arch_arm64 ? !(differs & ADDR_BITS) : !differs;
}

static bool holds(const struct explain *e, u32 word_idx, u32 frame)
{
	return e->stack.is_read[word_idx] &&
	       explain_is_return_to(e, e->stack.words[word_idx], e->truth.pcs[frame]);
}

/*
 * Searches upwards, and sets places[].low of the frames from @first on. Returns the number of
 * return addresses found.
 */
static u32 search_up(struct explain *e, u32 first)
{
	u32 at = 0, n_found = 0;

	for (u32 i = first; i < e->truth.n; i++) {
		u32 w = at;

		while (w < e->stack.n && !holds(e, w, i))
			w++;
		e->places[i].low = w < e->stack.n ? e->stack.addr + w * 8ull : 0;
		if (w < e->stack.n) {
			at = w + 1;
			n_found++;
		}
	}
	return n_found;
}

static void search_down(struct explain *e, u32 first)
{
	u32 at = e->stack.n;

	for (u32 i = e->truth.n; i-- > first;) {
		u32 w = at;

		while (w > 0 && !holds(e, w - 1, i))
			w--;
		e->places[i].high = w ? e->stack.addr + (w - 1) * 8ull : 0;
		if (w)
			at = w - 1;
	}
}

/*
 * Finds the places. If a leaf's return address is only in lr, the stack has one return address
 * less.
 */
static void find_places(struct explain *e)
{
	bool in_lr = e->truth.n > 1 && e->c->arch == &sim_arch_arm64 &&
		     explain_is_return_to(e, e->target.regs.lr, e->truth.pcs[1]);
	u32 first = 1;

	if (search_up(e, first) + 1 < e->truth.n && in_lr) {
		e->places[1] = (struct explain_place){ 0 };
		search_up(e, ++first);
	}
	search_down(e, first);
	for (u32 i = first; i < e->truth.n; i++)
		if (!e->places[i].low || e->places[i].low > e->places[i].high)
			e->places[i] = (struct explain_place){ 0 };
}

/* Returns whether the word at @addr is certainly the return address to the true frame @frame. */
static bool lies_at(const struct explain *e, u32 frame, u64 addr)
{
	return e->places[frame].low == addr && e->places[frame].high == addr;
}

u32 explain_frame_at(const struct explain *e, u64 addr)
{
	u32 i = 1;

	while (i < e->truth.n && !lies_at(e, i, addr))
		i++;
	return i;
}

/* Returns whether this frame was found at the location of another true frame with the same pc. */
static bool is_elsewhere(const struct explain *e, u32 frame)
{
	u64 found = frame ? e->steps[frame - 1].ra_addr : 0;
	u32 other = found ? explain_frame_at(e, found) : e->truth.n;

	return other < e->truth.n && other != frame;
}

static u32 find_first_wrong(const struct explain *e)
{
	const struct uw_sample *s = &e->u.sample;
	u32 i = 0;

	while (i < s->n_frames && i < e->truth.n && s->frames[i].pc == e->truth.pcs[i] &&
	       !is_elsewhere(e, i))
		i++;
	return i;
}

int explain_find_truth(struct explain *e)
{
	bool is_exact_walk;

	e->is_right = true;
	if (!e->truth.n)
		return 0;
	e->places = calloc(e->truth.n, sizeof(*e->places));
	if (!e->places)
		return -ENOMEM;
	find_places(e);
	is_exact_walk = sweep_is_exact(&e->u.sample, &e->truth);
	e->is_right = is_exact_walk && (e->c->is_executed || e->u.sample.status == e->c->status);
	e->first_wrong = is_exact_walk ? e->truth.n : find_first_wrong(e);
	return 0;
}

/* Returns the number of missing frames if nothing else is wrong; else 0. */
static u32 n_lost(const struct explain *e)
{
	const struct uw_sample *s = &e->u.sample;
	u32 lost = e->truth.n - s->n_frames;

	if (s->n_frames >= e->truth.n || s->n_frames == e->first_wrong)
		return 0;
	for (u32 i = e->first_wrong; i < s->n_frames; i++)
		if (s->frames[i].pc != e->truth.pcs[i + lost])
			return 0;
	return lost;
}

static u32 n_nameless(const struct uw_sample *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->n_frames; i++)
		n += s->frames[i].status != UW_OK;
	return n;
}

void explain_verdict(const struct explain *e, char *out, size_t size)
{
	const struct uw_sample *s = &e->u.sample;
	u32 wrong = e->first_wrong, lost;

	if (e->missing[0])
		snprintf(out, size, "no result: %s", e->missing);
	else if (!e->truth.n)
		snprintf(out, size, "the true stack of this case is unknown");
	else if (e->is_right && n_nameless(s))
		snprintf(out, size, "right: %u frames, %u of them not identified", s->n_frames,
			 n_nameless(s));
	else if (e->is_right)
		snprintf(out, size, "right: %u frames", s->n_frames);
	else if (wrong == e->truth.n && wrong == s->n_frames)
		snprintf(out, size,
			 "WRONG: the frames are right, but the walk ends with \"%s\", not \"%s\"",
			 sim_status_words(s->status), sim_status_words(e->c->status));
	else if (wrong == e->truth.n)
		snprintf(out, size,
			 "WRONG from frame %u on: the true stack has %u frames, the walk found %u",
			 wrong, e->truth.n, s->n_frames);
	else if (wrong == s->n_frames)
		snprintf(out, size, "WRONG: the walk ends after %u of %u frames", wrong,
			 e->truth.n);
	else if ((lost = n_lost(e)) == 1)
		snprintf(out, size, "WRONG: frame %u is missing, %s; all others are right", wrong,
			 explain_where(e, e->truth.pcs[wrong], wrong > 0).text);
	else if (lost)
		snprintf(out, size, "WRONG: frames %u to %u are missing; all others are right",
			 wrong, wrong + lost - 1);
	else
		snprintf(out, size, "WRONG from frame %u on", wrong);
}
