/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The stack slots where frames keep `this`. The OSR method is from .NET 10.0.12. The instruction
 * after the prologue, mov 0x60(%rbp),%rdi, shows in which slot of the frame the state machine is;
 * the code under test does not read this instruction.
 */

#include <errno.h>
#include <string.h>

#include "../../inspect/dotnet/dotnet_home.h"
#include "../check.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x7f1234000000ull

enum {
	DAC_TABLE = 0x100,
	CHUNK = 0x200,
	METHOD_DESC = CHUNK + 24,
	TYPE = 0x300,
	VERSIONS = 0x380,
	NODE = 0x3c0,
	DOMAIN_OF = 0x400,
	OSR_HEADER = 0x500,
	TIER0_HEADER = 0x540,
	DEBUG_INFO = 0x580,
	TIER0 = 0x700,
	OSR = 0x800,
	UNWIND = 0x900,
	MODULE = 0x1000,
	DOMAIN = 0x2000,
	MEMORY_LEN = 0x3000,
};

enum { TIER_OSR = 2, SLOT = 0x60, FROM = 0x1e };

static const struct version {
	u32 major, method_desc_len, patchpoints_len, n_at;
} versions[] = { { 8, 8, 32, 8 }, { 9, 16, 32, 8 }, { 10, 16, 40, 16 } };

/* mov 0x0(%rbp),%rax; push %rax; sub $0x10,%rsp; saves of r15 and rbx; lea 0x10(%rsp),%rbp */
static const u8 osr_code[] = {
	0x48, 0x8b, 0x45, 0x00, 0x50, 0x48, 0x83, 0xec, 0x10, 0x4c, 0x89, 0xbc,
	0x24, 0x98, 0,	  0,	0,    0x48, 0x89, 0x9c, 0x24, 0x90, 0,	  0,
	0,    0x48, 0x8d, 0x6c, 0x24, 0x10, 0x48, 0x8b, 0x7d, SLOT,
};
static const u8 osr_unwind[] = { 0x19, 0x19, 9,	   0,	 0x19, 0x34, 0x12, 0,	 0x11, 0xf4, 0x13,
				 0,    0x09, 0x12, 0x05, 0x02, 0,    1,	   0x11, 0,    0,    0x50 };

static u8 memory[MEMORY_LEN];

static void put(u32 at, u64 value, u32 len)
{
	memcpy(memory + at, &value, len);
}

static void put_versions(const struct version *v)
{
	put(VERSIONS, BASE + METHOD_DESC, 8);
	put(VERSIONS + 0x10, BASE + NODE, 8);
	put(NODE, BASE + OSR, 8);
	put(NODE + 8, BASE + METHOD_DESC, 8);
	put(NODE + 0x24, TIER_OSR, 4);
	put(DOMAIN_OF + 8, BASE + VERSIONS, 8);
	if (v->major > 8) {
		put(METHOD_DESC + 8, BASE + DOMAIN_OF + 8, 8);
		return;
	}
	put(MODULE + 0x128, BASE + DOMAIN_OF, 8);
	put(DOMAIN_OF, BASE + DOMAIN, 8);
	put(DOMAIN + 0x9d8, BASE + DOMAIN_OF + 8 - 8 * ((u32)(BASE + METHOD_DESC) % 7), 8);
	put(DOMAIN + 0x9e0, 7, 4);
	put(DOMAIN + 0x9e4, 1, 4);
	put(DOMAIN + 0x9e8, 1, 4);
	put(DOMAIN + 0x9ec, 5, 4);
}

/*
 * Stores the debug info: the first local is at rbp - 0x30 in the Tier0 frame, and its address is
 * not taken.
 */
static void put_debug_info(const struct version *v)
{
	put(DEBUG_INFO, 1, 1);
	put(DEBUG_INFO + 1 + v->n_at, 7, 4);
	put(DEBUG_INFO + 1 + v->patchpoints_len, (u32)(-0x30 * 2), 4);
}

static void make(const struct version *v)
{
	memset(memory, 0, sizeof(memory));
	put(CHUNK, BASE + TYPE, 8);
	put(TYPE + 0x18, BASE + MODULE, 8);
	/*
	 * After the method descriptor come a slot, a MethodImpl and the address of the method's
	 * first code.
	 */
	put(METHOD_DESC + 6, 0x38, 2);
	put(METHOD_DESC + v->method_desc_len + 24, BASE + TIER0, 8);
	put_versions(v);
	put(TIER0 - 8, BASE + TIER0_HEADER, 8);
	put(TIER0_HEADER, BASE + DEBUG_INFO, 8);
	put(TIER0_HEADER + 0x18, BASE + METHOD_DESC, 8);
	put_debug_info(v);
	put(OSR_HEADER + 0x20, 1, 4);
	put(OSR_HEADER + 0x28, 0x80, 4);
	put(OSR_HEADER + 0x2c, UNWIND - OSR, 4);
	memcpy(memory + UNWIND, osr_unwind, sizeof(osr_unwind));
	memcpy(memory + OSR, osr_code, sizeof(osr_code));
}

