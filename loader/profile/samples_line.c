/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * {"type":"samples","pid":8,"tid":9,"stack":1,"count":2,"t":[5,10],"labels":{"activity":"gc"}}
 *
 * The labels may be missing. Numbers have at most 18 digits, so that a sum of the times of one
 * line does not overflow.
 */

#include "samples_line.h"

#include <string.h>

#define MAX_DIGITS 18
#define MAX_SAMPLES 8192ull /* on a line */
#define MAX_TIME 1000000000000000ull
_Static_assert(MAX_TIME <= ~0ull / MAX_SAMPLES, "the sum of the times of a line fits into 64 bits");

struct cursor {
	const char *at, *end;
	bool failed;
};

static void skip(struct cursor *c, const char *text)
{
	size_t len = strlen(text);

	if (c->failed || (size_t)(c->end - c->at) < len || memcmp(c->at, text, len) != 0) {
		c->failed = true;
		return;
	}
	c->at += len;
}

/* JSON has no numbers with leading zeros. */
static u64 number(struct cursor *c, u64 max)
{
	const char *first = c->at;
	u64 n = 0;

	while (!c->failed && c->at < c->end && *c->at >= '0' && *c->at <= '9') {
		n = n * 10 + (u64)(*c->at++ - '0');
		c->failed |= c->at - first > MAX_DIGITS;
	}
	c->failed |= c->at == first || n > max || (*first == '0' && c->at - first > 1);
	return n;
}

static void parse_times(struct cursor *c, struct prof_record *r)
{
	u64 n = 0;

	r->samples.times_text = c->at;
	do
		r->samples.last_t_us += number(c, MAX_TIME);
	while (++n < MAX_SAMPLES && !c->failed && c->at < c->end && *c->at == ',' && c->at++);
	skip(c, "]");
	c->failed |= n != r->samples.count;
}

static void parse_activity(struct cursor *c, struct prof_record *r)
{
	char name[16] = "";
	size_t len = 0;

	skip(c, ",\"labels\":{\"activity\":\"");
	while (!c->failed && c->at < c->end && *c->at >= 'a' && *c->at <= 'z' &&
	       len < sizeof(name) - 1)
		name[len++] = *c->at++;
	r->samples.activity = prof_activity_from_name(name);
	c->failed |= r->samples.activity == PROF_N_ACTIVITIES;
	skip(c, "\"}}");
}

bool samples_line_parse(const char *line, size_t len, struct prof_record *record)
{
	struct prof_record r = { .type = PROF_REC_SAMPLES };
	struct cursor c = { line, line + len, false };

	skip(&c, "{\"type\":\"samples\",\"pid\":");
	r.samples.pid = (u32)number(&c, ~0u);
	skip(&c, ",\"tid\":");
	r.samples.tid = (u32)number(&c, ~0u);
	skip(&c, ",\"stack\":");
	r.samples.stack = (u32)number(&c, ~0u);
	skip(&c, ",\"count\":");
	r.samples.count = number(&c, ~0u);
	skip(&c, ",\"t\":[");
	if (c.failed)
		return false;
	parse_times(&c, &r);
	r.samples.activity = PROF_N_ACTIVITIES;
	if (!c.failed && c.end - c.at == 1)
		skip(&c, "}");
	else
		parse_activity(&c, &r);
	if (c.failed || c.at != c.end)
		return false;
	*record = r;
	return true;
}
