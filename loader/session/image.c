// SPDX-License-Identifier: BSD-2-Clause

/*
 * From the mappings of a process to the kernel side's: each range gets its module
 * and the kind of code that is in it. The file of a V8 binary holds native code
 * and the embedded builtins, and the builtins may be mapped twice:
 *
 *	file mapping   |  native  |  builtins  |  native  |    becomes up to three
 *	second copy               |  builtins  |               known by its file offset, or its
 *	                                                       bytes (builtins_copy.h)
 *	anonymous      |          JIT          |               in a process with V8
 *
 * Where CoreCLR's code is, the runtime itself says (image_dotnet.h).
 */

#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "../../inspect/util/cleanup.h"
#include "../flight/log.h"
#include "../runtime/builtins_copy.h"

/* What one module holds of runtimes. */
struct image_build {
	u32 module;
	struct dotnet_build *dotnet; /* NULL: nothing */
	struct v8_build *v8; /* NULL: nothing */
	bool is_walked; /* the kernel side knows it; else its frames are native ones */
	bool is_used, is_misread; /* by a process; in one, the heap was not as expected */
	struct v8_info info; /* what the kernel side is told of V8 */
	u16 info_idx; /* of the kernel side's table */
	u64 blob_off, blob_len; /* the builtins in the file; 0, 0: not known */
};

void images_deinit(struct images *all)
{
	for (u32 i = 0; i < all->n_builds; i++) {
		if (all->builds[i]) {
			v8_build_free(&all->builds[i]->v8);
			dotnet_build_free(&all->builds[i]->dotnet);
		}
		free(all->builds[i]);
	}
	free(all->builds);
	all->builds = NULL;
	all->n_builds = 0;
}

static bool tell_of_v8(struct images *all, struct image_build *b)
{
	b->info = *v8_build_info(b->v8);
	if (!all->wants_async)
		b->info.async = (struct v8_async){ 0 };
	return !tables_add_v8(all->tables, &b->info, &b->info_idx);
}

static struct image_build *look_for_runtimes(struct images *all, u32 module)
{
	struct image_build *b = calloc(1, sizeof(*b));
	int fd = modules_fd(all->modules, module), err;
	struct elf_file *elf = NULL;

	if (b)
		b->module = module;
	if (!b || fd < 0 || elf_file_open_fd(&elf, fd))
		return b;
	if (!dotnet_build_new(&b->dotnet, elf))
		dotnet_build_find_gc(b->dotnet, elf);
	err = v8_build_new(&b->v8, elf);
	elf_file_free(&elf);
	if (!err || err == -ENOTSUP)
		b->is_walked = tell_of_v8(all, b);
	if (b->is_walked && v8_build_blob(b->v8, &b->blob_off, &b->blob_len))
		b->blob_off = b->blob_len = 0;
	return b;
}

/* What a module holds of runtimes; looks once. NULL without memory. */
static struct image_build *build_of(struct images *all, u32 module)
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
		all->builds[module] = look_for_runtimes(all, module);
	return all->builds[module];
}

const struct v8_build *images_v8(struct images *all, u32 module)
{
	const struct image_build *b = build_of(all, module);

	return b && b->is_walked ? b->v8 : NULL;
}

/* Processes that are about to map the file, too, need not wait for tables: see bpf/files.h. */
static void tell_file(struct images *all, u32 module, u32 dev, u64 inode)
{
	const struct image_build *b = module ? build_of(all, module) : NULL;
	struct uw_file file = { .inode = inode, .dev = dev, .module = module };

	if (b && !b->is_walked && !b->dotnet &&
	    modules_stamp(all->modules, module, &file.size, &file.changed_ns))
		tables_add_file(all->tables, &file);
}

/* Device numbers as the kernel has them. */
static u32 kernel_dev(u32 major, u32 minor)
{
	return major << 20 | minor;
}

