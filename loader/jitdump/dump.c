// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump dump`: prints every record as text or as JSON lines. */

#include "../../inspect/util/clock.h"
#include "jitdump.h"

#include <stdio.h>

#include "../../inspect/util/cleanup.h"
#include "../profile/json_line.h"

struct dump_options {
	const char *file;
	bool is_json, with_lines;
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print one JSON line per record, for jq", 1 },
	{ "lines", 'l', NULL, 0, "Also print the entries of debug records", 1 },
	{ 0 },
};

static const char *const kinds[JD_N_IDS] = {
	[JD_LOAD] = "load",
	[JD_MOVE] = "move",
	[JD_DEBUG_INFO] = "debug_info",
	[JD_CLOSE] = "close",
	[JD_UNWINDING_INFO] = "unwinding_info",
};

static const char *const faults[JDR_N_FAULTS] = {
	[JDR_SHORT] = "too short",
	[JDR_NO_NUL] = "name without a terminating NUL",
	[JDR_NO_CODE] = "code missing",
	[JDR_ADDR] = "code beyond the address space",
	[JDR_UNWIND_LEN] = "inconsistent sizes",
};

static const struct cli_field fields[] = {
	{ 'j', offsetof(struct dump_options, is_json), cli_set_flag, NULL },
	{ 'l', offsetof(struct dump_options, with_lines), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct dump_options, file), cli_set_text,
	  "missing argument; use unspool jitdump dump FILE" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE",
	.doc = "Print every record of the jitdump FILE in file order. 'unspool jitdump check' "
	       "checks the records.\v"
	       "Exit status: 0 success, 1 FILE can't be read or its last record is incomplete.",
};

static void print_entries(const struct jdr_header *h, const struct jdr_record *rec)
{
	struct jdr_cursor c = { 0 };
	struct jdr_entry e;
	int r;

	while ((r = jdr_entry(h, rec, &c, &e)) > 0)
		printf("%30s%#llx %s:%u:%u\n", "", e.addr, jitdump_safe(e.file), e.line, e.column);
	if (r < 0)
		printf("%30sthe entries extend beyond the record\n", "");
}

static void print_record(const struct dump_options *o, const struct jdr_header *h, u64 off,
			 const struct jdr_record *rec)
{
	printf("%10llu %6llu.%09llu ", off, rec->time / NS_PER_S, rec->time % NS_PER_S);
	if (rec->fault != JDR_SOUND && rec->fault != JDR_NO_CODE)
		printf("%s of %u bytes: %s\n", kinds[rec->id], rec->size, faults[rec->fault]);
	else if (rec->id == JD_LOAD)
		printf("load %llu: %#llx, %llu bytes%s, thread %u: %s\n", rec->load.index,
		       rec->load.addr, rec->load.code_len,
		       rec->load.code ? "" : " (not in the file)", rec->load.tid,
		       jitdump_safe(rec->load.name));
	else if (rec->id == JD_MOVE)
		printf("move %llu: from %#llx to %#llx, %llu bytes, thread %u\n", rec->move.index,
		       rec->move.old_addr, rec->move.new_addr, rec->move.code_len, rec->move.tid);
	else if (rec->id == JD_DEBUG_INFO)
		printf("debug_info: code at %#llx, %llu entries\n", rec->debug.addr, rec->debug.n);
	else if (rec->id == JD_UNWINDING_INFO)
		printf("unwinding_info: .eh_frame %llu bytes, .eh_frame_hdr %llu%s, mapped %llu\n",
		       rec->unwind.eh_frame_len, rec->unwind.hdr_len,
		       rec->unwind.hdr_is_first ? " (first)" : "", rec->unwind.mapped);
	else if (rec->id == JD_CLOSE)
		puts("close");
	else
		printf("kind %u, %u bytes\n", rec->id, rec->size);
	if (o->with_lines && rec->id == JD_DEBUG_INFO && rec->fault == JDR_SOUND)
		print_entries(h, rec);
}

static void json_entries(struct json_line *l, const struct jdr_header *h,
			 const struct jdr_record *rec)
{
	struct jdr_cursor c = { 0 };
	struct jdr_entry e;

	json_line_open(l, "entries", '[');
	while (jdr_entry(h, rec, &c, &e) > 0) {
		json_line_open(l, NULL, '{');
		json_line_hex(l, "addr", e.addr);
		json_line_string(l, "file", e.file);
		json_line_u64(l, "line", e.line);
		json_line_u64(l, "column", e.column);
		json_line_close(l, '}');
	}
	json_line_close(l, ']');
}

