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

/* The word before a method's first byte is the address of its RealCodeHeader. */
#define DOTNET_HEADER_SLOT 8
#define DOTNET_HEADER_METHOD_DESC 0x18 /* then u32 number of unwind entries, and those */

/* Methods may be of 1 MiB; the linear nibble map has 4 bytes for 256 of them. */
#define DOTNET_WINDOW_WORDS 64
#define DOTNET_MAX_WINDOWS 64
