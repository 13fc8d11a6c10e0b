/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The lazy back end, for fuzzing: memory that does not exist until it is read. The first access to
 * a page draws whether the page exists. The first access to a word, which may be a part of a
 * longer read, draws the value of the word. The results stay the same until the next reset. The
 * drawn values come from an input of bytes:
 *
 *	page    < 24: absent
 *	word    < 128: the word's own address + 8 * (byte + 1), like a frame record
 *	        < 224: one of the hints, plus a byte: code, objects
 *	        else:  the next eight bytes
 *
 * When the input is used up, all further pages are absent and all further words are zero. The same
 * input gives the same memory to the same reads in the same order.
 */

#include "mem.h"

/* Maximum number of pages in one run; further pages are absent. */
#define SIM_LAZY_PAGES 128

/**
 * sim_lazy_new() - make memory without an input: all pages are absent
 * @hints:	addresses that words should point to; borrowed
 * @out:	owned by the caller, freed by sim_mem_free()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_lazy_new(const u64 *hints, u32 n_hints, struct sim_mem **out);

/**
 * sim_lazy_reset() - drop all contents, and draw values from @input from then on
 * @input:	borrowed until the next reset
 */
void sim_lazy_reset(struct sim_mem *mem, const u8 *input, u64 len);
