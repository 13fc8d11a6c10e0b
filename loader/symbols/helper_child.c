/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The helper answers requests until the recorder closes the socket. The helper opens a module's
 * debug information when a line is requested. If all open debug information together is too large,
 * the helper closes the debug information of the least recently used module.
 */

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../inspect/symbols/lines.h"
#include "../../inspect/elf/minidebug.h"
#include "../../inspect/symbols/symbols.h"
#include "../../inspect/util/cleanup.h"
#include "debug_search.h"
#include "helper.h"
#include "helper_rights.h"

#define MAX_FILES 256

struct file {
	u32 module; /* 0: free */
	struct elf_file *own, *debug; /* debug is NULL if there is no debug file, or it is not
				       * needed */
	struct elf_file *alt; /* dwz file to which the file with the lines refers; NULL: none, or
			       * not needed */
	struct lines *lines; /* NULL: not requested yet, or closed */
	u64 lines_len, used;
};

struct child {
	int fd;
	u64 clock;
	struct file files[MAX_FILES];
	struct {
		struct helper_answer answer;
		char text[HELPER_MAX_PACKET - sizeof(struct helper_answer) - 1];
	} out;
	int out_fds[2]; /* borrowed, except the descriptor of .gnu_debugdata */
	const struct lines *lines; /* of the last request for lines */
	u64 addr;
	char name[SYMBOLS_NAME_LEN];
};

static void close_lines(struct file *f)
{
	if (f->lines)
		lines_free(&f->lines);
	f->lines_len = 0;
}

static void close_file(struct file *f)
{
	close_lines(f);
	elf_file_free(&f->alt);
	elf_file_free(&f->debug);
	elf_file_free(&f->own);
	*f = (struct file){ 0 };
}

static struct file *find(struct child *c, u32 module)
{
	for (u32 i = 0; i < MAX_FILES; i++)
		if (c->files[i].module == module)
			return &c->files[i];
	return NULL;
}

static struct file *room_for_file(struct child *c)
{
	struct file *oldest = &c->files[0];

	for (u32 i = 0; i < MAX_FILES; i++)
		if (c->files[i].used < oldest->used)
			oldest = &c->files[i];
	close_file(oldest);
	return oldest;
}

/* Closes the least recently used modules until @len more bytes fit the budget. */
static void make_room(struct child *c, u64 len)
{
	for (;;) {
		struct file *oldest = NULL;
		u64 all = len;

		for (u32 i = 0; i < MAX_FILES; i++) {
			struct file *f = &c->files[i];

			all += f->lines_len;
			if (f->lines && (!oldest || f->used < oldest->used))
				oldest = f;
		}
		if (all <= HELPER_MAX_ALL_DEBUG_LEN || !oldest)
			return;
		close_lines(oldest);
	}
}

/* Heap memory in use, which includes the line tables that libdw has parsed. */
static size_t memory_in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/*
 * Called between answers: closes old modules until at most HELPER_KEPT_MEMORY is in use. The newest
 * module stays open.
 */
static void keep_little(struct child *c)
{
	bool was_closed = false;

	while (memory_in_use() > HELPER_KEPT_MEMORY) {
		struct file *oldest = NULL;

		for (u32 i = 0; i < MAX_FILES; i++) {
			struct file *f = &c->files[i];

			if (f->lines && f->used != c->clock && (!oldest || f->used < oldest->used))
				oldest = f;
		}
		if (!oldest)
			break;
		close_lines(oldest);
		was_closed = true;
	}
	if (was_closed)
		malloc_trim(0);
}

static bool has_symtab(struct elf_file *f)
{
	return elf_file_section_len(f, ".symtab") > 0;
}

/* Whether the file has no call frame information. */
static bool lacks_frames(struct elf_file *f)
{
	return !elf_file_section_len(f, ".eh_frame") && !elf_file_section_len(f, ".debug_frame");
}

/* The file that contains lines; NULL: none. */
static struct elf_file *file_with_lines(const struct file *f)
{
	return f->own && lines_in(f->own)	? f->own
	       : f->debug && lines_in(f->debug) ? f->debug
						: NULL;
}

static void open_file(struct child *c, const struct helper_ask *ask, int fd, int root_fd)
{
	struct helper_answer *a = &c->out.answer;
	const char *fetched = ask->path + strlen(ask->path) + 1;
	struct file *f = find(c, ask->module);
	struct elf_file *with_lines;
	int err;

	if (f)
		close_file(f);
	else
		f = room_for_file(c);

	f->module = ask->module;
	f->used = ++c->clock;
	if (elf_file_open_fd(&f->own, fd))
		return;
	if ((!lines_in(f->own) || !has_symtab(f->own)) &&
	    debug_search(f->own, root_fd, ask->path, fetched[0] ? fetched : NULL, &f->debug, a->why,
			 sizeof(a->why)))
		a->flags |= HELPER_LACKS_DEBUG;
	if (f->debug)
		a->why[0] = 0;
	with_lines = file_with_lines(f);
	if (with_lines) {
		a->flags |= HELPER_HAS_LINES;
		if (!debug_search_alt(with_lines, root_fd, ask->path, &f->alt, a->why,
				      sizeof(a->why)))
			a->why[0] = 0;
	}
	if (has_symtab(f->own) && !lacks_frames(f->own))
		return;
	if (f->debug && has_symtab(f->debug)) {
		a->flags |= HELPER_HAS_DEBUG;
		c->out_fds[0] = elf_file_fd(f->debug);
		return;
	}
	err = minidebug_open(f->own, HELPER_MAX_MINI_LEN, &c->out_fds[1]);
	if (!err)
		a->flags |= HELPER_HAS_MINI;
	else if (err != -ENOENT)
		snprintf(a->why, sizeof(a->why), "the .gnu_debugdata section is %s",
			 err == -EFBIG ? "too large" : "broken");
}

