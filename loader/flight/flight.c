// SPDX-License-Identifier: BSD-2-Clause

/* `unspool flight`: reads the flight recorder, the unwinder's log, without stopping it. */

#include "flight.h"

#include "../../inspect/util/array.h"
#include "../../inspect/util/cli_words.h"
#include "../commands.h"

static const struct cli_command words[] = {
	{ "show", "print the recorder's state and a command that restores its mask", flight_show },
	{ "mask", "set, bits, clear: change the recorded events", flight_mask },
	{ "cat", "print the entries of the rings", flight_cat },
	{ "clear", "make 'cat' omit older entries", flight_clear },
	{ "reset", "resume frozen rings", flight_reset },
	{ "dump", "write the rings to a file, and remove them if the recorder is dead",
	  flight_dump },
	{ "export", "convert a dump to a trace for speedscope or Perfetto", flight_export },
	{ "cases", "write or capture failed walks as cases", flight_cases },
};

static const struct cli_words all = {
	.before = "unspool flight",
	.usage = "WORD [OPTION]...\n"
		 "Reads the flight recorder of 'unspool record --flight', even if that process has "
		 "crashed.",
	.v = words,
	.n = ARRAY_SIZE(words),
};

int cmd_flight(int argc, char **argv)
{
	return cli_run_word(&all, argc, argv);
}