void images_preload(struct images *all, int fd, const char *path)
{
	struct stat st;
	u32 module;

	if (modules_preload(all->modules, fd, path, &module))
		return;
	build_of(all, module);
	if (!fstat(fd, &st))
		tell_file(all, module, kernel_dev(major(st.st_dev), minor(st.st_dev)), st.st_ino);
	if (all->rows)
		row_filler_expect(all->rows, module);
}

void image_preload(struct image *im)
{
	if (im->build)
		modules_load_symbols(im->all->modules, im->build->module);
}

int image_new(struct image **image, struct images *all, struct process *p)
{
	struct image *im = calloc(1, sizeof(*im));

	if (!im)
		return -ENOMEM;
	im->all = all;
	im->serial = ++all->last_serial;
	im->process = p;
	im->n_execs = p->n_execs;
	im->exec_id = UW_EXEC_UNKNOWN;
	im->copies_ns = ~0ull;
	im->memory.mem_fd = -1;
	*image = im;
	return 0;
}

void image_judge_heap(struct image *im)
{
	if (im->heap)
		im->build->is_misread |= v8_heap_is_misread(im->heap);
}

const char *image_v8_why(const struct image *im)
{
	return im->build ? v8_build_why(im->build->v8) : NULL;
}

static int compare_with_mapping(const void *addr, const void *mapping)
{
	const struct uw_mapping *m = mapping;
	u64 at = *(const u64 *)addr;

	return at < m->start_addr ? -1 : at >= m->end_addr;
}

const char *image_v8_builtin(const struct image *im, u64 pc)
{
	const struct uw_mapping *m = NULL;

	if (im->build && im->n_maps)
		m = bsearch(&pc, im->maps, im->n_maps, sizeof(*im->maps), compare_with_mapping);
	return m && m->kind == UW_MAP_V8_BUILTINS
		       ? v8_build_builtin_name(im->build->v8, m->file_off + (pc - m->start_addr))
		       : NULL;
}

void images_each_doubt(const struct images *all,
		       void (*fn)(const char *runtime, const char *why, void *data), void *data)
{
	char text[256];

	for (u32 i = 0; i < all->n_builds; i++) {
		const struct image_build *b = all->builds[i];
		const char *doubt = b && b->v8 ? v8_build_doubt(b->v8) : NULL;

		if (!b || !b->is_used)
			continue;
		if (v8_build_why(b->v8))
			snprintf(text, sizeof(text), "JavaScript frames have no names: %s",
				 v8_build_why(b->v8));
		else if (b->is_misread)
			snprintf(text, sizeof(text),
				 "JavaScript frames lack names or lines: the heap of %s is not "
				 "laid out as expected%s%s",
				 v8_build_v8(b->v8), doubt ? "; " : "", doubt ? doubt : "");
		else if (all->wants_async && v8_build_async_why(b->v8))
			snprintf(text, sizeof(text), "functions that wait are not shown: %s",
				 v8_build_async_why(b->v8));
		else if (doubt)
			snprintf(text, sizeof(text), "%s, which fits", doubt);
		else
			continue;
		fn(v8_build_runtime(b->v8), text, data);
	}
}

static void forget_heap(struct image *im)
{
	image_judge_heap(im);
	if (im->heap)
		target_process_deinit(&im->memory);
	v8_heap_free(&im->heap);
}

void image_free(struct image **image)
{
	if (!*image)
		return;
	forget_heap(*image);
	jit_names_free(&(*image)->jit);
	image_dotnet_deinit(&(*image)->dotnet);
	free((*image)->maps);
	free(*image);
	*image = NULL;
}

struct jit_names *image_jit(struct image *im)
{
	if (!im->jit)
		im->jit = jit_names_new(&im->all->jit_used);
	return im->jit;
}

const struct v8_info *image_v8_info(const struct image *im)
{
	return im->build ? &im->build->info : NULL;
}

const char *image_runtime(const struct image *im)
{
	if (im->dotnet.build && !(im->build && !v8_build_why(im->build->v8)))
		return dotnet_build_runtime(im->dotnet.build); /* a V8 in it can't be read */
	return im->build ? v8_build_runtime(im->build->v8) : NULL;
}

