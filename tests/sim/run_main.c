// SPDX-License-Identifier: BSD-2-Clause

/* A program that consists of `unspool-sim run` only. */

#include "../../sim/run/run.h"

int main(int argc, char **argv)
{
	return cmd_run(argc, argv);
}
