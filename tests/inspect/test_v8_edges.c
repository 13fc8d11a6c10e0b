/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names and lines of functions that have just been entered or are about to return, and of calls
 * from deferred code. The frames of these functions are incomplete; the missing data are found in
 * adjacent frames and in the code.
 */

#include <string.h>

#include "../../inspect/v8/arch/v8_arches.h"
#include "../check.h"
#include "name_frame.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define JS_FUNCTION 998 /* an arbitrary instance type */
#define BASELINE_DATA 997

static struct fake_scene scenes[FAKE_MAX_SCENES];
static size_t n_scenes;

static void build_world(void)
{
	memset(&sample, 0, sizeof(sample));
	fake_world(&v, &w);
	n_scenes = fake_scenes(&w, scenes);
}

static const struct fake_scene *scene_of(const char *what)
{
	for (size_t i = 0; i < n_scenes; i++)
		if (!strcmp(scenes[i].expected.what, what))
			return &scenes[i];
	return NULL;
}

/*
 * The register is used if the function of the JSFunction in it has the BytecodeArray that is
 * entered.
 */
static void function_that_has_no_frame_yet_is_identified_by_the_call_register(void **state)
{
	const struct fake_scene *scene;
	u64 outer, inner;

	(void)state;
	build_world();
	scene = scene_of("a builtin without a frame that enters baseline code");
	assert_non_null(scene);
	outer = fake_object(&v, JS_FUNCTION, 64);
	fake_put(&v, outer - 1 + v.build.layout.function_shared, w.outer);
	inner = fake_object(&v, JS_FUNCTION, 64);
	fake_put(&v, inner - 1 + v.build.layout.function_shared, w.inner);
	for (int i = 0; i < 3; i++) {
		struct v8_heap *h = fake_heap(&v);

		sample.callee = i == 0 ? outer : i == 1 ? inner : 0;
		assert_int_equal(name_scene(h, scene), 2);
		if (i == 0) {
			assert_string_equal(names[1].name, "outer");
			assert_int_equal(names[1].line, 2);
			assert_null(names[1].reason);
		} else {
			assert_null(names[1].name);
			assert_non_null(names[1].reason);
		}
		v8_heap_free(&h);
	}
	sample.callee = 0;
}

/*
 * In V8 9.0 to 9.4, baseline code has no pointer to the function; the SharedFunctionInfo points to
 * the code and to the bytecode.
 */
static void function_in_the_call_register_is_used_only_if_pc_is_in_its_code(void **state)
{
	static const u8 offsets[] = { 8, 8, 8, 8, 8 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct v8_heap *h;
		u64 code, data, function, start;

		build_world();
		code = fake_code(&v, KIND_BASELINE, 40, fake_smi(0),
				 fake_byte_array(&v, offsets, sizeof(offsets)), &start);
		data = fake_object(&v, BASELINE_DATA, 24);
		fake_put(&v, data - 1 + 8, i == 1 ? 0 : code);
		fake_put(&v, data - 1 + 16, w.bytecode);
		fake_put(&v, w.outer - 1 + v.build.layout.sfi_data, data);
		v.build.layout.type_baseline_data = BASELINE_DATA;
		function = fake_object(&v, JS_FUNCTION, 64);
		fake_put(&v, function - 1 + v.build.layout.function_shared,
			 i == 2 ? w.inner : w.outer);
		sample.callee = function;
		h = fake_heap(&v);
		assert_int_equal(name_frame(h, &(struct uw_frame){ .pc = start + 5,
								   .kind = UW_V8_CODE,
								   .status = UW_F_NO_FRAME }),
				 1);
		if (i == 0) {
			assert_string_equal(names[0].name, "outer");
			assert_int_equal(names[0].line, 2);
			assert_null(names[0].reason);
		} else {
			assert_null(names[0].name);
			assert_non_null(names[0].reason);
		}
		assert_int_equal(names[0].tier, V8_TIER_BASELINE);
		v8_heap_free(&h);
	}
}

/*
 * The builtin, which has no frame of its own, calls C++ while the function's frame is on the stack.
 */
static void function_has_the_line_of_its_only_return_while_a_builtin_leaves_it(void **state)
{
	const struct fake_scene *scene;
	struct v8_heap *h;

	(void)state;
	build_world();
	scene = scene_of("a builtin that leaves baseline code");
	assert_non_null(scene);
	h = fake_heap(&v);
	sample.n_frames = 2;
	sample.frames[0] = (struct uw_frame){ .kind = UW_NATIVE };
	sample.frames[1] = scene->frame;
	sample.frames[1].flags = UW_FRAME_RA;
	assert_int_equal(v8_heap_name(h, &sample, 1, names), 1);
	assert_string_equal(names[0].name, "outer");
	assert_int_equal(names[0].tier, V8_TIER_BASELINE);
	assert_int_equal(names[0].line, 4);
	assert_null(names[0].reason);
	v8_heap_free(&h);
}

