/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "doctor.h"
#include "facts.h"

/* Judges facts, real ones for doctor_examine() or made-up ones in tests. */
void doctor_judge(const struct doctor_facts *f, struct doctor_report *r);

/* The same for doctor_why_unreadable(). */
void doctor_judge_unreadable(const struct doctor_facts *f, int err, char *buf, size_t size);
