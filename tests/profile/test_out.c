/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests output formats and output files; a file must be complete and private, and visible
 * only when complete.
 */

#include "../check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../loader/out/out.h"
#include "../../loader/profile/data.h"
#include "made.h"

static const struct made a_profile = { .n_processes = 3, .n_samples = 300, .finished = true };

static struct prof_reader *reader_of(const char *bytes, size_t len)
{
	struct prof_reader *r = NULL;

	assert_int_equal(prof_reader_new(made_fd(bytes, len), "in", &r), 0);
	return r;
}

/* Converts @bytes to another format. */
static char *converted(const char *format, const char *bytes, size_t len, size_t *out_len)
{
	struct prof_reader *in = reader_of(bytes, len);
	char *out = NULL;
	FILE *f = open_memstream(&out, out_len);
	int r = out_format_find(format)->write(in, f);

	fclose(f);
	if (r != 0)
		fail_msg("%s", prof_reader_error(in));
	prof_reader_free(&in);
	return out;
}

static void an_output_format_is_found_by_its_name_and_by_the_file_suffix(void **state)
{
	(void)state;
	assert_ptr_equal(out_format_find("ndjson"), &out_ndjson);
	assert_ptr_equal(out_format_find("a/b.ndjson"), &out_ndjson);
	assert_ptr_equal(out_format_find("x.ndjson.gz"), &out_ndjson_gz);
	assert_ptr_equal(out_format_find("ndjson.zst"), &out_ndjson_zst);
	assert_ptr_equal(out_format_find("x.folded"), &out_folded);
	assert_null(out_format_find("x.gz"));
	assert_null(out_format_find("xfolded"));
	assert_null(out_format_find(".ndjson.gz.bak"));
	assert_ptr_equal(out_format_find("pprof"), &out_pprof);
	assert_ptr_equal(out_format_find("x.pb.gz"), &out_pprof);
	assert_ptr_equal(out_format_find("a.b.speedscope.json"), &out_speedscope);
	assert_ptr_equal(out_format_find("x.json.gz"), &out_firefox);
	assert_ptr_equal(out_format_find("x.%t.cpuprofile"), &out_cpuprofile);
	assert_ptr_equal(out_format_find("x.perf.txt"), &out_perf_script);
	assert_ptr_equal(out_format_find("perf-script"), &out_perf_script);
	assert_ptr_equal(out_format_find("x.svg"), &out_svg);
	assert_null(out_format_find("x.json"));
	assert_null(out_format_find("x.txt"));
	assert_null(out_format_find("x.pprof"));
	assert_null(out_format_find(""));
}

static void the_lines_of_a_profile_are_unchanged_after_compression_and_decompression(void **state)
{
	static const char *const way[] = { "ndjson.gz", "ndjson.zst", "ndjson.gz",
					   "ndjson",	"ndjson.zst", "ndjson" };
	size_t len, now_len;
	char *text = made_bytes(&a_profile, &len), *now = strdup(text);

	(void)state;
	now_len = len;
	for (size_t i = 0; i < sizeof(way) / sizeof(*way); i++) {
		size_t next_len;
		char *next = converted(way[i], now, now_len, &next_len);

		if (strcmp(way[i], "ndjson") != 0)
			assert_true(next_len < len / 2);
		free(now);
		now = next;
		now_len = next_len;
	}
	assert_int_equal(now_len, len);
	assert_memory_equal(now, text, len);
	free(now);
	free(text);
}

#define H "{\"type\":\"header\",\"schema\":1,\"hz\":99}\n"
#define P(pid, name) "{\"type\":\"process\",\"pid\":" pid ",\"name\":\"" name "\"}\n"
#define F(id, keys) "{\"type\":\"frame\",\"id\":" id "," keys "}\n"
#define S(id, frames, end) "{\"type\":\"stack\",\"id\":" id ",\"frames\":[" frames "]," end "}\n"
#define N(pid, stack, n)                                                                           \
	"{\"type\":\"samples\",\"pid\":" pid ",\"tid\":1,\"stack\":" stack ",\"count\":" n "}\n"
