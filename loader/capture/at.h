/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/util/cli.h"
#include "../sample/sampler.h"

/* The instructions that option --at selects. */
struct capture_at {
	struct {
		char *symbol; /* name of a symbol of the executable, as nm(1) prints it; NULL: off
			       * is an address */
		u64 off;
	} v[SAMPLER_MAX_AT];
	u32 n;
};

/*
 * Parses "0xADDR" or "SYMBOL[+OFF]", separated by commas. Return: 0, or the error of
 * cli_fail(), with a message in @p.
 */
int capture_at_parse(struct cli_parse *p, const char *arg, struct capture_at *at);
void capture_at_deinit(struct capture_at *at);

/**
 * capture_at_resolve() - find the addresses of the --at instructions in a process
 * @addrs:	array with room for SAMPLER_MAX_AT addresses
 * @n:		number of addresses
 *
 * A symbol has one address for each executable mapping of its code, because V8 maps its
 * builtins twice.
 *
 * Return: CLI_OK, else an exit status; the error has been printed.
 */
int capture_at_resolve(const struct capture_at *at, u32 pid, u64 *addrs, u32 *n);
