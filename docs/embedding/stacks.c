// SPDX-License-Identifier: BSD-2-Clause

/*
 * stacks PID SECONDS: samples a process's user stacks 99 times a second on each CPU. Prints each
 * stack, outermost frame first, as MODULE+0xOFFSET;... with its number of samples, the format of
 * flamegraph.pl. An OFFSET counts from the start of the module's file.
 */

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <unspool/bpf/tables.h>
#include <unspool/core/uw_frame.h>

#include <bpf/libbpf.h>

#include "stacks.skel.h"

#define MAX_MAPS 1024
static char modules[MAX_MAPS][64]; /* by module number; 0: no module */
static u32 n_maps;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Reads the executable mappings of the process; /proc sorts them by address. */
static void read_maps(struct stacks *skel, const char *pid)
{
	struct uw_mapping *maps = (struct uw_mapping *)skel->bss->uw_mappings;
	char path[64], line[4400], perms[5], name[4096];
	const char *base;
	unsigned long long start, end, off;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	f = fopen(path, "re");
	if (!f)
		die(path);
	while (n_maps < MAX_MAPS - 1 && fgets(line, sizeof(line), f)) {
		strcpy(name, "//anon");
		if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %4095[^\n]", &start, &end, perms, &off,
			   name) < 4 ||
		    perms[2] != 'x' || end >= UW_MAX_MAPPING_END)
			continue;
		base = strrchr(name, '/');
		snprintf(modules[++n_maps], sizeof(modules[0]), "%s", base ? base + 1 : name);
		maps[n_maps - 1] = (struct uw_mapping){ .start_addr = start,
							.end_addr = end,
							.file_off = off,
							.module = n_maps,
							.kind = UW_MAP_NATIVE };
	}
	fclose(f);
	skel->bss->extent = n_maps;
}

static int print_stack(void *ctx, void *data, size_t len)
{
	const struct uw_sample *sample = data;

	(void)ctx;
	(void)len;
	for (int i = sample->n_frames - 1; i >= 0; i--) {
		const struct uw_frame *f = &sample->frames[i];

		printf("%s+0x%llx%s", f->aux <= n_maps ? modules[f->aux] : "?", f->a, i ? ";" : "");
	}
	return puts(" 1") < 0;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_freq = 99,
					.freq = 1 };
	int n_cpus = libbpf_num_possible_cpus();
	struct stacks *skel = argc == 3 ? stacks__open() : NULL;
	struct ring_buffer *ring;
	time_t end;

	if (!skel)
		die("usage: stacks PID SECONDS");
	bpf_map__set_max_entries(skel->maps.uw_slots, n_cpus);
	if (stacks__load(skel))
		die("load");
	read_maps(skel, argv[1]);
	skel->bss->va_mask = (1ull << 47) - 1;
	skel->bss->target = strtoul(argv[1], NULL, 10);
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0 && !bpf_program__attach_perf_event(skel->progs.on_sample, fd))
			die("attach");
	}
	ring = ring_buffer__new(bpf_map__fd(skel->maps.samples), print_stack, NULL, NULL);
	if (!ring)
		die("ring buffer");
	for (end = time(NULL) + atoi(argv[2]); time(NULL) < end;)
		ring_buffer__poll(ring, 200);
	ring_buffer__free(ring);
	stacks__destroy(skel);
	return 0;
}
