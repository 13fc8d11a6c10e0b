// SPDX-License-Identifier: BSD-2-Clause

#include "jd_check_run.h"

#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct jd_rule_text jd_rules[JD_N_RULES] = {
#define X(rule, severity, spelled, cure) { JD_##severity, spelled, cure },
	JD_RULES(X)
#undef X
};

static void report(struct jd_run *r, u64 off, enum jd_rule rule, const char *fmt, va_list ap)
{
	struct jd_finding found = { .off = off, .rule = rule };

	vsnprintf(found.text, sizeof(found.text), fmt, ap);
	r->c->found(r->c->data, &found);
}

void jd_found(struct jd_run *r, enum jd_rule rule, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(r, r->off, rule, fmt, ap);
	va_end(ap);
}

void jd_found_at(struct jd_run *r, u64 off, enum jd_rule rule, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(r, off, rule, fmt, ap);
	va_end(ap);
}

/* A time of 2001 or later in nanoseconds is wall-clock time, not time since boot. */
#define WALL_NS 978307200000000000ull

static void check_name(struct jd_run *r)
{
	const char *name = r->c->file_name;
	char *end = NULL;
	u64 pid;

	if (!name)
		return;
	pid = strncmp(name, "jit-", 4) == 0 && name[4] >= '0' && name[4] <= '9'
		      ? strtoull(name + 4, &end, 10)
		      : 0;
	if (!end || strcmp(end, ".dump") != 0)
		jd_found_at(r, 0, JD_R_FILE_NAME, "perf does not recognize '%.60s' as a jitdump",
			    name);
	else if (pid != r->f->h.pid)
		jd_found_at(r, JD_H_PID, JD_R_PID_NAME,
			    "the header has pid %u, but the file name has %llu", r->f->h.pid, pid);
}

void jd_check_header(struct jd_run *r)
{
	const struct jdr_header *h = &r->f->h;

	if (h->version != JD_VERSION)
		jd_found_at(r, JD_H_VERSION, JD_R_HEADER_VERSION, "version %u%s", h->version,
			    h->version > JD_VERSION ? "; perf rejects it" : "");
	if (h->size != JD_H_LEN)
		jd_found_at(r, JD_H_SIZE, JD_R_HEADER_SIZE,
			    "the header's size is %u; perf reads the bytes after the first 40 as "
			    "records",
			    h->size);
	if (h->flags & ~JD_FLAG_ARCH_TIME)
		jd_found_at(r, JD_H_FLAGS, JD_R_HEADER_FLAGS,
			    "flags %#llx are unknown; perf rejects the file", h->flags);
	else if (h->flags)
		jd_found_at(r, JD_H_FLAGS, JD_R_ARCH_TIME,
			    "times are ticks of the processor's counter");
	if (!h->mach)
		jd_found_at(r, JD_H_MACH, JD_R_MACHINE_ZERO, "the machine is 0");
	if (h->pad)
		jd_found_at(r, JD_H_PAD, JD_R_HEADER_PAD, "padding is %#x%s", h->pad,
			    jdr_is_v8(h) ? ", the mark of V8" : "");
	/* V8 and CPython write microseconds here. */
	if (h->time > WALL_NS / 1000)
		jd_found_at(r, JD_H_TIME, JD_R_HEADER_TIME, "the header's time is wall-clock time");
	if (r->c->is_unmapped)
		jd_found_at(r, 0, JD_R_MARKER,
			    "process %u writes this file, but has not mapped it executable",
			    h->pid);
	check_name(r);
}

/*
 * Times near CLOCK_MONOTONIC are not ticks, because a tick counter does not stay near the clock for
 * long, even at the same rate.
 */
bool jd_time_is_clock(const struct jdr_header *h, u64 first, u64 now)
{
	return now && h->time && first >= h->time && first - h->time < 1000000000 && first < now &&
	       now - first < now / 16;
}

static void check_time(struct jd_run *r)
{
	u64 time = r->rec.time, now = r->c->now;
	bool is_ticks = r->f->h.flags & JD_FLAG_ARCH_TIME;

	if (time < r->last_time)
		jd_found(r, JD_R_TIME_BACKWARD,
			 "the record's time is %llu ns before that of the previous record",
			 r->last_time - time);
	else
		r->last_time = time;
	if (is_ticks) {
		if (r->n == 0 && jd_time_is_clock(&r->f->h, time, now))
			jd_found_at(r, JD_H_FLAGS, JD_R_ARCH_TIME_WRONG,
				    "the flags say that times are ticks, but they are "
				    "CLOCK_MONOTONIC");
		return;
	}
	if (time >= WALL_NS && !r->is_wall_reported) {
		r->is_wall_reported = true;
		jd_found(r, JD_R_TIME_WALL,
			 "the record's time is wall-clock time, so perf finds no sample for it");
	} else if (time < WALL_NS && now && time > now && !r->is_future_reported) {
		r->is_future_reported = true;
		jd_found(r, JD_R_TIME_FUTURE, "the record's time is %.3f s in the future",
			 (double)(time - now) / 1e9);
	}
}

