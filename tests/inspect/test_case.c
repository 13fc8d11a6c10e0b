/* SPDX-License-Identifier: BSD-2-Clause */

/* Case files that are written and read again, and invalid cases, which the writer refuses. */

#include "../check.h"
#include "made_case.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static char folder[] = "/tmp/test_case.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_case(const struct case_file *c, const char *name)
{
	struct case_error error;

	if (case_write(c, path_of(name), &error))
		fail_msg("%s", error.text);
}

static struct case_file *read_case(const char *name)
{
	struct case_error error;
	struct case_file *c;

	if (case_read(path_of(name), &error, &c))
		fail_msg("%s", error.text);
	return c;
}

static void same_text(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_ptr_equal(a, b);
}

static void same_memory(const struct case_file *a, const struct case_file *b)
{
	assert_int_equal(a->n_ranges, b->n_ranges);
	for (u32 i = 0; i < a->n_ranges; i++) {
		const struct case_range *r = &a->ranges[i], *s = &b->ranges[i];

		assert_true(r->addr == s->addr && r->len == s->len && r->origin == s->origin &&
			    r->holds == s->holds && r->prot == s->prot);
		assert_memory_equal(r->bytes, s->bytes, r->len);
	}
	assert_int_equal(a->n_faults, b->n_faults);
	assert_memory_equal(a->faults, b->faults, a->n_faults * sizeof(*a->faults));
	assert_int_equal(a->n_reads, b->n_reads);
	for (u32 i = 0; i < a->n_reads; i++)
		assert_true(a->reads[i].addr == b->reads[i].addr &&
			    a->reads[i].len == b->reads[i].len &&
			    a->reads[i].is_fault == b->reads[i].is_fault);
}

static void same_tables(const struct case_file *a, const struct case_file *b)
{
	assert_int_equal(a->extent, b->extent);
	assert_int_equal(a->n_mappings, b->n_mappings);
	for (u32 i = 0; i < a->n_mappings; i++) {
		assert_memory_equal(&a->mappings[i].map, &b->mappings[i].map,
				    sizeof(struct uw_mapping));
		same_text(a->mappings[i].path, b->mappings[i].path);
		same_text(a->mappings[i].build_id, b->mappings[i].build_id);
	}
	assert_int_equal(a->n_v8_builds, b->n_v8_builds);
	assert_memory_equal(a->v8_builds, b->v8_builds, a->n_v8_builds * sizeof(struct v8_info));
	assert_int_equal(a->n_rows, b->n_rows);
	for (u32 i = 0; i < a->n_rows; i++) {
		assert_int_equal(a->rows[i].module, b->rows[i].module);
		assert_int_equal(a->rows[i].file_off, b->rows[i].file_off);
		assert_memory_equal(&a->rows[i].rule, &b->rows[i].rule, sizeof(struct uw_rule));
	}
	assert_int_equal(a->n_functions, b->n_functions);
	for (u32 i = 0; i < a->n_functions; i++) {
		same_text(a->functions[i].name, b->functions[i].name);
		assert_int_equal(a->functions[i].start_addr, b->functions[i].start_addr);
		assert_int_equal(a->functions[i].len, b->functions[i].len);
	}
	assert_int_equal(a->n_files, b->n_files);
	for (u32 i = 0; i < a->n_files; i++) {
		same_text(a->files[i].path, b->files[i].path);
		assert_int_equal(a->files[i].start_addr, b->files[i].start_addr);
		assert_int_equal(a->files[i].end_addr, b->files[i].end_addr);
		assert_int_equal(a->files[i].file_off, b->files[i].file_off);
	}
	assert_int_equal(a->n_auxv, b->n_auxv);
	assert_memory_equal(a->auxv, b->auxv, a->n_auxv * sizeof(*a->auxv));
}

