/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A walk through code whose rows are not loaded continues with the frame record at fp and
 * marks the step as a guess. When the sample is named, the rows are usually loaded. If they
 * place the frame record where fp pointed, they confirm the step.
 *
 *	frame i      no rows when it was walked     its rule now: { fp, ra } at fp
 *	frame i + 1  a guess                        confirmed
 *
 * An interrupted function without a frame record still has its caller's fp, so the walk
 * missed that caller. The sample contains the first words of the stack, and lr:
 *
 *	leaf         no rows when it was walked     its rule now: ra at sp + n, or in lr
 *	caller       missed                         inserted: its rule says { fp, ra } at fp
 *	frame 1      a guess                        confirmed: the caller's record leads to it
 *
 * If the walk found that caller by the leaf's instruction, the caller is confirmed.
 */

#include "../../core/native/row.h"
#include "../../core/uw_frame.h"
#include "../../core/uw_mapping.h"

/* As row_filler_rule(). */
typedef const struct uw_rule *confirm_rule_fn(const void *data, u32 module, u64 file_off);

/* Location of the return address of a function interrupted at this instruction. */
typedef int confirm_slot_fn(const void *data, u32 module, u64 file_off);
#define CONFIRM_IN_FRAME (-1) /* as arch_ra_slot(): else that many bytes above sp */
#define CONFIRM_IN_LR (-2)
#define CONFIRM_UNKNOWN (-3) /* it is unreadable */

struct confirm_source {
	bool fp_is_record; /* ARCH_FP_IS_RECORD */
	confirm_rule_fn *rule_of;
	confirm_slot_fn *slot_of;
	const void *data;
	const struct uw_mapping *maps; /* of the process, sorted */
	u32 n_maps;
};

/**
 * confirm_guesses() - confirm guesses by rows that were loaded since
 * @s:		gets flags of frames, and its status, as a walk with these rows has them
 * @room:	for a sample with one frame more
 *
 * A step that the rows contradict or do not cover stays a guess.
 *
 * Return: @s, or @room with a copy that has the leaf's caller, too.
 */
struct uw_sample *confirm_guesses(struct uw_sample *s, const struct confirm_source *from,
				  struct uw_sample *room);

/**
 * confirm_mapping() - the native mapping of a return address
 * @maps:	sorted
 *
 * Return: NULL when it is in none, or in none with a module.
 */
const struct uw_mapping *confirm_mapping(const struct uw_mapping *maps, u32 n_maps, u64 ra);
