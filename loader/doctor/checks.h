/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "doctor.h"
#include "facts.h"

/* Judges facts, however they came about; doctor_examine() is this on the real ones. */
void doctor_judge(const struct doctor_facts *f, struct doctor_report *r);

/* Likewise of doctor_why_unreadable(). */
void doctor_judge_unreadable(const struct doctor_facts *f, int err, char *buf, size_t size);