#define COMPLETE "\"status\":\"complete\""

struct folded_row {
	const char *in, *out;
};

static const struct folded_row folded_rows[] = {
	{ H, "" },
	/* The root comes first; file and line follow if they are known. */
	{ H P("1", "a") F("1", "\"name\":\"leaf\",\"file\":\"/x.js\",\"line\":3")
		  F("2", "\"name\":\"root\",\"file\":\"/y.js\"") S("1", "1,2", COMPLETE)
			  N("1", "1", "4"),
	  "root (/y.js);leaf (/x.js) 4\n" },
	/* A function has one label, with the line on which it starts. */
	{ H F("1", "\"name\":\"f\",\"file\":\"/x.js\",\"line\":3,\"start_line\":2,"
		   "\"start_column\":9")
		  F("2", "\"name\":\"f\",\"file\":\"/x.js\",\"line\":4,\"start_line\":2,"
			 "\"start_column\":9") F("3", "\"name\":\"f\",\"file\":\"/x.js\"")
			  S("1", "1", COMPLETE) S("2", "2", COMPLETE) S("3", "3", COMPLETE)
				  N("1", "1", "1") N("1", "2", "2") N("1", "3", "4"),
	  "f (/x.js:2) 7\n" },
	/* Functions that start on the same line are distinguished by their column. */
	{ H F("1", "\"name\":\"f\",\"file\":\"/x.js\",\"start_line\":2,\"start_column\":9") F(
		  "2", "\"name\":\"f\",\"file\":\"/x.js\",\"start_line\":2,"
		       "\"start_column\":40") F("3", "\"name\":\"f\",\"file\":\"/x.js\"")
		  F("4", "\"name\":\"f\",\"file\":\"/y.js\",\"start_line\":2,"
			 "\"start_column\":7") S("1", "1,4", COMPLETE) S("2", "2", COMPLETE)
			  S("3", "3", COMPLETE) N("1", "1", "1") N("1", "2", "2") N("1", "3", "4"),
	  "f (/y.js:2);f (/x.js:2:9) 1\nf (/x.js:2:40) 2\nf (/x.js) 4\n" },
	/* Anonymous functions without a known start are distinguished by the executed line. */
	{ H F("1", "\"name\":\"(anonymous)\",\"file\":\"/x.js\",\"line\":3") F(
		  "2", "\"name\":\"(anonymous)\",\"file\":\"/x.js\",\"line\":4")
		  S("1", "1", COMPLETE) S("2", "2", COMPLETE) N("1", "1", "1") N("1", "2", "2"),
	  "(anonymous) (/x.js:3) 1\n(anonymous) (/x.js:4) 2\n" },
	/* Characters that would end a line or affect a terminal are replaced. */
	{ H F("1",
	      "\"name\":\"a;b\\n\\u001b[1m\\u202e\\u0085;\",\"file\":\"/x;y\\t.js\",\"line\":1")
		  S("1", "1", COMPLETE) N("1", "1", "1"),
	  "a:b??[1m??: (/x:y?.js) 1\n" },
	/* Stacks with equal texts become one line, even if their ids differ. */
	{ H F("1", "\"name\":\"f\"") F("2", "\"name\":\"f\",\"tier\":\"x\"") S("1", "1", COMPLETE)
		  S("2", "2", COMPLETE) N("1", "1", "1") N("1", "2", "2") N("1", "1", "4"),
	  "f 7\n" },
	{ H F("1", "\"name\":\"f\"") S("1", "1",
				       "\"status\":\"truncated\",\"reason\":\"depth;limit\"")
		  S("2", "1", "\"status\":\"failed\",\"reason\":\"fault\"")
			  S("3", "", "\"status\":\"failed\"") S("4", "", COMPLETE) N("1", "1", "1")
				  N("1", "2", "2") N("1", "3", "3") N("1", "4", "4"),
	  "[truncated: depth:limit];f 1\n[failed: fault];f 2\n[failed: no reason given] 3\n"
	  "[no frame] 4\n" },
	/* The process comes first if several processes have samples. */
	{ H P("1", "a;b") P("2", "c") P("3", "idle") F("1", "\"name\":\"f\"") S("1", "1", COMPLETE)
		  S("2", "1", "\"status\":\"failed\",\"reason\":\"fault\"") N("1", "1", "1")
			  N("2", "2", "2") N("9", "1", "3"),
	  "a:b;f 1\nc;[failed: fault];f 2\npid 9;f 3\n" },
	/* After an exec, a process still counts as one. */
	{ H P("1", "sh") F("1", "\"name\":\"f\"") S("1", "1", COMPLETE) N("1", "1", "1")
		  P("1", "node") N("1", "1", "1"),
	  "f 2\n" },
	/* Awaiters are marked. */
	{ H F("1", "\"name\":\"f\",\"file\":\"/x.js\",\"line\":3,\"async\":true")
		  F("2", "\"name\":\"f\",\"file\":\"/x.js\",\"line\":3") S("1", "2,1", COMPLETE)
			  N("1", "1", "1"),
	  "async f (/x.js);f (/x.js) 1\n" },
	/* Without a name. */
	{ H F("1", "\"kind\":\"native\",\"module\":\"/lib/libz.so.1\",\"off\":\"0x1f\"")
		  F("2", "\"kind\":\"js\",\"off\":\"0x1f\"")
			  F("3", "\"kind\":\"js\",\"reason\":\"gone\",\"name\":\"\"")
				  S("1", "1,2,3", COMPLETE) N("1", "1", "1"),
	  "[js: gone];[js 0x1f];libz.so.1+0x1f 1\n" },
	/* Two places of one function without a name. */
	{ H F("1", "\"kind\":\"native\",\"module\":\"/lib/libz.so.1\",\"off\":\"0x1f\","
		   "\"start_off\":\"0x10\"")
		  F("2", "\"kind\":\"native\",\"module\":\"/lib/libz.so.1\",\"off\":\"0x12\","
			 "\"start_off\":\"0x10\"")
			  F("3", "\"kind\":\"jit\",\"off\":\"0x7f12\",\"start_off\":\"0x7f00\"")
				  S("1", "3,1", COMPLETE) S("2", "3,2", COMPLETE) N("1", "1", "1")
					  N("1", "2", "1"),
	  "libz.so.1+0x10;[jit 0x7f00] 2\n" },
};

