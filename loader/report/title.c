/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	server.js  (node 24.21.0, pid 812)   30.0 s  2,931 samples at 99 Hz   0.98 CPUs
 *	JS 71.2 %   GC 12.4 %   compile 3.1 %   native 6.0 %   kernel 7.3 %
 *	stacks: complete 99.6 %   truncated 0.3 % (9 no unwind row)   failed 0.1 % (3 fault)
 *
 * The last line ends with "   lost 0".
 */

#include "title.h"

#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/interpreters.h"
#include "../../inspect/util/term.h"
#include "cell.h"
#include "section.h"

static void print_grouped(FILE *out, u64 n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			putc(',', out);
		putc(digits[i], out);
	}
}

static void print_escaped(FILE *out, const char *s, u32 width)
{
	char text[1024];

	cell_print(out, term_escape(s, text, sizeof(text)), width, CELL_CUT_END, false);
}

void title_process(FILE *out, const struct prof_data *d)
{
	static const char node[] = "Node.js ";
	const struct data_process *p = data_busiest(d);
	const char *runtime = p ? p->process.runtime : NULL;

	if (!p) {
		fputs("no process", out);
		return;
	}
	print_escaped(out, p->process.name && p->process.name[0] ? p->process.name : "unnamed", 60);
	fputs("  (", out);
	if (runtime && strncmp(runtime, node, sizeof(node) - 1) == 0) {
		fputs("node ", out);
		runtime += sizeof(node) - 1;
	}
	if (runtime && runtime[0]) {
		print_escaped(out, runtime, 60);
		fputs(", ", out);
	}
	fprintf(out, "pid %u", p->process.pid);
	if (d->n_pids > 1)
		fprintf(out, ", and %u more", d->n_pids - 1);
	putc(')', out);
}

/* A killed recorder has not written the duration, so the time of the last sample is used. */
void title_print_recording(FILE *out, const struct prof_data *d)
{
	const struct prof_summary *s = &d->summary;
	double seconds = s->duration_ns ? (double)s->duration_ns / 1e9 : (double)d->last_t_us / 1e6;
	double cpu_seconds = d->hz ? (double)d->samples / d->hz : 0;

	if (!d->hz) { /* folded stacks have no other metadata */
		print_grouped(out, d->samples);
		fprintf(out, " sample%s of folded stacks\n", d->samples == 1 ? "" : "s");
		return;
	}
	title_process(out, d);
	fprintf(out, "   %.1f s  ", seconds);
	print_grouped(out, d->samples);
	fprintf(out, " sample%s at %u Hz", d->samples == 1 ? "" : "s", d->hz);
	if (seconds > 0)
		fprintf(out, "   %.2f CPUs", cpu_seconds / seconds);
	fprintf(out, "%s\n", d->interrupted ? "   (recording was interrupted)" : "");
}

const char *const title_activities[PROF_N_ACTIVITIES] = {
	[PROF_ACT_JS] = "JS",	      [PROF_ACT_GC] = "GC",   [PROF_ACT_COMPILE] = "compile",
	[PROF_ACT_DOTNET] = ".NET",   [PROF_ACT_JIT] = "JIT", [PROF_ACT_NATIVE] = "native",
	[PROF_ACT_KERNEL] = "kernel",
};

static void print_activities(FILE *out, const struct prof_summary *s)
{
	const char *gap = "";

	for (u32 i = 0; i < PROF_N_ACTIVITIES; i++) {
		if (!s->by_activity[i])
			continue;
		fprintf(out, "%s%s %.1f %%", gap, title_activities[i],
			section_percent(s->by_activity[i], s->samples));
		gap = "   ";
	}
	if (gap[0])
		putc('\n', out);
}

