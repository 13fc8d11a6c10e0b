/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The unwind rows of all embedded builtins of a build, for port/port_impl.h. */

#include "../../inspect/unwind/rules.h"
#include "../../inspect/v8/v8.h"

struct live_rows {
	struct rules rules;
	struct uw_rule *table;
	u16 *of; /* index of the rule of each byte of the blob */
	u64 blob_off, blob_len; /* file offset and length of the blob */
	u64 blob_addr;
};

/* 0 or a negative errno. */
int live_rows_init(struct live_rows *l, const struct v8_build *b, struct elf_file *f);
void live_rows_deinit(struct live_rows *l);

/*
 * Returns the rule at an offset in the file: rule 0 if no rule is known, NULL if the offset is not
 * in the blob.
 */
const struct uw_rule *live_rows_at(const struct live_rows *l, u64 file_off);
