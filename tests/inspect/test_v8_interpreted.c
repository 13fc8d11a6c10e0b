/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Lines of a function in a bytecode handler whose instructions are analyzed. outer() runs bytecode
 * 4 (line 4) in LdarHandler, while the frame's slot still holds offset 1 (line 2).
 */

#include <string.h>

#include "../../inspect/v8/arch/v8_arches.h"
#include "../check.h"
#include "fake_world.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define WORD (64 - 1 + 4)
#define STUB (18 << 1)
#define INTERNAL 22 /* frame type */
#define ENTRY_NAME "InterpreterEntryTrampoline"

/* Offsets of the handler's instructions. */
enum { AT_ENTRY = 0, AT_SUM = 3, AT_CALL = 17, AFTER_CALL = 22, AT_LOST = 26 };

static const u8 handler[] = {
	0x49, 0xff, 0xc0, /* inc %r8 */
	0x49, 0x83, 0xc1, 0x03, /* add $3, %r9 */
	0x55, /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	0x4c, 0x89, 0x4d, 0xe0, /* mov %r9, -0x20(%rbp) */
	0x8b, 0xc1, /* mov %ecx, %eax */
	0xe8, 0x00, 0x00, 0x00, 0x00, /* call */
	0x48, 0x89, 0xec, 0x5d, /* mov %rbp, %rsp; pop %rbp */
	0x90, /* nop */
};

static struct fake_v8 v;
static struct fake_world w;
static struct uw_sample sample;
static struct v8_name names[V8_MAX_NAMES];

static struct v8_heap *start(void)
{
	memset(&sample, 0, sizeof(sample));
	fake_world(&v, &w);
	memcpy(v.handler, handler, sizeof(handler));
	return fake_heap(&v);
}

/* Returns the line if the handler, running on the function's frame, is interrupted at @off. */
static u32 line_at(struct v8_heap *h, u32 off, u64 word)
{
	sample.interp[0] = word;
	sample.n_frames = 1;
	sample.frames[0] = fake_js(FAKE_BLOB_ADDR + FAKE_HANDLER + off, w.outer,
				   fake_offset_slot(1), w.bytecode, 0);
	assert_int_equal(v8_heap_name(h, &sample, 0, names), 1);
	assert_string_equal(names[0].name, "outer");
	assert_true(!names[0].line == !!names[0].reason);
	return names[0].line;
}

/*
 * Returns the line of the function that called the handler with frame @own. The handler has called
 * a function or was interrupted.
 */
static u32 line_below(struct v8_heap *h, struct uw_frame own, u64 word)
{
	sample.interp[0] = word;
	sample.n_frames = 2;
	sample.frames[0] = own;
	sample.frames[1] = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, w.outer, fake_offset_slot(1),
				   w.bytecode, UW_FRAME_RA);
	assert_int_equal(v8_heap_name(h, &sample, 1, names), 1);
	assert_string_equal(names[0].name, "outer");
	return names[0].line;
}

static struct uw_frame own_frame(u32 off, u64 saved, u8 flags)
{
	sample.saved[0] = sample.saved[2] = 0x1234;
	sample.saved[1] = saved;
	return (struct uw_frame){ .pc = FAKE_BLOB_ADDR + FAKE_HANDLER + off,
				  .a = STUB,
				  .kind = UW_V8_STUB,
				  .flags = flags };
}

static void bytecode_offset_in_a_register_is_corrected_for_executed_instructions(void **state)
{
	struct v8_heap *h = start();

	(void)state;
	assert_int_equal(line_at(h, AT_ENTRY, WORD), 4);
	assert_int_equal(line_at(h, AT_SUM, WORD), 4);
	assert_int_equal(line_at(h, AT_SUM + 4, WORD + 3), 4);
	/* The slot has the offset of bytecode 1, which must not be used here. */
	assert_int_equal(line_at(h, AT_ENTRY, WORD - 3), 2);
	assert_int_equal(line_at(h, AT_ENTRY, WORD + 1000), 0);
	assert_int_equal(line_at(h, AT_ENTRY, 1ull << 40), 0);
	v8_heap_free(&h);
}

