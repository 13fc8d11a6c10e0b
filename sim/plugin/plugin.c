// SPDX-License-Identifier: BSD-2-Clause

#include "plugin.h"

#include "../../inspect/case/case.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../recorded/record.h"
#include "janitor.h"
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#define N_SLOTS 2
#define CODE_LEN 16

/* A stop for which the plug-in was queried. */
struct slot {
	struct sim_stop stop; /* the slot owns truth and code */
	u64 *pcs;
	u8 code[CODE_LEN];
	bool is_whole;
};

struct sim_plugin {
	struct janitor janitor;
	struct plugin_process processes[N_SLOTS];
	struct slot slots[N_SLOTS];
	struct plugin_answer answer;
	u64 timeout_ns;
	char program[PATH_MAX];
};

static int find_program(const char *program, char *out, struct sim_error *error)
{
	struct stat st;

	if (!realpath(program, out) || stat(out, &st))
		return sim_fail(error, -ENOENT,
				"plugin %s: %s; give its path, because PATH is not searched",
				program, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return sim_fail(error, -EACCES, "plugin %s: not a regular file", program);
	if (access(out, X_OK))
		return sim_fail(error, -EACCES, "plugin %s: not executable; use chmod +x", program);
	return 0;
}

int sim_plugin_open(const char *program, u32 timeout_s, struct sim_plugin **out,
		    struct sim_error *error)
{
	_cleanup_(sim_plugin_close) struct sim_plugin *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return sim_fail(error, -ENOMEM, "out of memory");
	err = find_program(program, p->program, error);
	if (err)
		return err;
	signal(SIGCHLD, SIG_DFL); /* if ignored, exit statuses would be lost */
	p->timeout_ns = timeout_s * NS_PER_S;
	for (u32 i = 0; i < N_SLOTS && !err; i++)
		err = plugin_process_init(&p->processes[i]);
	if (!err)
		err = janitor_open(&p->janitor);
	if (err)
		return sim_fail(error, err, "can't create a folder for the plugin's cases: %s",
				strerror(-err));
	*out = TAKE_PTR(p);
	return 0;
}

/* Reports the result of the slot's process, which has ended. */
static int reply(struct sim_plugin *p, u32 i, const struct plugin_listener *listener)
{
	struct plugin_process *process = &p->processes[i];
	struct plugin_reply r = { &p->slots[i].stop, &p->answer, NULL, PLUGIN_WRONG };

	janitor_note(&p->janitor, i, 0);
	p->answer.n = 0;
	if (process->why[0] || plugin_answer_parse(process->out, process->out_len, &p->answer,
						   process->why, sizeof(process->why))) {
		p->answer.n = 0;
		r.why = process->why;
	} else {
		r.verdict = plugin_judge(&p->answer, &r.stop->truth, p->slots[i].is_whole);
	}
	return listener->reply(listener->ctx, &r);
}

/*
 * Delivers the available replies to @listener. If there are none and @wait is set, waits for a
 * reply.
 */
static int take_replies(struct sim_plugin *p, bool wait, const struct plugin_listener *listener)
{
	struct plugin_process *done;
	int err = 0;

	while (!err && (done = plugin_process_wait(p->processes, N_SLOTS, wait))) {
		err = reply(p, (u32)(done - p->processes), listener);
		wait = false;
	}
	return err;
}

static struct plugin_process *find_free(struct sim_plugin *p)
{
	for (u32 i = 0; i < N_SLOTS; i++)
		if (!p->processes[i].pid)
			return &p->processes[i];
	return NULL;
}

static int keep_stop(struct slot *s, const struct sim_case *c, const struct sim_stop *stop)
{
	u64 *pcs = realloc(s->pcs, (stop->truth.n + 1) * sizeof(*pcs));

	if (!pcs)
		return -ENOMEM;
	memcpy(pcs, stop->truth.pcs, stop->truth.n * sizeof(*pcs));
	s->pcs = pcs;
	s->stop = *stop;
	s->stop.truth.pcs = pcs;
	s->stop.code_len = stop->code_len < CODE_LEN ? stop->code_len : CODE_LEN;
	memcpy(s->code, stop->code, s->stop.code_len);
	s->stop.code = s->code;
	s->is_whole = c->is_executed || c->status == UW_END;
	return 0;
}

/*
 * Writes a recorded case unchanged, but without the frames that the recorder and other unwinders
 * found.
 */
static int write_recorded(const struct case_file *recorded, const char *path,
			  struct sim_error *error)
{
	struct case_file c = *recorded;
	struct case_error why = { "out of memory" };
	int err;

	c.truth = NULL;
	c.walk = NULL;
	c.n_frames = c.n_reads = c.n_functions = 0;
	err = case_write(&c, path, &why);
	return err ? sim_fail(error, err, "%s", why.text) : 0;
}

static int write_case(const struct sim_case *c, const struct sim_target *target, const char *path,
		      struct sim_error *error)
{
	struct sim_case nameless = *c;

	if (c->recorded)
		return write_recorded(c->recorded, path, error);
	nameless.n_functions = 0; /* writing the names would cost more than everything else */
	return sim_case_write(&nameless, target, NULL, 0, path, error);
}

static int start(struct sim_plugin *p, u32 i, const struct sim_case *c,
		 const struct sim_target *target, struct sim_error *error)
{
	_cleanup_free_ char *path = NULL;
	int err;

	if (asprintf(&path, "%s/%u.core", p->janitor.folder, i) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = write_case(c, target, path, error);
	if (err)
		return err;
	err = plugin_process_start(&p->processes[i], p->program, path, p->timeout_ns);
	if (err)
		return sim_fail(error, -EOPNOTSUPP, "plugin %s can't be started: %s", p->program,
				strerror(-err));
	janitor_note(&p->janitor, i, p->processes[i].pid);
	return 0;
}

int plugin_ask(struct sim_plugin *p, const struct sim_case *c, const struct sim_target *target,
	       const struct sim_stop *stop, const struct plugin_listener *listener,
	       struct sim_error *error)
{
	struct plugin_process *process;
	int err = take_replies(p, !find_free(p), listener);
	u32 i;

	if (err)
		return err;
	process = find_free(p);
	if (!process)
		return sim_fail(error, -EBUSY, "plugin %s: can't wait for it", p->program);
	i = (u32)(process - p->processes);
	err = keep_stop(&p->slots[i], c, stop);
	return err ? err : start(p, i, c, target, error);
}

int plugin_settle(struct sim_plugin *p, const struct plugin_listener *listener)
{
	int err = 0;

	for (u32 i = 0; listener && !err && i < N_SLOTS; i++)
		err = take_replies(p, true, listener);
	for (u32 i = 0; i < N_SLOTS; i++)
		plugin_process_stop(&p->processes[i]);
	return err;
}

int sim_plugin_close(struct sim_plugin **p)
{
	int err;

	if (!*p)
		return 0;
	for (u32 i = 0; i < N_SLOTS; i++) {
		plugin_process_deinit(&(*p)->processes[i]);
		free((*p)->slots[i].pcs);
	}
	err = janitor_close(&(*p)->janitor);
	free(*p);
	*p = NULL;
	return err;
}
