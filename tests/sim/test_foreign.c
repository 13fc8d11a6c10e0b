// SPDX-License-Identifier: BSD-2-Clause

/*
 * test_foreign DIR...: tests a foreign header with our port. The example header, a naive
 * frame-pointer unwinder, walks the executed cases. The expected result is derived from fp
 * alone: as long as fp has the value that it had when a function was called, this function
 * has no frame record, so its caller is missed.
 *
 *	depth 3   pc          fp == entry_fp[3]: no record, frame 1 is lost
 *	depth 2   return      entry_fp[3] != entry_fp[2]: a record, frame 2 is found
 *	depth 1   return      outermost
 */

#include "../../sim/case/cases.h"
#include "../../sim/case/where.h"
#include "../../sim/cpu/cpu.h"
#include "../../sim/foreign/foreign.h"
#include "../check.h"

#include <errno.h>
#include <string.h>

#define MAX_DEPTH SIM_CPU_MAX_DEPTH

static struct sim_paths paths;
static struct sim_walk walk;

struct watch {
	const struct sim_case *c;
	struct sim_session *session;
	struct sim_target target;
	u64 entry_fp[MAX_DEPTH + 2]; /* value of fp when the function at each depth was called */
	u64 pcs[MAX_DEPTH]; /* the expected frames */
	u32 depth;
	u64 n, n_exact, n_lost_caller, n_lost_more;
	u64 n_wrong; /* number of results other than the expected ones */
};

/* Notes the value of fp with which each function in progress was called. */
static void note_entry(struct watch *w, const struct sim_stop *stop, u32 depth)
{
	for (; w->depth < depth; w->depth++)
		w->entry_fp[w->depth + 1] = stop->regs.fp;
	w->depth = depth;
	w->entry_fp[depth + 1] = stop->regs.fp;
}

/* Returns how many true frames the chain of frame records leads to. */
static u32 predict_found(struct watch *w, const struct sim_stop *stop)
{
	u32 depth = stop->truth.n, n = 0;

	w->pcs[n++] = stop->truth.pcs[0];
	for (u32 i = 1; i < depth; i++)
		if (w->entry_fp[depth - i + 2] != w->entry_fp[depth - i + 1])
			w->pcs[n++] = stop->truth.pcs[i];
	return n;
}

static bool found(const u64 *pcs, u32 n)
{
	const struct uw_sample *s = &walk.state.sample;
	bool is_right = s->n_frames == n && s->status == UW_END;

	for (u32 i = 0; i < n && is_right; i++)
		is_right = s->frames[i].pc == pcs[i];
	return is_right;
}

/*
 * Code that shares its caller's frame: fp either is the record of the frame, or still the record of
 * the frame's caller.
 */
static u32 predict_shared(struct watch *w, const struct sim_stop *stop)
{
	u32 n = stop->truth.n;

	memcpy(w->pcs, stop->truth.pcs, n * sizeof(u64));
	if (found(w->pcs, n) || n < 3)
		return n;
	memmove(w->pcs + 1, w->pcs + 2, (n - 2) * sizeof(u64));
	return n - 1;
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	u32 n_true = stop->truth.n, n;
	struct watch *w = ctx;
	const struct sim_window *window = sim_window_at(w->c, stop->regs.pc);
	bool is_shared = window && window->is_shared, is_right;

	if (n_true + is_shared > MAX_DEPTH)
		return -EFBIG;
	note_entry(w, stop, n_true + is_shared);
	w->target.regs = stop->regs;
	if (sim_session_walk(w->session, &w->target, &walk))
		return -EIO;
	n = is_shared ? predict_shared(w, stop) : predict_found(w, stop);
	is_right = found(w->pcs, n);
	w->n++;
	w->n_wrong += !is_right;
	w->n_exact += is_right && n == n_true;
	w->n_lost_caller += n + 1 == n_true && (n == 1 || w->pcs[1] == stop->truth.pcs[2]);
	w->n_lost_more += n + 1 < n_true;
	return 0;
}

/* Returns false if the case is not executed or not for this architecture. */
static bool watch_case(const char *path, const struct sim_arch *arch, struct watch *w)
{
	const struct sim_case_kind *kind = sim_case_kind_of(path);
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = w };
	struct sim_error error = { "" };
	struct sim_case *c = NULL;
	int err = kind->load(path, arch, &c, &error);

	if (err == -ENOTSUP)
		return false;
	if (err)
		fail_msg("%s: %s", path, error.text);
	memset(w, 0, sizeof(*w));
	if (c->is_executed) {
		w->c = c;
		w->target = c->target;
		assert_int_equal(sim_session_open(&sim_engine_foreign, arch, &w->session), 0);
		if (sim_cpu_run(c, &run, &error))
			fail_msg("%s: %s", path, error.text);
		sim_session_close(&w->session);
	}
	kind->free(&c);
	return w->n > 0;
}

static void check_watched(const char *path, const struct sim_arch *arch, const struct watch *w)
{
	if (strstr(path, "-nofp") || strstr(path, "-flow")) {
		if (w->n_exact > w->n / 100)
			fail_msg("%s: %llu of %llu walks are exact without frame pointers", path,
				 w->n_exact, w->n);
		return;
	}
	if (w->n_wrong || !w->n_lost_caller)
		fail_msg("%s %s: %llu of %llu walks are wrong, and %llu lack only the caller", path,
			 arch->name, w->n_wrong, w->n, w->n_lost_caller);
	/* methods of .NET without a frame pointer call each other */
	if (w->n_lost_more && !(strstr(path, "/dotnet") && arch == &sim_arch_x86_64))
		fail_msg("%s %s: %llu walks lack more frames than the caller", path, arch->name,
			 w->n_lost_more);
}

static void a_walk_by_frame_records_misses_a_caller_exactly_where_a_record_is_missing(void **state)
{
	static const struct sim_arch *const archs[] = { &sim_arch_x86_64, &sim_arch_arm64 };
	static struct watch w;
	u32 n_watched[2] = { 0, 0 };
	u64 n_wrong = 0;

	(void)state;
	for (u32 i = 0; i < paths.n; i++)
		for (u32 a = 0; a < 2; a++)
			if (watch_case(paths.at[i], archs[a], &w)) {
				check_watched(paths.at[i], archs[a], &w);
				n_watched[a]++;
				n_wrong += w.n_wrong;
			}
	printf("swept %u cases for x86_64, %u for arm64\n", n_watched[0], n_watched[1]);
	assert_true(n_wrong); /* negative control: the checks detect a wrong frame pointer */
	assert_true(n_watched[0] > 20 && n_watched[1] > 20);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_walk_by_frame_records_misses_a_caller_exactly_where_a_record_is_missing),
	};
	struct sim_error error;
	int failed;

	for (int i = 1; i < argc; i++)
		if (sim_paths_add(&paths, argv[i], &error)) {
			fprintf(stderr, "test_foreign: %s\n", error.text);
			return 2;
		}
	failed = CHECK_RUN(tests);
	sim_paths_deinit(&paths);
	return failed;
}
