/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes the .cpuprofile of Chrome, V8's Profiler.Profile: a tree of calls, and the samples of one
 * thread as numbers of calls with the time since the previous sample.
 *
 *	id 1 (root) --+-- id 2 (idle)
 *	              +-- id 3 ... the thread's calls
 *
 * A sample lasts until the next one. The recorder samples only threads that use a CPU, so an
 * "(idle)" sample follows the last sample before a gap, as in V8's own profiles.
 * https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../profile/json_line.h"
#include "call_tree.h"
#include "model.h"
#include "out.h"

#define DRAIN_LEN (1u << 16)
#define TICKS_LIMIT (256u << 20)

#define ID_ROOT 1
#define ID_IDLE 2
#define ID_FIRST 3 /* of call 0 */

/* A call of the thread. Links are index + 1, or 0. */
struct hit {
	u64 count;
	u32 first_child, next; /* calls */
	u32 first_line; /* executed lines */
};

/* Samples whose innermost frame executed a line. */
struct tick {
	u64 count;
	u32 line, next;
};

struct tick_key {
	u32 call, line;
};

struct cpuprofile {
	const struct model *m;
	const struct model_thread *thread;
	struct call_tree tree;
	u32 *call_of_stack;
	struct hit *hits; /* by call, and one for the root */
	struct intern tick_keys;
	struct tick *ticks;
	u32 n_calls, ticks_room;
	u64 n_idle; /* "(idle)" samples */
	struct json_line line;
	FILE *out;
};

static void cpuprofile_deinit(struct cpuprofile *c)
{
	call_tree_deinit(&c->tree);
	intern_deinit(&c->tick_keys);
	json_line_deinit(&c->line);
	free(c->call_of_stack);
	free(c->hits);
	free(c->ticks);
}

static const struct data_sample *sample_of(const struct cpuprofile *c, u32 i)
{
	return &c->m->data->list[c->thread->first + i];
}

/* The time at which sample @i ends if the thread then stops to use a CPU. */
static u64 end_us(const struct cpuprofile *c, u32 i)
{
	const struct data_sample *s = sample_of(c, i);

	return s->t_us + s->count * c->m->period_ns / 1000;
}

/* Does an "(idle)" sample precede sample @i? Sets its time. */
static bool is_idle_before(const struct cpuprofile *c, u32 i, u64 *t_us)
{
	*t_us = i ? end_us(c, i - 1) : 0;
	return sample_of(c, i)->t_us > *t_us + c->m->period_ns / 2000;
}

/* ---- the tree ---- */

static int add_calls(struct cpuprofile *c)
{
	u32 path[MODEL_MAX_PATH];
	int err = 0;

	c->call_of_stack = malloc((c->m->data->n_stacks + 1ul) * sizeof(u32));
	if (!c->call_of_stack)
		return -ENOMEM;
	memset(c->call_of_stack, 0xff, (c->m->data->n_stacks + 1ul) * sizeof(u32));
	for (u32 i = 0; err == 0 && i < c->thread->n; i++) {
		u32 stack = model_stack(c->m, sample_of(c, i));

		if (c->call_of_stack[stack] == DATA_NONE)
			err = call_tree_add(&c->tree, path, model_path(c->m, stack, path),
					    &c->call_of_stack[stack]);
	}
	return err;
}

static void link_calls(struct cpuprofile *c)
{
	for (u32 i = c->n_calls; i-- > 0;) {
		u32 caller = c->tree.calls[i].caller;
		struct hit *above = &c->hits[caller == CALL_ROOT ? c->n_calls : caller];

		c->hits[i].next = above->first_child;
		above->first_child = i + 1;
	}
}

static int add_tick(struct cpuprofile *c, u32 call, u32 line, u32 count)
{
	struct tick_key key = { call, line };
	u32 idx;
	int r = intern_add(&c->tick_keys, &key, sizeof(key), &idx);

	if (r == 1 && array_reserve(c->ticks, c->ticks_room, idx + 1))
		r = -ENOMEM;
	if (r < 0)
		return r;
	if (r == 1) {
		c->ticks[idx] = (struct tick){ .line = line, .next = c->hits[call].first_line };
		c->hits[call].first_line = idx + 1;
	}
	c->ticks[idx].count += count;
	return 0;
}