static void overwritten_register_is_used_if_it_points_to_the_opcode_of_the_handler(void **state)
{
	static const u8 op = FAKE_OP, wide = 0;
	struct v8_heap *h = start();

	(void)state;
	assert_int_equal(line_at(h, AT_LOST, WORD), 4);
	assert_int_equal(line_at(h, AT_LOST, WORD + 1), 0);
	assert_int_equal(line_at(h, AT_LOST, WORD - 3), 0);
	/*
	 * An operand that equals the handler's opcode does not count as the bytecode, but an opcode
	 * after a prefix does.
	 */
	fake_bytes(&v, w.bytecode + WORD + 1, &op, 1);
	assert_int_equal(line_at(h, AT_LOST, WORD + 1), 0);
	fake_bytes(&v, w.bytecode + WORD, &wide, 1);
	v.build.bytecode_sizes[1][FAKE_OP] = 2;
	assert_int_equal(line_at(h, AT_LOST, WORD + 1), 4);
	v8_heap_free(&h);
}

static void bytecode_offset_saved_by_a_handler_is_used_while_a_callee_runs(void **state)
{
	struct v8_heap *h = start();

	(void)state;
	assert_int_equal(line_below(h, own_frame(AFTER_CALL, WORD + 3, UW_FRAME_RA), 7), 4);
	assert_int_equal(line_below(h, own_frame(AFTER_CALL, WORD, UW_FRAME_RA), 7), 2);
	assert_int_equal(line_below(h, own_frame(AFTER_CALL, 0x1234, UW_FRAME_RA), 7), 0);
	/* If the handler is interrupted before its call, the register also has the offset. */
	assert_int_equal(line_below(h, own_frame(AT_CALL, 0x1234, 0), WORD + 3), 4);
	v8_heap_free(&h);
}

static void saved_bytecode_offset_is_not_read_from_the_frame_of_another_function(void **state)
{
	struct uw_frame own = own_frame(AFTER_CALL, WORD + 3, UW_FRAME_RA);
	struct v8_heap *h = start();

	(void)state;
	own.status = UW_F_NO_FRAME;
	own.kind = UW_V8_CODE;
	assert_int_equal(line_below(h, own, 7), 0);
	/*
	 * The frame is that of another function, which this function called, so the slot is used.
	 */
	own = fake_js(own.pc, w.inner, 0, w.inner_bytecode, 0);
	assert_int_equal(line_below(h, own, 7), 2);
	v8_heap_free(&h);
}

static void registers_and_saved_offset_are_used_only_for_the_innermost_function(void **state)
{
	struct v8_heap *h = start();

	(void)state;
	sample.interp[0] = WORD;
	sample.frames[0] = fake_js(FAKE_BLOB_ADDR + FAKE_HANDLER, w.inner, fake_offset_slot(0),
				   w.inner_bytecode, 0);
	sample.frames[1] = own_frame(AFTER_CALL, WORD + 3, UW_FRAME_RA);
	sample.frames[2] = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, w.outer, fake_offset_slot(1),
				   w.bytecode, UW_FRAME_RA);
	sample.n_frames = 3;
	assert_int_equal(v8_heap_name(h, &sample, 2, names), 1);
	assert_string_equal(names[0].name, "outer");
	assert_int_equal(names[0].line, 0);
	v8_heap_free(&h);
}

/* The sampled registers are those of the signal handler. */
static void registers_are_not_used_for_a_function_that_a_signal_interrupted(void **state)
{
	struct v8_heap *h = start();

	(void)state;
	sample.interp[0] = WORD;
	sample.frames[0] = (struct uw_frame){ .pc = 0x1000, .kind = UW_NATIVE };
	sample.frames[1] =
		fake_js(FAKE_BLOB_ADDR + FAKE_HANDLER, w.outer, fake_offset_slot(1), w.bytecode, 0);
	sample.n_frames = 2;
	for (u32 is_followed = 0; is_followed < 2; is_followed++) {
		v.build.arch = is_followed ? &v8_x86_64 : &v8_arm64;
		assert_int_equal(v8_heap_name(h, &sample, 1, names), 1);
		assert_string_equal(names[0].name, "outer");
		assert_int_equal(names[0].line, 0);
		assert_non_null(names[0].reason);
	}
	v8_heap_free(&h);
}

