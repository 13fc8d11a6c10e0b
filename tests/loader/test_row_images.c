// SPDX-License-Identifier: BSD-2-Clause

/* Tests which ReadyToRun image of a file provides the rows of a page. */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../inspect/unwind/rules.h"
#include "../../loader/rows/row_images.h"
#include "../check.h"

static u32 found[UW_MAX_PAGE_ROWS];
static struct uw_rule table[16];

static int page_of(struct row_images *images, int fd, u32 page)
{
	struct rules rules;
	u32 n = 0;
	int err;

	assert_int_equal(rules_init(&rules, table, 16), 0);
	err = row_images_page(images, fd, &rules, page, found, &n);
	rules_deinit(&rules);
	return err;
}

static void an_image_with_the_same_first_page_as_another_is_added_only_once(void **state)
{
	struct row_images images = { 0 };
	struct row_image one = { .off = 0x1000, .first_page = 3, .end_page = 5 };

	(void)state;
	assert_int_equal(row_images_add(&images, &one), 1);
	one.off = 0x2000;
	assert_int_equal(row_images_add(&images, &one), 0);
	assert_int_equal(images.v[0].off, 0x1000);
	assert_true(row_images_has(&images, 3));
	assert_false(row_images_has(&images, 4));
	row_images_deinit(&images);
	assert_int_equal(images.n, 0);
}

static void more_images_than_the_limit_are_rejected(void **state)
{
	struct row_images images = { 0 };

	(void)state;
	for (u32 i = 0; i < ROW_MAX_IMAGES; i++)
		assert_int_equal(row_images_add(&images, &(struct row_image){ .first_page = i }),
				 1);
	assert_int_equal(row_images_add(&images, &(struct row_image){ .first_page = 1u << 20 }),
			 -E2BIG);
	assert_int_equal(row_images_add(&images, &(struct row_image){ .first_page = 7 }), 0);
	row_images_deinit(&images);
}

static void an_invalid_image_is_opened_once_and_has_no_rows(void **state)
{
	struct row_images images = { 0 };
	int fd = memfd_create("images", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 16), 0);
	row_images_add(&images, &(struct row_image){ .first_page = 2, .end_page = 4 });
	assert_int_equal(page_of(&images, fd, 1), -ENOENT);
	assert_int_equal(page_of(&images, fd, 4), -ENOENT);
	assert_false(images.v[0].is_bad); /* not opened */
	assert_int_equal(page_of(&images, fd, 3), -ENOENT);
	assert_true(images.v[0].is_bad);
	assert_int_equal(page_of(&images, -1, 3), -ENOENT); /* the file is not read at all */
	row_images_deinit(&images);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_with_the_same_first_page_as_another_is_added_only_once),
		cmocka_unit_test(more_images_than_the_limit_are_rejected),
		cmocka_unit_test(an_invalid_image_is_opened_once_and_has_no_rows),
	};

	return CHECK_RUN(tests);
}
