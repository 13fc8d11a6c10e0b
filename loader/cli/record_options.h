/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/util/cli.h"

#define RECORD_DEFAULT_HZ 99
#define RECORD_MAX_HZ 20000
#define RECORD_DEFAULT_MEMORY (16ull << 20)
#define RECORD_MAX_MEMORY (1ull << 30)
#define RECORD_MIN_FLIGHT (4ull << 10) /* per ring */
#define RECORD_MAX_FLIGHT (2ull << 20) /* maximum size of an array element on Linux 5.10 */
#define RECORD_MAX_IDS 4096 /* limit for -p, and for -t */
#define RECORD_MAX_NAMES 16
#define RECORD_MAX_OUTPUTS 8

/* The options of `unspool record`. Strings are borrowed from argv. */
struct record_options {
	/*
	 * The target. At most one of these five groups of members is set; none of them is
	 * set if COMMAND is the only target.
	 */
	int *pids; /* -p: pids in the caller's PID namespace */
	size_t n_pids;
	const char *names[RECORD_MAX_NAMES]; /* -p; together with pids */
	size_t n_names;
	bool follow; /* --follow: also record processes that get one of the names later */
	bool all; /* -a */
	int *tids; /* -t */
	size_t n_tids;
	const char *cgroup; /* --cgroup */
	const char *container; /* --container: hexadecimal, at least 8 digits */

	char **command; /* COMMAND and its arguments, NULL-terminated; NULL: no COMMAND */

	u32 hz;
	u64 max_memory; /* --max-memory: bytes of unwind rows */
	bool async; /* --async: add frames of awaiting functions */
	bool debuginfod; /* --debuginfod: fetch debug files */
	u64 duration_ns; /* 0: unlimited */
	const char *outputs[RECORD_MAX_OUTPUTS]; /* -o; "-" is stdout and appears at most once */
	size_t n_outputs;
	const char *format; /* -f as typed, or NULL */
	bool keep_args; /* --keep-args: the header has the arguments of COMMAND */
	bool quiet;

	/* The flight recorder. */
	bool flight; /* --flight: `unspool flight` can read the rings */
	u64 flight_memory; /* --flight-memory: bytes per CPU; 0: the default of --flight */
	u64 freeze_on; /* --freeze: bits of enum uw_status */
	bool freeze_on_loss;
	int freeze_pid; /* --freeze-pid; 0: any */
};

/* Sets the defaults. */
void record_options_init(struct record_options *o);

/**
 * record_options_parse() - parse the command line of `unspool record`
 * @o:		filled; free with record_options_deinit(), also after an error
 * @p:		holds the error message after -EINVAL; nothing was printed
 *
 * Does not check that pids exist or that the format is known.
 *
 * Return: 0 (help was printed if @p->done), -EINVAL or -ENOMEM.
 */
int record_options_parse(int argc, char **argv, struct record_options *o, struct cli_parse *p);
void record_options_deinit(struct record_options *o);

/* Return: whether an option selects a target; COMMAND does not count. */
bool record_options_has_target(const struct record_options *o);
