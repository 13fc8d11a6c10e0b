/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/json_memory.h"
#include "folded.h"
#include "json_line.h"
#include "lines.h"
#include "samples_line.h"
#include "source.h"

/*
 * Limit of a line's length. The longest line that the writer produces is a frame or
 * process with seven strings in which every byte became \uXXXX.
 */
#define LINE_CAP (1u << 20)
_Static_assert(LINE_CAP > 7 * 6 * (JSON_STRING_CAP + 64),
	       "the reader must accept the longest line that the writer writes");

#define READ_LEN (1u << 16)

#define NOT_A_PROFILE "not an Unspool profile; use an .ndjson or .html file, or folded stacks"

struct frame_change {
	prof_reader_change_fn *fn;
	void *data;
};

struct prof_reader {
	struct source *source;
	json_t *json; /* JSON of the last record returned */
	struct folded_lines *folded; /* NULL: the file has lines of a profile */
	struct frame_change changes[PROF_READER_MAX_CHANGES];
	u32 n_changes;
	struct json_line changed;
	int (*change_line)(void *data, json_t *line); /* NULL: no change */
	void *line_data;
	char *changed_line;
	char *name;
	u64 line, n_records;
	struct prof_features features;
	bool cut, ended;
	char error[512];
	size_t at, n; /* unread part of buf */
	char buf[LINE_CAP + READ_LEN];
};

int prof_reader_new(int fd, const char *name, struct prof_reader **reader)
{
	struct prof_reader *r = malloc(sizeof(*r));
	int err;

	if (!r) {
		close(fd);
		return -ENOMEM;
	}
	memset(r, 0, offsetof(struct prof_reader, buf));
	err = source_new(fd, &r->source);
	if (err == 0) {
		r->name = strdup(name);
		err = r->name ? 0 : -ENOMEM;
	}
	if (err < 0) {
		prof_reader_free(&r);
		return err;
	}
	*reader = r;
	return 0;
}

int prof_reader_open(const char *path, struct prof_reader **reader)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	return prof_reader_new(fd, is_stdin ? "stdin" : path, reader);
}

void prof_reader_free(struct prof_reader **reader)
{
	struct prof_reader *r = *reader;

	if (!r)
		return;
	source_free(&r->source);
	json_decref(r->json);
	folded_lines_free(&r->folded);
	json_line_deinit(&r->changed);
	free(r->changed_line);
	free(r->name);
	free(r);
	*reader = NULL;
}

static int fail_with(struct prof_reader *r, int err, const char *what)
{
	if (!r->error[0])
		snprintf(r->error, sizeof(r->error), "%.300s:%llu: %s", r->name, r->line, what);
	r->ended = true;
	return err;
}

int prof_reader_fail(struct prof_reader *r, const char *what)
{
	return fail_with(r, -EBADMSG, what);
}

/*
 * Moves unread bytes to the front and reads more. Returns the number of bytes read, or 0 at the
 * end.
 */
static ssize_t fill(struct prof_reader *r)
{
	ssize_t n;

	memmove(r->buf, r->buf + r->at, r->n - r->at);
	r->n -= r->at;
	r->at = 0;
	n = source_read(r->source, r->buf + r->n, sizeof(r->buf) - r->n);
	if (n > 0)
		r->n += (size_t)n;
	return n;
}

static int read_failed(struct prof_reader *r, int err)
{
	r->line++;
	if (err == -EBADMSG)
		return fail_with(r, -EBADMSG, "the compressed data is corrupt");
	if (err == -ENODATA)
		return fail_with(r, -EBADMSG, "the compressed data is truncated");
	if (err == -ENOMSG)
		return fail_with(r, -EBADMSG,
				 "not an Unspool profile: the HTML page has no record");
	return fail_with(r, err, strerror(-err));
}

/*
 * Sets *@line to the next complete line. Returns 1, 0 at the end of the file, or a negative
 * errno.
 */
static int next_line(struct prof_reader *r, const char **line, size_t *len)
{
	const char *end;
	size_t searched = 0;

	while (!(end = memchr(r->buf + r->at + searched, '\n', r->n - r->at - searched))) {
		searched = r->n - r->at;
		if (searched > LINE_CAP) {
			r->line++;
			return prof_reader_fail(r, "the line is longer than 1 MiB");
		}

		ssize_t n = fill(r);

		if (n < 0)
			return read_failed(r, (int)n);
		if (n == 0) {
			r->cut = r->n > 0;
			r->ended = true;
			return 0;
		}
	}
	*line = r->buf + r->at;
	*len = (size_t)(end - *line);
	r->at += *len + 1;
	r->line++;
	return 1;
}

static int fold_failed(struct prof_reader *r, int err)
{
	if (err == -EBADMSG)
		return prof_reader_fail(r, "the line is not a folded stack");
	if (err == -ENOSPC)
		return prof_reader_fail(r, "the folded stacks have too many names");
	return fail_with(r, err, strerror(-err));
}

