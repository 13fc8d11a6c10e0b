/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../inspect/util/cleanup.h"
#include "live_dotnet.h"

#define MAX_DUMP_LEN (64u << 20)

static void run_child(const struct live_dotnet *d, const char *folder, bool is_precompiled,
		      const int *in, const int *out)
{
	char program[PATH_MAX], bytes[PATH_MAX];

	snprintf(program, sizeof(program), "%s/names", folder);
	snprintf(bytes, sizeof(bytes), "%s/names.dll", folder);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	/* 1: perf map and jitdump; 3: perf map only */
	setenv("DOTNET_PerfMapEnabled", is_precompiled ? "1" : "3", 1);
	setenv("DOTNET_PerfMapJitDumpPath", d->tmp, 1);
	setenv("DOTNET_ReadyToRun", is_precompiled ? "1" : "0", 1);
	setenv("DOTNET_EnableDiagnostics", "0", 1);
	setenv("TMPDIR", d->tmp, 1);
	if (!access(bytes, R_OK))
		setenv("NAMES_BYTES", bytes, 1);
	execl(program, program, NULL);
	_exit(127);
}

int live_dotnet_start(struct live_dotnet *d, const char *folder, bool is_precompiled)
{
	int in[2], out[2];

	*d = (struct live_dotnet){ .pid = -1, .in = -1, .process.mem_fd = -1 };
	strcpy(d->tmp, "/tmp/unspool-dotnet-XXXXXX");
	if (!mkdtemp(d->tmp) || pipe2(in, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	d->pid = fork();
	if (d->pid < 0)
		return -errno;
	if (!d->pid)
		run_child(d, folder, is_precompiled, in, out);
	close(in[0]);
	close(out[1]);
	d->in = in[1];
	d->out = fdopen(out[0], "r");
	return 0;
}

static void remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

void live_dotnet_end(struct live_dotnet *d)
{
	if (d->pid > 0) {
		kill(d->pid, SIGKILL);
		waitpid(d->pid, NULL, 0);
	}
	if (d->out)
		fclose(d->out);
	cleanup_close(&d->in);
	dotnet_runtime_free(&d->runtime);
	dotnet_build_free(&d->build);
	target_process_deinit(&d->process);
	remove_folder(d->tmp);
}

int live_dotnet_wait(struct live_dotnet *d, void (*fn)(const char *line, void *data), void *data)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	int status;

	while (getline(&line, &room, d->out) > 0 && strcmp(line, "ready\n"))
		if (!strncmp(line, "frame ", 6))
			fn(line, data);
	if (feof(d->out))
		return -EPROTO;
	if (kill(d->pid, SIGSTOP) < 0 || waitpid(d->pid, &status, WUNTRACED) < 0)
		return -errno;
	return WIFSTOPPED(status) ? 0 : -ESRCH;
}

/* ---- finding the runtime in the mappings ---- */

static int try_mapping(struct live_dotnet *d, const char *path, u64 start, u64 off)
{
	struct elf_file *f;
	int r = elf_file_open(&f, path);

	if (r < 0)
		return -ENOENT;
	/*
	 * In a single-file program, parts of the file that do not belong to the runtime are mapped,
	 * too.
	 */
	r = elf_file_bias(f, start, off, &d->bias) ? -ENOENT : dotnet_build_new(&d->build, f);
	elf_file_free(&f);
	return r;
}

struct mapping {
	u64 start, end, off;
	bool is_exec;
	char file[PATH_MAX + 1];
};

/* Reads the next mapping of a file from /proc/PID/maps. */
static bool next_mapping(FILE *maps, struct mapping *m)
{
	char line[PATH_MAX + 128], perms[5];
	unsigned long long start, end, off;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %4096[^\n]", &start, &end, perms, &off,
			   m->file) != 5 ||
		    m->file[0] != '/')
			continue;
		m->start = start;
		m->end = end;
		m->off = off;
		m->is_exec = perms[2] == 'x';
		return true;
	}
	return false;
}

static FILE *open_maps(const struct live_dotnet *d)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", d->pid);
	return fopen(path, "re");
}

/* Finds the runtime by the contents of the mapped files, not by their names. */
int live_dotnet_find(struct live_dotnet *d)
{
	_cleanup_fclose_ FILE *maps = open_maps(d);
	struct mapping m;
	int r = -ENOENT;

	while (r == -ENOENT && next_mapping(maps, &m))
		if (m.is_exec)
			r = try_mapping(d, m.file, m.start, m.off);
	if (!r)
		r = target_process_init(&d->process, d->pid);
	if (!r)
		r = dotnet_runtime_new(&d->runtime, d->build, &d->process.target, d->bias);
	if (!r)
		dotnet_runtime_set_files(d->runtime, live_dotnet_open_beside, d);
	return r;
}

