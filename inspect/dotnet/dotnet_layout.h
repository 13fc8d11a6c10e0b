/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Offsets of the fields of CoreCLR by which a frame's name is found, for each major version.
 * Offsets are in bytes from the start of an object; the first part of the member's name is the
 * object. docs/guides/new-node-release.md describes how to add a version.
 */

#include "debug_info.h"

struct dotnet_layout {
	u8 major;
	bool dac_is_rva; /* g_dacTable holds u32 offsets from the library; false: u64 pointers */
	bool ranges_are_map; /* the code ranges are in a map; false: in a list of sections */
	bool nibbles_are_constant_time;
	/* RangeSection */
	u16 section_flags, section_r2r_module, section_heap, section_next;
	u16 range_list_kind; /* CodeRangeMapRangeList, 0: none */
	/* MethodDesc */
	u16 method_desc_len;
	u8 token_bits; /* number of bits of the method's row that are in the MethodDesc */
	u16 dynamic_name; /* DynamicMethodDesc: char * */
	u16 method_versions; /* MethodDescCodeData *, 0: none */
	/* Module */
	u16 module_name; /* char *, into the metadata */
	u16 module_base; /* address of the image; 0: unknown */
	u16 module_dynamic; /* serialized metadata of Reflection.Emit; 0: unknown */
	bool dynamic_is_buffer; /* the metadata is an SBuffer; false: { u32 length; metadata } */
	u16 module_types; /* MethodTables by row of TypeDef: pointer, then u32 length; 0: unknown */
	u16 module_assembly; /* Assembly *, if domain_versions is set */
	u16 domain_versions; /* AppDomain: hash table of methods' versions; 0 if it is elsewhere */
	struct debug_info_layout debug_info;
	u16 module_restored; /* ReadyToRunInfo *; 0: unknown */
	u16 restored_buckets; /* ReadyToRunInfo: hash table of entry points */
	/* ThreadStore, and offsets from the list link in each Thread; threads_slot 0: unknown */
	u8 threads_slot; /* slot of g_dacTable with the address of the pointer to the ThreadStore */
	u16 first_thread; /* pointer to the first link, which starts with a pointer to the next */
	u16 thread_id; /* u64: the thread's gettid() */
	u16 thread_hijack; /* fields of struct dotnet_hijack */
	/* MethodTable */
	bool type_has_token; /* the upper 24 bits of the second flags are the row of TypeDef */
};

/* Returns the layout of a major version, or NULL if the version is unknown. */
const struct dotnet_layout *dotnet_layout_get(u32 major);
