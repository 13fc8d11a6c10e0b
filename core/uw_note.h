/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * What a walk says of itself: each decision as a number and one value, through
 * port_note(). Where nobody listens the port's hook is empty and none of this
 * becomes code.
 *
 * X(name, form, words): the words are followed by the value, in the form that
 * tells people most. A step begins with UW_NOTE_STEP, a walk ends with UW_NOTE_END:
 *
 *	step  map  owner  [row]  [insn  slot]  [what frame it is]  [record  ra]  caller
 *
 * Reads are not here: a port sees them itself.
 */

/* clang-format off */
#define UW_NOTE_LIST(X)                                                                               \
	X(UW_NOTE_STEP,        PC,     "a frame with its pc at")                                       \
	X(UW_NOTE_MAP_SAME,    ADDR,   "it lies in the same mapping as the last, from")                \
	X(UW_NOTE_MAP_FOUND,   ADDR,   "it lies in the mapping from")                                  \
	X(UW_NOTE_MAP_NONE,    ADDR,   "no known mapping holds")                                       \
	X(UW_NOTE_BLIND,       NONE,   "the process has no tables: only frame records can be followed") \
	X(UW_NOTE_NATIVE,      NUMBER, "it is native code, of module")                                 \
	X(UW_NOTE_V8,          NUMBER, "it is V8's code, with the layout of build")                    \
	X(UW_NOTE_V8_NO_INFO,  NUMBER, "it is V8's code, and nobody knows the layout of build")        \
	X(UW_NOTE_INSN,        INSN,   "the interrupted instruction is")                               \
	X(UW_NOTE_INSN_FAULT,  ADDR,   "whose record fp leads to is not known: can't read the instruction at") \
	X(UW_NOTE_RA_SLOT,     SLOT,   "at such an instruction the return address is in")              \
	X(UW_NOTE_RA_FAULT,    ADDR,   "whose record fp leads to is not known: can't read the return address at") \
	X(UW_NOTE_RA_NO_CODE,  WORD,   "that is not where known code returns to, so the record counts:") \
	X(UW_NOTE_NO_FP,       WORD,   "there is no record: fp is")                                    \
	X(UW_NOTE_FP_REFUSED,  ADDR,   "no record can lie at fp")                                      \
	X(UW_NOTE_RECORD,      ADDR,   "the frame record lies at fp")                                  \
	X(UW_NOTE_RECORD_RA,   WORD,   "its return address is")                                        \
	X(UW_NOTE_RA_REFUSED,  WORD,   "no user code can be at")                                       \
	X(UW_NOTE_CALLER,      PC,     "the caller is at")                                             \
	X(UW_NOTE_V8_SLOTS,    NUMBER, "bytes below fp that the frame has so far:")                    \
	X(UW_NOTE_V8_NO_SLOTS, ADDR,   "what frame it is can't be told by the slots below fp")         \
	X(UW_NOTE_V8_MARKER,   WORD,   "a stub: where functions have a context, it has a frame type,") \
	X(UW_NOTE_V8_FUNCTION, WORD,   "a function's frame: its JSFunction is")                        \
	X(UW_NOTE_V8_MEMO,     WORD,   "the same function as the last: SharedFunctionInfo")            \
	X(UW_NOTE_V8_SHARED,   WORD,   "its SharedFunctionInfo is")                                    \
	X(UW_NOTE_V8_BYTECODE, WORD,   "the slot of the bytecode offset has")                          \
	X(UW_NOTE_REASON,      STATUS, "who it is, is not known:")                                     \
	X(UW_NOTE_END,         STATUS, "the walk ends:")                                               \
	X(UW_NOTE_ROW,         RULE,   "its unwind row says:")                                         \
	X(UW_NOTE_NO_ROWS,     WORD,   "the unwind rows are not loaded for offset")                    \
	X(UW_NOTE_NO_ROW,      WORD,   "so only a guess can tell its caller, at offset")                \
	X(UW_NOTE_CFA_REFUSED, ADDR,   "no caller's frame can be at")                                  \
	X(UW_NOTE_ROW_FP,      ADDR,   "the caller's fp was saved at")                                 \
	X(UW_NOTE_ROW_RA,      ADDR,   "the return address lies at")                                   \
	X(UW_NOTE_ROW_LR,      WORD,   "the return address is in lr still:")                           \
	X(UW_NOTE_SIGNAL,      ADDR,   "a signal came: what was interrupted has its registers from") \
	X(UW_NOTE_DOTNET_STUB, NUMBER, "it is one of CoreCLR's stubs, of kind")                        \
	X(UW_NOTE_DOTNET_METHOD, ADDR, "it lies in the method that begins at")                         \
	X(UW_NOTE_DOTNET_EPILOGUE, NUMBER, "an epilogue: bytes before it returns or jumps:")           \
	X(UW_NOTE_V8_CHAIN,    WORD,   "V8 runs what waited for a promise; its outcome settles")       \
	X(UW_NOTE_V8_AWAITER,    WORD,   "this waits for it: SharedFunctionInfo") \
	X(UW_NOTE_DOTNET_UNWIND, ADDR, "its prologue is described at")                                 \
	X(UW_NOTE_V8_OTHER_STACK, ADDR, "it called from a stack for WebAssembly; its record lies at fp") \
	X(UW_NOTE_V8_BOTTOM,   ADDR,   "the bottom of a stack for WebAssembly:")                       \
	X(UW_NOTE_V8_DEOPT,    ADDR,   "its function is being deoptimized, and the caller kept by") \
	X(UW_NOTE_V8_DEOPT_EXIT,     PC,     "it is being deoptimized; the exit from its code returns to")
/* clang-format on */

enum uw_note {
#define X(name, form, words) name,
	UW_NOTE_LIST(X)
#undef X
		UW_N_NOTES
};

/* How a value is best told. */
enum uw_note_form {
	UW_FORM_NONE,
	UW_FORM_PC,
	UW_FORM_ADDR,
	UW_FORM_WORD, /* read from the target: anything */
	UW_FORM_NUMBER,
	UW_FORM_INSN, /* up to four bytes of code */
	UW_FORM_SLOT, /* what arch_ra_slot() returned */
	UW_FORM_STATUS, /* enum uw_status */
	UW_FORM_RULE, /* UW_NOTE_ROW_VALUE() */
};

/* What of a rule fits a value: where the CFA is. */
#define UW_NOTE_ROW_VALUE(r) ((r)->cfa | (u64)(u8)(r)->cfa_add << 8 | (u64)(u32)(r)->cfa_off << 32)
