/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * proc_display_name(): the display name of a process. For Node.js this is the name of the script.
 * To find this script, the command line is parsed as Node.js parses it: the value of an option
 * that needs one and has no "=" is the next argument ("node -r dotenv/config server.js").
 */

#include "proc_text.h"

#include <string.h>

#include "python_name.h"

/*
 * Options of Node.js with a value that may be the next argument: those that
 * `node --help` of 18.20.8, 20.20.2, 22.23.3, 24.21.0 and 26.10.0 prints with "=...".
 * V8's options need the "=".
 */
static const char *const value_options[] = {
	"-C",
	"-r",
	"--allow-fs-read",
	"--allow-fs-write",
	"--bench-isolation",
	"--bench-name-pattern",
	"--bench-reporter",
	"--bench-reporter-destination",
	"--bench-samples",
	"--bench-warmup",
	"--build-sea",
	"--build-snapshot-config",
	"--conditions",
	"--cpu-prof-dir",
	"--cpu-prof-interval",
	"--cpu-prof-name",
	"--debug-port",
	"--diagnostic-dir",
	"--disable-proto",
	"--disable-warning",
	"--dns-result-order",
	"--env-file",
	"--env-file-if-exists",
	"--es-module-specifier-resolution",
	"--experimental-config-file",
	"--experimental-default-type",
	"--experimental-loader",
	"--experimental-package-map",
	"--experimental-policy",
	"--experimental-sea-config",
	"--experimental-specifier-resolution",
	"--experimental-test-isolation",
	"--experimental-test-tag-filter",
	"--heap-prof-dir",
	"--heap-prof-interval",
	"--heap-prof-name",
	"--heapsnapshot-near-heap-limit",
	"--heapsnapshot-signal",
	"--icu-data-dir",
	"--import",
	"--input-type",
	"--inspect-port",
	"--inspect-publish-uid",
	"--loader",
	"--localstorage-file",
	"--max-http-header-size",
	"--max-old-space-size-percentage",
	"--network-family-autoselection-attempt-timeout",
	"--openssl-config",
	"--policy-integrity",
	"--redirect-warnings",
	"--report-dir",
	"--report-directory",
	"--report-filename",
	"--report-signal",
	"--require",
	"--run",
	"--secure-heap",
	"--secure-heap-min",
	"--snapshot-blob",
	"--test-concurrency",
	"--test-coverage-branches",
	"--test-coverage-exclude",
	"--test-coverage-functions",
	"--test-coverage-include",
	"--test-coverage-lines",
	"--test-global-setup",
	"--test-isolation",
	"--test-name-pattern",
	"--test-random-seed",
	"--test-reporter",
	"--test-reporter-destination",
	"--test-rerun-failures",
	"--test-shard",
	"--test-skip-pattern",
	"--test-timeout",
	"--title",
	"--tls-cipher-list",
	"--tls-keylog",
	"--trace-event-categories",
	"--trace-event-file-pattern",
	"--trace-require-module",
	"--unhandled-rejections",
	"--use-largepages",
	"--v8-pool-size",
	"--vfs-load",
	"--vfs-mount",
	"--watch-kill-signal",
	"--watch-path",
};

/* With these options the command line contains the program text, which Node.js names "[eval]". */
static const char *const eval_options[] = { "-e", "-p", "-pe", "--eval", "--print" };

/* In the name of an option, which ends at "=", Node.js treats an underscore as a dash. */
static bool is_option(const char *arg, const char *option)
{
	for (; *option; arg++, option++)
		if (*arg != *option && !(*arg == '_' && *option == '-'))
			return false;
	return !*arg || *arg == '=';
}

static bool is_one_of(const char *arg, const char *const *options, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_option(arg, options[i]))
			return true;
	return false;
}

#define IS_ONE_OF(arg, list) is_one_of(arg, list, sizeof(list) / sizeof((list)[0]))

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_node(const char *name)
{
	return !strcmp(name, "node") || !strcmp(name, "nodejs");
}

/*
 * The next argument, or NULL. Every argument ends with a NUL, because the caller has checked that
 * the last byte is one.
 */
