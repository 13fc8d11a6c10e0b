/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Logs of the BPF program that captures, stored until their samples are processed. The
 * program submits the log of a walk to the ring of logs before it submits the sample to the
 * ring of samples.
 */

#include "../../bpf/log.h"
#include "../../core/uw_frame.h"

struct logs;

/**
 * logs_new() - open the ring of logs
 * @ring_fd:	BPF map of the ring; borrowed
 *
 * Return: 0 or a negative errno.
 */
int logs_new(struct logs **logs, int ring_fd);
void logs_free(struct logs **logs);

/**
 * logs_find() - find the log of a sample
 *
 * Frees older logs of the same CPU, so call it in the order of the samples' times.
 *
 * Return: a log with valid len and reads, borrowed until the next call; NULL if the sample
 *         has no log or the log lacks reads.
 */
const struct uw_log *logs_find(struct logs *logs, const struct uw_sample *sample);

/**
 * logs_next() - iterate over the reads of a log
 * @at:		previous read; NULL for the first
 *
 * Return: a read, followed by the bytes if it succeeded (result 0); NULL after the last one.
 */
const struct uw_log_read *logs_next(const struct uw_log *log, const struct uw_log_read *at);
