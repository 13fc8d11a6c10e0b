/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The subcommands of `unspool flight`, and the functions that they share. For a subcommand, argv[0]
 * is "unspool flight WORD".
 */

#include "../../inspect/util/cli_fields.h"
#include "pinned.h"

int flight_show(int argc, char **argv);
int flight_mask(int argc, char **argv);
int flight_clear(int argc, char **argv);
int flight_reset(int argc, char **argv);
int flight_cat(int argc, char **argv);
int flight_dump(int argc, char **argv);
int flight_export(int argc, char **argv);
int flight_cases(int argc, char **argv);

/* The option --recorder of all subcommands except export. */
#define FLIGHT_KEY_RECORDER 0x200
#define FLIGHT_RECORDER_OPTION                                                                     \
	{                                                                                          \
		"recorder", FLIGHT_KEY_RECORDER, "PID", 0,                                         \
			"Select the 'unspool record --flight' with this pid; required if several " \
			"run",                                                                     \
			9                                                                          \
	}
int flight_set_recorder(struct cli_parse *p, const char *arg, void *member);

/**
 * flight_open() - map the rings of a recording
 * @pid:	pid of the recorder; 0: the only recording, or, if there are several, the only one
 *		that still runs
 * @p:		receives the recording that was found
 * @r:		unmap with rings_unmap()
 *
 * Return: CLI_OK, else a CLI exit status after an error was printed.
 */
int flight_open(u32 pid, struct pinned *p, struct rings *r);

/**
 * flight_events() - parse a list of events
 * @words:	events and classes, separated by commas, or a number
 * @out:	bits of enum flight_event
 *
 * Return: 0; -EINVAL for an unknown word; -ENOTSUP for an event that is not compiled into the
 *	   kernel side. After an error @bad, which has @len bytes, holds the bad word.
 */
int flight_events(const char *words, u64 *out, char *bad, size_t len);

/**
 * flight_read_file() - read a dump
 * @out:	free with fl_dump_deinit()
 *
 * Return: CLI_OK, else a CLI exit status after an error was printed.
 */
int flight_read_file(const char *path, struct fl_dump *out);
