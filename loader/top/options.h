/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../cli/record_options.h"
#include "page.h"

/* The options of `unspool top`. Strings are borrowed from argv. */
struct top_options {
	struct record_options record; /* first, because the parser of the shared options sets it */
	struct top_choice choice;
	u64 interval_ns; /* 0: the default */
	u64 max_profile; /* size in bytes at which the profile begins again */
};

/* Returns as record_options_parse(); the caller frees @o->record with record_options_deinit(). */
int top_options_parse(int argc, char **argv, struct top_options *o, struct cli_parse *p);
