/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_clr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/port.h"
#include "../../inspect/util/cleanup.h"
#include "../../loader/process/maps.h"
#include "live_walk.h"

struct live_clr_page {
	struct live_clr_page *next;
	u32 module, page, n;
	u32 rows[];
};

/* ---- rows ---- */

static int open_file(u32 module, bool debug, void *data)
{
	const struct live_clr *c = data;
	int fd;

	if (debug || !module || module > c->n_files)
		return -ENOENT;
	fd = open(c->files[module - 1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static struct live_clr_page *read_page(struct live_clr *c, u32 module, u32 page)
{
	static u32 rows[UW_MAX_PAGE_ROWS];
	struct row_file *f = row_files_get(c->row_files, module);
	struct live_clr_page *p;
	u32 n = 0;

	if (!f || row_files_open(c->row_files, f) ||
	    row_files_read(c->row_files, f, page, &c->rules, rows, &n))
		n = 0; /* no rows are known for the page */
	p = malloc(sizeof(*p) + n * sizeof(*rows));
	if (!p)
		return NULL;
	*p = (struct live_clr_page){ c->pages, module, page, n };
	memcpy(p->rows, rows, n * sizeof(*rows));
	return c->pages = p;
}

static const struct uw_rule *row_at(void *rows, u32 module, u64 file_off)
{
	struct live_clr *c = rows;
	u32 page = (u32)(file_off / UW_ROW_PAGE_LEN), off = (u32)(file_off % UW_ROW_PAGE_LEN), i;
	struct live_clr_page *p = c->pages;

	while (p && (p->module != module || p->page != page))
		p = p->next;
	if (!p)
		p = read_page(c, module, page);
	if (!p || !p->n)
		return &c->rules.table[0];
	for (i = p->n - 1; i && p->rows[i] >> UW_ROW_OFF_SHIFT > off; i--)
		;
	return &c->rules.table[p->rows[i] & ((1u << UW_ROW_OFF_SHIFT) - 1)];
}

/* ---- mappings ---- */

struct reading {
	struct live_clr *c;
	struct map_list list;
};

/* The number of the module with this path, from 1; 0: no file. */
static u32 module_of(struct live_clr *c, const char *path)
{
	u32 i;

	for (i = 0; i < c->n_files && strcmp(c->files[i], path); i++)
		;
	if (i == LIVE_CLR_FILES)
		return 0;
	if (i == c->n_files)
		c->files[c->n_files++] = strdup(path);
	return i + 1;
}

static int add(const struct maps_entry *e, void *data)
{
	struct reading *r = data;
	struct uw_mapping m = { .start_addr = e->start_addr,
				.end_addr = e->end_addr,
				.file_off = e->file_off };
	char path[PATH_MAX + 1] = "";

	if (e->path_len < sizeof(path))
		maps_path_unescape(e->path, e->path_len, path);
	if (!path[0] || dotnet_is_code_file(path)) {
		m.kind = UW_MAP_DOTNET_STUBS; /* unless a code range covers this */
		m.info_idx = DOTNET_STUB_HELPER;
		m.file_off = 0;
	} else if (path[0] == '/') {
		m.module = module_of(r->c, path);
	}
	return map_list_push(&r->list, &m);
}

int live_clr_read_mappings(struct live_clr *c)
{
	struct reading r = { .c = c };
	_cleanup_free_ struct dotnet_range *v = NULL;
	u32 n = 0;
	int err = maps_each_exec((u32)c->net.pid, add, &r);

	if (!err)
		err = dotnet_ranges_get(c->net.runtime, &v, &n);
	if (!err)
		err = dotnet_ranges_overlay(v, n, &r.list);
	if (err) {
		free(r.list.v);
		return err;
	}
	free(c->maps.v);
	c->maps = r.list;
	return 0;
}

const struct uw_mapping *live_clr_mapping(const struct live_clr *c, u64 pc)
{
	for (u32 i = 0; i < c->maps.n; i++)
		if (pc >= c->maps.v[i].start_addr && pc < c->maps.v[i].end_addr)
			return &c->maps.v[i];
	return NULL;
}

int live_clr_walk(struct live_clr *c)
{
	port_world = (struct port_world){
		&c->net.process.target, c->maps.v, c->maps.n, NULL, row_at, c
	};
	c->walk.process_key = 1; /* not 0, so the walk caches rules, as in the recorder */
	return live_walk(&c->walk, &c->cpu, &c->net.process.target);
}

/* ---- the process ---- */

static int spawn(struct live_clr *c, char *program, char *arg)
{
	char *argv[] = { program, arg, NULL };
	int out[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	c->net.pid = fork();
	if (!c->net.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], STDOUT_FILENO);
		execv(program, argv);
		_exit(127);
	}
	close(out[1]);
	c->net.out = fdopen(out[0], "r");
	return c->net.pid < 0 ? -EAGAIN : 0;
}

int live_clr_start(struct live_clr *c, char *program, char *arg)
{
	const struct row_source source = { .open = open_file, .data = c };
	struct uw_rule *table = calloc(UW_MAX_RULES, sizeof(*table));
	char line[64] = "";
	int r;

	*c = (struct live_clr){ .net = { .pid = -1, .in = -1, .process.mem_fd = -1 } };
	r = table ? rules_init(&c->rules, table, UW_MAX_RULES) : -ENOMEM;
	if (!r)
		r = row_files_new(&c->row_files, &source);
	if (!r)
		r = spawn(c, program, arg);
	while (!r && (!fgets(line, sizeof(line), c->net.out) || strcmp(line, "ready\n"))) {
		r = feof(c->net.out) ? -EPROTO : 0;
		sscanf(line, "enter %llx", &c->enter_addr);
	}
	return r ? r : live_dotnet_find(&c->net);
}

void live_clr_end(struct live_clr *c)
{
	struct live_clr_page *next;
	int status;

	/* waitpid() must first be called for the traced thread, and only then for the process. */
	if (c->net.pid > 0 && c->cpu.tid > 0) {
		kill(c->net.pid, SIGKILL);
		while (waitpid(c->cpu.tid, &status, __WALL) > 0 && WIFSTOPPED(status))
			;
	}
	live_dotnet_end(&c->net);
	row_files_free(&c->row_files);
	rules_deinit(&c->rules);
	free(c->rules.table);
	for (struct live_clr_page *p = c->pages; p; p = next) {
		next = p->next;
		free(p);
	}
	for (u32 i = 0; i < c->n_files; i++)
		free(c->files[i]);
	free(c->maps.v);
}

int live_clr_thread(const struct live_clr *c, const char *name)
{
	_cleanup_free_ char *folder = NULL;
	char comm[32], path[64];
	int tid = -ESRCH;
	struct dirent *e;
	DIR *dir;

	if (asprintf(&folder, "/proc/%d/task", c->net.pid) < 0)
		return -ENOMEM;
	dir = opendir(folder);
	while (dir && tid < 0 && (e = readdir(dir))) {
		_cleanup_fclose_ FILE *f = NULL;

		snprintf(path, sizeof(path), "%s/%.20s/comm", folder, e->d_name);
		f = fopen(path, "re");
		if (f && fgets(comm, sizeof(comm), f) && !strncmp(comm, name, strlen(name)))
			tid = atoi(e->d_name);
	}
	if (dir)
		closedir(dir);
	return tid;
}
