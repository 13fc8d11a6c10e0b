/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Loads all programs of a BPF object. Each program has a separate log. Log
 * level 4 makes the verifier print only its statistics (`processed N insns
 * (limit 1000000) ...`) since v5.2. An object with programs that this kernel
 * must refuse is loaded once for each program.
 */

#include "guest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <bpf/libbpf.h>

#define LOG_LEVEL_STATS 4
#define MAX_VERIFIED_INSNS 250000
#define MAX_PROGRAMS 8
#define ALL_PROGRAMS -1

static char verifier_logs[MAX_PROGRAMS][1 << 16];

/*
 * Prints the result of one program. Returns 1 if the verifier accepted it
 * within the limit, else 0.
 */
static int report(const char *path, const char *program, const char *log, int err)
{
	const char *object = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *processed = strstr(log, "processed ");
	int len = strcspn(object, ".");
	long n = -1;

	if (processed)
		n = strtol(processed + strlen("processed "), NULL, 10);
	if (!err && n > 0 && n <= MAX_VERIFIED_INSNS) {
		printf("%.*s/%s verified %ld insns\n", len, object, program, n);
		return 1;
	}
	printf("%.*s/%s FAILED: %s; %ld insns were verified, the limit is %d\n%s\n", len, object,
	       program, strerror(-err), n, MAX_VERIFIED_INSNS, log);
	return 0;
}

/*
 * The flight recorder's fence on arm64 is an atomic operation with a result, which kernels have
 * from v5.12 on. On older kernels the loader uses the program without the
 * flight recorder.
 */
static bool is_refused_here(const char *path)
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
	       err ? "is refused by the kernel, as expected before v5.12"
		   : "FAILED: is accepted by the kernel, although kernels before v5.12 must refuse "
		     "it");
	return err != 0;
}

/* Selects the @only-th program, or all if @only < 0, and sets their logs; returns their number. */
static int prepare(struct bpf_object *obj, int only)
{
	struct bpf_program *prog;
	int i = 0;

	bpf_object__for_each_program(prog, obj)
	{
		bpf_program__set_autoload(prog, only == ALL_PROGRAMS || i == only);
		if (i < MAX_PROGRAMS) {
			verifier_logs[i][0] = '\0';
			bpf_program__set_log_level(prog, LOG_LEVEL_STATS);
			bpf_program__set_log_buf(prog, verifier_logs[i], sizeof(verifier_logs[i]));
		}
		i++;
	}
	return i;
}

/* Returns the number of programs in the object, or -1. */
static int load(const char *path, int only, struct tally *t)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	const char *name;
	int n, err, i = 0;

	if (!obj)
		return -1;
	n = prepare(obj, only);
	err = n <= MAX_PROGRAMS ? bpf_object__load(obj) : -E2BIG;
	bpf_object__for_each_program(prog, obj)
	{
		name = bpf_program__name(prog);
		if (i >= MAX_PROGRAMS || !bpf_program__autoload(prog))
			;
		else if (only != ALL_PROGRAMS && strcmp(name, "uw_whoami") != 0)
			tally_add(t, report_refused(name, err));
		else
			tally_add(t, report(path, name, verifier_logs[i], err));
		i++;
	}
	bpf_object__close(obj);
	return n;
}

void programs_load(const char *path, struct tally *t)
{
	bool one_by_one = is_refused_here(path);
	int n = load(path, one_by_one ? 0 : ALL_PROGRAMS, t);

	for (int i = 1; one_by_one && i < n; i++)
		load(path, i, t);
	if (n < 1 || n > MAX_PROGRAMS) {
		printf("%s FAILED: the object has %d programs; use an object with 1 to %d\n", path,
		       n, MAX_PROGRAMS);
		tally_add(t, 0);
	}
}
