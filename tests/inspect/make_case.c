/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * make_case x86_64|arm64 PATH: writes the case of made_case.c to a file, for tests that run
 * programs on it.
 */

#include "made_case.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct case_error error;

	for (u32 arch = 0; argc == 3 && arch < CASE_N_ARCHS; arch++) {
		if (strcmp(argv[1], case_arch_name(arch)) != 0)
			continue;
		if (!case_write(made_case(arch), argv[2], &error))
			return 0;
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	fprintf(stderr, "usage: make_case x86_64|arm64 PATH\n");
	return 2;
}
