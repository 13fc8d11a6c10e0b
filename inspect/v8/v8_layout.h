/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The layout of the objects of one build of V8. Private to inspect/v8.
 *
 * Offsets are in bytes from the untagged address. They come from the binary's metadata (the
 * "v8dbg_" symbols), from neighbouring fields, or from the table of changes between versions
 * (v8_versions.c).
 */

#include "v8.h"

#define V8_VERSION(major, minor) ((u32)(major) << 16 | (u32)(minor))

/*
 * X(field, metadata symbol): symbols "class_..__" end in the field's C++ type, which changes
 * between versions, so a name that ends in '_' is a prefix of the symbol.
 */
#define V8_LAYOUT_FIELDS(X)                                                                        \
	X(map_instance_type, "class_Map__instance_type__")                                         \
	X(function_shared, "class_JSFunction__shared__")                                           \
	X(sfi_data, "class_SharedFunctionInfo__function_data__")                                   \
	X(sfi_name, "class_SharedFunctionInfo__name_or_scope_info__")                              \
	X(sfi_script, "class_SharedFunctionInfo__script_")                                         \
	X(sfi_length, "class_SharedFunctionInfo__length__")                                        \
	X(scope_n_locals_idx, "scopeinfo_idx_ncontextlocals")                                      \
	X(scope_first_var_idx, "scopeinfo_idx_first_vars")                                         \
	X(script_source, "class_Script__source__")                                                 \
	X(script_name, "class_Script__name__")                                                     \
	X(script_line_ends, "class_Script__line_ends__")                                           \
	X(script_eval_function, "class_Script__eval_from_shared_")                                 \
	X(script_eval_position, "class_Script__eval_from_position__")                              \
	X(string_length, "class_String__length__")                                                 \
	X(seq_chars, "class_SeqOneByteString__chars__")                                            \
	X(cons_first, "class_ConsString__first__")                                                 \
	X(cons_second, "class_ConsString__second__")                                               \
	X(sliced_parent, "class_SlicedString__parent__")                                           \
	X(sliced_offset, "class_SlicedString__offset__")                                           \
	X(thin_actual, "class_ThinString__actual__")                                               \
	X(external_resource, "class_ExternalString__resource__")                                   \
	X(array_length, "class_FixedArrayBase__length__")                                          \
	X(array_data, "class_FixedArray__data__")                                                  \
	X(bytecode_data, "class_BytecodeArray__data__")                                            \
	X(bytecode_positions, "class_BytecodeArray__source_position_table__")                      \
	X(code_start, "class_Code__instruction_start__")                                           \
	X(code_size, "class_Code__instruction_size__")                                             \
	X(code_flags, "class_Code__flags__")                                                       \
	X(code_deopt, "class_Code__deoptimization_data__")                                         \
	X(code_kind_mask, "CodeKindFieldMask")                                                     \
	X(code_kind_baseline, "CodeKindBaseline")                                                  \
	X(deopt_inlining_idx, "DeoptimizationDataInliningPositionsIndex")                          \
	X(first_nonstring_type, "FirstNonstringType")                                              \
	X(type_sfi, "type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE")                          \
	X(type_scope_info, "type_ScopeInfo__SCOPE_INFO_TYPE")                                      \
	X(type_script, "type_Script__SCRIPT_TYPE")                                                 \
	X(type_debug_info, "type_DebugInfo__DEBUG_INFO_TYPE")                                      \
	X(type_code, "type_Code__CODE_TYPE")                                                       \
	X(type_bytecode_array, "type_BytecodeArray__BYTECODE_ARRAY_TYPE")                          \
	X(type_interpreter_data, "type_InterpreterData__INTERPRETER_DATA_TYPE")                    \
	X(type_byte_array, "type_ByteArray__BYTE_ARRAY_TYPE")                                      \
	X(type_fixed_array, "type_FixedArray__FIXED_ARRAY_TYPE")                                   \
	X(type_weak_fixed_array, "type_WeakFixedArray__WEAK_FIXED_ARRAY_TYPE")