static void folded_stacks_are_valid_input_of_flamegraph(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(folded_rows) / sizeof(*folded_rows); i++) {
		size_t len;
		char *out = converted("folded", folded_rows[i].in, strlen(folded_rows[i].in), &len);

		assert_string_equal(out, folded_rows[i].out);
		free(out);
	}
}

/* Parses lines as flamegraph.pl does: stack, space, number. Returns the sum, or -1. */
static long long sum_of_folded(char *text)
{
	long long sum = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *space = strrchr(line, ' '), *end;
		long long n = space ? strtoll(space + 1, &end, 10) : -1;

		if (!space || space == line || end == space + 1 || *end || n < 1)
			return -1;
		sum += n;
	}
	return sum;
}

static void the_counts_of_all_folded_stacks_add_up_to_the_number_of_samples(void **state)
{
	size_t len, folded_len;
	char *text = made_bytes(&a_profile, &len);
	char *folded = converted("folded", text, len, &folded_len);
	struct prof_reader *in = reader_of(text, len);
	struct prof_data *d = NULL;

	(void)state;
	assert_int_equal(data_read(in, &d), 0);
	assert_int_equal(strlen(folded), folded_len);
	for (size_t i = 0; i < folded_len; i++)
		assert_true(folded[i] == '\n' || (u8)folded[i] >= 0x20);
	assert_null(strstr(folded, "\xe2\x80\xae"));
	assert_null(strstr(folded, ";;"));
	assert_int_equal(sum_of_folded(folded), d->samples);
	assert_true(d->samples >= 300);
	/* Negative control: a wrong sum is detected. */
	assert_int_equal(sum_of_folded((char[]){ "a 1\nb c\n" }), -1);
	assert_int_equal(sum_of_folded((char[]){ "a 1\nb\r\n" }), -1);
	data_free(&d);
	prof_reader_free(&in);
	free(folded);
	free(text);
}

