/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * faulty HOW IN OUT: copies IN to OUT correctly, or with one of the faults that
 * faults.py must find. HOW is one of:
 *
 *	well	correct
 *	crash	uses memory without checking the allocation
 *	leak	leaks memory if reading fails
 *	half	writes under the final name
 *	litter	leaves its temporary file behind if writing fails
 *	silent	does not check whether writing worked
 *	late	does not check whether exit() wrote the output
 *	mute	fails without a message
 *	noisy	fails with two lines
 *	odd	fails with an undocumented status
 *	hang	retries forever
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_LEN 64
#define MAX_LEN 4096

static const char *how;

static bool is(const char *word)
{
	return !strcmp(how, word);
}

static int fail(const char *what)
{
	if (!is("mute"))
		fprintf(stderr, "faulty: %s\n", what);
	if (is("noisy"))
		fprintf(stderr, "faulty: what a pity\n");
	return is("odd") ? 42 : 1;
}

static ssize_t read_all(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1, len = 0;

	if (fd < 0)
		return -1;
	while (n > 0) {
		n = read(fd, text + len, (size_t)(MAX_LEN - len));
		if (n < 0 && is("hang"))
			for (;;)
				usleep(1000);
		len += n > 0 ? n : 0;
	}
	close(fd);
	return n < 0 ? -1 : len;
}

/* Writes in chunks, so that a file can be half written. */
static bool write_all(int fd, const char *text, ssize_t len)
{
	for (ssize_t at = 0; at < len; at += CHUNK_LEN) {
		size_t n = (size_t)(len - at < CHUNK_LEN ? len - at : CHUNK_LEN);

		if (write(fd, text + at, n) != (ssize_t)n && !is("silent"))
			return false;
	}
	return true;
}

static int write_file(const char *path, const char *text, ssize_t len)
{
	char temporary[256];
	bool is_done;
	int fd;

	snprintf(temporary, sizeof(temporary), is("half") ? "%s" : "%s.tmp", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail("can't make the file");
	is_done = write_all(fd, text, len);
	is_done = !close(fd) && is_done;
	if (is_done && (is("half") || !rename(temporary, path)))
		return 0;
	if (!is("litter") && !is("half"))
		unlink(temporary);
	return fail("can't write the file");
}

/* Prints the result. */
static int print_result(ssize_t len)
{
	printf("%zd bytes\n", len);
	return !is("late") && fflush(stdout) ? fail("can't print") : 0;
}

int main(int argc, char **argv)
{
	char *text = malloc(MAX_LEN);
	ssize_t len;
	int status;

	if (argc != 4)
		return 2;
	how = argv[1];
	if (!text && !is("crash"))
		return fail("no memory");
	*(volatile char *)text = '\0';
	len = read_all(argv[2], text);
	status = len < 0 ? fail("can't read") : write_file(argv[3], text, len);
	if (!status)
		status = print_result(len);
	if (len >= 0 || !is("leak"))
		free(text);
	return status;
}
