/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes a processed profile of the Firefox Profiler, version 55, compressed with gzip. Version 55
 * is the last one with all tables in the threads, as Perfetto reads them; the Firefox Profiler
 * reads every version. The format is described by docs-developer/CHANGELOG-formats.md and
 * src/types/profile.js of firefox-devtools/profiler.
 *
 * The time of a sample is its time in the recording. Garbage collection and compilation are
 * markers: a marker covers consecutive samples of a thread with this activity.
 */

#include "firefox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../inspect/util/cleanup.h"
#include "gzip_stream.h"
#include "out.h"

#define VERSION 55
#define LIBS_LIMIT (64u << 20)
#define DRAIN_LEN (1u << 16)

static const char *const categories[FIREFOX_N_CATEGORIES][2] = {
	[FIREFOX_OTHER] = { "Other", "grey" },
	[FIREFOX_JS] = { "JavaScript", "yellow" },
	[FIREFOX_WASM] = { "WebAssembly", "purple" },
	[FIREFOX_V8] = { "V8 builtins", "brown" },
	[FIREFOX_DOTNET] = { ".NET", "blue" },
	[FIREFOX_JIT] = { "JIT code", "magenta" },
	[FIREFOX_NATIVE] = { "Native", "green" },
	[FIREFOX_KERNEL] = { "Kernel", "orange" },
	[FIREFOX_GC] = { "GC", "red" },
	[FIREFOX_COMPILE] = { "Compilation", "lightblue" },
};

static void firefox_deinit(struct firefox *f)
{
	model_deinit(&f->model);
	intern_deinit(&f->lib_keys);
	json_line_deinit(&f->line);
	free(f->lib_of_frame);
	gzip_stream_close(&f->out);
}

int firefox_drain(struct firefox *f)
{
	return f->line.len < DRAIN_LEN ? 0 : json_line_drain(&f->line, f->out);
}

/* ---- modules ---- */

struct firefox_lib firefox_lib(const struct firefox *f, u32 i)
{
	size_t len;
	const char *path = intern_key(&f->lib_keys, i, &len);

	return (struct firefox_lib){ path, path + strlen(path) + 1 };
}

static int add_lib(struct firefox *f, const struct prof_frame *frame, u32 *idx)
{
	const char *path = model_clean(&f->model, frame->module);
	const char *id = model_clean(&f->model, frame->build_id ? frame->build_id : "");
	_cleanup_free_ char *key = NULL;
	int len, r;

	if (!path || !id)
		return -ENOMEM;
	len = asprintf(&key, "%s%c%s", path, 0, id);
	if (len < 0) {
		key = NULL;
		return -ENOMEM;
	}
	r = intern_add(&f->lib_keys, key, (size_t)len + 1, idx);
	return r < 0 ? r : 0;
}

static int find_libs(struct firefox *f)
{
	const struct prof_data *d = f->model.data;
	int err = 0;

	intern_init(&f->lib_keys, LIBS_LIMIT);
	f->lib_of_frame = malloc((d->n_frames + 1ul) * sizeof(u32));
	if (!f->lib_of_frame)
		return -ENOMEM;
	for (u32 i = 0; err == 0 && i < d->n_frames; i++) {
		f->lib_of_frame[i] = DATA_NONE;
		if (d->frames[i].module && d->frames[i].module[0])
			err = add_lib(f, &d->frames[i], &f->lib_of_frame[i]);
	}
	return err;
}

static void put_libs(struct firefox *f)
{
	json_line_open(&f->line, "libs", '[');
	for (u32 i = 0; i < f->lib_keys.n; i++) {
		struct firefox_lib lib = firefox_lib(f, i);
		const char *slash = strrchr(lib.path, '/'), *name = slash ? slash + 1 : lib.path;

		json_line_open(&f->line, NULL, '{');
		json_line_string(&f->line, "arch", f->model.data->header.arch);
		json_line_string(&f->line, "name", name);
		json_line_string(&f->line, "path", lib.path);
		json_line_string(&f->line, "debugName", name);
		json_line_string(&f->line, "debugPath", lib.path);
		json_line_string(&f->line, "breakpadId", "");
		json_line_string(&f->line, "codeId", lib.build_id);
		json_line_close(&f->line, '}');
	}
	json_line_close(&f->line, ']');
}

/* ---- meta ---- */

void firefox_ms(struct firefox *f, const char *key, u64 us)
{
	char part[] = { '.', (char)('0' + us / 100 % 10), (char)('0' + us / 10 % 10),
			(char)('0' + us % 10), 0 };

	json_line_u64(&f->line, key, us / 1000);
	if (us % 1000)
		json_line_more(&f->line, part);
}

static void put_categories(struct json_line *l)
{
	json_line_open(l, "categories", '[');
	for (u32 i = 0; i < FIREFOX_N_CATEGORIES; i++) {
		json_line_open(l, NULL, '{');
		json_line_string(l, "name", categories[i][0]);
		json_line_string(l, "color", categories[i][1]);
		json_line_open(l, "subcategories", '[');
		json_line_string(l, NULL, "Other");
		json_line_close(l, ']');
		json_line_close(l, '}');
	}
	json_line_close(l, ']');
}

