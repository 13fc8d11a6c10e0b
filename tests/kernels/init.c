/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The only process of a guest that ci/kernels boots. This process loads the BPF
 * objects under /bpf, walks the stacks of stacks.h and the cases of the pack in
 * /bpf, prints the results and powers off. If root starts it as an ordinary
 * program, it does the same on the running kernel with the files in its
 * arguments, and does not power off.
 */

#include "guest.h"

#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * The guest starts with the initrd as its only file system, and without a
 * console.
 */
static void guest_setup(void)
{
	int fd;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	/*
	 * TOMOYO looks up a name below /dev/fd for a program without a file
	 * name.
	 */
	if (symlink("/proc/self/fd", "/dev/fd"))
		perror("/dev/fd");
	fd = open("/dev/console", O_RDWR);
	for (int i = 0; fd >= 0 && i < 3; i++)
		dup2(fd, i);
}

static bool is_pack(const char *path)
{
	size_t len = strlen(path);

	return len > 5 && strcmp(path + len - 5, ".pack") == 0;
}

static void load_all(struct tally *t, char **paths)
{
	/*
	 * Before v5.11 the memory of maps and programs counts towards this
	 * limit.
	 */
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &all);
	if (!*paths) {
		printf("no BPF object\n");
		tally_add(t, 0);
	}
	for (; *paths; paths++)
		if (is_pack(*paths))
			cases_run(*paths, t);
		else
			programs_load(*paths, t);
}

int main(int argc, char **argv)
{
	bool is_guest = getpid() == 1;
	struct tally t = { 0 };
	struct utsname name;
	glob_t objects = { 0 };

	if (is_guest)
		guest_setup();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!uname(&name))
		printf("kernel %s %s\n", name.release, name.machine);
	if (!is_guest)
		load_all(&t, argv + (argc > 0));
	else if (!glob("/bpf/*", 0, NULL, &objects))
		load_all(&t, objects.gl_pathv);
	else
		tally_add(&t, 0);
	globfree(&objects);
	walks_run(&t);
	samples_run(&t);
	printf("init: %d passed, %d failed\n", t.passed, t.failed);
	fflush(stdout);
	if (is_guest)
		reboot(RB_POWER_OFF);
	return t.failed != 0;
}
