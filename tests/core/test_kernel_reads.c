// SPDX-License-Identifier: BSD-2-Clause

/* The running kernel's bpf_probe_read_user() behaves as test_mem expects. */

#include "mapped.h"
#include "read-rows.h"
#include "walks.h"

#include <bpf/libbpf.h>

#include "reads.skel.h"

static struct reads_bpf *skel;
static struct sim_mem *mem;

static bool reads_as_expected(const struct read_row *row)
{
	struct {
		u64 addr, len;
	} args = { row->addr, row->len };
	u8 want[READ_MAX_LEN];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &args, .ctx_size_in = sizeof(args));

	memset(skel->bss->read_bytes, 0x5a, READ_MAX_LEN);
	skel->bss->read_result = 1;
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.read_once), &opts), 0);
	read_row_bytes(row, want);
	return *(volatile long long *)&skel->bss->read_result == (row->ok ? 0 : SIM_FAULT) &&
	       !memcmp(skel->bss->read_bytes, want, READ_MAX_LEN);
}

static void kernel_read_returns_all_bytes_or_an_error_and_zeros(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_READ_ROWS; i++)
		if (!reads_as_expected(&read_rows[i]))
			fail_msg("%s", read_rows[i].name);
}

static void kernel_read_check_fails_if_the_expected_result_is_inverted(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_READ_ROWS; i++) {
		struct read_row row = read_rows[i];

		row.ok = !row.ok;
		assert_false(reads_as_expected(&row));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_read_returns_all_bytes_or_an_error_and_zeros),
		cmocka_unit_test(kernel_read_check_fails_if_the_expected_result_is_inverted),
	};
	int rc = 1;

	if (!kernel_can_run())
		return check_cannot_run("this process has no permission to use BPF");
	skel = reads_bpf__open_and_load();
	if (skel && !read_rows_image(&mem) && !kernel_map(mem))
		rc = CHECK_RUN(tests);
	reads_bpf__destroy(skel);
	sim_mem_free(&mem);
	return rc;
}
