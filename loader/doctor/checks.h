/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "doctor.h"
#include "facts.h"

/* Derives the findings of a report from facts, so that tests can pass invented facts. */
void doctor_judge(const struct doctor_facts *f, struct doctor_report *r);

/* Derives the message of doctor_why_unreadable() from facts. */
void doctor_judge_unreadable(const struct doctor_facts *f, int err, char *buf, size_t size);
