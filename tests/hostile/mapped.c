// SPDX-License-Identifier: BSD-2-Clause
/*
 * mapped FILE: maps a page of FILE from offset 4,096 as code and executes it forever; the page must
 * contain an endless loop. Prints "running".
 */

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDONLY);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);

	if (code == MAP_FAILED) {
		perror(argv[0]);
		return 1;
	}
	puts("running");
	fflush(stdout);
	((void (*)(void))code)();
	return 0;
}
