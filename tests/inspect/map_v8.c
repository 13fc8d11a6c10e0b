/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Compares names of compiled code with V8's own list: Node.js runs with
 * --perf-basic-prof and is stopped at random instants, and each pc in JIT code is
 * looked up in /tmp/perf-PID.map as of that instant.
 *
 *	map_v8 STOPS NODE [FLAG]... SCRIPT [ARG]...
 *
 * A line of the map is "ADDRESS LENGTH KIND:TIER NAME FILE:LINE[:COLUMN]", for example "7f10 1a0
 * JS:*leaf /a.js:3:4"; the last line that covers a pc is valid. V8 lists one name for a code
 * object: that of the compiled function, which is the outermost one if others are inlined.
 */

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/v8/v8_code.h"
#include "../check.h"
#include "live_node.h"

#define MAX_ARGS 32
#define MAX_CODES 65536
#define NAME_LEN 256

struct code_line {
	u64 start, len;
	char name[NAME_LEN];
};

struct map_judge {
	struct live_node node;
	struct code_line *lines;
	size_t n_lines;
	FILE *map;
	u64 optimized, agree, baseline, baseline_agree, unlisted, control;
};

/* Copies the function's name from V8's "KIND:TIER NAME FILE:LINE"; false if there is no name. */
static bool take_name(const char *text, char *name)
{
	const char *p = strchr(text, ':'), *end;

	if (!p || (strncmp(text, "JS:", 3) && strncmp(text, "LazyCompile:", 12) &&
		   strncmp(text, "Function:", 9) && strncmp(text, "Eval:", 5) &&
		   strncmp(text, "Script:", 7)))
		return false;
	p++;
	if (p[0] == 'o' && strchr("*+", p[1]))
		p++;
	p += strspn(p, "~^+*'");
	end = strrchr(p, ' ');
	if (!end || end - p >= NAME_LEN)
		return false;
	snprintf(name, NAME_LEN, "%.*s", (int)(end - p), p);
	return true;
}

static void read_map(struct map_judge *j)
{
	char text[4096], name[NAME_LEN];
	u64 start, len;
	int used;

	while (j->map && j->n_lines < MAX_CODES && fgets(text, sizeof(text), j->map)) {
		text[strcspn(text, "\n")] = 0;
		if (sscanf(text, "%llx %llx %n", &start, &len, &used) < 2)
			continue;
		j->lines[j->n_lines] = (struct code_line){ start, len, "" };
		if (take_name(text + used, name))
			strcpy(j->lines[j->n_lines].name, name);
		j->n_lines++;
	}
	if (j->map)
		clearerr(j->map);
}

static const struct code_line *line_at(const struct map_judge *j, u64 pc)
{
	for (size_t i = j->n_lines; i-- > 0;)
		if (pc - j->lines[i].start < j->lines[i].len)
			return &j->lines[i];
	return NULL;
}

static bool same(const struct code_line *line, const char *name)
{
	/* For an anonymous function, V8 writes an empty name. */
	return name &&
	       (!strcmp(line->name, name) || (!line->name[0] && !strcmp(name, "(anonymous)")));
}

static void judge_frame(struct map_judge *j, u32 i)
{
	const struct uw_sample *s = &j->node.walk.sample;
	const struct uw_frame *f = &s->frames[i];
	struct v8_name names[V8_MAX_NAMES];
	const struct code_line *line;
	const struct v8_region *r = v8_region_at(j->node.heap, uw_frame_lookup_pc(f));
	int n = f->kind == UW_V8_JS && r && r->is_jit ? v8_heap_name(j->node.heap, s, i, names) : 0;
	const struct v8_name *outer = names + n - 1;

	if (n < 1 || (outer->tier != V8_TIER_MAGLEV && outer->tier != V8_TIER_TURBOFAN &&
		      outer->tier != V8_TIER_BASELINE && outer->name))
		return;
	line = line_at(j, uw_frame_lookup_pc(f));
	if (!line) {
		j->unlisted++;
		return;
	}
	if (outer->tier == V8_TIER_BASELINE) {
		j->baseline++;
		j->baseline_agree += same(line, outer->name);
	} else {
		j->optimized++;
		j->agree += same(line, outer->name);
		line = line_at(j, line->start + line->len + 64);
		j->control += line && same(line, outer->name);
	}
	line = line_at(j, uw_frame_lookup_pc(f));
	if (!same(line, outer->name))
		printf("  V8 has '%s', found '%s' (%s:%u) tier %d %s\n", line->name,
		       outer->name ? outer->name : "?", outer->file ? outer->file : "", outer->line,
		       outer->tier, outer->reason ? outer->reason : "");
}

static int run(struct map_judge *j, int stops)
{
	char path[64];
	int r = 0;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", j->node.pid);
	j->map = fopen(path, "re");
	if (!j->map)
		return -errno;
	for (int i = 0; !r && i < stops; i++) {
		usleep(1000 + (useconds_t)(i * 37 % 3000));
		r = live_node_sample(&j->node);
		if (r)
			break;
		read_map(j);
		for (u32 k = 0; k < j->node.walk.sample.n_frames; k++)
			judge_frame(j, k);
		r = live_node_resume(&j->node);
	}
	fclose(j->map);
	unlink(path);
	return r;
}

/* V8 also writes a log file for each isolate. */
static void remove_logs(const char *folder)
{
	char pattern[64];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*", folder);
	if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	rmdir(folder);
}

int main(int argc, char **argv)
{
	static struct map_judge j;
	char folder[] = "/tmp/map-v8-XXXXXX", logfile[64];
	char *args[MAX_ARGS] = { argv[2], "--perf-basic-prof", logfile };
	int r, n = 3;

	if (argc < 4)
		return check_cannot_run("usage: map_v8 STOPS NODE [FLAG]... SCRIPT [ARG]...");
	if (!mkdtemp(folder))
		return check_cannot_run(strerror(errno));
	snprintf(logfile, sizeof(logfile), "--logfile=%s/v8.log", folder);
	for (int i = 3; i < argc && n < MAX_ARGS - 1; i++)
		args[n++] = argv[i];
	j.lines = calloc(MAX_CODES, sizeof(*j.lines));
	r = j.lines ? live_node_start(&j.node, args) : -ENOMEM;
	if (!r)
		sleep(1);
	if (!r)
		r = run(&j, atoi(argv[1]));
	live_node_end(&j.node);
	remove_logs(folder);
	free(j.lines);
	printf("names that agree with the map: %llu of %llu in optimized code (control: %llu), "
	       "%llu of %llu in baseline code; %llu pcs are not in the map\n",
	       j.agree, j.optimized, j.control, j.baseline_agree, j.baseline, j.unlisted);
	if (r < 0)
		printf("%s\n", strerror(-r));
	return r < 0 || j.agree * 1000 < j.optimized * 999;
}
