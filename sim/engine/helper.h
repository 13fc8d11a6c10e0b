/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Protocol between the helper process and its parent, over a stream socket. A request is for one
 * walk. The request is followed by runs of pages, each with the bytes of the pages if they are
 * readable:
 *
 *	helper_request  helper_run [bytes]  helper_run [bytes]  ...
 *
 * The helper answers with one helper_reply.
 */

#include "../../core/uw_state.h"

#define HELPER_SOCKET_FD 3
#define HELPER_PROG_FD 4

/* The same as struct uw_start in bpf/conformance.bpf.c. */
struct helper_start {
	struct uw_regs regs;
	u64 extent;
	u64 va_mask : 56;
	u64 sample_flags : 8;
};
_Static_assert(sizeof(struct helper_start) == 96, "wire");

enum helper_how {
	HELPER_TEST_RUN, /* call BPF_PROG_TEST_RUN for the program */
	HELPER_FAULT, /* make a page fault with the target's registers */
};

struct helper_request {
	struct helper_start start;
	u64 n_runs;
	u64 how; /* enum helper_how */
};
_Static_assert(sizeof(struct helper_request) == 112, "wire");

enum helper_run_kind {
	HELPER_READABLE, /* resident, with bytes */
	HELPER_ABSENT, /* never touched */
	HELPER_NO_ACCESS,
};

/* Adjacent pages of the same kind. */
struct helper_run {
	u64 addr;
	u64 len;
	u64 kind; /* enum helper_run_kind */
};
_Static_assert(sizeof(struct helper_run) == 24, "wire");

enum helper_outcome {
	HELPER_WALKED,
	HELPER_CANNOT_MAP, /* the run at reply.addr could not be mapped */
	HELPER_CANNOT_WALK,
};

struct helper_reply {
	u64 addr;
	u32 outcome; /* enum helper_outcome */
	s32 err; /* negative errno */
};
_Static_assert(sizeof(struct helper_reply) == 16, "wire");
