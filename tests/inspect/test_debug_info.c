/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Lookups in maps from native to IL offsets, encoded as by each version of the runtime (coreclr
 * vm/debuginfostore.cpp), and in truncated and corrupted maps.
 */

#include <errno.h>

#include "../../inspect/dotnet/dotnet_layout.h"
#include "../check.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define BASE 0x10000ull

struct point {
	u32 native;
	s32 il; /* -1 no mapping, -2 prologue, -3 epilogue */
};

/* The funclets begin at 4020, 4060 and 4074; the second funclet has no point with an IL offset. */
static const struct point points[] = {
	{ 0, -2 },    { 84, 0 },      { 99, 7 },    { 99, 9 },	  { 263, 34 },	{ 300, -1 },
	{ 312, 45 },  { 4000, 9000 }, { 4010, -3 }, { 4020, -2 }, { 4030, -1 }, { 4034, 70 },
	{ 4050, -3 }, { 4060, -2 },   { 4070, -3 }, { 4074, -2 }, { 4080, 20 }, { 4088, 25 },
};

/* The IL offsets that are expected from each native offset on; -1: no IL offset. */
static const struct point expected[] = {
	{ 0, 0 },     { 99, 9 },    { 263, 34 },  { 312, 45 },	{ 4000, 9000 },
	{ 4020, 70 }, { 4060, -1 }, { 4074, 20 }, { 4088, 25 },
};

struct writer {
	u8 bytes[1024];
	u32 bits;
};

static void put_bits(struct writer *w, u64 value, u32 n)
{
	for (u32 i = 0; i < n; i++, w->bits++)
		if (value >> i & 1)
			w->bytes[w->bits / 8] |= (u8)(1u << w->bits % 8);
}

/*
 * Writes a value in nibbles with three bits of the value each, most significant first; bit 3 is set
 * if another nibble follows.
 */
static void put_nibbles(struct writer *w, u32 value)
{
	int n = 1;

	while (n < 11 && value >> 3 * n)
		n++;
	while (n-- > 0)
		put_bits(w, (value >> 3 * n & 7) | (n ? 8 : 0), 4);
}

static void round_up(struct writer *w)
{
	w->bits = (w->bits + 7) & ~7u;
}

static void put_bounds(struct writer *w, bool is_bit_packed)
{
	u32 last = 0;

	put_nibbles(w, N(points));
	if (is_bit_packed) {
		put_nibbles(w, 12 - 1);
		put_nibbles(w, 14 - 1);
		round_up(w);
	}
	for (size_t i = 0; i < N(points); i++) {
		u32 delta = points[i].native - last, il = (u32)(points[i].il + 3);

		last = points[i].native;
		if (is_bit_packed) {
			put_bits(w, 2, 2);
			put_bits(w, delta, 12);
			put_bits(w, il, 14);
		} else {
			put_nibbles(w, delta);
			put_nibbles(w, il);
			put_nibbles(w, 2);
		}
	}
	round_up(w);
}

/*
 * @locals: number of locals in the PatchpointInfo; -1: no PatchpointInfo; -2: no flags either
 * (precompiled code).
 */
static void put_info(struct writer *w, u32 major, int locals, bool is_instrumented)
{
	static const struct {
		u32 len, n_off;
	} patchpoints[] = { [6] = { 20, 0 },
			    [7] = { 32, 8 },
			    [8] = { 32, 8 },
			    [9] = { 32, 8 },
			    [10] = { 40, 16 } };

	*w = (struct writer){};
	if (locals >= -1)
		put_bits(w, locals >= 0, 8);
	if (locals >= 0) {
		u32 start = w->bits;

		w->bits = start + 8 * patchpoints[major].n_off;
		put_bits(w, (u32)locals, 32);
		w->bits = start + 8 * (patchpoints[major].len + 4 * (u32)locals);
	}
	if (is_instrumented)
		put_nibbles(w, 0xffffffff);
	put_nibbles(w, 36);
	if (is_instrumented)
		put_nibbles(w, 5);
	put_nibbles(w, 4);
	round_up(w);
	put_bounds(w, major >= 10);
	w->bits += 64 * 8; /* leaves room for the variables and the bytes after them */
}

