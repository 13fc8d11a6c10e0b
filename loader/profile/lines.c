/* SPDX-License-Identifier: BSD-2-Clause */
#include "lines.h"

#include <time.h>

#include "../../inspect/util/clock.h"
#include "kinds.h"

static void rfc3339(u64 unix_ns, char *out, size_t size)
{
	time_t seconds = (time_t)(unix_ns / NS_PER_S);
	struct tm tm;
	char date[64];

	gmtime_r(&seconds, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out, size, "%s.%09lluZ", date, unix_ns % NS_PER_S);
}

void line_header(struct json_line *l, const struct prof_header *h)
{
	char start[96];

	rfc3339(h->start_unix_ns, start, sizeof(start));
	json_line_start(l, "header");
	json_line_u64(l, "schema", 1);
	json_line_string(l, "unspool", UNSPOOL_VERSION);
	json_line_string(l, "start", start);
	json_line_u64(l, "start_boottime_ns", h->start_boottime_ns);
	json_line_string(l, "arch", h->arch);
	json_line_string(l, "kernel", h->kernel);
	json_line_u64(l, "hz", h->hz);
	json_line_string(l, "mode", "cpu");
	json_line_string(l, "command", h->command);
}

void line_process(struct json_line *l, const struct prof_process *proc)
{
	json_line_start(l, "process");
	json_line_u64(l, "pid", proc->pid);
	json_line_u64(l, "nspid", proc->nspid);
	json_line_u64(l, "ppid", proc->ppid);
	json_line_string(l, "name", proc->name);
	json_line_string(l, "exe", proc->exe);
	json_line_string(l, "runtime", proc->runtime);
	json_line_string(l, "cgroup", proc->cgroup);
	json_line_string(l, "container", proc->container);
}

void line_thread(struct json_line *l, u32 pid, u32 tid, const char *name)
{
	json_line_start(l, "thread");
	json_line_u64(l, "pid", pid);
	json_line_u64(l, "tid", tid);
	json_line_string(l, "name", name);
}

void line_frame(struct json_line *l, const struct prof_frame *f, u32 id)
{
	json_line_start(l, "frame");
	json_line_u64(l, "id", id);
	json_line_frame(l, f);
}

void line_stack(struct json_line *l, const struct prof_stack *s, u32 id)
{
	enum prof_status status = prof_status_of_walk(s->status);

	json_line_start(l, "stack");
	json_line_u64(l, "id", id);
	json_line_open(l, "frames", '[');
	for (u32 i = 0; i < s->n_frames; i++)
		json_line_u64(l, NULL, s->frames[i]);
	json_line_close(l, ']');
	json_line_string(l, "status", prof_status_name(status));
	if (status != PROF_COMPLETE)
		json_line_string(l, "reason", prof_reason_words(s->status));
}
