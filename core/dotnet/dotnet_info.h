/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The data about CoreCLR that uw_step() needs. User space (inspect/dotnet) makes a separate
 * mapping (uw_mapping.h) for each code range in the runtime's range sections:
 *
 *	kind                 start_addr            file_off           info_idx
 *	UW_MAP_DOTNET_JIT    base address of the   address of the     enum dotnet_nibbles
 *	                     nibble map            nibble map
 *	UW_MAP_DOTNET_R2R    as for native code    as for native code -
 *	UW_MAP_DOTNET_STUBS  -                     -                  enum dotnet_stub
 *
 * All other constants are the same from .NET 6 to 10. Source: coreclr vm/codeman.h (RealCodeHeader,
 * StubCodeBlockKind) and inc/nibblemapmacros.h at v8.0.33 and v10.0.14.
 */

#include "../types.h"

enum dotnet_nibbles {
	DOTNET_NIBBLES_LINEAR, /* .NET 6 to 9 */
	DOTNET_NIBBLES_CONSTANT, /* .NET 10; a lookup takes constant time */
};

enum dotnet_stub {
	DOTNET_STUB_UNKNOWN, /* runtime code that is in no range section */
	DOTNET_STUB_JUMP,
	DOTNET_STUB_PRECODE,
	DOTNET_STUB_DYNAMIC_HELPER,
	DOTNET_STUB_STUB_PRECODE,
	DOTNET_STUB_FIXUP_PRECODE,
	DOTNET_STUB_VSD_DISPATCH,
	DOTNET_STUB_VSD_RESOLVE,
	DOTNET_STUB_VSD_LOOKUP,
	DOTNET_STUB_VSD_VTABLE,
	DOTNET_STUB_LAST = 15, /* a larger value in the header slot is a RealCodeHeader's address */
	DOTNET_STUB_HELPER, /* copied write barrier or shuffle thunk; in no range section */
};

#define DOTNET_MAX_AWAITERS 64 /* per stack */
#define DOTNET_MAX_TASK_LEN 0x10000 /* in bytes; a task with its state machine is smaller */

enum dotnet_await_flags {
	DOTNET_AWAIT_IN_TASK = 1 << 0, /* the state machine is inside the task object */
	DOTNET_AWAIT_BY_MACHINE = 1 << 1, /* the state machine refers to the awaiter */
};

/*
 * An entry that the walk needs to find the awaiters of an async method (dotnet/await.h) or the true
 * return address of a hijacked thread (dotnet/hijack.h). User space writes @process_key last. A
 * walk can read an entry while user space changes the entry, and so get a wrong entry. User space
 * detects a wrong entry for a type, because the types do not match; the walk detects a wrong entry
 * for a thread, because the slot does not match.
 *
 *	key of a method  slot: fp-relative slot of the method's state machine
 *	                 off: offset of the task or the awaiter in the state machine
 *	key of a type    off: offset of the pointer to the next object, in an object of that type;
 *	                 0: none
 *	key of a thread  hijack_addr: address of the hijack fields of the thread's Thread object
 */
struct dotnet_await {
	u64 process_key; /* as uw_state.process_key */
	/* Address of a method's first byte (R2R: pc) or MethodTable, or DOTNET_THREAD_KEY(). */
	u64 key;
	union {
		struct {
			s32 slot;
			s32 off;
		};
		u64 hijack_addr;
	};
	u32 from; /* for methods: @slot is valid from this offset in the code on */
	u32 flags; /* enum dotnet_await_flags */
};
_Static_assert(sizeof(struct dotnet_await) == 32, "wire");
_Static_assert(offsetof(struct dotnet_await, flags) == 28, "wire");

#define DOTNET_MAX_TRIP_LEN 96 /* maximum number of bytes that OnHijackTripThread pushes */
#define DOTNET_THREAD_KEY(tid) (~(u64)(tid)) /* never equal to a user address */

/* The word before a method's first byte is the address of its RealCodeHeader. */
#define DOTNET_HEADER_SLOT 8
#define DOTNET_HEADER_METHOD_DESC 0x18 /* followed by u32 n_entries and the unwind entries */

/*
 * A method can have up to 1 MiB of code; the linear nibble map has 4 bytes for each 256 bytes of
 * code.
 */
#define DOTNET_CHUNK_WORDS 64
#define DOTNET_MAX_CHUNKS 64
