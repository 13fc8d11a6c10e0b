/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Output of a walk: numbers that identify each frame, never names. Wire format between the
 * kernel side (or any other driver of the core) and user space.
 *
 * A frame holds the data that the garbage collector or an exec could destroy before user space
 * reads the target. User space derives everything else from the pc later.
 *
 *	kind            a                        b                        aux
 *	UW_KERNEL       -                        -                        -
 *	UW_NATIVE       offset in module's file  -                        module id
 *	UW_UNKNOWN      -                        -                        -
 *	UW_V8_STUB      marker word at fp-8      SharedFunctionInfo of    -
 *	                                         a C++ builtin, or 0
 *	UW_V8_JS        SharedFunctionInfo,      word in the bytecode     low half of the word in
 *	                tagged pointer           offset slot              the BytecodeArray slot
 *	UW_V8_CODE      - (no frame yet: pc only, status UW_F_NO_FRAME)
 *	UW_DOTNET_METHOD first byte of the code   MethodDesc               -
 *	UW_DOTNET_R2R   offset in module's file  -                        module id
 *	UW_DOTNET_STUB  enum dotnet_stub         -                        -
 *	UW_DOTNET_AWAITER MethodTable of an      address of the object    -
 *	(no pc)         awaiter
 *
 * A frame with UW_FRAME_ASYNC has no pc. In a UW_V8_JS frame with that flag, `b` is the
 * position where the function is suspended, in the format of the bytecode offset slot;
 * `aux` is the id of the builtin if the awaiter is a builtin such as Promise.all and not a
 * function of the program, else 0.
 *
 * If V8's deoptimizer has already removed a UW_V8_JS frame from the stack, the frame's pc is in the
 * builtin DeoptimizationEntry, and `b` is the return address of the deoptimization exit. In V8 8.4
 * the pc is in the code that V8 uses instead of that builtin, even while the frame is still on the
 * stack. In all other UW_V8_JS frames in V8's builtins and JIT mappings, `b` can be a bytecode
 * offset only if its low half is zero, because the slot then holds a SMI.
 */

#include "types.h"
#include "uw_status.h"

enum uw_kind {
	UW_UNKNOWN,
	UW_KERNEL,
	UW_NATIVE,
	UW_V8_STUB,
	UW_V8_JS,
	UW_V8_CODE,
	UW_DOTNET_METHOD, /* compiled while the process runs */
	UW_DOTNET_R2R, /* compiled ahead of time */
	UW_DOTNET_STUB,
	UW_DOTNET_AWAITER, /* an object instead of code: see dotnet/await.h */
	UW_N_KINDS
};

enum uw_frame_flags {
	UW_FRAME_RA = 1 << 0, /* pc is a return address: look up pc - 1 */
	UW_FRAME_GUESS = 1 << 1, /* found by a frame pointer that no unwind rule confirms */
	UW_FRAME_NO_ROWS = 1 << 2, /* the unwind rows of the frame's page of code were not loaded */
	UW_FRAME_ASYNC = 1 << 3, /* not on the stack: it awaits the previous frame's function */
	UW_FRAME_FIRST_RUN = 1 << 4, /* .NET: an async method that has not awaited anything yet */
	UW_FRAME_SYSCALL = 1 << 5, /* pc follows the system call in progress: look up pc - 1 */
};

struct uw_frame {
	u64 pc; /* the pc register or a return address, without the PAC signature */
	u64 a;
	u64 b;
	u32 aux;
	u8 kind; /* enum uw_kind */
	u8 status; /* enum uw_status: UW_OK or UW_F_* */
	u8 flags; /* enum uw_frame_flags */
	u8 pad;
};
_Static_assert(sizeof(struct uw_frame) == 32, "wire");
_Static_assert(offsetof(struct uw_frame, pad) == 31, "wire");

#define UW_MAX_FRAMES 1024
#define V8_SAVED_WORDS 3

/* One sample. Only the first n_frames elements of @frames are sent. */
struct uw_sample {
	u64 time_ns; /* CLOCK_MONOTONIC */
	u64 start_ns; /* start of the process, ns since boot (task start_boottime) */
	u64 exec_id; /* number that changes with every execve() of the process */
	u32 pid; /* id of the process in the recorder's PID namespace */
	u32 tid;
	u32 cpu;
	u8 status; /* enum uw_status: how the walk ended */
	u8 flags; /* enum uw_sample_flags */
	u16 n_frames; /* leaf first, kernel frames included */
	u16 n_kernel; /* number of kernel frames */
	u16 n_reads; /* number of reads of user memory */
	u32 proc_gen; /* generation of the process's tables; 0 if the process has no tables */
	u64 fault_addr; /* first address of the last read that failed, or 0 */
	/* User registers and stack words, which user space needs only for frame 0. */
	u64 pc;
	u64 sp;
	u64 fp;
	u64 lr; /* 0 on architectures without lr */
	u64 sp_words[3]; /* words at sp; an unreadable word is 0 */
	/* registers in which the interpreter keeps the bytecode offset and the BytecodeArray */
	u64 interp[2];
	u64 callee; /* the register in which a call passes the JSFunction */
	/*
	 * Words from fp - 24 downwards, in the frame of the stub that the innermost JavaScript
	 * function calls.
	 */
	u64 saved[V8_SAVED_WORDS];
	struct uw_frame frames[UW_MAX_FRAMES];
};
_Static_assert(offsetof(struct uw_sample, frames) == 160, "wire");
_Static_assert(sizeof(struct uw_sample) == 160 + 32 * UW_MAX_FRAMES, "wire");

enum uw_sample_flags {
	UW_SAMPLE_IN_KERNEL = 1 << 0, /* the thread was interrupted in kernel code */
	UW_SAMPLE_KTHREAD = 1 << 1, /* no user stack: a kernel thread, or an exec in progress */
	UW_SAMPLE_32_BIT = 1 << 3, /* the process runs 32-bit code */
	UW_SAMPLE_BY_FILE =
		1 << 2, /* a frame's code is in a file that is not in the process's tables */
	UW_SAMPLE_IN_SYSCALL = 1 << 4, /* pc follows the system call in progress */
};

/**
 * uw_frame_lookup_pc() - the address by which to look up a frame's code
 * @f:	a frame
 *
 * A return address can be the start of the next function, because a call can be the last
 * instruction of a function. The address after the system call rt_sigreturn(), which does not
 * return, can also be the start of the next function. Only this function subtracts one from such
 * addresses.
 *
 * Return: pc, or pc - 1 if pc follows a call or a system call.
 */
UW_INLINE u64 uw_frame_lookup_pc(const struct uw_frame *f)
{
	return f->flags & (UW_FRAME_RA | UW_FRAME_SYSCALL) ? f->pc - 1 : f->pc;
}
