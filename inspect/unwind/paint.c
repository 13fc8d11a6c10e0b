// SPDX-License-Identifier: BSD-2-Clause

#include "paint.h"

#include <string.h>

void paint_init(struct paint *p, struct rules *rules)
{
	p->rules = rules;
	memset(p->of, 0xff, sizeof(p->of));
	paint_span(p, 0, 0, 0);
}

void paint_span(struct paint *p, u32 off, u32 len, u64 addr)
{
	p->start = addr;
	p->end = addr + len;
	p->first = p->of + off;
}

void paint_number(struct paint *p, u64 start, u64 end, u32 number)
{
	if (start < p->start)
		start = p->start;
	if (end > p->end)
		end = p->end;
	for (; start < end; start++)
		if (p->first[start - p->start] == PAINT_NONE)
			p->first[start - p->start] = number;
}

void paint_rule(const struct uw_rule *rule, u64 start, u64 end, void *data)
{
	struct paint *p = data;

	paint_number(p, start, end, rules_add(p->rules, rule));
}

u32 paint_at(const struct paint *p, u64 addr)
{
	return p->first[addr - p->start];
}

u32 paint_rows(const struct paint *p, u32 *rows)
{
	u32 n = 0, last = PAINT_NONE;

	for (u32 i = 0; i < UW_ROW_PAGE_LEN; i++) {
		u32 rule = p->of[i] == PAINT_NONE ? 0 : p->of[i];

		if (rule != last)
			rows[n++] = i << UW_ROW_OFF_SHIFT | rule;
		last = rule;
	}
	return n;
}
