/* SPDX-License-Identifier: BSD-2-Clause */

#include "../../inspect/util/clock.h"
#include "module_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/go/go_frames.h"
#include "../../inspect/unwind/starts.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/search.h"
#include "vdso.h"

static void free_tables(struct module *m)
{
	symbols_free(&m->symbols);
	symbols_free(&m->more);
	module_go_free(&m->go);
	starts_free(&m->starts);
}

static void module_free(struct module **mp)
{
	struct module *m = *mp;

	*mp = NULL;
	if (!m)
		return;
	free_tables(m);
	cleanup_close(&m->fd);
	cleanup_close(&m->more_fd);
	free(m->why);
	free(m->fetched);
	free(m->build_id);
	free(m->path);
	free(m);
}

int modules_new(struct modules **modules)
{
	_cleanup_(modules_free) struct modules *m = calloc(1, sizeof(*m));

	if (!m || lines_cache_new(&m->lines) || helper_new(&m->helper))
		return -ENOMEM;
	*modules = TAKE_PTR(m);
	return 0;
}

int modules_fetch(struct modules *m)
{
	return debuginfod_new(&m->debuginfod);
}

void modules_free(struct modules **mp)
{
	struct modules *m = *mp;

	*mp = NULL;
	if (!m)
		return;
	for (u32 i = 0; i < m->n; i++)
		module_free(&m->v[i]);
	debuginfod_free(&m->debuginfod);
	helper_free(&m->helper);
	lines_cache_free(&m->lines);
	free(m);
}

struct module *modules_find(struct modules *m, u32 id)
{
	size_t at = search_first(m->n, i, m->v[i]->info.id < id);

	return at < m->n && m->v[at]->info.id == id ? m->v[at] : NULL;
}

struct modules_usage modules_usage(const struct modules *m)
{
	struct modules_usage u = { .n_modules = m->n };

	for (u32 i = 0; i < m->n; i++) {
		const struct module *mod = m->v[i];

		u.n_open += (mod->fd >= 0) + (mod->more_fd >= 0);
		u.n_tables += (mod->symbols != NULL) + (mod->more != NULL);
		u.n_functions += (mod->symbols ? symbols_count(mod->symbols) : 0) +
				 (mod->more ? symbols_count(mod->more) : 0);
	}
	return u;
}

static struct module *oldest(struct modules *m, bool (*has)(const struct module *m))
{
	struct module *best = NULL;

	for (u32 i = 0; i < m->n; i++)
		if (has(m->v[i]) && (!best || m->v[i]->used < best->used))
			best = m->v[i];
	return best;
}

static bool is_any(const struct module *m)
{
	(void)m;
	return true;
}

static bool is_open(const struct module *m)
{
	return m->fd >= 0 || m->more_fd >= 0;
}

static bool has_table(const struct module *m)
{
	return m->symbols || m->more;
}

static void remove_module(struct modules *m, struct module *old)
{
	u32 i = 0;

	while (m->v[i] != old)
		i++;
	memmove(&m->v[i], &m->v[i + 1], (m->n - i - 1) * sizeof(m->v[0]));
	m->n--;
	module_free(&old);
}

void modules_make_room(struct modules *m)
{
	struct modules_usage u = modules_usage(m);

	for (; u.n_tables > MODULES_MAX_TABLES ||
	       (u.n_functions > MODULES_MAX_FUNCTIONS && u.n_tables > 2);
	     u = modules_usage(m))
		free_tables(oldest(m, has_table));
	for (; u.n_open > MODULES_MAX_OPEN; u = modules_usage(m)) {
		struct module *old = oldest(m, is_open);

		cleanup_close(&old->fd);
		cleanup_close(&old->more_fd);
		old->fd = old->more_fd = -1;
	}
}