static void function_with_several_returns_has_no_line_while_a_builtin_leaves_it(void **state)
{
	static const u8 bytecodes[] = { FAKE_RETURN, FAKE_OP, 0, FAKE_RETURN };
	struct v8_heap *h;
	struct uw_frame f;
	u64 sfi, positions, undefined;

	(void)state;
	build_world();
	h = fake_heap(&v);
	undefined = fake_object(&v, 131, 40);
	assert_int_equal(v8_word(h, w.bytecode, v.build.layout.bytecode_positions, &positions), 0);
	sfi = fake_sfi(&v, fake_scope(&v, FUNCTION_SCOPE, 0, fake_string(&v, "two"), undefined),
		       w.script, fake_bytecode(&v, bytecodes, sizeof(bytecodes), positions));
	f = fake_js(FAKE_BLOB_ADDR + FAKE_LEAVE + 8, sfi, 0, 0, 0);
	assert_int_equal(name_frame(h, &f), 2);
	assert_string_equal(names[1].name, "two");
	assert_int_equal(names[1].line, 0);
	assert_non_null(names[1].reason);
	v8_heap_free(&h);
}

#define N_READS 1000 /* symbolizing a frame takes fewer reads */

/*
 * Expects line @line or none for frame 1, whichever single read fails. (If every n-th read failed,
 * later reads would fail as well and hide the effect of the first.) A heap that has already
 * symbolized the frame makes fewer reads.
 */
static void check_failing_reads(u32 line)
{
	int n_reached = 0;

	v.fault_every = N_READS;
	for (int n = 1; n == n_reached + 1; n++) {
		struct v8_heap *h = fake_heap(&v);

		v.reads = N_READS - n;
		v8_heap_name(h, &sample, 1, names);
		assert_true(!names[0].line || names[0].line == line);
		n_reached += v.reads >= N_READS;
		v8_heap_free(&h);
	}
	assert_in_range(n_reached, 10, N_READS - 1);
	v.fault_every = 0;
}

/*
 * Deferred code is after all other code, so the preceding entry of the position table is that of
 * another call.
 */
static void write_barrier_call_has_the_line_of_the_code_to_which_it_jumps_back(void **state)
{
	static const struct {
		u64 callee;
		u8 jump[12];
		u32 line;
		bool is_arm64;
	} cases[] = {
		{ FAKE_BARRIER, { 0xe9, 0xf3, 0xff, 0xff, 0xff }, 2 }, /* to offset 12 */
		{ FAKE_BARRIER, { 0xeb, 0xf6 }, 2 },
		{ FAKE_BARRIER, { 0xeb, 0xfa }, 2 }, /* to the start of the next entry */
		{ FAKE_BARRIER, { 0xeb, 0xfb }, 4 },
		/* After pop %rdi, pop %r9; mov (%rsp), %r9d, add $8, %rsp */
		{ FAKE_BARRIER, { 0x5f, 0x41, 0x59, 0xeb, 0xf3 }, 2 },
		{ FAKE_BARRIER, { 0x44, 0x8b, 0x0c, 0x24, 0x48, 0x83, 0xc4, 8, 0xeb, 0xee }, 2 },
		{ FAKE_BARRIER, { 0x50, 0xeb, 0xf5 }, 4 }, /* with a push */
		{ FAKE_BARRIER, { 0xeb, 0x10 }, 4 }, /* a forward jump */
		{ FAKE_BARRIER, { 0xeb, 0x80 }, 4 }, /* jump out of the code */
		{ FAKE_BARRIER, { 0x90 }, 4 },
		{ FAKE_PLAIN, { 0xeb, 0xf6 }, 4 },
		{ FAKE_BARRIER, { 0xfe, 0xff, 0xff, 0x17 }, 2, true },
		{ FAKE_BARRIER, { 0x04, 0x00, 0x00, 0x14 }, 4, true }, /* a forward jump */
		{ FAKE_BARRIER, { 0xc0, 0xff, 0xff, 0x17 }, 4, true }, /* jump out of the code */
		{ FAKE_BARRIER, { 0xfe, 0xff, 0xff, 0x97 }, 4, true }, /* a call */
		{ FAKE_BARRIER, { 0xe9, 0xf3, 0xff, 0xff, 0xff }, 4, true },
	};
	struct v8_heap *h;

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		build_world();
		h = fake_heap(&v);
		v.build.arch = cases[i].is_arm64 ? &v8_arm64 : &v8_x86_64;
		fake_bytes(&v, w.turbofan_start + 20, cases[i].jump, sizeof(cases[i].jump));
		sample.n_frames = 2;
		sample.frames[0] = (struct uw_frame){ .pc = FAKE_BLOB_ADDR + cases[i].callee + 8,
						      .kind = UW_V8_CODE };
		sample.frames[1] = fake_js(w.turbofan_start + 20, w.outer, 0, 0, UW_FRAME_RA);
		if (cases[i].line == 2)
			check_failing_reads(2);
		assert_int_equal(v8_heap_name(h, &sample, 1, names), cases[i].line == 2 ? 1 : 2);
		assert_int_equal(names[0].line, cases[i].line);
		v8_heap_free(&h);
	}
}

