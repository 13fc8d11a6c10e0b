/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Preloaded into a program under qemu-user: writes its /proc/self/maps into the file MAPS, four
 * times a second. Only the emulated program can read its own mappings; other
 * processes see them mixed with the emulator's.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void copy(const char *to)
{
	char new[4096], text[4096];
	FILE *in = fopen("/proc/self/maps", "r"), *out;
	size_t n;

	snprintf(new, sizeof(new), "%s.new", to);
	out = fopen(new, "w");
	while (in && out && (n = fread(text, 1, sizeof(text), in)))
		fwrite(text, 1, n, out);
	if (in)
		fclose(in);
	if (out && !fclose(out))
		rename(new, to);
}

static void *run(void *to)
{
	for (;;) {
		copy(to);
		usleep(250000);
	}
	return NULL;
}

__attribute__((constructor)) static void begin(void)
{
	char *to = getenv("MAPS");
	pthread_t thread;

	if (to)
		pthread_create(&thread, NULL, run, to);
}
