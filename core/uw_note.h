/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Trace of a walk: each decision as a number and one value, through port_note(). Without a
 * listener the port's hook is empty and none of this becomes code.
 *
 * X(name, form, words): the words are followed by the value, printed in the form that is
 * most readable. A step begins with UW_NOTE_STEP, a walk ends with UW_NOTE_END:
 *
 *	step  map  owner  [row]  [insn  slot]  [frame kind]  [record  ra]  caller
 *
 * Reads are not notes: a port sees them itself.
 */

/* clang-format off */
#define UW_NOTE_LIST(X)                                                                               \
	X(UW_NOTE_STEP,            PC,     "frame with pc")                                            \
	X(UW_NOTE_MAP_SAME,        ADDR,   "in the same mapping as the last frame, from")              \
	X(UW_NOTE_MAP_FOUND,       ADDR,   "in the mapping from")                                      \
	X(UW_NOTE_MAP_NONE,        ADDR,   "no known mapping contains")                                \
	X(UW_NOTE_BLIND,           NONE,   "no tables for this process: only frame records can be followed") \
	X(UW_NOTE_NATIVE,          NUMBER, "native code of module")                                    \
	X(UW_NOTE_V8,              NUMBER, "V8 code, with the layout of build")                        \
	X(UW_NOTE_V8_NO_INFO,      NUMBER, "V8 code, with an unknown layout: build")                   \
	X(UW_NOTE_INSN,            INSN,   "the interrupted instruction is")                           \
	X(UW_NOTE_INSN_FAULT,      ADDR,   "owner of the frame record unknown: can't read the instruction at") \
	X(UW_NOTE_RA_SLOT,         SLOT,   "at this instruction the return address is in")             \
	X(UW_NOTE_RA_FAULT,        ADDR,   "owner of the frame record unknown: can't read the return address at") \
	X(UW_NOTE_RA_NO_CODE,      WORD,   "not a return address in known code, so the frame record is used:") \
	X(UW_NOTE_NO_FP,           WORD,   "no frame record: fp is")                                   \
	X(UW_NOTE_FP_REFUSED,      ADDR,   "no frame record can be at fp")                             \
	X(UW_NOTE_RECORD,          ADDR,   "the frame record is at fp")                                \
	X(UW_NOTE_RECORD_RA,       WORD,   "its return address is")                                    \
	X(UW_NOTE_RA_REFUSED,      WORD,   "not an address of user code:")                             \
	X(UW_NOTE_CALLER,          PC,     "the caller is at")                                         \
	X(UW_NOTE_V8_SLOTS,        NUMBER, "bytes of the frame built so far below fp:")                \
	X(UW_NOTE_V8_NO_SLOTS,     ADDR,   "frame kind unknown: can't read the slots below fp")        \
	X(UW_NOTE_V8_MARKER,       WORD,   "a stub: its context slot holds a frame type,")             \
	X(UW_NOTE_V8_FUNCTION,     WORD,   "a JavaScript function: its JSFunction is")                 \
	X(UW_NOTE_V8_MEMO,         WORD,   "same function as the last frame: SharedFunctionInfo")      \
	X(UW_NOTE_V8_SHARED,       WORD,   "its SharedFunctionInfo is")                                \
	X(UW_NOTE_V8_BYTECODE,     WORD,   "the bytecode offset slot has")                             \
	X(UW_NOTE_REASON,          STATUS, "frame not identified:")                                    \
	X(UW_NOTE_END,             STATUS, "the walk ends:")                                           \
	X(UW_NOTE_ROW,             RULE,   "its unwind row:")                                          \
	X(UW_NOTE_NO_ROWS,         WORD,   "unwind rows not loaded for offset")                        \
	X(UW_NOTE_NO_ROW,          WORD,   "no unwind row, so its caller is a guess; offset")          \
	X(UW_NOTE_CFA_REFUSED,     ADDR,   "no caller's frame can start at")                           \
	X(UW_NOTE_ROW_FP,          ADDR,   "the caller's fp was saved at")                             \
	X(UW_NOTE_ROW_RA,          ADDR,   "the return address is at")                                 \
	X(UW_NOTE_ROW_LR,          WORD,   "the return address is still in lr:")                       \
	X(UW_NOTE_SIGNAL,          ADDR,   "a signal frame: the interrupted registers are at")         \
	X(UW_NOTE_DOTNET_STUB,     NUMBER, "a CoreCLR stub of kind")                                   \
	X(UW_NOTE_DOTNET_METHOD,   ADDR,   "in the method that starts at")                             \
	X(UW_NOTE_DOTNET_EPILOGUE, NUMBER, "in an epilogue: bytes up to its return or jump:")          \
	X(UW_NOTE_V8_CHAIN,        WORD,   "V8 runs a reaction of a promise; its result settles")      \
	X(UW_NOTE_V8_AWAITER,      WORD,   "its awaiter: SharedFunctionInfo")                          \
	X(UW_NOTE_DOTNET_UNWIND,   ADDR,   "its UNWIND_INFO is at")                                    \
	X(UW_NOTE_V8_OTHER_STACK,  ADDR,   "called from a WebAssembly stack; the frame record is at fp") \
	X(UW_NOTE_V8_BOTTOM,       ADDR,   "bottom of a WebAssembly stack:")                           \
	X(UW_NOTE_V8_DEOPT,        ADDR,   "being deoptimized; the caller is stored in the Deoptimizer at") \
	X(UW_NOTE_V8_DEOPT_EXIT,   PC,     "being deoptimized; its deoptimization exit returns to")
/* clang-format on */

enum uw_note {
#define X(name, form, words) name,
	UW_NOTE_LIST(X)
#undef X
		UW_N_NOTES
};

/* Best format for a value. */
enum uw_note_form {
	UW_FORM_NONE,
	UW_FORM_PC,
	UW_FORM_ADDR,
	UW_FORM_WORD, /* read from the target: any value */
	UW_FORM_NUMBER,
	UW_FORM_INSN, /* up to four bytes of code */
	UW_FORM_SLOT, /* result of arch_ra_slot() */
	UW_FORM_STATUS, /* enum uw_status */
	UW_FORM_RULE, /* UW_NOTE_ROW_VALUE() */
};

/* The part of a rule that fits in a value: the CFA. */
#define UW_NOTE_ROW_VALUE(r) ((r)->cfa | (u64)(u8)(r)->cfa_add << 8 | (u64)(u32)(r)->cfa_off << 32)
