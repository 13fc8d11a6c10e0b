/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the parsing of rings and records; their bytes are laid out as in perf_event_open(2).
 */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/process/perf_record.h"
#include "../../loader/process/perf_ring.h"

#define RING_LEN 16384

struct bytes {
	u8 data[PERF_RING_MAX_RECORD] __attribute__((aligned(8)));
	size_t len;
};

static void put(struct bytes *b, const void *src, size_t len)
{
	memcpy(b->data + b->len, src, len);
	b->len += len;
}

static void put32(struct bytes *b, u32 v)
{
	put(b, &v, 4);
}

static void put64(struct bytes *b, u64 v)
{
	put(b, &v, 8);
}

/* Adds a text with its NUL, padded to a multiple of 8 bytes as in the kernel. */
static void put_text(struct bytes *b, const char *text)
{
	put(b, text, strlen(text) + 1);
	while (b->len % 8)
		put(b, "", 1);
}

static void begin(struct bytes *b, u32 type, u16 misc)
{
	b->len = 0;
	put32(b, type);
	put(b, &misc, 2);
	put(b, "\0", 2);
}

static const struct perf_event_header *end(struct bytes *b, u64 time_ns)
{
	u16 len;

	put32(b, 7);
	put32(b, 8);
	put64(b, time_ns);
	put32(b, 3);
	put32(b, 0);
	len = b->len;
	memcpy(b->data + 6, &len, 2);
	return (const void *)b->data;
}

static const struct perf_event_header *fork_record(struct bytes *b, u32 type, u32 pid, u64 time_ns)
{
	begin(b, type, 0);
	put32(b, pid);
	put32(b, 100);
	put32(b, pid + 1);
	put32(b, 101);
	put64(b, time_ns);
	return end(b, time_ns);
}

static const struct perf_event_header *comm_record(struct bytes *b, u16 misc, const char *name)
{
	begin(b, PERF_RECORD_COMM, misc);
	put32(b, 200);
	put32(b, 201);
	put_text(b, name);
	return end(b, 5000);
}

static const struct perf_event_header *mmap_record(struct bytes *b, u64 addr, u64 len,
						   const char *path)
{
	begin(b, PERF_RECORD_MMAP2, 0);
	put32(b, 300);
	put32(b, 301);
	put64(b, addr);
	put64(b, len);
	put64(b, 0x26000);
	put32(b, 254);
	put32(b, 1);
	put64(b, 332096);
	put64(b, 77);
	put32(b, 5);
	put32(b, 2);
	put_text(b, path);
	return end(b, 6000);
}

struct ring_fixture {
	struct perf_ring ring;
	u8 data[RING_LEN] __attribute__((aligned(8)));
	__u64 head, tail;
};

static void ring_init(struct ring_fixture *f, u64 at)
{
	memset(f, 0, sizeof(*f));
	f->head = f->tail = at;
	f->ring.data = f->data;
	f->ring.size = sizeof(f->data);
	f->ring.head = &f->head;
	f->ring.tail = &f->tail;
}

static void ring_put(struct ring_fixture *f, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		f->data[f->head++ % RING_LEN] = ((const u8 *)data)[i];
}

static void ring_put_record(struct ring_fixture *f, const struct perf_event_header *rec)
{
	ring_put(f, rec, rec->size);
}

static void fork_and_exit_records_contain_child_and_parent(void **state)
{
	struct process_event ev;
	struct bytes b;

	(void)state;
	assert_int_equal(perf_record_decode(fork_record(&b, PERF_RECORD_FORK, 50, 999), &ev), 0);
	assert_int_equal(ev.type, PROCESS_FORK);
	assert_int_equal(ev.pid, 50);
	assert_int_equal(ev.tid, 51);
	assert_int_equal(ev.fork.ppid, 100);
	assert_int_equal(ev.fork.ptid, 101);
	assert_int_equal(ev.time_ns, 999);
	assert_int_equal(ev.cpu, 3);
	assert_int_equal(perf_record_decode(fork_record(&b, PERF_RECORD_EXIT, 50, 1), &ev), 0);
	assert_int_equal(ev.type, PROCESS_EXIT);
}

static void a_comm_record_is_an_exec_if_the_exec_flag_is_set(void **state)
{
	struct process_event ev;
	struct bytes b;

	(void)state;
	assert_int_equal(perf_record_decode(comm_record(&b, 0, "worker"), &ev), 0);
	assert_int_equal(ev.type, PROCESS_COMM);
	assert_string_equal(ev.comm, "worker");
	assert_int_equal(perf_record_decode(comm_record(&b, PERF_RECORD_MISC_COMM_EXEC, "sh"), &ev),
			 0);
	assert_int_equal(ev.type, PROCESS_EXEC);
	assert_int_equal(perf_record_decode(comm_record(&b, 0, "sixteen letters!"), &ev), -EBADMSG);
}

