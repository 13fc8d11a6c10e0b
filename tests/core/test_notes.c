// SPDX-License-Identifier: BSD-2-Clause

/*
 * The notes of a walk (core/uw_note.h): each decision and its value, in order. The
 * expected lists were written by hand from the rules in core/ and the words of the
 * stacks.
 */

#include "walks.h"

#include "../../fixtures/stacks/all.h"
#include "../../sim/explain/trace.h"

struct noted {
	enum uw_note note;
	u64 value;
};

#define IN_RECORD (u32)(-1)
#define IN_LR (u32)(-2)
#define STEP(pc, map)                                                                              \
	{ UW_NOTE_STEP, pc },                                                                      \
	{                                                                                          \
		UW_NOTE_MAP_FOUND, map                                                             \
	}
#define STEP_ON(pc, map)                                                                           \
	{ UW_NOTE_STEP, pc },                                                                      \
	{                                                                                          \
		UW_NOTE_MAP_SAME, map                                                              \
	}
#define INSN(insn, slot)                                                                           \
	{ UW_NOTE_INSN, insn },                                                                    \
	{                                                                                          \
		UW_NOTE_RA_SLOT, slot                                                              \
	}
#define RECORD(fp, ra)                                                                             \
	{ UW_NOTE_RECORD, fp }, { UW_NOTE_RECORD_RA, ra },                                         \
	{                                                                                          \
		UW_NOTE_CALLER, ra                                                                 \
	}
#define RULED_BY(rule)                                                                             \
	{                                                                                          \
		UW_NOTE_ROW, rule                                                                  \
	}
#define FP_16 ((u64)16 << 32 | UW_CFA_FP)
#define SP_16 ((u64)16 << 32 | UW_CFA_SP)
/* An unwind row that takes the caller's fp and the return address from a frame record. */
#define ROW_RECORD(fp, ra)                                                                         \
	RULED_BY(FP_16), { UW_NOTE_ROW_FP, fp }, { UW_NOTE_ROW_RA, (fp) + 8 },                     \
		{ UW_NOTE_RECORD_RA, ra },                                                         \
	{                                                                                          \
		UW_NOTE_CALLER, ra                                                                 \
	}
#define ROOT_IN_LIBC                                                                               \
	STEP(LIBC(0x128), LIBC_TEXT), { UW_NOTE_NATIVE, MODULE_LIBC }, RULED_BY(UW_CFA_ROOT),      \
	{                                                                                          \
		UW_NOTE_END, UW_END                                                                \
	}
#define GUESSED_ROOT                                                                               \
	STEP(LIBC(0x128), LIBC_TEXT), { UW_NOTE_NATIVE, MODULE_LIBC }, RULED_BY(UW_CFA_ROOT),      \
	{                                                                                          \
		UW_NOTE_END, UW_T_GUESSED                                                          \
	}
#define NOT_LOADED(pc)                                                                             \
	{ UW_NOTE_NO_ROWS, (pc)-APP_TEXT + APP_FILE_OFF },                                         \
	{                                                                                          \
		UW_NOTE_NO_ROW, (pc)-APP_TEXT + APP_FILE_OFF                                       \
	}
#define RETURN_NOT_LOADED(pc)                                                                      \
	{ UW_NOTE_NO_ROWS, (pc)-APP_TEXT + APP_FILE_OFF - 1 },                                     \
	{                                                                                          \
		UW_NOTE_NO_ROW, (pc)-APP_TEXT + APP_FILE_OFF                                       \
	}
/* clang-format off */
#define LEAF_IN_APP STEP(APP(0x108), APP_TEXT), { UW_NOTE_NATIVE, MODULE_APP }
#define AGAIN_IN_APP(pc) STEP_ON(pc, APP_TEXT), { UW_NOTE_NATIVE, MODULE_APP }
#define TOP_IN_APP(insn, slot)                                                                     \
	STEP(APP(0x100), APP_TEXT), { UW_NOTE_NATIVE, MODULE_APP }, NOT_LOADED(APP(0x100)),        \
	INSN(insn, slot)
/* A calling method of CoreCLR that has pushed rbp, found by an unwind rule. */
#define CLR_BY_RULE                                                                                \
	{ UW_NOTE_DOTNET_METHOD, CLR(0x100) }, { UW_NOTE_DOTNET_UNWIND, CLR(0x140) },              \
		RULED_BY(SP_16), { UW_NOTE_ROW_FP, S(1) }, { UW_NOTE_ROW_RA, S(2) },               \
		{ UW_NOTE_RECORD_RA, LIBC(0x128) }, { UW_NOTE_CALLER, LIBC(0x128) }, ROOT_IN_LIBC
