// SPDX-License-Identifier: BSD-2-Clause

/*
 * Fault sweep: for every bundled stack, each read fails in turn. The allowed differences depend
 * on the purpose of the read:
 *
 *	function          one frame has no function; everything else is the same
 *	V8 frame's slots  one frame has only a pc; everything else is the same
 *	record            the walk ends at this frame with a fault, or because it has no row
 *	awaiters          the later awaiters are missing, and the last one may have the reason
 *	                  as its status; everything else is the same
 *	CoreCLR's method  the method has no name, and the walk reports that it continues by a guess
 *	first instruction or the word at sp
 *	                  the walk uses the record: the direct caller is missing if
 *	                  the record was not the leaf's, and frame 0 may be unnamed
 */

#include "sane.h"

#include "../../fixtures/stacks/all.h"

enum outcome {
	LOST_FUNCTION,
	LOST_FRAME,
	ENDED,
	LOST_CALLER,
	SAME,
	GUESSED,
	CUT,
	STRAYED,
	WRONG,
	N_OUTCOMES
};

static struct uw_sample good;

/*
 * Is @bad the good walk, except that one frame has lost what identifies its function, and has
 * @status?
 */
static bool lost_one(const struct uw_sample *bad, enum uw_status status)
{
	u32 n_lost = 0;

	if (bad->status != good.status || bad->n_frames != good.n_frames)
		return false;
	for (u32 i = 0; i < bad->n_frames; i++) {
		const struct uw_frame *b = &bad->frames[i], *g = &good.frames[i];

		if (!memcmp(b, g, sizeof(*b)))
			continue;
		/* An exit frame keeps its type marker. */
		if (b->pc != g->pc || (g->kind == UW_V8_STUB && b->b) ||
		    (b->a && (g->kind != UW_V8_STUB || b->a != g->a)) || b->status != status ||
		    b->flags != g->flags)
			return false;
		n_lost++;
	}
	return n_lost == 1;
}

static bool is_same(const struct uw_sample *bad)
{
	return bad->status == good.status && bad->n_frames == good.n_frames &&
	       !memcmp(bad->frames, good.frames, good.n_frames * sizeof(struct uw_frame));
}

/* The last frame has no row, so the record by which its caller would be found may be wrong. */
static bool is_guess(const struct uw_sample *bad)
{
	return bad->status == UW_T_NO_ROW || bad->status == UW_T_ROWS_PENDING;
}

static bool is_undescribed(const struct uw_frame *last)
{
	return last->kind == UW_NATIVE || last->status != UW_OK;
}

static bool is_prefix(const struct uw_sample *bad)
{
	return bad->n_frames && bad->n_frames <= good.n_frames &&
	       (bad->status == UW_E_FAULT || bad->status == UW_T_UNKNOWN_PROCESS ||
		(is_guess(bad) && is_undescribed(&bad->frames[bad->n_frames - 1]))) &&
	       !memcmp(bad->frames, good.frames, bad->n_frames * sizeof(struct uw_frame));
}

/* Are the frames those of the good walk, except that one caller of interrupted code is missing? */
static bool lost_caller(const struct uw_sample *bad)
{
	u32 n = 0;

	while (n < bad->n_frames && bad->frames[n].pc == good.frames[n].pc)
		n++;
	if (!n || bad->n_frames + 1 != good.n_frames || good.frames[n - 1].flags & UW_FRAME_RA)
		return false;
	for (; n < bad->n_frames; n++)
		if (bad->frames[n].pc != good.frames[n + 1].pc)
			return false;
	return bad->status == good.status;
}

/*
 * Is the method known, but not its funclet? This is also the case if the list of funclets can't be
 * read.
 */
static bool lost_funclet(const struct uw_frame *f)
{
	return f->status == UW_F_NO_METHOD && f->a && f->b;
}

/*
 * Are the frames those of the good walk down to an unreadable method, and is the rest marked as a
 * guess?
 */
static bool is_guessed_on(const struct uw_sample *bad)
{
	u32 n = 0;

	while (n < bad->n_frames && n < good.n_frames &&
	       !memcmp(&bad->frames[n], &good.frames[n], sizeof(struct uw_frame)))
		n++;
	if (n >= bad->n_frames || bad->frames[n].pc != good.frames[n].pc ||
	    (bad->frames[n].status != UW_F_METHOD_FAULT && !lost_funclet(&bad->frames[n])))
		return false;
	return bad->status != UW_END || bad->frames[n].flags & UW_FRAME_GUESS;
}