/* Fields that are 0 because some versions lack them, or that are derived. */
#define V8_LAYOUT_OPTIONAL(X)                                                                      \
	X(deopt_sfi_idx, "DeoptimizationDataSharedFunctionInfoIndex")                              \
	X(deopt_literals_idx, "DeoptimizationDataLiteralArrayIndex")                               \
	X(code_positions, "class_Code__source_position_table__")                                   \
	X(stream_header, "class_InstructionStream__instruction_start__")                           \
	X(wrapper_sfi, "class_SharedFunctionInfoWrapper__shared_info__")                           \
	X(code_kind_shift, "CodeKindFieldShift")                                                   \
	X(type_stream, "type_InstructionStream__INSTRUCTION_STREAM_TYPE")                          \
	X(type_oddball, "type_Oddball__ODDBALL_TYPE")                                              \
	X(type_baseline_data, "type_BaselineData__BASELINE_DATA_TYPE")                             \
	X(type_trusted_byte_array, "type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE")               \
	X(type_trusted_fixed_array, "type_TrustedFixedArray__TRUSTED_FIXED_ARRAY_TYPE")            \
	X(type_protected_fixed_array, "type_ProtectedFixedArray__PROTECTED_FIXED_ARRAY_TYPE")      \
	X(type_trusted_weak_array, "type_TrustedWeakFixedArray__TRUSTED_WEAK_FIXED_ARRAY_TYPE")    \
	X(type_sfi_wrapper, "type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE")   \
	X(type_wasm_export, "type_WasmExportedFunctionData__WASM_EXPORTED_FUNCTION_DATA_TYPE")     \
	X(function_context, "class_JSFunction__context__")                                         \
	X(type_promise, "type_JSPromise__JS_PROMISE_TYPE")                                         \
	X(type_reaction, "type_PromiseReaction__PROMISE_REACTION_TYPE")                            \
	X(type_capability, "type_PromiseCapability__PROMISE_CAPABILITY_TYPE")                      \
	X(type_async_function, "type_JSAsyncFunctionObject__JS_ASYNC_FUNCTION_OBJECT_TYPE")        \
	X(type_async_generator, "type_JSAsyncGeneratorObject__JS_ASYNC_GENERATOR_OBJECT_TYPE")     \
	X(type_request, "type_AsyncGeneratorRequest__ASYNC_GENERATOR_REQUEST_TYPE")

/*
 * A code kind that no code has. The kinds of the tiers are relative to that of baseline code. V8 8
 * has no baseline code, and OPTIMIZED_FUNCTION is 0, so the (unused) kind of baseline code is -2.
 */
#define V8_NO_KIND 0xfffe

/* Offsets in promises, generators and contexts. */
enum v8_async_form {
	V8_ASYNC_UNKNOWN,
	V8_ASYNC_8_3, /* the offsets in core/v8/v8_async.h */
};

/* Tables of compiled code that are missing, or wrong for a part of the code. */
enum v8_lack {
	V8_NO_POSITIONS = 1, /* only deoptimization points have positions */
	V8_NO_DEFERRED = 2, /* deferred code has no positions, and loops have wrong positions */
	V8_NO_CALLS = 4, /* calls with several targets have wrong positions */
	V8_NO_OFFSETS = 8, /* baseline: the form of bytecode offsets is not supported */
};

