/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * unspool top: a table of the last seconds of a recording.
 *
 *	recording --> profile, in a file without a name --> live --> page --> screen or stdout
 *
 * The recording is that of `unspool record`, and the table is made by the queries of `unspool
 * report`.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/term.h"
#include "../../inspect/util/text_stream.h"
#include "../commands.h"
#include "../record/record.h"
#include "../report/report.h"
#include "keys.h"
#include "live.h"
#include "options.h"
#include "screen.h"

#define MESSAGE_NS (5 * NS_PER_S)
#define PRINTED_LINES 24 /* without a terminal */

struct top {
	struct top_options options;
	struct recording *recording;
	struct top_keys keys;
	struct live *live;
	struct screen *screen; /* NULL: tables are printed */
	struct top_page page;
	struct text_stream saved_text;
	FILE *saved; /* names of the profiles that were written, a line each */
	char message[256];
	u64 message_ns; /* time of the message */
	u64 shown_ns; /* time of the last table */
	int err;
};

static void fail(struct top *t, int err)
{
	t->err = t->err ? t->err : err;
	if (err)
		t->recording->stop = true;
}

static void print_page(struct top *t)
{
	int err = top_page_make(&t->page, live_window(t->live), t->recording->name, &t->keys.choice,
				report_width(stdout), PRINTED_LINES, NULL);

	for (u32 i = 0; !err && i < t->page.n; i++)
		puts(t->page.v[i].text);
	putchar('\n');
	fail(t, err);
	if (fflush(stdout))
		t->recording->stop = true; /* the reader of a pipe has enough */
}

static void draw(struct top *t)
{
	char foot[TOP_KEYS_FOOT_LEN];
	u32 width, height;
	bool has_message = t->message[0] && monotonic_ns() - t->message_ns < MESSAGE_NS;

	screen_size(t->screen, &width, &height);
	top_keys_foot(&t->keys, foot);
	fail(t, top_page_make(&t->page, live_window(t->live), t->recording->name, &t->keys.choice,
			      width, height, has_message ? t->message : foot));
	if (!t->err)
		screen_draw(t->screen, &t->page);
}

static void show(struct top *t)
{
	if (t->screen)
		draw(t);
	else
		print_page(t);
}

static void save(struct top *t)
{
	char path[PATH_MAX], escaped[128];
	int err = recording_copy(t->recording, path);

	t->message_ns = monotonic_ns();
	if (err) {
		snprintf(t->message, sizeof(t->message), "can't write the profile: %s",
			 strerror(-err));
		return;
	}
	if (t->saved)
		fprintf(t->saved, "%s\n", path);
	snprintf(t->message, sizeof(t->message), "saved %s",
		 term_escape(path, escaped, sizeof(escaped)));
}

static void on_tick(void *data)
{
	struct top *t = data;
	bool is_changed = false;
	int key;

	while (t->screen && (key = screen_key(t->screen)) != SCREEN_NONE) {
		switch (top_keys_press(&t->keys, key, t->page.n_rows)) {
		case TOP_QUIT:
			t->recording->stop = true;
			break;
		case TOP_SAVE:
			save(t);
			break;
		case TOP_CONTINUE:
			t->message[0] = 0;
		}
		is_changed = true;
	}
	if (is_changed)
		draw(t);
}

static int read_from_start(struct top *t, u64 now_ns)
{
	struct prof_reader *in = NULL;
	int err = outputs_read(&t->recording->outputs, &in);

	live_free(&t->live);
	return err ? err : live_new(&t->live, in, now_ns);
}

/* Limits the size of the profile. The window is empty then, so a frozen table is lost, too. */
static int limit_size(struct top *t, u64 now_ns)
{
	struct stat st;
	int err;

	if (fstat(fileno(t->recording->outputs.partial), &st))
		return -errno;
	if ((u64)st.st_size <= t->options.max_profile)
		return 0;
	err = recording_begin_again(t->recording);
	if (!err)
		err = read_from_start(t, now_ns);
	return err ? err : live_move(t->live);
}

static void on_second(void *data, u64 now_ns)
{
	struct top *t = data;
	struct prof_totals totals = recording_totals(t->recording);
	int err = live_read(t->live, now_ns, totals.lost);

	if (!err && !t->keys.is_frozen)
		err = live_move(t->live);
	if (!err && now_ns - t->shown_ns + NS_PER_S / 2 >= t->options.interval_ns) {
		t->shown_ns = now_ns;
		show(t);
	}
	fail(t, err ? err : limit_size(t, now_ns));
}

static void begin(void *data)
{
	struct top *t = data;
	struct recording *r = t->recording;
	int err;

	outputs_hide(&r->outputs);
	err = read_from_start(t, r->start_ns);
	t->shown_ns = r->start_ns;
	t->saved = text_stream_open(&t->saved_text);
	if (!err)
		err = live_move(t->live);
	fail(t, err);
	if (!err && t->recording->mutes_command && screen_new(&t->screen))
		cli_error("this terminal is unknown (TERM=%s), so tables are printed",
			  getenv("TERM") ? getenv("TERM") : "");
	if (!t->options.interval_ns)
		t->options.interval_ns = t->screen ? NS_PER_S : LIVE_WINDOW_S * NS_PER_S;
	if (t->screen)
		draw(t);
}

static void end(void *data)
{
	struct top *t = data;
	_cleanup_free_ char *saved = NULL;
	size_t len;

	screen_free(&t->screen);
	if (t->saved && !text_stream_close(&t->saved_text, t->saved, &saved, &len))
		fputs(saved, stderr);
	if (!t->err)
		return;
	cli_error("can't show the profile: %s", strerror(-t->err));
}

/* Without a terminal, prints the samples that are newer than the last table. */
static void print_rest(struct top *t)
{
	u64 now_ns = monotonic_ns();

	if (t->screen || t->err || now_ns - t->shown_ns < NS_PER_S / 2 ||
	    profile_flush(t->recording->profile))
		return;
	t->options.interval_ns = 0;
	on_second(t, now_ns);
}

static void finish(void *data)
{
	print_rest(data);
	end(data);
}

static int run(struct top *t)
{
	struct recording_view view = {
		.begin = begin, .end = finish, .on_tick = on_tick, .on_second = on_second, .data = t
	};
	int status;

	t->recording->view = &view;
	t->recording->options = t->options.record;
	t->recording->mutes_command = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	t->keys.choice = t->options.choice;
	status = recording_run(t->recording);
	live_free(&t->live);
	top_page_deinit(&t->page);
	return t->err ? CLI_FAILURE : status;
}

int cmd_top(int argc, char **argv)
{
	struct top t = { .recording = recording_new() };
	struct cli_parse parse = { 0 };
	int status;

	if (!t.recording)
		return CLI_FAILURE;
	status = top_options_parse(argc, argv, &t.options, &parse);
	if (status) {
		cli_error("%s", parse.error);
		status = status == -ENOMEM ? CLI_FAILURE : CLI_USAGE;
		record_options_deinit(&t.options.record);
	} else {
		status = parse.done ? CLI_OK : run(&t);
	}
	recording_free(&t.recording);
	return status;
}
