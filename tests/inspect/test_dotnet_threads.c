/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The list of a CoreCLR's threads, made by hand for each version with a known layout.
 *	DAC_TABLE[slot] -> STORE_ADDR -> STORE + first -> THREAD(0) + link -> THREAD(1) + link -> 0
 */

#include <errno.h>
#include <string.h>

#include "../../inspect/dotnet/dotnet_runtime.h"
#include "../check.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x7f1234000000ull

enum {
	DAC_TABLE = 0x100,
	STORE_ADDR = 0x200,
	STORE = 0x300,
	THREADS = 0x400,
	THREAD_LEN = 0x200,
	N_THREADS = 3,
	MEMORY_LEN = THREADS + N_THREADS * THREAD_LEN,
};

/* Offsets in ThreadStore and Thread, found with a debugger in live processes. */
static const struct version {
	u32 major, slot, first, link, id, hijack;
} versions[] = {
	{ 8, 16, 160, 104, 296, 152 },
	{ 9, 16, 160, 112, 296, 152 },
	{ 10, 15, 88, 112, 296, 152 },
};

static u8 memory[MEMORY_LEN];

struct clr {
	struct fake_bytes bytes;
	struct dotnet_build build;
	struct dotnet_runtime *runtime;
};

struct seen {
	u32 n;
	struct dotnet_thread threads[N_THREADS];
};

static void put(u32 at, u64 value)
{
	memcpy(memory + at, &value, 8);
}

static void make(const struct version *v)
{
	memset(memory, 0, sizeof(memory));
	put(DAC_TABLE + 8 * v->slot, BASE + STORE_ADDR);
	put(STORE_ADDR, BASE + STORE);
	put(STORE + v->first, BASE + THREADS + v->link);
	for (u32 i = 0; i < N_THREADS; i++) {
		u32 at = THREADS + i * THREAD_LEN;

		put(at + v->id, 1000 + i);
		put(at + v->link, i + 1 < N_THREADS ? BASE + at + THREAD_LEN + v->link : 0);
	}
}

static void open_clr(struct clr *c, u32 major, u32 fail_at)
{
	fake_bytes_init(&c->bytes, BASE, memory, sizeof(memory));
	c->bytes.fail_at = fail_at;
	c->build = (struct dotnet_build){ dotnet_layout_get(major), DAC_TABLE };
	assert_int_equal(dotnet_runtime_new(&c->runtime, &c->build, &c->bytes.target, BASE), 0);
}

static void see(const struct dotnet_thread *thread, void *data)
{
	struct seen *s = data;

	s->threads[s->n++ % N_THREADS] = *thread;
}

static int ask(u32 major, u32 fail_at, struct seen *s)
{
	struct clr c;
	int r;

	s->n = 0;
	open_clr(&c, major, fail_at);
	r = dotnet_threads_each(c.runtime, see, s);
	dotnet_runtime_free(&c.runtime);
	return r;
}

static void expect_first(const struct version *v, const struct seen *s, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(s->threads[i].tid, 1000 + i);
		assert_int_equal(s->threads[i].hijack_addr,
				 BASE + THREADS + i * THREAD_LEN + v->hijack);
	}
}

static void every_thread_is_found_in_each_runtime_version(void **state)
{
	struct seen s;

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i]);
		assert_int_equal(ask(versions[i].major, 0, &s), 0);
		assert_int_equal(s.n, N_THREADS);
		expect_first(&versions[i], &s, s.n);
	}
}

static void thread_list_ends_with_an_error_if_a_read_fails(void **state)
{
	struct seen s;

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i]);
		for (u32 k = 1; k <= 3 + 2 * N_THREADS; k++) {
			assert_int_equal(ask(versions[i].major, k, &s), -EFAULT);
			assert_int_equal(s.n, k < 4 ? 0 : (k - 3) / 2);
			expect_first(&versions[i], &s, s.n);
		}
	}
}

static void reading_ends_if_the_thread_list_is_cyclic(void **state)
{
	const struct version *v = &versions[2];
	struct seen s;

	(void)state;
	make(v);
	put(THREADS + v->link, BASE + THREADS + v->link);
	assert_int_equal(ask(v->major, 0, &s), -ELOOP);
}

/* A thread that has not started yet has no ID. */
static void list_entry_without_a_thread_id_is_skipped(void **state)
{
	static const u64 numbers[] = { 0, 1ull << 32, ~0ull };
	const struct version *v = &versions[2];
	struct seen s;

	(void)state;
	for (size_t i = 0; i < N(numbers); i++) {
		make(v);
		put(THREADS + THREAD_LEN + v->id, numbers[i]);
		assert_int_equal(ask(v->major, 0, &s), 0);
		assert_int_equal(s.n, N_THREADS - 1);
		assert_int_equal(s.threads[1].tid, 1002);
	}
}

static void no_threads_are_listed_for_an_unsupported_runtime_version(void **state)
{
	struct seen s;

	(void)state;
	make(&versions[0]);
	assert_int_equal(ask(6, 0, &s), -ENOTSUP);
	assert_int_equal(ask(7, 0, &s), -ENOTSUP);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_thread_is_found_in_each_runtime_version),
	cmocka_unit_test(thread_list_ends_with_an_error_if_a_read_fails),
	cmocka_unit_test(reading_ends_if_the_thread_list_is_cyclic),
	cmocka_unit_test(list_entry_without_a_thread_id_is_skipped),
	cmocka_unit_test(no_threads_are_listed_for_an_unsupported_runtime_version),
};

int main(void)
{
	return CHECK_RUN(tests);
}
