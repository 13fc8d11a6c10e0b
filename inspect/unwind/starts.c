/* SPDX-License-Identifier: BSD-2-Clause */

#include "starts.h"

#include <errno.h>
#include <stdlib.h>

#include "../util/cleanup.h"
#include "cfi_entries.h"

struct starts {
	struct elf_file *file;
	struct cfi_section section;
};

int starts_open(struct starts **out, int fd)
{
	_cleanup_(starts_free) struct starts *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = elf_file_open_fd(&s->file, fd);
	if (!err)
		err = cfi_section_eh(&s->section, s->file);
	if (!err && (!s->section.n || (s->section.list && s->section.n > STARTS_MAX_LISTED)))
		err = -ENOENT;
	if (!err)
		*out = TAKE_PTR(s);
	return err;
}

void starts_free(struct starts **starts)
{
	struct starts *s = TAKE_PTR(*starts);

	if (!s)
		return;
	cfi_section_deinit(&s->section);
	elf_file_free(&s->file);
	free(s);
}

int starts_find(struct starts *s, u64 addr, u64 *start, u64 *end)
{
	struct cfi_fde fde;
	int err = cfi_section_covering(&s->section, addr, &fde);

	if (err)
		return err;
	*start = fde.start;
	*end = fde.end;
	return 0;
}