int live_dotnet_open_beside(void *live_dotnet, u64 addr, const char *name)
{
	_cleanup_fclose_ FILE *maps = open_maps(live_dotnet);
	char path[2 * PATH_MAX];
	struct mapping m;

	while (next_mapping(maps, &m)) {
		if (addr < m.start || addr >= m.end)
			continue;
		snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(m.file, '/') - m.file),
			 m.file, name);
		return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	return -ENOENT;
}

/* ---- the perf map ---- */

void perf_map_free(struct perf_map *map)
{
	for (size_t i = 0; i < map->n; i++)
		free(map->methods[i].text);
	free(map->methods);
	*map = (struct perf_map){};
}

static void drop_replaced(struct perf_map *map)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->n; i++) {
		struct perf_method *m = &map->methods[i];
		bool replaced = false;

		for (size_t j = i + 1; j < map->n && !replaced; j++)
			replaced = map->methods[j].addr < m->addr + m->len &&
				   m->addr < map->methods[j].addr + map->methods[j].len;
		if (replaced)
			free(m->text);
		else
			map->methods[kept++] = *m;
	}
	map->n = kept;
}

static int add_method(struct perf_map *map, u64 addr, u64 len, const char *text)
{
	struct perf_method *all = reallocarray(map->methods, map->n + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	map->methods = all;
	all[map->n++] = (struct perf_method){ addr, len, strdup(text) };
	return 0;
}

static int add_line(struct perf_map *map, char *line)
{
	unsigned long long addr;
	unsigned long len;
	int at = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%llx %lx %n", &addr, &len, &at) < 2 || !at)
		return -EPROTO;
	if (!strncmp(line + at, "stub", 4)) {
		map->n_stubs++;
		return 0;
	}
	return add_method(map, addr, len, line + at);
}

int live_dotnet_read_map(struct live_dotnet *d, struct perf_map *map)
{
	char path[PATH_MAX];
	_cleanup_free_ char *line = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	size_t room = 0;
	int r = 0;

	*map = (struct perf_map){};
	snprintf(path, sizeof(path), "%s/perf-%d.map", d->tmp, d->pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!r && getline(&line, &room, f) > 0)
		r = add_line(map, line);
	if (!r)
		drop_replaced(map);
	return r;
}

/*
 * Copies a name up to the first character of @ends that is outside of brackets, and leaves out the
 * parts in brackets.
 */
static const char *copy_plain(const char *from, const char *ends, char *to, size_t room)
{
	size_t n = 0;
	int depth = 0;

	for (; *from && (depth || !strchr(ends, *from)); from++) {
		depth += *from == '[';
		if (!depth && n + 1 < room)
			to[n++] = *from;
		depth -= *from == ']';
	}
	to[n] = 0;
	return from;
}

bool perf_method_is(const struct perf_method *m, const struct dotnet_name *name)
{
	char mark[300], type[DOTNET_NAME_LEN], method[DOTNET_NAME_LEN];
	const char *p;

	snprintf(mark, sizeof(mark), "[%s] ", name->module);
	p = name->is_dynamic ? strstr(m->text, "] dynamicClass::") : strstr(m->text, mark);
	if (!p)
		return false;
	p = copy_plain(strstr(p, "] ") + 2, ":", type, sizeof(type));
	if (strncmp(p, "::", 2))
		return false;
	copy_plain(p + 2, "(", method, sizeof(method));
	return !strcmp(method, name->method) && (name->is_dynamic || !strcmp(type, name->type));
}

/* ---- the jitdump: header of 40 bytes, then records ---- */

#define RECORD_CODE_LOAD 0

struct record {
	u32 id, len;
	u64 time;
	u32 pid, tid;
	u64 vma, addr, code_len, idx;
};

static int add_record(struct perf_map *map, const char *p, size_t left)
{
	struct record rec;
	const char *name = p + sizeof(rec);

	if (left <= sizeof(rec) || !memchr(name, 0, left - sizeof(rec)))
		return 0;
	memcpy(&rec, p, sizeof(rec));
	if (rec.id != RECORD_CODE_LOAD || !strstr(name, "[PreJIT]"))
		return 0;
	return add_method(map, rec.addr, rec.code_len, name);
}

int live_dotnet_read_dump(struct live_dotnet *d, struct perf_map *map)
{
	char path[PATH_MAX];
	_cleanup_free_ char *bytes = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	size_t n;
	u32 len;
	int r = 0;

	*map = (struct perf_map){};
	snprintf(path, sizeof(path), "%s/jit-%d.dump", d->tmp, d->pid);
	f = fopen(path, "re");
	bytes = malloc(MAX_DUMP_LEN);
	if (!f || !bytes)
		return f ? -ENOMEM : -errno;
	n = fread(bytes, 1, MAX_DUMP_LEN, f);
	for (size_t at = 40; !r && n - at >= 16 && at < n; at += len) {
		memcpy(&len, bytes + at + 4, sizeof(len));
		if (len < 16 || len > n - at)
			break;
		r = add_record(map, bytes + at, len);
	}
	return r;
}
