/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names that are read from cached pages of the target while the garbage collector runs. The name
 * and the source of the function are on other pages than the function. At some read, all objects
 * are replaced. Data read before and after that must not be combined into one name.
 */

#include <string.h>
#include <unistd.h>

#include "../../inspect/util/clock.h"
#include "../check.h"
#include "fake_world.h"

#define PAGE_LEN 4096u
#define MOST_READS 200

static struct fake_v8 v;
static struct fake_world w;
static struct v8_name names[V8_MAX_NAMES];
static struct uw_sample sample;

/* A page cache that reads from v, like the cache in the loader's target. */
static struct keeper {
	struct target target;
	u8 bytes[FAKE_HEAP_LEN];
	bool is_kept[FAKE_HEAP_LEN / PAGE_LEN];
	int reads, change_at, renewals;
} kept;

static u64 name_of_function, source, function;

/*
 * Advances the allocator to the next page, so that the next object is on another page than @object.
 */
static u64 alone(u64 object)
{
	fake_alloc(&v, PAGE_LEN);
	return object;
}

static u8 *bytes_at(u64 tagged, u32 off)
{
	return v.heap + (tagged - 1 + off - FAKE_HEAP_ADDR);
}

/*
 * Puts another function and another script at the same addresses; the old name and source are
 * gone.
 */
static void change(void)
{
	const struct v8_layout *l = &v.build.layout;

	memcpy(bytes_at(name_of_function, l->seq_chars), "other", 5);
	memset(bytes_at(source, l->seq_chars), '\n', 20);
	bytes_at(function, l->sfi_length)[0]++;
	memcpy(bytes_at(w.script, l->script_source), &name_of_function, 8);
}

static int cached_read(struct target *t, u64 addr, void *dst, size_t len)
{
	u64 off = addr - FAKE_HEAP_ADDR;

	(void)t;
	if (++kept.reads == kept.change_at)
		change();
	if (addr < FAKE_HEAP_ADDR || off + len > FAKE_HEAP_LEN)
		return v.target.read(&v.target, addr, dst, len);
	for (u64 i = off / PAGE_LEN; i <= (off + len - 1) / PAGE_LEN; i++) {
		if (!kept.is_kept[i])
			memcpy(kept.bytes + i * PAGE_LEN, v.heap + i * PAGE_LEN, PAGE_LEN);
		kept.is_kept[i] = true;
	}
	memcpy(dst, kept.bytes + off, len);
	return 0;
}

static void cached_renew(struct target *t)
{
	(void)t;
	kept.renewals++;
	memset(kept.is_kept, 0, sizeof(kept.is_kept));
}

/* Makes a new heap that contains the function. */
static struct v8_heap *set_up(void)
{
	struct v8_heap *h;
	u64 scope;

	memset(&sample, 0, sizeof(sample));
	fake_world(&v, &w);
	alone(0);
	source = alone(fake_string(&v, "of an\nowner\nthree\nfour\nfive\nother\n"));
	name_of_function = alone(fake_string(&v, "owner"));
	w.script = alone(fake_script(&v, fake_string(&v, "/srv/kept.js"), source));
	scope = fake_scope(&v, FUNCTION_SCOPE, 0, name_of_function, fake_object(&v, 131, 40));
	function = fake_sfi(&v, scope, w.script, w.bytecode);
	h = fake_heap(&v);
	kept = (struct keeper){ .target = { .read = cached_read, .renew = cached_renew } };
	h->target = &kept.target;
	return h;
}

static int name_it(struct v8_heap *h, u64 time_ns)
{
	sample.time_ns = time_ns;
	sample.n_frames = 1;
	sample.frames[0] = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, function, fake_offset_slot(1),
				   w.bytecode, UW_FRAME_RA);
	return v8_heap_name(h, &sample, 0, names);
}

static void frame_has_no_wrong_name_if_an_object_changes_while_it_is_read(void **state)
{
	int n_unnamed = 0, n_unlined = 0, n_lined = 0;
	u32 line;

	(void)state;
	for (int n = MOST_READS; n > 1; n--) {
		struct v8_heap *h = set_up();

		kept.change_at = n;
		assert_int_equal(name_it(h, 0), 1);
		print_message("%d: %s:%u\n", n, names[0].name ? names[0].name : "-", names[0].line);
		if (n == MOST_READS) { /* the frame was symbolized before the change */
			assert_true(kept.reads < MOST_READS);
			line = names[0].line;
			assert_int_not_equal(line, 0);
		}
		if (names[0].name)
			assert_string_equal(names[0].name, "owner");
		if (names[0].line)
			assert_int_equal(names[0].line, line);
		n_unnamed += !names[0].name;
		n_unlined += names[0].name && !names[0].line;
		n_lined += names[0].line;
		v8_heap_free(&h);
	}
	assert_true(n_unnamed > 2 && n_unlined > 2 && n_lined > 2);
}

static void cached_pages_are_read_again_for_a_later_sample(void **state)
{
	struct v8_heap *h = set_up();

	(void)state;
	for (int i = 0; i < 2; i++) { /* the second attempt finds that nothing changed */
		assert_int_equal(name_it(h, monotonic_ns()), 1);
		assert_string_equal(names[0].name, "owner");
	}
	change();
	assert_int_equal(name_it(h, 0), 1); /* a sample taken before the change */
	assert_string_equal(names[0].name, "owner");
	assert_int_equal(name_it(h, monotonic_ns()), 1);
	assert_string_equal(names[0].name, "other");
	v8_heap_free(&h);
}

static void cached_pages_are_renewed_when_they_have_expired(void **state)
{
	struct v8_heap *h = set_up();
	int renewals;

	(void)state;
	name_it(h, 0);
	renewals = kept.renewals;
	usleep(2000);
	name_it(h, 0);
	assert_int_equal(kept.renewals, renewals + 1);
	v8_heap_forget(h);
	kept.renewals = 0;
	name_it(h, 0);
	assert_int_equal(kept.renewals, renewals);
	v8_heap_free(&h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_has_no_wrong_name_if_an_object_changes_while_it_is_read),
		cmocka_unit_test(cached_pages_are_read_again_for_a_later_sample),
		cmocka_unit_test(cached_pages_are_renewed_when_they_have_expired),
	};

	return CHECK_RUN(tests);
}
