/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests which anonymous code is recognized as a copy of V8's builtins. The target is this
 * process. The process's "builtins" are random bytes in a file. Like V8's builtins, they begin and
 * end inside a page. The memory reserved for code is one mapping, because the kernel merges
 * adjacent anonymous mappings.
 *
 *	reserved	|- 8 pages -|- the copy -|- 8 pages -|
 */

#include "../check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "../../loader/runtime/runtimes.h"
#include "../../loader/session/copies.h"

#define PAGE 4096ull
#define BLOB_OFF 0x240ull
#define BLOB_LEN (63 * PAGE + 0x123)
#define COPY_LEN (64 * PAGE)
#define AROUND_LEN (8 * PAGE)
#define MODULE 5
#define TEXT_ADDR 0x400000ull
#define PATH "/usr/bin/node"

struct world {
	u8 bytes[BLOB_LEN];
	u8 *reserved;
	struct process *p;
	int fd; /* file with the builtins */
	struct runtime_build build;
	struct runtime rt; /* only the fields that the search for copies reads */
};

static void add(struct world *w, u64 start_addr, u64 len, u64 inode, const char *path)
{
	const struct process_mmap_event m = {
		.start_addr = start_addr, .len = len, .inode = inode, .path = path
	};

	assert_int_equal(mappings_add(&w->p->maps, &m, 1), 0);
}

static u64 copy_addr(const struct world *w)
{
	return (u64)w->reserved + AROUND_LEN;
}