static void an_mmap_record_contains_range_file_and_path(void **state)
{
	struct process_event ev;
	struct bytes b;

	(void)state;
	assert_int_equal(perf_record_decode(mmap_record(&b, 0x7f0000, 0x2000, "/lib/a b"), &ev), 0);
	assert_int_equal(ev.type, PROCESS_MMAP);
	assert_int_equal(ev.pid, 300);
	assert_int_equal(ev.mmap.start_addr, 0x7f0000);
	assert_int_equal(ev.mmap.len, 0x2000);
	assert_int_equal(ev.mmap.file_off, 0x26000);
	assert_int_equal(ev.mmap.inode, 332096);
	assert_int_equal(ev.mmap.inode_gen, 77);
	assert_int_equal(ev.mmap.dev_major, 254);
	assert_int_equal(ev.mmap.dev_minor, 1);
	assert_string_equal(ev.mmap.path, "/lib/a b");
}

static void invalid_perf_records_are_rejected(void **state)
{
	struct perf_event_header *rec;
	struct process_event ev;
	struct bytes b;

	(void)state;
	assert_int_equal(perf_record_decode(mmap_record(&b, 0x7f0000, 0, "/x"), &ev), -EBADMSG);
	assert_int_equal(perf_record_decode(mmap_record(&b, ~0ull - 5, 10, "/x"), &ev), -EBADMSG);
	rec = (void *)mmap_record(&b, 0x7f0000, 10, "/x");
	rec->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	assert_int_equal(perf_record_decode(rec, &ev), -EBADMSG);
	mmap_record(&b, 0x7f0000, 0x1000, "1234567");
	memset(b.data + 8 + 64, 'x', 8); /* the path field has no NUL */
	assert_int_equal(perf_record_decode((void *)b.data, &ev), -EBADMSG);
}

static void records_of_other_namespaces_and_of_other_types_are_ignored(void **state)
{
	struct process_event ev;
	struct bytes b;

	(void)state;
	assert_int_equal(perf_record_decode(fork_record(&b, PERF_RECORD_FORK, 0, 1), &ev), -ENOMSG);
	assert_int_equal(perf_record_decode(fork_record(&b, PERF_RECORD_FORK, ~0u, 1), &ev),
			 -ENOMSG);
	begin(&b, PERF_RECORD_THROTTLE, 0);
	put64(&b, 1);
	put64(&b, 1);
	put64(&b, 1);
	assert_int_equal(perf_record_decode(end(&b, 1), &ev), -ENOMSG);
}

static void records_reported_as_lost_by_the_kernel_are_counted(void **state)
{
	struct process_event ev;
	struct bytes b;

	(void)state;
	begin(&b, PERF_RECORD_LOST, 0);
	put64(&b, 9);
	put64(&b, 41);
	assert_int_equal(perf_record_decode(end(&b, 1), &ev), 0);
	assert_int_equal(ev.type, PROCESS_LOST);
	assert_int_equal(ev.n_lost, 41);
}

/*
 * The end of a record is parsed as sample_id, so a truncated record may be decoded, but no
 * read may go past its end.
 */
static void truncated_perf_records_are_rejected_or_decoded_within_bounds(void **state)
{
	struct bytes b;

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		const struct perf_event_header *full =
			kind == 0   ? fork_record(&b, PERF_RECORD_FORK, 5, 6)
			: kind == 1 ? comm_record(&b, 0, "name")
			: kind == 2 ? mmap_record(&b, 0x1000, 0x1000, "/some/file")
				    : mmap_record(&b, 0x1000, 0x1000, "");
		size_t fixed = kind == 0 ? 24 : kind == 1 ? 8 : 64;

		for (u16 len = 8; len < full->size; len++) {
			/* An exact heap allocation, so that a sanitizer detects a read past it. */
			struct perf_event_header *cut = malloc(len);
			struct process_event ev;
			int err;

			memcpy(cut, full, len);
			cut->size = len;
			err = perf_record_decode(cut, &ev);
			if (len < 8 + fixed + 24)
				assert_int_equal(err, -EBADMSG);
			if (!err && ev.type == PROCESS_MMAP)
				assert_true(ev.mmap.path + strlen(ev.mmap.path) <
					    (char *)cut + len);
			free(cut);
		}
	}
}

