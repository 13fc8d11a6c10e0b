/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * arm64 under qemu-user: `qemu-aarch64 -g SOCKET`, and the required part of gdb's remote protocol
 * (GDB manual, appendix E). The program reports its mappings itself (by the preloaded
 * tests/e2e/maps.c), because /proc/PID/maps of the process also has the emulator's mappings. The
 * emulator must have the program's memory at the same addresses; live_cpu_attach() checks that.
 * $LIVE_QEMU is a folder with maps.so, in which the socket and the mappings are created.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "live_cpu.h"

#define SYSROOT "/usr/aarch64-linux-gnu"
#define MAX_ARGS 40
#define MAX_PACKET 4000
#define TRAP 5 /* signals by gdb's numbers (include/gdb/signals.def) */
#define INTERRUPT 31 /* SIGUSR2, which live_cpu_interrupt() sends */

const int live_cpu_slowness = 30; /* in qemu, each stop also discards all translated code */

static const char *folder(void)
{
	return getenv("LIVE_QEMU") ?: "/nonexistent";
}

void live_cpu_exec(char *const argv[])
{
	static char socket[256], preload[256], maps[256];
	char *args[MAX_ARGS] = { "qemu-aarch64", "-L", SYSROOT, "-cpu", "max", "-g",
				 socket,	 "-E", preload, "-E",	maps };
	int n = 11;

	snprintf(socket, sizeof(socket), "%s/gdb-%d", folder(), getpid());
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s/maps.so", folder());
	snprintf(maps, sizeof(maps), "MAPS=%s/maps-%d", folder(), getpid());
	for (; *argv && n < MAX_ARGS - 1; argv++)
		args[n++] = *argv;
	execvp(args[0], args);
}

static bool is_since(const char *path, const struct timespec *from)
{
	struct stat st;

	return !stat(path, &st) &&
	       (st.st_mtim.tv_sec > from->tv_sec ||
		(st.st_mtim.tv_sec == from->tv_sec && st.st_mtim.tv_nsec > from->tv_nsec));
}

FILE *live_cpu_maps(const struct live_cpu *c, bool is_fresh)
{
	struct timespec from;
	char path[256];

	snprintf(path, sizeof(path), "%s/maps-%d", folder(), c->tid);
	clock_gettime(CLOCK_REALTIME, &from);
	for (int ms = 0; is_fresh && !is_since(path, &from); ms += 10) {
		if (ms >= LIVE_CPU_LONG_MS) {
			errno = ETIMEDOUT;
			return NULL;
		}
		usleep(10000);
	}
	return fopen(path, "re");
}

/* ---- packets ---- */

static int put(const struct live_cpu *c, const char *text)
{
	char packet[128];
	u8 sum = 0;
	int n;

	for (const char *p = text; *p; p++)
		sum += (u8)*p;
	n = snprintf(packet, sizeof(packet), "$%s#%02x", text, sum);
	return send(c->link, packet, (size_t)n, MSG_NOSIGNAL) == n ? 0 : -ESRCH;
}

/*
 * Receives the text of the next packet, NUL-terminated. After a timeout, received bytes are kept.
 */
static int get(struct live_cpu *c, char text[MAX_PACKET], int ms)
{
	for (;;) {
		struct pollfd fd = { .fd = c->link, .events = POLLIN };
		char *from = memchr(c->received, '$', c->n_received), *to;
		size_t room = sizeof(c->received) - c->n_received;
		ssize_t n;

		to = from ? memchr(from, '#', c->n_received - (size_t)(from - c->received)) : NULL;
		if (to && to + 3 <= c->received + c->n_received) {
			if (to - from > MAX_PACKET)
				return -EPROTO;
			memcpy(text, from + 1, (size_t)(to - from - 1));
			text[to - from - 1] = 0;
			c->n_received -= (size_t)(to + 3 - c->received);
			memmove(c->received, to + 3, c->n_received);
			return send(c->link, "+", 1, MSG_NOSIGNAL) == 1 ? 0 : -ESRCH;
		}
		if (!room)
			return -EPROTO;
		if (poll(&fd, 1, ms) <= 0)
			return -ETIMEDOUT;
		n = recv(c->link, c->received + c->n_received, room, 0);
		if (n <= 0)
			return -ESRCH;
		c->n_received += (size_t)n;
	}
}

static int ask(struct live_cpu *c, const char *question, char answer[MAX_PACKET])
{
	int r = put(c, question);

	return r ? r : get(c, answer, LIVE_CPU_LONG_MS);
}

