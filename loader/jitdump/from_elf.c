// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump from-elf`: converts an ELF file to a jitdump with the library that JITs use. */

#include "jitdump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/jitdump/unspool-jitdump.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/file_read.h"

#define MAX_IMAGE (1ull << 30)
#define MAX_RANGES 128

struct from_elf {
	const char *file, *out;
	bool is_one_record;
	struct jdw_image image;
	struct jdw_options writer;
	struct jdw_range ranges[MAX_RANGES];
	char *bytes;
	char temporary[4096];
};

enum { KEY_BIAS = 0x100, KEY_PREFIX, KEY_FALLBACK, KEY_ONE };

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write to OUT (required)", 1 },
	{ "bias", KEY_BIAS, "ADDR", 0,
	  "Add this load bias to all addresses of the image (default 0)", 1 },
	{ "pid", 'p', "PID", 0, "Write this pid into the header (default 0)", 1 },
	{ "prefix", KEY_PREFIX, "TEXT", 0, "Put TEXT before each name", 2 },
	{ "fallback", KEY_FALLBACK, "TEXT", 0,
	  "Name for code that has no name; %u is replaced by a number", 2 },
	{ "one-record", KEY_ONE, NULL, 0,
	  "Write one LOAD per segment, and write ::FUNCTION after each file name of its lines", 2 },
	{ 0 },
};

static error_t parse_number(struct cli_parse *p, const char *arg, u64 max, u64 *out)
{
	char *end;

	errno = 0;
	*out = strtoull(arg, &end, 0);
	if (*arg < '0' || *arg > '9' || *end || errno || *out > max)
		return cli_fail(p, "'%s' is not a number or too large", arg);
	return 0;
}

static error_t set_bias(struct cli_parse *p, const char *arg, void *member)
{
	return parse_number(p, arg, ~0ull, member);
}

static error_t set_pid(struct cli_parse *p, const char *arg, void *member)
{
	u64 number = 0;
	error_t err = parse_number(p, arg, 0x7fffffff, &number);

	*(u32 *)member = (u32)number;
	return err;
}

static const struct cli_field fields[] = {
	{ 'o', offsetof(struct from_elf, out), cli_set_text,
	  "missing argument; use unspool jitdump from-elf IMAGE -o OUT" },
	{ KEY_BIAS, offsetof(struct from_elf, image.bias), set_bias, NULL },
	{ 'p', offsetof(struct from_elf, writer.pid), set_pid, NULL },
	{ KEY_PREFIX, offsetof(struct from_elf, image.prefix), cli_set_text, NULL },
	{ KEY_FALLBACK, offsetof(struct from_elf, image.fallback), cli_set_text, NULL },
	{ KEY_ONE, offsetof(struct from_elf, is_one_record), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct from_elf, file), cli_set_text,
	  "missing argument; use unspool jitdump from-elf IMAGE -o OUT" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "IMAGE -o OUT",
	.doc = "Write the functions of the ELF file IMAGE as a jitdump, with names and lines from "
	       "its debug information (DWARF 2 to 5). Code outside of all functions is named after "
	       "IMAGE.\v"
	       "Exit status: 0 success, 1 IMAGE can't be read or OUT can't be written.",
};

static int read_image(struct from_elf *o, struct elf_file *elf)
{
	int fd = elf_file_fd(elf);
	off_t len = lseek(fd, 0, SEEK_END);
	int err;

	if (len < 0 || (u64)len > MAX_IMAGE)
		return -EFBIG;
	o->bytes = malloc((size_t)len + 1);
	if (!o->bytes)
		return -ENOMEM;
	err = file_read(fd, 0, o->bytes, (u64)len);
	if (err)
		return err;
	o->image.bytes = o->bytes;
	o->image.size = (size_t)len;
	return 0;
}

/* Finds the executable segments whose bytes the file contains. */
static int find_ranges(struct from_elf *o, struct elf_file *elf)
{
	const struct elf_segment *s;
	const char *name = basename(o->file);
	size_t n;

	s = elf_file_segments(elf, &n);
	for (size_t i = 0; i < n && o->image.n_ranges < MAX_RANGES; i++) {
		if (!s[i].is_exec || !s[i].file_len)
			continue;
		if (s[i].file_off + s[i].file_len > o->image.size)
			return -ENOEXEC;
		o->ranges[o->image.n_ranges++] =
			(struct jdw_range){ .name = o->image.fallback ? NULL : name,
					    .addr = s[i].addr + o->image.bias,
					    .code = o->bytes + s[i].file_off,
					    .size = s[i].file_len };
	}
	o->image.ranges = o->ranges;
	return o->image.n_ranges ? 0 : -ENOEXEC;
}

/* Writes a temporary file beside OUT, then renames it. */
static int write_dump(struct from_elf *o, struct jdw_image_result *result)
{
	const char *slash = strrchr(o->out, '/');
	struct jdw *w = NULL;
	int err;

	if (snprintf(o->temporary, sizeof(o->temporary), "%.*s.unspool-%d.dump",
		     slash ? (int)(slash - o->out) + 1 : 0, o->out,
		     getpid()) >= (int)sizeof(o->temporary))
		return -ENAMETOOLONG;
	o->writer.path = o->temporary;
	/* Reads e_machine as little-endian, because elf_file rejects big-endian files. */
	o->writer.machine = (u32)(u8)o->bytes[18] | (u32)(u8)o->bytes[19] << 8;
	err = jdw_open(&o->writer, &w);
	if (err)
		return err;
	err = jdw_add_image(w, &o->image, result);
	jdw_close(&w);
	if (!err && rename(o->temporary, o->out))
		err = -errno;
	if (err)
		unlink(o->temporary);
	return err;
}

static void cleanup_options(struct from_elf *o)
{
	free(o->bytes);
}

int jitdump_from_elf(int argc, char **argv)
{
	_cleanup_(cleanup_options) struct from_elf o = { 0 };
	_cleanup_(elf_file_free) struct elf_file *elf = NULL;
	int status = cli_set_fields(&argp, fields, argc, argv, &o), err;
	struct jdw_image_result result = { 0 };

	if (status != CLI_CONTINUE)
		return status;
	o.image.one_record = o.is_one_record;
	err = elf_file_open(&elf, o.file);
	if (!err)
		err = read_image(&o, elf);
	if (!err)
		err = find_ranges(&o, elf);
	if (err) {
		cli_error("can't read %s: %s", o.file,
			  err == -ENOEXEC ? "not a 64-bit ELF file with code" : strerror(-err));
		return CLI_FAILURE;
	}
	err = write_dump(&o, &result);
	if (err) {
		cli_error("can't write %s: %s", o.out, strerror(-err));
		return CLI_FAILURE;
	}
	fprintf(stderr, "%u records, %u with lines", result.records, result.with_lines);
	if (result.outside || result.overlapping || result.broken_units)
		fprintf(stderr,
			"; omitted: %u functions outside of the code, %u functions that overlap "
			"others, %u broken units",
			result.outside, result.overlapping, result.broken_units);
	fputc('\n', stderr);
	return CLI_OK;
}
