/* SPDX-License-Identifier: BSD-2-Clause */

#include "doctor.h"

#include <stdio.h>

#include "checks.h"

void doctor_examine(struct doctor_report *r)
{
	struct doctor_facts facts;

	doctor_facts_read(&facts);
	doctor_judge(&facts, r);
}

const struct doctor_finding *doctor_first_missing(const struct doctor_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->findings[i].state == DOCTOR_MISSING)
			return &r->findings[i];
	}
	return NULL;
}

bool doctor_why_not(char *buf, size_t size)
{
	const struct doctor_finding *d;
	struct doctor_report r;

	doctor_examine(&r);
	d = doctor_first_missing(&r);
	buf[0] = '\0';
	if (!d)
		return false;
	snprintf(buf, size, "%s: %s%s%s", d->check, d->text, d->mend[0] ? "; fix: " : "", d->mend);
	return true;
}

void doctor_why_unreadable(int err, char *buf, size_t size)
{
	struct doctor_facts facts;

	doctor_facts_read(&facts);
	doctor_judge_unreadable(&facts, err, buf, size);
}

const char *doctor_state_name(enum doctor_state state)
{
	static const char *const names[] = { "ok", "limited", "missing" };

	return names[state];
}