#define LEAF_IN_JIT STEP(JIT(0x104), JIT_TEXT), { UW_NOTE_V8, 1 }, INSN(0, IN_RECORD)
#define FUNCTION(function, shared)                                                                 \
	{ UW_NOTE_V8_FUNCTION, function }, { UW_NOTE_V8_SHARED, shared }
#define CALLER_IN_JIT(fp)                                                                          \
	STEP_ON(JIT(0x700), JIT_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_SLOTS, 48 },                \
	FUNCTION(FUNCTION_B, SHARED_B), { UW_NOTE_V8_BYTECODE, SMI(9) }, RECORD(fp, LIBC(0x128)),  \
	ROOT_IN_LIBC

static const struct noted dotnet_returns[] = {
	STEP(CLR(0x110), CLR_TEXT), { UW_NOTE_DOTNET_METHOD, CLR(0x100) },
	{ UW_NOTE_DOTNET_EPILOGUE, 0 }, RULED_BY((u64)8 << 32 | UW_CFA_SP), { UW_NOTE_ROW_RA, S(0) },
	{ UW_NOTE_RECORD_RA, CLR(0x120) }, { UW_NOTE_CALLER, CLR(0x120) }, STEP_ON(CLR(0x120), CLR_TEXT), CLR_BY_RULE,
};
static const struct noted dotnet_stub[] = {
	STEP(CLR(0x8108), CLR_TEXT + 0x8000), { UW_NOTE_DOTNET_STUB, DOTNET_STUB_FIXUP_PRECODE },
	RULED_BY((u64)8 << 32 | UW_CFA_SP), { UW_NOTE_ROW_RA, S(0) },
	{ UW_NOTE_RECORD_RA, CLR(0x120) }, { UW_NOTE_CALLER, CLR(0x120) },
	STEP(CLR(0x120), CLR_TEXT), CLR_BY_RULE,
};
static const struct noted chain[] = {
	LEAF_IN_APP, ROW_RECORD(S(2), APP(0x200)),
	AGAIN_IN_APP(APP(0x200)), ROW_RECORD(S(6), APP(0x310)),
	AGAIN_IN_APP(APP(0x310)), ROW_RECORD(S(10), LIBC(0x128)),
	ROOT_IN_LIBC,
};
static const struct noted no_root[] = {
	LEAF_IN_APP, ROW_RECORD(S(0), APP(0x200)),
	AGAIN_IN_APP(APP(0x200)), ROW_RECORD(S(2), APP(0x310)),
	AGAIN_IN_APP(APP(0x310)), RULED_BY(FP_16), { UW_NOTE_CFA_REFUSED, 16 },
	{ UW_NOTE_END, UW_E_CFA },
};
static const struct noted unknown_caller[] = {
	LEAF_IN_APP, ROW_RECORD(S(0), APP(0x200)),
	AGAIN_IN_APP(APP(0x200)), ROW_RECORD(S(2), 0x200000000010),
	{ UW_NOTE_STEP, 0x200000000010 }, { UW_NOTE_MAP_NONE, 0x20000000000f },
	{ UW_NOTE_END, UW_T_UNKNOWN_PC },
};
static const struct noted blind[] = {
	{ UW_NOTE_STEP, APP(0x108) }, { UW_NOTE_BLIND, 0 }, RECORD(S(2), APP(0x200)),
	{ UW_NOTE_STEP, APP(0x200) }, { UW_NOTE_BLIND, 0 }, RECORD(S(6), APP(0x310)),
	{ UW_NOTE_STEP, APP(0x310) }, { UW_NOTE_BLIND, 0 }, RECORD(S(10), LIBC(0x128)),
	{ UW_NOTE_STEP, LIBC(0x128) }, { UW_NOTE_BLIND, 0 }, { UW_NOTE_NO_FP, 1 },
	{ UW_NOTE_END, UW_T_NO_FP },
};
static const struct noted unaligned[] = {
	LEAF_IN_APP, RULED_BY(FP_16), { UW_NOTE_CFA_REFUSED, S(6) + 1 }, { UW_NOTE_END, UW_E_CFA },
};
static const struct noted low_ra[] = {
	LEAF_IN_APP, ROW_RECORD(S(0), APP(0x200)),
	AGAIN_IN_APP(APP(0x200)), RULED_BY(FP_16), { UW_NOTE_ROW_FP, S(2) },
	{ UW_NOTE_ROW_RA, S(3) }, { UW_NOTE_RECORD_RA, 0xfff }, { UW_NOTE_RA_REFUSED, 0xfff },
	{ UW_NOTE_END, UW_E_BAD_RA },
};
static const struct noted unmapped[] = {
	LEAF_IN_APP, ROW_RECORD(S(0), APP(0x200)),
	AGAIN_IN_APP(APP(0x200)), RULED_BY(FP_16), { UW_NOTE_ROW_FP, S(512) },
	{ UW_NOTE_END, UW_E_FAULT },
};
static const struct noted push_rbp[] = {
	TOP_IN_APP(0x55, 0), { UW_NOTE_MAP_SAME, APP_TEXT }, { UW_NOTE_CALLER, APP(0x200) },
	AGAIN_IN_APP(APP(0x200)), RETURN_NOT_LOADED(APP(0x200)), RECORD(S(2), LIBC(0x128)),
	GUESSED_ROOT,
};
static const struct noted mov_rbp[] = {
	TOP_IN_APP(0xe58948, 8), { UW_NOTE_MAP_SAME, APP_TEXT }, { UW_NOTE_CALLER, APP(0x200) },
	AGAIN_IN_APP(APP(0x200)), RETURN_NOT_LOADED(APP(0x200)), RECORD(S(2), LIBC(0x128)),
	GUESSED_ROOT,
};
static const struct noted not_code[] = {
	TOP_IN_APP(0x55, 0), { UW_NOTE_MAP_NONE, HEAP(0x10) - 1 }, { UW_NOTE_RA_NO_CODE, HEAP(0x10) },
	RECORD(S(2), LIBC(0x128)), GUESSED_ROOT,
};
static const struct noted ra_fault[] = {
	TOP_IN_APP(0x55, 0), { UW_NOTE_RA_FAULT, S(512) }, RECORD(S(1024), LIBC(0x128)),
	GUESSED_ROOT,
};
static const struct noted insn_fault[] = {
	STEP(APP(0x1100), APP_TEXT), { UW_NOTE_NATIVE, MODULE_APP }, NOT_LOADED(APP(0x1100)),
	{ UW_NOTE_INSN_FAULT, APP(0x1100) }, RECORD(S(2), LIBC(0x128)), GUESSED_ROOT,
};
static const struct noted signed_lr[] = {
	TOP_IN_APP(0xd503233f, IN_LR), { UW_NOTE_MAP_FOUND, FAR48_TEXT },
	{ UW_NOTE_CALLER, FAR48_TEXT + 0x434 },
	STEP_ON(FAR48_TEXT + 0x434, FAR48_TEXT), { UW_NOTE_NATIVE, MODULE_FAR },
	ROW_RECORD(S(2), LIBC(0x128)), GUESSED_ROOT,
};
static const struct noted signed_record[] = {
	LEAF_IN_APP, RULED_BY(FP_16), { UW_NOTE_ROW_FP, S(0) }, { UW_NOTE_ROW_RA, S(1) },
	{ UW_NOTE_RECORD_RA, 0xf17d555500001234 }, { UW_NOTE_CALLER, FAR48_TEXT + 0x234 },
	STEP(FAR48_TEXT + 0x234, FAR48_TEXT), { UW_NOTE_NATIVE, MODULE_FAR },
	RULED_BY(UW_CFA_ROOT), { UW_NOTE_END, UW_END },
};
static const struct noted undescribed[] = {
	STEP(APP(0x2800), APP_TEXT), { UW_NOTE_NATIVE, MODULE_APP }, RULED_BY(UW_CFA_NONE),
	{ UW_NOTE_NO_ROW, 0x3800 }, INSN(0, IN_RECORD), { UW_NOTE_NO_FP, 7 },
	{ UW_NOTE_END, UW_T_NO_ROW },
};
static const struct noted lr_leaf[] = {
	STEP(APP(RULED(RULE_LEAF)), APP_TEXT), { UW_NOTE_NATIVE, MODULE_APP },
	RULED_BY(UW_CFA_SP), { UW_NOTE_ROW_LR, APP(0x200) }, { UW_NOTE_CALLER, APP(0x200) },
	AGAIN_IN_APP(APP(0x200)), ROW_RECORD(S(0), LIBC(0x128)), ROOT_IN_LIBC,
};
static const struct noted in_signal[] = {
	LEAF_IN_APP, ROW_RECORD(S(100), APP(RULED(RULE_SIGNAL))),
	AGAIN_IN_APP(APP(RULED(RULE_SIGNAL))), RULED_BY(UW_CFA_SIGNAL), { UW_NOTE_SIGNAL, S(108) },
	{ UW_NOTE_CALLER, APP(RULED(RULE_SP)) },
	AGAIN_IN_APP(APP(RULED(RULE_SP))), RULED_BY(SP_16), { UW_NOTE_ROW_RA, S(1) },
	{ UW_NOTE_RECORD_RA, APP(0x200) }, { UW_NOTE_CALLER, APP(0x200) },
	AGAIN_IN_APP(APP(0x200)), ROW_RECORD(S(2), LIBC(0x128)), ROOT_IN_LIBC,
};
static const struct noted context_pushed[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 8 }, RECORD(S(6), JIT(0x700)),
	{ UW_NOTE_REASON, UW_F_NO_FRAME }, CALLER_IN_JIT(S(14)),
};
static const struct noted nothing_pushed[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 0 }, RECORD(S(6), JIT(0x700)),
	{ UW_NOTE_REASON, UW_F_NO_FRAME }, CALLER_IN_JIT(S(14)),
};
static const struct noted function_pushed[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 16 }, FUNCTION(FUNCTION_A, SHARED_A),
	RECORD(S(6), JIT(0x700)), CALLER_IN_JIT(S(14)),
};
static const struct noted all_slots[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 40 }, FUNCTION(FUNCTION_A, SHARED_A),
	{ UW_NOTE_V8_BYTECODE, SMI(8) }, RECORD(S(6), JIT(0x700)), CALLER_IN_JIT(S(14)),
};
static const struct noted marker_pushed[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 8 }, { UW_NOTE_V8_MARKER, MARKER_EXIT },
	RECORD(S(6), JIT(0x700)), CALLER_IN_JIT(S(14)),
};
static const struct noted bottom[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_NO_SLOTS, S(0) }, RECORD(S(0), JIT(0x700)),
	{ UW_NOTE_REASON, UW_F_NO_FRAME }, CALLER_IN_JIT(S(7)),
};
static const struct noted function_tag[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 48 }, { UW_NOTE_V8_FUNCTION, SMI(7) },
	{ UW_NOTE_V8_BYTECODE, SMI(8) }, RECORD(S(6), LIBC(0x128)),
	{ UW_NOTE_REASON, UW_F_FUNCTION_TAG }, ROOT_IN_LIBC,
};
static const struct noted unknown_build[] = {
	STEP(JIT(0x8104), JIT_TEXT + 0x8000), { UW_NOTE_V8_NO_INFO, 0 },
	{ UW_NOTE_REASON, UW_F_NO_FRAME }, { UW_NOTE_END, UW_T_NO_RUNTIME_INFO },
};
static const struct noted v8_below_sp[] = {
	LEAF_IN_JIT, { UW_NOTE_FP_REFUSED, S(1) }, { UW_NOTE_REASON, UW_F_NO_FRAME },
	{ UW_NOTE_END, UW_E_FP_BELOW_SP },
};
static const struct noted away[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 48 }, FUNCTION(FUNCTION_A, SHARED_A),
	{ UW_NOTE_V8_BYTECODE, SMI(8) }, RECORD(S(6), JIT(0x800)),
	STEP_ON(JIT(0x800), JIT_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_OTHER_STACK, HEAP(0xf00) },
	{ UW_NOTE_V8_SLOTS, 48 }, { UW_NOTE_V8_MARKER, MARKER_WASM_TO_JS },
	RECORD(HEAP(0xf00), JIT(0x900)),
	STEP_ON(JIT(0x900), JIT_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_SLOTS, 48 },
	{ UW_NOTE_V8_MARKER, MARKER_JSPI }, { UW_NOTE_V8_BOTTOM, HEAP(0xf40) },
	{ UW_NOTE_END, UW_T_STACK_SWITCHED },
};
static const struct noted deoptimized[] = {
	LEAF_IN_APP, ROW_RECORD(S(2), BUILTINS(0x500)),
	STEP(BUILTINS(0x500), BUILTINS_TEXT), { UW_NOTE_V8, 1 },
	{ UW_NOTE_V8_DEOPT, HEAP(0xb00) }, { UW_NOTE_CALLER, JIT(0x700) }, FUNCTION(FUNCTION_A, SHARED_A),
	STEP(JIT(0x700), JIT_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_SLOTS, 48 },
	FUNCTION(FUNCTION_B, SHARED_B), { UW_NOTE_V8_BYTECODE, SMI(9) }, RECORD(S(12), LIBC(0x128)),
	ROOT_IN_LIBC,
};
static const struct noted left[] = {
	LEAF_IN_APP, ROW_RECORD(S(2), OLD_JIT(0x500)),
	STEP(OLD_JIT(0x500), OLD_JIT_TEXT), { UW_NOTE_V8, 2 }, { UW_NOTE_V8_SLOTS, 48 },
	FUNCTION(FUNCTION_A, SHARED_A), { UW_NOTE_V8_BYTECODE, SMI(9) },
	{ UW_NOTE_V8_DEOPT_EXIT, JIT(0x844) }, RECORD(S(44), LIBC(0x128)), ROOT_IN_LIBC,
};
static const struct noted recursion[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 48 }, FUNCTION(FUNCTION_B, SHARED_B),
	{ UW_NOTE_V8_BYTECODE, SMI(8) }, RECORD(S(6), JIT(0x700)),
	STEP_ON(JIT(0x700), JIT_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_SLOTS, 48 },
	{ UW_NOTE_V8_FUNCTION, FUNCTION_B }, { UW_NOTE_V8_MEMO, SHARED_B },
	{ UW_NOTE_V8_BYTECODE, SMI(9) }, RECORD(S(14), LIBC(0x128)), ROOT_IN_LIBC,
};
static const struct noted several[] = {
	LEAF_IN_JIT, { UW_NOTE_V8_SLOTS, 40 }, FUNCTION(FUNCTION_A, SHARED_A),
	{ UW_NOTE_V8_BYTECODE, SMI(8) }, RECORD(S(6), BUILTINS(0x500)),
	STEP(BUILTINS(0x500), BUILTINS_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_SLOTS, 48 },
	FUNCTION(O(O_CLOSURES, 0), O(O_AWAITS, 0)), { UW_NOTE_V8_BYTECODE, 0x41 },
	RECORD(S(14), BUILTINS(0x708)),
	STEP_ON(BUILTINS(0x708), BUILTINS_TEXT), { UW_NOTE_V8_CHAIN, UNDEFINED },
	{ UW_NOTE_V8_AWAITER, SHARED_B }, { UW_NOTE_REASON, UW_F_WAITS_SEVERAL },
	STEP_ON(BUILTINS(0x708), BUILTINS_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_SLOTS, 48 },
	{ UW_NOTE_V8_MARKER, MARKER_STUB }, RECORD(S(20), BUILTINS(0x900)),
	STEP_ON(BUILTINS(0x900), BUILTINS_TEXT), { UW_NOTE_V8, 1 }, { UW_NOTE_V8_SLOTS, 48 },
	{ UW_NOTE_V8_MARKER, MARKER_ENTRY }, RECORD(S(24), LIBC(0x128)), ROOT_IN_LIBC,
};
static const u64 recursion_words[] = {
	0x31, V8_JS_FRAME(SMI(8), ARRAY, SMI(1), FUNCTION_B, CONTEXT, S(14), JIT(0x700)), 0x32,
	V8_JS_FRAME(SMI(9), ARRAY, SMI(1), FUNCTION_B, CONTEXT, 1, LIBC(0x128))
};
/* clang-format on */

