/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * What the step needs to know of CoreCLR. Its ranges of code are mappings of their own
 * (uw_mapping.h), made by user space (inspect/dotnet) from the runtime's range sections:
 *
 *	kind                 start_addr            file_off           info_idx
 *	UW_MAP_DOTNET_JIT    where the nibble map  address of the     enum dotnet_nibbles
 *	                     begins to count       nibble map
 *	UW_MAP_DOTNET_R2R    as of native code     as of native code  -
 *	UW_MAP_DOTNET_STUBS  -                     -                  enum dotnet_stub
 *
 * The rest is the same from .NET 6 to 10. Source: coreclr vm/codeman.h (RealCodeHeader,
 * StubCodeBlockKind) and inc/nibblemapmacros.h at v8.0.33 and v10.0.14.
 */

#include "../types.h"

enum dotnet_nibbles {
	DOTNET_NIBBLES_LINEAR, /* .NET 6 to 9 */
	DOTNET_NIBBLES_CONSTANT, /* .NET 10: constant time */
};

enum dotnet_stub {
	DOTNET_STUB_UNKNOWN, /* code of the runtime that no range section tells of */
	DOTNET_STUB_JUMP,
	DOTNET_STUB_PRECODE,
	DOTNET_STUB_DYNAMIC_HELPER,
	DOTNET_STUB_STUB_PRECODE,
	DOTNET_STUB_FIXUP_PRECODE,
	DOTNET_STUB_VSD_DISPATCH,
	DOTNET_STUB_VSD_RESOLVE,
	DOTNET_STUB_VSD_LOOKUP,
	DOTNET_STUB_VSD_VTABLE,
	DOTNET_STUB_LAST = 15, /* before code: a larger value is a RealCodeHeader's address */
	DOTNET_STUB_HELPER, /* copies of write barriers, shuffle thunks: in no range section */
};

#define DOTNET_MAX_AWAITERS 64 /* of one stack */
#define DOTNET_MAX_TASK_LEN 0x10000 /* more than any task with its state machine */

enum dotnet_await_flags {
	DOTNET_AWAIT_IN_TASK = 1 << 0, /* the state machine is a part of its task */
	DOTNET_AWAIT_BY_MACHINE = 1 << 1, /* it tells itself who waits, not its task */
};

/*
 * What a walk has to know to find those who await an async method (dotnet/await.h), or where a
 * hijacked thread would return to (dotnet/hijack.h). User space writes @process_key last; where it
 *changes meanwhile, user space sees that the types do not fit, and the walk that the slot does not.
 *
 *	of a method   slot: from fp, where its frame keeps its state machine
 *	              off: in that, where its builder keeps the task, or where the waiting one is
 *	of a type     off: in an object of it, the next one; 0: there is none
 *	of a thread   hijack_addr: of what its object keeps of a hijack
 */
struct dotnet_await {
	u64 process_key; /* the process, as uw_state.process_key */
	u64 key; /* a method's first byte, or a precompiled one's pc; a MethodTable; a thread's */
	union {
		struct {
			s32 slot;
			s32 off;
		};
		u64 hijack_addr;
	};
	u32 from; /* of a method: bytes of it after which slot is valid */
	u32 flags; /* enum dotnet_await_flags */
};
_Static_assert(sizeof(struct dotnet_await) == 32, "wire");
_Static_assert(offsetof(struct dotnet_await, flags) == 28, "wire");

#define DOTNET_MAX_TRIP_LEN 96 /* what OnHijackTripThread pushes before it asks where to go on */
#define DOTNET_THREAD_KEY(tid) (~(u64)(tid)) /* no address of user space */

/* The word before a method's first byte is the address of its RealCodeHeader. */
#define DOTNET_HEADER_SLOT 8
#define DOTNET_HEADER_METHOD_DESC 0x18 /* then u32 number of unwind entries, and those */

/* Methods may be of 1 MiB; the linear nibble map has 4 bytes for 256 of them. */
#define DOTNET_CHUNK_WORDS 64
#define DOTNET_MAX_CHUNKS 64
