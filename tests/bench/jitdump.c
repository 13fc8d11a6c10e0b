// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-bench-jitdump: measures how many records are written per second,
 * their size in bytes, and the speed at which a file is read and parsed,
 * relative to read() alone. For ci/bench.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/jitdump/jd_file.h"
#include "../../inspect/jitdump/jd_tail.h"
#include "../../inspect/jitdump/unspool-jitdump.h"

#define CODE_LEN 1024
#define N_LINES 8
#define N 100000ull

/*
 * Returns this process's CPU time in seconds; elapsed time would depend on the
 * load of the machine.
 */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int write_records(const char *path, size_t n_lines)
{
	struct jdw_options o = { .path = path };
	struct jdw_line lines[N_LINES];
	static const u8 code[CODE_LEN];
	struct jdw_counts counts;
	struct jdw *w = NULL;
	double start;
	int err;

	unlink(path);
	err = jdw_open(&o, &w);
	start = seconds();
	for (u64 i = 0; i < N && !err; i++) {
		struct jdw_code c = {
			"a function with a name", i * CODE_LEN, code, CODE_LEN, lines, n_lines
		};

		for (size_t k = 0; k < n_lines; k++)
			lines[k] = (struct jdw_line){ c.addr + 16 * k, "/srv/app/render.js",
						      (u32)k + 1, 1 };
		err = jdw_add(w, &c);
	}
	if (!err) {
		jdw_counts(w, &counts);
		printf("  with %zu lines %7.0f records are written per second; a record takes %llu "
		       "bytes in addition to %d of code\n",
		       n_lines, (double)N / (seconds() - start),
		       (u64)(counts.bytes / counts.records) - CODE_LEN, CODE_LEN);
	}
	jdw_close(&w);
	return err;
}

static int read_bytes(const char *path, double *rate)
{
	static u8 bytes[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	double start = seconds();
	u64 sum = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		sum += (u64)n;
	close(fd);
	*rate = (double)sum / (seconds() - start) / 1e6;
	return 0;
}

static void count(void *data, const struct jd_tail_event *e)
{
	*(u64 *)data += e->what == JD_TAIL_CODE;
}

static int read_records(const char *path, double *rate)
{
	struct jd_tail t;
	double start = seconds();
	u64 n = 0;
	int r = jd_tail_open(&t, path);

	if (r)
		return r;
	while ((r = jd_tail_poll(&t, 64 << 20, count, &n)) > 0)
		;
	*rate = (double)(t.off) / (seconds() - start) / 1e6;
	jd_tail_deinit(&t);
	return r < 0 ? r : n == N ? 0 : -EBADMSG;
}

static int bench(const char *path, size_t n_lines)
{
	double plain = 0, records = 0;
	int err = write_records(path, n_lines);

	/* The first read brings the file into the page cache. */
	for (int i = 0; i < 2 && !err; i++)
		err = read_bytes(path, &plain);
	if (!err)
		err = read_records(path, &records);
	if (!err)
		printf("             the reader parses %.0f MB/s, whereas read() alone reads %.0f "
		       "MB/s; "
		       "the ratio is %.2f\n",
		       records, plain, records / plain);
	return err;
}

int main(void)
{
	char path[] = "/tmp/unspool-bench-XXXXXX";
	int fd = mkstemp(path), err;

	if (fd < 0)
		return 1;
	close(fd);
	err = bench(path, 0);
	if (!err)
		err = bench(path, N_LINES);
	if (err)
		fprintf(stderr, "unspool-bench-jitdump: %s\n", strerror(-err));
	unlink(path);
	return err != 0;
}
