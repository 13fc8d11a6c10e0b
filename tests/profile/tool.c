/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * For check.sh: `tool make` writes a finished profile with hostile names to
 * standard output, `tool partial` one without a summary; `tool report` and
 * `tool convert` are the sub-commands, as unspool has them.
 */

#include "../check.h"

#include <string.h>

#include "../../loader/commands.h"
#include "made.h"

int main(int argc, char **argv)
{
	char name[64];

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "make") == 0 || strcmp(argv[1], "partial") == 0) {
		made_write(stdout, &(struct made){ 3, 200, argv[1][0] == 'm', false });
		return 0;
	}
	snprintf(name, sizeof(name), "unspool %s", argv[1]);
	argv[1] = name;
	if (strcmp(name, "unspool report") == 0)
		return cmd_report(argc - 1, argv + 1);
	return cmd_convert(argc - 1, argv + 1);
}
