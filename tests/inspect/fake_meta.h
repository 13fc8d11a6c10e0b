/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * X(name, value) for the relevant "v8dbg_" symbols of Node.js 24.21.0 (V8
 * 13.6.233.17), copied here so that tests need not read them with the code under
 * test.
 */

/* clang-format off */
#define FAKE_META_LIST(X) \
	X(CodeKindBaseline, 10) \
	X(CodeKindFieldMask, 15) \
	X(DeoptimizationDataInliningPositionsIndex, 8) \
	X(DeoptimizationDataLiteralArrayIndex, 3) \
	X(DeoptimizationDataWrappedSharedFunctionInfoIndex, 7) \
	X(FirstNonstringType, 128) \
	X(SmiShiftSize, 31) \
	X(TaggedSize, 8) \
	X(class_BytecodeArray__data__uintptr_t, 64) \
	X(class_Code__flags__uint32_t, 52) \
	X(class_Code__instruction_size__int, 56) \
	X(class_Code__instruction_start__Address, 40) \
	X(class_ConsString__first__String, 16) \
	X(class_ConsString__second__String, 24) \
	X(class_ExternalString__resource__Object, 16) \
	X(class_FixedArrayBase__length__SMI, 8) \
	X(class_FixedArray__data__uintptr_t, 16) \
	X(class_InstructionStream__instruction_start__uintptr_t, 32) \
	X(class_JSFunction__shared__SharedFunctionInfo, 32) \
	X(class_Map__instance_type__uint16_t, 12) \
	X(class_Script__eval_from_position__SMI, 80) \
	X(class_Script__eval_from_shared_or_wrapped_arguments__Tagged_Object_, 72) \
	X(class_Script__line_ends__Object, 56) \
	X(class_Script__name__Object, 16) \
	X(class_Script__source__Object, 8) \
	X(class_SeqOneByteString__chars__char, 16) \
	X(class_SharedFunctionInfoWrapper__shared_info__Tagged_SharedFunctionInfo_, 8) \
	X(class_SharedFunctionInfo__length__uint16_t, 48) \
	X(class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_, 24) \
	X(class_SharedFunctionInfo__script__Tagged_HeapObject_, 40) \
	X(class_SlicedString__offset__SMI, 24) \
	X(class_SlicedString__parent__String, 16) \
	X(class_String__length__int32_t, 12) \
	X(class_ThinString__actual__String, 16) \
	X(scopeinfo_idx_first_vars, 5) \
	X(scopeinfo_idx_ncontextlocals, 2) \
	X(type_ByteArray__BYTE_ARRAY_TYPE, 217) \
	X(type_BytecodeArray__BYTECODE_ARRAY_TYPE, 186) \
	X(type_Code__CODE_TYPE, 187) \
	X(type_DebugInfo__DEBUG_INFO_TYPE, 154) \
	X(type_FixedArray__FIXED_ARRAY_TYPE, 205) \
	X(type_InstructionStream__INSTRUCTION_STREAM_TYPE, 192) \
	X(type_InterpreterData__INTERPRETER_DATA_TYPE, 188) \
	X(type_Oddball__ODDBALL_TYPE, 131) \
	X(type_ProtectedFixedArray__PROTECTED_FIXED_ARRAY_TYPE, 193) \
	X(type_ScopeInfo__SCOPE_INFO_TYPE, 280) \
	X(type_Script__SCRIPT_TYPE, 167) \
	X(type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE, 195) \
	X(type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE, 282) \
	X(type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE, 196) \
	X(type_TrustedFixedArray__TRUSTED_FIXED_ARRAY_TYPE, 197) \
	X(type_TrustedWeakFixedArray__TRUSTED_WEAK_FIXED_ARRAY_TYPE, 199) \
	X(type_WeakFixedArray__WEAK_FIXED_ARRAY_TYPE, 256)
/* clang-format on */
