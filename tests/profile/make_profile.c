/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes a profile with hostile names to standard output: `make-profile whole` writes
 * a finished one, `make-profile partial` one without a summary, and `make-profile brief`
 * a small one.
 */

#include "../check.h"

#include <string.h>

#include "made.h"

int main(int argc, char **argv)
{
	bool whole = argc < 2 || strcmp(argv[1], "partial") != 0;
	bool brief = argc == 2 && !strcmp(argv[1], "brief");

	made_write(stdout, &(struct made){ 3, brief ? 20 : 200, whole, brief });
	return 0;
}
