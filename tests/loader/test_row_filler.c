// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the rows that the loader adds to the pool; they come from a real file, the binary of
 * this test.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/unwind/cfi.h"
#include "../../loader/rows/row_filler.h"
#include "../check.h"

#define OWN 7 /* module IDs: OWN is this binary */
#define TEXT 8 /* a file that is not ELF */
#define GONE 9 /* a file that can't be opened at first */
#define BARE 10 /* a file stripped of its unwind information */
#define COPIES 11 /* from this ID on: this binary again */
#define N_COPIES 60
#define FOREVER (~0ull)

struct world {
	struct uw_row_page pages[UW_MAX_ROW_PAGES];
	struct uw_rule rules[UW_MAX_RULES];
	u32 rows[1 << 20];
	int own_fd, text_fd, bare_fd;
	int debug_fd; /* result of the search for the debug file of BARE */
	struct row_code code; /* range of this binary without unwind information; length 0: none */
	u32 n_opened[COPIES + N_COPIES];
	u32 first_page, n_pages; /* pages of this binary's code */
	struct row_memory memory;
	struct row_filler *f;
};

static const char *bare_path, *debug_path;

static int open_module(u32 module, bool debug, void *data)
{
	struct world *w = data;

	if (debug)
		return module == BARE ? w->debug_fd : -ENOENT;
	if (module == BARE)
		return w->bare_fd;
	w->n_opened[module]++;
	if (module == TEXT)
		return w->text_fd;
	return module == GONE ? -ESTALE : w->own_fd;
}

static int describe_nothing(const void *who, struct elf_file *f, u64 start, u64 end, rule_fn *fn,
			    void *data)
{
	(void)who;
	(void)f;
	(void)start;
	(void)end;
	(void)fn;
	(void)data;
	return 0;
}

static bool code_of(u32 module, struct row_code *code, void *data)
{
	struct world *w = data;

	*code = w->code;
	return module == OWN && w->code.len;
}

/* Finds the pages of the executable segment of @fd. */
static void find_code(struct world *w, int fd)
{
	const struct elf_segment *s;
	struct elf_file *elf;
	size_t n;

	assert_int_equal(elf_file_open_fd(&elf, fd), 0);
	s = elf_file_segments(elf, &n);
	for (size_t i = 0; i < n; i++) {
		if (!s[i].is_exec)
			continue;
		w->first_page = (u32)(s[i].file_off / UW_ROW_PAGE_LEN);
		w->n_pages = (u32)((s[i].file_off + s[i].file_len - 1) / UW_ROW_PAGE_LEN) -
			     w->first_page + 1;
	}
	elf_file_free(&elf);
	assert_true(w->n_pages > 4);
}

static struct world *make_world(u32 n_rows)
{
	struct world *w = calloc(1, sizeof(*w));

	w->memory = (struct row_memory){
		.pages = w->pages, .rules = w->rules, .rows = w->rows, .n_rows = n_rows
	};