static void allow(const struct world *w, u64 len, int prot)
{
	assert_int_equal(mprotect((void *)copy_addr(w), len, prot), 0);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	FILE *f = tmpfile();

	assert_non_null(w);
	assert_non_null(f);
	for (size_t i = 0; i < BLOB_LEN; i += 256)
		assert_true(getrandom(w->bytes + i, BLOB_LEN - i < 256 ? BLOB_LEN - i : 256, 0) >
			    0);
	w->fd = dup(fileno(f));
	w->build = (struct runtime_build){ .code_off = BLOB_OFF, .code_len = BLOB_LEN };
	w->rt = (struct runtime){ .ops = &v8_runtime,
				  .build = &w->build,
				  .home = { .pid = (u32)getpid(), .module = MODULE } };
	fclose(f);
	assert_int_equal(pwrite(w->fd, w->bytes, BLOB_LEN, BLOB_OFF), BLOB_LEN);
	w->reserved = mmap(NULL, COPY_LEN + 2 * AROUND_LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	assert_ptr_not_equal(w->reserved, MAP_FAILED);
	allow(w, COPY_LEN, PROT_READ | PROT_WRITE);
	memcpy((void *)copy_addr(w), w->bytes, BLOB_LEN);
	w->p = process_new((u32)getpid());
	assert_non_null(w->p);
	add(w, TEXT_ADDR, 0x1000000, 77, PATH);
	mappings_find(w->p->maps, TEXT_ADDR)->module = MODULE;
	add(w, (u64)w->reserved, COPY_LEN + 2 * AROUND_LEN, 0, "//anon");
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	process_free(&w->p);
	munmap(w->reserved, COPY_LEN + 2 * AROUND_LEN);
	close(w->fd);
	free(w);
	return 0;
}

static u32 module_at(const struct world *w, u64 addr)
{
	return mappings_find(w->p->maps, addr)->module;
}

static void find(struct world *w)
{
	allow(w, COPY_LEN, PROT_READ | PROT_EXEC);
	copies_find(w->p, &w->rt, w->fd);
}

static void a_copy_of_the_builtins_is_treated_as_a_mapping_of_the_builtins_file(void **state)
{
	struct world *w = *state;
	const struct mapping *m;

	find(w);
	m = mappings_find(w->p->maps, copy_addr(w) + 1);
	assert_int_equal(m->start_addr, copy_addr(w));
	assert_int_equal(m->end_addr, copy_addr(w) + COPY_LEN);
	assert_int_equal(m->file_off, BLOB_OFF);
	assert_int_equal(m->inode, 77);
	assert_int_equal(m->module, MODULE);
	assert_string_equal(m->path->text, PATH);
}

static void memory_next_to_a_copy_of_the_builtins_stays_anonymous(void **state)
{
	struct world *w = *state;

	find(w);
	assert_true(mappings_find(w->p->maps, copy_addr(w) - 1)->is_anon);
	assert_true(mappings_find(w->p->maps, copy_addr(w) + COPY_LEN)->is_anon);
}

static void a_copy_of_the_builtins_is_recognized_in_a_mapping_event(void **state)
{
	struct world *w = *state;

	copies_take(w->p, &w->rt, w->fd, copy_addr(w), COPY_LEN);
	assert_int_equal(module_at(w, copy_addr(w)), MODULE);
}

/*
 * The bytes that are compared are less than an eighth of the builtins' length apart, so a
 * change of an eighth is always detected.
 */
static void a_copy_of_the_builtins_is_rejected_if_an_eighth_of_its_bytes_differs(void **state)
{
	struct world *w = *state;
	const u64 len = BLOB_LEN / 8;

	for (u64 at = 0; at + len <= BLOB_LEN; at += len) {
		allow(w, COPY_LEN, PROT_READ | PROT_WRITE);
		memset((u8 *)copy_addr(w) + at, 0, len);
		find(w);
		assert_int_equal(module_at(w, copy_addr(w)), 0);
		allow(w, COPY_LEN, PROT_READ | PROT_WRITE);
		memcpy((void *)copy_addr(w), w->bytes, BLOB_LEN);
	}
	find(w);
	assert_int_equal(module_at(w, copy_addr(w)), MODULE);
}

static void a_copy_of_the_builtins_is_rejected_if_the_length_differs(void **state)
{
	struct world *w = *state;

	copies_take(w->p, &w->rt, w->fd, copy_addr(w), COPY_LEN + PAGE);
	assert_int_equal(module_at(w, copy_addr(w)), 0);
	copies_take(w->p, &w->rt, w->fd, copy_addr(w), COPY_LEN - PAGE);
	assert_int_equal(module_at(w, copy_addr(w)), 0);
}

static void a_copy_of_the_builtins_is_rejected_if_it_is_unmapped(void **state)
{
	struct world *w = *state;

	munmap(w->reserved, COPY_LEN + 2 * AROUND_LEN);
	copies_take(w->p, &w->rt, w->fd, copy_addr(w), COPY_LEN);
	assert_int_equal(module_at(w, copy_addr(w)), 0);
}

static void no_copy_of_the_builtins_is_recognized_if_the_builtins_file_is_missing(void **state)
{
	struct world *w = *state;

	copies_take(w->p, &w->rt, -1, copy_addr(w), COPY_LEN);
	w->rt.home.module = MODULE + 1;
	copies_take(w->p, &w->rt, w->fd, copy_addr(w), COPY_LEN);
	w->rt.home.module = MODULE;
	w->build.code_len = 0;
	copies_take(w->p, &w->rt, w->fd, copy_addr(w), PAGE);
	assert_int_equal(module_at(w, copy_addr(w)), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	CASE(a_copy_of_the_builtins_is_treated_as_a_mapping_of_the_builtins_file),
	CASE(memory_next_to_a_copy_of_the_builtins_stays_anonymous),
	CASE(a_copy_of_the_builtins_is_recognized_in_a_mapping_event),
	CASE(a_copy_of_the_builtins_is_rejected_if_an_eighth_of_its_bytes_differs),
	CASE(a_copy_of_the_builtins_is_rejected_if_the_length_differs),
	CASE(a_copy_of_the_builtins_is_rejected_if_it_is_unmapped),
	CASE(no_copy_of_the_builtins_is_recognized_if_the_builtins_file_is_missing),
};

int main(void)
{
	return CHECK_RUN(tests);
}
