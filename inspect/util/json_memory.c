/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_memory.h"

#include "cleanup.h"

#include <errno.h>
#include <stdlib.h>

#define ALIGNMENT 16
#define RESERVE_LEN (64u << 10)

/* Lets jansson finish an operation after malloc() fails, instead of hitting an assert(). */
static _Alignas(ALIGNMENT) unsigned char reserve[RESERVE_LEN];
static size_t reserve_used, n_reserved;
static bool has_failed;

static void *take_reserve(size_t size)
{
	void *p = reserve + reserve_used;

	if (size > RESERVE_LEN - reserve_used)
		return NULL;
	reserve_used += (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	n_reserved++;
	return p;
}

static void *watched_malloc(size_t size)
{
	void *p = malloc(size);

	if (p)
		return p;
	has_failed = true;
	return take_reserve(size);
}

static void watched_free(void *p)
{
	if ((unsigned char *)p < reserve || (unsigned char *)p >= reserve + RESERVE_LEN)
		free(p);
	else if (!--n_reserved)
		reserve_used = 0;
}

__attribute__((constructor)) static void watch(void)
{
	json_set_alloc_funcs(watched_malloc, watched_free);
}

bool json_memory_failed(void)
{
	bool failed = has_failed;

	has_failed = false;
	return failed;
}

char *json_memory_dumps(const json_t *json, size_t flags)
{
	char *text = json ? json_dumps(json, flags) : NULL;

	if (!json_memory_failed())
		return text;
	watched_free(text);
	return NULL;
}

int json_memory_line(json_t *json, size_t flags, FILE *f)
{
	_cleanup_free_ char *text = json_memory_dumps(json, flags);

	json_decref(json);
	if (!text)
		return -ENOMEM;
	fputs(text, f);
	fputc('\n', f);
	return 0;
}
