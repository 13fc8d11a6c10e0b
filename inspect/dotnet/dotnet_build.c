/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * libcoreclr.so and single-file programs export g_dacTable, the table of addresses for debuggers;
 * NativeAOT programs do not. If a CoreCLR exports only the data contract descriptor,
 * dotnet_build_new() recognizes it by its version string and returns -ENOTSUP. NativeAOT also has
 * the descriptor, but not the version string, which every CoreCLR contains:
 *
 *	@(#)Version 10.0.1426.52326 @Commit: 8f8d2d7...
 *	            major.minor.(patch * 100 + year of the build)
 *
 * The file's name and the size of the table are not used to determine the version. Source:
 * coreclr's eng/native/version and arcade's product version scheme; measured on 6.0.36 to
 * 10.0.15.
 */

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "../elf/elf_search.h"
#include "../util/cleanup.h"
#include "dotnet_build.h"

#define MARK "@(#)Version "
#define MAX_VERSION_LEN 64

struct exports {
	u64 dac_table_addr; /* 0: none */
	bool has_descriptor;
};

static int find_exports(const struct elf_symbol *s, void *data)
{
	struct exports *e = data;

	if (!s->defined || !s->is_dynamic || s->type != STT_OBJECT)
		return 0;
	e->has_descriptor |= !strcmp(s->name, "DotNetRuntimeContractDescriptor");
	if (strcmp(s->name, "g_dacTable"))
		return 0;
	e->dac_table_addr = s->addr;
	return 1;
}

/* Reads the version from @text, which follows MARK and is not NUL-terminated. */
static int take_version(const char *text, size_t n, void *data)
{
	struct dotnet_build *b = data;
	char line[MAX_VERSION_LEN + 1] = "";
	u32 major, minor, build, revision;

	memcpy(line, text, n < MAX_VERSION_LEN ? n : MAX_VERSION_LEN);
	if (sscanf(line, "%3u.%3u.%7u.%7u @Commit", &major, &minor, &build, &revision) != 4)
		return -ENOENT;
	b->major = major;
	b->minor = minor;
	b->patch = build / 100;
	return 0;
}

static int learn(struct dotnet_build *b, const struct elf_file *f)
{
	int err = elf_file_search(f, MARK, MAX_VERSION_LEN, take_version, b);

	if (err == -ENOENT) {
		strcpy(b->runtime, ".NET");
		b->why = "runtime version unknown";
		return -ENOTSUP;
	}
	if (err < 0)
		return err;
	snprintf(b->runtime, sizeof(b->runtime), ".NET %u.%u.%u", b->major, b->minor, b->patch);
	b->layout = b->dac_table_addr ? dotnet_layout_get(b->major) : NULL;
	if (!b->layout)
		b->why = "only .NET 6 to 10 are supported";
	return b->why ? -ENOTSUP : 0;
}

int dotnet_build_new(struct dotnet_build **build, struct elf_file *f)
{
	_cleanup_(dotnet_build_free) struct dotnet_build *b = calloc(1, sizeof(*b));
	struct exports e = {};
	int r;

	if (!b)
		return -ENOMEM;
	r = elf_file_each_symbol(f, find_exports, &e);
	if (r < 0 || (!r && !e.has_descriptor))
		return r ? r : -ENOENT;
	b->dac_table_addr = e.dac_table_addr;
	r = learn(b, f);
	if (!b->major && !b->dac_table_addr)
		return -ENOENT; /* NativeAOT */
	if (!r || r == -ENOTSUP)
		*build = TAKE_PTR(b);
	return r;
}

void dotnet_build_free(struct dotnet_build **b)
{
	free(*b);
	*b = NULL;
}

const char *dotnet_build_why(const struct dotnet_build *b)
{
	return b->why;
}

const char *dotnet_build_runtime(const struct dotnet_build *b)
{
	return b->runtime;
}