struct v8_layout {
#define X(field, symbol) u16 field;
	V8_LAYOUT_FIELDS(X)
	V8_LAYOUT_OPTIONAL(X)
#undef X
	u16 script_line_offset, script_column_offset, script_id;
	u16 code_kinds; /* number of code kinds after that of baseline code */
	u16 code_kind_regexp; /* V8_NO_KIND if a regular expression's frame has a marker */
	u16 stream_code; /* offset of the Code in InstructionStream */
	u16 has_map_an_isolate; /* each isolate has its own map for the headers of machine code */
	u16 baseline_data_code, baseline_data_bytecode; /* in BaselineData; 0: V8 lacks it */
	/* ScopeType (low four bits of flags) whose ScopeInfo has one more slot before the names. */
	u16 scope_module_type;
	u16 scope_slots; /* offset of the slots of a ScopeInfo */
	u16 scope_is_old; /* up to V8 9: a slot for "this", and no hash table of names */
	/*
	 * First FunctionKind of initializers of static members; 0 if V8 gives these functions
	 * names.
	 */
	u16 scope_static_kind;
	u16 positions_v14; /* newer encoding of source position tables */
	u16 bytecode_array_slot, bytecode_offset_slot; /* below fp */
	u16 sfi_builtin; /* a builtin's id, a SMI */
	u16 async_form; /* enum v8_async_form */
	u16 reaction_handler; /* offset of the fulfill handler in PromiseReaction */
	u16 wasm_code_len, wasm_code_function; /* offsets in WasmCode; 0: unknown */
	u16 wasm_fresh, wasm_table; /* lists of code, from the map of a module's code; 0: none */
	u16 wasm_url_is_hash; /* a module's URL has StringHasher's hash of the module's bytes */
	u16 wasm_inlines; /* WasmCode lists the functions inlined in it */
	u16 deopt_caller; /* offset in Deoptimizer of the caller's sp, fp and pc; 0: unknown */
	u16 deopt_from; /* offset in Deoptimizer of the exit's return address */
	u16 deopt_pushed; /* bytes pushed by the deoptimization entry; 0: the entry is a builtin */
	u16 deopt_form; /* enum v8_deopt_form; 0: translations are not supported */
	u16 deopt_entries; /* index of the first deoptimization point, minus deopt_inlining_idx */
	u16 deopt_entries_idx; /* index of the first deoptimization point; 0: unknown */
	u16 code_safepoints; /* where Code has the safepoint table's offset; 0: after the code */
	u16 lacks[V8_N_TIERS]; /* enum v8_lack, for each tier */
	u32 version; /* V8_VERSION() of the rows that were used */
};

/* Index of the offset of the first exit (DeoptimizationData::kDeoptExitStartIndex). */
static inline u32 v8_deopt_exits_idx(const struct v8_layout *l)
{
	return l->deopt_inlining_idx + 1u;
}

#define V8_TRIED UINT16_MAX

/* One row: from V8 @since on, the field has this value. */
struct v8_delta {
	u32 since; /* V8_VERSION() */
	u16 field_off; /* in struct v8_layout; V8_TRIED: @since was tested with the rows above */
	u16 value;
	const char *source; /* file and name in V8's source; V8_TRIED: the release of Node.js */
};

/* Sorted by @since; V8_TRIED is the last row of its version. */
struct v8_deltas {
	const struct v8_delta *rows;
	size_t n;
};

extern const struct v8_deltas v8_versions;

/**
 * v8_layout_sum() - apply the rows of all versions up to one
 * @l:		written
 * @version:	version of V8. For an untested version, the rows of earlier versions are used.
 *		Fields that v8_probe.c does not check are then cleared, unless the next tested
 *		version has the same rows
 *
 * @l->version is @version, or, if @version is unknown, the last tested version before it.
 */
void v8_layout_sum(struct v8_layout *l, u32 version, const struct v8_deltas *t);

/* A metadata symbol: the name without "v8dbg_", and the value. */
struct v8_meta {
	const char *name;
	s32 value;
};

/**
 * v8_layout_init() - make a build's layout
 * @l:		written on success
 * @t:		changes between versions
 * @version:	V8_VERSION()
 * @meta:	metadata, sorted by name (strcmp)
 *
 * Return: NULL, or the reason why this build is not supported (a constant string).
 */
const char *v8_layout_init(struct v8_layout *l, const struct v8_deltas *t, u32 version,
			   const struct v8_meta *meta, size_t n);

/*
 * Returns the value of a metadata symbol by name, or by prefix if the name ends in '_'; @missing if
 * there is none.
 */
s32 v8_meta_get(const struct v8_meta *meta, size_t n, const char *name, s32 missing);
