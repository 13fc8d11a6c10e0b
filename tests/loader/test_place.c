// SPDX-License-Identifier: BSD-2-Clause

/* Tests the default file name of a profile, and the owner of the file. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../loader/out/place.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void a_process_name_is_escaped_for_use_as_a_file_name(void **state)
{
	static const struct {
		const char *name, *start;
	} rows[] = {
		{ "server.js", "unspool-server.js-7-2" },
		{ "../../etc/passwd", "unspool-_._.._etc_passwd-7-2" },
		{ "a b;c\n\033[m", "unspool-a_b_c___m-7-2" },
		{ ".hidden", "unspool-_hidden-7-2" },
		{ "", "unspool-_-7-2" },
		{ NULL, "unspool-_-7-2" },
		{ "\xff\xfe", "unspool-__-7-2" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		char path[256];

		place_default(path, sizeof(path), rows[i].name, 7, "ndjson");
		assert_memory_equal(path, rows[i].start, strlen(rows[i].start));
		assert_null(strchr(path, '/'));
		assert_string_equal(path + strlen(path) - strlen("Z.ndjson"), "Z.ndjson");
	}
}

static void a_long_process_name_is_cut_to_60_characters_in_the_file_name(void **state)
{
	char name[200], path[256];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	place_default(path, sizeof(path), name, 0, "folded");
	assert_int_equal(strspn(path + strlen("unspool-"), "n"), 60);
	assert_int_equal(path[strlen("unspool-") + 60], '-');
}

static void a_profile_belongs_to_the_sudo_user_if_the_folder_belongs_to_that_user(void **state)
{
	char dir[] = "/tmp/test-place-XXXXXX";
	static const struct {
		const char *uid, *gid;
		uid_t dir_uid;
		bool is_theirs;
	} rows[] = {
		{ "1000", "1001", 1000, true },	 { "1000", "1001", 0, false },
		{ "1000", "1001", 1001, false }, { NULL, "1001", 1000, false },
		{ "1000", NULL, 1000, false },
	};

	(void)state;
	if (geteuid()) { /* without sudo, the owner is unchanged */
		assert_int_equal(place_owner("/").uid, (uid_t)-1);
		return;
	}
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < N(rows); i++) {
		struct out_owner owner;

		assert_int_equal(chown(dir, rows[i].dir_uid, 0), 0);
		rows[i].uid ? setenv("SUDO_UID", rows[i].uid, 1) : unsetenv("SUDO_UID");
		rows[i].gid ? setenv("SUDO_GID", rows[i].gid, 1) : unsetenv("SUDO_GID");
		owner = place_owner(dir);
		assert_int_equal(owner.uid, rows[i].is_theirs ? 1000 : (uid_t)-1);
		assert_int_equal(owner.gid, rows[i].is_theirs ? 1001 : (gid_t)-1);
	}
	assert_int_equal(place_owner("/nowhere").uid, (uid_t)-1);
	rmdir(dir);
}

/* Runs the tests in a new folder. */
int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_name_is_escaped_for_use_as_a_file_name),
		cmocka_unit_test(a_long_process_name_is_cut_to_60_characters_in_the_file_name),
		cmocka_unit_test(
			a_profile_belongs_to_the_sudo_user_if_the_folder_belongs_to_that_user),
	};
	char dir[] = "/tmp/test-place-XXXXXX";
	int status;

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	status = CHECK_RUN(tests);
	rmdir(dir);
	return status;
}
