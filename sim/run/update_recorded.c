// SPDX-License-Identifier: BSD-2-Clause

/*
 * run --update of a recorded case: the result of a new walk over the same memory becomes the
 * expectation. The walk may end earlier than the recorded walk, but all its frames must be equal to
 * the recorded frames. If a frame differs, the walk is wrong, or the case has to be recorded again.
 */

#include "run.h"

#include "../../inspect/case/case.h"
#include "../../inspect/util/cleanup.h"
#include "../case/cases.h"
#include "../case/stack.h"
#include "../../inspect/util/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Updates the note in the file beside the case, if there is such a file. */
static int write_beside(const char *path, const struct case_file *c)
{
	_cleanup_free_ char *json = NULL, *text = case_note_text(c);
	const char *end = strstr(path, ".core");
	struct whole_file file;
	int err;

	if (!end || !text || asprintf(&json, "%.*s.json", (int)(end - path), path) < 0)
		return -ENOMEM;
	if (access(json, F_OK))
		return 0;
	err = whole_file_open(json, false, &file);
	if (err)
		return err;
	fprintf(file.f, "%s\n", text);
	return whole_file_close(&file, true);
}

static int write_walk(const char *path, const struct case_file *old, const struct sim_walk *found,
		      struct sim_error *error)
{
	const struct uw_sample *s = &found->state.sample;
	_cleanup_free_ struct case_read *reads = calloc(found->log.n + 1ul, sizeof(*reads));
	struct case_walk walk = *old->walk;
	struct case_file c = *old;
	struct case_error why = { "" };
	struct stat st;
	int err;

	if (!reads || stat(path, &st))
		return -errno;
	for (u32 i = 0; i < found->log.n; i++)
		reads[i] = (struct case_read){ found->reads[i].addr, found->reads[i].len,
					       found->reads[i].result != 0 };
	walk.frames = s->frames;
	walk.n_frames = s->n_frames;
	walk.status = s->status;
	walk.fault_addr = s->fault_addr;
	c.walk = &walk;
	c.reads = reads;
	c.n_reads = found->log.n;
	/* Keeps the names of frames that are still found; inlined frames share a pc. */
	while (c.n_frames && s->n_frames &&
	       c.frames[c.n_frames - 1].pc != s->frames[s->n_frames - 1].pc)
		c.n_frames--;
	c.version = NULL;
	err = case_write(&c, path, &why);
	if (err)
		return sim_fail(error, err, "%s", why.text);
	return chmod(path, st.st_mode & 0777) ? -errno : write_beside(path, &c);
}

static bool finds_the_recorded(const struct case_walk *old, const struct uw_sample *s)
{
	if (s->n_frames > old->n_frames)
		return false;
	for (u32 i = 0; i < s->n_frames; i++)
		if (s->frames[i].pc != old->frames[i].pc)
			return false;
	return true;
}

static int update(struct sim_runner *r, const struct sim_case *c, const char *path,
		  struct sim_error *error)
{
	struct sim_session *session = sim_sessions_of(&r->sessions, c->arch)[0];
	const struct case_walk *old = c->recorded ? c->recorded->walk : NULL;
	const struct uw_sample *s = &r->native->state.sample;
	int err;

	if (!old || r->native->log.n > SIM_MAX_READS)
		return sim_fail(error, -EINVAL, "%s: the case has no recorded walk to update",
				path);
	err = sim_session_walk(session, &c->target, r->native);
	if (err)
		return sim_fail(error, err, "%s: %s", path, session->why);
	if (!finds_the_recorded(old, s))
		return sim_fail(error, -EINVAL,
				"%s: the walk finds other frames than the recorded walk; record "
				"the case again",
				path);
	if (s->status == old->status && s->n_frames == old->n_frames &&
	    !memcmp(s->frames, old->frames, s->n_frames * sizeof(*s->frames)))
		return 0;
	fprintf(r->out.people, "%s: %u frames, %s; was: %u frames, %s\n", path, s->n_frames,
		sim_status_words(s->status), old->n_frames, sim_status_words(old->status));
	return write_walk(path, c->recorded, r->native, error);
}

int sim_run_update_recorded(struct sim_runner *r, const char *path, struct sim_error *error)
{
	int err = -ENOTSUP;

	for (u32 a = 0; a < SIM_N_ARCHS && err == -ENOTSUP; a++) {
		struct sim_case *c = NULL;

		err = sim_case_load(path, sim_archs[a], &c, error);
		if (!err)
			err = update(r, c, path, error);
		sim_case_free(path, &c);
	}
	return err;
}