static u64 word_of(const char *hex)
{
	u64 word = 0;

	for (int i = 7; i >= 0; i--)
		word = word << 8 | strtoul((char[]){ hex[2 * i], hex[2 * i + 1], 0 }, NULL, 16);
	return word;
}

/* ---- the thread ---- */

/* The emulator waits for this connection before it executes the first instruction. */
int live_cpu_begin(struct live_cpu *c, pid_t tid)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char answer[MAX_PACKET];
	int r = -ETIMEDOUT;

	*c = (struct live_cpu){ .tid = tid, .is_stopped = true };
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/gdb-%d", folder(), tid);
	c->link = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->link < 0)
		return -errno;
	for (int i = 0; r && i < 500; i++) {
		r = connect(c->link, (struct sockaddr *)&at, sizeof(at)) < 0 ? -errno : 0;
		usleep(r ? 10000 : 0);
	}
	unlink(at.sun_path);
	if (!r)
		r = ask(c, "?", answer);
	return r ? r : live_cpu_continue(c);
}

void live_cpu_end(struct live_cpu *c)
{
	char path[256];

	if (!c->tid)
		return;
	close(c->link);
	snprintf(path, sizeof(path), "%s/maps-%d", folder(), c->tid);
	unlink(path);
	*c = (struct live_cpu){};
}

/* Checks that the emulator has the program's memory at the same addresses. */
int live_cpu_attach(struct live_cpu *c)
{
	char path[64], question[64], answer[MAX_PACKET];
	_cleanup_close_ int fd = -1;
	u64 word;
	int r = live_cpu_interrupt(c);

	snprintf(path, sizeof(path), "/proc/%d/mem", c->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!r)
		r = live_cpu_read(c);
	snprintf(question, sizeof(question), "m%llx,8", c->regs.pc);
	if (!r)
		r = ask(c, question, answer);
	if (!r && (strlen(answer) != 16 || fd < 0 ||
		   pread(fd, &word, sizeof(word), (off_t)c->regs.pc) != sizeof(word) ||
		   word != word_of(answer)))
		r = -EADDRNOTAVAIL;
	return r ? r : live_cpu_continue(c);
}

int live_cpu_wait(struct live_cpu *c, int ms)
{
	char answer[MAX_PACKET];
	int signal, r = get(c, answer, ms);

	if (r)
		return r;
	if (answer[0] != 'T' && answer[0] != 'S')
		return -ESRCH;
	signal = (int)strtol((char[]){ answer[1], answer[2], 0 }, NULL, 16);
	if (signal != TRAP && signal != INTERRUPT)
		c->signal = signal;
	c->is_stopped = true;
	return 0;
}

static int resume(struct live_cpu *c, char how)
{
	char text[8];

	snprintf(text, sizeof(text), c->signal ? "%c%02x" : "%c", c->signal ? how - 32 : how,
		 c->signal);
	c->signal = 0;
	c->is_stopped = c->has_regs = false;
	return put(c, text);
}

int live_cpu_interrupt(struct live_cpu *c)
{
	if (c->is_stopped)
		return 0;
	if (syscall(SYS_tgkill, c->tid, c->tid, SIGUSR2) < 0)
		return -errno;
	return live_cpu_wait(c, LIVE_CPU_LONG_MS);
}

int live_cpu_continue(struct live_cpu *c)
{
	return resume(c, 'c');
}

int live_cpu_step(struct live_cpu *c)
{
	int r = resume(c, 's');

	return r ? r : live_cpu_wait(c, LIVE_CPU_LONG_MS);
}

int live_cpu_break(struct live_cpu *c, u64 addr)
{
	char text[64], answer[MAX_PACKET];
	int r = 0;

	if (c->breakpoint) {
		snprintf(text, sizeof(text), "z0,%llx,4", c->breakpoint);
		r = ask(c, text, answer);
	}
	c->breakpoint = addr;
	if (r || !addr)
		return r;
	snprintf(text, sizeof(text), "Z0,%llx,4", addr);
	return ask(c, text, answer);
}

int live_cpu_read(struct live_cpu *c)
{
	char answer[MAX_PACKET];
	u64 x[33];
	int r = c->has_regs ? 0 : ask(c, "g", answer);

	if (r || c->has_regs)
		return r;
	if (strlen(answer) < 16 * 33)
		return -EPROTO;
	for (int i = 0; i < 33; i++)
		x[i] = word_of(answer + 16 * i);
	c->regs = (struct uw_regs){ .pc = x[32], .sp = x[31], .fp = x[29], .lr = x[30] };
	c->interp[0] = x[19];
	c->interp[1] = x[20];
	c->callee = x[1];
	c->has_regs = true;
	return 0;
}
