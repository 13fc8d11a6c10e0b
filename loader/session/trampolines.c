// SPDX-License-Identifier: BSD-2-Clause

#include "trampolines.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../../inspect/target/target.h"
#include "../../inspect/util/cleanup.h"

#define MAX_LEN (4u << 20) /* of one mapping, bytes: 250,000 Python functions */

void trampolines_deinit(struct trampolines *t)
{
	for (u32 i = 0; i < t->n; i++)
		cleanup_close(&t->v[i].fd);
	t->n = 0;
}

/* Whether all of the mapping's memory consists of copies of one trampoline. */
static bool read_copies(struct target *memory, const struct uw_mapping *map,
			struct trampoline *found)
{
	u8 bytes[UW_ROW_PAGE_LEN];

	for (u64 at = map->start_addr; at < map->end_addr; at += sizeof(bytes))
		if (target_read(memory, at, bytes, sizeof(bytes)) ||
		    (at == map->start_addr && !trampoline_parse(found, bytes)) ||
		    !trampoline_fills(found, bytes, sizeof(bytes)))
			return false;
	return true;
}

/* The descriptor of a file with these copies, or a negative errno. */
static int file_of(struct trampolines *t, const struct trampoline *code)
{
	_cleanup_close_ int fd = -1;
	int err;

	for (u32 i = 0; i < t->n; i++)
		if (!memcmp(t->v[i].code.code, code->code, sizeof(code->code)))
			return t->v[i].fd;
	if (t->n == TRAMPOLINES_MAX)
		return -ENOSPC;
	fd = memfd_create("trampolines", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = trampoline_write(code, fd);
	if (err)
		return err;
	t->v[t->n].code = *code;
	t->v[t->n].fd = TAKE_FD(fd);
	return t->v[t->n++].fd;
}

static int push(const struct uw_mapping *map, u32 module, struct map_list *l)
{
	int err = 0;

	for (u64 at = map->start_addr; !err && at < map->end_addr; at += TRAMPOLINES_LEN) {
		struct uw_mapping part = *map;

		part.start_addr = at;
		if (map->end_addr - at > TRAMPOLINES_LEN)
			part.end_addr = at + TRAMPOLINES_LEN;
		part.file_off = 0;
		part.module = module;
		err = map_list_push(l, &part);
	}
	return err ? err : 1;
}

int trampolines_claim(struct trampolines *t, struct modules *modules, u32 pid,
		      const struct uw_mapping *map, struct map_list *l, u32 *module)
{
	struct target_process memory;
	struct trampoline found;
	bool is_found;
	int fd, err;

	if (map->end_addr - map->start_addr > MAX_LEN || target_process_init(&memory, (int)pid))
		return 0;
	is_found = read_copies(&memory.target, map, &found);
	target_process_deinit(&memory);
	fd = is_found ? file_of(t, &found) : -ENOENT;
	if (fd < 0)
		return 0;
	err = modules_preload(modules, fd, "[trampolines]", module);
	return err && err != -ENOENT ? 0 : push(map, *module, l); /* -ENOENT: it has no symbols */
}