static void put_meta(struct firefox *f)
{
	struct json_line *l = &f->line;

	json_line_open(l, "meta", '{');
	json_line_u64(l, "version", VERSION);
	json_line_u64(l, "preprocessedProfileVersion", VERSION);
	json_line_string(l, "product", "Unspool");
	json_line_string(l, "importedFrom", "Unspool " UNSPOOL_VERSION);
	json_line_string(l, "platform", "Linux");
	json_line_string(l, "oscpu", f->model.data->header.kernel);
	json_line_string(l, "abi", f->model.data->header.arch);
	firefox_ms(f, "interval", f->model.period_ns / 1000);
	firefox_ms(f, "startTime", f->model.start_ns / 1000);
	json_line_u64(l, "processType", 0);
	json_line_u64(l, "stackwalk", 1);
	json_line_word(l, "debug", "false");
	json_line_word(l, "symbolicated", "true");
	json_line_word(l, "sampleUnits",
		       "{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"\\u00b5s\"}");
	json_line_open(l, "initialSelectedThreads", '[');
	json_line_u64(l, NULL, f->model.busiest);
	json_line_close(l, ']');
	put_categories(l);
	firefox_marker_schema(l);
	json_line_close(l, '}');
}

/* ---- samples ---- */

enum sample_column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT, SAMPLE_CPU, SAMPLE_N_COLUMNS };

static void put_cell(struct firefox *f, const struct firefox_tables *t, const struct data_sample *s,
		     enum sample_column column)
{
	switch (column) {
	case SAMPLE_STACK:
		json_line_u64(&f->line, NULL, t->stack_of_stack[model_stack(&f->model, s)]);
		break;
	case SAMPLE_TIME:
		firefox_ms(f, NULL, s->t_us);
		break;
	case SAMPLE_WEIGHT:
		json_line_u64(&f->line, NULL, s->count);
		break;
	default: /* microseconds of CPU time since the previous sample */
		json_line_u64(&f->line, NULL, s->count * f->model.period_ns / 1000);
		break;
	}
}

static int put_samples(struct firefox *f, const struct firefox_tables *t,
		       const struct model_thread *thread)
{
	static const char *const columns[] = { "stack", "time", "weight", "threadCPUDelta" };
	int err = 0;

	json_line_open(&f->line, "samples", '{');
	for (enum sample_column c = SAMPLE_STACK; c < SAMPLE_N_COLUMNS; c++) {
		json_line_open(&f->line, columns[c], '[');
		for (u32 i = thread->first; err == 0 && i < thread->first + thread->n; i++) {
			put_cell(f, t, &f->model.data->list[i], c);
			err = firefox_drain(f);
		}
		json_line_close(&f->line, ']');
	}
	json_line_string(&f->line, "weightType", "samples");
	json_line_u64(&f->line, "length", thread->n);
	json_line_close(&f->line, '}');
	return err;
}

/* ---- threads ---- */

static void put_empty(struct json_line *l, const char *key)
{
	json_line_open(l, key, '[');
	json_line_close(l, ']');
}

static void put_thread_keys(struct firefox *f, const struct model_thread *t)
{
	struct json_line *l = &f->line;
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", t->pid);
	json_line_string(l, "name", t->name);
	json_line_string(l, "processName", t->process);
	json_line_string(l, "processType", "default");
	json_line_word(l, "isMainThread", t->pid == t->tid ? "true" : "false");
	json_line_string(l, "pid", pid);
	json_line_u64(l, "tid", t->tid);
	json_line_u64(l, "processStartupTime", 0);
	json_line_word(l, "processShutdownTime", "null");
	json_line_u64(l, "registerTime", 0);
	json_line_word(l, "unregisterTime", "null");
	put_empty(l, "pausedRanges");
}

static int put_thread(struct firefox *f, const struct model_thread *thread)
{
	_cleanup_(firefox_tables_deinit) struct firefox_tables t;
	u32 names[2];
	int err;

	firefox_tables_init(&t);
	err = firefox_tables_fill(f, thread, &t);
	if (err == 0)
		err = firefox_string(&t, "GC", &names[0]);
	if (err == 0)
		err = firefox_string(&t, "Compilation", &names[1]);
	if (err < 0)
		return model_table_error(&f->model, err);
	json_line_open(&f->line, NULL, '{');
	put_thread_keys(f, thread);
	err = put_samples(f, &t, thread);
	if (err == 0)
		err = firefox_markers_put(f, thread, names);
	if (err == 0)
		err = firefox_tables_put(f, &t);
	json_line_close(&f->line, '}');
	return err;
}

static int put_all(struct firefox *f)
{
	int err = 0;

	json_line_start_untyped(&f->line);
	put_meta(f);
	put_libs(f);
	json_line_open(&f->line, "threads", '[');
	for (u32 i = 0; err == 0 && i < f->model.n_threads; i++)
		err = put_thread(f, &f->model.threads[i]);
	json_line_close(&f->line, ']');
	put_empty(&f->line, "pages");
	put_empty(&f->line, "counters");
	put_empty(&f->line, "profilerOverhead");
	return err < 0 ? err : json_line_write(&f->line, f->out);
}

static int write_firefox(struct prof_reader *in, FILE *out)
{
	_cleanup_(firefox_deinit) struct firefox f = { 0 };
	int err = model_read(in, &f.model), end;

	if (err == 0)
		err = model_table_error(&f.model, find_libs(&f));
	if (err < 0)
		return err;
	f.out = gzip_stream_new(out, Z_BEST_SPEED);
	if (!f.out)
		return -ENOMEM;
	err = put_all(&f);
	end = gzip_stream_close(&f.out);
	return err < 0 ? err : end;
}

const struct out_format out_firefox = {
	.name = "firefox",
	.suffix = "json.gz",
	.holds = PROF_FEATURE(TIMES) | PROF_FEATURE(THREADS) | PROF_FEATURE(REASONS) |
		 PROF_FEATURE(ACTIVITIES) | PROF_FEATURE(LINES) | PROF_FEATURE(INLINED) |
		 PROF_FEATURE(BUILD_IDS),
	.write = write_firefox,
};