static void json_fields(struct json_line *l, const struct jdr_header *h,
			const struct jdr_record *rec, bool with_lines)
{
	if (rec->id == JD_LOAD) {
		json_line_u64(l, "index", rec->load.index);
		json_line_hex(l, "addr", rec->load.addr);
		json_line_u64(l, "code_size", rec->load.code_len);
		json_line_u64(l, "tid", rec->load.tid);
		json_line_string(l, "name", rec->load.name);
	} else if (rec->id == JD_MOVE) {
		json_line_u64(l, "index", rec->move.index);
		json_line_hex(l, "from", rec->move.old_addr);
		json_line_hex(l, "to", rec->move.new_addr);
		json_line_u64(l, "code_size", rec->move.code_len);
		json_line_u64(l, "tid", rec->move.tid);
	} else if (rec->id == JD_DEBUG_INFO) {
		json_line_hex(l, "addr", rec->debug.addr);
		json_line_u64(l, "n", rec->debug.n);
		if (with_lines)
			json_entries(l, h, rec);
	} else if (rec->id == JD_UNWINDING_INFO) {
		json_line_u64(l, "eh_frame", rec->unwind.eh_frame_len);
		json_line_u64(l, "eh_frame_hdr", rec->unwind.hdr_len);
		json_line_u64(l, "mapped", rec->unwind.mapped);
		json_line_true(l, "hdr_first", rec->unwind.hdr_is_first);
	} else if (rec->id >= JD_N_IDS) {
		json_line_u64(l, "id", rec->id);
	}
}

static int json_record(struct json_line *l, const struct dump_options *o,
		       const struct jdr_header *h, u64 off, const struct jdr_record *rec)
{
	json_line_start(l, rec->id < JD_N_IDS ? kinds[rec->id] : "unknown");
	json_line_u64(l, "off", off);
	json_line_u64(l, "size", rec->size);
	json_line_u64(l, "time", rec->time);
	if (rec->fault == JDR_SOUND || rec->fault == JDR_NO_CODE)
		json_fields(l, h, rec, o->with_lines);
	json_line_string(l, "fault", faults[rec->fault]);
	return json_line_write(l, stdout);
}

static int json_header(struct json_line *l, const struct jdr_header *h)
{
	json_line_start(l, "header");
	json_line_u64(l, "version", h->version);
	json_line_u64(l, "size", h->size);
	json_line_u64(l, "machine", h->mach);
	json_line_hex(l, "pad", h->pad);
	json_line_u64(l, "pid", h->pid);
	json_line_u64(l, "time", h->time);
	json_line_hex(l, "flags", h->flags);
	json_line_true(l, "swapped", h->is_swapped);
	return json_line_write(l, stdout);
}

/* Reports the end of the file. Returns CLI_OK if the file ends with a complete record. */
static int end(const struct jd_file *f, const char *path, u64 at, enum jdr_status status)
{
	if (at == f->len)
		return CLI_OK;
	if (status == JDR_CORRUPT)
		cli_error("%s: no record at offset %llu; 'unspool jitdump repair --resync' looks "
			  "for records after it",
			  path, at);
	else
		cli_error("%s: the last %llu bytes are an incomplete record", path, f->len - at);
	return CLI_FAILURE;
}

int jitdump_dump(int argc, char **argv)
{
	_cleanup_(jd_file_deinit) struct jd_file f = { 0 };
	_cleanup_(json_line_deinit) struct json_line line = { 0 };
	struct dump_options o = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &o), err = 0;
	enum jdr_status found;
	struct jdr_record rec;
	u64 at = 0;

	if (status != CLI_CONTINUE)
		return status;
	status = jitdump_open(&f, o.file);
	if (status)
		return status;
	if (o.is_json)
		err = json_header(&line, &f.h);
	else
		printf("version %u, machine %u, pid %u, flags %#llx%s%s\n", f.h.version, f.h.mach,
		       f.h.pid, f.h.flags, f.h.is_swapped ? ", non-native byte order" : "",
		       jdr_is_v8(&f.h) ? ", written by V8" : "");
	while (!err && (found = jd_file_next(&f, &at, &rec)) == JDR_RECORD) {
		if (o.is_json)
			err = json_record(&line, &o, &f.h, at - rec.size, &rec);
		else
			print_record(&o, &f.h, at - rec.size, &rec);
	}
	status = jitdump_flush();
	return status || err ? CLI_FAILURE : end(&f, o.file, at, found);
}
