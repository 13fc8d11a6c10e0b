/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The differences between versions of V8. Each row applies from the version that introduced the
 * difference, or from the first tested version that had it. The layout of a version is made by
 * applying all rows up to that version; then the binary's metadata overrides fields. The last row
 * of a version has the release of Node.js with which the version was tested; a version without
 * differences has only that row. tests/inspect/live_v8.c judges releases
 * (docs/guides/new-node-release.md).
 *
 * The source of a row is under https://github.com/nodejs/node/tree/v<release>/deps/v8/src, where
 * the release is in the last row of the version. A value of 0 cancels an earlier row. For classes
 * that no metadata describes (WasmCode, Deoptimizer), the values were read from the machine code of
 * the release and compared with running processes.
 */

#include <stddef.h>
#include <stdint.h>

#include "v8_layout.h"
#include "v8_translation.h"

#define SINCE(major, minor, field, value, source)                                                  \
	{                                                                                          \
		V8_VERSION(major, minor), offsetof(struct v8_layout, field), value, source         \
	}
#define TRIED(major, minor, release)                                                               \
	{                                                                                          \
		V8_VERSION(major, minor), V8_TRIED, 0, release                                     \
	}
#define METADATA "../tools/gen-postmortem-metadata.py" /* metadata has the field from then on */

