// SPDX-License-Identifier: BSD-2-Clause

/* Helpers that several subcommands of `unspool jitdump` share. */

#include "../../inspect/util/array.h"
#include "../../inspect/util/clock.h"
#include "jitdump.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../inspect/util/term.h"
#include "../out/out.h"

int jitdump_open(struct jd_file *f, const char *path)
{
	int err = jd_file_read(f, path);

	if (err == 0)
		return CLI_OK;
	if (err == -EBADMSG)
		cli_error("%s is not a jitdump: its first bytes are not JiTD or DTiJ", path);
	else if (err == -ENODATA)
		cli_error("%s is shorter than the header of a jitdump", path);
	else if (err == -EFBIG)
		cli_error("%s is larger than 2 GiB; 'unspool jitdump tail' has no limit", path);
	else if (err == -EINVAL)
		cli_error("%s is not a regular file", path);
	else
		cli_error("can't read %s: %s", path, strerror(-err));
	return CLI_FAILURE;
}

const char *jitdump_safe(const char *name)
{
	static char texts[4][512];
	static unsigned int next;
	char *text = texts[next++ % 4];

	return term_escape(name, text, sizeof(texts[0]));
}

int jitdump_flush(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CLI_OK;
	cli_error("can't write: %s", strerror(errno));
	return CLI_FAILURE;
}

u64 jitdump_now(const char *path)
{
	u64 now = monotonic_ns(), written;
	struct stat st;

	if (stat(path, &st))
		return 0;
	written = timespec_ns(st.st_mtim);
	return written > clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) ? now : 0;
}

u32 jitdump_machine(const char *word)
{
	static const struct {
		const char *name;
		u32 machine;
	} known[] = {
		{ "x86_64", EM_X86_64 }, { "arm64", EM_AARCH64 }, { "aarch64", EM_AARCH64 },
		{ "x86", EM_386 },	 { "arm", EM_ARM },	  { "riscv", EM_RISCV },
		{ "s390", EM_S390 },	 { "ppc64", EM_PPC64 },	  { "loongarch", EM_LOONGARCH },
	};
	char *end;
	unsigned long number = strtoul(word, &end, 10);

	if (*word >= '0' && *word <= '9' && !*end && number <= 0xffff)
		return (u32)number;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(word, known[i].name) == 0)
			return known[i].machine;
	return 0;
}

int jitdump_write(const struct out_job *job, const char *path)
{
	int err;

	/* A file size limit must fail the write instead of killing the process. */
	signal(SIGXFSZ, SIG_IGN);
	if (!path || strcmp(path, "-") == 0) {
		err = job->write(job->data, stdout);
		return err == 0 ? jitdump_flush() : CLI_FAILURE;
	}
	err = out_write(job, path, OUT_OWNER_SELF);
	if (err == 0)
		return CLI_OK;
	cli_error("can't write %s: %s", path, strerror(-err));
	return CLI_FAILURE;
}

error_t jitdump_set_time(struct cli_parse *p, const char *arg, void *member)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(arg, &end);
	if (end == arg || *end || errno || !(seconds >= 0 && seconds < 1e10))
		return cli_fail(p, "'%s' is not a time in seconds", arg);
	*(u64 *)member = (u64)(seconds * 1e9 + 0.5);
	return 0;
}