static void same_walk(const struct case_file *a, const struct case_file *b)
{
	assert_string_equal(a->walk->engine, b->walk->engine);
	assert_int_equal(a->walk->status, b->walk->status);
	assert_int_equal(a->walk->fault_addr, b->walk->fault_addr);
	assert_int_equal(a->walk->n_frames, b->walk->n_frames);
	assert_memory_equal(a->walk->frames, b->walk->frames,
			    a->walk->n_frames * sizeof(struct uw_frame));
	assert_int_equal(a->truth->status, b->truth->status);
	assert_int_equal(a->truth->n_pcs, b->truth->n_pcs);
	assert_memory_equal(a->truth->pcs, b->truth->pcs, a->truth->n_pcs * sizeof(u64));
	assert_int_equal(a->n_frames, b->n_frames);
	for (u32 i = 0; i < a->n_frames; i++) {
		const struct case_frame *f = &a->frames[i], *g = &b->frames[i];

		same_text(f->kind, g->kind);
		same_text(f->name, g->name);
		same_text(f->file, g->file);
		same_text(f->module, g->module);
		same_text(f->build_id, g->build_id);
		same_text(f->tier, g->tier);
		same_text(f->reason, g->reason);
		assert_true(f->pc == g->pc && f->off == g->off && f->line == g->line &&
			    f->column == g->column && f->inlined == g->inlined &&
			    f->guess == g->guess);
	}
}

/* Index of pc, sp, fp and lr in NT_PRSTATUS, as in <sys/user.h> and <asm/ptrace.h>. */
static const u32 named_regs[CASE_N_ARCHS][4] = { { 16, 19, 4, 99 }, { 32, 31, 29, 30 } };

static void same_registers(const struct case_file *a, const struct case_file *b)
{
	const u32 *named = named_regs[a->arch];

	assert_int_equal(a->arch, b->arch);
	assert_true(a->regs.pc == b->regs.pc && a->regs.sp == b->regs.sp &&
		    a->regs.fp == b->regs.fp && a->regs.lr == b->regs.lr);
	assert_true(b->regs.has_all);
	for (u32 i = 0; i < (a->arch == CASE_ARM64 ? 34 : 27); i++)
		if (i != named[0] && i != named[1] && i != named[2] && i != named[3])
			assert_int_equal(a->regs.all[i], b->regs.all[i]);
	assert_int_equal(b->regs.all[named[0]], a->regs.pc);
	assert_int_equal(b->regs.all[named[1]], a->regs.sp);
	assert_int_equal(b->regs.all[named[2]], a->regs.fp);
}

static void case_file_is_read_with_the_contents_that_were_written(void **state)
{
	static const char *const names[] = { "a.core", "a.core.zst" };

	(void)state;
	for (u32 arch = 0; arch < CASE_N_ARCHS; arch++)
		for (u32 i = 0; i < N(names); i++) {
			const struct case_file *a = made_case(arch);
			struct case_file *b;

			write_case(a, names[i]);
			b = read_case(names[i]);
			same_registers(a, b);
			same_memory(a, b);
			same_tables(a, b);
			same_walk(a, b);
			assert_int_equal(a->va_mask, b->va_mask);
			assert_true(a->pid == b->pid && a->tid == b->tid && b->is_redacted &&
				    !b->is_plain_core);
			same_text(a->runtime, b->runtime);
			same_text(a->version, b->version);
			case_free(&b);
		}
}

/* A minimal case: without a truth, a walk, tables and memory. */
static void empty_case_file_is_read_with_the_contents_that_were_written(void **state)
{
	struct case_file c = { .regs = { 1, 2, 3, 0, false, { 0 } }, .va_mask = 0xffff }, *b;

	(void)state;
	write_case(&c, "empty.core");
	b = read_case("empty.core");
	assert_true(b->regs.pc == 1 && b->regs.sp == 2 && b->regs.fp == 3 && !b->regs.has_all);
	assert_null(b->walk);
	assert_null(b->truth);
	assert_null(b->runtime);
	assert_string_equal(b->version, UNSPOOL_VERSION);
	assert_int_equal(b->extent + b->n_ranges + b->n_mappings + b->n_files + b->n_frames, 0);
	case_free(&b);
}

struct state_row {
	const char *what;
	u64 addr;
	u32 len;
	int result;
};