/* Like next_line(), but converts folded stacks to profile lines first. */
static int next_profile_line(struct prof_reader *r, const char **line, size_t *len)
{
	int err;

	while (!r->folded || !folded_lines_next(r->folded, line, len)) {
		int n = next_line(r, line, len);

		if (n < 1 || (r->line == 1 && !folded_is_line(*line, *len)))
			return n;
		if (!r->folded && r->line > 1)
			return n;
		err = r->folded ? 0 : folded_lines_new(&r->folded);
		if (err == 0)
			err = folded_lines_take(r->folded, *line, *len);
		if (err < 0)
			return fold_failed(r, err);
	}
	return 1;
}

/*
 * Checks that the first line is a header, and that no other line is one, because a second
 * header would begin a second profile.
 */
static int check_place(struct prof_reader *r, const struct prof_record *record)
{
	bool is_header = record->type == PROF_REC_HEADER;

	if (!r->n_records && !is_header)
		return prof_reader_fail(r,
					"not an Unspool profile: the first line is not a header");
	if (r->n_records && is_header)
		return prof_reader_fail(r, "second header: the file contains two profiles");
	r->n_records++;
	return 1;
}

static int parse(struct prof_reader *r, const char *line, size_t len, struct prof_record *record)
{
	const char *wrong;
	json_error_t e;

	if (!r->change_line && samples_line_parse(line, len, record))
		return 1;
	json_decref(r->json);
	/*
	 * The error message of jansson is not used, because it quotes the line, and the line is
	 * hostile.
	 */
	r->json = json_loadb(line, len, 0, &e);
	if (json_memory_failed())
		return fail_with(r, -ENOMEM, strerror(ENOMEM));
	if (r->line == 1 && !json_object_get(r->json, "type"))
		return prof_reader_fail(r, NOT_A_PROFILE);
	if (!r->json)
		return prof_reader_fail(r, "the line is not a JSON object");
	if (prof_record_parse(r->json, record, &wrong) < 0)
		return prof_reader_fail(r, wrong);
	return 1;
}

static int next_record(struct prof_reader *r, struct prof_record *record)
{
	const char *line = NULL;
	size_t len = 0;
	int n;

	if (r->ended)
		return r->error[0] ? -EBADMSG : 0;
	n = next_profile_line(r, &line, &len);
	if (n < 0)
		return n;
	if (n == 0 && r->line == 0)
		return prof_reader_fail(r, "not an Unspool profile: the file has no complete line");
	if (n == 0)
		return 0;
	n = parse(r, line, len, record);
	if (n < 0)
		return n;
	record->line = line;
	record->len = len;
	prof_features_add(&r->features, record);
	return check_place(r, record);
}

void prof_reader_resume(struct prof_reader *r)
{
	r->ended = r->error[0];
	r->cut = false;
	source_resume(r->source);
}

static int no_memory(struct prof_reader *r)
{
	return fail_with(r, -ENOMEM, strerror(ENOMEM));
}

static int change_frame(struct prof_reader *r, struct prof_record *record)
{
	bool is_changed = false;

	if (record->type != PROF_REC_FRAME)
		return 1;
	for (u32 i = 0; i < r->n_changes; i++)
		is_changed |= r->changes[i].fn(r->changes[i].data, &record->frame.frame);
	if (!is_changed)
		return 1;
	line_frame(&r->changed, &record->frame.frame, record->frame.id);
	record->line = json_line_end(&r->changed, &record->len);
	if (!record->line)
		return no_memory(r);
	if (!r->change_line)
		return 1;
	json_decref(r->json);
	r->json = json_loadb(record->line, record->len, 0, NULL);
	return r->json ? 1 : no_memory(r);
}

/* Returns 1, 0 if the line is dropped, or a negative errno. */
static int change_line(struct prof_reader *r, struct prof_record *record)
{
	const char *wrong;
	int n;

	if (!r->change_line)
		return 1;
	n = r->change_line(r->line_data, r->json);
	if (n < 0)
		return fail_with(r, n, strerror(-n));
	if (n == 0)
		return 0;
	free(r->changed_line);
	r->changed_line = json_dumps(r->json, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (!r->changed_line)
		return no_memory(r);
	if (prof_record_parse(r->json, record, &wrong) < 0)
		return prof_reader_fail(r, wrong);
	record->line = r->changed_line;
	record->len = strlen(r->changed_line);
	return 1;
}

int prof_reader_next(struct prof_reader *r, struct prof_record *record)
{
	int n;

	do {
		n = next_record(r, record);
		if (n == 1)
			n = change_frame(r, record);
		if (n < 1)
			return n;
		n = change_line(r, record);
	} while (n == 0);
	return n;
}

void prof_reader_change_frames(struct prof_reader *r, prof_reader_change_fn *change, void *data)
{
	if (r->n_changes < PROF_READER_MAX_CHANGES)
		r->changes[r->n_changes++] = (struct frame_change){ change, data };
}

void prof_reader_set_lines(struct prof_reader *r, int (*change)(void *data, json_t *line),
			   void *data)
{
	r->change_line = change;
	r->line_data = data;
}

u32 prof_reader_features(const struct prof_reader *r)
{
	return r->features.set;
}

bool prof_reader_is_cut(const struct prof_reader *r)
{
	return r->cut;
}

const char *prof_reader_error(const struct prof_reader *r)
{
	return r->error;
}