static u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* A file mapping: what is builtins of it becomes a range of its own. */
static int push_file(struct map_list *l, const struct uw_mapping *m, const struct image_build *b)
{
	struct uw_mapping before = *m, blob = *m, after = *m;
	u64 len = m->end_addr - m->start_addr, from, to;

	if (!b->blob_len || m->file_off >= b->blob_off + b->blob_len ||
	    m->file_off + len <= b->blob_off)
		return map_list_push(l, m);
	from = max_u64(m->file_off, b->blob_off) - m->file_off;
	to = min_u64(m->file_off + len, b->blob_off + b->blob_len) - m->file_off;
	before.end_addr = m->start_addr + from;
	blob.start_addr = m->start_addr + from;
	blob.end_addr = m->start_addr + to;
	blob.file_off = m->file_off + from;
	blob.kind = UW_MAP_V8_BUILTINS;
	blob.info_idx = b->info_idx;
	after.start_addr = m->start_addr + to;
	after.file_off = m->file_off + to;
	return map_list_push(l, &before) || map_list_push(l, &blob) || map_list_push(l, &after)
		       ? -ENOMEM
		       : 0;
}

/* The module of a file mapping, 0: none that could be opened. */
static u32 module_of(const struct image *im, struct mapping *m)
{
	u32 id;

	return m->is_anon || modules_open(im->all->modules, im->process, m, &id) ? 0 : id;
}

/*
 * Was there something at this address when the runtime was asked before? A code heap is mapped
 * first and made known then.
 */
static bool had_mapping(const struct image *im, u64 addr)
{
	return im->n_maps &&
	       bsearch(&addr, im->maps, im->n_maps, sizeof(*im->maps), compare_with_mapping);
}

static int push_mapping(struct image *im, struct map_list *l, struct mapping *m)
{
	struct uw_mapping out = { .start_addr = m->start_addr,
				  .end_addr = m->end_addr,
				  .file_off = m->file_off };

	if (m->is_anon && im->build) {
		out.kind = UW_MAP_V8_JIT;
		out.info_idx = im->build->info_idx;
		return map_list_push(l, &out);
	}
	if (im->dotnet.build && image_dotnet_is_code(m)) {
		out.kind = UW_MAP_DOTNET_STUBS; /* unless the runtime knows better */
		if (!m->is_anon && had_mapping(im, m->start_addr))
			out.info_idx = DOTNET_STUB_HELPER;
		out.file_off = 0;
		return map_list_push(l, &out);
	}
	out.module = module_of(im, m);
	tell_file(im->all, out.module, kernel_dev(m->dev_major, m->dev_minor), m->inode);
	if (out.module && im->all->rows)
		row_filler_expect(im->all->rows, out.module);
	if (im->build && build_of(im->all, out.module) == im->build)
		return push_file(l, &out, im->build);
	return map_list_push(l, &out);
}

/* The one V8 of the process, if any, and the one CoreCLR: the first module that has one. */
static void find_builds(struct image *im)
{
	for (u32 i = 0; i < im->process->maps->n; i++) {
		struct mapping *m = &im->process->maps->v[i];
		u32 module = image_dotnet_is_code(m) ? 0 : module_of(im, m);
		struct image_build *b = module ? build_of(im->all, module) : NULL;

		if (b && b->is_walked && !im->build) {
			im->build = b;
			b->is_used = true;
			flight_log_runtime(im->process->pid, image_runtime(im));
		}
		if (b && b->dotnet && !im->dotnet.build) {
			image_dotnet_open(&im->dotnet, im->process, b->dotnet,
					  modules_fd(im->all->modules, module), m);
			im->dotnet.module = module;
			if (im->dotnet.build)
				flight_log_runtime(im->process->pid, image_runtime(im));
		}
	}
}

/* Opens the heap; without it frames stay unnamed, which is said frame by frame. */
static void open_heap(struct image *im)
{
	if (im->heap || target_process_init(&im->memory, (int)im->process->pid))
		return;
	if (target_process_keep(&im->memory) ||
	    v8_heap_new(&im->heap, im->build->v8, &im->memory.target))
		target_process_deinit(&im->memory);
}