static const struct state_row state_rows[] = {
	{ "known", MADE_STACK, 8, 0 },
	{ "a read of known bytes across two ranges", MADE_STACK + 60, 8, 0 },
	{ "all bytes of two adjacent ranges", MADE_STACK, 128, 0 },
	{ "the last byte", MADE_STACK + 127, 1, 0 },
	{ "nothing", MADE_FAULT, 0, 0 },
	{ "the byte after the last known byte", MADE_STACK + 128, 1, -ENODATA },
	{ "a read from known bytes past the last known byte", MADE_STACK + 124, 8, -ENODATA },
	{ "a read from before the first known byte", MADE_STACK - 4, 8, -ENODATA },
	{ "between ranges", 0x500000, 8, -ENODATA },
	{ "below all", 0, 8, -ENODATA },
	{ "a fault", MADE_FAULT, 8, -EFAULT },
	{ "into a fault", MADE_FAULT - 8, 9, -EFAULT },
	{ "immediately before a fault", MADE_FAULT - 8, 8, -ENODATA },
	{ "out of a fault", MADE_FAULT + 4095, 8, -EFAULT },
	{ "after a fault", MADE_FAULT + 4096, 8, -ENODATA },
	{ "the last byte of the address space", ~0ull, 1, -EFAULT },
	{ "a read across the end of the address space", ~0ull - 3, 8, -EFAULT },
};

static void each_read_from_a_case_returns_recorded_bytes_or_a_fault_or_no_data(void **state)
{
	struct case_file *c;

	(void)state;
	write_case(made_case(CASE_X86_64), "a.core");
	c = read_case("a.core");
	for (u32 i = 0; i < N(state_rows); i++) {
		const struct state_row *row = &state_rows[i];
		u8 bytes[256];
		int result;

		memset(bytes, 0xa5, sizeof(bytes));
		result = case_bytes(c, row->addr, bytes, row->len);
		if (result != row->result)
			fail_msg("%s: %d", row->what, result);
		for (u32 k = 0; k < row->len; k++)
			assert_int_equal(bytes[k],
					 result ? 0xa5 : (u8)(row->addr - MADE_STACK + k));
		assert_int_equal(bytes[row->len], 0xa5);
	}
	case_free(&c);
}

static void invalid_utf8_in_a_text_is_replaced(void **state)
{
	static const char *const runtimes[][2] = {
		{ "n\xffo", "n\xef\xbf\xbdo" }, { "\xc3", "\xef\xbf\xbd" },
		{ "d\x7fl", "d\xef\xbf\xbdl" }, { "r\xc3\xa9", "r\xc3\xa9" },
		{ "\x1b[31m\"", "\x1b[31m\"" },
	};

	(void)state;
	for (u32 i = 0; i < N(runtimes); i++) {
		struct case_file c = *made_case(CASE_X86_64), *b;
		char *text;

		c.runtime = runtimes[i][0];
		write_case(&c, "a.core");
		b = read_case("a.core");
		assert_string_equal(b->runtime, runtimes[i][1]);
		text = case_note_text(b);
		for (const char *p = text; *p; p++)
			assert_true(*p == '\n' || ((u8)*p >= 0x20 && (u8)*p < 0x7f));
		free(text);
		case_free(&b);
	}
}

static void frame_flags_are_read_with_the_values_that_were_written(void **state)
{
	const u8 all = UW_FRAME_RA | UW_FRAME_GUESS | UW_FRAME_NO_ROWS | UW_FRAME_ASYNC |
		       UW_FRAME_FIRST_RUN | UW_FRAME_SYSCALL;
	const struct uw_frame frames[] = { { .kind = UW_NATIVE, .flags = all },
					   { .kind = UW_V8_JS, .flags = UW_FRAME_ASYNC } };
	const struct case_walk walk = { "kernel", frames, 2, UW_END, 0 };
	struct case_file a = *made_case(CASE_X86_64), *b;

	(void)state;
	a.walk = &walk;
	write_case(&a, "flags.core");
	b = read_case("flags.core");
	same_walk(&a, b);
	case_free(&b);
}

/* Each row makes one change to a valid case, which makes the case invalid. */
static struct case_range some_ranges[3];
static struct case_fault some_faults[2];
static struct case_mapping some_mappings[2];
static struct case_read some_reads[4];
static struct uw_frame some_frames[2];
static struct case_walk some_walk;

static void swap_ranges(struct case_file *c)
{
	(void)c;
	some_ranges[0] = made_case(CASE_X86_64)->ranges[1];
	some_ranges[1] = made_case(CASE_X86_64)->ranges[0];
}

static void overlap_ranges(struct case_file *c)
{
	(void)c;
	some_ranges[1].len = 65;
}

