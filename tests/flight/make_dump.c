// SPDX-License-Identifier: BSD-2-Clause

/* make_dump: writes the dump of made_dump.h to stdout, as a seed for fuzzing. */

#include "made_dump.h"

int main(void)
{
	char *file = NULL;
	size_t len = 0;
	int err = made_dump(&file, &len);

	if (!err && fwrite(file, 1, len, stdout) != len)
		err = 1;
	free(file);
	return err || fflush(stdout);
}
