/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/port.h"
#include "../../inspect/util/cleanup.h"
#include "live_node.h"
#include "live_walk.h"

#define MAX_MAPS_LEN (1 << 20)

static int spawn(struct live_node *n, char *const argv[])
{
	int fds[2];

	if (pipe(fds) < 0)
		return -errno;
	n->pid = fork();
	if (n->pid < 0)
		return -errno;
	if (!n->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		live_cpu_exec(argv);
		_exit(127);
	}
	close(fds[1]);
	n->out = fdopen(fds[0], "r");
	return live_cpu_begin(&n->cpu, n->pid);
}

static int learn_build(struct live_node *n, const char *path)
{
	struct elf_file *f;
	struct stat st;
	int r = elf_file_open(&f, path);

	if (r < 0)
		return r;
	r = v8_build_new_by(&n->build, f, n->deltas ? n->deltas : &v8_versions);
	if (r == -ENOTSUP)
		n->why = v8_build_facts(n->build).why;
	if (!r)
		r = live_rows_init(&n->rows, n->build, f);
	elf_file_free(&f);
	if (r < 0)
		return r;
	if (stat(path, &st) < 0)
		return -errno;
	n->exe_dev = st.st_dev;
	n->exe_inode = st.st_ino;
	n->exe = strdup(path);
	return n->exe ? 0 : -ENOMEM;
}

static void forget_build(struct live_node *n)
{
	if (n->build)
		v8_build_free(&n->build);
	live_rows_deinit(&n->rows);
	free(n->exe);
	n->exe = NULL;
}

int live_node_start(struct live_node *n, char *const argv[])
{
	int r = 0;

	n->process.mem_fd = n->pid = -1;
	n->walk = (struct uw_state){};
	if (!n->exe || strcmp(n->exe, argv[0])) {
		forget_build(n);
		r = learn_build(n, argv[0]);
	}
	if (!r)
		r = spawn(n, argv);
	if (r < 0)
		return r;
	/*
	 * Waits for the program's first output: before it, /proc/PID/mem may still be the memory
	 * before exec.
	 */
	ungetc(getc(n->out), n->out);
	r = target_process_init(&n->process, n->pid);
	if (!r)
		r = v8_heap_new(&n->heap, n->build, &n->process.target);
	return r ? r : live_cpu_attach(&n->cpu);
}

void live_node_stop(struct live_node *n)
{
	if (n->pid > 0) {
		kill(n->pid, SIGKILL);
		waitpid(n->pid, NULL, 0);
	}
	if (n->out)
		fclose(n->out);
	live_cpu_end(&n->cpu);
	n->pid = -1;
	n->out = NULL;
	if (n->heap)
		v8_heap_free(&n->heap);
	target_process_deinit(&n->process);
	free(n->maps);
	n->maps = NULL;
}

void live_node_end(struct live_node *n)
{
	live_node_stop(n);
	forget_build(n);
}

/* ---- mappings ---- */

struct line {
	u64 start, end, off, inode, dev;
	char perms[5];
	const char *path;
};

static bool parse(const char *text, struct line *l)
{
	u32 major, minor;
	int used = 0;

	if (sscanf(text, "%llx-%llx %4s %llx %x:%x %llu%n", &l->start, &l->end, l->perms, &l->off,
		   &major, &minor, &l->inode, &used) < 7)
		return false;
	l->dev = makedev(major, minor);
	l->path = text + used + strspn(text + used, " ");
	return true;
}

static void add(struct live_node *n, u64 start, u64 end, u64 off, u8 kind)
{
	if (start < end && n->n_mappings < LIVE_MAX_MAPPINGS)
		n->mappings[n->n_mappings++] = (struct uw_mapping){
			.start_addr = start,
			.end_addr = end,
			.file_off = off,
			.module = kind == UW_MAP_V8_BUILTINS,
			.kind = kind,
		};
}

/*
 * Adds a mapping. The part of the mapping with the embedded builtins is V8's and has rows; the rest
 * is native code without rows.
 */
static void add_line(struct live_node *n, const struct line *l)
{
	const struct v8_facts b = v8_build_facts(n->build);
	u64 low, high;

	if (l->perms[2] != 'x')
		return;
	if (!l->inode && l->path[0] != '[') {
		add(n, l->start, l->end, 0, UW_MAP_V8_JIT);
		return;
	}
	low = high = l->start;
	if (l->inode == n->exe_inode && l->dev == n->exe_dev &&
	    b.blob_off < l->off + (l->end - l->start) && b.blob_off + b.blob_len > l->off) {
		low = b.blob_off > l->off ? l->start + (b.blob_off - l->off) : l->start;
		high = l->start + (b.blob_off + b.blob_len - l->off);
		high = high < l->end ? high : l->end;
	}
	add(n, l->start, low, l->off, UW_MAP_NATIVE);
	add(n, low, high, l->off + (low - l->start), UW_MAP_V8_BUILTINS);
	add(n, high, l->end, l->off + (high - l->start), UW_MAP_NATIVE);
}

int live_node_set_regions(struct live_node *n, struct v8_heap *heap)
{
	struct v8_region regions[LIVE_MAX_MAPPINGS];
	size_t n_regions = 0;

	for (size_t i = 0; i < n->n_mappings; i++) {
		const struct uw_mapping *m = &n->mappings[i];

		if (m->kind != UW_MAP_NATIVE)
			regions[n_regions++] = (struct v8_region){ m->start_addr, m->end_addr,
								   m->file_off,
								   m->kind == UW_MAP_V8_JIT };
	}
	return v8_heap_set_regions(heap, regions, n_regions);
}

int live_node_read_mappings(struct live_node *n, bool is_fresh)
{
	_cleanup_free_ char *text = calloc(1, MAX_MAPS_LEN);
	_cleanup_fclose_ FILE *f = NULL;
	char *save, *line, *copy;
	struct line l;

	f = live_cpu_maps(&n->cpu, is_fresh);
	if (!f || !text)
		return -errno;
	text[fread(text, 1, MAX_MAPS_LEN - 1, f)] = 0;
	if (n->maps && !strcmp(n->maps, text))
		return 0;
	free(n->maps);
	n->maps = strdup(text);
	copy = text;
	n->n_mappings = 0;
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (parse(line, &l))
			add_line(n, &l);
	return live_node_set_regions(n, n->heap);
}

/* ---- samples ---- */

static const struct uw_rule *row_at(void *rows, u32 module, u64 file_off)
{
	(void)module;
	return live_rows_at(rows, file_off);
}

int live_node_walk(struct live_node *n)
{
	port_world = (struct port_world){ &n->process.target,
					  n->mappings,
					  n->n_mappings,
					  v8_build_facts(n->build).info,
					  row_at,
					  &n->rows };
	return live_walk(&n->walk, &n->cpu, &n->process.target);
}

int live_node_sample(struct live_node *n)
{
	int r = live_cpu_interrupt(&n->cpu);

	if (!r)
		r = live_node_read_mappings(n, true);
	return r ? r : live_node_walk(n);
}

int live_node_resume(struct live_node *n)
{
	return live_cpu_continue(&n->cpu);
}