static void records_are_returned_in_order_wherever_they_wrap_in_the_ring(void **state)
{
	static struct ring_fixture f;
	struct bytes b;

	(void)state;
	for (u64 at = RING_LEN - 200; at < RING_LEN + 8; at += 8) {
		ring_init(&f, at);
		ring_put_record(&f, fork_record(&b, PERF_RECORD_FORK, 5, 1));
		ring_put_record(&f, mmap_record(&b, 0x1000, 0x1000, "/lib/libc.so.6"));
		assert_int_equal(perf_ring_peek(&f.ring)->type, PERF_RECORD_FORK);
		assert_int_equal(f.tail, at);
		perf_ring_consume(&f.ring);
		assert_memory_equal(perf_ring_peek(&f.ring), b.data, b.len);
		perf_ring_consume(&f.ring);
		assert_null(perf_ring_peek(&f.ring));
		assert_int_equal(f.tail, f.head);
		assert_int_equal(f.ring.n_bad, 0);
	}
}

static void an_invalid_record_header_empties_the_ring_and_is_counted(void **state)
{
	static const u16 lengths[] = { 0, 1, 7, 400, 0xffff };
	static struct ring_fixture f;
	struct bytes b;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct perf_event_header h = { .type = PERF_RECORD_FORK, .size = lengths[i] };

		ring_init(&f, 64);
		ring_put(&f, &h, sizeof(h));
		ring_put_record(&f, fork_record(&b, PERF_RECORD_FORK, 5, 1));
		assert_null(perf_ring_peek(&f.ring));
		assert_int_equal(f.ring.n_bad, 1);
		assert_int_equal(f.tail, f.head);
		ring_put_record(&f, fork_record(&b, PERF_RECORD_FORK, 6, 2));
		assert_non_null(perf_ring_peek(&f.ring));
	}
	ring_init(&f, 0);
	f.head = RING_LEN + 8; /* more unread bytes than the ring holds */
	assert_null(perf_ring_peek(&f.ring));
	assert_int_equal(f.ring.n_bad, 1);
}

static void a_record_longer_than_the_limit_is_skipped_and_counted(void **state)
{
	struct perf_event_header h = { .type = PERF_RECORD_MMAP2, .size = 9000 };
	static const u8 rest[9000 - sizeof(struct perf_event_header)];
	static struct ring_fixture f;
	struct bytes b;

	(void)state;
	ring_init(&f, 12345 * 8);
	ring_put(&f, &h, sizeof(h));
	ring_put(&f, rest, sizeof(rest));
	ring_put_record(&f, fork_record(&b, PERF_RECORD_FORK, 5, 1));
	assert_int_equal(perf_ring_peek(&f.ring)->type, PERF_RECORD_FORK);
	assert_int_equal(f.ring.n_bad, 1);
}

static void records_of_all_rings_are_merged_in_time_order_up_to_a_time_limit(void **state)
{
	static struct ring_fixture f[3];
	struct perf_ring *rings[] = { &f[0].ring, &f[1].ring, &f[2].ring };
	static const u64 times[3][3] = { { 10, 40, 70 }, { 20, 21, 90 }, { 5, 60, 61 } };
	static const u64 merged[] = { 5, 10, 20, 21, 40, 60, 61 };
	struct perf_ring *r;
	struct bytes b;

	(void)state;
	for (int i = 0; i < 3; i++) {
		ring_init(&f[i], RING_LEN - 40 * i);
		for (int j = 0; j < 3; j++)
			ring_put_record(&f[i], fork_record(&b, PERF_RECORD_FORK, 5, times[i][j]));
	}
	for (size_t i = 0; i < sizeof(merged) / sizeof(merged[0]); i++) {
		r = perf_rings_earliest(rings, 3, 69);
		assert_non_null(r);
		assert_int_equal(perf_record_time(perf_ring_peek(r)), merged[i]);
		perf_ring_consume(r);
	}
	assert_null(perf_rings_earliest(rings, 3, 69));
	r = perf_rings_earliest(rings, 3, 70);
	assert_ptr_equal(r, &f[0].ring);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(fork_and_exit_records_contain_child_and_parent),
	cmocka_unit_test(a_comm_record_is_an_exec_if_the_exec_flag_is_set),
	cmocka_unit_test(an_mmap_record_contains_range_file_and_path),
	cmocka_unit_test(invalid_perf_records_are_rejected),
	cmocka_unit_test(records_of_other_namespaces_and_of_other_types_are_ignored),
	cmocka_unit_test(records_reported_as_lost_by_the_kernel_are_counted),
	cmocka_unit_test(truncated_perf_records_are_rejected_or_decoded_within_bounds),
	cmocka_unit_test(records_are_returned_in_order_wherever_they_wrap_in_the_ring),
	cmocka_unit_test(an_invalid_record_header_empties_the_ring_and_is_counted),
	cmocka_unit_test(a_record_longer_than_the_limit_is_skipped_and_counted),
	cmocka_unit_test(records_of_all_rings_are_merged_in_time_order_up_to_a_time_limit),
};

int main(void)
{
	return CHECK_RUN(tests);
}
