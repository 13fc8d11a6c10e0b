/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The lazy back end, for fuzzing: memory that does not exist until it is read. A page
 * is drawn when it is first touched (there or not), a word of it likewise, also inside a
 * window; from then on both stay. What is drawn comes from an input of bytes:
 *
 *	page    < 24: absent
 *	word    < 128: own address + 8 * (byte + 1), as frame records point
 *	        < 224: one of the hints, plus a byte: code, objects
 *	        else:  the eight bytes that follow
 *
 * After the input's end pages are absent and words are zero. The same input gives the
 * same memory to whoever makes the same reads in the same order.
 */

#include "mem.h"

/* Drawn in one run; what is touched after that is absent. */
#define SIM_LAZY_PAGES 128

/**
 * sim_lazy_new() - memory without an input: all absent
 * @hints:	addresses that are worth pointing to; borrowed
 * @out:	owned by the caller, ends with sim_mem_free()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_lazy_new(const u64 *hints, u32 n_hints, struct sim_mem **out);

/**
 * sim_lazy_reset() - forget everything, and draw from @input from now on
 * @input:	borrowed until the next reset
 */
void sim_lazy_reset(struct sim_mem *mem, const u8 *input, u64 len);
