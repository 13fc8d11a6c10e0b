// SPDX-License-Identifier: BSD-2-Clause

/*
 * Reads, checks and repairs a jitdump. The repaired file must be readable, and must not have more
 * LOAD records than the input.
 */

#include "fuzz.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../inspect/jitdump/jd_check.h"
#include "../../inspect/jitdump/jd_elf.h"
#include "../../inspect/jitdump/jd_repair.h"

/*
 * Counts the faults that a repair must fix. A repair cannot fix other faults, because it does not
 * know the right values.
 */
static void found(void *data, const struct jd_finding *f)
{
	u64 *n = data;

	FUZZ_MUST(f->rule < JD_N_RULES && f->text[0], "an empty finding");
	*n += jd_rules[f->rule].severity != JD_NOTE && f->rule != JD_R_TIME_WALL &&
	      f->rule != JD_R_TIME_FUTURE && f->rule != JD_R_MACHINE_ZERO &&
	      f->rule != JD_R_ARCH_TIME && f->rule != JD_R_ARCH_TIME_WRONG;
}

static void report(void *data, u64 off, const char *words)
{
	(void)data;
	(void)off;
	FUZZ_MUST(words[0], "an empty report");
}

static u64 n_loads(const struct jd_file *f)
{
	struct jdr_record rec;
	u64 at = 0, n = 0;

	while (jd_file_next(f, &at, &rec) == JDR_RECORD)
		n += rec.id == JD_LOAD && !rec.fault;
	return n;
}

static void repair(const struct jd_file *f, bool resync)
{
	struct jd_repair how = { .resync = resync, .on_change = report };
	struct jd_repaired result = { 0 };
	struct jd_file made = { 0 };
	u64 n_found = 0;
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, &made.len);

	FUZZ_MUST(out && jd_repair_file(f, &how, out, &result) == 0 && !fclose(out),
		  "not repaired");
	made.bytes = (u8 *)bytes;
	FUZZ_MUST(jdr_header(made.bytes, made.len, &made.h) == 0, "no header");
	jd_check_file(&made, &(struct jd_check){ .found = found, .data = &n_found });
	FUZZ_MUST(n_found == 0, "the repaired file still has %llu faults", n_found);
	FUZZ_MUST(
		n_loads(&made) == result.loads,
		"the reported number of LOAD records differs from the number in the repaired file");
	FUZZ_MUST(resync || result.loads == n_loads(f),
		  "the file has %llu LOAD records, but the repaired file has %llu", n_loads(f),
		  result.loads);
	free(bytes);
}

static void make_elf(const struct jd_file *f)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), err;
	u64 n = 0;

	FUZZ_MUST(fd >= 0, "no file");
	err = jd_elf_write(f, fd, ~0ull - 1, &n);
	FUZZ_MUST(err ? err == -ENODATA || err == -EINVAL || err == -E2BIG : n > 0, "error %d",
		  err);
	close(fd);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct jd_file f = { .bytes = (u8 *)data, .len = size };
	u64 n_found = 0;

	if (jdr_header(data, size, &f.h))
		return 0;
	jd_check_file(&f, &(struct jd_check){ .found = found, .data = &n_found });
	repair(&f, false);
	repair(&f, true);
	make_elf(&f);
	return 0;
}
