// SPDX-License-Identifier: BSD-2-Clause

/*
 * A seed: a small library with the symbols that V8 adds to a binary
 * (inspect/v8/v8_build.c).
 */

#include "../inspect/fake_meta.h"

#define BYTECODES 208

#define X(name, value) const int v8dbg_##name = value;
FAKE_META_LIST(X)
/* v8/src/execution/frames.h and frame-constants.h at 13.6.233 */
X(off_fp_context, -8)
X(off_fp_function, -16)
X(off_fp_bytecode_array, -32)
X(off_fp_bytecode_offset, -40)
X(frametype_StubFrame, 18)
#undef X

const int _ZN2v88internal7Version6major_E = 13;
const int _ZN2v88internal7Version6minor_E = 6;
const int _ZN2v88internal7Version6build_E = 233;
const int _ZN2v88internal7Version6patch_E = 17;
const char _ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE[3 * BYTECODES] = { 1, 2, 3 };
const char headers[] = "/download/release/v24.21.0/node-v24.21.0-headers.tar.gz";

/* The embedded blob, with three builtins. */
__asm__(".text\n"
	".globl v8_Default_embedded_blob_code_data_, Builtins_StringAdd, Builtins_LdarHandler\n"
	".globl Builtins_InterpreterEntryTrampoline\n"
	".balign 64\n"
	"v8_Default_embedded_blob_code_data_:\n"
	".irp name, InterpreterEntryTrampoline, LdarHandler, StringAdd\n"
	".type Builtins_\\name, %function\n"
	"Builtins_\\name: .fill 32, 1, 0\n"
	".size Builtins_\\name, 32\n"
	".endr\n"
	".globl v8_Default_embedded_blob_code_size_\n"
	".section .rodata\n"
	"v8_Default_embedded_blob_code_size_: .long 96\n");