static const struct stack own_stack = {
	.name = "recursion",
	.archs = STACK_BOTH,
	.regs = { JIT(0x104), S(0), S(6), 0 },
	STACK_WORDS(recursion_words),
	.pokes = { FUNCTION_WORDS },
};

struct row {
	const char *stack;
	const struct noted *notes;
	u32 n;
};

#define ROW(name, list)                                                                            \
	{                                                                                          \
		name, list, sizeof(list) / sizeof((list)[0])                                       \
	}

static const struct row rows[] = {
	ROW("chain_to_main_in_libc_is_complete", chain),
	ROW("chain_that_ends_where_nothing_is_a_root_is_broken", no_root),
	ROW("unknown_pc_of_a_caller_is_no_frame", unknown_caller),
	ROW("unknown_process_is_walked_by_its_records_alone", blind),
	ROW("unaligned_fp_ends_the_walk", unaligned),
	ROW("return_address_in_the_first_page_ends_the_walk", low_ra),
	ROW("unmapped_page_faults", unmapped),
	ROW("push_rbp_returns_to_the_word_at_sp", push_rbp),
	ROW("mov_rsp_rbp_returns_to_the_second_word_at_sp", mov_rbp),
	ROW("word_at_sp_that_is_no_code_is_not_returned_to", not_code),
	ROW("word_at_sp_that_cannot_be_read_leaves_the_record", ra_fault),
	ROW("instruction_that_cannot_be_read_leaves_the_record", insn_fault),
	ROW("signed_lr_is_stripped", signed_lr),
	ROW("signed_return_address_of_48_bits_is_stripped", signed_record),
	ROW("leaf_with_nothing_pushed_is_known_by_its_pc", nothing_pushed),
	ROW("leaf_with_its_context_pushed_is_known_by_its_pc", context_pushed),
	ROW("leaf_with_its_function_pushed_has_no_offset_yet", function_pushed),
	ROW("leaf_with_all_slots_has_its_offset", all_slots),
	ROW("leaf_with_its_marker_pushed_is_a_stub", marker_pushed),
	ROW("leaf_at_the_bottom_of_the_stack_is_known_by_its_pc", bottom),
	ROW("function_slot_with_a_number_has_no_function", function_tag),
	ROW("code_of_an_unknown_build_ends_the_walk", unknown_build),
	ROW("compiled_code_with_fp_below_sp_ends_the_walk", v8_below_sp),
	ROW("guess_that_leads_nowhere_wants_a_row", undescribed),
	ROW("leaf_returns_to_lr", lr_leaf),
	ROW("interrupted_function_is_no_caller", in_signal),
	ROW("stack_for_WebAssembly_is_walked_to_its_bottom", away),
	ROW("deoptimizer_knows_the_caller_of_a_frame_that_is_gone", deoptimized),
	ROW("exit_is_below_all_registers_that_were_pushed", left),
	ROW("recursion", recursion),
	ROW("several_that_wait_for_one_are_not_told_apart", several),
	ROW("dotnet_method_that_returns_has_popped_all", dotnet_returns),
	ROW("dotnet_stub_has_no_frame", dotnet_stub),
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct stack *stack_at(u32 idx)
{
	for (u32 g = 0; g < STACK_N_GROUPS; g++) {
		if (idx < stack_groups[g].n)
			return &stack_groups[g].stacks[idx];
		idx -= stack_groups[g].n;
	}
	return idx ? NULL : &own_stack;
}

static const struct stack *stack_named(const char *name)
{
	for (u32 i = 0; stack_at(i); i++)
		if (!strcmp(stack_at(i)->name, name))
			return stack_at(i);
	fail_msg("no bundled stack has the name %s", name);
	return NULL;
}

/* Returns the index of the first note that differs from the expected note; @n if all are equal. */
static u32 first_other(const struct trace *t, const struct noted *notes, u32 n)
{
	u32 at = 0;

	for (u32 i = 0; i < t->n; i++) {
		if (t->at[i].kind != TRACE_NOTE)
			continue;
		if (at == n || t->at[i].note != notes[at].note || t->at[i].value != notes[at].value)
			return at == n ? n + 1 : at;
		at++;
	}
	return at;
}

static void walk_writes_a_note_for_each_decision_in_order(void **state)
{
	u32 n_walks = 0;

	(void)state;
	for (u32 i = 0; i < N_ROWS; i++) {
		const struct stack *stack = stack_named(rows[i].stack);

		for (u32 a = 0; a < N_ARCHS; a++) {
			struct sim_target target;
			struct trace t;

			if (!(stack->archs & arch_rows[a].bit))
				continue;
			target_of(stack, &arch_rows[a], &target);
			assert_int_equal(trace_walk(&t, arch_rows[a].sim, &target, fresh_state()),
					 0);
			if (first_other(&t, rows[i].notes, rows[i].n) != rows[i].n)
				fail_msg("%s %s: note %u differs from the expected note",
					 arch_rows[a].sim->name, stack->name,
					 first_other(&t, rows[i].notes, rows[i].n));
			trace_deinit(&t);
			sim_mem_free(&target.mem);
			n_walks++;
		}
	}
	assert_true(n_walks > N_ROWS);
}

/*
 * Negative control: after a change of one word, the comparison above reports the note of this word.
 */
static void note_of_a_return_address_differs_if_the_return_address_was_changed(void **state)
{
	struct stack stack = *stack_named("chain_to_main_in_libc_is_complete");
	struct sim_target target;
	struct trace t;

	(void)state;
	stack.pokes[0] =
		(struct stack_word){ S(7), APP(0x314) }; /* return address of the second frame */
	target_of(&stack, &arch_rows[0], &target);
	assert_int_equal(trace_walk(&t, arch_rows[0].sim, &target, fresh_state()), 0);
	/* 8 notes of the leaf, then step, map, native, row, fp, slot of ra, ra */
	assert_int_equal(first_other(&t, chain, sizeof(chain) / sizeof(chain[0])), 14);
	trace_deinit(&t);
	sim_mem_free(&target.mem);
}

static void every_kind_of_note_occurs_in_a_list_of_expected_notes(void **state)
{
	bool is_told[UW_N_NOTES] = { false };

	(void)state;
	for (u32 i = 0; i < N_ROWS; i++)
		for (u32 n = 0; n < rows[i].n; n++)
			is_told[rows[i].notes[n].note] = true;
	for (u32 n = 0; n < UW_N_NOTES; n++)
		if (!is_told[n])
			fail_msg("no row of this test expects note %u", n);
}

/*
 * Walks once with and once without notes, with the @nth read failing (0: none). Are the samples
 * equal?
 */
static bool is_same_told(const struct arch_row *arch, const struct sim_target *target, u32 nth,
			 u32 told_nth, u32 *n_reads)
{
	static struct uw_state plain, told;
	u32 n_told = 0;
	struct trace t;
	bool same;

	memset(&plain, 0x5a, sizeof(plain));
	memset(&told, 0xa5, sizeof(told));
	sim_mem_fail_read(target->mem, nth);
	arch->sim->walk(&plain, target);
	sim_mem_fail_read(target->mem, told_nth);
	assert_int_equal(trace_walk(&t, arch->sim, target, &told), 0);
	sim_mem_fail_read(target->mem, 0);
	for (u32 i = 0; i < t.n; i++)
		n_told += t.at[i].kind == TRACE_READ;
	*n_reads = plain.sample.n_reads;
	same = plain.sample.status == told.sample.status &&
	       plain.sample.n_frames == told.sample.n_frames && n_told == *n_reads &&
	       plain.sample.n_reads == told.sample.n_reads &&
	       plain.sample.fault_addr == told.sample.fault_addr &&
	       !memcmp(plain.sample.frames, told.sample.frames,
		       plain.sample.n_frames * sizeof(struct uw_frame));
	trace_deinit(&t);
	return same;
}

static void walk_gives_the_same_result_whether_or_not_it_writes_notes(void **state)
{
	u32 n_walks = 0, n_seen = 0;

	(void)state;
	for (u32 i = 0; stack_at(i); i++) {
		for (u32 a = 0; a < N_ARCHS; a++) {
			struct sim_target target;
			u32 n_reads = 0, n;

			if (!(stack_at(i)->archs & arch_rows[a].bit))
				continue;
			target_of(stack_at(i), &arch_rows[a], &target);
			assert_true(is_same_told(&arch_rows[a], &target, 0, 0, &n_reads));
			for (u32 nth = 1; nth <= n_reads; nth++, n_walks++) {
				if (!is_same_told(&arch_rows[a], &target, nth, nth, &n))
					fail_msg("%s: read %u", stack_at(i)->name, nth);
				/*
				 * Control: a fault in only one of the two walks makes the samples
				 * differ, unless that read fails anyway.
				 */
				n_seen += !is_same_told(&arch_rows[a], &target, nth, 0, &n);
			}
			sim_mem_free(&target.mem);
		}
	}
	assert_true(n_walks > 100);
	assert_true(n_seen > n_walks * 3 / 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk_writes_a_note_for_each_decision_in_order),
		cmocka_unit_test(
			note_of_a_return_address_differs_if_the_return_address_was_changed),
		cmocka_unit_test(every_kind_of_note_occurs_in_a_list_of_expected_notes),
		cmocka_unit_test(walk_gives_the_same_result_whether_or_not_it_writes_notes),
	};

	return CHECK_RUN(tests);
}
