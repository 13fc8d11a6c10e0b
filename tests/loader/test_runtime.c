/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the detection of the runtime of live processes. For each
 * $UNSPOOL_NODE_DIR/VERSION/bin/node the expected result is the output of --version; without
 * that directory the tests of Node.js are omitted.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../loader/targets/runtime.h"
#include "child.h"

static struct runtime_info detect(struct runtime_cache *cache, pid_t pid)
{
	struct runtime_info info;

	assert_int_equal(runtime_detect(cache, pid, &info), 0);
	return info;
}

static void a_process_without_a_runtime_is_native(void **state)
{
	struct runtime_cache *cache = NULL;
	struct runtime_info info;

	(void)state;
	assert_int_equal(runtime_cache_new(&cache), 0);
	info = detect(cache, getpid());
	assert_string_equal(info.name, "native");
	assert_true(info.is_supported && !info.has_runtime);
	assert_string_equal(info.why_not, "");
	runtime_cache_free(&cache);
	assert_null(cache);
}

static void detection_of_a_runtime_fails_if_the_process_has_exited(void **state)
{
	pid_t pid = child_start((char *[]){ "/bin/true", NULL });
	struct runtime_cache *cache = NULL;
	struct runtime_info info = { .name = "untouched" };

	(void)state;
	waitpid(pid, NULL, 0);
	assert_int_equal(runtime_cache_new(&cache), 0);
	assert_int_equal(runtime_detect(cache, pid, &info), -ESRCH);
	assert_string_equal(info.name, "untouched");
	runtime_cache_free(&cache);
}

/* .NET is recognized by the contents of its library, not by the name. */
static void the_name_coreclr_alone_does_not_make_a_library_a_dotnet_runtime(void **state)
{
	char dir[] = "/tmp/test-runtime-XXXXXX", path[64];
	struct runtime_cache *cache = NULL;
	struct runtime_info info;
	void *map;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/libcoreclr.so", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	assert_int_equal(ftruncate(fd, 4096), 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_int_equal(runtime_cache_new(&cache), 0);
	if (map != MAP_FAILED)
		info = detect(cache, getpid());
	unlink(path);
	rmdir(dir);
	runtime_cache_free(&cache);
	assert_true(map != MAP_FAILED);
	munmap(map, 4096);
	assert_string_equal(info.name, "native");
	assert_true(!info.has_runtime);
}

#define PAGE 4096

/* Maps the first @len bytes of a copy of @source at the page @place, like a library. */
static void map_copy(const char *source, size_t len, u8 *place)
{
	int in = open(source, O_RDONLY | O_CLOEXEC), out = memfd_create("library", MFD_CLOEXEC);
	void *map;

	assert_true(in >= 0 && out >= 0);
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	assert_int_equal(ftruncate(out, (off_t)len), 0);
	map = mmap(place, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, out, 0);
	close(in);
	close(out);
	assert_ptr_equal(map, place);
}

/* A V8 without metadata that is mapped before or after .NET counts as embedded in .NET. */
static void a_v8_without_metadata_in_a_dotnet_process_is_reported_as_embedded(void **state)
{
	struct runtime_info alone, first, last;
	struct runtime_cache *cache = NULL;
	u8 *room;

	(void)state;
	room = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(room != MAP_FAILED);
	assert_int_equal(runtime_cache_new(&cache), 0);
	map_copy(FAKE_BARE, 8 << 20, room);
	alone = detect(cache, getpid());
	map_copy(FAKE_CORECLR_dac10, 4 << 20, room + PAGE);
	first = detect(cache, getpid());
	munmap(room, PAGE);
	map_copy(FAKE_BARE, 8 << 20, room + 2 * PAGE);
	last = detect(cache, getpid());
	munmap(room + PAGE, 2 * PAGE);
	runtime_cache_free(&cache);
	assert_string_equal(alone.name, "V8 14.8.178.31");
	assert_false(alone.is_supported);
	assert_string_equal(first.name, ".NET 10.0.14");
	assert_true(first.is_supported);
	assert_string_equal(first.why_not, "V8 14.8.178.31 in it: built without V8 metadata");
	assert_memory_equal(&first, &last, sizeof(first));
}