static int check_record(struct jd_run *r)
{
	const struct jdr_record *rec = &r->rec;

	check_time(r);
	if (r->close_off) {
		jd_found_at(r, r->close_off, JD_R_CLOSE_EARLY, "records follow CLOSE");
		r->close_off = 0;
	}
	if (rec->fault == JDR_SHORT) {
		jd_found(r, JD_R_RECORD_SHORT, "%u bytes are too short for a record of kind %u",
			 rec->size, rec->id);
		return 0;
	}
	switch (rec->id) {
	case JD_LOAD:
		return jd_check_load(r);
	case JD_MOVE:
		return jd_check_move(r);
	case JD_DEBUG_INFO:
		jd_check_debug(r);
		return 0;
	case JD_UNWINDING_INFO:
		jd_check_unwind(r);
		return 0;
	case JD_CLOSE:
		r->close_off = r->off;
		return 0;
	default:
		jd_found(r, rec->size == JD_P_LEN ? JD_R_SIZE_16 : JD_R_UNKNOWN_ID,
			 "unknown record kind %u", rec->id);
		return 0;
	}
}

/*
 * .NET 10 (10.0.12) writes the code of stub blocks whose memory is not committed yet, so the write
 * fails half-way and the runtime stops writing its jitdump (dotnet/runtime#132935).
 */
static const char *why_partial(const u8 *bytes, u64 left)
{
	static const char block[] = "stub ReportStubBlock";

	return left > JD_L_NAME + sizeof(block) &&
			       memcmp(bytes + JD_L_NAME, block, sizeof(block) - 1) == 0
		       ? "; .NET 10 stopped writing here; DOTNET_PerfMapStubGranularity=2 "
			 "avoids this"
		       : "";
}

/* Whether a prefix is implausible, so that these bytes are probably not the start of a record. */
static bool is_no_prefix(const struct jd_run *r, const u8 *bytes)
{
	u64 time = jdr_u64(&r->f->h, bytes + JD_P_TIME);

	return jdr_u32(&r->f->h, bytes + JD_P_ID) >= JD_N_IDS ||
	       (r->n && (time < r->last_time || time - r->last_time > JD_RESYNC_NS));
}

static void check_end(struct jd_run *r, enum jdr_status status)
{
	u64 left = r->f->len - r->off;
	const u8 *bytes = r->f->bytes + r->off;

	if (status == JDR_CORRUPT ||
	    (left >= JD_P_LEN && status == JDR_NEED_MORE && is_no_prefix(r, bytes)))
		jd_found(
			r, JD_R_CORRUPT,
			"no valid record (size %u) starts here; the last %llu bytes are unreadable",
			jdr_u32(&r->f->h, bytes + JD_P_SIZE), left);
	else if (status == JDR_END_FOR_NOW)
		jd_found(r, JD_R_ZERO_TAIL, "the last %llu bytes are not a record", left);
	else if (left >= JD_P_LEN)
		jd_found(r, JD_R_PARTIAL_TAIL,
			 "the last record should have %u bytes, but the file ends after %llu%s",
			 jdr_u32(&r->f->h, bytes + JD_P_SIZE), left, why_partial(bytes, left));
	else if (left)
		jd_found(r, JD_R_PARTIAL_TAIL,
			 "the file ends after the first %llu bytes of a record", left);
}

s64 jd_check_file(const struct jd_file *f, const struct jd_check *c)
{
	struct jd_run r = { .f = f, .c = c };
	enum jdr_status status;
	u64 at = 0;
	int err = 0;

	jd_check_header(&r);
	for (;; r.n++) {
		/* In the first call, @at is 0, so the first record is the one after the header. */
		status = jd_file_next(f, &at, &r.rec);
		r.off = status == JDR_RECORD ? at - r.rec.size : at;
		if (status != JDR_RECORD)
			break;
		err = check_record(&r);
		if (err)
			break;
	}
	if (!err) {
		jd_check_orphans(&r);
		check_end(&r, status);
	}
	tdestroy(r.numbers, free);
	jd_index_deinit(&r.index);
	return err ? err : (s64)r.n;
}
