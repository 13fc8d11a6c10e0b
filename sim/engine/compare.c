// SPDX-License-Identifier: BSD-2-Clause

#include "compare.h"

#include "../case/stack.h"

#include <stdio.h>
#include <string.h>

/* All fields of a sample that a walk sets, except the frames. */
struct header {
	u64 fault_addr, saved[V8_SAVED_WORDS];
	u16 n_frames, n_kernel, n_reads;
	u8 status, flags;
};
_Static_assert(sizeof(struct header) == 40, "no padding");

static struct header header_of(const struct uw_sample *s)
{
	return (struct header){ s->fault_addr, { s->saved[0], s->saved[1], s->saved[2] },
				s->n_frames,   s->n_kernel,
				s->n_reads,    s->status,
				s->flags };
}

static u64 count_bytes(const void *a, const void *b, size_t len)
{
	u64 n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((const u8 *)a)[i] != ((const u8 *)b)[i];
	return n;
}

/*
 * Compares two lists. If only one list has an item, all bytes of the item count as different.
 * @first: set to the index of the first difference.
 */
static u64 compare_lists(const void *a, u32 n_a, const void *b, u32 n_b, u32 size, u32 *first)
{
	u32 n = n_a < n_b ? n_a : n_b, n_more = (n_a > n_b ? n_a : n_b) - n;
	u64 differ = 0;

	*first = n;
	for (u32 i = 0; i < n; i++) {
		u64 here = count_bytes((const u8 *)a + (u64)i * size, (const u8 *)b + (u64)i * size,
				       size);

		if (here && !differ)
			*first = i;
		differ += here;
	}
	return differ + (u64)n_more * size;
}

static u32 n_kept(const struct sim_walk *w)
{
	return w->log.n < SIM_MAX_READS ? w->log.n : SIM_MAX_READS;
}

bool sim_walk_compare(const struct sim_walk *a, const struct sim_walk *b,
		      struct sim_difference *out)
{
	const struct uw_sample *s = &a->state.sample, *t = &b->state.sample;
	struct header h = header_of(s), i = header_of(t);
	struct sim_difference d = { 0 };

	d.n_bytes_in[SIM_PART_HEADER] = count_bytes(&h, &i, sizeof(h));
	d.n_bytes_in[SIM_PART_FRAMES] = compare_lists(s->frames, s->n_frames, t->frames,
						      t->n_frames, sizeof(struct uw_frame),
						      &d.frame_idx);
	d.n_bytes_in[SIM_PART_READS] = compare_lists(a->reads, n_kept(a), b->reads, n_kept(b),
						     sizeof(struct sim_read), &d.read_idx);
	d.n_bytes_in[SIM_PART_READS] += count_bytes(&a->log.n, &b->log.n, sizeof(a->log.n));
	for (u32 part = 0; part < SIM_N_PARTS; part++)
		d.n_bytes += d.n_bytes_in[part];
	d.n_compared = (u32)(sizeof(h) + s->n_frames * sizeof(struct uw_frame) +
			     n_kept(a) * sizeof(struct sim_read) + sizeof(a->log.n));
	*out = d;
	return d.n_bytes == 0;
}

static void frame_words(const struct sim_walk *w, u32 idx, char *out, size_t len)
{
	const struct uw_frame *f = &w->state.sample.frames[idx];

	if (idx >= w->state.sample.n_frames)
		snprintf(out, len, "none");
	else
		snprintf(out, len, "%s %#llx a %#llx b %#llx aux %#x status %u flags %u",
			 sim_kind_words(f->kind), f->pc, f->a, f->b, f->aux, f->status, f->flags);
}

static void read_words(const struct sim_walk *w, u32 idx, char *out, size_t len)
{
	const struct sim_read *r = &w->reads[idx];

	if (idx >= n_kept(w))
		snprintf(out, len, "none");
	else
		snprintf(out, len, "%u bytes at %#llx: %d", r->len, r->addr, r->result);
}

static void header_words(const struct sim_walk *w, char *out, size_t len)
{
	const struct uw_sample *s = &w->state.sample;

	snprintf(out, len,
		 "%s, %u frames, %u reads, fault at %#llx, flags %u, saved %#llx %#llx %#llx",
		 sim_status_words(s->status), s->n_frames, s->n_reads, s->fault_addr, s->flags,
		 s->saved[0], s->saved[1], s->saved[2]);
}

void sim_difference_words(const struct sim_difference *d, const struct sim_walk *a,
			  const struct sim_walk *b, char *out, size_t len)
{
	char words[2][160];

	if (d->n_bytes_in[SIM_PART_FRAMES]) {
		frame_words(a, d->frame_idx, words[0], sizeof(words[0]));
		frame_words(b, d->frame_idx, words[1], sizeof(words[1]));
		snprintf(out, len, "frame %u: %s; %s", d->frame_idx, words[0], words[1]);
	} else if (d->n_bytes_in[SIM_PART_READS]) {
		read_words(a, d->read_idx, words[0], sizeof(words[0]));
		read_words(b, d->read_idx, words[1], sizeof(words[1]));
		snprintf(out, len, "read %u: %s; %s", d->read_idx, words[0], words[1]);
	} else if (d->n_bytes_in[SIM_PART_HEADER]) {
		header_words(a, words[0], sizeof(words[0]));
		header_words(b, words[1], sizeof(words[1]));
		snprintf(out, len, "%s; %s", words[0], words[1]);
	} else {
		snprintf(out, len, "equal");
	}
}