static int count_samples(struct cpuprofile *c)
{
	const struct prof_data *d = c->m->data;
	int err = 0;

	for (u32 i = 0; err == 0 && i < c->thread->n; i++) {
		const struct data_sample *sample = sample_of(c, i);
		u32 stack = model_stack(c->m, sample), call = c->call_of_stack[stack];
		const struct data_stack *s = &d->stacks[stack];
		u32 line = s->n_frames ? d->frames[s->frames[0]].line : 0;
		u64 idle_us;

		c->n_idle += is_idle_before(c, i, &idle_us);
		c->hits[call].count += sample->count;
		if (line)
			err = add_tick(c, call, line, sample->count);
	}
	return err;
}

static int make_tree(struct cpuprofile *c)
{
	int err = add_calls(c);

	if (err < 0)
		return err;
	c->n_calls = c->tree.n;
	c->hits = calloc(c->n_calls + 1ul, sizeof(*c->hits));
	if (!c->hits)
		return -ENOMEM;
	link_calls(c);
	return count_samples(c);
}

/* ---- nodes ---- */

/* The URL of a file, as V8 has it; other names, such as node:fs, are URLs already. */
static char *url_of(const char *file)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t n = strlen("file://");
	char *url = malloc(3 * strlen(file) + n + 1);

	if (!url || file[0] != '/') {
		free(url);
		return strdup(file);
	}
	memcpy(url, "file://", n);
	for (; *file; file++) {
		if (*file > ' ' && *file < 0x7f && !strchr("%?#\"<>\\^`{|}", *file)) {
			url[n++] = *file;
			continue;
		}
		url[n++] = '%';
		url[n++] = hex[(u8)*file >> 4];
		url[n++] = hex[*file & 15];
	}
	url[n] = 0;
	return url;
}

static void put_call_frame(struct json_line *l, const char *name, const char *url, u32 line,
			   u32 column)
{
	json_line_open(l, "callFrame", '{');
	json_line_string(l, "functionName", name);
	json_line_string(l, "scriptId", "0");
	json_line_string(l, "url", url);
	json_line_s64(l, "lineNumber", (s64)line - 1);
	json_line_s64(l, "columnNumber", (s64)column - 1);
	json_line_close(l, '}');
}

static void put_children(struct cpuprofile *c, const struct hit *hit, bool is_root)
{
	if (!hit->first_child && !is_root)
		return;
	json_line_open(&c->line, "children", '[');
	if (is_root)
		json_line_u64(&c->line, NULL, ID_IDLE);
	for (u32 i = hit->first_child; i; i = c->hits[i - 1].next)
		json_line_u64(&c->line, NULL, i - 1 + ID_FIRST);
	json_line_close(&c->line, ']');
}

static void put_ticks(struct cpuprofile *c, const struct hit *hit)
{
	if (!hit->first_line)
		return;
	json_line_open(&c->line, "positionTicks", '[');
	for (u32 i = hit->first_line; i; i = c->ticks[i - 1].next) {
		json_line_open(&c->line, NULL, '{');
		json_line_u64(&c->line, "line", c->ticks[i - 1].line);
		json_line_u64(&c->line, "ticks", c->ticks[i - 1].count);
		json_line_close(&c->line, '}');
	}
	json_line_close(&c->line, ']');
}

static void put_special(struct cpuprofile *c, u32 id, const char *name)
{
	json_line_open(&c->line, NULL, '{');
	json_line_u64(&c->line, "id", id);
	put_call_frame(&c->line, name, "", 0, 0);
	json_line_u64(&c->line, "hitCount", id == ID_IDLE ? c->n_idle : 0);
	if (id == ID_ROOT)
		put_children(c, &c->hits[c->n_calls], true);
	json_line_close(&c->line, '}');
}

static int put_call(struct cpuprofile *c, u32 i)
{
	const struct model_node *node = &c->m->nodes[c->tree.calls[i].label];
	bool has_file = node->function && node->function->has_file;
	_cleanup_free_ char *url = url_of(has_file ? node->where : "");

	if (!url)
		return -ENOMEM;
	json_line_open(&c->line, NULL, '{');
	json_line_u64(&c->line, "id", i + ID_FIRST);
	put_call_frame(&c->line, strcmp(node->name, "(anonymous)") ? node->name : "", url,
		       has_file ? node->function->line : 0, has_file ? node->function->column : 0);
	json_line_u64(&c->line, "hitCount", c->hits[i].count);
	put_children(c, &c->hits[i], false);
	put_ticks(c, &c->hits[i]);
	json_line_close(&c->line, '}');
	return c->line.len < DRAIN_LEN ? 0 : json_line_drain(&c->line, c->out);
}

