/* SPDX-License-Identifier: BSD-2-Clause */
#include "../check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made.h"

const char *const *made_names(void)
{
	static char long_name[10001];
	static const char *names[MADE_N_NAMES] = {
		"plain",
		"semi;colon; 12",
		"new\nline\r\n\ttab",
		"\x1b[31mred\x1b]0;title\x07",
		"\xe2\x80\xaegnp\xe2\x80\xac \xd8\x9c \xe2\x81\xa6x\xe2\x81\xa9",
		"\xed\xa0\x80 lone \xff\xfe \xc0\xaf",
		"\xc2\x9b C1 \xc2\x85",
		"\"quoted\" \\ back",
		"get #\xe5\x90\x8d\xe5\x89\x8d \xf0\x9f\x98\x80",
		"",
		"[truncated: fault]",
		long_name,
	};

	for (size_t i = 0; i < sizeof(long_name) - 1; i++)
		long_name[i] = (char)('a' + i % 26);
	return names;
}

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525u + 1013904223u; /* Numerical Recipes, section 7.1 */
	return *seed >> 8;
}

static const char *made_name(const struct made *m, u32 *seed)
{
	return made_names()[next_random(seed) % (m->brief ? MADE_N_NAMES - 1 : MADE_N_NAMES)];
}

static u32 made_frame(struct profile *p, const struct made *m, u32 *seed)
{
	struct prof_frame f = { .kind = next_random(seed) % PROF_N_KINDS,
				.name = made_name(m, seed),
				.line = next_random(seed) % 3,
				.start_line = next_random(seed) % 3,
				.start_column = next_random(seed) % 2,
				.guess = next_random(seed) % 64 == 0 };
	u32 id = 0, what = next_random(seed) % 4;

	if (what == 0) {
		f.file = "/srv/app/view.js";
		f.start_line = f.line ? 1 : 0;
		f.start_column = f.line;
	}
	if (what == 1)
		f.module = made_name(m, seed);
	if (what == 2) {
		f.name = NULL;
		f.module = "/usr/lib/libz.so.1";
		f.off = next_random(seed);
		f.has_off = true;
		f.start_off = f.off & 1 ? f.off & ~0xffull : 0;
	}
	if (what == 3)
		f.file = made_name(m, seed);
	assert_int_equal(profile_frame(p, &f, &id), 0);
	return id;
}

static void made_sample(struct profile *p, const struct made *m, u32 i, u32 *seed)
{
	static const enum uw_status statuses[] = { UW_END,     UW_END,	   UW_END,    UW_OK,
						   UW_T_DEPTH, UW_T_NO_FP, UW_E_FAULT };
	u32 frames[64], n = next_random(seed) % 12, id = 0;
	u32 pid = 100 + next_random(seed) % m->n_processes;

	for (u32 k = 0; k < n; k++)
		frames[k] = made_frame(p, m, seed);
	assert_int_equal(profile_stack(p, &(struct prof_stack){ frames, n, statuses[i % 7] }, &id),
			 0);
	for (u32 k = 0; k < 1 + i % 3; k++)
		assert_int_equal(profile_sample(p, pid, pid + k % 2, id, 1000ull * i + k,
						next_random(seed) % PROF_N_ACTIVITIES, i % 50 == 0),
				 0);
}

void made_write(FILE *out, const struct made *m)
{
	struct prof_header header = { .hz = 99, .arch = "x86_64", .kernel = "6.1.0" };
	struct prof_totals totals = { .lost = 2, .cpu_ns = 1, .bpf_ns = 1, .duration_ns = 2000000 };
	struct profile *p = NULL;
	u32 seed = 1;

	assert_int_equal(profile_new(&p, out, &header), 0);
	for (u32 i = 0; i < m->n_processes; i++) {
		struct prof_process process = { .pid = 100 + i,
						.name = made_names()[i % MADE_N_NAMES],
						.runtime = "Node.js 24.21.0" };

		assert_int_equal(profile_process(p, &process), 0);
		assert_int_equal(profile_thread(p, 100 + i, 100 + i, "MainThread"), 0);
	}
	for (u32 i = 0; profile_n_samples(p) < m->n_samples; i++)
		made_sample(p, m, i, &seed);
	assert_int_equal(m->finished ? profile_finish(p, &totals) : profile_flush(p), 0);
	profile_free(&p);
}

char *made_bytes(const struct made *m, size_t *len)
{
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, len);

	assert_non_null(f);
	made_write(f, m);
	fclose(f);
	return bytes;
}

int made_fd(const void *bytes, size_t len)
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

char *made_path(const char *name)
{
	char folder[] = "/tmp/unspool-test-XXXXXX";
	char *path;

	assert_non_null(mkdtemp(folder));
	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

void made_remove(char *path)
{
	struct dirent *entry;
	char file[512];
	DIR *folder;

	*strrchr(path, '/') = 0;
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		unlink(file);
	}
	closedir(folder);
	assert_int_equal(rmdir(path), 0);
	free(path);
}

void made_file(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

char *made_slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *bytes;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	bytes = calloc(1, *len + 1);
	assert_int_equal(fread(bytes, 1, *len, f), *len);
	fclose(f);
	return bytes;
}
