// SPDX-License-Identifier: BSD-2-Clause

/*
 * The native walk and a guest's walk over the same memory: equal frames, statuses and
 * reads.
 */

#include "walk.h"

#include "../core/walks.h"
#include "../../sim/engine/compare.h"
#include "../../sim/engine/guest.h"

static struct sim_session *session_of(const struct sim_engine *engine, const struct arch_row *arch)
{
	struct sim_session *session;

	FUZZ_MUST(!sim_session_open(engine, arch->sim, &session), "%s: %s", engine->name,
		  session ? session->why : "no memory");
	return session;
}

static void walk(struct sim_session *session, struct sim_target *t, const struct fuzz_input *in,
		 struct sim_walk *out)
{
	fuzz_memory(t, in);
	FUZZ_MUST(!sim_session_walk(session, t, out), "%s", session->why);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct sim_session *sessions[N_ARCHS][2];
	static struct sim_walk native, guest;
	static struct sim_target target;
	struct fuzz_input in = { data, size };
	struct sim_difference d;
	const struct arch_row *arch;
	char words[320];
	u32 a;

	a = fuzz_target(&target, &in);
	target.n_awaits = 0;
	arch = &arch_rows[a];
	if (!sessions[a][0]) {
		sessions[a][0] = session_of(&sim_engine_native, arch);
		sessions[a][1] = session_of(&sim_engine_guest, arch);
	}
	walk(sessions[a][0], &target, &in, &native);
	walk(sessions[a][1], &target, &in, &guest);
	if (!sim_walk_compare(&native, &guest, &d)) {
		sim_difference_words(&d, &native, &guest, words, sizeof(words));
		FUZZ_MUST(false, "%s: %s", arch->sim->name, words);
	}
	return 0;
}