static void say_why_no_lines(int err, u64 len, struct helper_answer *a)
{
	if (err == -EFBIG)
		snprintf(a->why, sizeof(a->why),
			 "%llu MiB of debug information exceed the limit of %u MiB", len >> 20,
			 HELPER_MAX_DEBUG_LEN >> 20);
	else if (err == -EXDEV)
		snprintf(a->why, sizeof(a->why),
			 "part of the debug information is in a dwz file that does not exist");
	else if (err == -ENOMEM)
		snprintf(a->why, sizeof(a->why),
			 "there is not enough memory for the debug information");
	else
		snprintf(a->why, sizeof(a->why),
			 "the debug information is invalid or not supported");
}

static int open_lines(struct child *c, struct file *f)
{
	struct elf_file *from = file_with_lines(f);
	u64 len;
	int err;

	if (f->lines)
		return 0;
	if (!from)
		return -ENOENT;
	len = lines_len(from) + (f->alt ? lines_len(f->alt) : 0);
	if (len <= HELPER_MAX_DEBUG_LEN)
		make_room(c, len);
	err = lines_new(&f->lines, from, f->alt, HELPER_MAX_DEBUG_LEN);
	if (err)
		say_why_no_lines(err, len, &c->out.answer);
	else
		f->lines_len = len;
	return err;
}

static bool put(struct child *c, const void *bytes, size_t len)
{
	u32 *used = &c->out.answer.text_len;

	if (len > sizeof(c->out.text) - *used)
		return false;
	memcpy(c->out.text + *used, bytes, len);
	*used += (u32)len;
	return true;
}

static int put_frame(const struct lines_frame *f, void *data)
{
	struct child *c = data;
	struct helper_frame out = { f->line, f->column, f->start_line, f->inlined };
	const char *file = f->file ? f->file : "";

	c->name[0] = 0;
	if (f->name)
		lines_demangle(c->lines, c->addr, f->name, c->name, sizeof(c->name));
	if (!put(c, &out, sizeof(out)) || !put(c, c->name, strlen(c->name) + 1) ||
	    !put(c, file, strlen(file) + 1))
		return -E2BIG;
	c->out.answer.n_frames++;
	return 0;
}

static int look_up(struct child *c, const struct helper_ask *ask)
{
	struct file *f = find(c, ask->module);
	int err = f ? open_lines(c, f) : -ESTALE;

	if (err == -ENOENT) /* the module has no lines at all */
		say_why_no_lines(err, 0, &c->out.answer);
	if (err)
		return err == -ENOENT ? -ENOEXEC : err;
	f->used = ++c->clock;
	c->lines = f->lines;
	c->addr = ask->addr;
	err = lines_lookup(f->lines, ask->addr, put_frame, c);
	if (err == -ENOMEM)
		close_lines(f);
	if (!err)
		return 0;
	c->out.answer.n_frames = c->out.answer.text_len = 0;
	return -ENOENT;
}

static void answer(struct child *c)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {};
	struct iovec part = { &c->out, sizeof(c->out.answer) + c->out.answer.text_len };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	int fds[2], n = 0;

	for (int i = 0; i < 2; i++)
		if (c->out_fds[i] >= 0)
			fds[n++] = c->out_fds[i];
	if (n) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, (size_t)n * sizeof(int));
	}
	if (sendmsg(c->fd, &m, MSG_NOSIGNAL) < 0)
		_exit(1);
	if (c->out_fds[1] >= 0)
		close(c->out_fds[1]);
}

static void handle(struct child *c, const struct helper_ask *ask, int fds[2])
{
	_cleanup_close_ int fd = fds[0], root_fd = fds[1];

	c->out.answer = (struct helper_answer){ .kind = ask->kind,
						.module = ask->module,
						.addr = ask->addr };
	c->out_fds[0] = c->out_fds[1] = -1;
	if (ask->kind == HELPER_OPEN)
		open_file(c, ask, fd, root_fd);
	else
		c->out.answer.err = look_up(c, ask);
	answer(c);
	keep_little(c);
}

/* Receives a request. Return: false if the recorder has closed the socket. */
static bool receive(int fd, struct helper_ask *ask, int fds[2])
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec part = { ask, sizeof(*ask) };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	fds[0] = fds[1] = -1;
	if (header)
		memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
	memset((char *)ask + (n > 0 ? n : 0), 0, sizeof(*ask) - (size_t)(n > 0 ? n : 0));
	return n >= (ssize_t)offsetof(struct helper_ask, path);
}

void helper_child(int fd)
{
	struct child *c;
	struct helper_ask ask;
	int fds[2];

	helper_give_up_rights(fd);
	c = calloc(1, sizeof(*c));
	if (!c)
		_exit(1);
	c->fd = fd;
	while (receive(fd, &ask, fds))
		handle(c, &ask, fds);
	_exit(0);
}
