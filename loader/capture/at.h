/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/util/cli.h"
#include "../sample/sampler.h"

/* Where `--at` wants to capture. */
struct capture_at {
	struct {
		char *symbol; /* of the executable, as nm(1) prints it; NULL: off is an address */
		u64 off;
	} v[SAMPLER_MAX_AT];
	u32 n;
};

/* "0xADDR" or "SYMBOL[+OFF]", with commas between. 0, or an error left in @p. */
int capture_at_parse(struct cli_parse *p, const char *arg, struct capture_at *at);
void capture_at_deinit(struct capture_at *at);

/**
 * capture_at_resolve() - the addresses in a process
 * @addrs:	SAMPLER_MAX_AT of them
 * @n:		how many there are
 *
 * A symbol is at each place that its bytes are mapped to for execution: V8 maps its
 * builtins once more.
 *
 * Return: CLI_OK, else an exit status; the error has been printed.
 */
int capture_at_resolve(const struct capture_at *at, u32 pid, u64 *addrs, u32 *n);
