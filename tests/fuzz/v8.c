// SPDX-License-Identifier: BSD-2-Clause

/*
 * Names from a hostile V8 heap. The first byte selects the kind:
 *
 *	even    a valid heap with frames in every tier. Operations follow, one byte each with
 *	        its operands: replace words and bytes of the heap, name frames
 *	odd     a frame, and memory that is drawn when it is read (sim/mem/lazy.h)
 *
 * The upper bits of the first byte select the version of V8 whose
 * deoptimization data are used.
 */

#include "fuzz.h"

#include "../inspect/fake_world.h"
#include "../../inspect/v8/arch/v8_arches.h"
#include "../../inspect/util/utf8.h"
#include "../../inspect/v8/v8_translation.h"
#include "../../sim/mem/lazy.h"

/*
 * Maximum number of reads for one frame. A script's source alone can take 64 MiB, read 8 KiB at a
 * time.
 */
#define MAX_READS 100000
#define MAX_OPERATIONS 64

static struct {
	struct fake_v8 v;
	struct fake_world w;
	struct fake_scene scenes[FAKE_MAX_SCENES];
	u32 n_scenes;
	/*
	 * Addresses of code with a wrong call position, with deferred code, with a deoptimization
	 * exit, and with an exit and cleared data.
	 */
	u64 wrong_start, pieces_start, left_start, cleared_start;
	u8 heap[FAKE_HEAP_LEN], code[FAKE_CODE_LEN]; /* the original contents */
	struct target lazy;
	struct sim_mem *mem;
	int reads;
} world;

static const u64 hints[] = {
	FAKE_HEAP_ADDR + 1, FAKE_HEAP_ADDR + 0x1001, FAKE_CODE_ADDR,
	FAKE_BLOB_ADDR,	    FAKE_CODE_ADDR + 1,
};
#define N_HINTS (sizeof(hints) / sizeof(hints[0]))

static const struct version {
	u16 deopt_form;
	u16 maglev_lacks, turbofan_lacks;
	bool is_arm64;
} versions[] = {
	{ V8_DEOPT_12_9, V8_NO_POSITIONS, V8_NO_CALLS },
	{ V8_DEOPT_13_6, V8_NO_DEFERRED },
	{ V8_DEOPT_13_6, V8_NO_DEFERRED, .is_arm64 = true },
	{ V8_DEOPT_8_4, 0, V8_NO_CALLS },
};

static void set_version(const struct version *version)
{
	struct v8_layout *l = &world.v.build.layout;

	l->deopt_form = version->deopt_form;
	l->lacks[V8_TIER_MAGLEV] = version->maglev_lacks;
	l->lacks[V8_TIER_TURBOFAN] = version->turbofan_lacks;
	world.v.build.arch = version->is_arm64 ? &v8_arm64 : &v8_x86_64;
}

static int lazy_read(struct target *t, u64 addr, void *dst, size_t len)
{
	(void)t;
	world.reads++;
	return len <= ~0u && !sim_mem_read(world.mem, dst, (u32)len, addr) ? 0 : -14;
}

static void build_world(void)
{
	fake_world(&world.v, &world.w);
	world.wrong_start = fake_inlined_call(&world.v, &world.w, FAKE_CALL_SEEN);
	world.left_start = fake_deopt_exits(&world.v, &world.w, false);
	world.cleared_start = fake_deopt_exits(&world.v, &world.w, true);
	world.pieces_start = fake_deferred_code(&world.v, &world.w);
	world.n_scenes = fake_scenes(&world.w, world.scenes);
	memcpy(world.heap, world.v.heap, sizeof(world.heap));
	memcpy(world.code, world.v.code, sizeof(world.code));
	world.lazy.read = lazy_read;
	FUZZ_MUST(!sim_lazy_new(hints, N_HINTS, &world.mem), "no memory");
}

static void check_text(const char *text)
{
	size_t left = strlen(text), n;
	u32 cp;

	for (; left; text += n, left -= n) {
		n = utf8_decode(text, left, &cp);
		FUZZ_MUST(cp != UTF8_REPLACEMENT || !strncmp(text, "\xef\xbf\xbd", 3),
			  "no UTF-8: %02x", (u8)*text);
	}
}

