/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_small.h"

#include "cleanup.h"
#include "file_read.h"
#include "json_memory.h"

#include <sys/stat.h>

json_t *json_small_read(int fd)
{
	_cleanup_free_ char *text = NULL;
	struct stat st;
	json_t *json;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > JSON_SMALL_MAX)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	if (!text || file_read(fd, 0, text, (u64)st.st_size))
		return NULL;
	json = json_loadb(text, (size_t)st.st_size, 0, NULL);
	if (!json_memory_failed())
		return json;
	json_decref(json);
	return NULL;
}
