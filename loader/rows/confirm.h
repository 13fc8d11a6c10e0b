/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A walk through code whose rows are not loaded continues with the frame record at fp and marks the
 * step as a guess. When the sample is named, the rows are usually loaded. If the loaded rows say
 * that the frame record is where fp pointed, they confirm the step.
 *
 *	frame i      no rows when it was walked     its rule now: { fp, ra } at fp
 *	frame i + 1  a guess                        confirmed
 *
 * While an interrupted function has no frame record, fp still points to the record of its caller,
 * so the walk missed the caller. The caller is found from data in the sample, which contains lr and
 * the first words of the stack:
 *
 *	leaf         no rows when it was walked     its rule now: ra at sp + n, or in lr
 *	caller       missed                         inserted: its rule says { fp, ra } at fp
 *	frame 1      a guess                        confirmed: the caller's record leads to it
 *
 * If the walk did find the caller, by decoding the leaf's instruction, nothing is inserted and the
 * caller is confirmed.
 */

#include "../../core/native/row.h"
#include "../../core/uw_frame.h"
#include "../../core/uw_mapping.h"

/* See row_filler_rule(). */
typedef const struct uw_rule *confirm_rule_fn(const void *data, u32 module, u64 file_off);

/*
 * For a function that was interrupted at this instruction, returns the location of the return
 * address.
 */
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
 * @s:		the sample; its frame flags and its status are changed to those that a walk with
 *		these rows would have
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