static void bytecode_offset_is_read_from_the_slot_after_the_handler_has_written_it(void **state)
{
	struct v8_heap *h = start();

	(void)state;
	/* mov %r9d, -0x24(%rbp) */
	memcpy(v.handler + AT_SUM, "\x44\x89\x4d\xdc", 4);
	assert_int_equal(line_at(h, AT_SUM, WORD), 4);
	assert_int_equal(line_at(h, AT_SUM + 4, 7), 2);
	v8_heap_free(&h);
}

static void function_has_no_line_if_the_bytecode_handler_is_unreadable(void **state)
{
	struct v8_heap *h = start();

	(void)state;
	v.build.builtins = (struct v8_builtin[]){
		{ FAKE_ENTRY, 0x100, "InterpreterEntryTrampoline", V8_BUILTIN_INTERPRETER },
		{ FAKE_HANDLER, FAKE_HANDLER_LEN + 8, "LdarHandler", V8_BUILTIN_INTERPRETER, true },
	};
	v.build.n_builtins = 2;
	assert_int_equal(line_at(h, AT_ENTRY, WORD), 0);
	assert_int_equal(line_below(h, own_frame(AFTER_CALL, WORD + 3, UW_FRAME_RA), 7), 0);
	v8_heap_free(&h);
}

/*
 * At its entry, the callee has no frame yet: fp and the function slot are those of its caller.
 * Return: the result of v8_heap_name().
 */
static int name_at_entry(struct v8_heap *h, u64 pc, u64 ra, u8 flags)
{
	sample.n_frames = 1;
	sample.frames[0] = fake_js(pc, w.outer, fake_offset_slot(4), w.bytecode, flags);
	sample.sp_words[0] = ra;
	return v8_heap_name(h, &sample, 0, names);
}

/*
 * With --interpreted-frames-native-stack, each function has its own copy of
 * InterpreterEntryTrampoline.
 */
static void caller_of_a_copy_of_the_interpreter_entry_is_found_by_the_return_address(void **state)
{
	struct v8_heap *h = start();
	u64 data = fake_object(&v, v.build.layout.type_interpreter_data, 24), own, ours, other, odd;

	(void)state;
	own = fake_code(&v, KIND_STUB, FAKE_ENTRY_LEN, 0, 0, &ours);
	fake_put(&v, data - 1 + 8, w.bytecode);
	fake_put(&v, data - 1 + 16, own);
	fake_put(&v, w.outer - 1 + v.build.layout.sfi_data, data);
	fake_code(&v, KIND_STUB, FAKE_ENTRY_LEN, 0, 0, &other);
	fake_code(&v, KIND_STUB, FAKE_ENTRY_LEN - 1, 0, 0, &odd);
	assert_int_equal(name_at_entry(h, other + 8, w.turbofan_start + 13, 0), 2);
	assert_string_equal(names[0].name, "InterpreterEntryTrampoline");
	assert_int_equal((int)names[0].kind, V8_NAME_BUILTIN);
	assert_string_equal(names[1].name, "outer");
	assert_int_equal(names[1].line, 2);
	assert_int_equal(names[1].tier, V8_TIER_TURBOFAN);
	assert_int_equal(name_at_entry(h, other + 8, ours + 16, 0), 2);
	assert_string_equal(names[1].name, "outer");
	assert_int_equal(names[1].line, 4);
	assert_int_equal(names[1].tier, V8_TIER_INTERPRETED);
	assert_int_equal(name_at_entry(h, ours + 8, 0, 0), 1);
	assert_int_equal(names[0].line, 4);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(name_at_entry(h, (i == 2 ? odd : other) + 8,
					       i ? ours + 16 : other + 16,
					       i == 1 ? UW_FRAME_RA : 0),
				 1);
		assert_string_equal(names[0].name, "outer");
		assert_int_equal(names[0].line, 0);
		assert_non_null(names[0].reason);
	}
	v8_heap_free(&h);
}

