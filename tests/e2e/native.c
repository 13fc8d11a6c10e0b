// SPDX-License-Identifier: BSD-2-Clause

/*
 * native [FLAVOUR]: a program that is hard to unwind without unwind rows. The
 * program runs each of its parts in turn until it is killed. Built without
 * frame pointers. native.py lists its stacks by the names of the functions
 * here.
 */

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP __asm__ volatile("" ::: "memory") /* no tail call, no code is moved */

static volatile uint64_t sink;
static volatile int depth = 30; /* volatile, so that the compiler makes no copy of deep() for it */

/* Computes for about a millisecond, without a call. */
#define SPIN                                                                                       \
	do {                                                                                       \
		uint64_t x = sink;                                                                 \
		for (int i = 0; i < 400000; i++)                                                   \
			x = x * 6364136223846793005u + (x >> 29);                                  \
		sink = x;                                                                          \
	} while (0)

/* Part: a chain of plain calls, some with large frames. */
NOINLINE void leaf_plain(void)
{
	SPIN;
}

NOINLINE void plain_inner(int n)
{
	volatile char large[5000] __attribute__((unused));

	large[n] = 1;
	leaf_plain();
	KEEP;
}

NOINLINE void run_plain(void)
{
	plain_inner(depth);
	KEEP;
}

/* Part: recursion. */
NOINLINE void leaf_deep(void)
{
	SPIN;
}

NOINLINE int deep(int n)
{
	volatile int keep = n;

	if (n)
		return deep(n - 1) + keep;
	leaf_deep();
	return keep;
}

NOINLINE void run_deep(void)
{
	sink += (uint64_t)deep(depth);
	KEEP;
}

/* Part: a frame whose size is known only at run time. */
NOINLINE void leaf_alloca(volatile char *p)
{
	SPIN;
	p[0] = 1;
}

NOINLINE void with_alloca(size_t n)
{
	volatile char *p = alloca(n);

	leaf_alloca(p);
	p[n - 1] = 2;
	KEEP;
}

NOINLINE void run_alloca(void)
{
	with_alloca(100 + sink % 4000);
	KEEP;
}

/* Part: a frame with alloca() and a larger alignment than the stack's. */
NOINLINE void leaf_aligned(volatile char *p)
{
	SPIN;
	p[0] = 1;
}

NOINLINE void with_aligned(size_t n)
{
	volatile char room[256] __attribute__((aligned(128)));
	volatile char *p = alloca(n);

	p[0] = room[n % 256] = 1;
	leaf_aligned(room);
	p[n - 1] = room[0];
	KEEP;
}

NOINLINE void run_aligned(void)
{
	with_aligned(50 + sink % 500);
	KEEP;
}

/* Part: a function that the C library calls back. */
NOINLINE void leaf_compare(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 20000; i++)
		x = x * 6364136223846793005u + (x >> 29);
	sink = x;
}

NOINLINE int compare(const void *a, const void *b)
{
	leaf_compare();
	KEEP;
	return *(const int *)a - *(const int *)b;
}

NOINLINE void run_qsort(void)
{
	int v[16];

	for (int i = 0; i < 16; i++)
		v[i] = (i * 7919) % 16;
	qsort(v, 16, sizeof(v[0]), compare);
	KEEP;
}

/*
 * Part: a signal handler on the interrupted stack, and one on an alternate
 * stack.
 */
NOINLINE void leaf_signal(void)
{
	SPIN;
}

static void on_signal(int sig)
{
	(void)sig;
	leaf_signal();
	KEEP;
}

NOINLINE void leaf_alternate(void)
{
	SPIN;
}

static void on_alternate(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	leaf_alternate();
	KEEP;
}

/* This signal interrupts an instruction of the program, not a system call. */
static char *guarded;

NOINLINE void trap(void)
{
	*(volatile char *)guarded = 1;
	KEEP;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	on_signal(sig);
	mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

NOINLINE void run_trap(void)
{
	mprotect(guarded, 4096, PROT_NONE);
	trap();
	KEEP;
}

NOINLINE void run_raise(void)
{
	raise(SIGUSR1);
	KEEP;
}

NOINLINE void run_alternate(void)
{
	raise(SIGUSR2);
	KEEP;
}

/* Part: a stack made with makecontext(), which musl lacks. */
#ifdef __GLIBC__
static ucontext_t caller, coroutine;

NOINLINE void leaf_coroutine(void)
{
	SPIN;
}

static void coroutine_main(void)
{
	leaf_coroutine();
	KEEP;
}

NOINLINE void run_coroutine(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &caller;
	makecontext(&coroutine, coroutine_main, 0);
	swapcontext(&caller, &coroutine);
	KEEP;
}
#else
static void run_coroutine(void)
{
}
#endif

/* Part: a child that shares the memory of its parent. */
NOINLINE void leaf_vfork(void)
{
	SPIN;
}

NOINLINE void run_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		for (int i = 0; i < 50; i++)
			leaf_vfork();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	KEEP;
}

/*
 * Part: functions that call into the kernel, by a system call and by page
 * faults.
 */
NOINLINE void run_read(void)
{
	static char buffer[1 << 16];
	static int zero = -1;

	if (zero < 0)
		zero = memfd_create("zero", 0);
	if (ftruncate(zero, sizeof(buffer)))
		return;
	for (int i = 0; i < 100; i++)
		sink += (uint64_t)pread(zero, buffer, sizeof(buffer), 0);
	KEEP;
}

NOINLINE void touch(volatile char *p, size_t len)
{
	for (size_t i = 0; i < len; i += 4096)
		p[i] = 1;
}

NOINLINE void run_faults(void)
{
	static char *room;
	size_t len = 1 << 20;

	if (!room)
		room = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(room, len, MADV_NOHUGEPAGE);
	touch(room, len);
	madvise(room, len, MADV_DONTNEED);
	KEEP;
}

NOINLINE void leaf_thread(void)
{
	SPIN;
}

static void *thread_main(void *data)
{
	for (;;) {
		leaf_thread();
		nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
	}
	return data;
}

static void handle(int sig, void (*fn)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &a, NULL);
}

int main(void)
{
	static char alternate[65536];
	pthread_t thread;

	sigaltstack(&(stack_t){ .ss_sp = alternate, .ss_size = sizeof(alternate) }, NULL);
	signal(SIGUSR1, on_signal);
	handle(SIGUSR2, on_alternate, SA_ONSTACK);
	handle(SIGSEGV, on_trap, 0);
	guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded == MAP_FAILED || pthread_create(&thread, NULL, thread_main, NULL))
		return 1;
	puts("running");
	fflush(stdout);
	for (unsigned int round = 0;; round++) {
		run_plain();
		run_deep();
		run_alloca();
		run_aligned();
		run_qsort();
		run_raise();
		run_trap();
		run_alternate();
		run_coroutine();
		if (round % 100 == 0)
			run_vfork();
		run_read();
		run_faults();
	}
}
