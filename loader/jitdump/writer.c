// SPDX-License-Identifier: BSD-2-Clause

/*
 * Checks whether the process that writes a jitdump has mapped the file, because perf finds a
 * jitdump only by such a mapping.
 */

#include "jitdump.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "../../inspect/util/cleanup.h"
#include "../process/maps.h"

static void cleanup_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static bool has_open(u32 pid, const struct stat *file)
{
	_cleanup_(cleanup_dir) DIR *dir = NULL;
	const struct dirent *entry;
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_ino == file->st_ino &&
		    st.st_dev == file->st_dev)
			return true;
	return false;
}

static bool has_mapped(u32 pid, const struct stat *file)
{
	_cleanup_fclose_ FILE *maps = NULL;
	char path[64], line[4400];
	struct maps_entry e;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		if (parse_maps_line(line, strcspn(line, "\n"), &e) == 0 && e.prot & MAPS_EXEC &&
		    e.inode == file->st_ino)
			return true;
	return !maps; /* if the maps are unreadable, assume that the mapping exists */
}

bool jitdump_is_unmapped(const char *path, u32 pid)
{
	struct stat st;

	return pid && stat(path, &st) == 0 && has_open(pid, &st) && !has_mapped(pid, &st);
}
