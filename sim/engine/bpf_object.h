/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The loaded conformance-log program, for the kernel engine. In this folder, only this module uses
 * libbpf, and only kernel.c uses the helper process.
 */

#include "blob.h"
#include "engine.h"

#include "../../bpf/tables.h"

struct bpf_object;

struct sim_bpf {
	struct bpf_object *object;
	int prog_fd;
	u8 *slots, *bss, *pool; /* the program's memory, mapped into this process */
	size_t slots_len, bss_len, pool_len;
	const struct uw_state *state; /* the walk's state on the CPU that runs the program */
	struct uw_mapping *mappings;
	struct v8_info *v8_builds;
	struct uw_row_page *row_pages;
	struct uw_rule *rules;
	u32 *rows;
	const struct sim_read *reads;
	u32 *n_reads;
	u32 n_row_pages; /* pages of the last target: their number, */
	u32 row_page_idx[SIM_MAX_ROW_PAGES]; /* and their slots */
};

/**
 * sim_bpf_try() - check whether this process may load BPF programs
 *
 * If this succeeds, every later error means that the engine has failed, not that it can't run
 * here.
 *
 * Return: 0, or the error of bpf(2): -EPERM; -ENOSYS under an emulator without it.
 */
int sim_bpf_try(void);

/**
 * sim_bpf_load() - load an object
 * @elf:	conformance-log of either architecture
 * @cpu:	the CPU that will run the program
 * @out:	freed by sim_bpf_unload(), also after a failure
 *
 * Return: 0 or a negative errno.
 */
int sim_bpf_load(struct sim_blob elf, u32 cpu, struct sim_bpf *out);

/**
 * sim_bpf_set_tables() - copy a target's tables to the program, and empty its log
 *
 * Return: 0, or -ENOSPC: no slot is free for a page of rows.
 */
int sim_bpf_set_tables(struct sim_bpf *bpf, const struct sim_target *t);

void sim_bpf_unload(struct sim_bpf *bpf);
