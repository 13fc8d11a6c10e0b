/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests a stream that can be stopped: all bytes arrive, and a reader that does not read
 * does not block the writer.
 */

#include "../check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../core/types.h"
#include "../../loader/out/stream.h"

#define LEN (1u << 20)

struct stop {
	int fd;
	u32 n_ignored; /* number of calls of is_asked() that still return false */
	u32 n_asked;
};

static bool is_asked(void *data)
{
	struct stop *s = data;
	eventfd_t n;

	assert_int_equal(eventfd_read(s->fd, &n), 0);
	return s->n_asked++ >= s->n_ignored;
}

static void open_pipe(int *fds)
{
	assert_int_equal(pipe(fds), 0);
	assert_true(fcntl(fds[1], F_SETPIPE_SZ, 4096) >= 4096);
}

static void open_sockets(int *fds)
{
	int size = 4096;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
}

static u8 byte_at(u32 i)
{
	return (u8)(i * 31 >> 3);
}

/* Reads to the end, and counts the correct bytes. */
static void *read_all(void *data)
{
	int fd = *(int *)data;
	u8 buf[777];
	u32 at = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++, at++)
			if (buf[i] != byte_at(at))
				return (void *)(uintptr_t)at;
	return (void *)(uintptr_t)at;
}

static void all_bytes_reach_the_reader_in_order(void **state)
{
	void (*const opens[])(int *) = { open_pipe, open_sockets };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct stop s = { .fd = eventfd(0, EFD_CLOEXEC), .n_ignored = 1 };
		struct out_stop stop = { s.fd, is_asked, &s };
		FILE *f = NULL;
		pthread_t thread;
		void *arrived;
		int fds[2];

		opens[i](fds);
		assert_int_equal(out_stream_new(&f, fds[1], &stop), 0);
		assert_int_equal(pthread_create(&thread, NULL, read_all, &fds[0]), 0);
		for (u32 at = 0; at < LEN; at++) {
			if (at == LEN / 2)
				eventfd_write(s.fd, 1); /* a wake-up without a request to stop */
			assert_int_not_equal(putc(byte_at(at), f), EOF);
		}
		assert_int_equal(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
		assert_int_equal(fclose(f), 0);
		close(fds[1]);
		pthread_join(thread, &arrived);
		assert_int_equal((uintptr_t)arrived, LEN);
		assert_int_equal(s.n_asked, 1);
		close(fds[0]);
		close(s.fd);
	}
}

static void writing_to_a_reader_that_does_not_read_stops_on_request(void **state)
{
	void (*const opens[])(int *) = { open_pipe, open_sockets };
	u8 *bytes = calloc(1, LEN);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct stop s = { .fd = eventfd(1, EFD_CLOEXEC) };
		struct out_stop stop = { s.fd, is_asked, &s };
		FILE *f = NULL;
		int fds[2];

		opens[i](fds);
		assert_int_equal(out_stream_new(&f, fds[1], &stop), 0);
		errno = 0;
		assert_true(fwrite(bytes, 1, LEN, f) < LEN);
		assert_int_equal(errno, ECANCELED);
		assert_int_equal(s.n_asked, 1);
		assert_true(fwrite(bytes, 1, LEN, f) < LEN); /* nor afterwards */
		assert_int_equal(s.n_asked, 1);
		assert_true(ferror(f));
		fclose(f);
		close(fds[0]);
		close(fds[1]);
		close(s.fd);
	}
	free(bytes);
}

static void writing_fails_if_the_reader_is_gone(void **state)
{
	struct stop s = { .fd = eventfd(0, EFD_CLOEXEC) };
	struct out_stop stop = { s.fd, is_asked, &s };
	FILE *f = NULL;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	open_pipe(fds);
	assert_int_equal(out_stream_new(&f, fds[1], &stop), 0);
	close(fds[0]);
	assert_true(fputs("x", f) >= 0);
	assert_int_equal(fflush(f), EOF);
	assert_int_equal(errno, EPIPE);
	fclose(f);
	close(fds[1]);
	close(s.fd);
}

/* A file that a shell opened with >> must be written from its current position on. */
static void a_file_is_written_from_its_current_position_on(void **state)
{
	struct stop s = { .fd = eventfd(0, EFD_CLOEXEC) };
	struct out_stop stop = { s.fd, is_asked, &s };
	FILE *f = NULL, *file = tmpfile();
	char text[16] = "";

	(void)state;
	assert_int_equal(write(fileno(file), "before ", 7), 7);
	assert_int_equal(out_stream_new(&f, fileno(file), &stop), 0);
	assert_true(fputs("after", f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(pread(fileno(file), text, sizeof(text), 0), 12);
	assert_string_equal(text, "before after");
	fclose(file);
	close(s.fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(all_bytes_reach_the_reader_in_order),
	cmocka_unit_test(writing_to_a_reader_that_does_not_read_stops_on_request),
	cmocka_unit_test(writing_fails_if_the_reader_is_gone),
	cmocka_unit_test(a_file_is_written_from_its_current_position_on),
};

int main(void)
{
	return CHECK_RUN(tests);
}
