// SPDX-License-Identifier: BSD-2-Clause

/*
 * The BPF programs have no tables of a process before the first image_update(). If there are few
 * targets, image_update() is called at once (eager). Otherwise it is called after a sample of
 * the process has ended with UW_T_UNKNOWN_PROCESS.
 */

#include "../../inspect/util/array.h"
#include "../../inspect/util/clock.h"
#include "session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/symbols/libc_name.h"
#include "../../inspect/util/cleanup.h"
#include "../flight/log.h"
#include "../process/maps.h"
#include "../rows/prefetch.h"

#define PREFILL_NS 50000000ull /* limit of CPU time, for all targets together */
#define PREFILL_STEP_NS 2000000ull

/* Called before the table of processes frees a process. */
static void on_process_free(struct process *p, void *data)
{
	struct image *im = p->priv;

	(void)data;
	image_free(&im);
	p->priv = NULL;
}

struct image *session_image_of(struct session *s, struct process *p)
{
	struct image *im = p->priv;

	if (!im && !image_new(&im, &s->images, p)) {
		p->priv = im;
		flight_log_process(p->pid, p->name);
	}
	return im;
}

void session_mark_changed(struct session *s, struct image *im)
{
	if (!im || im->changed)
		return;
	if (array_reserve(s->changed, s->cap_changed, s->n_changed + 1))
		return; /* the next sample without tables causes another attempt */
	im->changed = true;
	s->changed[s->n_changed++] = im->process->pid;
}

void session_update_changed(struct session *s)
{
	for (u32 i = 0; i < s->n_changed; i++) {
		struct process *p = processes_alive(s->processes, s->changed[i]);
		struct image *im = p ? p->priv : NULL;

		if (im && im->changed)
			image_update(im);
	}
	s->n_changed = 0;
}

/* Loads rows for the first samples, within PREFILL_NS; @p may be NULL. */
static void prefill(struct session *s, const struct process *p)
{
	u64 start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), took_ns = 0;

	if (p)
		prefetch_first_stack(s->rows, p);
	row_filler_misses(s->rows, monotonic_ns() + s->prefill_ns);
	while (took_ns < s->prefill_ns &&
	       row_filler_idle(s->rows, monotonic_ns() + PREFILL_STEP_NS))
		took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
	s->prefill_ns -= took_ns < s->prefill_ns ? took_ns : s->prefill_ns;
}

static int add_target(struct session *s, u32 pid, u64 known_ns, struct process **p)
{
	int err = processes_get(s->processes, pid, p);

	if (!err && (*p)->start_ns > known_ns) {
		processes_forget(s->processes, *p);
		return -ESRCH;
	}
	if (!err)
		err = tables_set_target(s->tables, pid, process_started_by(*p));
	if (!err && !s->first_target)
		s->first_target = pid;
	return err;
}

int session_add_target(struct session *s, u32 pid, u64 known_ns)
{
	struct process *p;
	int err = add_target(s, pid, known_ns, &p);

	if (err)
		return err;
	session_mark_changed(s, session_image_of(s, p));
	session_update_changed(s);
	if (p->priv)
		image_preload(p->priv);
	prefill(s, p);
	return 0;
}

