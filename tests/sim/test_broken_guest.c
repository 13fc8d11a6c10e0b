// SPDX-License-Identifier: BSD-2-Clause

/*
 * Negative control: guests with one changed byte. Each is walked over stacks that
 * take most ways through the core; a build that walks them as the good one does has
 * its byte where no stack comes (or where it means the same): most of what it knows of
 * UNWIND_INFO is only for the frames of test_dotnet.c.
 */

#include "engines.h"

#include "../../sim/engine/guest.h"

#define MAX_STACKS 256

enum verdict { UNNOTICED, BY_FRAMES, BY_READS_ONLY, BY_ITS_END, N_VERDICTS };

static struct sim_target targets[MAX_STACKS];
static u32 n_targets;

static void make_targets(const struct arch_row *arch)
{
	n_targets = 0;
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++)
			if (stack_groups[g].stacks[i].archs & arch->bit) {
				assert_true(n_targets < MAX_STACKS);
				target_of(&stack_groups[g].stacks[i], arch, &targets[n_targets++]);
			}
}

static void free_targets(void)
{
	while (n_targets)
		sim_mem_free(&targets[--n_targets].mem);
}

static enum verdict judge(struct sim_session *native, struct sim_session *broken)
{
	struct sim_difference d;

	for (u32 i = 0; i < n_targets; i++) {
		assert_int_equal(sim_session_walk(native, &targets[i], &native_walk), 0);
		if (sim_session_walk(broken, &targets[i], &other_walk))
			return BY_ITS_END;
		if (!sim_walk_compare(&native_walk, &other_walk, &d))
			return d.n_bytes_in[SIM_PART_FRAMES] || d.n_bytes_in[SIM_PART_HEADER]
				       ? BY_FRAMES
				       : BY_READS_ONLY;
	}
	return UNNOTICED;
}

static enum verdict try_image(const struct arch_row *arch, struct sim_blob image)
{
	struct sim_session *native = open_session(&sim_engine_native, arch->sim), *broken;
	enum verdict verdict;

	assert_int_equal(sim_guest_open(arch->sim, image, &broken), 0);
	verdict = judge(native, broken);
	sim_session_close(&native);
	sim_session_close(&broken);
	return verdict;
}

/* Every 19th byte: all places within instructions, in a few seconds. */
static void guest_with_a_changed_byte_is_caught(void **state)
{
	static u8 bytes[0x10000];

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++) {
		struct sim_blob good = a ? sim_guest_arm64 : sim_guest_x86_64;
		u32 seen[N_VERDICTS] = { 0 }, n = 0;

		assert_true(good.len < sizeof(bytes));
		memcpy(bytes, good.bytes, good.len);
		make_targets(&arch_rows[a]);
		assert_int_equal(try_image(&arch_rows[a], good), UNNOTICED);
		for (size_t at = 0; at < good.len; at += 19, n++) {
			bytes[at] ^= 0x04;
			seen[try_image(&arch_rows[a], (struct sim_blob){ bytes, good.len })]++;
			bytes[at] ^= 0x04;
		}
		free_targets();
		print_message("%s: of %u builds %u differ in frames, %u in reads only, "
			      "%u run astray, %u unnoticed\n",
			      arch_rows[a].sim->name, n, seen[BY_FRAMES], seen[BY_READS_ONLY],
			      seen[BY_ITS_END], seen[UNNOTICED]);
		assert_true(seen[BY_FRAMES] && seen[BY_READS_ONLY] && seen[BY_ITS_END]);
		assert_true(seen[UNNOTICED] < n * 3 / 5);
	}
}

/* A guest that never ends, one that asks for memory it does not have, one that is too large. */
static void guest_that_misbehaves_is_an_error(void **state)
{
	static const u8 x86_loop[] = { 0xeb, 0xfe };
	static const u32 arm64_loop = 0x14000000;
	static u8 bytes[0x10001];

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++) {
		struct sim_blob good = a ? sim_guest_arm64 : sim_guest_x86_64;

		make_targets(&arch_rows[a]);
		memcpy(bytes, good.bytes, good.len);
		if (a)
			memcpy(bytes + 32, &arm64_loop, 4);
		else
			memcpy(bytes + 32, x86_loop, 2);
		assert_int_equal(try_image(&arch_rows[a], (struct sim_blob){ bytes, good.len }),
				 BY_ITS_END);
		memset(bytes, 0, 64); /* arm64: udf; x86: add to address rax */
		assert_int_equal(try_image(&arch_rows[a], (struct sim_blob){ bytes, good.len }),
				 BY_ITS_END);
		free_targets();
	}
}

static void guest_that_is_too_large_is_refused(void **state)
{
	static const u8 bytes[0x10001];
	struct sim_session *session;

	(void)state;
	assert_int_equal(sim_guest_open(&sim_arch_x86_64, (struct sim_blob){ bytes, sizeof(bytes) },
					&session),
			 -E2BIG);
	assert_non_null(strstr(session->why, "65537 bytes"));
	sim_session_close(&session);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(guest_with_a_changed_byte_is_caught),
		cmocka_unit_test(guest_that_misbehaves_is_an_error),
		cmocka_unit_test(guest_that_is_too_large_is_refused),
	};

	return CHECK_RUN(tests);
}
