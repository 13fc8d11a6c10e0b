/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Loads BPF programs one by one, so that each has its own count of verified
 * instructions: log level 4 makes the verifier say only its statistics
 * (`processed N insns (limit 1000000) ...`), since v5.2.
 */

#include "guest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <bpf/libbpf.h>

#define LOG_LEVEL_STATS 4
#define MAX_VERIFIED_INSNS 250000

static char verifier_log[1 << 16];

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Leaves only the @idx-th program to be loaded; 0 or -ENOENT. */
static int pick(struct bpf_object *obj, int idx, struct bpf_program **out)
{
	struct bpf_program *prog;
	int i = 0, err = -ENOENT;

	bpf_object__for_each_program(prog, obj)
	{
		bpf_program__set_autoload(prog, i == idx);
		if (i++ == idx) {
			*out = prog;
			err = 0;
		}
	}
	return err;
}

static int report(const char *path, const char *program, int err, long ms)
{
	const char *object = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	int len = strcspn(object, ".");
	const char *processed = strstr(verifier_log, "processed ");
	long n = -1;

	if (processed)
		n = strtol(processed + strlen("processed "), NULL, 10);
	if (!err && n > 0 && n <= MAX_VERIFIED_INSNS) {
		printf("%.*s/%s verified %ld insns, load %ld ms\n", len, object, program, n, ms);
		return 1;
	}
	printf("%.*s/%s FAILED: %s, %ld insns verified of %d allowed\n%s\n", len, object, program,
	       strerror(-err), n, MAX_VERIFIED_INSNS, verifier_log);
	return 0;
}

/*
 * The flight recorder's fence on arm64 is an atomic operation with a result, which the
 * kernel has from v5.12 on. Before, the loader takes the plain program.
 */
static bool must_be_refused(const char *path)
{
	int major = 0, minor = 0;
	struct utsname u;

	if ((!strstr(path, "unspool-arm64") && !strstr(path, "freeze-arm64")) || uname(&u))
		return false;
	sscanf(u.release, "%d.%d", &major, &minor);
	return major < 5 || (major == 5 && minor < 12);
}

static int report_refused(const char *program, int err)
{
	printf("arm64 with rings/%s %s\n", program,
	       err ? "is refused, as before v5.12" : "FAILED: was to be refused");
	return err != 0;
}

/* Loads the @idx-th program alone: 1 when there is none. */
static int load_one(const char *path, int idx, struct tally *t)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	long start;
	bool is_refused;
	int err;

	if (!obj) {
		printf("%s FAILED: %s\n", path, strerror(errno));
		tally_add(t, 0);
		return 1;
	}
	err = pick(obj, idx, &prog);
	if (!err) {
		verifier_log[0] = '\0';
		bpf_program__set_log_level(prog, LOG_LEVEL_STATS);
		bpf_program__set_log_buf(prog, verifier_log, sizeof(verifier_log));
		start = now_ms();
		err = bpf_object__load(obj);
		is_refused = must_be_refused(path) && strcmp(bpf_program__name(prog), "uw_whoami");
		tally_add(t, is_refused ? report_refused(bpf_program__name(prog), err)
					: report(path, bpf_program__name(prog), err,
						 now_ms() - start));
		err = 0;
	}
	bpf_object__close(obj);
	return err != 0;
}

void programs_load(const char *path, struct tally *t)
{
	for (int i = 0; !load_one(path, i, t); i++)
		;
}
