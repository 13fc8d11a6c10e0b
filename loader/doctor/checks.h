/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "doctor.h"
#include "facts.h"

/* Makes the findings of a report from facts, which may be synthetic in tests. */
void doctor_judge(const struct doctor_facts *f, struct doctor_report *r);

/* Makes the message of doctor_why_unreadable() from facts. */
void doctor_judge_unreadable(const struct doctor_facts *f, int err, char *buf, size_t size);