/*
 * The index of the first frame from @i on that is an awaiter (@waits) or is no awaiter (!@waits);
 * n_frames if there is no such frame.
 */
static u32 next_that(const struct uw_sample *s, u32 i, bool waits)
{
	while (i < s->n_frames && !(s->frames[i].flags & UW_FRAME_ASYNC) == waits)
		i++;
	return i;
}

/*
 * @g: the frame before the first awaiter. Is @b equal to @g, except that @b may lack the function?
 */
static bool is_same_or_lost(const struct uw_frame *b, const struct uw_frame *g)
{
	return !memcmp(b, g, sizeof(*b)) ||
	       (b->pc == g->pc && b->flags == g->flags && !b->a && g->kind == UW_V8_JS &&
		(b->status == UW_F_FUNCTION_FAULT || b->status == UW_F_NO_FRAME));
}

/* Is @bad the good walk with fewer awaiters? The last awaiter may have the reason as its status. */
static bool is_cut(const struct uw_sample *bad)
{
	u32 first = next_that(&good, 0, true), end = next_that(bad, first, false), i = first;
	u32 rest = next_that(&good, first, false);

	if (bad->status != good.status || bad->n_frames - end != good.n_frames - rest ||
	    next_that(bad, 0, true) < first || first == good.n_frames ||
	    memcmp(bad->frames, good.frames, (first - 1) * sizeof(struct uw_frame)) ||
	    !is_same_or_lost(&bad->frames[first - 1], &good.frames[first - 1]))
		return false;
	while (i < end && i < rest &&
	       !memcmp(&bad->frames[i], &good.frames[i], sizeof(*bad->frames)))
		i++;
	if (i < end && (i + 1 != end || bad->frames[i].status != UW_F_WAITS_FAULT))
		return false;
	return !memcmp(&bad->frames[end], &good.frames[rest],
		       (bad->n_frames - end) * sizeof(struct uw_frame));
}

/*
 * Is @bad the good walk down to a V8 frame after which fp was wrong, because the frame's slots are
 * unreadable?
 */
static bool has_strayed(const struct uw_sample *bad)
{
	u32 last = bad->n_frames - 1u;

	return bad->n_frames && bad->n_frames <= good.n_frames && bad->status == UW_E_FP_BELOW_SP &&
	       bad->frames[last].status == UW_F_NO_FRAME &&
	       bad->frames[last].pc == good.frames[last].pc &&
	       !memcmp(bad->frames, good.frames, last * sizeof(struct uw_frame));
}

static enum outcome judge(const struct uw_sample *bad, const struct sim_target *target)
{
	if (!sample_is_sane(bad, target))
		return WRONG;
	if (is_same(bad))
		return SAME;
	if (lost_one(bad, UW_F_FUNCTION_FAULT))
		return LOST_FUNCTION;
	if (lost_one(bad, UW_F_NO_FRAME))
		return LOST_FRAME;
	if (is_cut(bad))
		return CUT;
	if (is_prefix(bad))
		return ENDED;
	if (is_guessed_on(bad))
		return GUESSED;
	if (has_strayed(bad))
		return STRAYED;
	return lost_caller(bad) ? LOST_CALLER : WRONG;
}

/* Does the walk read the code again, up to the end of its page, if this read fails? */
static bool is_repeated(const struct sim_read *read)
{
	return read->addr < HEAP_ADDR && (read->addr & (UW_PAGE_LEN - 1)) + read->len > UW_PAGE_LEN;
}

/*
 * Can a failure of this read of the good walk have this outcome, judging by the read's address and
 * length?
 */
static bool outcome_fits(const struct sim_read *read, u32 idx, enum outcome outcome)
{
	if (read->addr >= PROMISES_ADDR - 1 && read->addr < PROMISES_ADDR + 4096)
		return outcome == CUT || outcome == SAME || outcome == LOST_FUNCTION;
	if (outcome == CUT) /* the read of an awaiter, or of the frame before the first awaiter */
		return read->addr < STACK_ADDR;
	if (outcome == SAME) { /* the walk does not use the word that it read */
		u32 n_unused = good.frames[0].status == UW_F_NO_FRAME ? 3
								      : 2; /* slots of that frame */

		return read->result || idx < n_unused || read->len == 4 || is_repeated(read) ||
		       lost_funclet(&good.frames[0]) || good.status == UW_E_FP_BELOW_SP;
	}
	if (outcome == STRAYED)
		return true;
	if (outcome == GUESSED)
		return read->addr < STACK_ADDR;
	if (read->len <= 4) /* the instruction at pc, or its first byte */
		return outcome == LOST_CALLER;
	if (read->len == 8 && read->addr >= STACK_ADDR)
		return outcome == LOST_CALLER || outcome == ENDED;
	if (read->len == 8)
		return outcome == LOST_FUNCTION;
	return outcome == ENDED || outcome == LOST_FRAME;
}

