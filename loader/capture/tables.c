// SPDX-License-Identifier: BSD-2-Clause

#include "tables.h"

#include "../../inspect/case/case_rows.h"
#include "../../inspect/util/cleanup.h"
#include "../session/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAX_AUX 64

static const char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

static int take_mappings(struct taken *t, const struct session_stack *stack)
{
	const struct image *im = stack->image;

	if (stack->sample->flags & UW_SAMPLE_BY_FILE)
		return -ESTALE; /* the walk had no tables of the process, so it found the rows by
				 * file */
	if (!stack->sample->proc_gen)
		return 0; /* walked without tables */
	if (stack->sample->proc_gen != im->gen)
		return -ESTALE;
	t->mappings = calloc(im->n_maps + 1, sizeof(*t->mappings));
	if (!t->mappings)
		return -ENOMEM;
	for (u32 i = 0; i < im->n_maps; i++) {
		const struct module_info *m = modules_info(stack->modules, im->maps[i].module);

		t->mappings[i] =
			(struct case_mapping){ .map = im->maps[i],
					       .path = copy_of(m ? m->path : NULL),
					       .build_id = copy_of(m ? m->build_id : NULL) };
	}
	t->file.mappings = t->mappings;
	t->file.n_mappings = im->n_maps;
	t->file.extent = im->n_maps;
	return 0;
}

/*
 * Entries of V8 builds that this case does not use stay empty, because info_idx numbers all
 * builds on the machine.
 */
static int take_v8(struct taken *t, const struct image *im)
{
	const struct runtime *v8 = im->runtimes[RUNTIME_V8];
	const struct v8_info *info = v8 ? &v8->build->info : NULL;
	u32 n = 0;

	for (u32 i = 0; info && i < t->file.n_mappings; i++)
		if (t->mappings[i].map.kind != UW_MAP_NATIVE && t->mappings[i].map.info_idx >= n)
			n = t->mappings[i].map.info_idx + 1u;
	t->v8_builds = calloc(n + 1, sizeof(*t->v8_builds));
	if (!t->v8_builds)
		return -ENOMEM;
	if (n)
		t->v8_builds[n - 1] = *info;
	t->file.v8_builds = t->v8_builds;
	t->file.n_v8_builds = n;
	return 0;
}

struct tables_of {
	const struct taken *taken;
	const struct row_filler *rows;
};

static const struct uw_rule *find_rule(void *ctx, u32 module, u64 file_off)
{
	const struct tables_of *of = ctx;

	return row_filler_rule(of->rows, module, file_off);
}

static const struct uw_mapping *mapping_at(void *ctx, u64 pc)
{
	const struct taken *t = ((struct tables_of *)ctx)->taken;

	for (u32 i = 0; i < t->file.n_mappings; i++)
		if (pc >= t->mappings[i].map.start_addr && pc < t->mappings[i].map.end_addr)
			return &t->mappings[i].map;
	return NULL;
}

static int take_rows(struct taken *t, const struct session_stack *stack)
{
	const struct uw_sample *s = stack->sample;
	struct tables_of of = { t, stack->rows };
	struct case_rule_source source = { find_rule, mapping_at, &of };
	int err = case_rows_used(s->frames + s->n_kernel, (u32)s->n_frames - s->n_kernel, &source,
				 &t->rows, &t->file.n_rows);

	t->file.rows = t->rows;
	return err;
}

static int take_auxv(struct taken *t, u32 pid)
{
	_cleanup_close_ int fd = -1;
	u64 words[MAX_AUX * 2];
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%u/auxv", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, words, sizeof(words));
	t->auxv = calloc(MAX_AUX, sizeof(*t->auxv));
	if (!t->auxv)
		return -ENOMEM;
	for (ssize_t i = 0; i + 16 <= len && words[i / 8]; i += 16)
		t->auxv[t->file.n_auxv++] = (struct case_aux){ words[i / 8], words[i / 8 + 1] };
	t->file.auxv = t->auxv;
	return 0;
}

/*
 * Copies the result of the walk. The kernel is identified by the part of its release before
 * the first dash; the part after the dash only identifies the build.
 */
static int take_walk(struct taken *t, const struct uw_sample *s)
{
	u32 n = (u32)s->n_frames - s->n_kernel;
	struct utsname u = { 0 };

	t->walked = calloc(n + 1ul, sizeof(*t->walked));
	if (!t->walked)
		return -ENOMEM;
	memcpy(t->walked, s->frames + s->n_kernel, n * sizeof(*t->walked));

	uname(&u);
	u.release[strcspn(u.release, "-")] = '\0';
	if (asprintf(&t->engine, "kernel %s %s", u.release, u.machine) < 0) {
		t->engine = NULL;
		return -ENOMEM;
	}
	t->walk = (struct case_walk){ .engine = t->engine,
				      .frames = t->walked,
				      .n_frames = n,
				      .status = s->status,
				      .fault_addr = s->fault_addr };
	t->file.walk = &t->walk;
	return 0;
}

int take_tables(struct taken *t, const struct session_stack *stack)
{
	const struct uw_sample *s = stack->sample;
	const struct runtime_build *runtime = image_runtime(stack->image);
	int err = take_mappings(t, stack);

	t->file.pid = s->pid;
	t->file.tid = s->tid;
	t->file.runtime = runtime ? runtime->name : NULL;
	t->file.arch = CAPTURE_ARCH;
	if (!err)
		err = take_v8(t, stack->image);
	if (!err)
		err = take_rows(t, stack);
	if (!err)
		err = areas_files(&t->areas, &t->files);
	if (err < 0)
		return err;
	t->file.files = t->files;
	t->file.n_files = (u32)err;
	err = take_auxv(t, s->pid);
	return err ? err : take_walk(t, s);
}

void tables_free_taken(struct taken *t)
{
	for (u32 i = 0; i < t->file.n_mappings; i++) {
		free((char *)t->mappings[i].path);
		free((char *)t->mappings[i].build_id);
	}
	free(t->mappings);
	free(t->v8_builds);
	free(t->rows);
	free(t->files);
	free(t->auxv);
	free(t->engine);
	free(t->walked);
}