static void wrap_range(struct case_file *c)
{
	c->n_faults = 0;
	some_ranges[2].addr = ~0ull - 8;
}

static void empty_range(struct case_file *c)
{
	(void)c;
	some_ranges[2].len = 0;
}

static void no_bytes(struct case_file *c)
{
	(void)c;
	some_ranges[2].bytes = NULL;
}

static void too_much(struct case_file *c)
{
	c->n_reads = 0;
	some_ranges[2].len = 256ull << 20;
}

static void fault_in_range(struct case_file *c)
{
	(void)c;
	some_faults[0] = (struct case_fault){ MADE_STACK + 120, 8 };
}

static void faults_overlap(struct case_file *c)
{
	(void)c;
	some_faults[0].len = ~0ull - MADE_FAULT;
}

static void read_not_recorded(struct case_file *c)
{
	(void)c;
	some_reads[1].addr = MADE_STACK + 100;
}

static void read_that_fails_in_memory(struct case_file *c)
{
	(void)c;
	some_reads[1].is_fault = true;
}

static void read_that_works_in_a_fault(struct case_file *c)
{
	(void)c;
	some_reads[3].is_fault = false;
}

static void reads_of_no_walk(struct case_file *c)
{
	c->walk = NULL;
	c->n_frames = 0;
}

static void extent_too_far(struct case_file *c)
{
	c->extent = 1ull << 32 | 2;
}

static void mappings_overlap(struct case_file *c)
{
	(void)c;
	some_mappings[0].map.end_addr = MADE_FILE + 1;
}

static void mapping_of_no_kind(struct case_file *c)
{
	(void)c;
	some_mappings[1].map.kind = UW_N_MAP_KINDS;
}

static struct case_row some_rows[2];

static void change_row(struct case_file *c, struct case_row row)
{
	some_rows[0] = c->rows[0];
	some_rows[1] = row;
	c->rows = some_rows;
}

static void rows_in_disorder(struct case_file *c)
{
	change_row(c, c->rows[0]);
}

static void row_of_no_module(struct case_file *c)
{
	change_row(c, (struct case_row){ 0, 0x2011, { .cfa = UW_CFA_NONE } });
}

static void row_of_no_rule(struct case_file *c)
{
	change_row(c, (struct case_row){ 7, 0x2011, { .cfa = UW_N_CFAS } });
}

static void frame_of_no_kind(struct case_file *c)
{
	(void)c;
	some_frames[1].kind = UW_N_KINDS;
}

static void frame_of_no_status(struct case_file *c)
{
	(void)c;
	some_frames[1].status = UW_N_STATUS;
}

static void frame_of_no_flag(struct case_file *c)
{
	(void)c;
	some_frames[1].flags = UW_FRAME_SYSCALL << 1;
}

static void no_mask(struct case_file *c)
{
	c->va_mask = 0x1234;
}

static void link_register_of_x86_64(struct case_file *c)
{
	c->regs.lr = 0x1234;
}

static const struct {
	const char *words;
	void (*spoil)(struct case_file *c);
	int err;
} impossible[] = {
	{ "memory range 1 must start above", swap_ranges, -EINVAL },
	{ "memory range 2 must start above", overlap_ranges, -EINVAL },
	{ "memory 2 is invalid", wrap_range, -EINVAL },
	{ "memory 2 is invalid", empty_range, -EINVAL },
	{ "memory 2 has no bytes", no_bytes, -EINVAL },
	{ "256 MiB", too_much, -E2BIG },
	{ "fault 0 overlaps memory", fault_in_range, -EINVAL },
	{ "fault range 1 must start above", faults_overlap, -EINVAL },
	{ "read 1 contradicts", read_not_recorded, -EINVAL },
	{ "read 1 contradicts", read_that_fails_in_memory, -EINVAL },
	{ "read 3 contradicts", read_that_works_in_a_fault, -EINVAL },
	{ "but no walk", reads_of_no_walk, -EINVAL },
	{ "extent", extent_too_far, -EINVAL },
	{ "mapping 1 must start at or above", mappings_overlap, -EINVAL },
	{ "mapping 1 is invalid", mapping_of_no_kind, -EINVAL },
	{ "unwind row 1 must come after", rows_in_disorder, -EINVAL },
	{ "row 1 is invalid", row_of_no_module, -EINVAL },
	{ "row 1 is invalid", row_of_no_rule, -EINVAL },
	{ "frame 1 of the walk", frame_of_no_kind, -EINVAL },
	{ "frame 1 of the walk", frame_of_no_status, -EINVAL },
	{ "frame 1 of the walk", frame_of_no_flag, -EINVAL },
	{ "mask", no_mask, -EINVAL },
	{ "no lr", link_register_of_x86_64, -EINVAL },
};

