/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * From one sample of the capturing program to a case: what the walk read comes from
 * its log; the rest is copied from the target while it runs, and is marked so.
 */

#include "../../inspect/case/frames.h"
#include "../../inspect/case/redact.h"
#include "../sample/sampler.h"
#include "../session/naming.h"
#include "../session/session.h"

#include <regex.h>

struct take_options {
	const regex_t *match; /* NULL: any; else one frame's name has to match */
	u64 va_mask; /* of the walk */
	bool raw; /* leave private bytes as they are */
	bool minimal; /* only what the walk and naming read */
};

/* A case, and what its parts are made of. */
struct taken {
	struct case_file file;
	struct case_regs regs;
	struct case_walk walk;
	struct uw_frame *walked; /* its frames */
	struct pages pages;
	struct areas areas;
	struct case_frames frames;
	struct case_mapping *mappings;
	struct v8_info *v8_builds;
	struct case_read *reads;
	struct case_row *rows;
	struct case_map_file *files;
	struct case_aux *auxv;
	char *engine;
};

enum take_result {
	TAKE_OK,
	TAKE_NO_MATCH, /* no frame's name does */
	TAKE_CHANGED, /* the target changed what the walk read, or its mappings */
	TAKE_GONE, /* the target has ended */
	TAKE_FAILED, /* no memory, or too much of it */
};

/**
 * take() - make a case of a sample
 * @log:	the reads of its walk
 * @out:	to be freed by taken_deinit() whatever is returned
 */
enum take_result take(const struct session_stack *stack, const struct uw_log *log,
		      const struct take_options *options, struct taken *out);
void taken_deinit(struct taken *t);