void image_names_thread(struct image *im, u32 tid)
{
	im->named_tids[tid / 64 % 4] |= 1ull << tid % 64;
}

void image_forget_thread(struct image *im, u32 tid)
{
	if (!im->heap || !(im->named_tids[tid / 64 % 4] >> tid % 64 & 1))
		return;
	v8_heap_forget(im->heap);
	memset(im->named_tids, 0, sizeof(im->named_tids));
	im->serial = ++im->all->last_serial; /* what was kept under the old one is void */
	flight_log_dropped(im->process->pid);
}

static int tell_heap(struct image *im)
{
	_cleanup_free_ struct v8_region *v = calloc(im->n_maps + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (u32 i = 0; i < im->n_maps; i++) {
		const struct uw_mapping *m = &im->maps[i];

		if (m->kind == UW_MAP_V8_BUILTINS || m->kind == UW_MAP_V8_JIT)
			v[n++] = (struct v8_region){ .start_addr = m->start_addr,
						     .end_addr = m->end_addr,
						     .file_off = m->file_off,
						     .is_jit = m->kind == UW_MAP_V8_JIT };
	}
	return v8_heap_set_regions(im->heap, v, n);
}

static int tell_kernel(struct image *im)
{
	struct tables_key key = { .pid = im->process->pid, .start_ns = im->process->start_ns };
	int err = tables_set_mappings(im->all->tables, &key, im->maps, im->n_maps, im->exec_id,
				      &im->gen);

	im->told_start_ns = key.start_ns;
	flight_log_tables(key.pid, err ? 0 : im->n_maps);
	if (err)
		im->gen = 0;
	if (!im->first_gen)
		im->first_gen = im->gen;
	return err;
}

/* Has the kernel side tables under the name that the process's samples have? */
static bool is_told(const struct image *im)
{
	return im->gen && im->told_start_ns == im->process->start_ns;
}

static struct builtins_file builtins_of(const struct image *im)
{
	const struct image_build *b = im->build;

	return (struct builtins_file){ .module = b->module,
				       .fd = modules_fd(im->all->modules, b->module),
				       .off = b->blob_off,
				       .len = b->blob_len };
}

void image_take_mapping(struct image *im, const struct life_mmap *e)
{
	struct builtins_file f;

	if (!im->build || e->inode)
		return;
	f = builtins_of(im);
	builtins_copy_take(im->process, &f, e->start_addr, e->len);
}

/* Once each time that the mappings come from /proc; those of the file are opened first. */
static void find_copies(struct image *im)
{
	const struct mappings *maps = im->process->maps;
	struct builtins_file f = builtins_of(im);
	u32 i = 0;

	im->copies_ns = im->process->loaded_ns;
	while (i < maps->n && module_of(im, &maps->v[i]) != f.module)
		i++;
	builtins_copy_find(im->process, &f);
}

int image_update(struct image *im)
{
	struct map_list l = { 0 };
	int err = 0;

	im->changed = false;
	if (!im->process->start_ns)
		process_load(im->process); /* known by its birth alone, and not for certain */
	if (!im->build && !im->dotnet.build)
		find_builds(im);
	if (im->build && im->copies_ns != im->process->loaded_ns)
		find_copies(im);
	for (u32 i = 0; !err && i < im->process->maps->n; i++)
		err = push_mapping(im, &l, &im->process->maps->v[i]);
	if (!err && im->dotnet.build)
		err = image_dotnet_place(&im->dotnet, &l, im->all->rows);
	if (err ||
	    (is_told(im) && l.n == im->n_maps && !memcmp(l.v, im->maps, l.n * sizeof(*l.v)))) {
		free(l.v);
		return err;
	}
	free(im->maps);
	im->maps = l.v;
	im->n_maps = l.n;
	if (im->build)
		open_heap(im);
	if (im->heap)
		err = tell_heap(im);
	return err ? err : tell_kernel(im);
}