static struct module *find_key(struct modules *m, const struct module_key *key)
{
	for (u32 i = 0; i < m->n; i++)
		if (!memcmp(&m->v[i]->key, key, sizeof(*key)))
			return m->v[i];
	return NULL;
}

static int key_of(int fd, bool is_vdso, struct module_key *key)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*key = (struct module_key){ st.st_dev, st.st_ino, st.st_size, timespec_ns(st.st_mtim) };
	if (is_vdso) /* each copy of the vDSO is a separate file, so only the size is used */
		*key = (struct module_key){ .size = st.st_size };
	return 0;
}

/* Creates a module that has only a path and a name. */
static int module_named(struct module **out, const char *path)
{
	_cleanup_(module_free) struct module *mod = calloc(1, sizeof(*mod));
	const char *slash;

	if (!mod)
		return -ENOMEM;
	mod->fd = mod->more_fd = -1;
	mod->path = strdup(path);
	if (!mod->path)
		return -ENOMEM;
	slash = strrchr(mod->path, '/');
	mod->info.path = mod->path;
	mod->info.name = slash && slash[1] ? slash + 1 : mod->path;
	mod->info.is_vdso = !strcmp(path, "[vdso]");
	*out = TAKE_PTR(mod);
	return 0;
}

/* Creates a module with name and build id from a file that is not in the cache. */
static int module_new(struct module **out, int fd, const char *path)
{
	_cleanup_(module_free) struct module *mod = NULL;
	_cleanup_(elf_file_free) struct elf_file *elf = NULL;
	const char *build_id;
	int err = module_named(&mod, path);

	if (err)
		return err;
	err = elf_file_open_fd(&elf, fd);
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return err;
	mod->has_no_symbols = err;
	build_id = elf ? elf_file_build_id(elf) : NULL;
	mod->build_id = build_id ? strdup(build_id) : NULL;
	if (build_id && !mod->build_id)
		return -ENOMEM;
	mod->info.build_id = mod->build_id;
	mod->info.is_elf = elf;
	*out = TAKE_PTR(mod);
	return 0;
}

static void add(struct modules *m, struct module *mod, const struct module_key *key)
{
	if (m->n == MODULES_MAX)
		remove_module(m, oldest(m, is_any));
	mod->key = *key;
	mod->info.id = ++m->last_id;
	m->v[m->n++] = mod;
}

#define NO_SIZE (~0ull) /* of a file that is not read; no other file has it */

/* Creates a module for a file that must not be opened because its file system may hang. */
static int module_unread(struct modules *m, const struct mapping *map, struct module **out)
{
	struct module_key key = { makedev(map->dev_major, map->dev_minor), map->inode, NO_SIZE, 0 };
	struct module *mod = find_key(m, &key);
	int err = mod ? 0 : module_named(&mod, map->path->text);

	if (err)
		return err;
	if (!mod->info.id) {
		mod->has_no_symbols = true;
		mod->info.is_elf = true; /* usually true; then the code is not from a JIT */
		mod->why = strdup("the file system does not answer");
		add(m, mod, &key);
	}
	*out = mod;
	return 0;
}

/* Gets the module of an open file; takes over the descriptor. */
static int module_for(struct modules *m, int *fd, const char *path, struct module **out)
{
	struct module_key key;
	struct module *mod;
	int err = key_of(*fd, !strcmp(path, "[vdso]"), &key);

	if (err)
		return err;
	mod = find_key(m, &key);
	if (!mod) {
		err = module_new(&mod, *fd, path);
		if (err)
			return err;
		add(m, mod, &key);
	}
	mod->used = ++m->clock;
	if (mod->fd < 0 && !mod->is_refused)
		mod->fd = TAKE_FD(*fd);
	modules_make_room(m);
	*out = mod;
	return 0;
}

