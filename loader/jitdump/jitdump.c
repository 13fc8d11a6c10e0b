// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump`: look at, judge and mend what JITs write for perf. */

#include "jitdump.h"

#include "../../inspect/util/array.h"
#include "../../inspect/util/cli_words.h"
#include "../commands.h"

static const struct cli_command words[] = {
	{ "dump", "print what a file holds", jitdump_dump },
	{ "check", "say what is wrong with it and what mends it", jitdump_check },
	{ "repair", "write it anew with all that can be mended", jitdump_repair },
	{ "to-perfmap", "write a perf map of what it names", jitdump_to_perfmap },
	{ "elf", "write its code as one ELF file with symbols and lines", jitdump_elf },
	{ "tail", "print code as it is compiled", jitdump_tail },
	{ "from-elf", "write the functions of an ELF file as a jitdump", jitdump_from_elf },
};

static const struct cli_words all = {
	.before = "unspool jitdump",
	.usage = "WORD [OPTION]... FILE\n"
		 "What JITs write for perf (jit-PID.dump): looks at it, judges it, mends it.",
	.v = words,
	.n = ARRAY_SIZE(words),
};

int cmd_jitdump(int argc, char **argv)
{
	return cli_run_word(&all, argc, argv);
}
