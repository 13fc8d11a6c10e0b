/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Every reason that a walk or a frame can have, in one list.
 *
 * X(name, class, words, meaning): the class says what the reason makes of the
 * stack; the words are what profiles and reports print ("reason").
 *
 *	COMPLETE   the walk reached the outermost frame
 *	TRUNCATED  no rule, table or room to go on; what was found is right
 *	FAILED     a read faulted, or what was read cannot be
 *	FRAME      of one frame: its identity is missing, the walk went on
 *
 * The numbers are dense and go over the wire: append only.
 */

/* clang-format off */
#define UW_STATUS_LIST(X)                                                                             \
	X(UW_OK,                COMPLETE,  "ok",                   "no reason: the step or frame is good")     \
	X(UW_END,               COMPLETE,  "end",                  "outermost frame reached")                  \
	X(UW_T_DEPTH,           TRUNCATED, "depth limit",          "more than UW_MAX_FRAMES frames")           \
	X(UW_T_UNKNOWN_PROCESS, TRUNCATED, "unknown process",      "no tables for this process yet")           \
	X(UW_T_UNKNOWN_PC,      TRUNCATED, "unknown pc",           "pc lies in no known executable mapping")   \
	X(UW_T_NO_FP,           TRUNCATED, "no frame pointer",     "the frame pointer chain ends before a root") \
	X(UW_T_NO_RUNTIME_INFO, TRUNCATED, "no runtime info",      "mapping of a runtime whose layout is unknown") \
	X(UW_T_STALE_TABLES,    TRUNCATED, "stale tables",         "the tables were changed during the walk")  \
	X(UW_E_FAULT,           FAILED,    "fault",                "a stack read faulted")                     \
	X(UW_E_FP_UNALIGNED,    FAILED,    "unaligned frame pointer", "frame pointer not a multiple of 8")     \
	X(UW_E_FP_BELOW_SP,     FAILED,    "frame pointer below stack pointer", "the chain does not go up")    \
	X(UW_E_FRAME_SIZE,      FAILED,    "frame too large",      "a frame of more than UW_MAX_FRAME_LEN bytes") \
	X(UW_E_BAD_RA,          FAILED,    "bad return address",   "a return address that is no user address") \
	X(UW_F_NO_FRAME,        FRAME,     "frame not built",      "interrupted before its frame existed: known by pc only") \
	X(UW_F_FUNCTION_TAG,    FRAME,     "no function in frame", "the function slot holds no heap object")   \
	X(UW_F_FUNCTION_FAULT,  FRAME,     "function unreadable",  "reading the JSFunction faulted")           \
	X(UW_F_SHARED_TAG,      FRAME,     "no shared function info", "the JSFunction holds no SharedFunctionInfo") \
	X(UW_T_NO_ROW,          TRUNCATED, "no unwind row",        "native code that nothing describes, or not enough") \
	X(UW_T_ROWS_PENDING,    TRUNCATED, "unwind rows not loaded", "user space has not got to this code yet") \
	X(UW_T_GUESSED,         TRUNCATED, "guessed frame",        "outermost frame reached, but over a guess") \
	X(UW_T_RA_ZERO,         TRUNCATED, "return address zero",  "a stack made by hand, as coroutines have") \
	X(UW_E_CFA,             FAILED,    "caller's frame below stack pointer", "an unwind row leads below sp, too far up, or to no whole word") \
	X(UW_F_NO_METHOD,       FRAME,     "no method here",       "a code heap of .NET, where no method or stub is") \
	X(UW_F_METHOD_FAULT,    FRAME,     "method unreadable",    "reading what the runtime keeps of the method faulted") \
	X(UW_F_UNWIND_INFO,     FRAME,     "unwind information not understood", "of a .NET method") \
	X(UW_F_AWAITER_TYPE,    FRAME,     "waiting object not known", "a type of .NET that was not looked at yet") \
	X(UW_F_AWAITER_FAULT,   FRAME,     "waiting object unreadable", "reading a task of .NET, or what goes on after it, faulted") \
	X(UW_T_HIJACKED,        TRUNCATED, "hijacked return address", "of a .NET thread that is to stop: guessed from there on") \
	X(UW_F_WAITS_FAULT,     FRAME,     "who waits is unreadable", "a promise of V8's, or what waits for it, is not what it should be") \
	X(UW_F_WAITS_SEVERAL,   FRAME,     "several wait",         "a promise of V8's for which more than one waits: whom it runs for can't be told") \
	X(UW_F_WAITS_MORE,      FRAME,     "more wait",            "V8_MAX_LINKS promises were followed") \
	X(UW_T_STACK_SWITCHED,  TRUNCATED, "stack switched by V8", "the end of a stack for WebAssembly (JSPI): who entered it is on another") \
	X(UW_T_32_BIT,          TRUNCATED, "32-bit code",          "a program of 32 bits: only its leaf is told")
/* clang-format on */

enum uw_status {
#define X(name, class, words, meaning) name,
	UW_STATUS_LIST(X)
#undef X
		UW_N_STATUS
};

enum uw_class { UW_CLASS_COMPLETE, UW_CLASS_TRUNCATED, UW_CLASS_FAILED, UW_CLASS_FRAME };
