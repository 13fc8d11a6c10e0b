// SPDX-License-Identifier: BSD-2-Clause

/*
 * Negative control of the comparison of engines: guests in which one instruction is changed
 * walk many targets (guest_targets.h). Only instructions that have an effect are changed
 * (guest_cover.h). A conditional branch is inverted; any other instruction is removed. If a
 * removal has no effect on any walk, single bits of the instruction are flipped instead, until
 * a flip has an effect without an error of the guest.
 *
 * A changed guest has other effects than the good guest if it requests other memory or if a byte of
 * the sample differs. Both are read from the guest's registers and memory (struct guest_trace). The
 * comparison must detect every such guest. The remaining changes have no effect on any target,
 * because they are in clamps, in hashes of caches, or in comparisons of opcodes that no target
 * contains. If less than LEAST_NOTICED % of the changes are detected, the targets are too few to
 * prove anything.
 */

#include "engines.h"

#include "../../sim/guest/guest.h"
#include "guest_cover.h"
#include "guest_targets.h"

#define STRIDE 11
#define LEAST_NOTICED 80 /* minimum share of detected changes, in % */
#define GARBAGE 0x5a
#define MAX_WALKS (3 * GUEST_MAX_TARGETS)

enum verdict { UNNOTICED, BY_FRAMES, BY_READS_ONLY, BY_ITS_END, MISSED, N_VERDICTS };

static struct guest_targets targets;
static u64 good_traces[MAX_WALKS]; /* traces of the good guest's walks, by walk number */

/* Two sessions, of the native engine and of a guest, that walk the same targets. */
struct pair {
	struct sim_session *native, *guest;
	struct guest_trace trace;
	bool is_good; /* true for the good guest: store the traces of its walks */
	u32 n_walks;
};

static enum verdict judge_walk(struct pair *p, const struct sim_target *target)
{
	struct sim_difference d;
	u64 trace;

	assert_int_equal(sim_session_walk(p->native, target, &native_walk), 0);
	if (sim_session_walk(p->guest, target, &other_walk))
		return BY_ITS_END;
	trace = guest_trace_take(&p->trace, p->guest);
	if (p->is_good)
		good_traces[p->n_walks] = trace;
	if (sim_walk_compare(&native_walk, &other_walk, &d))
		return trace == good_traces[p->n_walks++] ? UNNOTICED : MISSED;
	return d.n_bytes_in[SIM_PART_FRAMES] || d.n_bytes_in[SIM_PART_HEADER] ? BY_FRAMES
									      : BY_READS_ONLY;
}

static void foul(struct sim_session *guest)
{
	memset(&native_walk.state, GARBAGE, sizeof(native_walk.state));
	guest_foul(guest, GARBAGE);
}

/*
 * Walks three times: with the state of the previous walk, with garbage in the state, and
 * again if results are cached.
 */
static enum verdict judge_target(struct pair *p, const struct sim_target *target)
{
	enum verdict verdict = judge_walk(p, target);

	if (verdict != UNNOTICED)
		return verdict;
	foul(p->guest);
	verdict = judge_walk(p, target);
	return verdict == UNNOTICED && target->process_key ? judge_walk(p, target) : verdict;
}

/*
 * @c: receives the executed instructions of the good guest; NULL for other guests, which may
 * be broken: nothing is recorded.
 */
static enum verdict try_image(const struct arch_row *arch, struct sim_blob image,
			      struct guest_cover *c)
{
	struct pair p = { .native = open_session(&sim_engine_native, arch->sim),
			  .trace.is_arm64 = arch->sim == &sim_arch_arm64,
			  .is_good = c };
	enum verdict verdict = UNNOTICED;

	assert_int_equal(sim_guest_open(arch->sim, image, &p.guest), 0);
	assert_int_equal(guest_trace_begin(&p.trace, p.guest), 0);
	if (c)
		assert_int_equal(guest_cover_begin(c, p.guest), 0);
	foul(p.guest);
	for (u32 i = 0; i < targets.n && verdict == UNNOTICED; i++)
		verdict = judge_target(&p, &targets.at[i]);
	sim_session_close(&p.native);
	sim_session_close(&p.guest);
	return verdict;
}

static void cover(const struct arch_row *arch, struct sim_blob good, struct guest_insn *insns)
{
	struct guest_cover c = { .insns = insns,
				 .len = good.len,
				 .is_arm64 = arch->sim == &sim_arch_arm64 };

	assert_int_equal(try_image(arch, good, &c), UNNOTICED);
}

/* Intel SDM volume 2: Jcc is 70+cc or 0F 80+cc; opposite conditions differ in bit 0. */
static bool invert_x86_64(u8 *insn)
{
	u8 *opcode = insn[0] == 0x0f ? insn + 1 : insn;

	if ((*opcode & 0xf0) != (insn[0] == 0x0f ? 0x80 : 0x70))
		return false;
	*opcode ^= 1;
	return true;
}

/* Arm Architecture Reference Manual, DDI 0487, C4.1: B.cond; CBZ, CBNZ, TBZ, TBNZ. */
static bool invert_arm64(u8 *insn)
{
	if (insn[3] == 0x54)
		insn[0] ^= 1;
	else if ((insn[3] & 0x7c) == 0x34)
		insn[3] ^= 1;
	else
		return false;
	return true;
}

static void leave_out(bool is_arm64, u8 *insn, u8 len)
{
	static const u8 arm64_nop[] = { 0x1f, 0x20, 0x03, 0xd5 };

	if (is_arm64)
		memcpy(insn, arm64_nop, sizeof(arm64_nop));
	else
		memset(insn, 0x90, len);
}

/*
 * Inverts or removes the instruction at @insn in @image. If the removal has no effect, flips one
 * of two bits of each byte, one after the other, until a flip has an effect.
 */
