// SPDX-License-Identifier: BSD-2-Clause

/*
 * Measures how many instructions of each program the verifier processes, the
 * time to load the program alone, and the memory of the object's maps. The
 * verifier removes code that the configuration disables, so the production
 * program is loaded once for each way to select targets.
 */

#include "bench.h"

#include "../../bpf/tables.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LOG_LEVEL_STATS 4 /* the verifier prints only its statistics (since v5.2) */

static const char *const mode_names[] = { "all", "pids", "tids", "cgroup" };

static char verifier_log[1 << 16];

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/*
 * Returns the map of constants of the production object; NULL for the
 * conformance object.
 */
static struct bpf_map *config_map(struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) if (strstr(bpf_map__name(map), ".rodata") &&
					       bpf_map__value_size(map) ==
						       sizeof(struct uw_config)) return map;
	return NULL;
}

static int configure(struct bpf_object *obj, u32 mode)
{
	struct uw_config config = {
		.va_mask = (1ull << 47) - 1,
		.period_ns = 10101010,
		.target_mode = mode,
		.n_tids = UW_MAX_TIDS,
		.has_task_pt_regs = true,
	};
	struct bpf_map *map = config_map(obj);

	return map ? bpf_map__set_initial_value(map, &config, sizeof(config)) : 0;
}

static double map_kib(const struct bpf_map *map)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", bpf_map__fd(map));
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	fclose(f);
	return (double)bytes / 1024;
}

static void print_maps(struct bpf_object *obj)
{
	struct bpf_map *map;
	double sum = 0;

	bpf_object__for_each_map(map, obj)
	{
		printf("  map %-20s %9.1f KiB\n", bpf_map__name(map), map_kib(map));
		sum += map_kib(map);
	}
	printf("  maps, together %15.1f KiB\n", sum);
}

/* Disables loading of all programs except the @idx-th. */
static struct bpf_program *pick(struct bpf_object *obj, u32 idx)
{
	struct bpf_program *prog, *found = NULL;
	u32 i = 0;

	bpf_object__for_each_program(prog, obj)
	{
		bpf_program__set_autoload(prog, i == idx);
		if (i++ == idx)
			found = prog;
	}
	return found;
}

static void print_program(const char *object, const struct bpf_program *prog, const char *mode,
			  double ms)
{
	const char *processed = strstr(verifier_log, "processed ");
	struct bpf_prog_info info = { 0 };
	u32 len = sizeof(info);
	long n = 0;

	if (processed)
		sscanf(processed, "processed %ld insns", &n);
	bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len);
	printf("  %s/%s%s%s: %ld instructions verified, %u BPF instructions, "
	       "%u bytes of machine code, loaded in %.1f ms\n",
	       object, bpf_program__name(prog), *mode ? ", targets by " : "", mode, n,
	       info.xlated_prog_len / 8, info.jited_prog_len, ms);
}

/* Loads only the @idx-th program. Returns 0, 1 if there is no such program, or a negative errno. */
static int load_one(const char *path, u32 idx, u32 mode, bool *has_modes)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	const char *object = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct bpf_program *prog;
	struct bpf_map *slots;
	double start_ms;
	int err;

	if (!obj)
		return -errno;
	*has_modes = config_map(obj);
	prog = pick(obj, idx);
	err = prog ? configure(obj, mode) : 1;
	slots = bpf_object__find_map_by_name(obj, "uw_slots");
	if (slots && !err)
		err = bpf_map__set_max_entries(slots, (u32)libbpf_num_possible_cpus());
	if (!err) {
		verifier_log[0] = '\0';
		bpf_program__set_log_level(prog, LOG_LEVEL_STATS);
		bpf_program__set_log_buf(prog, verifier_log, sizeof(verifier_log));
		start_ms = now_ms();
		err = bpf_object__load(obj);
		if (!err)
			print_program(object, prog, *has_modes ? mode_names[mode] : "",
				      now_ms() - start_ms);
		if (!err && !idx && !mode)
			print_maps(obj);
	}
	bpf_object__close(obj);
	return err;
}

int bench_programs(const char *path)
{
	bool has_modes;
	int err = 0;

	for (u32 idx = 0; !err; idx++) {
		err = load_one(path, idx, 0, &has_modes);
		for (u32 mode = 1; mode < 4 && has_modes && !err && !idx; mode++)
			err = load_one(path, idx, mode, &has_modes);
	}
	return err < 0 ? err : 0;
}