static void name(struct v8_heap *h, const struct uw_sample *sample)
{
	static struct v8_name names[V8_MAX_NAMES];
	int n;

	world.reads = world.v.reads = 0;
	n = v8_heap_name(h, sample, 0, names);
	FUZZ_MUST(n >= 1 && n <= V8_MAX_NAMES, "%d names", n);
	FUZZ_MUST(world.reads + world.v.reads <= MAX_READS, "too many reads");
	for (int i = 0; i < n; i++) {
		FUZZ_MUST(names[i].name || names[i].reason,
			  "a frame has neither a name nor a reason");
		FUZZ_MUST(names[i].line || !names[i].column, "a frame has a column but no line");
		check_text(names[i].name ? names[i].name : "");
		check_text(names[i].file ? names[i].file : "");
	}
}

static struct uw_frame draw_frame(struct fuzz_input *in)
{
	const u64 pcs[] = { world.w.baseline_start,	 world.w.turbofan_start,
			    FAKE_BLOB_ADDR + FAKE_ENTRY, FAKE_BLOB_ADDR + FAKE_HANDLER,
			    FAKE_BLOB_ADDR + FAKE_PLAIN, FAKE_CODE_ADDR + 0x8000,
			    world.w.maglev_start,	 world.wrong_start,
			    world.pieces_start,		 world.left_start,
			    world.cleared_start };
	static const u8 kinds[] = { UW_V8_JS, UW_V8_CODE, UW_V8_STUB };
	u8 k = fuzz_u8(in);

	return (struct uw_frame){
		.kind = kinds[k % 3],
		.flags = k & 0x40 ? UW_FRAME_RA : 0,
		.pc = pcs[(k & 0x3f) / 3 % (sizeof(pcs) / sizeof(*pcs))] + fuzz_u8(in),
		.a = k & 0x80 ? fuzz_u64(in) : FAKE_HEAP_ADDR + 1 + 8ull * fuzz_u8(in),
		.b = fake_smi((s32)fuzz_u8(in)),
		.aux = (u32)FAKE_HEAP_ADDR + 1 + 8u * fuzz_u8(in),
	};
}

/* Replaces a word or byte of the heap, or a byte of the code. */
static void patch(struct fuzz_input *in, u8 k)
{
	u32 words = (u32)world.v.heap_used / 8, raw = (fuzz_u8(in) | (u32)fuzz_u8(in) << 8);
	u8 *at = world.v.heap + 8 * (raw % words);
	u64 word;

	if (k < 128) {
		word = fuzz_u64(in);
	} else if (k < 160) {
		raw = fuzz_u8(in) | (u32)fuzz_u8(in) << 8;
		word = FAKE_HEAP_ADDR + 8 * (raw % words) + 1;
	} else if (k < 176) {
		word = fake_smi(
			(s32)(fuzz_u8(in) | (u32)fuzz_u8(in) << 8 | (u32)fuzz_u8(in) << 24));
	} else {
		if (k < 200)
			world.v.heap[raw % world.v.heap_used] = fuzz_u8(in);
		else
			world.v.code[raw % world.v.code_used] = fuzz_u8(in);
		return;
	}
	memcpy(at, &word, 8);
}

static void operate(struct v8_heap *h, struct fuzz_input *in)
{
	static struct uw_sample sample = { .n_frames = 1 };

	sample.time_ns = 0;
	for (u32 i = 0; i < MAX_OPERATIONS && in->left; i++) {
		u8 k = fuzz_u8(in);

		if (k >= 64 && k < 216) {
			patch(in, k);
		} else if (k < 232) {
			const struct fake_scene *s = &world.scenes[k % world.n_scenes];

			memcpy(sample.sp_words, s->sp_words, sizeof(s->sp_words));
			memcpy(sample.interp, s->interp, sizeof(s->interp));
			sample.frames[0] = k < 64 ? s->frame : draw_frame(in);
			name(h, &sample);
		} else if (k < 248) {
			sample.time_ns = k & 1 ? ~0ull : 0;
		} else {
			v8_heap_forget(h);
		}
	}
}

static void name_in_lazy_memory(struct v8_heap *h, struct fuzz_input *in)
{
	static struct uw_sample sample = { .n_frames = 1 };

	sample.frames[0] = draw_frame(in);
	sim_lazy_reset(world.mem, in->data, in->left);
	h->target = &world.lazy;
	name(h, &sample);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct v8_heap *h;
	u8 k = fuzz_u8(&in);

	if (!world.n_scenes)
		build_world();
	memcpy(world.v.heap, world.heap, world.v.heap_used);
	memcpy(world.v.code, world.code, world.v.code_used);
	set_version(&versions[k >> 6]);
	h = fake_heap(&world.v);
	FUZZ_MUST(h, "no heap");
	if (k & 1)
		name_in_lazy_memory(h, &in);
	else
		operate(h, &in);
	v8_heap_free(&h);
	return 0;
}
