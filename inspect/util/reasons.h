/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reasons that were respelled. Profiles, cases and flight recorder dumps of earlier versions
 * contain the old spellings, and scripts pass old spellings to --freeze and --on. Readers replace
 * an old spelling by the present one. docs/reference/statuses.md lists both spellings.
 */

#include "../../core/types.h"

struct reason_alias {
	const char *old, *now;
};

/* Ends with { NULL, NULL }. Several old spellings may have the same present spelling. */
extern const struct reason_alias reason_aliases[];

/**
 * reason_current() - the present spelling of a reason
 * @words:	a reason in either spelling, or NULL
 *
 * Return: the present spelling, which is @words itself if @words is not an old spelling.
 */
const char *reason_current(const char *words);

/**
 * reason_matches() - compare a reason on the command line
 * @typed:	the reason as typed, in either spelling; a dash may replace each blank
 * @words:	the reason in the present spelling
 */
bool reason_matches(const char *typed, const char *words);
