/* SPDX-License-Identifier: BSD-2-Clause */

#include "pm2.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"

#define MAX_ENVIRON_LEN (256u << 10)

static void take(const char *text, size_t len, char *name)
{
	if (len >= PM2_NAME_LEN)
		return;
	memcpy(name, text, len);
	name[len] = '\0';
}

/* Takes the name of pm2_env, a JSON object. */
static void take_json(const char *text, size_t len, char *name)
{
	json_t *env = json_loadb(text, len, 0, NULL);
	const char *found = json_string_value(json_object_get(env, "name"));

	if (found)
		take(found, strlen(found), name);
	json_decref(env);
}

static const char *value_of(const char *variable, size_t len, const char *key)
{
	size_t key_len = strlen(key);

	return len > key_len && !memcmp(variable, key, key_len) && variable[key_len] == '='
		       ? variable + key_len + 1
		       : NULL;
}

void pm2_name_parse(const char *environ, size_t len, char *name)
{
	const char *end = environ + len, *plain = NULL, *json = NULL, *value;
	size_t plain_len = 0, json_len = 0;
	bool has_id = false;

	name[0] = '\0';
	for (const char *at = environ; at < end;) {
		size_t n = strnlen(at, (size_t)(end - at));

		if ((value = value_of(at, n, "pm2_env"))) {
			json = value;
			json_len = n - (size_t)(value - at);
		} else if ((value = value_of(at, n, "name"))) {
			plain = value;
			plain_len = n - (size_t)(value - at);
		}
		has_id |= value_of(at, n, "pm_id") != NULL;
		at += n + 1;
	}
	if (json)
		take_json(json, json_len, name);
	else if (has_id && plain)
		take(plain, plain_len, name);
}

void pm2_name_read(int pid, char *name)
{
	_cleanup_free_ char *environ = malloc(MAX_ENVIRON_LEN);
	_cleanup_close_ int fd = -1;
	size_t len = 0;
	char path[64];
	ssize_t n = 1;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !environ)
		return;
	while (n > 0 && len < MAX_ENVIRON_LEN) {
		n = read(fd, environ + len, MAX_ENVIRON_LEN - len);
		len += n > 0 ? (size_t)n : 0;
	}
	pm2_name_parse(environ, len, name);
}