/* The walk over @target with its @nth read failing (0: none). */
static const struct uw_sample *walk_failing(struct sim_target *target, const struct arch_row *arch,
					    u32 nth)
{
	struct uw_state *u = fresh_state();

	sim_mem_fail_read(target->mem, nth);
	arch->sim->walk(u, target);
	return &u->sample;
}

static void sweep(const struct stack *stack, const struct arch_row *arch, u32 seen[N_OUTCOMES])
{
	static struct sim_read reads[512];
	struct sim_read_log log = { reads, 512, 0 };
	struct sim_target target;

	target_of(stack, arch, &target);
	target.mem->log = &log;
	good = *walk_failing(&target, arch, 0);
	target.mem->log = NULL;
	assert_true(log.n <= 512 && log.n == good.n_reads);
	for (u32 i = 0; i < log.n; i++) {
		const struct uw_sample *bad = walk_failing(&target, arch, i + 1);
		enum outcome outcome = judge(bad, &target);

		seen[outcome]++;
		if (!outcome_fits(&reads[i], i, outcome))
			fail_msg(
				"%s: %s: if read %u, of %u bytes at %#llx, fails, the walk has the "
				"unexpected outcome %u, status %s and %u frames",
				arch->sim->name, stack->name, i + 1, reads[i].len, reads[i].addr,
				outcome, sim_status_words(bad->status), bad->n_frames);
	}
	sim_mem_free(&target.mem);
}

static void failing_read_changes_only_what_the_walk_derives_from_that_read(void **state)
{
	u32 seen[N_OUTCOMES] = { 0 };

	(void)state;
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++)
			for (u32 a = 0; a < N_ARCHS; a++)
				if (stack_groups[g].stacks[i].archs & arch_rows[a].bit)
					sweep(&stack_groups[g].stacks[i], &arch_rows[a], seen);
	print_message("failing reads by outcome: function lost %u, frame lost %u, walk ended %u, "
		      "caller lost "
		      "%u, same walk %u, guessed %u, awaiters cut %u, walk strayed %u\n",
		      seen[LOST_FUNCTION], seen[LOST_FRAME], seen[ENDED], seen[LOST_CALLER],
		      seen[SAME], seen[GUESSED], seen[CUT], seen[STRAYED]);
	assert_int_equal(seen[WRONG], 0);
	for (u32 i = 0; i < WRONG; i++)
		assert_int_not_equal(seen[i], 0);
}

/* Negative control: no failing read can cause these changes, so the judge must reject them. */
static void judge_rejects_a_change_that_no_failing_read_can_cause(void **state)
{
	static struct uw_sample bad;
	struct sim_target target;

	(void)state;
	target_of(&v8_stacks[0], &arch_rows[0], &target);
	good = *walk_failing(&target, &arch_rows[0], 0);
	sim_mem_free(&target.mem);
	bad = good;
	assert_int_equal(judge(&bad, &target), SAME);
	bad.n_frames = 4; /* ends too early, but is reported as complete */
	assert_int_equal(judge(&bad, &target), WRONG);
	bad.status = UW_E_FAULT;
	assert_int_equal(judge(&bad, &target), ENDED);
	bad.frames[2].a ^= 0x40; /* another function */
	assert_int_equal(judge(&bad, &target), WRONG);
	bad = good;
	bad.frames[2].a ^= 0x40;
	assert_int_equal(judge(&bad, &target), WRONG);
	bad.frames[2] = bad.frames[3]; /* a frame in the middle is missing */
	assert_int_equal(judge(&bad, &target), WRONG);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(failing_read_changes_only_what_the_walk_derives_from_that_read),
		cmocka_unit_test(judge_rejects_a_change_that_no_failing_read_can_cause),
	};

	return CHECK_RUN(tests);
}
