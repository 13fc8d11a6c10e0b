/* SPDX-License-Identifier: BSD-2-Clause */
#include "origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

static const char *const names[N_ORIGINS] = {
	[ORIGIN_APP] = "app",	       [ORIGIN_PACKAGE] = "packages", [ORIGIN_RUNTIME] = "runtime",
	[ORIGIN_BUILTIN] = "builtins", [ORIGIN_NATIVE] = "native",    [ORIGIN_KERNEL] = "kernel",
};

const char *origin_name(enum origin o)
{
	return names[o];
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* ---- packages ---- */

static const char *last_of(const char *s, const char *part)
{
	const char *found = NULL;

	while ((s = strstr(s, part)))
		found = s++;
	return found;
}

/* Returns the length of "name" or "@scope/name". */
static size_t npm_name_len(const char *s)
{
	size_t len = strcspn(s, "/");

	return *s == '@' && s[len] ? len + 1 + strcspn(s + len + 1, "/") : len;
}

/* node_modules/.pnpm/NAME@VERSION_PEERS/node_modules/NAME; "@scope/" is "@scope+". */
static void find_pnpm_version(struct origin_package *p, const char *file, const char *end)
{
	const char *store = strstr(file, "/node_modules/.pnpm/"), *at;

	if (!store || store >= end)
		return;
	store += strlen("/node_modules/.pnpm/");
	at = strchr(store + 1, '@');
	if (!at || at >= end)
		return;
	p->version = at + 1;
	p->version_len = strcspn(p->version, "/_(");
}

static struct origin_package npm_package(const char *file)
{
	static const char modules[] = "/node_modules/";
	const char *at = last_of(file, modules);
	struct origin_package p = { 0 };

	if (!at)
		return p;
	p.name = at + strlen(modules);
	p.name_len = npm_name_len(p.name);
	p.folder_len = (size_t)(p.name - file) + p.name_len;
	if (file[p.folder_len] != '/')
		return (struct origin_package){ 0 };
	find_pnpm_version(&p, file, at);
	return p;
}

/* go/pkg/mod/HOST/NAME@VERSION/ and .cargo/registry/src/INDEX/NAME-VERSION/ */
static struct origin_package cached_package(const char *file, const char *cache, char before)
{
	const char *at = strstr(file, cache), *end;
	struct origin_package p = { 0 };

	if (!at)
		return p;
	at += strlen(cache);
	if (before == '-')
		at += strcspn(at, "/") + (strchr(at, '/') != NULL);
	end = at;
	while (*end && !(*end == before && (before == '@' || (end[1] >= '0' && end[1] <= '9'))))
		end++;
	if (!*end)
		return p;
	p.name = at;
	p.name_len = (size_t)(end - at);
	p.version = end + 1;
	p.version_len = strcspn(p.version, "/");
	p.folder_len = (size_t)(p.version - file) + p.version_len;
	return p;
}

struct origin_package origin_package(const char *file)
{
	struct origin_package p = npm_package(file);

	if (!p.name)
		p = cached_package(file, "/go/pkg/mod/", '@');
	if (!p.name)
		p = cached_package(file, "/registry/src/", '-');
	p.file = file;
	return p;
}

struct origin_package origin_frame_package(const struct prof_frame *f)
{
	struct origin_package p = { 0 };

	if (f->file)
		p = origin_package(f->file);
	if (!p.name && f->generated_file)
		p = origin_package(f->generated_file);
	return p;
}

/* ---- origins ---- */

/*
 * Up to Node.js 14, the paths of Node.js's own files have no "node:" prefix. Profiles of folded
 * stacks have no versions, so they count as old.
 */
static bool is_of_old_node(const struct prof_data *d)
{
	for (u32 i = 0; i < d->n_processes; i++) {
		const char *runtime = d->processes[i].process.runtime;

		if (runtime && begins(runtime, "Node.js "))
			return atoi(runtime + strlen("Node.js ")) <= 14;
	}
	return true;
}

/* The script of a single executable has a plain file name, as the files of an old Node.js have. */
static bool is_of_node(const struct prof_data *d, const char *file)
{
	size_t len = strlen(file);

	return begins(file, "node:") || begins(file, "internal/") ||
	       (!strpbrk(file, "/:[<") && len > 3 && !strcmp(file + len - 3, ".js") &&
		is_of_old_node(d));
}

static enum origin of_js(const struct prof_data *d, const struct prof_frame *f)
{
	if (!f->file)
		return f->name && !f->reason ? ORIGIN_BUILTIN : ORIGIN_APP;
	if (f->ignored)
		return ORIGIN_PACKAGE;
	if (!f->generated_file && is_of_node(d, f->file))
		return ORIGIN_RUNTIME;
	return f->ignored || origin_frame_package(f).name ? ORIGIN_PACKAGE : ORIGIN_APP;
}

static enum origin of_dotnet(const struct prof_frame *f)
{
	static const char *const framework[] = { "System.",	"Microsoft.",  "mscorlib",
						 "netstandard", "WindowsBase", "FSharp.Core" };

	if (!f->module)
		return f->name && begins(f->name, "System.") ? ORIGIN_RUNTIME : ORIGIN_APP;
	for (size_t i = 0; i < ARRAY_SIZE(framework); i++)
		if (begins(f->module, framework[i]))
			return ORIGIN_RUNTIME;
	return strcmp(f->module, "System") ? ORIGIN_APP : ORIGIN_RUNTIME;
}

static enum origin of_jit(const struct prof_frame *f)
{
	const char *text = f->file ? f->file : f->name ? f->name : "";

	if (strstr(text, "/site-packages/") || strstr(text, "/dist-packages/"))
		return ORIGIN_PACKAGE;
	return strstr(text, "<frozen ") || strstr(text, "/lib/python3") ? ORIGIN_RUNTIME
									: ORIGIN_APP;
}

/* Origin of code in an executable that is not a runtime or an interpreter. */
static enum origin of_program(const struct prof_frame *f)
{
	if (f->file && origin_package(f->file).name)
		return ORIGIN_PACKAGE;
	if ((f->name && (begins(f->name, "runtime.") || !strcmp(f->name, "_start"))) ||
	    (f->file && (strstr(f->file, "/go/src/") || begins(f->file, "/rustc/") ||
			 begins(f->file, "/usr/lib/go-"))))
		return ORIGIN_RUNTIME;
	return ORIGIN_APP;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_interpreter(const char *exe)
{
	static const char *const interpreters[] = { "python", "ruby", "php", "perl", "java",
						    "lua",    "bash", "sh",  "dash", "node",
						    "dotnet", "bun",  "deno" };

	for (size_t i = 0; i < ARRAY_SIZE(interpreters); i++) {
		size_t len = strlen(interpreters[i]);

		/* python3.11, php8.2, dash */
		if (begins(base_of(exe), interpreters[i]) &&
		    strspn(base_of(exe) + len, "0123456789.") == strlen(base_of(exe) + len))
			return true;
	}
	return false;
}

/*
 * A module that was mapped before its path was known has the name by which it was started:
 * "./program".
 */
static bool is_same_file(const char *exe, const char *module)
{
	return strcmp(exe, module) == 0 ||
	       (module[0] != '/' && strcmp(base_of(exe), base_of(module)) == 0);
}

/* Return: whether @module is the executable of a process without a supported runtime. */
static bool is_program(const struct prof_data *d, const char *module)
{
	for (u32 i = 0; module && i < d->n_processes; i++) {
		const struct prof_process *p = &d->processes[i].process;

		if (p->exe && !p->runtime && is_same_file(p->exe, module))
			return !is_interpreter(p->exe);
	}
	return false;
}

static enum origin of_native(const struct prof_data *d, const struct prof_frame *f)
{
	return is_program(d, f->module) ? of_program(f) : ORIGIN_NATIVE;
}

enum origin origin_of(const struct prof_data *d, const struct prof_frame *f)
{
	switch (f->kind) {
	case PROF_JS:
	case PROF_WASM:
		return of_js(d, f);
	case PROF_BUILTIN:
	case PROF_REGEXP:
	case PROF_STUB:
		return ORIGIN_BUILTIN;
	case PROF_DOTNET:
		return of_dotnet(f);
	case PROF_JIT:
		return of_jit(f);
	case PROF_KERNEL:
		return ORIGIN_KERNEL;
	default:
		return of_native(d, f);
	}
}