static const char *next_arg(const char *arg, const char *end)
{
	arg += strlen(arg) + 1;
	return arg < end ? arg : NULL;
}

static const char *node_script(const char *argv0, const char *end)
{
	for (const char *arg = next_arg(argv0, end); arg; arg = next_arg(arg, end)) {
		if (IS_ONE_OF(arg, eval_options))
			return "[eval]";
		if (!strcmp(arg, "-"))
			return "[stdin]";
		if (!strcmp(arg, "--")) {
			arg = next_arg(arg, end);
			return arg && *arg ? arg : NULL;
		}
		if (arg[0] != '-')
			return *arg ? arg : NULL;
		if (IS_ONE_OF(arg, value_options) && !strchr(arg, '='))
			arg = next_arg(arg, end);
		if (!arg)
			break;
	}
	return NULL;
}

static bool is_only_argument(const char *argv0, const char *end)
{
	for (const char *at = argv0 + strlen(argv0); at < end; at++)
		if (*at)
			return false;
	return true;
}

/* dotnet [exec] [OPTION]... APP.dll: the first argument that is an assembly. */
static const char *dotnet_assembly(const char *argv0, const char *end)
{
	for (const char *arg = next_arg(argv0, end); arg; arg = next_arg(arg, end)) {
		size_t len = strlen(arg);

		if (len > 4 && !strcmp(arg + len - 4, ".dll"))
			return arg;
	}
	return NULL;
}

/* Which command line a process has. */
enum command_kind { COMMAND_OTHER, COMMAND_DOTNET, COMMAND_NODE, COMMAND_TITLE, COMMAND_PYTHON };

static enum command_kind kind_of(const char *cmdline, const char *end, const char *exe)
{
	const char *exe_base = exe ? base_name(exe) : "";
	const char *arg_base = base_name(cmdline);

	if (!strcmp(exe_base, "dotnet") || !strcmp(arg_base, "dotnet"))
		return COMMAND_DOTNET;
	if (python_is(exe_base))
		return COMMAND_PYTHON;
	if (!is_node(exe_base) && !is_node(arg_base))
		return COMMAND_OTHER;
	if (!is_node(arg_base) && is_only_argument(cmdline, end))
		return COMMAND_TITLE; /* process.title = "npm run build" */
	return COMMAND_NODE;
}

static const char *name_of(const char *cmdline, const char *end, const char *exe)
{
	const char *arg_base = base_name(cmdline), *script = NULL;

	switch (kind_of(cmdline, end, exe)) {
	case COMMAND_DOTNET:
		script = dotnet_assembly(cmdline, end);
		break;
	case COMMAND_NODE:
		script = node_script(cmdline, end);
		break;
	case COMMAND_PYTHON:
		script = python_script(cmdline, end);
		break;
	case COMMAND_TITLE:
		return cmdline;
	default:
		return *arg_base == '-' && arg_base[1] ? arg_base + 1 : arg_base;
	}
	return script ? base_name(script) : arg_base;
}

/* A title that the program wrote over its arguments may lack the terminator. */
static bool is_terminated(const char *cmdline, size_t len)
{
	return len && cmdline[0] && !cmdline[len - 1];
}

void proc_display_name(const char *cmdline, size_t len, const char *exe, char *dst, size_t cap)
{
	const char *name = exe ? base_name(exe) : "";
	size_t n;

	if (is_terminated(cmdline, len))
		name = name_of(cmdline, cmdline + len, exe);
	n = strlen(name);
	if (n >= cap)
		n = cap - 1;
	memcpy(dst, name, n);
	dst[n] = '\0';
}

const char *proc_script(const char *cmdline, size_t len, const char *exe)
{
	if (!is_terminated(cmdline, len))
		return NULL;
	switch (kind_of(cmdline, cmdline + len, exe)) {
	case COMMAND_DOTNET:
		return dotnet_assembly(cmdline, cmdline + len);
	case COMMAND_NODE:
		return node_script(cmdline, cmdline + len);
	case COMMAND_PYTHON:
		return python_script(cmdline, cmdline + len);
	default:
		return NULL;
	}
}
