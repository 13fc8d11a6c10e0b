// SPDX-License-Identifier: BSD-2-Clause

#include "made_stacks.h"
#include "walk.h"

#include "../core/chain.h"
#include "../core/v8_sequences.h"
#include "../../fixtures/stacks/detached.h"
#include "../../fixtures/stacks/dotnet.h"

#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define NOWHERE 0x123456789000ull
#define LAST_WORD HEAP(HEAP_LEN - 8) /* the next page does not exist */

/* ---- .NET: awaiters of the method that called the leaf, hijacked return addresses ---- */

/* The caller's state machine is at S(6); it is an awaiter itself, and the next one is @next. */
#define AWAITED_WORDS(next)                                                                        \
	S(2), CLR(0x120), 1, LIBC(0x128), S(6), 0, FUZZ_TYPE_8, next, FUZZ_TYPE_16, 0, S(11),      \
		FUZZ_TYPE_END
static const u64 awaited_words[] = { AWAITED_WORDS(S(8)) };
static const u64 in_task_words[] = { S(2), OLD_CLR(0x4330), 1, LIBC(0x128),
				     S(6), FUZZ_TYPE_END,   0, S(5) };
static const u64 first_run_words[] = { AWAITED_WORDS(0) };
static const u64 unreadable_words[] = { AWAITED_WORDS(NOWHERE) };
static const u64 half_words[] = { AWAITED_WORDS(LAST_WORD) };
static const u64 unknown_words[] = { AWAITED_WORDS(S(1)) };
static const u64 ring_words[] = { AWAITED_WORDS(S(6)) };

#define AWAITER(type, at, why)                                                                     \
	{                                                                                          \
		.a = (type), .b = (at), .kind = UW_DOTNET_AWAITER, .status = (why),                \
		.flags = UW_FRAME_ASYNC                                                            \
	}
#define AWAITED(flag)                                                                              \
	CLR_FRAME(CLR(0x110), CLR(0x100), CLR_DESC, UW_OK, 0),                                     \
		CLR_FRAME(CLR(0x120), CLR(0x100), CLR_DESC, UW_OK, RA | (flag))
#define AWAITER_1 AWAITER(FUZZ_TYPE_8, S(6), UW_OK)
static const struct uw_frame awaited_frames[] = { AWAITED(0), AWAITER_1,
						  AWAITER(FUZZ_TYPE_16, S(8), UW_OK),
						  AWAITER(FUZZ_TYPE_END, S(11), UW_OK),
						  IN_LIBC(0x128, RA) };
static const struct uw_frame in_task_frames[] = {
	IN_APP(0x108, 0), CLR_FRAME(OLD_CLR(0x4330), OLD_CLR(0x100), CLR_DESC, UW_OK, RA),
	AWAITER(FUZZ_TYPE_END, S(5), UW_OK), IN_LIBC(0x128, RA)
};
static const struct uw_frame first_run_frames[] = { AWAITED(UW_FRAME_FIRST_RUN),
						    IN_LIBC(0x128, RA) };
static const struct uw_frame unreadable_frames[] = { AWAITED(0), AWAITER_1,
						     AWAITER(0, 0, UW_F_AWAITER_FAULT),
						     IN_LIBC(0x128, RA) };
static const struct uw_frame half_frames[] = { AWAITED(0), AWAITER_1,
					       AWAITER(FUZZ_TYPE_8, LAST_WORD, UW_F_AWAITER_FAULT),
					       IN_LIBC(0x128, RA) };
static const struct uw_frame unknown_frames[] = { AWAITED(0), AWAITER_1,
						  AWAITER(CLR(0x120), S(1), UW_F_AWAITER_TYPE),
						  IN_LIBC(0x128, RA) };
static const struct uw_frame ring_frames[] = {
	AWAITED(0),
	[2 ... DOTNET_MAX_AWAITERS] = AWAITER_1,
	AWAITER(FUZZ_TYPE_8, S(6), UW_F_AWAITER_TYPE),
	IN_LIBC(0x128, RA),
};

#define AWAIT(sentence, w, f)                                                                      \
	CLR_STACK(STACK_BOTH, sentence, CLR(0x110), S(0), S(0), w, UW_END, f),                     \
		.pokes = { CLR_NIBBLES, CLR_METHOD_1, CLR_INFO_1 }

