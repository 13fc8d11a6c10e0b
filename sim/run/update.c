// SPDX-License-Identifier: BSD-2-Clause

/*
 * run --update: walks a fixture natively on each of its architectures, names the frames, and puts
 * the new values into the text. Before the file is replaced, the new text is parsed again, and must
 * have the intended meaning.
 */

#include "run.h"

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/term.h"
#include "../case/stack.h"
#include "../../inspect/util/whole_file.h"
#include "../fixture/expect.h"
#include "../fixture/fixture.h"

#include <errno.h>
#include <string.h>

/* A fixture on one architecture. */
struct realised {
	struct sim_case c;
	struct names names;
	u64 pcs[UW_MAX_FRAMES]; /* the frames that the walk found */
	u8 reasons[UW_MAX_FRAMES];
	u32 n;
	u8 status;
};

struct update {
	struct doc_file *file;
	struct realised at[SIM_N_ARCHS];
	u32 n; /* number of architectures of the fixture */
	char *pcs[UW_MAX_FRAMES]; /* names of the frames, at[0].n elements */
	const char *reasons[UW_MAX_FRAMES];
};

static void update_free(struct update **u)
{
	if (!*u)
		return;
	for (u32 i = 0; i < (*u)->n; i++) {
		sim_fixture_deinit(&(*u)->at[i].c);
		names_free(&(*u)->at[i].names);
	}
	for (u32 i = 0; i < UW_MAX_FRAMES; i++)
		free((*u)->pcs[i]);
	doc_file_free(&(*u)->file);
	free(*u);
	*u = NULL;
}

static int read_fixture(struct update *u, const char *path, struct sim_error *error)
{
	struct sim_problem problem = { "out of memory" };
	int err = doc_file_open(path, &problem, &u->file);

	for (u32 a = 0; a < SIM_N_ARCHS && !err; a++) {
		struct realised *at = &u->at[u->n];

		if (!sim_fixture_is_for(u->file, sim_archs[a]))
			continue;
		err = sim_fixture_realise_named(u->file, sim_archs[a], &problem, &at->names,
						&at->c);
		u->n += !err;
	}
	if (err)
		return sim_fail(error, err, "%s", problem.text);
	if (!u->n || u->at[0].c.is_executed)
		return sim_fail(error, -EINVAL,
				"%s: an executed fixture has no expectation to "
				"update",
				path);
	return 0;
}

static int walk(struct sim_runner *r, struct realised *at, struct sim_error *error)
{
	struct sim_session *native = sim_sessions_of(&r->sessions, at->c.arch)[0];
	const struct uw_sample *s = &r->native->state.sample;
	int err = sim_session_walk(native, &at->c.target, r->native);

	if (err)
		return sim_fail(error, err, "%s: %s", at->c.name, native->why);
	for (u32 i = 0; i < s->n_frames; i++) {
		at->pcs[i] = s->frames[i].pc;
		at->reasons[i] = s->frames[i].status;
	}
	at->n = s->n_frames;
	at->status = s->status;
	return 0;
}

static bool means(const struct update *u, const char *text, u32 frame)
{
	u64 value;

	for (u32 i = 0; i < u->n; i++)
		if (names_value(&u->at[i].names, text, &value) || value != u->at[i].pcs[frame])
			return false;
	return true;
}

/*
 * Names the pc of a frame. If the name in the file is still right, it is kept; otherwise another
 * name of the pc is used (for a caller, the name of a return address), or, without such a name,
 * function+offset.
 */
static char *call(const struct update *u, u32 frame)
{
	const struct doc_expect *now = u->file->doc->expect;
	const struct realised *at = &u->at[0];
	const char *found = NULL;
	char *sum = NULL;

	if (frame < now->pcs_count && means(u, now->pcs[frame], frame))
		return strdup(now->pcs[frame]);
	for (u32 i = 0; i < at->names.n; i++) {
		const char *name = at->names.at[i].text;
		bool is_return = strstr(name, ".ra");

		if (at->names.at[i].value == at->pcs[frame] && means(u, name, frame) &&
		    (!found || (frame && is_return && !strstr(found, ".ra"))))
			found = name;
	}
	if (found)
		return strdup(found);
	for (u32 i = 0; i < at->c.n_functions; i++) {
		const struct sim_function *f = &at->c.functions[i];

		if (at->pcs[frame] - f->start_addr >= f->len)
			continue;
		if (asprintf(&sum, "%s+%llu", f->name, at->pcs[frame] - f->start_addr) < 0)
			return NULL;
		if (means(u, sum, frame))
			return sum;
		free(sum);
	}
	return asprintf(&sum, "\"%#llx\"", at->pcs[frame]) < 0 ? NULL : sum;
}

