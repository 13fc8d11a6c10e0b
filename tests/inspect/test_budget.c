// SPDX-License-Identifier: BSD-2-Clause

/* Reads must fail once the CPU time for them is spent, or when the program is to end. */

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "../../inspect/target/target.h"
#include "../../inspect/util/budget.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/file_read.h"
#include "../check.h"

#define SHORT_NS 5000000ull
#define LONG_NS (20 * NS_PER_S)
#define MOST_READS 1000000000u

static FILE *file;
static bool stops;

static bool is_stopping(void)
{
	return stops;
}

static int read_byte(void)
{
	char byte;

	return file_read(fileno(file), 0, &byte, 1);
}

/* Reads until a read fails. Return: its error, and the CPU time in @took_ns. */
static int read_until_error(u64 *took_ns)
{
	u64 began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int err = 0;

	for (u32 i = 0; !err && i < MOST_READS; i++)
		err = read_byte();
	*took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	return err;
}

static void reads_fail_once_the_cpu_time_is_spent(void **state)
{
	struct target_bytes t;
	struct budget b;
	u8 byte = 7;
	u64 took_ns;

	(void)state;
	target_bytes_init(&t, &byte, 1);
	budget_begin(&b, SHORT_NS);
	assert_int_equal(read_until_error(&took_ns), -ETIME);
	assert_true(took_ns >= SHORT_NS / 2);
	assert_int_equal(read_byte(), -ETIME);
	assert_int_equal(file_read_some(fileno(file), 0, &byte, 1), -ETIME);
	assert_int_equal(target_read(&t.target, 0, &byte, 1), -EFAULT);
	assert_int_equal(byte, 0);
	assert_true(b.is_spent);
	assert_true(budget_end(&b) > 0);
	assert_int_equal(read_byte(), 0);
}

static void a_budget_without_time_is_spent_at_once(void **state)
{
	struct budget b;

	(void)state;
	budget_begin(&b, 0);
	assert_int_equal(read_byte(), -ETIME);
	budget_end(&b);
	assert_int_equal(read_byte(), 0);
}

static void an_inner_budget_replaces_the_outer_one_but_takes_its_time(void **state)
{
	struct budget outer, inner;
	u64 took_ns;

	(void)state;
	budget_begin(&outer, SHORT_NS);
	budget_begin(&inner, 4 * SHORT_NS);
	assert_int_equal(read_until_error(&took_ns), -ETIME);
	assert_true(took_ns >= 2 * SHORT_NS);
	budget_end(&inner);
	assert_int_equal(read_byte(), -ETIME);
	budget_end(&outer);
	budget_begin(&outer, LONG_NS);
	budget_begin(&inner, 0);
	assert_int_equal(read_byte(), -ETIME);
	budget_end(&inner);
	assert_int_equal(read_byte(), 0);
	budget_end(&outer);
}

static void all_budgets_end_at_the_stop_time(void **state)
{
	struct budget b;
	u64 took_ns;

	(void)state;
	budget_stop_at(monotonic_ns());
	budget_begin(&b, LONG_NS);
	assert_int_equal(read_until_error(&took_ns), -ETIME);
	budget_end(&b);
	assert_int_equal(read_byte(), 0); /* without a budget there is no limit */
	budget_stop_at(NEVER_NS);
	budget_begin(&b, LONG_NS);
	for (u32 i = 0; i < 1000; i++)
		assert_int_equal(read_byte(), 0);
	budget_end(&b);
}

static void all_budgets_end_soon_after_the_program_is_to_end(void **state)
{
	struct budget b;
	u64 took_ns;

	(void)state;
	budget_set_stop(is_stopping);
	stops = true;
	budget_begin(&b, LONG_NS);
	assert_int_equal(read_until_error(&took_ns), -ETIME);
	budget_end(&b);
	budget_set_stop(NULL);
	budget_stop_at(NEVER_NS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_fail_once_the_cpu_time_is_spent),
		cmocka_unit_test(a_budget_without_time_is_spent_at_once),
		cmocka_unit_test(an_inner_budget_replaces_the_outer_one_but_takes_its_time),
		cmocka_unit_test(all_budgets_end_at_the_stop_time),
		cmocka_unit_test(all_budgets_end_soon_after_the_program_is_to_end),
	};

	file = tmpfile();
	if (!file || fputc('x', file) == EOF || fflush(file))
		return 1;
	return CHECK_RUN(tests);
}
