/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The port: all that differs between the worlds in which the core runs. The
 * include path decides which <port_impl.h> is found: bpf/port, sim/port or
 * sim/guest. The core calls nothing else.
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
 * Has the semantics of bpf_probe_read_user(): all or nothing, never sleeps; memory
 * that is not resident is a failure like any other.
 *
 * Return: 0 or -14.
 */
UW_INLINE long port_read_user(void *dst, u32 len, u64 addr);

/**
 * port_mapping() - the executable mapping around a pc
 * @u:		walk state; u->extent names the process's mappings
 * @pc:		any value
 *
 * Return: borrowed until the step ends, or NULL.
 */
UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc);

/**
 * port_row() - how native code is unwound
 * @u:		walk state
 * @module:	as in struct uw_mapping, not 0
 * @file_off:	of the code in the module's file, below UW_MAX_ROW_OFF
 *
 * Return: borrowed until the step ends, or NULL: the rows of this page are not loaded.
 */
UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off);

/**
 * port_info_v8() - layout of the build of V8 with this index
 *
 * Return: borrowed until the step ends, or NULL.
 */
UW_INLINE const struct v8_info *port_info_v8(u32 info_idx);

/**
 * port_wants_async() - are the functions wanted that wait for the ones on the stack?
 *
 * In BPF a constant when the program is loaded: where they are not, the verifier drops
 * the code. What a build's info does not describe is not followed either way.
 */
UW_INLINE bool port_wants_async(void);

/**
 * port_await() - what is known of an async method of .NET, of a type, or of a thread
 * @u:		walk state; u->process_key is the process, not 0
 * @key:	as in struct dotnet_await
 *
 * Of methods and types it is asked only where port_wants_async(). Return: borrowed until the step
 * ends, or NULL.
 */
UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key);

/**
 * port_index() - an index that provably stays within a power of two
 * @n:		any value
 * @mask:	constant, a power of two minus one
 *
 * In BPF this is the verifier's bound proof, hidden from the optimizer.
 *
 * Return: n & mask.
 */
UW_INLINE u64 port_index(u64 n, u64 mask);

/**
 * port_note() - told a decision of the walk
 * @u:		walk state as it is by then
 * @note:	constant
 * @value:	what the decision is about
 *
 * Changes nothing in the walk. Empty where nobody listens: no code is left of it.
 */
UW_INLINE void port_note(const struct uw_state *u, enum uw_note note, u64 value);

#include <port_impl.h>
