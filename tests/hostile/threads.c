// SPDX-License-Identifier: BSD-2-Clause
/* threads COUNT SECONDS: COUNT threads compute at the same time, for SECONDS. */

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sink;

static void *work(void *unused)
{
	(void)unused;
	for (;;)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned)i;
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 200;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	for (int i = 0; i < count; i++)
		if (pthread_create(&thread, &attr, work, NULL))
			return 1;
	sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 5);
	return 0;
}
