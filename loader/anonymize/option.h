/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/util/cli.h"
#include "anonymize.h"

/**
 * anonymize_option_parse() - parse the value of --anonymize
 * @arg:	"[all,][KEY]", or "all", or NULL for no value; a KEY "@FILE" is read from FILE
 * @o:		set
 *
 * Return: 0, or the result of cli_fail().
 */
error_t anonymize_option_parse(struct cli_parse *p, const char *arg, struct anonymizer_options *o);