	w->own_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	w->text_fd = memfd_create("text", MFD_CLOEXEC);
	w->bare_fd = open(bare_path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(write(w->text_fd, "no code", 7), 7);
	find_code(w, w->own_fd);
	assert_int_equal(
		row_filler_new(&w->f, &w->memory, &(struct row_source){ open_module, code_of, w }),
		0);
	return w;
}

static void end_world(struct world *w)
{
	row_filler_free(&w->f);
	close(w->own_fd);
	close(w->text_fd);
	close(w->bare_fd);
	free(w);
}

static const struct uw_row_page *find(const struct world *w, u32 module, u32 page)
{
	for (u32 i = 0; i < UW_MAX_ROW_PAGES; i++)
		if (w->pages[i].module == module && w->pages[i].page == page)
			return &w->pages[i];
	return NULL;
}

/* Checks that the rows of a page in the pool are those of the file. */
static void assert_right(struct world *w, u32 page)
{
	struct uw_rule *table = calloc(UW_MAX_RULES, sizeof(*table));
	const struct uw_row_page *e = find(w, OWN, page);
	u32 rows[UW_MAX_PAGE_ROWS], n;
	struct elf_file *elf;
	struct rules rules;
	struct cfi *cfi;

	assert_non_null(e);
	assert_int_equal(elf_file_open_fd(&elf, w->own_fd), 0);
	assert_int_equal(cfi_open(&cfi, elf), 0);
	assert_int_equal(rules_init(&rules, table, UW_MAX_RULES), 0);
	assert_int_equal(cfi_page(cfi, &rules, (u64)page * UW_ROW_PAGE_LEN, rows, &n), 0);
	assert_int_equal(e->n, n);
	for (u32 i = 0; i < n; i++) {
		u32 found = w->rows[e->first + i];

		assert_int_equal(found >> UW_ROW_OFF_SHIFT, rows[i] >> UW_ROW_OFF_SHIFT);
		assert_memory_equal(&w->rules[found % UW_MAX_RULES], &table[rows[i] % UW_MAX_RULES],
				    sizeof(*table));
	}
	rules_deinit(&rules);
	cfi_free(&cfi);
	elf_file_free(&elf);
	free(table);
}

static void a_missed_page_is_loaded_together_with_the_pages_before_and_after_it(void **state)
{
	struct world *w = make_world(1 << 20);
	u32 page = w->first_page + 2;

	(void)state;
	row_filler_miss(w->f, OWN, page);
	row_filler_miss(w->f, OWN, page);
	row_filler_misses(w->f, FOREVER);
	for (u32 i = page - 1; i <= page + 1; i++)
		assert_right(w, i);
	assert_int_equal(row_filler_counts(w->f).pool.pages, 3);
	end_world(w);
}

static void a_prefetched_page_is_loaded_without_the_pages_beside_it(void **state)
{
	struct world *w = make_world(1 << 20);

	(void)state;
	assert_int_equal(row_filler_prefetch(w->f, OWN, w->first_page), 1);
	assert_int_equal(row_filler_prefetch(w->f, OWN, w->first_page), 0);
	row_filler_misses(w->f, FOREVER);
	assert_right(w, w->first_page);
	assert_int_equal(row_filler_prefetch(w->f, OWN, w->first_page), 0);
	assert_int_equal(row_filler_counts(w->f).pool.pages, 1);
	end_world(w);
}

/* Checks the order in which pages are added to the pool. */
static void missed_pages_are_loaded_before_prefetched_pages(void **state)
{
	struct world *w = make_world(1 << 20);
	u32 page = w->first_page;

	(void)state;
	assert_int_equal(row_filler_prefetch(w->f, OWN, page), 1);
	row_filler_miss(w->f, OWN, page + 4);
	row_filler_misses(w->f, FOREVER);
	assert_true(find(w, OWN, page + 4)->first < find(w, OWN, page)->first);
	assert_true(find(w, OWN, page)->first < find(w, OWN, page + 3)->first);
	end_world(w);
}

/* Declares one page of the code to be V8 builtins, which are expensive to analyze. */
static u32 make_costly(struct world *w)
{
	u32 page = w->first_page + 1;

	w->code = (struct row_code){ .off = (u64)page * UW_ROW_PAGE_LEN,
				     .len = UW_ROW_PAGE_LEN,
				     .provider.describe = describe_nothing };
	return page;
}

static void missed_pages_of_builtins_are_loaded_last(void **state)
{
	struct world *w = make_world(1 << 20);
	u32 costly = make_costly(w), page = w->first_page + 4;

	(void)state;
	assert_int_equal(row_filler_prefetch(w->f, OWN, w->first_page), 1); /* opens the file */
	row_filler_misses(w->f, FOREVER);
	row_filler_miss(w->f, OWN, costly);
	row_filler_miss(w->f, OWN, page);
	row_filler_misses(w->f, FOREVER);
	assert_right(w, costly);
	assert_true(find(w, OWN, page)->first < find(w, OWN, costly)->first);
	assert_true(find(w, OWN, page - 1)->first < find(w, OWN, costly)->first);
	end_world(w);
}

static void the_pages_of_builtins_are_not_loaded_in_the_background(void **state)
{
	struct world *w = make_world(1 << 20);
	u32 costly = make_costly(w);

	(void)state;
	row_filler_expect(w->f, OWN);
	assert_false(row_filler_idle(w->f, FOREVER));
	for (u32 i = 0; i < w->n_pages; i++)
		assert_int_equal(!find(w, OWN, w->first_page + i), w->first_page + i == costly);
	end_world(w);
}

static void background_loading_loads_all_pages_of_a_file(void **state)
{
	struct world *w = make_world(1 << 20);

	(void)state;
	assert_false(row_filler_idle(w->f, FOREVER));
	row_filler_expect(w->f, OWN);
	assert_false(row_filler_idle(w->f, FOREVER));
	for (u32 i = 0; i < w->n_pages; i++)
		assert_right(w, w->first_page + i);
	assert_int_equal(row_filler_counts(w->f).pool.pages, w->n_pages);
	assert_int_equal(row_filler_counts(w->f).failed, 0);
	end_world(w);
}

static void only_one_page_is_loaded_if_the_deadline_has_expired(void **state)
{
	struct world *w = make_world(1 << 20);

	(void)state;
	row_filler_expect(w->f, OWN);
	for (u32 i = 1; i <= 3; i++) {
		assert_true(row_filler_idle(w->f, 0));
		assert_int_equal(row_filler_counts(w->f).pool.pages, i);
	}
	row_filler_miss(w->f, OWN, w->first_page + w->n_pages - 1);
	row_filler_misses(w->f, 0);
	assert_int_equal(row_filler_counts(w->f).pool.pages, 3);
	end_world(w);
}

static void background_loading_never_evicts_a_page(void **state)
{
	struct world *w = make_world(3 * UW_MAX_PAGE_ROWS);

	(void)state;
	row_filler_expect(w->f, OWN);
	for (u32 i = 0; i < 20; i++) {
		assert_false(row_filler_idle(w->f, FOREVER));
		row_filler_misses(w->f, FOREVER);
	}
	assert_int_equal(row_filler_counts(w->f).pool.evicted, 0);
	end_world(w);
}

/* Misses pages in turn, and more of them than the pool has room for. */
static void pages_that_are_loaded_again_after_eviction_are_counted(void **state)
{
	struct world *w = make_world(1024);
	u32 page = w->first_page + w->n_pages / 2;
	struct row_counts c;

	(void)state;
	for (u32 i = 0; i < 3 * N_COPIES; i++) {
		u32 module = COPIES + i % N_COPIES;

		row_filler_prefetch(w->f, module, page);
		for (u32 tries = 0; tries < 5 && !find(w, module, page); tries++) {
			nanosleep(&(struct timespec){ .tv_nsec = ROW_POOL_GRACE_NS }, NULL);
			row_filler_misses(w->f, FOREVER);
		}
		assert_true(find(w, module, page));
	}
	c = row_filler_counts(w->f);
	assert_true(c.pool.evicted > N_COPIES);
	assert_int_equal(c.refetched, c.pool.added - N_COPIES);
	assert_true(c.pool.rows <= 1024);
	end_world(w);
}

static void a_file_that_contains_no_code_is_opened_only_once(void **state)
{
	struct world *w = make_world(1 << 20);

	(void)state;
	row_filler_expect(w->f, TEXT);
	for (u32 i = 0; i < 5; i++) {
		row_filler_miss(w->f, TEXT, i);
		row_filler_misses(w->f, FOREVER);
		assert_false(row_filler_idle(w->f, FOREVER));
	}
	assert_int_equal(w->n_opened[TEXT], 1);
	assert_int_equal(row_filler_counts(w->f).pool.added, 0);
	end_world(w);
}

static void a_deleted_file_is_counted_and_opened_again_only_after_a_missed_page(void **state)
{
	struct world *w = make_world(1 << 20);

	(void)state;
	row_filler_expect(w->f, GONE);
	assert_false(row_filler_idle(w->f, FOREVER));
	assert_false(row_filler_idle(w->f, FOREVER));
	assert_int_equal(w->n_opened[GONE], 1);
	for (u32 i = 0; i < 5; i++) {
		row_filler_miss(w->f, GONE, 3);
		row_filler_misses(w->f, FOREVER);
	}
	assert_true(row_filler_counts(w->f).failed >= 5);
	assert_int_equal(row_filler_counts(w->f).pool.added, 0);
	end_world(w);
}

/* Counts the bytes of code on a page whose rules come from unwind information. */
static u32 described(const struct world *w, u32 module, u32 page)
{
	u32 n = 0;

	for (u32 off = 0; off < UW_ROW_PAGE_LEN; off++) {
		const struct uw_rule *r =
			row_filler_rule(w->f, module, (u64)page * UW_ROW_PAGE_LEN + off);

		n += r && r->cfa == UW_CFA_AT_SP;
	}
	return n;
}

static void rows_of_a_stripped_file_are_made_after_the_debug_file_is_found(void **state)
{
	struct world *w = make_world(1 << 20);
	u32 page;

	(void)state;
	find_code(w, w->bare_fd);
	page = w->first_page;
	w->debug_fd = -EINPROGRESS;
	for (u32 i = 0; i < 3; i++) {
		row_filler_miss(w->f, BARE, page);
		row_filler_misses(w->f, FOREVER);
		assert_false(row_filler_idle(w->f, FOREVER));
		assert_int_equal(row_filler_counts(w->f).pool.added, 0);
	}
	w->debug_fd = open(debug_path, O_RDONLY | O_CLOEXEC);
	assert_true(w->debug_fd >= 0);
	assert_false(row_filler_idle(w->f, FOREVER));
	assert_int_equal(row_filler_counts(w->f).pool.added, w->n_pages);
	assert_int_equal(row_filler_counts(w->f).failed, 0);
	assert_true(described(w, BARE, page) > 0);
	close(w->debug_fd);
	end_world(w);
}

static void a_stripped_file_gets_only_rows_without_cfi_if_no_debug_file_is_usable(void **state)
{
	struct world *w = make_world(1 << 20);

	(void)state;
	find_code(w, w->bare_fd);
	for (u32 i = 0; i < 2; i++) {
		w->debug_fd = i ? w->text_fd : -ENOENT;
		row_filler_miss(w->f, BARE, w->first_page);
		row_filler_misses(w->f, FOREVER);
		assert_true(find(w, BARE, w->first_page));
		assert_int_equal(described(w, BARE, w->first_page), 0);
		row_filler_free(&w->f);
		assert_int_equal(row_filler_new(&w->f, &w->memory,
						&(struct row_source){ open_module, NULL, w }),
				 0);
		memset(w->pages, 0, sizeof(w->pages));
	}
	end_world(w);
}

static void file_pages_that_contain_no_code_get_no_rows(void **state)
{
	struct world *w = make_world(1 << 20);

	(void)state;
	row_filler_miss(w->f, OWN, ~0u);
	row_filler_miss(w->f, OWN, w->first_page + w->n_pages);
	row_filler_miss(w->f, OWN, 0);
	row_filler_miss(w->f, 0, 1);
	row_filler_misses(w->f, FOREVER);
	for (u32 i = 0; i < UW_MAX_ROW_PAGES; i++)
		if (w->pages[i].module)
			assert_in_range(w->pages[i].page, w->first_page,
					w->first_page + w->n_pages - 1);
	end_world(w);
}

static void no_file_is_opened_if_the_pool_has_no_room_for_rows(void **state)
{
	struct world *w = make_world(0);

	(void)state;
	row_filler_expect(w->f, OWN);
	row_filler_miss(w->f, OWN, w->first_page);
	row_filler_misses(w->f, FOREVER);
	assert_false(row_filler_idle(w->f, FOREVER));
	assert_int_equal(w->n_opened[OWN], 0);
	end_world(w);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_missed_page_is_loaded_together_with_the_pages_before_and_after_it),
		cmocka_unit_test(a_prefetched_page_is_loaded_without_the_pages_beside_it),
		cmocka_unit_test(missed_pages_are_loaded_before_prefetched_pages),
		cmocka_unit_test(missed_pages_of_builtins_are_loaded_last),
		cmocka_unit_test(the_pages_of_builtins_are_not_loaded_in_the_background),
		cmocka_unit_test(background_loading_loads_all_pages_of_a_file),
		cmocka_unit_test(only_one_page_is_loaded_if_the_deadline_has_expired),
		cmocka_unit_test(background_loading_never_evicts_a_page),
		cmocka_unit_test(pages_that_are_loaded_again_after_eviction_are_counted),
		cmocka_unit_test(a_file_that_contains_no_code_is_opened_only_once),
		cmocka_unit_test(
			a_deleted_file_is_counted_and_opened_again_only_after_a_missed_page),
		cmocka_unit_test(rows_of_a_stripped_file_are_made_after_the_debug_file_is_found),
		cmocka_unit_test(
			a_stripped_file_gets_only_rows_without_cfi_if_no_debug_file_is_usable),
		cmocka_unit_test(file_pages_that_contain_no_code_get_no_rows),
		cmocka_unit_test(no_file_is_opened_if_the_pool_has_no_room_for_rows),
	};

	if (argc != 3) {
		fprintf(stderr, "usage: test_row_filler STRIPPED DEBUG\n");
		return 2;
	}
	bare_path = argv[1];
	debug_path = argv[2];
	return CHECK_RUN(tests);
}