static enum verdict try_changes(const struct arch_row *arch, struct sim_blob image, u8 *insn,
				u8 len)
{
	bool is_arm64 = arch->sim == &sim_arch_arm64;
	bool is_branch = (is_arm64 ? invert_arm64 : invert_x86_64)(insn);
	enum verdict verdict;
	u8 good[16];

	memcpy(good, insn, len);
	if (is_branch)
		(is_arm64 ? invert_arm64 : invert_x86_64)(good);
	else
		leave_out(is_arm64, insn, len);
	verdict = try_image(arch, image, NULL);
	memcpy(insn, good, len);
	for (u32 i = 0; i < 2u * len && verdict == UNNOTICED && !is_branch; i++) {
		insn[i / 2] ^= i % 2 ? 0x10 : 0x04;
		verdict = try_image(arch, image, NULL);
		verdict = verdict == BY_ITS_END ? UNNOTICED : verdict;
		memcpy(insn, good, len);
	}
	return verdict;
}

static bool is_branch(const struct arch_row *arch, const u8 *insn)
{
	u8 copy[16];

	memcpy(copy, insn, sizeof(copy));
	return (arch->sim == &sim_arch_arm64 ? invert_arm64 : invert_x86_64)(copy);
}

static void print_insn(const struct arch_row *arch, u32 off, const u8 *insn, u8 len)
{
	char text[3 * 15 + 1] = "";

	for (u8 i = 0; i < len && i < 15; i++)
		snprintf(text + 3 * i, 4, "%02x ", insn[i]);
	print_message("  %s: %#x: %s\n", arch->sim->name, off, text);
}

/* Changes every STRIDE-th instruction that has an effect. */
static void a_change_to_an_instruction_that_the_guest_executes_is_detected(void **state)
{
	static u8 bytes[GUEST_TEXT_LEN + 16];
	static struct guest_insn insns[GUEST_TEXT_LEN];

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++) {
		const struct arch_row *arch = &arch_rows[a];
		struct sim_blob good = a ? sim_guest_arm64 : sim_guest_x86_64;
		u32 seen[N_VERDICTS] = { 0 }, n_executed = 0, n_effective = 0, n = 0;

		assert_true(good.len <= GUEST_TEXT_LEN);
		memcpy(bytes, good.bytes, good.len);
		memset(insns, 0, sizeof(insns));
		guest_targets_init(&targets, arch);
		cover(arch, good, insns);
		for (u32 at = 0; at < good.len; at++) {
			enum verdict verdict;

			n_executed += insns[at].len != 0;
			if (!insns[at].len ||
			    (!insns[at].has_effect && !is_branch(arch, bytes + at)) ||
			    n_effective++ % STRIDE)
				continue;
			verdict = try_changes(arch, (struct sim_blob){ bytes, good.len },
					      bytes + at, insns[at].len);
			seen[verdict]++, n++;
			if (verdict == MISSED)
				print_insn(arch, at, bytes + at, insns[at].len);
		}
		guest_targets_deinit(&targets);
		print_message(
			"%s: %u instructions are executed, and %u of them have an effect; %u of "
			"these were changed, one at a time: %u change frames, %u change only "
			"reads, %u end the "
			"run wrongly, %u change nothing, and %u cause an undetected change\n",
			arch->sim->name, n_executed, n_effective, n, seen[BY_FRAMES],
			seen[BY_READS_ONLY], seen[BY_ITS_END], seen[UNNOTICED], seen[MISSED]);
		assert_true(seen[BY_FRAMES] && seen[BY_READS_ONLY] && seen[BY_ITS_END]);
		assert_int_equal(seen[MISSED], 0);
		assert_true((n - seen[UNNOTICED]) * 100 >= n * LEAST_NOTICED);
	}
}

/* A guest that loops forever, one that reads unmapped memory, and one that is too large. */
static void a_guest_that_hangs_or_reads_unmapped_memory_is_an_error(void **state)
{
	static const u8 x86_loop[] = { 0xeb, 0xfe };
	static const u32 arm64_loop = 0x14000000;
	static u8 bytes[0x10001];

	(void)state;
	for (u32 a = 0; a < N_ARCHS; a++) {
		struct sim_blob good = a ? sim_guest_arm64 : sim_guest_x86_64;

		guest_targets_init(&targets, &arch_rows[a]);
		memcpy(bytes, good.bytes, good.len);
		if (a)
			memcpy(bytes + 32, &arm64_loop, 4);
		else
			memcpy(bytes + 32, x86_loop, 2);
		assert_int_equal(
			try_image(&arch_rows[a], (struct sim_blob){ bytes, good.len }, NULL),
			BY_ITS_END);
		memset(bytes, 0, 64); /* arm64: udf; x86-64: add %al, (%rax) */
		assert_int_equal(
			try_image(&arch_rows[a], (struct sim_blob){ bytes, good.len }, NULL),
			BY_ITS_END);
		guest_targets_deinit(&targets);
	}
}

static void an_oversized_guest_is_rejected(void **state)
{
	static const u8 bytes[0x10001];
	struct sim_session *session;

	(void)state;
	assert_int_equal(sim_guest_open(&sim_arch_x86_64, (struct sim_blob){ bytes, sizeof(bytes) },
					&session),
			 -E2BIG);
	assert_non_null(strstr(session->why, "65537 bytes"));
	sim_session_close(&session);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_to_an_instruction_that_the_guest_executes_is_detected),
		cmocka_unit_test(a_guest_that_hangs_or_reads_unmapped_memory_is_an_error),
		cmocka_unit_test(an_oversized_guest_is_rejected),
	};

	return CHECK_RUN(tests);
}
