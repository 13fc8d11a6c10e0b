/* SPDX-License-Identifier: BSD-2-Clause */

#include "package.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/json_small.h"
#include "../process/map_file.h"

#define MAX_FOLDERS 16

/* Makes the absolute path of the script. Return: false if it is too long or unknown. */
static bool script_path(int pid, const char *script, char *path, size_t len)
{
	char link[64];
	ssize_t n = 0;

	if (script[0] != '/') {
		snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
		n = readlink(link, path, len - 1);
		if (n <= 0)
			return false;
		path[n++] = '/';
	}
	return (size_t)snprintf(path + n, len - (size_t)n, "%s", script) < len - (size_t)n;
}

/* Reads the name in the package.json beside a file. Return: whether it has one. */
static bool read_beside(int pid, const char *path, char *name)
{
	_cleanup_close_ int fd = -1;
	const char *found;
	json_t *json;
	bool fits;

	if (map_file_open_beside((u32)pid, path, "package.json", &fd))
		return false;
	json = json_small_read(fd);
	found = json_string_value(json_object_get(json, "name"));
	fits = found && strlen(found) < PACKAGE_NAME_LEN;
	if (fits)
		strcpy(name, found);
	json_decref(json);
	return fits;
}

void package_name_read(int pid, const struct proc_names *names, char *name)
{
	char path[PATH_MAX], *slash;

	name[0] = '\0';
	if (!names->script[0] || names->script[0] == '[' ||
	    !script_path(pid, names->script, path, sizeof(path)))
		return;
	for (int i = 0; i < MAX_FOLDERS; i++) {
		if (read_beside(pid, path, name))
			return;
		slash = strrchr(path, '/');
		if (!slash || slash == path)
			return;
		*slash = '\0';
	}
}
