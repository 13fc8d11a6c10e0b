// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump`: prints, checks and repairs the files that JITs write for perf. */

#include "jitdump.h"

#include "../../inspect/util/array.h"
#include "../../inspect/util/cli_words.h"
#include "../commands.h"

static const struct cli_command words[] = {
	{ "dump", "print the records of a file", jitdump_dump },
	{ "check", "report errors and how to fix them", jitdump_check },
	{ "repair", "rewrite a file without its errors", jitdump_repair },
	{ "to-perfmap", "convert a file to a perf map", jitdump_to_perfmap },
	{ "elf", "convert the code of a file to an ELF file with symbols and lines", jitdump_elf },
	{ "tail", "follow a file and print new code", jitdump_tail },
	{ "from-elf", "write the functions of an ELF file as a jitdump", jitdump_from_elf },
};

static const struct cli_words all = {
	.before = "unspool jitdump",
	.usage = "WORD [OPTION]... FILE\n"
		 "Prints, checks, repairs and converts jitdump files (jit-PID.dump), which JITs "
		 "write for perf.",
	.v = words,
	.n = ARRAY_SIZE(words),
};

int cmd_jitdump(int argc, char **argv)
{
	return cli_run_word(&all, argc, argv);
}
