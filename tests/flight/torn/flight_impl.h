/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The user-space recorder, with an option to keep seq valid while an entry is changed. */

#define flight_store flight_store_always
#include "../../../inspect/flight/port/flight_impl.h"
#undef flight_store

static bool leaves_seq;

UW_INLINE void flight_store(u64 *at, u64 value)
{
	if (value != FLIGHT_BUSY || !leaves_seq)
		flight_store_always(at, value);
}
