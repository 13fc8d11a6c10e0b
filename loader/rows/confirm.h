/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A walk through code whose rows are not loaded continues with the frame record at fp and marks the
 * step as a guess. When the sample is named, the rows are usually loaded. If the rows place the
 * frame record where fp pointed, they confirm the step.
 *
 *	frame i      no rows when it was walked     its rule now: { fp, ra } at fp
 *	frame i + 1  a guess                        confirmed
 *
 * An interrupted function without a frame record still has its caller's fp, so the walk missed that
 * caller. The caller is found in the sample, which contains the first words of the stack, and lr:
 *
 *	leaf         no rows when it was walked     its rule now: ra at sp + n, or in lr
 *	caller       missed                         inserted: its rule says { fp, ra } at fp
 *	frame 1      a guess                        confirmed: the caller's record leads to it
 *
 * If the walk found that caller by decoding the leaf's instruction, the caller is confirmed.
 */

#include "../../core/native/row.h"
#include "../../core/uw_frame.h"
#include "../../core/uw_mapping.h"

/* See row_filler_rule(). */
typedef const struct uw_rule *confirm_rule_fn(const void *data, u32 module, u64 file_off);

/* Returns where the return address of a function is that was interrupted at this instruction. */
typedef int confirm_slot_fn(const void *data, u32 module, u64 file_off);
#define CONFIRM_IN_FRAME (-1) /* as arch_ra_slot(); values >= 0: bytes above sp */
#define CONFIRM_IN_LR (-2)
#define CONFIRM_UNKNOWN (-3) /* the instruction is unreadable */

struct confirm_source {
	bool fp_is_record; /* ARCH_FP_IS_RECORD */
	confirm_rule_fn *rule_of;
	confirm_slot_fn *slot_of;
	const void *data;
	const struct uw_mapping *maps; /* mappings of the process, sorted */
	u32 n_maps;
};

/**
 * confirm_guesses() - confirm guesses by rows loaded after the walk
 * @s:		the sample; its frame flags and status become those of a walk with these rows
 * @room:	room for a sample with one more frame
 *
 * A step that the rows contradict or do not cover stays a guess.
 *
 * Return: @s, or @room with a copy that also contains the leaf's caller.
 */
struct uw_sample *confirm_guesses(struct uw_sample *s, const struct confirm_source *from,
				  struct uw_sample *room);

/**
 * confirm_mapping() - find the native mapping of a return address
 * @maps:	sorted
 *
 * Return: NULL if no mapping with a module contains it.
 */
const struct uw_mapping *confirm_mapping(const struct uw_mapping *maps, u32 n_maps, u64 ra);
