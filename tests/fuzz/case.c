// SPDX-License-Identifier: BSD-2-Clause

/* Reads a recorded case, prints it, and walks it natively. */

#include "file.h"

#include "../core/walks.h"
#include "../../inspect/case/case.h"
#include "../../inspect/util/cleanup.h"
#include "../../sim/recorded/load.h"

static void print_note(const struct case_file *file)
{
	_cleanup_free_ char *text = case_note_text(file);

	FUZZ_MUST(text, "a note has no text");
	for (const char *p = text; *p; p++)
		FUZZ_MUST(*p == '\n' || (*p >= ' ' && *p < 0x7f), "byte %02x in words", (u8)*p);
}

static void walk(const struct sim_case *c)
{
	static struct uw_state u;

	c->arch->walk(&u, &c->target);
	FUZZ_MUST(u.sample.status && u.sample.status < UW_N_STATUS, "status %u", u.sample.status);
	FUZZ_MUST(u.sample.n_frames >= 1 && u.sample.n_frames <= UW_MAX_FRAMES, "%u frames",
		  u.sample.n_frames);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u32 n = 0;

	for (u32 i = 0; i < N_ARCHS; i++) {
		struct sim_error error = { "" };
		struct sim_case *c = NULL;
		int err = sim_recorded_load(fuzz_path(data, size), arch_rows[i].sim, &c, &error);

		FUZZ_MUST(!err == !!c, "the reader must return either an error (%d) or a case",
			  err);
		FUZZ_MUST(!err || err == -95 || error.text[0], "error %d has no message", err);
		if (!c)
			continue;
		print_note(c->recorded);
		walk(c);
		sim_recorded_free(&c);
		n++;
	}
	FUZZ_MUST(n <= 1, "both architectures accepted the case");
	return 0;
}
