/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Logs of the capturing program, kept until their samples are looked at. A log is on
 * its ring before its sample is on the other one.
 */

#include "../../bpf/log.h"
#include "../../core/uw_frame.h"

struct logs;

/**
 * logs_new() - read the ring of logs
 * @ring_fd:	of the map; borrowed
 *
 * Return: 0 or a negative errno.
 */
int logs_new(struct logs **logs, int ring_fd);
void logs_free(struct logs **logs);

/**
 * logs_find() - the log of a sample
 *
 * Frees older logs of the sample's CPU: call this in time order.
 *
 * Return: borrowed until the next call, its len and reads checked; NULL: there is none, or reads
 * are missing in it.
 */
const struct uw_log *logs_find(struct logs *logs, const struct uw_sample *sample);

/**
 * logs_next() - the reads of a log, one by one
 * @at:		NULL for the first
 *
 * Return: a read, its bytes behind it when the result is 0; NULL after the last.
 */
const struct uw_log_read *logs_next(const struct uw_log *log, const struct uw_log_read *at);