/*
 * A copy of the entry can run on the frame of the stub that called it, on a frame of its own around
 * a call of C++, or without a frame.
 */
static void frame_of_a_copy_of_the_interpreter_entry_has_the_name_of_the_original(void **state)
{
	static const struct {
		u32 less, kind, type;
		bool is_caller, is_stub_below;
		int n;
		const char *name;
	} cases[] = {
		{ 0, UW_V8_STUB, INTERNAL, true, true, 1, ENTRY_NAME },
		{ 0, UW_V8_STUB, INTERNAL, false, false, 1, ENTRY_NAME },
		{ 0, UW_V8_STUB, STUB / 2, false, true, 2, ENTRY_NAME },
		{ 0, UW_V8_STUB, STUB / 2, true, true, 1, "StubFrame" },
		{ 1, UW_V8_STUB, INTERNAL, true, true, 1, "InternalFrame" },
		{ 1, UW_V8_STUB, STUB / 2, false, true, 1, "StubFrame" },
		{ 0, UW_V8_CODE, 0, false, false, 1, ENTRY_NAME },
		{ 1, UW_V8_CODE, 0, false, false, 1, NULL },
	};
	struct v8_heap *h = start();

	(void)state;
	v.build.frame_types[INTERNAL] = "InternalFrame";
	for (size_t i = 0; i < N(cases); i++) {
		struct uw_frame *f = &sample.frames[0];

		*f = (struct uw_frame){ .kind = (u8)cases[i].kind, .a = cases[i].type * 2 };
		f->flags = cases[i].is_caller ? UW_FRAME_RA : 0;
		fake_code(&v, KIND_STUB, FAKE_ENTRY_LEN - cases[i].less, 0, 0, &f->pc);
		f->pc += 8;
		sample.n_frames = 1;
		sample.sp_words[0] = cases[i].is_stub_below ? FAKE_BLOB_ADDR + FAKE_PLAIN + 8 : 4;
		assert_int_equal(v8_heap_name(h, &sample, 0, names), cases[i].n);
		assert_int_equal((int)names[0].kind, V8_NAME_STUB);
		assert_int_equal(!names[0].name, !cases[i].name);
		if (cases[i].name)
			assert_string_equal(names[0].name, cases[i].name);
		assert_int_equal(!names[0].reason, !!cases[i].name);
		if (cases[i].n == 2)
			assert_string_equal(names[1].name, "StringAdd");
	}
	v8_heap_free(&h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			frame_of_a_copy_of_the_interpreter_entry_has_the_name_of_the_original),
		cmocka_unit_test(
			caller_of_a_copy_of_the_interpreter_entry_is_found_by_the_return_address),
		cmocka_unit_test(
			bytecode_offset_in_a_register_is_corrected_for_executed_instructions),
		cmocka_unit_test(
			overwritten_register_is_used_if_it_points_to_the_opcode_of_the_handler),
		cmocka_unit_test(bytecode_offset_saved_by_a_handler_is_used_while_a_callee_runs),
		cmocka_unit_test(
			saved_bytecode_offset_is_not_read_from_the_frame_of_another_function),
		cmocka_unit_test(
			registers_and_saved_offset_are_used_only_for_the_innermost_function),
		cmocka_unit_test(registers_are_not_used_for_a_function_that_a_signal_interrupted),
		cmocka_unit_test(
			bytecode_offset_is_read_from_the_slot_after_the_handler_has_written_it),
		cmocka_unit_test(function_has_no_line_if_the_bytecode_handler_is_unreadable),
	};

	return CHECK_RUN(tests);
}
