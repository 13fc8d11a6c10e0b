/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../case/case.h"
#include "../case/error.h"

/**
 * sim_recorded_load() - make a case from a recorded case, or from a plain core, as
 * sim_case_kind.load
 * @out:	freed by sim_recorded_free()
 *
 * Return: 0, -ENOTSUP if the case was recorded on another architecture than @arch, or a negative
 * errno with @error set.
 */
int sim_recorded_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		      struct sim_error *error);
void sim_recorded_free(struct sim_case **c);

/*
 * Returns whether @c has neither a true stack nor a recorded walk, with which a walk could be
 * compared.
 */
bool sim_is_unjudged(const struct sim_case *c);

/* Prints the note, as sim_case_kind.show; @arch is ignored. */
int sim_recorded_show(const char *path, const char *arch, struct sim_error *error);
