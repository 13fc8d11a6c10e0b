/* SPDX-License-Identifier: BSD-2-Clause */

/* Exported and local functions, and calls of libc's functions through stubs. */

#include <stdio.h>
#include <stdlib.h>

static int (*chosen(void))(int)
{
	return abs;
}

int picked(int x) __attribute__((ifunc("chosen")));

__attribute__((noinline)) static int hidden(int x)
{
	if (x < 0)
		abort();
	return x * picked(x) + rand();
}

__attribute__((noinline, visibility("default"))) int exported(int x)
{
	return hidden(x) + (int)atol(getenv("HOME"));
}

int main(int argc, char **argv)
{
	printf("%d %s\n", exported(argc), argv[0]);
	puts("done");
	return hidden(argc) & 1;
}
