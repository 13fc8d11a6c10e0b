/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The words after `unspool flight`, and what they share. argv[0] is "unspool flight WORD". */

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

/* --recorder, which all but export take. */
#define FLIGHT_KEY_RECORDER 0x200
#define FLIGHT_RECORDER_OPTION                                                                     \
	{                                                                                          \
		"recorder", FLIGHT_KEY_RECORDER, "PID", 0,                                         \
			"Of the 'unspool record --flight' with this pid; needed if there are "     \
			"several",                                                                 \
			9                                                                          \
	}
int flight_set_recorder(struct cli_parse *p, const char *arg, void *member);

/**
 * flight_open() - the rings of a recording
 * @pid:	of the recorder; 0: the only one there is, or that runs
 * @p:		which it is
 * @r:		ends with rings_unmap()
 *
 * Return: CLI_OK, else a CLI exit status after an error was printed.
 */
int flight_open(u32 pid, struct pinned *p, struct rings *r);

/**
 * flight_events() - the events that a list of words names
 * @words:	events and classes, parted by commas, or a number
 * @out:	bits of enum flight_event
 *
 * Return: 0; -EINVAL and @bad, of @len bytes, has the word that is none; -ENOTSUP: of an event
 *	   that the kernel side is built without.
 */
int flight_events(const char *words, u64 *out, char *bad, size_t len);

/**
 * flight_read_file() - a dump
 * @out:	ends with fl_dump_deinit()
 *
 * Return: CLI_OK, else a CLI exit status after an error was printed.
 */
int flight_read_file(const char *path, struct fl_dump *out);