static void check(const struct debug_info_layout *l, const struct writer *w)
{
	struct fake_bytes b;

	fake_bytes_init(&b, BASE, w->bytes, sizeof(w->bytes));
	for (u32 off = 0, at = 0; off < 4100; off++) {
		s32 want;
		u32 il = 77;
		int r = debug_info_find(l, &b.target, BASE, off, &il);

		if (at + 1 < N(expected) && expected[at + 1].native <= off)
			at++;
		want = expected[at].il;
		assert_int_equal(r, want < 0 ? -ENOENT : 0);
		assert_int_equal(il, want < 0 ? 77 : want);
	}
}

static void il_offset_of_a_pc_comes_from_the_nearest_point_before_it_in_the_funclet(void **state)
{
	(void)state;
	for (u32 major = 6; major <= 10; major++) {
		for (int locals = -1; locals < 8; locals++) {
			struct writer w;

			put_info(&w, major, locals, false);
			check(&dotnet_layout_get(major)->debug_info, &w);
			if (major < 10)
				continue;
			put_info(&w, major, locals, true);
			check(&dotnet_layout_get(major)->debug_info, &w);
		}
	}
}

static void debug_info_of_precompiled_code_is_read_without_a_flags_field(void **state)
{
	(void)state;
	for (u32 major = 6; major <= 10; major++) {
		struct debug_info_layout l = dotnet_layout_get(major)->debug_info;
		struct writer w;

		l.lacks_flags = true;
		put_info(&w, major, -2, false);
		check(&l, &w);
	}
}

/* The negative control: decoded as another version, some offset must differ. */
static void debug_info_read_in_the_format_of_another_version_gives_other_offsets(void **state)
{
	struct fake_bytes b;
	struct writer w;
	int differ = 0;

	(void)state;
	put_info(&w, 10, 2, false);
	fake_bytes_init(&b, BASE, w.bytes, sizeof(w.bytes));
	for (u32 off = 0; off < 4100; off++) {
		u32 new_il = 1, old_il = 2;

		debug_info_find(&dotnet_layout_get(10)->debug_info, &b.target, BASE, off, &new_il);
		debug_info_find(&dotnet_layout_get(9)->debug_info, &b.target, BASE, off, &old_il);
		differ += new_il != old_il;
	}
	assert_true(differ > 1000);
}

static void truncated_debug_info_gives_no_position(void **state)
{
	(void)state;
	for (u32 major = 8; major <= 10; major += 2) {
		struct writer w;

		put_info(&w, major, 1, false);
		for (size_t len = 0; len < w.bits / 8 - 64; len += 64) {
			struct fake_bytes b;
			u32 il = 77;
			int r;

			fake_bytes_init(&b, BASE, w.bytes, len);
			r = debug_info_find(&dotnet_layout_get(major)->debug_info, &b.target, BASE,
					    4095, &il);
			assert_int_equal(r, -EFAULT);
			assert_int_equal(il, 77);
		}
	}
}

static void debug_info_is_refused_if_a_count_in_it_is_wrong(void **state)
{
	const struct debug_info_layout *l = &dotnet_layout_get(10)->debug_info;
	struct fake_bytes b;
	struct writer w = {};
	u32 il = 77;

	(void)state;
	fake_bytes_init(&b, BASE, w.bytes, sizeof(w.bytes));
	memset(w.bytes, 0xff, sizeof(w.bytes)); /* numbers that never end */
	assert_int_equal(debug_info_find(l, &b.target, BASE, 5, &il), -EINVAL);
	memset(w.bytes, 0, sizeof(w.bytes)); /* without bounds */
	assert_int_equal(debug_info_find(l, &b.target, BASE, 5, &il), -ENOENT);
	assert_int_equal(debug_info_find(l, &b.target, 0, 5, &il), -ENOENT);
	assert_int_equal(debug_info_find(l, &b.target, ~0ull, 5, &il), -EINVAL);
	w.bits = 8;
	put_nibbles(&w, 36);
	put_nibbles(&w, 4);
	round_up(&w);
	put_nibbles(&w, 1u << 21); /* a huge number of points */
	assert_int_equal(debug_info_find(l, &b.target, BASE, 5, &il), -EINVAL);
	assert_int_equal(il, 77);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(il_offset_of_a_pc_comes_from_the_nearest_point_before_it_in_the_funclet),
	cmocka_unit_test(debug_info_of_precompiled_code_is_read_without_a_flags_field),
	cmocka_unit_test(debug_info_read_in_the_format_of_another_version_gives_other_offsets),
	cmocka_unit_test(truncated_debug_info_gives_no_position),
	cmocka_unit_test(debug_info_is_refused_if_a_count_in_it_is_wrong),
};

int main(void)
{
	return CHECK_RUN(tests);
}