static void invalid_case_is_not_written(void **state)
{
	(void)state;
	for (u32 i = 0; i < N(impossible); i++) {
		struct case_file c = *made_case(CASE_X86_64);
		struct case_error error = { "" };
		int err;

		memcpy(some_ranges, c.ranges, sizeof(some_ranges));
		memcpy(some_faults, c.faults, sizeof(some_faults));
		memcpy(some_mappings, c.mappings, sizeof(some_mappings));
		memcpy(some_reads, c.reads, sizeof(some_reads));
		memcpy(some_frames, c.walk->frames, sizeof(some_frames));
		some_walk = *c.walk;
		some_walk.frames = some_frames;
		c.ranges = some_ranges;
		c.faults = some_faults;
		c.mappings = some_mappings;
		c.reads = some_reads;
		c.walk = &some_walk;
		unlink(path_of("bad.core"));
		assert_int_equal(case_write(&c, path_of("bad.core"), &error), 0);
		unlink(path_of("bad.core"));
		impossible[i].spoil(&c);
		err = case_write(&c, path_of("bad.core"), &error);
		if (err != impossible[i].err || !strstr(error.text, impossible[i].words) ||
		    !strstr(error.text, "bad.core: "))
			fail_msg("%s: %d, %s", impossible[i].words, err, error.text);
		assert_int_equal(access(path_of("bad.core"), F_OK), -1);
	}
}

static u32 count_files(void)
{
	char command[160];
	FILE *f;
	u32 n = 0;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", folder);
	f = popen(command, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &n), 1);
	pclose(f);
	return n;
}

static void old_case_file_is_replaced_completely_or_not_at_all(void **state)
{
	struct rlimit old, small = { 100, 100 };
	struct case_file *c;
	struct stat before, after;
	u32 n_files;

	(void)state;
	write_case(made_case(CASE_ARM64), "whole.core");
	assert_int_equal(stat(path_of("whole.core"), &before), 0);
	assert_int_equal(before.st_mode & 07777, 0600);
	n_files = count_files();
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(case_write(made_case(CASE_X86_64), path_of("whole.core"), NULL), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(count_files(), n_files);
	c = read_case("whole.core");
	assert_int_equal(c->arch, CASE_ARM64);
	case_free(&c);
	write_case(made_case(CASE_X86_64), "whole.core");
	assert_int_equal(stat(path_of("whole.core"), &after), 0);
	assert_true(before.st_ino != after.st_ino);
	assert_int_equal(count_files(), n_files);
}

static void case_is_not_written_to_an_invalid_file_name_or_a_missing_folder(void **state)
{
	struct case_error error;

	(void)state;
	assert_int_equal(case_write(made_case(CASE_X86_64), path_of("a.elf"), &error), -EINVAL);
	assert_non_null(strstr(error.text, "must end in .core"));
	assert_int_equal(case_write(made_case(CASE_X86_64), path_of("no/a.core"), &error), -ENOENT);
	assert_int_equal(case_write(made_case(CASE_X86_64), ".core", &error), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(case_file_is_read_with_the_contents_that_were_written),
	cmocka_unit_test(frame_flags_are_read_with_the_values_that_were_written),
	cmocka_unit_test(empty_case_file_is_read_with_the_contents_that_were_written),
	cmocka_unit_test(each_read_from_a_case_returns_recorded_bytes_or_a_fault_or_no_data),
	cmocka_unit_test(invalid_utf8_in_a_text_is_replaced),
	cmocka_unit_test(invalid_case_is_not_written),
	cmocka_unit_test(old_case_file_is_replaced_completely_or_not_at_all),
	cmocka_unit_test(case_is_not_written_to_an_invalid_file_name_or_a_missing_folder),
};

int main(void)
{
	char command[64];
	int status;

	if (!mkdtemp(folder))
		return 1;
	status = CHECK_RUN(tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : status;
}
