/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes a case from one sample of the BPF program for capturing. The memory that the walk
 * read comes from the log of the walk. All other memory is copied from the target, which
 * keeps running, so the case marks this memory as copied later.
 */

#include "../../inspect/case/frames.h"
#include "../../inspect/case/redact.h"
#include "../sample/sampler.h"
#include "../session/naming.h"
#include "../session/session.h"

#include <regex.h>

struct take_options {
	const regex_t *match; /* regex that a frame name must match; NULL: any stack */
	u64 va_mask; /* va_mask of the walk */
	bool raw; /* do not redact private bytes */
	bool minimal; /* only memory that the walk and naming read */
};

/* A case, and the memory that its members point to. */
struct taken {
	struct case_file file;
	struct case_regs regs;
	struct case_walk walk;
	struct uw_frame *walked; /* frames of the walk */
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
	TAKE_NO_MATCH, /* no frame name matches */
	TAKE_CHANGED, /* the target changed its mappings or memory that the walk read */
	TAKE_GONE, /* the target has exited */
	TAKE_FAILED, /* out of memory, or the case is too large */
};

/**
 * take() - make a case of a sample
 * @log:	reads of the walk
 * @out:	free with taken_deinit(), also after an error
 */
enum take_result take(const struct session_stack *stack, const struct uw_log *log,
		      const struct take_options *options, struct taken *out);
void taken_deinit(struct taken *t);