/* Return address: the call ends at offset 33. The jump back leads to 12. */
#define RETURN 33
#define POOL 48 /* offset of the address operand of an instruction */

/* TurboFan's slow path of an allocation; the builtin that it calls is unknown. */
static void deferred_allocation_has_the_line_of_the_code_to_which_it_jumps_back(void **state)
{
	enum { MOV, LOAD, NEAR };
	static const struct {
		u64 callee;
		u8 form, behind[16];
		u32 line;
		bool is_arm64;
	} cases[] = {
		{ FAKE_ALLOCATE, MOV, { 0xeb, 0xe9 }, 2 },
		{ FAKE_ALLOCATE, MOV, { 0xeb, 0xed }, 2 }, /* to the start of the next entry */
		{ FAKE_ALLOCATE, MOV, { 0xeb, 0xee }, 4 },
		{ FAKE_ALLOCATE, LOAD, { 0xeb, 0xe9 }, 2 },
		{ FAKE_ALLOCATE, NEAR, { 0xeb, 0xe9 }, 2 },
		/* lea -1(%rax), %r9; vmovsd -48(%rbp), %xmm0; mov %rax, -8(%rbp) */
		{ FAKE_ALLOCATE,
		  MOV,
		  { 0x4c, 0x8d, 0x48, 0xff, 0xc5, 0xfb, 0x10, 0x45, 0xd0, 0x48, 0x89, 0x45, 0xf8,
		    0xeb, 0xdc },
		  2 },
		{ FAKE_ALLOCATE, MOV, { 0x48, 0x89, 0x47, 0x07, 0xeb, 0xe5 }, 4 }, /* a store */
		{ FAKE_ALLOCATE, MOV, { 0x74, 0x00, 0xeb, 0xe7 }, 4 }, /* je */
		{ FAKE_ALLOCATE, MOV, { 0xff, 0xd0, 0xeb, 0xe7 }, 4 }, /* call *%rax */
		{ FAKE_ALLOCATE, MOV, { 0xff, 0xe0 }, 4 }, /* jmp *%rax */
		{ FAKE_ALLOCATE, MOV, { 0xeb, 0x02 }, 4 }, /* a forward jump */
		{ FAKE_ALLOCATE, MOV, { 0xeb, 0xe9 }, 4, true },
		{ FAKE_ALLOCATE + 1, MOV, { 0xeb, 0xe9 }, 4 },
		{ FAKE_PLAIN, MOV, { 0xeb, 0xe9 }, 4 },
		{ FAKE_PLAIN, LOAD, { 0xeb, 0xe9 }, 4 },
		{ FAKE_PLAIN, NEAR, { 0xeb, 0xe9 }, 4 },
	};
	static const u8 mov[] = { 0x49, 0xba }, load[] = { 0x4c, 0x8b, 0x15, POOL - 30, 0, 0, 0 },
			call_r10[] = { 0x41, 0xff, 0xd2 };

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct v8_heap *h;
		u64 callee = FAKE_BLOB_ADDR + cases[i].callee, ra;

		build_world();
		h = fake_heap(&v);
		v.build.arch = cases[i].is_arm64 ? &v8_arm64 : &v8_x86_64;
		ra = w.turbofan_start + RETURN;
		fake_bytes(&v, ra - 3, call_r10, sizeof(call_r10));
		if (cases[i].form == MOV) {
			fake_bytes(&v, ra - 13, mov, sizeof(mov));
			fake_put(&v, ra - 11, callee);
		} else if (cases[i].form == LOAD) {
			fake_bytes(&v, ra - 10, load, sizeof(load));
			fake_put(&v, w.turbofan_start + POOL, callee);
		} else {
			u32 distance = (u32)(FAKE_COPY_ADDR + cases[i].callee - ra);

			fake_bytes(&v, ra - 5, "\xe8", 1);
			fake_bytes(&v, ra - 4, &distance, sizeof(distance));
		}
		fake_bytes(&v, ra, cases[i].behind, sizeof(cases[i].behind));
		sample.n_frames = 2;
		sample.frames[0] = (struct uw_frame){ .kind = UW_NATIVE };
		sample.frames[1] = fake_js(ra, w.outer, 0, 0, UW_FRAME_RA);
		if (cases[i].line == 2)
			check_failing_reads(2);
		assert_int_equal(v8_heap_name(h, &sample, 1, names), cases[i].line == 2 ? 1 : 2);
		assert_int_equal(names[0].line, cases[i].line);
		v8_heap_free(&h);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_that_has_no_frame_yet_is_identified_by_the_call_register),
		cmocka_unit_test(function_in_the_call_register_is_used_only_if_pc_is_in_its_code),
		cmocka_unit_test(
			function_has_the_line_of_its_only_return_while_a_builtin_leaves_it),
		cmocka_unit_test(
			function_with_several_returns_has_no_line_while_a_builtin_leaves_it),
		cmocka_unit_test(
			write_barrier_call_has_the_line_of_the_code_to_which_it_jumps_back),
		cmocka_unit_test(
			deferred_allocation_has_the_line_of_the_code_to_which_it_jumps_back),
	};

	return CHECK_RUN(tests);
}
