/* SPDX-License-Identifier: BSD-2-Clause */
#include "kinds.h"

#include <string.h>

static const char *const kind_names[PROF_N_KINDS] = {
	[PROF_JS] = "js",	  [PROF_WASM] = "wasm",	    [PROF_BUILTIN] = "builtin",
	[PROF_REGEXP] = "regexp", [PROF_STUB] = "stub",	    [PROF_DOTNET] = "dotnet",
	[PROF_JIT] = "jit",	  [PROF_NATIVE] = "native", [PROF_KERNEL] = "kernel",
};

static const char *const activity_names[PROF_N_ACTIVITIES] = {
	[PROF_ACT_JS] = "js",	      [PROF_ACT_GC] = "gc",   [PROF_ACT_COMPILE] = "compile",
	[PROF_ACT_DOTNET] = "dotnet", [PROF_ACT_JIT] = "jit", [PROF_ACT_NATIVE] = "native",
	[PROF_ACT_KERNEL] = "kernel",
};

static const char *const runtime_names[PROF_N_RUNTIMES] = {
	[PROF_RT_V8] = "v8",	     [PROF_RT_DOTNET] = "dotnet", [PROF_RT_JIT] = "jit",
	[PROF_RT_NATIVE] = "native", [PROF_RT_KERNEL] = "kernel",
};

static const char *const status_names[PROF_N_STATUSES] = {
	[PROF_COMPLETE] = "complete",
	[PROF_TRUNCATED] = "truncated",
	[PROF_FAILED] = "failed",
};

static const char *name_of(const char *const *names, u32 n, u32 i)
{
	return i < n ? names[i] : NULL;
}

static u32 from_name(const char *const *names, u32 n, const char *name)
{
	u32 i = 0;

	while (i < n && strcmp(names[i], name) != 0)
		i++;
	return i;
}

const char *prof_kind_name(enum prof_kind kind)
{
	return name_of(kind_names, PROF_N_KINDS, kind);
}

const char *prof_activity_name(enum prof_activity activity)
{
	return name_of(activity_names, PROF_N_ACTIVITIES, activity);
}

const char *prof_runtime_name(enum prof_runtime runtime)
{
	return name_of(runtime_names, PROF_N_RUNTIMES, runtime);
}

const char *prof_status_name(enum prof_status status)
{
	return name_of(status_names, PROF_N_STATUSES, status);
}

enum prof_kind prof_kind_from_name(const char *name)
{
	return from_name(kind_names, PROF_N_KINDS, name);
}

enum prof_activity prof_activity_from_name(const char *name)
{
	return from_name(activity_names, PROF_N_ACTIVITIES, name);
}

enum prof_status prof_status_from_name(const char *name)
{
	return from_name(status_names, PROF_N_STATUSES, name);
}

enum prof_runtime prof_runtime_of_kind(enum prof_kind kind)
{
	switch (kind) {
	case PROF_DOTNET:
		return PROF_RT_DOTNET;
	case PROF_JIT:
		return PROF_RT_JIT;
	case PROF_NATIVE:
	case PROF_N_KINDS:
		return PROF_RT_NATIVE;
	case PROF_KERNEL:
		return PROF_RT_KERNEL;
	default:
		return PROF_RT_V8;
	}
}

enum prof_activity prof_activity_of_kind(enum prof_kind kind)
{
	static const enum prof_activity of_runtime[PROF_N_RUNTIMES] = {
		[PROF_RT_V8] = PROF_ACT_JS,	    [PROF_RT_DOTNET] = PROF_ACT_DOTNET,
		[PROF_RT_JIT] = PROF_ACT_JIT,	    [PROF_RT_NATIVE] = PROF_ACT_NATIVE,
		[PROF_RT_KERNEL] = PROF_ACT_KERNEL,
	};

	return of_runtime[prof_runtime_of_kind(kind)];
}

const char *prof_reason_words(enum uw_status status)
{
	static const char *const words[UW_N_STATUS] = {
#define X(name, class, words, meaning) [name] = words,
		UW_STATUS_LIST(X)
#undef X
	};

	return name_of(words, UW_N_STATUS, status);
}

enum prof_status prof_status_of_walk(enum uw_status status)
{
	static const u8 of_class[] = {
		[UW_CLASS_COMPLETE] = PROF_COMPLETE,
		[UW_CLASS_TRUNCATED] = PROF_TRUNCATED,
		[UW_CLASS_FAILED] = PROF_FAILED,
		[UW_CLASS_FRAME] = PROF_N_STATUSES,
	};
	static const u8 classes[UW_N_STATUS] = {
#define X(name, class, words, meaning) [name] = UW_CLASS_##class,
		UW_STATUS_LIST(X)
#undef X
	};

	return (u32)status < UW_N_STATUS ? of_class[classes[status]] : PROF_N_STATUSES;
}