static int find(const struct version *v, u32 start, u32 fail_at, struct dotnet_home *home)
{
	struct dotnet_build build = { dotnet_layout_get(v->major), DAC_TABLE };
	struct dotnet_code code = { .kind = DOTNET_METHOD,
				    .start_addr = BASE + start,
				    .method_desc = BASE + METHOD_DESC,
				    .header_addr = BASE + OSR_HEADER };
	struct dotnet_runtime *runtime;
	struct fake_bytes bytes;
	int r;

	fake_bytes_init(&bytes, BASE, memory, sizeof(memory));
	bytes.fail_at = fail_at;
	assert_int_equal(dotnet_runtime_new(&runtime, &build, &bytes.target, BASE), 0);
	r = dotnet_home_find(runtime, &code, home);
	dotnet_runtime_free(&runtime);
	return r;
}

static void stack_slot_of_the_this_pointer_is_found_by_the_store_in_the_prologue(void **state)
{
	static const struct {
		u8 code[16];
		int r;
		struct dotnet_home home;
	} rows[] = {
		/* push %rbp; mov %rdi,-0x28(%rbp) */
		{ { 0x55, 0x48, 0x89, 0x7d, 0xd8 }, 0, { -0x28, 5 } },
		/* mov %rdi,-0x148(%rbp) */
		{ { 0x48, 0x89, 0xbd, 0xb8, 0xfe, 0xff, 0xff }, 0, { -0x148, 7 } },
		/* mov %rsi,-0x28(%rbp) */
		{ { 0x55, 0x48, 0x89, 0x75, 0xd8 }, -ENOENT, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct dotnet_home home = {};

		make(&versions[2]);
		memcpy(memory + TIER0, rows[i].code, sizeof(rows[i].code));
		assert_int_equal(find(&versions[2], TIER0, 0, &home), rows[i].r);
		assert_memory_equal(&home, &rows[i].home, sizeof(home));
	}
}

static void osr_method_has_the_this_pointer_in_the_frame_of_the_original_method(void **state)
{
	struct dotnet_home home;

	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		make(&versions[i]);
		assert_int_equal(find(&versions[i], OSR, 0, &home), 0);
		assert_int_equal(home.slot, SLOT);
		assert_int_equal(home.from, FROM);
		/* lea 0x10(%rsp),%rbp with a four-byte displacement; mov %rsp,%rbp */
		memcpy(memory + OSR + 0x19, "\x48\x8d\xac\x24\x10\0\0\0", 8);
		assert_int_equal(find(&versions[i], OSR, 0, &home), 0);
		assert_int_equal(home.slot, SLOT);
		assert_int_equal(home.from, FROM + 3);
		memcpy(memory + OSR + 0x19, "\x48\x8b\xec", 3);
		assert_int_equal(find(&versions[i], OSR, 0, &home), 0);
		assert_int_equal(home.slot, SLOT + 0x10);
	}
}

static void stack_slot_of_the_this_pointer_is_right_or_unknown_if_a_read_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(versions); i++) {
		u32 fail_at = 1;
		int r = -1;

		make(&versions[i]);
		for (; r && fail_at < 100; fail_at++) {
			struct dotnet_home home = {};

			r = find(&versions[i], OSR, fail_at, &home);
			assert_int_equal(home.slot, r ? 0 : SLOT);
		}
		assert_int_equal(r, 0);
		assert_true(fail_at > 10);
	}
}

static void no_stack_slot_is_reported_if_a_word_in_memory_is_invalid(void **state)
{
	static const struct {
		u32 at;
		u64 value;
		u32 len;
		int r;
	} lies[] = {
		{ TIER0_HEADER + 0x18, BASE + METHOD_DESC + 8, 8,
		  -ENOENT }, /* code of another method */
		{ METHOD_DESC + 6, 0x18, 2, -ENOENT }, /* no native code slot */
		{ METHOD_DESC + 16 + 24, 0, 8, -ENOENT },
		{ METHOD_DESC + 16 + 24, 4, 8, -EFAULT },
		{ DEBUG_INFO, 0, 1, -ENOENT }, /* the method has no on-stack replacement */
		{ DEBUG_INFO + 17, 0, 4, -ENOENT }, /* no locals */
		{ DEBUG_INFO + 17, ~0u, 4, -EINVAL },
		{ TIER0_HEADER, 0, 8, -ENOENT },
		{ TIER0_HEADER, ~0ull, 8, -EINVAL },
		{ OSR_HEADER + 0x20, ~0u, 4, -EINVAL },
		{ UNWIND, 0x21, 1, -ENOTSUP }, /* chained unwind info */
		{ OSR + 0x19, 0, 8, -ENOENT }, /* no instruction sets up a frame */
	};

	(void)state;
	for (size_t i = 0; i < N(lies); i++) {
		struct dotnet_home home = { 77, 77 };

		make(&versions[2]);
		put(lies[i].at, lies[i].value, lies[i].len);
		assert_int_equal(find(&versions[2], OSR, 0, &home), lies[i].r);
		assert_int_equal(home.slot, 77);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(stack_slot_of_the_this_pointer_is_found_by_the_store_in_the_prologue),
	cmocka_unit_test(osr_method_has_the_this_pointer_in_the_frame_of_the_original_method),
	cmocka_unit_test(stack_slot_of_the_this_pointer_is_right_or_unknown_if_a_read_fails),
	cmocka_unit_test(no_stack_slot_is_reported_if_a_word_in_memory_is_invalid),
};

int main(void)
{
	return CHECK_RUN(tests);
}