static int compare_reasons(const void *a, const void *b)
{
	const struct prof_reason *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static void print_status(FILE *out, const struct prof_summary *s, enum prof_status status)
{
	struct prof_reasons r = s->reasons[status];
	u64 sum = 0;

	qsort(r.reasons, r.n, sizeof(*r.reasons), compare_reasons);
	for (u32 i = 0; i < r.n; i++)
		sum += r.reasons[i].count;
	fprintf(out, "   %s %.1f %%", prof_status_name(status), section_percent(sum, s->samples));
	for (u32 i = 0; i < r.n; i++) {
		fputs(i ? ", " : " (", out);
		print_grouped(out, r.reasons[i].count);
		putc(' ', out);
		print_escaped(out, r.reasons[i].words, 60);
	}
	if (r.n)
		putc(')', out);
}

static void print_stacks_line(FILE *out, const struct prof_summary *s)
{
	fprintf(out, "stacks: complete %.1f %%", section_percent(s->complete, s->samples));
	print_status(out, s, PROF_TRUNCATED);
	print_status(out, s, PROF_FAILED);
	if (s->guessed)
		fprintf(out, "   guessed %.1f %%", section_percent(s->guessed, s->samples));
	if (s->unresolved) {
		fputs("   unresolved ", out);
		print_grouped(out, s->unresolved);
	}
	fputs("   lost ", out);
	print_grouped(out, s->lost);
	if (s->lost_events) {
		fputs("   ", out);
		print_grouped(out, s->lost_events);
		fputs(" process events lost", out);
	}
	putc('\n', out);
}

/* Prints the counts of pages of unwind rows that a walk may have lacked; omits counts of 0. */
static void print_rows_line(FILE *out, const struct prof_rows *rows)
{
	const struct {
		u64 n;
		const char *words;
	} parts[] = { { rows->evicted, "evicted" },
		      { rows->refetched, "read again" },
		      { rows->refused, "not loaded for lack of memory" },
		      { rows->failed, "of unreadable files" } };
	const char *gap = "pages of unwind rows: ";

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].n)
			continue;
		fputs(gap, out);
		print_grouped(out, parts[i].n);
		fprintf(out, " %s", parts[i].words);
		gap = ", ";
	}
	if (rows->evicted || rows->refused)
		fputs("; raise --max-memory", out);
	if (*gap == ',')
		putc('\n', out);
}

/* Return: whether a perf map or a jitdump named a frame of the process. */
static bool has_jit_names(const struct prof_data *d, u32 process)
{
	for (u32 i = 0; i < d->n_cells; i++) {
		struct data_cell cell = data_cell(d, i);
		const struct data_stack *s = &d->stacks[cell.stack];

		for (u32 k = 0; cell.process == process && k < s->n_frames; k++)
			if (d->frames[s->frames[k]].kind == PROF_JIT &&
			    d->frames[s->frames[k]].name)
				return true;
	}
	return false;
}

/* Prints a line for each process that has at least 1/10 of the samples but no function names. */
static void print_interpreters(FILE *out, const struct prof_data *d)
{
	for (u32 i = 0; i < d->n_processes; i++) {
		const struct prof_process *p = &d->processes[i].process;
		const char *slash = p->exe ? strrchr(p->exe, '/') : NULL;
		struct interpreter found;

		if (!p->exe || d->processes[i].samples * 10 < d->samples ||
		    (p->runtime && p->runtime[0]) ||
		    !interpreter_find(slash ? slash + 1 : p->exe, &found) || has_jit_names(d, i))
			continue;
		fprintf(out, "%s (pid %u): %s\n", found.name, p->pid, found.advice);
	}
}

static bool has_reason(const struct prof_data *d, const struct data_stack *s, const char *reason,
		       const char **file)
{
	for (u32 i = 0; i < s->n_frames; i++) {
		const struct prof_frame *f = &d->frames[s->frames[i]];

		if (!f->reason || strcmp(f->reason, reason) != 0)
			continue;
		*file = f->file;
		return true;
	}
	return false;
}

/* Prints a line if at least 1/10 of the samples are in functions without a source map. */
static void print_unmapped(FILE *out, const struct prof_data *d)
{
	const char *file, *first = NULL;
	u64 n = 0;

	for (u32 i = 0; i < d->n_stacks; i++) {
		if (!has_reason(d, &d->stacks[i], PROF_NO_SOURCE_MAP, &file))
			continue;
		first = first ?: file;
		n += d->stacks[i].samples;
	}
	if (!first || n * 10 < d->samples)
		return;
	fprintf(out, "%.1f %% of the samples have functions without source lines: ",
		section_percent(n, d->samples));
	print_escaped(out, first, 200);
	fputs(" was translated when it was loaded, without a source map\n", out);
}

void title_print(FILE *out, const struct prof_data *d)
{
	title_print_recording(out, d);
	print_activities(out, &d->summary);
	print_stacks_line(out, &d->summary);
	print_rows_line(out, &d->summary.rows);
	print_interpreters(out, d);
	print_unmapped(out, d);
}
