/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes a profile with hostile names to standard output: `make-profile whole`
 * a finished one, `make-profile partial` one without a summary.
 */

#include "../check.h"

#include <string.h>

#include "made.h"

int main(int argc, char **argv)
{
	bool whole = argc < 2 || strcmp(argv[1], "partial") != 0;

	made_write(stdout, &(struct made){ 3, 200, whole, false });
	return 0;
}
