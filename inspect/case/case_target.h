/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A recorded case, or a plain core, as a target to inspect. */

#include "../target/target.h"
#include "case.h"

struct case_target {
	struct target target;
	const struct case_file *c;
};

/* Makes @t read the memory of @c, which is borrowed. Bytes that are not recorded are unreadable. */
void case_target_init(struct case_target *t, const struct case_file *c);
