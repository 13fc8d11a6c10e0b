/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * All statuses of walks and frames.
 *
 * X(name, class, words, meaning): the class states how the status affects the stack;
 * profiles and reports print the words as the reason. If the words change, the former words
 * need an alias in inspect/util/reasons.c.
 *
 *	COMPLETE   the walk reached the outermost frame
 *	TRUNCATED  no rule, table or room to continue; the frames found are right
 *	FAILED     a read faulted, or the data read is impossible
 *	FRAME      one frame could not be identified; the walk continued
 *
 * The numbers are dense and part of the wire format, so add new statuses only at the end.
 */

/* clang-format off */
#define UW_STATUS_LIST(X)                                                                             \
	X(UW_OK, COMPLETE,                  "ok",                                "the step succeeded, or the frame is identified") \
	X(UW_END, COMPLETE,                 "end",                               "the walk reached the outermost frame") \
	X(UW_T_DEPTH, TRUNCATED,            "depth limit",                       "the stack has more than UW_MAX_FRAMES frames") \
	X(UW_T_UNKNOWN_PROCESS, TRUNCATED,  "unknown process",                   "user space has not made tables for this process yet") \
	X(UW_T_UNKNOWN_PC, TRUNCATED,       "unknown pc",                        "pc is in no known executable mapping") \
	X(UW_T_NO_FP, TRUNCATED,            "no frame pointer",                  "the frame pointer chain ends before the outermost frame") \
	X(UW_T_NO_RUNTIME_INFO, TRUNCATED,  "no runtime info",                   "the code belongs to a runtime whose layout is unknown") \
	X(UW_T_STALE_TABLES, TRUNCATED,     "stale tables",                      "the tables changed during the walk") \
	X(UW_E_FAULT, FAILED,               "fault",                             "a stack read faulted") \
	X(UW_E_FP_UNALIGNED, FAILED,        "unaligned frame pointer",           "the frame pointer is not a multiple of 8") \
	X(UW_E_FP_BELOW_SP, FAILED,         "frame pointer below stack pointer", "the frame pointer is below the frames walked so far") \
	X(UW_E_FRAME_SIZE, FAILED,          "frame too large",                   "a frame exceeds UW_MAX_FRAME_LEN bytes") \
	X(UW_E_BAD_RA, FAILED,              "bad return address",                "the return address is not a user address") \
	X(UW_F_NO_FRAME, FRAME,             "frame not built",                   "the function was interrupted before it built its frame: only pc is known") \
	X(UW_F_FUNCTION_TAG, FRAME,         "no function in frame",              "the function slot holds no heap object") \
	X(UW_F_FUNCTION_FAULT, FRAME,       "function unreadable",               "reading the JSFunction faulted") \
	X(UW_F_SHARED_TAG, FRAME,           "no shared function info",           "the JSFunction holds no SharedFunctionInfo") \
	X(UW_T_NO_ROW, TRUNCATED,           "no unwind row",                     "no unwind row covers this native code, or the row is incomplete") \
	X(UW_T_ROWS_PENDING, TRUNCATED,     "unwind rows not loaded",            "user space has not loaded the unwind rows for this code yet") \
	X(UW_T_GUESSED, TRUNCATED,          "guessed frame",                     "the walk reached the outermost frame, but guessed at least one frame") \
	X(UW_T_RA_ZERO, TRUNCATED,          "return address zero",               "the return address is 0, as on a stack that a program built for a coroutine") \
	X(UW_E_CFA, FAILED,                 "CFA out of range",                  "the CFA of an unwind row is below sp, too high or unaligned") \
	X(UW_F_NO_METHOD, FRAME,            "no method at pc",                   ".NET: pc is in a code heap, but in no method or stub") \
	X(UW_F_METHOD_FAULT, FRAME,         "method unreadable",                 ".NET: reading the method's data faulted") \
	X(UW_F_UNWIND_INFO, FRAME,          "invalid unwind info",               ".NET: the UNWIND_INFO of the method is not valid") \
	X(UW_F_AWAITER_TYPE, FRAME,         "unknown awaiter type",              ".NET async: user space has not looked up the awaiter's type yet") \
	X(UW_F_AWAITER_FAULT, FRAME,        "task unreadable",                   ".NET async: reading a task or its continuation faulted") \
	X(UW_T_HIJACKED, TRUNCATED,         "hijacked return address",           ".NET: the runtime is suspending the thread; the outer frames are guesses") \
	X(UW_F_WAITS_FAULT, FRAME,          "awaiter unreadable",                "V8 async: a promise or its reaction is not valid") \
	X(UW_F_WAITS_SEVERAL, FRAME,        "multiple awaiters",                 "V8 async: a promise has more than one reaction") \
	X(UW_F_WAITS_MORE, FRAME,           "await depth limit",                 "V8 async: the walk reached the limit of V8_MAX_LINKS promises") \
	X(UW_T_STACK_SWITCHED, TRUNCATED,   "stack switched by V8",              "the walk reached the bottom of a WebAssembly stack (JSPI); the caller is on another stack") \
	X(UW_T_32_BIT, TRUNCATED,           "32-bit code",                       "32-bit code is not unwound, so only the leaf is known")
/* clang-format on */

enum uw_status {
#define X(name, class, words, meaning) name,
	UW_STATUS_LIST(X)
#undef X
		UW_N_STATUS
};

enum uw_class { UW_CLASS_COMPLETE, UW_CLASS_TRUNCATED, UW_CLASS_FAILED, UW_CLASS_FRAME };
