/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Loaded into a program with LD_PRELOAD, this library makes one allocation fail after the start of
 * main(); the dynamic loader and constructors are not the program's code.
 *
 *	UNSPOOL_INJECT_NTH	number of the allocation that fails, from 1; unset or 0: none
 *	UNSPOOL_INJECT_LOG	gets a line for each allocation: a hash of its callers, and the file
 *				of the first one outside the C library; if an allocation is to
 *				fail, one line when it has failed, and no other
 *
 * Allocating functions of the C library itself (strdup, asprintf, fopen, ...) are included. In
 * exit(), before streams are written, the library checks for leaks if a leak checker is loaded,
 * and ends with LEAK_STATUS if there are any; allocations of the check are not counted. Calls
 * without effect report all this to inject.c.
 */

#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_CALLERS 10
#define LEAK_STATUS 99
#define LOG_FD 900 /* high, so that the program's own descriptors keep their numbers */

typedef int main_function(int argc, char **argv, char **envp);

static main_function *real_main;
static atomic_bool is_armed;
static atomic_ulong n_done;
static unsigned long nth;
static int log_fd = -1;
static __thread bool is_inside; /* backtrace() may allocate */

static const char *file_of(void *addr)
{
	const char *slash;
	Dl_info info;

	if (!dladdr(addr, &info))
		return "?";
	slash = strrchr(info.dli_fname, '/');
	return slash ? slash + 1 : info.dli_fname;
}

static bool is_passed_through(const char *file)
{
	return !strncmp(file, "libc.", 5) || !strncmp(file, "libasan.", 8) ||
	       strstr(file, "inject-preload");
}

static void log_callers(void)
{
	void *callers[N_CALLERS];
	int n = backtrace(callers, N_CALLERS), len;
	unsigned long hash = 5381;
	const char *file = "?";
	char line[128];

	for (int i = 2; i < n; i++)
		hash = hash * 1000003 ^ (unsigned long)callers[i];
	for (int i = 2; i < n && (i == 2 || is_passed_through(file)); i++)
		file = file_of(callers[i]);
	len = snprintf(line, sizeof(line), "%016lx,%.80s\n", hash, file);
	if (write(log_fd, line, (size_t)len) != len)
		abort();
}

/* Returns whether this allocation must fail. */
static bool must_fail(void)
{
	bool is_it;

	if (!is_armed || is_inside)
		return false;
	is_it = ++n_done == nth;
	is_inside = true;
	if (log_fd >= 0 && (is_it || !nth))
		log_callers();
	is_inside = false;
	if (is_it)
		errno = ENOMEM;
	return is_it;
}

/* dlsym() returns a data pointer for a function, whatever POSIX says. */
#define NEXT(name)                                                                                 \
	({                                                                                         \
		static __typeof__(&(name)) next;                                                   \
		if (!next)                                                                         \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                 \
		next;                                                                              \
	})

void *malloc(size_t size)
{
	return must_fail() ? NULL : NEXT(malloc)(size);
}

void *calloc(size_t n, size_t size)
{
	return must_fail() ? NULL : NEXT(calloc)(n, size);
}

void *realloc(void *p, size_t size)
{
	return must_fail() ? NULL : NEXT(realloc)(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	return must_fail() ? NULL : NEXT(reallocarray)(p, n, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return must_fail() ? NULL : NEXT(aligned_alloc)(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	return must_fail() ? ENOMEM : NEXT(posix_memalign)(p, align, size);
}

/*
 * Functions of a sanitizer, whose own check runs after the last allocation that is
 * counted.
 */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static void look_for_leaks(void)
{
	is_armed = false;
	close(INJECT_DISARM);
	if (__lsan_do_recoverable_leak_check())
		_exit(LEAK_STATUS);
	close(INJECT_ARM);
	is_armed = true;
}

/*
 * backtrace() loads libgcc_s at its first call, and the C library allocates memory
 * for that.
 */
static void load_backtrace(void)
{
	void *warm[1];

	if (__lsan_disable)
		__lsan_disable();
	backtrace(warm, 1);
	if (__lsan_enable)
		__lsan_enable();
}

static int armed_main(int argc, char **argv, char **envp)
{
	const char *n = getenv("UNSPOOL_INJECT_NTH"), *path = getenv("UNSPOOL_INJECT_LOG");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	nth = n ? strtoul(n, NULL, 10) : 0;
	if (fd >= 0) {
		log_fd = fcntl(fd, F_DUPFD_CLOEXEC, LOG_FD);
		close(fd);
	}
	if (__lsan_do_recoverable_leak_check)
		atexit(look_for_leaks);
	load_backtrace();
	unsetenv("LD_PRELOAD"); /* children run without this library */
	close(INJECT_ARM);
	is_armed = true;
	return real_main(argc, argv, envp);
}

int __libc_start_main(main_function *main, int argc, char **argv, main_function *init,
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *main, int argc, char **argv, main_function *init,
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	real_main = main;
	return NEXT(__libc_start_main)(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}