static int name_frames(struct update *u, const char *path, struct sim_error *error)
{
	const struct realised *a = &u->at[0], *b = &u->at[u->n - 1];

	if (!a->n)
		return sim_fail(error, -EINVAL, "%s: the walk found no frame", path);
	if (a->n != b->n || a->status != b->status)
		return sim_fail(error, -EINVAL,
				"%s: the architectures have different results (%u frames, %s; %u "
				"frames, %s); split the fixture by archs:",
				path, a->n, sim_status_words(a->status), b->n,
				sim_status_words(b->status));
	for (u32 i = 0; i < a->n; i++) {
		u->reasons[i] = sim_status_words(a->reasons[i]);
		u->pcs[i] = call(u, i);
		if (!u->pcs[i])
			return -ENOMEM;
		if (u->pcs[i][0] == '"' && u->n > 1 && a->pcs[i] != b->pcs[i])
			return sim_fail(error, -EINVAL,
					"%s: frame %u has no name that is valid on both "
					"architectures (%#llx, %#llx); split the fixture by archs:",
					path, i, a->pcs[i], b->pcs[i]);
	}
	return 0;
}

static bool differs(const struct update *u)
{
	const struct doc_expect *now = u->file->doc->expect;

	if (now->pcs_count != u->at[0].n)
		return true;
	for (u32 i = 0; i < now->pcs_count; i++)
		if (strcmp(now->pcs[i], u->pcs[i]) != 0)
			return true;
	return false;
}

static bool reasons_differ(const struct update *u)
{
	const struct doc_expect *now = u->file->doc->expect;

	if (!now->reasons_count)
		return false;
	if (now->reasons_count != u->at[0].n)
		return true;
	for (u32 i = 0; i < now->reasons_count; i++)
		if (strcmp(now->reasons[i], u->reasons[i]) != 0)
			return true;
	return false;
}

static void print_reasons(FILE *f, const struct update *u, const char *path)
{
	const struct doc_expect *now = u->file->doc->expect;

	for (u32 i = 0; i < now->reasons_count && i < u->at[0].n; i++)
		if (strcmp(now->reasons[i], u->reasons[i]) != 0)
			fprintf(f, "%s: reason of frame %u changed from %s to %s\n", path, i,
				now->reasons[i], u->reasons[i]);
}

static void print_changes(FILE *f, const struct update *u)
{
	const struct doc_expect *now = u->file->doc->expect;
	char path[1024];
	const char *status = sim_status_words(u->at[0].status);
	u32 n = u->at[0].n;

	term_escape(u->file->path, path, sizeof(path));
	if (strcmp(now->status, status) != 0)
		fprintf(f, "%s: status changed from %s to %s\n", path, now->status, status);
	for (u32 i = 0; i < n || i < now->pcs_count; i++) {
		const char *was = i < now->pcs_count ? now->pcs[i] : "none";
		const char *is = i < n ? u->pcs[i] : "none";

		if (strcmp(was, is) != 0)
			fprintf(f, "%s: frame %u changed from %s to %s\n", path, i, was, is);
	}
	print_reasons(f, u, path);
}

/* Returns whether the values in the file already have the right meaning. */
static bool is_meant(struct update *u, const char *path)
{
	struct sim_problem problem;
	struct doc_file *file = NULL;
	bool is_good = !doc_file_open(path, &problem, &file);

	for (u32 i = 0; i < u->n && is_good; i++) {
		const struct realised *at = &u->at[i];
		struct sim_case c;

		is_good = !sim_fixture_realise(file, at->c.arch, &problem, &c);
		if (!is_good)
			break;
		is_good = c.status == at->status && c.truth.n == at->n &&
			  !memcmp(c.truth.pcs, at->pcs, at->n * sizeof(u64)) &&
			  (!c.truth.reasons || !memcmp(c.truth.reasons, at->reasons, at->n));
		sim_fixture_deinit(&c);
	}
	doc_file_free(&file);
	return is_good;
}

static int write_fixture(struct update *u, const char *path, struct sim_error *error)
{
	const char *status = sim_status_words(u->at[0].status);
	_cleanup_free_ char *text = NULL;
	struct whole_file file;
	struct expect_new new = {
		.status = strcmp(status, u->file->doc->expect->status) != 0 ? status : NULL,
		.pcs = differs(u) ? (const char *const *)u->pcs : NULL,
		.reasons = reasons_differ(u) ? u->reasons : NULL,
		.n = u->at[0].n,
	};
	int err = expect_rewrite(u->file, &new, &text);

	if (!err)
		err = whole_file_open(path, false, &file);
	if (err)
		return sim_fail(error, err, "%s: %s", path, strerror(-err));
	fputs(text, file.f);
	fflush(file.f);
	if (!file.temporary || !is_meant(u, file.temporary)) {
		whole_file_close(&file, false);
		return sim_fail(
			error, -EINVAL,
			"%s: --update can't rewrite a file of this form; edit expect: by hand",
			path);
	}
	err = whole_file_close(&file, true);
	return err ? sim_fail(error, err, "%s: %s", path, strerror(-err)) : 0;
}

int sim_run_update(struct sim_runner *r, const char *path, struct sim_error *error)
{
	_cleanup_(update_free) struct update *u = calloc(1, sizeof(*u));
	int err = u ? read_fixture(u, path, error) : -ENOMEM;

	for (u32 i = 0; !err && i < u->n; i++)
		err = walk(r, &u->at[i], error);
	if (!err)
		err = name_frames(u, path, error);
	if (err)
		return err;
	if (!strcmp(u->file->doc->expect->status, sim_status_words(u->at[0].status)) &&
	    !differs(u) && !reasons_differ(u))
		return 0;
	err = write_fixture(u, path, error);
	if (!err)
		print_changes(r->out.people, u);
	return err;
}