static const struct v8_delta rows[] = {
	SINCE(8, 3, bytecode_data, 54, "objects/code.tq, BytecodeArray"),
	SINCE(8, 3, code_flags, 44, "objects/code.h, Code"),
	SINCE(8, 3, code_deopt, 16, "objects/code.h, Code"),
	SINCE(8, 3, code_kind_mask, 31 << 1, "objects/code.h, Code::KindField"),
	SINCE(8, 3, code_kind_shift, 1, "objects/code.h, Code::KindField"),
	SINCE(8, 3, code_kind_baseline, V8_NO_KIND, "objects/code.h, Code::Kind"),
	SINCE(8, 3, scope_slots, 16, "objects/scope-info.h, ScopeInfo"),
	SINCE(8, 3, scope_is_old, 1, "objects/scope-info.h, ScopeInfo"),
	SINCE(8, 3, bytecode_array_slot, 24,
	      "execution/frame-constants.h, InterpreterFrameConstants"),
	SINCE(8, 3, deopt_inlining_idx, 7, "objects/code.h, DeoptimizationData"),
	SINCE(8, 3, deopt_caller, 0x50, "deoptimizer/deoptimizer.h, Deoptimizer"),
	SINCE(8, 3, deopt_from, 0x20, "deoptimizer/deoptimizer.h, Deoptimizer"),
	SINCE(8, 3, deopt_pushed, 256, "deoptimizer/x64/deoptimizer-x64.cc"),
	SINCE(8, 3, deopt_form, V8_DEOPT_8_4, "deoptimizer/deoptimizer.h, Translation"),
	SINCE(8, 3, deopt_entries, 3, "objects/code.h, DeoptimizationData"),
	SINCE(8, 3, code_safepoints, 48, "objects/code.h, Code"),
	SINCE(8, 3, wasm_code_len, 32, "wasm/wasm-code-manager.h, WasmCode"),
	SINCE(8, 3, wasm_code_function, 48, "wasm/wasm-code-manager.h, WasmCode"),
	SINCE(8, 3, lacks[V8_TIER_TURBOFAN], V8_NO_CALLS, "compiler/backend/code-generator.cc"),
	SINCE(8, 3, sfi_builtin, 8, "objects/shared-function-info.tq, SharedFunctionInfo"),
	SINCE(8, 3, reaction_handler, 24, "objects/promise.tq, PromiseReaction"),
	SINCE(8, 3, code_kinds, 2, "objects/code.h, Code::Kind"),
	SINCE(8, 3, code_kind_regexp, 4, "objects/code.h, Code::Kind"),
	SINCE(8, 3, has_map_an_isolate, 1, "heap/setup-heap-internal.cc"),
	SINCE(8, 3, async_form, V8_ASYNC_8_3, "objects/js-promise.tq, promise.tq, js-generator.tq"),
	SINCE(8, 3, wasm_table, 40, "wasm/wasm-code-manager.h, NativeModule"),
	SINCE(8, 3, wasm_url_is_hash, 1, "wasm/module-compiler.cc"),
	TRIED(8, 3, "14.5.0"),

	TRIED(8, 4, "14.21.3"),
	SINCE(8, 6, code_kind_mask, 15 << 1, "objects/code.h, Code::KindField"),
	SINCE(8, 6, script_source, 8, "objects/script.tq, Script"),
	TRIED(8, 6, "15.14.0"),

	SINCE(9, 0, code_flags, 48, "objects/code.h, Code"),
	SINCE(9, 0, code_kind_mask, 15, "objects/code.h, Code::KindField"),
	SINCE(9, 0, code_kind_shift, 0, "objects/code.h, Code::KindField"),
	SINCE(9, 0, code_kind_baseline, 11, "objects/code-kind.h, CODE_KIND_LIST"),
	SINCE(9, 0, bytecode_array_slot, 32,
	      "execution/frame-constants.h, InterpreterFrameConstants"),
	SINCE(9, 0, deopt_pushed, 0, "deoptimizer/x64/deoptimizer-x64.cc"),
	SINCE(9, 0, deopt_form, 0, "deoptimizer/deoptimizer.h, Translation"),
	SINCE(9, 0, deopt_entries, 4, "objects/code.h, DeoptimizationData"),
	SINCE(9, 0, code_safepoints, 0, "objects/code.h, Code"),
	SINCE(9, 0, lacks[V8_TIER_TURBOFAN], 0, "compiler/backend/code-generator.cc"),
	SINCE(9, 0, bytecode_positions, 32, "objects/code.tq, BytecodeArray"),
	SINCE(9, 0, lacks[V8_TIER_BASELINE], V8_NO_OFFSETS, "baseline/baseline-compiler.cc"),
	SINCE(9, 0, code_kinds, 3, "objects/code-kind.h, CODE_KIND_LIST"),
	SINCE(9, 0, code_kind_regexp, 3, "objects/code-kind.h, CODE_KIND_LIST"),
	SINCE(9, 0, baseline_data_code, 8, "objects/shared-function-info.tq, BaselineData"),
	SINCE(9, 0, baseline_data_bytecode, 16, "objects/shared-function-info.tq, BaselineData"),
	SINCE(9, 0, wasm_fresh, 40, "wasm/wasm-code-manager.h, NativeModule"),
	SINCE(9, 0, wasm_table, 64, "wasm/wasm-code-manager.h, NativeModule"),
	TRIED(9, 0, "16.0.0"),

	SINCE(9, 1, scope_slots, 8, "objects/scope-info.tq, ScopeInfo"),
	SINCE(9, 1, lacks[V8_TIER_BASELINE], 0, "baseline/baseline-compiler.cc"),
	TRIED(9, 1, "16.5.0"),

	TRIED(9, 2, "16.7.0"),
	TRIED(9, 3, "16.9.1"),
	TRIED(9, 4, "16.20.2"),
	TRIED(9, 5, "17.0.0"),
	TRIED(9, 6, "17.9.1"),
	SINCE(10, 1, bytecode_data, 0, METADATA),
	SINCE(10, 1, code_flags, 0, METADATA),
	SINCE(10, 1, code_kind_mask, 0, METADATA),
	SINCE(10, 1, code_kind_baseline, 0, METADATA),
	SINCE(10, 1, scope_is_old, 0, "objects/scope-info.tq, ScopeInfo"),
	SINCE(10, 1, script_source, 0, METADATA),
	SINCE(10, 1, has_map_an_isolate, 0, "heap/setup-heap-internal.cc"),
	TRIED(10, 1, "18.0.0"),

	TRIED(10, 2, "18.20.8"),
	TRIED(10, 7, "19.0.0"),
	TRIED(10, 8, "19.8.1"),
	SINCE(11, 3, code_flags, 48, "objects/code.h, Code"),
	SINCE(11, 3, deopt_inlining_idx, 0, METADATA),
	SINCE(11, 3, deopt_caller, 0x60, "deoptimizer/deoptimizer.h, Deoptimizer"),
	SINCE(11, 3, deopt_from, 0x28, "deoptimizer/deoptimizer.h, Deoptimizer"),
	SINCE(11, 3, wasm_code_len, 24, "wasm/wasm-code-manager.h, WasmCode"),
	SINCE(11, 3, wasm_code_function, 44, "wasm/wasm-code-manager.h, WasmCode"),
	SINCE(11, 3, code_start, 40, "objects/code.h, Code"),
	SINCE(11, 3, code_size, 56, "objects/code.h, Code"),
	SINCE(11, 3, code_kind_regexp, V8_NO_KIND, "execution/frames.h, IrregexpFrame"),
	SINCE(11, 3, stream_code, 8, "objects/instruction-stream.h, InstructionStream"),
	TRIED(11, 3, "20.20.2"),

	SINCE(11, 8, code_flags, 40, "objects/code.h, Code"),
	SINCE(11, 8, code_deopt, 8, "objects/code.h, Code"),
	SINCE(11, 8, code_start, 32, "objects/code.h, Code"),
	SINCE(11, 8, code_size, 44, "objects/code.h, Code"),
	SINCE(11, 8, scope_static_kind, 25, "objects/function-kind.h, FunctionKind"),
	TRIED(11, 8, "21.7.3"),

	SINCE(12, 4, code_flags, 0, METADATA),
	SINCE(12, 4, reaction_handler, 32, "objects/promise.tq, PromiseReaction"),
	SINCE(12, 4, bytecode_positions, 24, "objects/bytecode-array.tq, BytecodeArray"),
	SINCE(12, 4, code_start, 0, METADATA),
	SINCE(12, 4, code_size, 0, METADATA),
	SINCE(12, 4, sfi_data, 8, "objects/shared-function-info.tq, SharedFunctionInfo"),
	SINCE(12, 4, scope_module_type, 3, "common/globals.h, ScopeType"),
	SINCE(12, 4, wasm_inlines, 1, "wasm/wasm-code-manager.h, WasmCode"),
	TRIED(12, 4, "22.23.3"),

	SINCE(12, 9, deopt_caller, 0x68, "deoptimizer/deoptimizer.h, Deoptimizer"),
	SINCE(12, 9, deopt_from, 0x30, "deoptimizer/deoptimizer.h, Deoptimizer"),
	SINCE(12, 9, deopt_form, V8_DEOPT_12_9, "deoptimizer/translation-opcode.h"),
	SINCE(12, 9, wasm_code_function, 48, "wasm/wasm-code-manager.h, WasmCode"),
	SINCE(12, 9, sfi_builtin, 16, "objects/shared-function-info.tq, SharedFunctionInfo"),
	SINCE(12, 9, scope_module_type, 5, "common/globals.h, ScopeType"),
	SINCE(12, 9, lacks[V8_TIER_MAGLEV], V8_NO_POSITIONS, "maglev/maglev-code-generator.cc"),
	TRIED(12, 9, "23.11.1"),

	SINCE(13, 6, deopt_form, V8_DEOPT_13_6, "deoptimizer/translation-opcode.h"),
	SINCE(13, 6, wasm_code_len, 32, "wasm/wasm-code-manager.h, WasmCode"),
	SINCE(13, 6, wasm_code_function, 56, "wasm/wasm-code-manager.h, WasmCode"),
	SINCE(13, 6, lacks[V8_TIER_MAGLEV], V8_NO_DEFERRED, "maglev/maglev-code-generator.cc"),
	TRIED(13, 6, "24.21.0"),

	SINCE(14, 0, wasm_url_is_hash, 0, "wasm/module-compiler.cc"),
	SINCE(14, 1, positions_v14, 1, "codegen/source-position-table.cc"),
	TRIED(14, 1, "25.9.0"),

	SINCE(14, 6, scope_static_kind, 26, "objects/function-kind.h, FunctionKind"),
	TRIED(14, 6, "26.10.0"),

};

const struct v8_deltas v8_versions = { rows, sizeof(rows) / sizeof(rows[0]) };