/* The leaf, or the hijack stub that pushed two words; the thread's fields are at FUZZ_HIJACK_ADDR.
 */
#define HIJACK_STUB APP(RULED(RULE_HIJACKED))
#define HIJACKED_WORDS(slot) S(4), HIJACK_STUB, 0x11, 0x12, 1, LIBC(0x128), APP(0x200), slot
static const u64 hijacked_words[] = { HIJACKED_WORDS(S(1)) };
static const u64 old_hijack_words[] = { HIJACKED_WORDS(S(2)) };
static const struct uw_frame hijacked_frames[] = { IN_APP(0x108, 0), IN_APP(0x200, RA),
						   IN_LIBC(0x128, RA) };
static const struct uw_frame old_hijack_frames[] = { IN_APP(0x108, 0),
						     IN_APP(RULED(RULE_HIJACKED), RA),
						     IN_LIBC(0x128, RA_GUESS) };
static const struct uw_frame hijack_stub_frames[] = { IN_APP(RULED(RULE_HIJACKED), 0),
						      IN_APP(0x200, RA), IN_LIBC(0x128, RA) };

static const struct stack dotnet_made_stacks[] = {
	{ AWAIT("dotnet_method_is_awaited", awaited_words, awaited_frames) },
	{ CLR_STACK(STACK_BOTH, "dotnet_state_machine_is_in_its_task", APP(0x108), S(0), S(0),
		    in_task_words, UW_END, in_task_frames),
	  .pokes = { OLD_CLR_NIBBLES, OLD_CLR_METHOD } },
	{ AWAIT("dotnet_method_has_not_awaited_yet", first_run_words, first_run_frames) },
	{ AWAIT("dotnet_awaiter_is_unreadable", unreadable_words, unreadable_frames) },
	{ AWAIT("dotnet_awaiter_is_half_readable", half_words, half_frames),
	  .objects = (const u64[512]){ [511] = FUZZ_TYPE_8 }, .n_objects = 512 },
	{ AWAIT("dotnet_awaiter_is_of_an_unknown_type", unknown_words, unknown_frames) },
	{ AWAIT("dotnet_awaiter_awaits_itself", ring_words, ring_frames) },
	{ CLR_STACK(STACK_BOTH, "dotnet_return_address_is_hijacked", APP(0x108), S(0), S(0),
		    hijacked_words, UW_END, hijacked_frames) },
	{ CLR_STACK(STACK_BOTH, "dotnet_return_address_was_hijacked_in_another_slot", APP(0x108),
		    S(0), S(0), old_hijack_words, UW_T_HIJACKED, old_hijack_frames) },
	{ CLR_STACK(STACK_BOTH, "dotnet_hijack_stub_runs", HIJACK_STUB, S(0), S(4), hijacked_words,
		    UW_END, hijack_stub_frames) },
};

/* ---- V8: a fault, each instruction that has no frame record, and code that looks alike ---- */

/*
 * A deoptimization exit that can't be read, as if there were none. The registers end with their
 * page, and the next page is absent.
 */
static const u64 exit_page_words[] = { [478] = S(1030), OLD_JIT(0x500), S(482),		 0x23,
				       [492] = S(1030), S(494),		[1025] = SMI(9), ARRAY,
				       SMI(1),		FUNCTION_A,	CONTEXT,	 1,
				       LIBC(0x128) };
static const struct stack v8_made_stacks[] = {
	{ V8(STACK_X86_64, "exit_in_an_absent_page_is_unknown", APP(0x108), S(476), S(478), 0,
	     exit_page_words, UW_END, no_exit_frames),
	  .pokes = { FUNCTION_WORDS }, .bad_page_addr = S(512), .bad_page = STACK_PAGE_ABSENT },
};

#define V8_CODE JIT(0x100)

/* Calls @visit for a leaf at byte @at of @code. @is_framed: fp is the leaf's, not its caller's. */
struct v8_leaf {
	u32 archs;
	u32 at;
	bool is_framed;
	bool ra_at_sp; /* else in lr, or in @scratch */
	u32 scratch;
	const void *code;
	u32 len;
};