/* Opens for reading the file that execvp() would execute; returns -1 if there is none. */
static int open_in_path(const char *name, char *path, size_t len)
{
	const char *dir = getenv("PATH");
	int fd = -1;

	if (strchr(name, '/')) {
		snprintf(path, len, "%s", name);
		return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	for (; fd < 0 && dir; dir = strchr(dir, ':') ? strchr(dir, ':') + 1 : NULL) {
		snprintf(path, len, "%.*s/%s", (int)strcspn(dir, ":"), dir, name);
		if (!access(path, X_OK))
			fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	return fd;
}

/*
 * Preloads the C library and the dynamic linker that the recorder uses, because the command
 * usually uses the same two files.
 */
static int preload_own(const struct maps_entry *e, void *data)
{
	char path[PATH_MAX];
	const char *name;
	struct session *s = data;

	if (e->path_len >= sizeof(path) || !e->path_len || *e->path != '/')
		return 0;
	maps_path_unescape(e->path, e->path_len, path);
	name = strrchr(path, '/') + 1;
	if (elf_name_is_libc(name) || !strncmp(name, "ld-", 3)) {
		_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		if (fd >= 0)
			images_preload(&s->images, fd, path);
	}
	return 0;
}

int session_add_command(struct session *s, u32 pid, const char *name)
{
	char path[PATH_MAX];
	_cleanup_close_ int fd = open_in_path(name, path, sizeof(path));
	struct process *p;

	if (fd >= 0)
		images_preload(&s->images, fd, path);
	maps_each_exec((u32)getpid(), preload_own, s);
	prefill(s, NULL);
	return add_target(s, pid, NEVER_NS, &p);
}

static int open_module(u32 module, bool debug, void *data)
{
	const struct session *s = data;

	return debug ? modules_debug_fd(s->modules, module) : modules_fd(s->modules, module);
}

static bool code_of(u32 module, struct row_code *code, void *data)
{
	struct session *s = data;

	return images_code(&s->images, module, code);
}

static int open_sources(struct session *s)
{
	struct tables_memory memory = sampler_tables(s->config.sampler);
	struct row_memory row_memory = sampler_rows(s->config.sampler);
	struct naming_sources sources;
	int err = tables_new(&s->tables, &memory);

	if (!err)
		err = processes_new(&s->processes, on_process_free, s);
	if (!err)
		err = modules_new(&s->modules);
	if (!err && s->config.fetches)
		err = modules_fetch(s->modules);
	if (!err)
		err = row_filler_new(&s->rows, &row_memory,
				     &(struct row_source){ open_module, code_of, s });
	if (!err)
		err = kallsyms_new(&s->kallsyms, "/proc/kallsyms");
	if (err)
		return err;
	kallsyms_preload(s->kallsyms);
	s->images = (struct images){ .tables = s->tables,
				     .modules = s->modules,
				     .wants_async = s->config.wants_async,
				     .maps = s->config.maps,
				     .rows = s->config.eager ? s->rows : NULL };
	sources = (struct naming_sources){ .modules = s->modules,
					   .kallsyms = s->kallsyms,
					   .profile = s->config.profile };
	err = naming_new(&s->naming, &sources);
	return err ? err : metadata_writer_new(&s->metadata, s->config.profile);
}

int session_new(struct session **session, const struct session_config *config, char *why,
		size_t why_len)
{
	struct session *s = calloc(1, sizeof(*s));
	const char *what = "cannot start";
	int err = -ENOMEM;

	if (s) {
		s->config = *config;
		s->cpus_fd = -1;
		s->reaped_ns = monotonic_ns();
		s->prefill_ns = PREFILL_NS;
		err = open_sources(s);
	}
	if (!err) {
		what = "cannot listen for process events (see `unspool doctor`)";
		s->cpus_fd = cpus_listen();
		err = sideband_new(&s->sideband);
	}
	if (!err && !config->eager) {
		what = "cannot read /proc";
		err = processes_scan(s->processes);
	}
	if (err) {
		snprintf(why, why_len, "%s: %s", what, strerror(-err));
		session_free(&s);
	} else {
		*session = s;
	}
	return err;
}

void session_free(struct session **session)
{
	struct session *s = *session;

	if (!s)
		return;
	pending_deinit(&s->pending);
	naming_free(&s->naming);
	metadata_writer_free(&s->metadata);
	processes_free(&s->processes);
	images_deinit(&s->images);
	row_filler_free(&s->rows);
	modules_free(&s->modules);
	kallsyms_free(&s->kallsyms);
	tables_free(&s->tables);
	sideband_free(&s->sideband);
	if (s->cpus_fd >= 0)
		close(s->cpus_fd);
	free(s->changed);
	free(s);
	*session = NULL;
}

int session_fd(const struct session *s)
{
	return sideband_fd(s->sideband);
}

u64 session_begin_again(struct session *s)
{
	u64 now_ns = monotonic_ns();

	metadata_writer_forget(s->metadata);
	s->config.start_ns = s->pending.n && s->pending.v[0]->time_ns < now_ns
				     ? s->pending.v[0]->time_ns
				     : now_ns;
	return s->config.start_ns;
}

struct processes *session_processes(const struct session *s)
{
	return s->processes;
}

const char *session_target_name(const struct session *s, const char **runtime)
{
	const struct process *p = processes_alive(s->processes, s->first_target);
	const struct runtime_build *b = p && p->priv ? image_runtime(p->priv) : NULL;

	*runtime = b ? b->name : NULL;
	return p ? p->name : NULL;
}

struct session_counts session_counts(const struct session *s)
{
	return (struct session_counts){ .n_lost_events = sideband_n_lost(s->sideband),
					.n_dropped = s->pending.n_dropped,
					.helper_cpu_ns = modules_helper_cpu_ns(s->modules),
					.n_unheard = s->n_unheard,
					.unheard_err = s->unheard_err,
					.rows = row_filler_counts(s->rows) };
}

void session_each_problem(const struct session *s,
			  void (*on_runtime)(const char *runtime, const char *why, void *data),
			  void (*on_module)(const struct module_info *info, const char *why,
					    void *data),
			  void *data)
{
	images_each_doubt(&s->images, on_runtime, data);
	modules_each_problem(s->modules, on_module, data);
}
