// SPDX-License-Identifier: BSD-2-Clause

/*
 * Paths come from the core, so they are hostile: only regular files are opened, and a
 * file is used only if its contents prove that the process mapped it.
 */

#include "case_modules.h"

#include "../unwind/cfi.h"
#include "../util/cleanup.h"
#include "../v8/v8.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAX_OPEN 256

bool case_page_is_of_file(const struct core *core, u64 addr, int fd, u64 file_off)
{
	const struct core_segment *s = core_segment_at(core, addr);
	u8 page[CASE_PAGE_LEN], in_file[CASE_PAGE_LEN] = { 0 };
	u64 off = s ? addr - s->addr : 0;

	return s && off <= s->file_len && s->file_len - off >= sizeof(page) &&
	       !case_source_read(&core->source, s->off + off, page, sizeof(page)) &&
	       pread(fd, in_file, sizeof(in_file), (off_t)file_off) > 0 &&
	       !memcmp(page, in_file, sizeof(page));
}

static struct elf_file *open_module(const struct core *core, u32 file)
{
	struct elf_file *elf = NULL;

	if (elf_file_open(&elf, core->files[file].path))
		return NULL;
	if (!elf_file_build_id(elf) ||
	    !case_page_is_of_file(core, core->files[file].start_addr, elf_file_fd(elf), 0))
		elf_file_free(&elf);
	return elf;
}

static void look_for_v8(struct case_modules *m, u32 module)
{
	_cleanup_(v8_build_free) struct v8_build *b = NULL;
	struct v8_facts facts;

	if (m->v8 || v8_build_new(&b, m->at[module - 1]))
		return;
	m->v8 = module;
	facts = v8_build_facts(b);
	m->v8_info = *facts.info;
	m->v8_info.async = (struct v8_async){ 0 }; /* not needed here */
	m->blob_off = facts.blob_off;
	m->blob_len = facts.blob_len;
}

static void look_for_dotnet(struct case_modules *m, u32 module)
{
	if (m->dotnet)
		return;
	if (dotnet_build_new(&m->dotnet_build, m->at[module - 1]))
		dotnet_build_free(&m->dotnet_build);
	else
		m->dotnet = module;
}

static int by_path(const void *a, const void *b, void *data)
{
	const struct core *core = data;
	u32 i = *(const u32 *)a, k = *(const u32 *)b;
	int order = strcmp(core->files[i].path, core->files[k].path);

	return order ? order : (i > k) - (i < k);
}

/* Numbers modules. A module's number is 1 plus the index of the first mapping of its path. */
static void number_modules(const struct core *core, u32 *order, u32 *of)
{
	for (u32 i = 0; i < core->n_files; i++)
		order[i] = i;
	qsort_r(order, core->n_files, sizeof(*order), by_path, (void *)core);
	for (u32 i = 0, first = 0; i < core->n_files; i++) {
		if (strcmp(core->files[order[i]].path, core->files[order[first]].path) != 0)
			first = i;
		of[order[i]] = order[first] + 1;
	}
}

int case_modules_open(const struct core *core, struct case_modules *out)
{
	_cleanup_free_ u32 *order = calloc(core->n_files + 1ul, sizeof(*order));
	u32 n_open = 0;

	out->n = core->n_files;
	out->of = calloc(core->n_files + 1ul, sizeof(*out->of));
	out->at = calloc(core->n_files + 1ul, sizeof(struct elf_file *));
	if (!order || !out->of || !out->at)
		return -ENOMEM;
	if (core->n_files)
		number_modules(core, order, out->of);
	for (u32 i = 0; i < core->n_files && n_open < MAX_OPEN; i++) {
		u32 module = out->of[i];

		if (core->files[i].file_off || out->at[module - 1])
			continue;
		out->at[module - 1] = open_module(core, i);
		if (!out->at[module - 1])
			continue;
		n_open++;
		look_for_v8(out, module);
		look_for_dotnet(out, module);
	}
	return 0;
}

void case_modules_deinit(struct case_modules *m)
{
	for (u32 i = 0; m->cfi && i < m->n; i++)
		cfi_free(&m->cfi[i]);
	for (u32 i = 0; m->at && i < m->n; i++)
		elf_file_free(&m->at[i]);
	dotnet_build_free(&m->dotnet_build);
	free(m->cfi);
	free(m->at);
	free(m->of);
}

bool case_module_is_code(const struct case_modules *m, u32 module, u64 file_off)
{
	const struct elf_file *elf = m->at[module - 1];
	size_t n = 0;
	const struct elf_segment *s = elf ? elf_file_segments(elf, &n) : NULL;

	for (size_t i = 0; i < n; i++) {
		u64 in_page = s[i].file_off % CASE_PAGE_LEN; /* mappings start at page boundaries */

		if (s[i].is_exec && file_off - (s[i].file_off - in_page) < s[i].file_len + in_page)
			return true;
	}
	return false;
}
