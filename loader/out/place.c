// SPDX-License-Identifier: BSD-2-Clause

#include "place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Replaces all characters that are not safe on every file system and in a shell. */
static void tame(const char *name, char *dst, size_t len)
{
	size_t n = 0;

	for (; name && *name && n + 1 < len && n < 60; name++) {
		bool fine = (*name >= '0' && *name <= '9') || (*name >= 'a' && *name <= 'z') ||
			    (*name >= 'A' && *name <= 'Z') || strchr("._-", *name);

		dst[n++] = fine ? *name : '_';
	}
	if (!n)
		dst[n++] = '_';
	dst[n] = 0;
	if (dst[0] == '.')
		dst[0] = '_';
}

const char *place_dir(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (!access(".", W_OK))
		return ".";
	return runtime && !access(runtime, W_OK) ? runtime : "/tmp";
}

void place_default(char *path, size_t len, const char *name, u32 pid, const char *suffix)
{
	const char *dir = place_dir();
	char tamed[64], id[16] = "", stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	tame(name, tamed, sizeof(tamed));
	if (pid)
		snprintf(id, sizeof(id), "-%u", pid);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	snprintf(path, len, "%s%sunspool-%s%s-%s.%s", strcmp(dir, ".") ? dir : "",
		 strcmp(dir, ".") ? "/" : "", tamed, id, stamp, suffix);
}

struct out_owner place_owner(const char *dir)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	struct stat st;

	if (!uid || !gid || geteuid() || stat(dir, &st) || st.st_uid != (uid_t)atoi(uid))
		return OUT_OWNER_SELF;
	return (struct out_owner){ (uid_t)atoi(uid), (gid_t)atoi(gid) };
}

bool place_split(const char *path, char *dir, const char **file)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 1;

	*file = slash ? slash + 1 : path;
	if (len >= PATH_MAX)
		return false;
	memcpy(dir, slash ? path : ".", len);
	dir[len] = 0;
	if (slash == path)
		memcpy(dir, "/", 2);
	return true;
}