static void visit_v8_leaf(const struct v8_leaf *l, void (*visit)(const struct stack *, void *),
			  void *arg)
{
	static u32 n;
	const struct uw_frame frames[] = { CODE(V8_CODE + l->at, 0), LEAF_CALLERS };
	const struct uw_frame framed[] = { JS(V8_CODE + l->at, SHARED_B, SMI(9), ARRAY, 0),
					   IN_LIBC(0x128, RA) };
	char name[32];
	u64 words[5] = { 0 };
	struct stack s = { V8(l->archs, name, V8_CODE + l->at, S(0), S(6), 0, lr_words, UW_END,
			      frames),
			   .pokes = { FUNCTION_WORDS } };

	snprintf(name, sizeof(name), "v8_leaf_%u", n++);
	memcpy(words, l->code, l->len);
	for (u32 i = 0; i < N(words); i++)
		s.pokes[3 + i] = (struct stack_word){ V8_CODE + 8 * i, words[i] };
	if (l->is_framed) {
		s.frames = framed;
		s.n_frames = N(framed);
	} else if (l->ra_at_sp) {
		s.words = first_insn_words;
	} else if (l->archs == STACK_ARM64) {
		s.regs.lr = JIT(0x700);
	} else {
		s.regs.scratch[l->scratch] = JIT(0x700);
	}
	visit(&s, arg);
}

static void visit_x86_leaves(void (*visit)(const struct stack *, void *), void *arg)
{
	for (u32 i = 0; i < N(v8_x86_sequences); i++) {
		const struct v8_sequence *s = &v8_x86_sequences[i];
		struct v8_leaf l = { STACK_X86_64, .is_framed = !s->outside, .ra_at_sp = true,
				     .code = s->bytes, .len = sizeof(s->bytes) };

		for (l.at = 0; l.at < 32; l.at++)
			if (s->outside >> l.at & 1 || (l.is_framed && !l.at))
				visit_v8_leaf(&l, visit, arg);
	}
	for (u32 i = 0; i < N(v8_drops); i++) {
		struct v8_leaf l = { STACK_X86_64, .scratch = v8_drops[i].scratch,
				     .code = v8_drops[i].bytes, .len = sizeof(v8_drops[i].bytes) };

		visit_v8_leaf(&l, visit, arg);
		l.at = v8_drops[i].push_at;
		visit_v8_leaf(&l, visit, arg);
	}
}

static void visit_arm64_leaves(void (*visit)(const struct stack *, void *), void *arg)
{
	for (u32 i = 0; i < N(v8_arm64_sequences); i++) {
		const struct v8_arm64_sequence *s = &v8_arm64_sequences[i];
		struct v8_leaf l = { STACK_ARM64, .is_framed = !s->outside, .code = s->words,
				     .len = sizeof(s->words) };

		for (u32 k = 0; k < N(s->words); k++) {
			l.at = 4 * k;
			if (s->outside >> k & 1 || (l.is_framed && !k))
				visit_v8_leaf(&l, visit, arg);
		}
	}
}

/* ---- */

static void visit_deepest(void (*visit)(const struct stack *, void *), void *arg)
{
	static struct uw_frame frames[UW_MAX_FRAMES];
	struct stack s = chain(UW_MAX_FRAMES + 1, 0, CHAIN_STRIDE);

	for (u32 i = 0; i < UW_MAX_FRAMES; i++)
		frames[i] = i ? (struct uw_frame)IN_APP(0x200, RA)
			      : (struct uw_frame)IN_APP(0x108, 0);
	s.name = "deepest";
	s.status = UW_T_DEPTH;
	s.frames = frames;
	s.n_frames = UW_MAX_FRAMES;
	visit(&s, arg);
}

void each_made_stack(void (*visit)(const struct stack *stack, void *arg), void *arg)
{
	for (u32 i = 0; i < N(dotnet_made_stacks); i++)
		visit(&dotnet_made_stacks[i], arg);
	for (u32 i = 0; i < N(v8_made_stacks); i++)
		visit(&v8_made_stacks[i], arg);
	visit_x86_leaves(visit, arg);
	visit_arm64_leaves(visit, arg);
	visit_deepest(visit, arg);
}
