/* SPDX-License-Identifier: BSD-2-Clause */

#include "caller.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* The user that called sudo. Return: false if sudo was not used, or if root called it. */
static bool sudo_caller(uid_t *uid, gid_t *gid)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	char *uid_end, *gid_end;
	unsigned long u, g;

	if (geteuid() || !uid_text || !gid_text || !*uid_text || !*gid_text)
		return false;
	errno = 0;
	u = strtoul(uid_text, &uid_end, 10);
	g = strtoul(gid_text, &gid_end, 10);
	if (errno || *uid_end || *gid_end || !u || u >= (uid_t)-1 || g >= (gid_t)-1)
		return false;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return true;
}

int caller_become(void)
{
	const struct passwd *user;
	uid_t uid;
	gid_t gid;

	if (!sudo_caller(&uid, &gid))
		return 0;
	user = getpwuid(uid);
	if (user ? initgroups(user->pw_name, gid) : setgroups(1, &gid))
		return -errno;
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	if (!user)
		return 0;
	if (setenv("HOME", user->pw_dir, 1) || setenv("USER", user->pw_name, 1) ||
	    setenv("LOGNAME", user->pw_name, 1))
		return -errno;
	return 0;
}
