/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Sources: coreclr's own headers at the tags v6.0.36, v7.0.19, v8.0.33, v9.0.22 and v10.0.14:
 * vm/codeman.h (RangeSection, RangeSectionMap, CodeHeap, RealCodeHeader), vm/method.hpp
 * (MethodDesc, MethodDescChunk, DynamicMethodDesc), vm/ceeload.h (Module), vm/methodtable.h,
 * vm/threads.h (Thread, ThreadStore), inc/nibblemapmacros.h; for 10 also the runtime's data
 * contract descriptor (DotNetRuntimeContractDescriptor). tests/inspect/live_dotnet.c measures the
 * offsets of 8, 9 and 10 on live processes; tests/inspect/test_dotnet.c checks the offsets of 6 and
 * 7, which were measured once, against synthetic memory.
 */

#include <stddef.h>

#include "dotnet_layout.h"

static const struct dotnet_layout layouts[] = {
	{
		.major = 6,
		.debug_info = { false, false, 20, 0 },
		.dac_is_rva = true,
		.section_next = 0x18,
		.section_flags = 0x28,
		.section_r2r_module = 0x30,
		.section_heap = 0x30,
		.method_desc_len = 8,
		.token_bits = 14,
		.dynamic_name = 0x18,
		.module_name = 8,
	},
	{
		.major = 7,
		.debug_info = { false, false, 32, 8 },
		.section_next = 0x18,
		.section_flags = 0x28,
		.section_r2r_module = 0x30,
		.section_heap = 0x30,
		.method_desc_len = 8,
		.token_bits = 13,
		.dynamic_name = 0x18,
		.module_name = 0x100,
	},
	{
		.major = 8,
		.debug_info = { false, false, 32, 8 },
		.ranges_are_map = true,
		.section_flags = 0x10,
		.section_r2r_module = 0x20,
		.section_heap = 0x28,
		.range_list_kind = 0x120,
		.method_desc_len = 8,
		.token_bits = 12,
		.dynamic_name = 0x18,
		.module_name = 0x108,
		.module_dynamic = 0x698,
		.module_types = 0x2f8,
		.dynamic_is_buffer = true,
		.module_assembly = 0x128,
		.domain_versions = 0x9d8,
		.module_restored = 0x480,
		.restored_buckets = 0x1c0,
		.threads_slot = 16,
		.first_thread = 0xa0,
		.thread_id = 0xc0,
		.thread_hijack = 0x30,
	},
	{
		.major = 9,
		.debug_info = { false, false, 32, 8 },
		.ranges_are_map = true,
		.section_flags = 0x10,
		.section_r2r_module = 0x20,
		.section_heap = 0x28,
		.range_list_kind = 0x120,
		.method_desc_len = 16,
		.method_versions = 8,
		.token_bits = 12,
		.dynamic_name = 0x20,
		.module_name = 0x108,
		.module_base = 0x120,
		.module_dynamic = 0x460,
		.module_types = 0x278,
		.module_restored = 0x3d8,
		.restored_buckets = 0x1c0,
		.threads_slot = 16,
		.first_thread = 0xa0,
		.thread_id = 0xb8,
		.thread_hijack = 0x28,
		.type_has_token = true,
	},
	{
		.major = 10,
		.debug_info = { true, false, 40, 16 },
		.ranges_are_map = true,
		.nibbles_are_constant_time = true,
		.section_flags = 0x10,
		.section_r2r_module = 0x20,
		.section_heap = 0x28,
		.range_list_kind = 0x120,
		.method_desc_len = 16,
		.method_versions = 8,
		.token_bits = 12,
		.dynamic_name = 0x20,
		.module_name = 0xc0,
		.module_base = 0xe0,
		.module_dynamic = 0x348,
		.module_types = 0x1a8,
		.module_restored = 0x2c0,
		.restored_buckets = 0x178,
		.threads_slot = 15,
		.first_thread = 0x58,
		.thread_id = 0xb8,
		.thread_hijack = 0x28,
		.type_has_token = true,
	},
};

const struct dotnet_layout *dotnet_layout_get(u32 major)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].major == major)
			return &layouts[i];
	return NULL;
}