static int put_nodes(struct cpuprofile *c)
{
	int err = 0;

	json_line_open(&c->line, "nodes", '[');
	put_special(c, ID_ROOT, "(root)");
	put_special(c, ID_IDLE, "(idle)");
	for (u32 i = 0; err == 0 && i < c->n_calls; i++)
		err = put_call(c, i);
	json_line_close(&c->line, ']');
	return err;
}

/* ---- samples ---- */

/* Writes the ids of the samples, or their times. */
static int put_samples(struct cpuprofile *c, bool are_times)
{
	u64 at = 0, idle;
	int err = 0;

	json_line_open(&c->line, are_times ? "timeDeltas" : "samples", '[');
	for (u32 i = 0; err == 0 && i < c->thread->n; i++) {
		const struct data_sample *s = sample_of(c, i);

		if (is_idle_before(c, i, &idle)) {
			json_line_u64(&c->line, NULL, are_times ? idle - at : ID_IDLE);
			at = idle;
		}
		json_line_u64(&c->line, NULL,
			      are_times ? s->t_us - at
					: c->call_of_stack[model_stack(c->m, s)] + ID_FIRST);
		at = s->t_us;
		if (c->line.len >= DRAIN_LEN)
			err = json_line_drain(&c->line, c->out);
	}
	json_line_close(&c->line, ']');
	return err;
}

static int put_all(struct cpuprofile *c)
{
	u64 start_us = c->m->start_ns / 1000;
	int err;

	json_line_start_untyped(&c->line);
	err = put_nodes(c);
	json_line_u64(&c->line, "startTime", start_us);
	json_line_u64(&c->line, "endTime", start_us + end_us(c, c->thread->n - 1));
	if (err == 0)
		err = put_samples(c, false);
	if (err == 0)
		err = put_samples(c, true);
	return err < 0 ? err : json_line_write(&c->line, c->out);
}

/* ---- files ---- */

struct thread_job {
	struct model *m;
	const struct model_thread *thread;
};

static int write_thread(void *data, FILE *out)
{
	const struct thread_job *job = data;
	_cleanup_(cpuprofile_deinit) struct cpuprofile c = { .m = job->m,
							     .thread = job->thread,
							     .out = out };
	int err;

	call_tree_init(&c.tree);
	intern_init(&c.tick_keys, TICKS_LIMIT);
	err = make_tree(&c);
	return err < 0 ? model_table_error(job->m, err) : put_all(&c);
}

static int write_cpuprofile(struct prof_reader *in, FILE *out)
{
	_cleanup_(model_deinit) struct model m = { 0 };
	int err = model_read(in, &m);
	struct thread_job job = { &m, NULL };

	if (err < 0)
		return err;
	job.thread = &m.threads[m.busiest];
	return write_thread(&job, out);
}

/* After exec or reuse of its id, a thread is listed again; its second file is "TID-2". */
static char *path_of(const struct model *m, u32 i, const char *path)
{
	const char *mark = strstr(path, "%t");
	char *expanded, again[16] = "";
	u32 n = 1;

	for (u32 k = 0; k < i; k++)
		n += m->threads[k].tid == m->threads[i].tid;
	if (n > 1)
		snprintf(again, sizeof(again), "-%u", n);
	if (asprintf(&expanded, "%.*s%u%s%s", (int)(mark - path), path, m->threads[i].tid, again,
		     mark + strlen("%t")) < 0)
		return NULL;
	return expanded;
}

static int write_threads(struct prof_reader *in, const char *path, const struct out_owner *owner)
{
	_cleanup_(model_deinit) struct model m = { 0 };
	int err = model_read(in, &m);

	for (u32 i = 0; err == 0 && i < m.n_threads; i++) {
		_cleanup_free_ char *file = path_of(&m, i, path);
		struct thread_job thread = { &m, &m.threads[i] };
		struct out_job job = { write_thread, &thread };

		err = file ? out_write(&job, file, *owner) : -ENOMEM;
	}
	return err;
}

const struct out_format out_cpuprofile = {
	.name = "cpuprofile",
	.suffix = "cpuprofile",
	.holds = PROF_FEATURE(TIMES) | PROF_FEATURE(REASONS) | PROF_FEATURE(LINES),
	.write = write_cpuprofile,
	.write_threads = write_threads,
};