static u32 n_files_beside(const char *path)
{
	char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
	DIR *d = opendir(folder);
	struct dirent *entry;
	u32 n = 0;

	while ((entry = readdir(d)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(d);
	free(folder);
	return n;
}

static void a_written_file_is_private_and_replaces_the_old_file(void **state)
{
	size_t len;
	char *text = made_bytes(&a_profile, &len), *path = made_path("out.ndjson");
	struct prof_reader *in = reader_of(text, len);
	struct stat st;

	(void)state;
	made_file(path, "old", 3);
	chmod(path, 0644);
	assert_int_equal(out_write_file(&out_ndjson, in, path, OUT_OWNER_SELF), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, len);
	assert_int_equal(n_files_beside(path), 1);
	prof_reader_free(&in);
	made_remove(path);
	free(text);
}

static void an_existing_file_is_unchanged_if_the_converted_profile_is_broken(void **state)
{
	const char *broken = H "nonsense\n";
	char *path = made_path("out"), *now;
	size_t len;

	(void)state;
	made_file(path, "old", 3);
	for (u32 i = 0; i < 4; i++) {
		static const struct out_format *const formats[] = { &out_ndjson, &out_ndjson_gz,
								    &out_ndjson_zst, &out_folded };
		struct prof_reader *in = reader_of(broken, strlen(broken));

		assert_int_equal(out_write_file(formats[i], in, path, OUT_OWNER_SELF), -EBADMSG);
		assert_string_equal(prof_reader_error(in), "in:2: the line is not a JSON object");
		prof_reader_free(&in);
	}
	now = made_slurp(path, &len);
	assert_string_equal(now, "old");
	assert_int_equal(n_files_beside(path), 1);
	free(now);
	made_remove(path);
}

static void writing_beyond_the_file_size_limit_fails_and_leaves_no_file(void **state)
{
	static const char *const formats[] = { "ndjson", "ndjson.gz", "ndjson.zst", "folded",
					       "html" };
	size_t len;
	char *text = made_bytes(&a_profile, &len), *path = made_path("out");
	struct rlimit was, limit;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	for (size_t i = 0; i < 4; i++) {
		struct prof_reader *in = reader_of(text, len);
		int r;

		limit = (struct rlimit){ 2000, was.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		r = out_write_file(out_format_find(formats[i]), in, path, OUT_OWNER_SELF);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
		assert_int_equal(r, -EFBIG);
		assert_int_equal(n_files_beside(path), 0);
		assert_string_equal(prof_reader_error(in), "");
		prof_reader_free(&in);
	}
	made_remove(path);
	free(text);
}

static void writing_to_a_full_device_fails(void **state)
{
	static const char *const formats[] = { "ndjson", "ndjson.gz", "ndjson.zst", "folded",
					       "html" };
	size_t len;
	char *text = made_bytes(&a_profile, &len);

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct out_format *format = out_format_find(formats[i]);
		struct prof_reader *in = reader_of(text, len);

		assert_int_equal(out_write_file(format, in, "/dev/full", OUT_OWNER_SELF), -ENOSPC);
		prof_reader_free(&in);
		in = reader_of(text, len);
		assert_int_equal(out_write_file(format, in, "/dev/null", OUT_OWNER_SELF), 0);
		prof_reader_free(&in);
	}
	free(text);
}

static void opening_a_fifo_without_a_reader_fails_instead_of_blocking(void **state)
{
	char *path = made_path("fifo"), start[sizeof(H)] = "";
	struct prof_reader *in = reader_of(H, strlen(H));
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(out_write_file(&out_ndjson, in, path, OUT_OWNER_SELF), -ENXIO);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(out_write_file(&out_ndjson, in, path, OUT_OWNER_SELF), 0);
	assert_int_equal(read(fd, start, sizeof(start)), strlen(H));
	assert_string_equal(start, H);
	close(fd);
	prof_reader_free(&in);
	made_remove(path);
}

static void writing_fails_if_the_folder_is_missing_or_the_path_is_a_folder(void **state)
{
	struct prof_reader *in = reader_of(H, strlen(H));

	(void)state;
	assert_int_equal(out_write_file(&out_ndjson, in, "/nonexistent/x.ndjson", OUT_OWNER_SELF),
			 -ENOENT);
	assert_int_equal(out_write_file(&out_ndjson, in, "/tmp", OUT_OWNER_SELF), -EISDIR);
	prof_reader_free(&in);
}

static void the_partial_file_is_removed_on_success_and_kept_on_failure(void **state)
{
	static const char *const formats[] = { "ndjson", "ndjson.zst", "folded" };
	size_t len;
	char *text = made_bytes(&a_profile, &len);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct out_format *format = out_format_find(formats[i]);
		char *path = made_path("final"), *partial = made_path(".final.partial");
		struct stat st;

		made_file(partial, text, len);
		chmod(partial, 0644);
		assert_int_equal(out_finish(format, partial, "/nonexistent/f", OUT_OWNER_SELF),
				 -ENOENT);
		assert_int_equal(n_files_beside(partial), 1);
		assert_int_equal(out_finish(format, partial, path, OUT_OWNER_SELF), 0);
		assert_int_equal(n_files_beside(partial), 0);
		assert_int_equal(n_files_beside(path), 1);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal((size_t)st.st_size == len, i == 0);
		made_remove(path);
		made_remove(partial);
	}
	free(text);
}

/* With an unbuffered stream nothing is left that the final flush could fail to write. */
static int write_unbuffered(void *data, FILE *out)
{
	(void)data;
	setvbuf(out, NULL, _IONBF, 0);
	fputs("lost", out);
	return 0;
}

static void a_write_error_in_the_middle_of_a_file_is_returned(void **state)
{
	struct out_job job = { write_unbuffered, NULL };

	(void)state;
	assert_int_equal(out_write(&job, "/dev/full", OUT_OWNER_SELF), -EIO);
	assert_int_equal(out_write(&job, "/dev/null", OUT_OWNER_SELF), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_write_error_in_the_middle_of_a_file_is_returned),
	cmocka_unit_test(an_output_format_is_found_by_its_name_and_by_the_file_suffix),
	cmocka_unit_test(the_lines_of_a_profile_are_unchanged_after_compression_and_decompression),
	cmocka_unit_test(folded_stacks_are_valid_input_of_flamegraph),
	cmocka_unit_test(the_counts_of_all_folded_stacks_add_up_to_the_number_of_samples),
	cmocka_unit_test(a_written_file_is_private_and_replaces_the_old_file),
	cmocka_unit_test(an_existing_file_is_unchanged_if_the_converted_profile_is_broken),
	cmocka_unit_test(writing_beyond_the_file_size_limit_fails_and_leaves_no_file),
	cmocka_unit_test(writing_to_a_full_device_fails),
	cmocka_unit_test(opening_a_fifo_without_a_reader_fails_instead_of_blocking),
	cmocka_unit_test(writing_fails_if_the_folder_is_missing_or_the_path_is_a_folder),
	cmocka_unit_test(the_partial_file_is_removed_on_success_and_kept_on_failure),
};

int main(void)
{
	return CHECK_RUN(tests);
}
