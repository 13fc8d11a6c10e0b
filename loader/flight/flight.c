// SPDX-License-Identifier: BSD-2-Clause

/* `unspool flight`: what the unwinder did, read without stopping it. */

#include "flight.h"

#include "../../inspect/util/array.h"
#include "../../inspect/util/cli_words.h"
#include "../commands.h"

static const struct cli_command words[] = {
	{ "show", "print what is recorded, as commands that restore it", flight_show },
	{ "mask", "set, bits, clear: change which events are recorded", flight_mask },
	{ "cat", "print what is in the rings", flight_cat },
	{ "clear", "let cat show nothing older than now", flight_clear },
	{ "reset", "let frozen rings go on", flight_reset },
	{ "dump", "write the rings to a file; what a crash left is removed", flight_dump },
	{ "export", "write a dump as a trace, for speedscope or Perfetto", flight_export },
	{ "cases", "capture stacks that end as those that failed, as cases", flight_cases },
};

static const struct cli_words all = {
	.before = "unspool flight",
	.usage = "WORD [OPTION]...\n"
		 "The flight recorder of a running 'unspool record --flight', or what it left.",
	.v = words,
	.n = ARRAY_SIZE(words),
};

int cmd_flight(int argc, char **argv)
{
	return cli_run_word(&all, argc, argv);
}
