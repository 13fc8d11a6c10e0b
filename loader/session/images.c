// SPDX-License-Identifier: BSD-2-Clause

#include "../../inspect/util/budget.h"
#include "images.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

void images_deinit(struct images *all)
{
	for (u32 i = 0; i < all->n_builds; i++) {
		for (u32 r = 0; all->builds[i] && r < N_RUNTIMES; r++)
			runtime_build_free(&all->builds[i]->of[r]);
		free(all->builds[i]);
	}
	trampolines_deinit(&all->trampolines);
	free(all->builds);
	all->builds = NULL;
	all->n_builds = 0;
}

/*
 * Looks for runtime @r in a file. If the walk's table is full, the frames of the runtime become
 * native frames.
 */
static void look_for(struct images *all, struct image_build *b, struct elf_file *elf, u32 r)
{
	u32 wants = RUNTIME_WANTS_ACTIVITY | (all->wants_async ? RUNTIME_WANTS_ASYNC : 0);

	runtime_build_new(&b->of[r], runtimes[r], elf, wants);
	if (b->of[r])
		b->of[r]->maps = all->maps;
	if (b->of[r] && b->of[r]->has_info &&
	    tables_add_v8(all->tables, &b->of[r]->info, &b->info_idx[r]))
		runtime_build_free(&b->of[r]);
}

static struct image_build *look_into(struct images *all, u32 module)
{
	struct image_build *b = calloc(1, sizeof(*b));
	int fd = modules_fd(all->modules, module);
	struct elf_file *elf = NULL;
	struct budget budget;

	if (!b || fd < 0)
		return b;
	modules_begin_reading(all->modules, &budget);
	if (!elf_file_open_fd(&elf, fd)) {
		for (u32 r = 0; r < N_RUNTIMES; r++)
			look_for(all, b, elf, r);
		elf_file_free(&elf);
	}
	modules_end_reading(all->modules, module, &budget);
	return b;
}

struct image_build *images_build(struct images *all, u32 module)
{
	if (module >= all->n_builds) {
		u32 n = (module + 64) & ~63u;
		struct image_build **v = reallocarray(all->builds, n, sizeof(*v));

		if (!v)
			return NULL;
		memset(v + all->n_builds, 0, (n - all->n_builds) * sizeof(*v));
		all->builds = v;
		all->n_builds = n;
	}
	if (!all->builds[module])
		all->builds[module] = look_into(all, module);
	return all->builds[module];
}

bool images_code(struct images *all, u32 module, struct row_code *code)
{
	const struct image_build *b = images_build(all, module);

	for (u32 r = 0; b && r < N_RUNTIMES; r++) {
		const struct runtime_build *of = b->of[r];

		if (of && of->code_len && runtimes[r]->rows) {
			*code = (struct row_code){ of->code_off,
						   of->code_len,
						   { .describe = runtimes[r]->rows,
						     .data = of->of } };
			return true;
		}
	}
	return false;
}

static bool has_runtime(const struct image_build *b)
{
	for (u32 r = 0; r < N_RUNTIMES; r++)
		if (b->of[r])
			return true;
	return false;
}

void images_add_file(struct images *all, u32 module, u32 dev_major, u32 dev_minor, u64 inode)
{
	const struct image_build *b = module ? images_build(all, module) : NULL;
	struct uw_file file = { .inode = inode,
				.dev = dev_major << 20 | dev_minor, /* dev_t in the kernel's
								     * format */
				.module = module };

	if (b && !has_runtime(b) &&
	    modules_stamp(all->modules, module, &file.size, &file.changed_ns))
		tables_add_file(all->tables, &file);
}

void images_preload(struct images *all, int fd, const char *path)
{
	struct stat st;
	u32 module;

	if (modules_preload(all->modules, fd, path, &module))
		return;
	images_build(all, module);
	if (!fstat(fd, &st))
		images_add_file(all, module, major(st.st_dev), minor(st.st_dev), st.st_ino);
	if (all->rows)
		row_filler_expect(all->rows, module);
}

void images_each_doubt(const struct images *all,
		       void (*fn)(const char *runtime, const char *why, void *data), void *data)
{
	char text[256];

	for (u32 i = 0; i < all->n_builds * N_RUNTIMES; i++) {
		const struct image_build *b = all->builds[i / N_RUNTIMES];
		u32 r = i % N_RUNTIMES;

		if (b && b->is_used[r] && runtimes[r]->report &&
		    runtimes[r]->report(b->of[r], text, sizeof(text)))
			fn(b->of[r]->name, text, data);
	}
}
