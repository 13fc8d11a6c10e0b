// SPDX-License-Identifier: BSD-2-Clause

/*
 * Reads a file into a case. The note and the rest of the core both record the machine, the
 * registers and the extent of memory. If the note and the rest differ, the file is refused.
 */

#include "case_opened.h"

#include "../util/cleanup.h"
#include "../util/json_memory.h"

#include <errno.h>
#include <string.h>

static int check_head(const struct case_opened *o, struct case_error *why)
{
	const struct case_machine *m = &case_machines[o->core.arch];
	const struct case_regs *r = &o->c.regs;
	const u64 *regs = o->core.regs;

	if (o->c.arch != o->core.arch)
		return case_fail(why, -EINVAL, NULL,
				 "the note is for %s, but the ELF header is for %s",
				 case_arch_name(o->c.arch), case_arch_name(o->core.arch));
	if (r->pc != regs[m->pc] || r->sp != regs[m->sp] || r->fp != regs[m->fp] ||
	    r->lr != (m->lr == CASE_NO_REG ? 0 : regs[m->lr]))
		return case_fail(why, -EINVAL, NULL,
				 "the registers in the note differ from NT_PRSTATUS");
	return 0;
}

/* Checks that the note's ranges cover the segments exactly. */
static int check_segments(const struct case_opened *o, struct case_error *why)
{
	const struct core_segment *s = o->core.segments, *end = s + o->core.n_segments;
	u64 off = 0; /* covered bytes of the segment */

	for (u32 i = 0; i < o->c.n_ranges; i++) {
		const struct case_range *r = &o->c.ranges[i];

		if (s == end || s->len != s->file_len || r->addr != s->addr + off ||
		    r->len > s->len - off)
			return case_fail(why, -EINVAL, NULL,
					 "memory %u of the note has no program header", i);
		off += r->len;
		if (off == s->len) {
			s++;
			off = 0;
		}
	}
	return s == end ? 0
			: case_fail(why, -EINVAL, NULL, "the note lacks memory at %#llx",
				    s->addr + off);
}

/* Loads the bytes of each range from its segment; both lists have the same order. */
static int load_memory(struct case_opened *o)
{
	struct case_range *r = (struct case_range *)o->c.ranges;
	u64 total = 0;
	u32 i = 0;

	for (u32 k = 0; k < o->core.n_segments; k++)
		total += o->core.segments[k].len;
	o->bytes = malloc(total + 1);
	if (!o->bytes)
		return -ENOMEM;
	total = 0;
	for (u32 k = 0; k < o->core.n_segments; k++) {
		const struct core_segment *s = &o->core.segments[k];
		int err = case_source_read(&o->core.source, s->off, o->bytes + total, s->len);

		if (err)
			return err;
		for (; i < o->c.n_ranges && r[i].addr - s->addr < s->len; i++) {
			r[i].bytes = o->bytes + total + (r[i].addr - s->addr);
			r[i].prot = s->prot;
		}
		total += s->len;
	}
	return 0;
}

static void take_rest(struct case_opened *o)
{
	if (o->c.regs.has_all)
		memcpy(o->c.regs.all, o->core.regs, sizeof(o->c.regs.all));
	o->c.files = o->core.files;
	o->c.n_files = o->core.n_files;
	o->c.auxv = o->core.auxv;
	o->c.n_auxv = o->core.n_auxv;
}

static int take_case(struct case_opened *o, const char *path, struct case_error *error)
{
	struct case_error why = { "" };
	json_error_t json;
	int err;

	o->note = json_loadb(o->core.note, o->core.note_len, JSON_REJECT_DUPLICATES, &json);
	if (json_memory_failed())
		return case_fail(error, -ENOMEM, path, "out of memory");
	if (!json_is_object(o->note))
		return case_fail(error, -ENOEXEC, path, "the note is not JSON: %.100s", json.text);
	err = case_note_read(o->note, &o->c, &why);
	if (err == -ENOTSUP)
		return case_fail(error, err, path, "%s", why.text);
	take_rest(o);
	if (!err)
		err = check_head(o, &why);
	if (!err)
		err = check_segments(o, &why);
	if (!err)
		err = case_check(&o->c, &why);
	if (err)
		return case_fail(error, err == -EINVAL ? -ENOEXEC : err, path, "invalid note: %s",
				 why.text[0] ? why.text : strerror(-err));
	err = load_memory(o);
	return err ? case_fail(error, err, path, "cannot be read: %s", strerror(-err)) : 0;
}

static void opened_free(struct case_opened **o)
{
	if (!*o)
		return;
	if ((*o)->note)
		json_decref((*o)->note);
	case_note_deinit(&(*o)->c);
	case_modules_deinit(&(*o)->modules);
	free((*o)->dotnet);
	core_close(&(*o)->core);
	free((*o)->bytes);
	free((*o)->places);
	free(*o);
	*o = NULL;
}

int case_read(const char *path, struct case_error *error, struct case_file **out)
{
	_cleanup_(opened_free) struct case_opened *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return case_fail(error, -ENOMEM, path, "out of memory");
	err = core_open(path, error, &o->core);
	if (!err)
		err = o->core.note ? take_case(o, path, error) : case_take_plain(o, path, error);
	if (!err)
		*out = &TAKE_PTR(o)->c;
	return err;
}

void case_free(struct case_file **c)
{
	struct case_opened *o = (struct case_opened *)*c;

	opened_free(&o);
	*c = NULL;
}
