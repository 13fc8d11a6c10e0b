/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Trace of a walk: the core passes each decision to port_note(), as a number and one value.
 * In a port that does not listen, port_note() is empty, so the compiler emits no code for
 * notes.
 *
 * X(name, form, words): a reader prints the words and then the value, in the given form.
 * Each step begins with UW_NOTE_STEP; UW_NOTE_END ends the walk. The notes of a step are in
 * this order:
 *
 *	step  map  owner  [row]  [insn  slot]  [frame kind]  [record  ra]  caller
 *
 * Reads have no notes, because each port implements port_read_user() itself.
 */

/* clang-format off */
#define UW_NOTE_LIST(X)                                                                               \
	X(UW_NOTE_STEP,            PC,     "frame with pc")                                           \
	X(UW_NOTE_MAP_SAME,        ADDR,   "pc is in the same mapping as the previous frame's pc; the mapping starts at") \
	X(UW_NOTE_MAP_FOUND,       ADDR,   "pc is in the mapping that starts at")                     \
	X(UW_NOTE_MAP_NONE,        ADDR,   "no known mapping contains the address")                   \
	X(UW_NOTE_BLIND,           NONE,   "the process has no tables, so only frame records can be followed") \
	X(UW_NOTE_NATIVE,          NUMBER, "pc is in native code of module")                          \
	X(UW_NOTE_V8,              NUMBER, "pc is in V8 code; index of the V8 build's layout:")       \
	X(UW_NOTE_V8_NO_INFO,      NUMBER, "pc is in V8 code, but the V8 build has no layout; index:") \
	X(UW_NOTE_INSN,            INSN,   "the interrupted instruction is")                          \
	X(UW_NOTE_INSN_FAULT,      ADDR,   "the frame record's owner is unknown, because no instruction can be read at") \
	X(UW_NOTE_RA_SLOT,         SLOT,   "at this instruction, the return address is in")           \
	X(UW_NOTE_RA_FAULT,        ADDR,   "the frame record's owner is unknown, because no return address can be read at") \
	X(UW_NOTE_RA_NO_CODE,      WORD,   "the word is not a return address in known code, so the frame record is used:") \
	X(UW_NOTE_NO_FP,           WORD,   "fp is too small to point to a frame record:")             \
	X(UW_NOTE_FP_REFUSED,      ADDR,   "no frame record can be at fp")                            \
	X(UW_NOTE_RECORD,          ADDR,   "the frame record is at fp")                               \
	X(UW_NOTE_RECORD_RA,       WORD,   "the return address is")                                   \
	X(UW_NOTE_RA_REFUSED,      WORD,   "the caller's pc is not an address of user code:")         \
	X(UW_NOTE_CALLER,          PC,     "the caller is at")                                        \
	X(UW_NOTE_V8_SLOTS,        NUMBER, "number of bytes that the frame has below fp so far:")     \
	X(UW_NOTE_V8_NO_SLOTS,     ADDR,   "the frame's kind is unknown, because its slots or pc can't be read; fp is") \
	X(UW_NOTE_V8_MARKER,       WORD,   "the frame belongs to a stub, because the context slot holds a frame type:") \
	X(UW_NOTE_V8_FUNCTION,     WORD,   "the frame's JSFunction is")                               \
	X(UW_NOTE_V8_MEMO,         WORD,   "the JSFunction is the last one that was read; its SharedFunctionInfo is") \
	X(UW_NOTE_V8_SHARED,       WORD,   "the JSFunction's SharedFunctionInfo is")                  \
	X(UW_NOTE_V8_BYTECODE,     WORD,   "the bytecode offset slot holds")                          \
	X(UW_NOTE_REASON,          STATUS, "the frame is not identified:")                            \
	X(UW_NOTE_END,             STATUS, "the walk ends:")                                          \
	X(UW_NOTE_ROW,             RULE,   "the frame's unwind row:")                                 \
	X(UW_NOTE_NO_ROWS,         WORD,   "the unwind rows are not loaded for file offset")          \
	X(UW_NOTE_NO_ROW,          WORD,   "no unwind row is usable, so the caller may be a guess; file offset") \
	X(UW_NOTE_CFA_REFUSED,     ADDR,   "the CFA is unaligned or out of range:")                   \
	X(UW_NOTE_ROW_FP,          ADDR,   "the caller's fp was saved at")                            \
	X(UW_NOTE_ROW_RA,          ADDR,   "the return address is at")                                \
	X(UW_NOTE_ROW_LR,          WORD,   "the return address is still in lr:")                      \
	X(UW_NOTE_SIGNAL,          ADDR,   "the frame is a signal frame; the interrupted registers are at") \
	X(UW_NOTE_DOTNET_STUB,     NUMBER, "pc is in a CoreCLR stub of kind")                         \
	X(UW_NOTE_DOTNET_METHOD,   ADDR,   "pc is in the method that starts at")                      \
	X(UW_NOTE_DOTNET_EPILOGUE, NUMBER, "pc is in an epilogue; bytes before the return or jump:")  \
	X(UW_NOTE_V8_CHAIN,        WORD,   "V8 runs a promise reaction whose result settles the promise")        \
	X(UW_NOTE_V8_AWAITER,      WORD,   "the awaiter's SharedFunctionInfo is")                     \
	X(UW_NOTE_DOTNET_UNWIND,   ADDR,   "the method's UNWIND_INFO is at")                          \
	X(UW_NOTE_V8_OTHER_STACK,  ADDR,   "the caller is on a WebAssembly stack; the frame record is at fp") \
	X(UW_NOTE_V8_BOTTOM,       ADDR,   "the frame is the bottom of a WebAssembly stack; fp is")   \
	X(UW_NOTE_V8_DEOPT,        ADDR,   "the function is being deoptimized; the caller's registers are in the Deoptimizer at") \
	X(UW_NOTE_V8_DEOPT_EXIT,   PC,     "the function is being deoptimized; the exit's return address is")
/* clang-format on */

enum uw_note {
#define X(name, form, words) name,
	UW_NOTE_LIST(X)
#undef X
		UW_N_NOTES
};

/* How a reader prints a value. */
enum uw_note_form {
	UW_FORM_NONE,
	UW_FORM_PC,
	UW_FORM_ADDR,
	UW_FORM_WORD, /* a word read from the target, which can have any value */
	UW_FORM_NUMBER,
	UW_FORM_INSN, /* up to four bytes of code */
	UW_FORM_SLOT, /* result of arch_ra_slot() */
	UW_FORM_STATUS, /* enum uw_status */
	UW_FORM_RULE, /* UW_NOTE_ROW_VALUE() */
};

/* The part of a rule that fits in a note's value: how to compute the CFA. */
#define UW_NOTE_ROW_VALUE(r) ((r)->cfa | (u64)(u8)(r)->cfa_add << 8 | (u64)(u32)(r)->cfa_off << 32)
