/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The logging conformance program, loaded: what of it the kernel engine needs.
 * This side knows libbpf, the engine knows the helper.
 */

#include "blob.h"
#include "engine.h"

#include "../../bpf/tables.h"

struct bpf_object;

struct sim_bpf {
	struct bpf_object *object;
	int prog_fd;
	u8 *slots, *bss, *pool; /* the program's memory, mapped */
	size_t slots_len, bss_len, pool_len;
	const struct uw_state *state; /* of the CPU that the program runs on */
	struct uw_mapping *mappings;
	struct v8_info *v8_builds;
	struct uw_row_page *row_pages;
	struct uw_rule *rules;
	u32 *rows;
	const struct sim_read *reads;
	u32 *n_reads;
	u32 n_row_pages; /* that it has from the last target, */
	u32 row_page_idx[SIM_MAX_ROW_PAGES]; /* and where */
};

/**
 * sim_bpf_try() - may this process load BPF programs at all?
 *
 * Anything that goes wrong later is a failure.
 *
 * Return: 0, or what bpf(2) says: -EPERM; -ENOSYS under an emulator that has none.
 */
int sim_bpf_try(void);

/**
 * sim_bpf_load() - load an object
 * @elf:	conformance-log of either architecture
 * @cpu:	on which it will run
 * @out:	ends with sim_bpf_unload(), also after a failure
 *
 * Return: 0 or a negative errno.
 */
int sim_bpf_load(struct sim_blob elf, u32 cpu, struct sim_bpf *out);

/**
 * sim_bpf_set_tables() - give it a target's tables, and empty its log
 *
 * Return: 0, or -ENOSPC: others have all the places of a page of rows.
 */
int sim_bpf_set_tables(struct sim_bpf *bpf, const struct sim_target *t);

void sim_bpf_unload(struct sim_bpf *bpf);
