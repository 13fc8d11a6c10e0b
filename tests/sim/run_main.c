// SPDX-License-Identifier: BSD-2-Clause

/* `unspool-sim run` alone. */

#include "../../sim/run/run.h"

int main(int argc, char **argv)
{
	return cmd_run(argc, argv);
}
