// SPDX-License-Identifier: BSD-2-Clause

/* Tests which log of reads belongs to a sample, and which logs are valid, without a kernel. */

#include "../check.h"

/* Includes the source to reach its static state. */
#include "../../loader/sample/logs.c" /* NOLINT(bugprone-suspicious-include) */

#define N(a) (sizeof(a) / sizeof((a)[0]))

enum { ROOM = 256 };

/* Makes a log of two reads: one of 9 bytes, padded to 16, and one that failed. */
static size_t make(struct uw_log *log, u32 cpu, u64 time_ns)
{
	struct uw_log_read *first = (void *)(log + 1), *second = (void *)((u8 *)(first + 1) + 16);

	memset(log, 0, ROOM);
	*first = (struct uw_log_read){ 0x1000, 9, 0 };
	*second = (struct uw_log_read){ 0x2000, 8, -14 };
	log->cpu = cpu;
	log->time_ns = time_ns;
	log->len = sizeof(*first) + 16 + sizeof(*second);
	log->n_reads = 2;
	return sizeof(*log) + log->len;
}

static void add(struct logs *logs, u32 cpu, u64 time_ns)
{
	_Alignas(8) u8 bytes[ROOM];
	size_t len = make((void *)bytes, cpu, time_ns);

	assert_int_equal(on_log(logs, bytes, len), 0);
}

static u32 n_kept(const struct logs *logs)
{
	u32 n = 0;

	for (const struct kept *k = logs->oldest; k; k = k->next)
		n++;
	return n;
}

static void all_reads_in_a_log_are_iterated_in_the_order_of_the_walk(void **state)
{
	_Alignas(8) u8 bytes[ROOM];
	struct uw_log *log = (void *)bytes;
	const struct uw_log_read *read;

	(void)state;
	make(log, 0, 1);
	read = logs_next(log, NULL);
	assert_int_equal(read->addr, 0x1000);
	read = logs_next(log, read);
	assert_int_equal(read->addr, 0x2000);
	assert_null(logs_next(log, read));
	log->len = 0;
	assert_null(logs_next(log, NULL));
}

static void a_log_with_an_incomplete_read_is_dropped(void **state)
{
	_Alignas(8) u8 bytes[ROOM];
	struct uw_log *log = (void *)bytes;
	struct logs logs = { .newest = &logs.oldest };
	size_t whole = make(log, 0, 1);

	(void)state;
	for (size_t len = 0; len < whole; len++) {
		on_log(&logs, bytes, len);
		if (len >= sizeof(*log)) { /* even if len matches the bytes received */
			log->len = (u32)(len - sizeof(*log));
			on_log(&logs, bytes, len);
			make(log, 0, 1);
		}
	}
	log->n_dropped = 1;
	on_log(&logs, bytes, whole);
	log->n_dropped = 0;
	log->n_reads = 3;
	on_log(&logs, bytes, whole);
	make(log, 0, 1);
	((struct uw_log_read *)(log + 1))->len = 1000;
	on_log(&logs, bytes, whole);
	make(log, 0, 1);
	((struct uw_log_read *)(bytes + whole))[-1].result = 0; /* 8 bytes are missing */
	on_log(&logs, bytes, whole);
	assert_int_equal(n_kept(&logs), 0);
	make(log, 0, 1);
	on_log(&logs, bytes, whole);
	assert_int_equal(n_kept(&logs), 1);
	forget_oldest(&logs);
	assert_int_equal(logs.len, 0);
}

static void a_sample_is_paired_with_the_log_that_has_the_same_time_and_cpu(void **state)
{
	static const struct {
		u32 cpu;
		u64 time_ns;
		bool is_found;
		u32 n_left; /* older logs of the same CPU are freed */
	} rows[] = {
		{ 0, 10, true, 4 },  { 0, 20, true, 3 },  { 1, 10, true, 4 }, { 0, 15, false, 4 },
		{ 2, 10, false, 5 }, { 1, 40, false, 3 }, { 0, 5, false, 5 },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct uw_sample sample = { .cpu = rows[i].cpu, .time_ns = rows[i].time_ns };
		struct logs logs = { .newest = &logs.oldest };
		struct kept *k;

		add(&logs, 0, 10);
		add(&logs, 1, 10);
		add(&logs, 0, 20);
		add(&logs, 1, 30);
		add(&logs, 0, 30);
		k = take(&logs, &sample);
		assert_int_equal(k != NULL, rows[i].is_found);
		if (k)
			assert_true(k->log.cpu == rows[i].cpu && k->log.time_ns == rows[i].time_ns);
		assert_int_equal(n_kept(&logs), rows[i].n_left);
		add(&logs, 3, 99); /* appended after the remaining logs */
		assert_int_equal(n_kept(&logs), rows[i].n_left + 1);
		free(k);
		while (logs.oldest)
			forget_oldest(&logs);
		assert_int_equal(logs.len, 0);
	}
}

static void the_number_of_logs_kept_without_a_sample_is_limited(void **state)
{
	struct logs logs = { .newest = &logs.oldest };
	_Alignas(8) u8 bytes[ROOM];
	u32 len, n = 0;

	(void)state;
	make((void *)bytes, 0, 0);
	len = ((struct uw_log *)bytes)->len;
	for (; n < MAX_KEPT_LEN / len + 3; n++)
		add(&logs, 0, n);
	assert_int_equal(n_kept(&logs), MAX_KEPT_LEN / len);
	assert_int_equal(logs.oldest->log.time_ns, n - MAX_KEPT_LEN / len);
	while (logs.oldest)
		forget_oldest(&logs);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_reads_in_a_log_are_iterated_in_the_order_of_the_walk),
		cmocka_unit_test(a_log_with_an_incomplete_read_is_dropped),
		cmocka_unit_test(a_sample_is_paired_with_the_log_that_has_the_same_time_and_cpu),
		cmocka_unit_test(the_number_of_logs_kept_without_a_sample_is_limited),
	};

	return CHECK_RUN(tests);
}
