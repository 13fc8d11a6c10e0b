/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The port: everything that differs between the environments in which the core runs. The
 * include path selects <port_impl.h> of bpf/port, sim/port or sim/guest. Outside of itself,
 * the core calls only these functions.
 */

#include "dotnet/dotnet_info.h"
#include "native/row.h"
#include "uw_note.h"
#include "uw_state.h"
#include "v8/v8_info.h"

/**
 * port_read_user() - read the target's memory
 * @dst:	all zero after a failure
 * @len:	1 .. UW_WINDOW_LEN
 * @addr:	any value
 *
 * Has the semantics of bpf_probe_read_user(): it reads all bytes or fails, and never
 * sleeps. It fails if the memory is not resident.
 *
 * Return: 0 or -14.
 */
UW_INLINE long port_read_user(void *dst, u32 len, u64 addr);

/**
 * port_mapping() - find the executable mapping that contains a pc
 * @u:		walk state; u->extent selects the process's mappings
 * @pc:		any value
 *
 * Return: borrowed until the step ends, or NULL if no mapping contains the pc.
 */
UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc);

/**
 * port_row() - find the unwind rule of native code
 * @u:		walk state
 * @module:	id of the file, as in struct uw_mapping; not 0
 * @file_off:	offset of the code in the module's file, below UW_MAX_ROW_OFF
 *
 * Return: borrowed until the step ends, or NULL if the rows of this page are not loaded.
 */
UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off);

/**
 * port_info_v8() - get the layout of the V8 build with this index
 *
 * Return: borrowed until the step ends, or NULL.
 */
UW_INLINE const struct v8_info *port_info_v8(u32 info_idx);

/**
 * port_wants_async() - does the walk follow async callers?
 *
 * In BPF this is a constant when the program is loaded: if it is false, the verifier drops the code
 * that follows async callers. In either case, the walk does not follow awaiters of types that the
 * build's info does not describe.
 */
UW_INLINE bool port_wants_async(void);

/**
 * port_await() - find the table entry of a .NET async method, type or thread
 * @u:		walk state; u->process_key is not 0
 * @key:	the entry's key, as in struct dotnet_await
 *
 * The core looks up methods and types only if port_wants_async(). Return: borrowed until
 * the step ends, or NULL if there is no such entry.
 */
UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key);

/**
 * port_index() - mask an index, so that it is below a power of two
 * @n:		any value
 * @mask:	constant, a power of two minus one
 *
 * In BPF, the masking proves to the verifier that the index is in bounds; the optimizer can't
 * remove it.
 *
 * Return: n & mask.
 */
UW_INLINE u64 port_index(u64 n, u64 mask);

/**
 * port_note() - hook for a decision of the walk
 * @u:		walk state at that moment
 * @note:	constant
 * @value:	the value that the note is about
 *
 * Does not change the walk. It is empty in ports that do not listen, so the compiler emits no code
 * for notes.
 */
UW_INLINE void port_note(const struct uw_state *u, enum uw_note note, u64 value);

#include <port_impl.h>