/* Exit status 0 means that the process is reported as unreadable. */
static int look_as_nobody(pid_t pid)
{
	struct runtime_cache *cache = NULL;
	struct runtime_info info;

	if (setgid(65534) || setuid(65534) || runtime_cache_new(&cache))
		return 1;
	if (runtime_detect(cache, pid, &info))
		return 2;
	runtime_cache_free(&cache);
	if (strcmp(info.name, "?") || info.is_supported || info.has_runtime)
		return 3;
	return strstr(info.why_not, "run as root") ? 0 : 4;
}

static void no_runtime_is_reported_for_a_process_that_is_unreadable(void **state)
{
	pid_t pid, parent = getpid();
	int status;

	(void)state;
	if (geteuid()) {
		print_message("this test needs root to inspect a process as another user\n");
		return;
	}
	pid = fork();
	if (!pid)
		_exit(look_as_nobody(parent));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Returns how many bytes this process has read, according to the kernel. */
static u64 bytes_read(void)
{
	FILE *f = fopen("/proc/self/io", "re");
	u64 n = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "rchar: %llu", &n), 1);
	fclose(f);
	return n;
}

/* Runs `node --version` and makes "Node.js 24.21.0" from its output "v24.21.0". */
static void ask_node(const char *node, char *name, size_t size)
{
	char command[600], version[64] = "";
	FILE *f;

	snprintf(command, sizeof(command), "%.500s --version", node);
	f = popen(command, "re");
	assert_non_null(f);
	assert_non_null(fgets(version, sizeof(version), f));
	assert_int_equal(pclose(f), 0);
	version[strcspn(version, "\n")] = '\0';
	snprintf(name, size, "Node.js %s", version + 1);
}

static void check_node(char *node)
{
	char *const argv[] = { node, "-e", "setInterval(() => {}, 1000)", NULL };
	pid_t first = child_start(argv), second = child_start(argv);
	struct runtime_cache *cache = NULL;
	u64 start_n, first_n, second_n;
	struct runtime_info a, b;
	char expected[96];

	ask_node(node, expected, sizeof(expected));
	assert_int_equal(runtime_cache_new(&cache), 0);
	start_n = bytes_read();
	a = detect(cache, first);
	first_n = bytes_read() - start_n;
	b = detect(cache, second);
	second_n = bytes_read() - start_n - first_n;
	runtime_cache_free(&cache);
	child_stop(first);
	child_stop(second);
	print_message("%s: %llu bytes were read for the first process and %llu for the second\n",
		      a.name, first_n, second_n);
	assert_string_equal(a.name, expected);
	if (strtoul(expected + strlen("Node.js "), NULL, 10) >=
	    18) /* older versions lack the minor version */
		assert_true(a.is_supported && a.has_runtime);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(second_n < first_n / 4);
}

static void the_version_of_each_node_is_detected_and_each_file_is_read_only_once(void **state)
{
	const char *top = getenv("UNSPOOL_NODE_DIR");
	DIR *dir = top ? opendir(top) : NULL;
	const struct dirent *e;
	int n = 0;

	(void)state;
	assert_non_null(dir);
	while ((e = readdir(dir))) {
		char node[512];

		snprintf(node, sizeof(node), "%s/%s/bin/node", top, e->d_name);
		if (e->d_name[0] == '.' || access(node, X_OK))
			continue;
		check_node(node);
		n++;
	}
	closedir(dir);
	assert_true(n > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_without_a_runtime_is_native),
		cmocka_unit_test(detection_of_a_runtime_fails_if_the_process_has_exited),
		cmocka_unit_test(the_name_coreclr_alone_does_not_make_a_library_a_dotnet_runtime),
		cmocka_unit_test(a_v8_without_metadata_in_a_dotnet_process_is_reported_as_embedded),
		cmocka_unit_test(no_runtime_is_reported_for_a_process_that_is_unreadable),
		cmocka_unit_test(
			the_version_of_each_node_is_detected_and_each_file_is_read_only_once),
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);

	return check_run(__FILE_NAME__, tests, getenv("UNSPOOL_NODE_DIR") ? n : n - 1);
}
