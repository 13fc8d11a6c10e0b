/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * If entries cover most of a segment, only the code in the gaps between them is analyzed; otherwise
 * the whole segment is analyzed at once.
 */

#include <errno.h>

#include "cfi_page.h"

/*
 * Length in bytes of an analyzed gap between functions that have call frame information. A smaller
 * gap is padding; for a larger gap there is another source of rules.
 */
#define MIN_GAP 16
#define MAX_GAP (512u << 10) /* V8's builtins together are larger */
#define MAX_GAPS (4u << 20) /* per file, 0.5 s; Chromium has entries for only 1 % of 225 MiB */
#define BYTES_AN_ENTRY 1024 /* bytes of code per entry; Debian's libraries have 270 to 520 */
#define CRT_LEN (8u << 10) /* a shorter segment may have entries for startup code only */

void cfi_gaps_deinit(struct cfi_gaps *g)
{
	flow_free(&g->whole);
	flow_free(&g->gap);
}

static bool is_described(const struct cfi_page *p, const struct cfi_section *sections)
{
	u64 n = (u64)sections[CFI_EH_FRAME].n + sections[CFI_DEBUG_FRAME].n;

	return p->segment->file_len > FLOW_MAX_TEXT ||
	       (p->segment->file_len > CRT_LEN && n * BYTES_AN_ENTRY > p->segment->file_len);
}

/*
 * Finds the flow of the gap around @addr. Sets *flow to NULL if the gap cannot be analyzed. Return:
 * 0 or -ENOMEM.
 */
static int find_gap(struct cfi_page *p, struct cfi_gaps *g, struct cfi_section *sections, u64 addr,
		    const struct flow **flow)
{
	u64 start = p->segment->addr, end = start + p->segment->file_len;
	int err = 0;

	*flow = NULL;
	for (u32 i = 0; !err && i < CFI_N_SECTIONS; i++)
		err = cfi_section_gap(&sections[i], addr, &start, &end);
	if (err || end - start > MAX_GAP)
		return err == -ENOMEM ? err : 0;
	if (!g->gap || g->gap_addr != start) {
		struct flow_span span = { start, end - start, 0, true };

		if (g->gaps_len + span.len > MAX_GAPS) {
			p->counts->capped++;
			return 0;
		}
		g->gaps_len += span.len;
		flow_free(&g->gap);
		g->gap_addr = start;
		err = flow_new(&g->gap, p->file, &span);
	}
	if (!err)
		*flow = g->gap;
	return err == -ENOMEM ? err : 0;
}

static int paint_gaps(struct cfi_page *p, struct cfi_gaps *g, struct cfi_section *sections)
{
	u64 from = p->paint->start;
	int err = 0;

	for (u64 at = from; !err && at <= p->paint->end; at++) {
		const struct flow *flow;

		if (at < p->paint->end && paint_at(p->paint, at) == PAINT_NONE)
			continue;
		if (at - from >= MIN_GAP && !cfi_code_is_padding(p->code, from, at)) {
			err = find_gap(p, g, sections, from, &flow);
			if (flow)
				flow_rules(flow, from, at, paint_rule, p->paint);
		}
		from = at + 1;
	}
	return err;
}

int cfi_paint_gaps(struct cfi_page *p, struct cfi_gaps *g, struct cfi_section *sections, u64 entry)
{
	int err = 0;

	if (is_described(p, sections))
		return paint_gaps(p, g, sections);
	if (!g->whole_of) {
		struct flow_span span = { p->segment->addr, p->segment->file_len, entry, false };

		g->whole_of = p->segment;
		err = flow_new(&g->whole, p->file, &span);
	}
	if (g->whole && g->whole_of == p->segment)
		flow_rules(g->whole, p->paint->start, p->paint->end, paint_rule, p->paint);
	return err == -ENOMEM ? err : 0;
}
