/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The state of a module in the helper:
 *
 *	not sent  --open-->  sent  --answer-->  answered: lines? another file's functions?
 *	each address:  unknown  --lines-->  asked  --answer-->  known (perhaps as nothing)
 *
 * Go programs need no helper, because .gopclntab contains the lines and the recorder reads it
 * itself. A new helper starts without modules. A module in which a helper crashed gets no further
 * requests.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/go/go_frames.h"
#include "../../inspect/util/cleanup.h"
#include "module_state.h"

/*
 * Opens the root directory of a process and makes the module's path relative to it. Paths from
 * /proc/PID/maps begin with the root's path; paths from events do not.
 */
static int open_root(u32 pid, const char **file)
{
	char path[64], root[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	n = readlink(path, root, sizeof(root) - 1);
	if (n > 1 && !strncmp(*file, root, (size_t)n) && (*file)[n] == '/')
		*file += n;
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The user of a process; -1: the process has ended. */
static uid_t user_of(u32 pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? (uid_t)-1 : st.st_uid;
}

static struct module_deaths *deaths_of(struct modules *m, uid_t uid)
{
	u32 i = 0;

	while (i < m->n_deaths && m->deaths[i].uid != uid)
		i++;
	return i < m->n_deaths ? &m->deaths[i] : NULL;
}

/* Counts the death of a helper. There are at most as many users as starts of a helper. */
static void count_death(struct modules *m, uid_t uid)
{
	struct module_deaths *d = deaths_of(m, uid);

	if (!d && m->n_deaths < HELPER_MAX_STARTS) {
		d = &m->deaths[m->n_deaths++];
		*d = (struct module_deaths){ .uid = uid };
	}
	if (d)
		d->n++;
}

/* Sends the module to the helper. Return: 0 if an answer will follow, or a negative errno. */
static int send_module(struct modules *m, struct module *mod, u32 pid)
{
	_cleanup_close_ int root_fd = -1;
	const struct module_deaths *d;
	const char *path = mod->path;
	int err;

	if (mod->fd < 0)
		return -ESTALE;
	mod->uid = user_of(pid);
	d = deaths_of(m, mod->uid);
	if (d && d->n >= MODULES_MAX_DEATHS)
		return -EPERM;
	root_fd = open_root(pid, &path);
	err = helper_open(m->helper, mod->info.id, mod->fd, root_fd, path, mod->fetched);
	if (!err) {
		mod->sent = helper_generation(m->helper);
		mod->is_answered = false;
	}
	return err;
}

/* Whether the file with additional functions was closed to free memory and is needed again. */
static bool is_more_missing(const struct module *mod)
{
	return mod->has_more && !mod->more && mod->more_fd < 0 && mod->fd >= 0;
}

static bool may_have_lines(const struct modules *m, const struct module *mod)
{
	return !mod->is_given_up && !mod->info.is_vdso && !mod->has_no_symbols &&
	       helper_generation(m->helper);
}

/*
 * Return: whether an address is in Go code. If it is, the lines of the address are in the cache
 * now.
 */
static bool is_go(struct modules *m, struct module *mod, const struct lines_key *key)
{
	struct lines_known known;

	if (!mod->go || modules_fd(m, key->module) < 0)
		return false;
	return lines_cache_find(m->lines, key, ~0u, &known) == LINES_KNOWN ||
	       module_go_enter(mod->go, m->lines, key);
}

bool modules_is_ready(struct modules *m, u32 pid, u32 id, u64 off_in_file)
{
	struct module *mod = modules_find(m, id);
	struct lines_key key = { .module = id };
	u32 generation = helper_generation(m->helper);
	struct lines_known known;
	int err;

	if (!mod || !may_have_lines(m, mod))
		return true;
	mod->used = ++m->clock;
	if (!modules_load_symbols(m, id) &&
	    !symbols_off_to_addr(mod->symbols, off_in_file, &key.addr) && is_go(m, mod, &key))
		return true;
	if (mod->sent != generation || (mod->is_answered && is_more_missing(mod))) {
		err = send_module(m, mod, pid);
		return err && err != -EAGAIN;
	}
	if (!mod->is_answered || !mod->has_lines)
		return mod->is_answered;
	if (modules_load_symbols(m, id) ||
	    symbols_off_to_addr(mod->symbols, off_in_file, &key.addr) ||
	    lines_cache_find(m->lines, &key, generation, &known) == LINES_KNOWN)
		return true;
	if (lines_cache_find(m->lines, &key, generation, &known) == LINES_UNKNOWN) {
		err = helper_lines(m->helper, id, key.addr);
		if (!err)
			lines_cache_asked(m->lines, &key, generation);
		return err && err != -EAGAIN;
	}
	return false;
}

int modules_debug_fd(struct modules *m, u32 id)
{
	struct module *mod = modules_find(m, id);
	int err;

	if (!mod || !may_have_lines(m, mod))
		return -ENOENT;
	if (mod->sent == helper_generation(m->helper) &&
	    (!mod->is_answered || !mod->has_more || mod->more_fd >= 0)) {
		mod->used = ++m->clock;
		return !mod->is_answered ? -EINPROGRESS : mod->has_more ? mod->more_fd : -ENOENT;
	}
	/* Before a process has mapped the module, the root to search is unknown. */
	err = mod->pid ? send_module(m, mod, mod->pid) : -EAGAIN;
	return err && err != -EAGAIN ? -ENOENT : -EINPROGRESS;
}

static void set_why(struct module *mod, const char *why)
{
	if (!why[0] || mod->why)
		return;
	mod->why = strdup(why);
}

static void fetch(struct modules *m, struct module *mod)
{
	if (!m->debuginfod || mod->was_fetched || !mod->build_id)
		return;
	mod->was_fetched = !debuginfod_ask(m->debuginfod, mod->info.id, mod->build_id);
}

/*
 * Called when a debug file was fetched; causes the module to be sent to the helper again, with this
 * file.
 */
static void on_fetched(u32 id, const char *path, const char *why, void *data)
{
	struct modules *m = data;
	struct module *mod = modules_find(m, id);

	if (!mod)
		return;
	if (why)
		set_why(mod, why);
	mod->fetched = path ? strdup(path) : NULL;
	if (mod->fetched)
		mod->sent = 0;
}

static void on_opened(struct module *mod, const struct helper_answer *a, int fds[2])
{
	int i = 0;

	mod->is_answered = true;
	mod->has_lines = a->flags & HELPER_HAS_LINES;
	mod->has_more = a->flags & (HELPER_HAS_DEBUG | HELPER_HAS_MINI);
	if (mod->has_more && fds[i] >= 0 && mod->more_fd < 0)
		mod->more_fd = TAKE_FD(fds[i]);
}

static void on_answer(const struct helper_answer *a, const char *text, int fds[2], void *data)
{
	_cleanup_close_ int fd0 = fds[0], fd1 = fds[1];
	struct modules *m = data;
	struct module *mod = modules_find(m, a->module);
	struct lines_key key = { a->module, a->addr };
	int own[2] = { fd0, fd1 };

	if (!mod)
		return;
	set_why(mod, a->why);
	if (a->err == -ESTALE) {
		mod->sent = 0;
	} else if (a->err && a->err != -ENOENT) {
		if (a->err == -EIO)
			count_death(m, mod->uid);
		mod->is_given_up = true;
		mod->has_lines = false;
	} else if (a->kind == HELPER_OPEN) {
		if (a->flags & HELPER_LACKS_DEBUG)
			fetch(m, mod);
		on_opened(mod, a, own);
		fd0 = own[0];
		modules_make_room(m);
	} else {
		lines_cache_put(m->lines, &key,
				&(struct lines_known){ a->n_frames, a->text_len, text });
	}
}

void modules_take_answers(struct modules *m, int wait_ms)
{
	helper_poll(m->helper, wait_ms, on_answer, m);
	if (m->debuginfod)
		debuginfod_poll(m->debuginfod, on_fetched, m);
}

/* Loads the functions that the module's own file lacks. */
static void load_more(struct modules *m, struct module *mod)
{
	_cleanup_(elf_file_free) struct elf_file *elf = NULL, *code = NULL;
	int fd = modules_fd(m, mod->info.id);

	if (mod->more || mod->more_fd < 0 || fd < 0 || elf_file_open_fd(&code, fd))
		return;
	if (elf_file_open_fd(&elf, mod->more_fd) ||
	    symbols_new(&mod->more, elf, code, go_symbols)) {
		set_why(mod, "the debug file can't be read");
		mod->has_more = false;
		cleanup_close(&mod->more_fd);
		mod->more_fd = -1;
		return;
	}
	modules_make_room(m);
}

static int find_name(struct modules *m, struct module *mod, u64 addr, char *name, size_t len)
{
	u64 off;

	load_more(m, mod);
	if (mod->more && !symbols_lookup(mod->more, addr, name, len, &off))
		return 0;
	return symbols_lookup(mod->symbols, addr, name, len, &off);
}

/*
 * Parses one frame of an answer. Return: the text after the frame, or NULL if the frame is invalid.
 */
static const char *take_frame(const char *text, const char *end, struct module_frame *out)
{
	struct helper_frame f;
	const char *name, *file, *stop;

	if ((size_t)(end - text) < sizeof(f))
		return NULL;
	memcpy(&f, text, sizeof(f));
	name = text + sizeof(f);
	stop = memchr(name, 0, (size_t)(end - name));
	file = stop ? stop + 1 : end;
	stop = memchr(file, 0, (size_t)(end - file));
	if (!stop)
		return NULL;
	*out = (struct module_frame){ .name = name[0] ? name : NULL,
				      .file = file[0] ? file : NULL,
				      .line = f.line,
				      .column = f.column,
				      .start_line = f.start_line,
				      .inlined = f.inlined };
	return stop + 1;
}

static u32 take_frames(const struct lines_known *known, struct module_frame *v)
{
	const char *text = known->text, *end = text + known->len;
	u32 n = 0;

	while (n < known->n_frames && n < MODULES_MAX_FRAMES) {
		text = take_frame(text, end, &v[n]);
		if (!text)
			return 0;
		n++;
	}
	return n && !v[n - 1].inlined ? n : 0;
}

int modules_frames(struct modules *m, u32 id, u64 off_in_file, char *name, size_t len,
		   struct module_frame *v, u32 *n)
{
	struct module *mod = modules_find(m, id);
	struct lines_key key = { .module = id };
	struct lines_known known;
	u32 count = 0;
	int err = mod ? modules_load_symbols(m, id) : -ESTALE;

	if (!err && symbols_off_to_addr(mod->symbols, off_in_file, &key.addr))
		err = -ENOENT;
	if (err)
		return err;
	mod->used = ++m->clock;
	is_go(m, mod, &key);
	if (lines_cache_find(m->lines, &key, helper_generation(m->helper), &known) == LINES_KNOWN)
		count = take_frames(&known, v);
	if (!count)
		v[count++] = (struct module_frame){};
	if (!find_name(m, mod, key.addr, name, len))
		v[count - 1].name = name;
	if (count == 1 && !v[0].name)
		return -ENOENT;
	*n = count;
	return 0;
}

void modules_each_problem(const struct modules *m,
			  void (*fn)(const struct module_info *info, const char *why, void *data),
			  void *data)
{
	for (u32 i = 0; i < m->n; i++)
		if (m->v[i]->why)
			fn(&m->v[i]->info, m->v[i]->why, data);
}

u64 modules_helper_cpu_ns(const struct modules *m)
{
	return helper_cpu_ns(m->helper);
}
