/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Where CoreCLR keeps what a frame's name needs, by major version. Offsets are bytes
 * from the start of the object that the name says. How to add a version:
 * docs/guides/new-node-release.md.
 */

#include "debug_info.h"

struct dotnet_layout {
	u8 major;
	bool dac_is_rva; /* g_dacTable holds u32 offsets from the library, else u64 pointers */
	bool ranges_are_map; /* of five levels; else a list of sections */
	bool nibbles_are_constant_time;
	/* RangeSection */
	u16 section_flags, section_r2r_module, section_heap, section_next;
	u16 range_list_kind; /* CodeRangeMapRangeList, 0: there is none */
	/* MethodDesc */
	u16 method_desc_len;
	u8 token_bits; /* of the method's row number that are kept in the MethodDesc */
	u16 dynamic_name; /* DynamicMethodDesc: char * */
	u16 method_versions; /* MethodDescCodeData *, 0: there is none */
	/* Module */
	u16 module_name; /* char *, into the metadata */
	u16 module_base; /* of the image; 0: not known */
	u16 module_dynamic; /* what Reflection.Emit made, written down; 0: not known */
	bool dynamic_is_buffer; /* SBuffer, else { u32 length; the metadata } */
	u16 module_types; /* MethodTables by row of TypeDef: first, then u32 count; 0: not known */
	u16 module_assembly; /* Assembly *, where domain_versions is set */
	u16 domain_versions; /* AppDomain: hash table of methods' versions; 0: they are elsewhere */
	struct debug_info_layout debug_info;
	u16 module_restored; /* ReadyToRunInfo *; 0: not known */
	u16 restored_buckets; /* ReadyToRunInfo: of the methods that were restored */
	/* ThreadStore, and from its list's link in each Thread on; threads_slot 0: not known */
	u8 threads_slot; /* of g_dacTable: address of the ThreadStore's address */
	u16 first_thread; /* address of the first link, which begins with that of the next */
	u16 thread_id; /* u64: as gettid() gives it to the process */
	u16 thread_hijack; /* as struct dotnet_hijack */
	/* MethodTable */
	bool type_has_token; /* row of the TypeDef in the upper 24 bits of its second flags */
};

/* NULL: not a version that is known. */
const struct dotnet_layout *dotnet_layout_get(u32 major);
