// SPDX-License-Identifier: BSD-2-Clause

/*
 * Makes one step of the core. The step must make a limited number of reads and leave valid
 * registers; a step that fails must change no register. Compiled once for each architecture.
 */

#include "walk.h"

#include "../core/sane.h"
#include "../../core/uw_walk.h"
#include "../../sim/port/tables.h"

/*
 * The most reads of one step: of the instruction (two tries), adjacent instructions, a word of the
 * top frame, the slots, the record, the JSFunction.
 */
#define MAX_READS 9
/*
 * The most reads of a CoreCLR step: of the nibble map; of functions, slot, header, code,
 * UNWIND_INFO (two tries) and its words; of the awaiter; then the reads of a guess.
 */
#define MAX_DOTNET_READS (DOTNET_MAX_CHUNKS + 32 + 2 + MAX_READS)

static bool is_dotnet(const struct uw_frame *f)
{
	return f->kind == UW_DOTNET_METHOD || f->kind == UW_DOTNET_R2R || f->kind == UW_DOTNET_STUB;
}

/*
 * Can the step lead to another stack? A step can do so at a V8 frame on a WebAssembly stack, and by
 * a row that does not compute the caller's sp from sp.
 */
static bool leads_away(const struct sim_target *t, const struct uw_regs *before,
		       const struct uw_frame *f)
{
	bool has_rows = f->kind == UW_NATIVE || f->kind == UW_DOTNET_R2R;
	const struct uw_rule *r = has_rows ? sim_find_rule(t, f->aux, frame_off(f)) : NULL;

	if ((f->kind == UW_V8_STUB || f->kind == UW_V8_CODE) &&
	    before->sp - before->fp > UW_MAX_FRAME_LEN)
		return true;
	return r && r->cfa == UW_CFA_FP_OTHER_STACK;
}

static void check(const struct sim_target *t, const struct uw_state *u,
		  const struct uw_regs *before, enum uw_status status)
{
	const struct uw_frame *f = u->sample.frames;

	FUZZ_MUST(u->sample.n_reads <= (is_dotnet(f) ? MAX_DOTNET_READS : MAX_READS), "%u reads",
		  u->sample.n_reads);
	FUZZ_MUST(status < UW_N_STATUS && class_of(status) != UW_CLASS_FRAME, "status %u", status);
	FUZZ_MUST(u->sample.n_frames <= 1 && f->pc == before->pc, "another frame");
	FUZZ_MUST(u->win_len <= UW_WINDOW_LEN, "a window of %u", u->win_len);
	if (status != UW_OK) {
		FUZZ_MUST(!memcmp(&u->regs, before, sizeof(*before)), "changed registers");
		return;
	}
	FUZZ_MUST(u->regs.pc >= UW_PAGE_LEN && u->regs.pc <= u->va_mask, "pc %#llx", u->regs.pc);
	if (!(u->next_flags & UW_FRAME_RA)) /* code interrupted by a signal */
		return;
	FUZZ_MUST(u->stack_low >= before->sp || leads_away(t, before, f), "it goes down");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct sim_target target;
	static struct uw_state u;
	struct fuzz_input in = { data, size };
	struct uw_regs before;

	fuzz_target(&target, &in);
	fuzz_memory(&target, &in);
	fuzz_port_target = &target;
	u.regs = before = target.regs;
	u.va_mask = target.va_mask;
	u.extent = target.extent;
	u.has_tables = target.extent != 0;
	u.sample.flags = target.sample_flags;
	u.sample.n_frames = 0;
	uw_walk_begin(&u);
	check(&target, &u, &before, uw_step(&u));
	return 0;
}
