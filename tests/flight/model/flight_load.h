/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Replaces the reader's loads by calls of a model of memory, which chooses the values. */

u64 flight_load_acquire(const u64 *at);
u64 flight_load(const u64 *at);
void flight_load_fence(void);