static int open_mapping(struct modules *m, const struct process *p, const struct mapping *map,
			int *fd)
{
	const struct map_file f = {
		.pid = p->pid,
		.ppid = p->ppid,
		.start_addr = map->start_addr,
		.end_addr = map->end_addr,
		.inode = map->inode,
		.inode_gen = map->inode_gen,
		.dev_major = map->dev_major,
		.dev_minor = map->dev_minor,
		.seen_ns = map->seen_ns,
		.path = map->path ? map->path->text : "",
	};

	if (!strcmp(f.path, "[vdso]"))
		return vdso_open(map->end_addr - map->start_addr, fd);
	return map_device_open(&m->devices, &f, fd);
}

int modules_open(struct modules *m, const struct process *p, struct mapping *map, u32 *id)
{
	_cleanup_close_ int fd = -1;
	struct module *mod = map->module == MODULE_NONE ? NULL : modules_find(m, map->module);
	int err;

	if (map->module == MODULE_NONE)
		return -ENOENT;
	if (!mod || (mod->fd < 0 && !mod->symbols && !mod->has_no_symbols)) {
		err = open_mapping(m, p, map, &fd);
		if (!err)
			err = module_for(m, &fd, map->path->text, &mod);
		else if (err == -ETIMEDOUT)
			err = module_unread(m, map, &mod);
		if (err == -EMFILE || err == -ENFILE || err == -ENOMEM)
			return err;
		if (err) {
			map->module = MODULE_NONE;
			return -ENOENT;
		}
		map->module = mod->info.id;
	}
	mod->used = ++m->clock;
	mod->pid = p->pid;
	*id = mod->info.id;
	return 0;
}

const struct module_info *modules_info(struct modules *m, u32 id)
{
	struct module *mod = modules_find(m, id);

	return mod ? &mod->info : NULL;
}

bool modules_stamp(struct modules *m, u32 id, u64 *size, u64 *changed_ns)
{
	const struct module *mod = modules_find(m, id);

	if (!mod || mod->fd < 0 || !mod->info.is_elf || mod->info.is_vdso)
		return false;
	*size = mod->key.size;
	*changed_ns = mod->key.changed_ns;
	return true;
}

int modules_fd(struct modules *m, u32 id)
{
	struct module *mod = modules_find(m, id);
	struct module_key key;

	if (!mod || mod->fd < 0 || key_of(mod->fd, mod->info.is_vdso, &key) ||
	    memcmp(&key, &mod->key, sizeof(key)))
		return -ESTALE;
	return mod->fd;
}

/* Reads the symbols, unless the file changed since it was mapped and they belong to other code. */
static int read_symbols(struct modules *m, struct module *mod)
{
	_cleanup_(elf_file_free) struct elf_file *elf = NULL;
	int fd = modules_fd(m, mod->info.id), err;
	struct budget budget;

	if (mod->has_no_symbols)
		return -ENOENT;
	modules_begin_reading(m, &budget);
	err = fd < 0 ? fd : elf_file_open_fd(&elf, fd);
	if (!err)
		err = symbols_new(&mod->symbols, elf, elf, go_symbols);
	if (!err && !mod->go)
		module_go_open(&mod->go, fd); /* a failure only means missing lines */
	modules_end_reading(m, mod->info.id, &budget);
	if (err == -ENOEXEC || err == -EFBIG || err == -EINVAL) {
		mod->has_no_symbols = true;
		return -ENOENT;
	}
	if (!err)
		modules_make_room(m);
	return err;
}

int modules_load_symbols(struct modules *m, u32 id)
{
	struct module *mod = modules_find(m, id);

	if (!mod)
		return -ESTALE;
	return mod->symbols ? 0 : read_symbols(m, mod);
}

int modules_preload(struct modules *m, int fd, const char *path, u32 *id)
{
	_cleanup_close_ int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	struct module *mod;
	int err = own < 0 ? -errno : module_for(m, &own, path, &mod);

	if (err)
		return err;
	mod->used = ++m->clock;
	*id = mod->info.id;
	return modules_load_symbols(m, *id);
}
