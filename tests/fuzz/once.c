// SPDX-License-Identifier: BSD-2-Clause

/* Replaces a fuzzing engine. Usage: FILE|DIR...; calls the target once for each file. */

#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

#define MAX_LEN (16u << 20)

/* Copies the file to a buffer of exactly its size, so that a read past the end is detected. */
static int run_file(const char *path)
{
	static u8 data[MAX_LEN];
	FILE *f = fopen(path, "rb");
	size_t len;
	u8 *copy;

	if (!f) {
		perror(path);
		return -1;
	}
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	copy = malloc(len ? len : 1);
	FUZZ_MUST(copy, "no memory");
	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
	return 1;
}

static int run_folder(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort), n_run = 0;

	if (n < 0)
		perror(path);
	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && n_run >= 0)
			n_run += run_file(file);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n < 0 ? -1 : n_run;
}

int main(int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;
		int more;

		if (stat(argv[i], &st)) {
			perror(argv[i]);
			return 1;
		}
		more = S_ISDIR(st.st_mode) ? run_folder(argv[i]) : run_file(argv[i]);
		if (more < 0)
			return 1;
		n += more;
	}
	printf("%d passed, 0 failed\n", n);
	return n ? 0 : 1;
}
