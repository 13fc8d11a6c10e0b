/* SPDX-License-Identifier: BSD-2-Clause */
#include "interpreters.h"

#include "array.h"

#include <stdio.h>
#include <string.h>

#define FIRST_PYTHON_WITH_PERF 12 /* Python 3.12, Doc/whatsnew/3.12.rst at v3.12.0 */

/*
 * A file name is @start, a version, and @end ("*": anything). The version is digits and points, and
 * may be empty.
 */
static const struct {
	const char *start, *end, *name, *advice;
	bool has_perf_map;
} known[] = {
	{ "libjvm.so", "", "Java", "for names run: jcmd PID Compiler.perfmap", true },
	{ "java", "", "Java", "for names run: jcmd PID Compiler.perfmap", true },
	{ "python", "", "Python", "interpreter only; for names start it with -X perf", true },
	{ "libpython", ".so*", "Python", "interpreter only; for names start it with -X perf",
	  true },
	{ "bun", "", "Bun", "native frames only: JavaScriptCore", false },
	{ "beam.smp", "", "Erlang", "for names start it with +JPperf true", true },
	{ "luajit", "", "LuaJIT", "native frames only", false },
	{ "luajit-", "*", "LuaJIT", "native frames only", false },
	{ "libluajit-", "*", "LuaJIT", "native frames only", false },
	{ "lua", "", "Lua", "interpreter only", false },
	{ "liblua", ".so*", "Lua", "interpreter only", false },
	{ "ruby", "", "Ruby", "interpreter only", false },
	{ "libruby-", ".so*", "Ruby", "interpreter only", false },
	{ "php", "", "PHP", "interpreter only", false },
	{ "php-fpm", "", "PHP", "interpreter only", false },
	{ "libphp", ".so*", "PHP", "interpreter only", false },
	{ "perl", "", "Perl", "interpreter only", false },
	{ "libmonosgen-", ".so*", "Mono", "native frames only", false },
};

static bool is_end(const char *text, const char *end)
{
	size_t len = strcspn(end, "*");

	return !strncmp(text, end, len) && (end[len] || !text[len]);
}

/* Python 3.11 and older ignore -X perf. */
static void adapt_python(struct interpreter *found, const char *version)
{
	unsigned major, minor;

	if (sscanf(version, "%u.%u", &major, &minor) != 2 || major > 3 ||
	    (major == 3 && minor >= FIRST_PYTHON_WITH_PERF))
		return;
	found->has_perf_map = false;
	found->advice = "interpreter only; names need Python 3.12, because older versions ignore "
			"-X perf";
}

bool interpreter_find(const char *file, struct interpreter *found)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const char *version = file + strlen(known[i].start);
		size_t len;

		if (strncmp(file, known[i].start, strlen(known[i].start)))
			continue;
		len = *version == '.' ? 0 : strspn(version, "0123456789.");
		while (len && version[len - 1] == '.')
			len--;
		if (len > 16 || !is_end(version + len, known[i].end))
			continue;
		found->has_perf_map = known[i].has_perf_map;
		found->advice = known[i].advice;
		snprintf(found->name, sizeof(found->name), "%s%s%.*s", known[i].name,
			 len ? " " : "", (int)len, version);
		if (!strcmp(known[i].name, "Python"))
			adapt_python(found, version);
		return true;
	}
	return false;
}
