// SPDX-License-Identifier: BSD-2-Clause

#include "logs.h"

#include "../../inspect/util/cleanup.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEPT_LEN (64u << 20) /* limit of all pending logs, in bytes */

struct kept {
	struct kept *next; /* newer */
	struct uw_log log;
};

struct logs {
	struct ring_buffer *ring;
	struct kept *oldest, **newest;
	struct kept *given; /* the last result of logs_find() */
	size_t len;
};

static size_t read_len(const struct uw_log_read *read)
{
	return sizeof(*read) + (read->result ? 0 : ((size_t)read->len + 7) / 8 * 8);
}

const struct uw_log_read *logs_next(const struct uw_log *log, const struct uw_log_read *at)
{
	const u8 *first = (const u8 *)(log + 1);
	const u8 *next = at ? (const u8 *)at + read_len(at) : first;

	return next < first + log->len ? (const struct uw_log_read *)next : NULL;
}

/* Return: whether the log contains all reads of its walk, each of them complete. */
static bool is_whole(const struct uw_log *log, size_t len)
{
	const u8 *at = (const u8 *)(log + 1);
	size_t left = log->len;
	u32 n = 0;

	if (len != sizeof(*log) + left || log->n_dropped)
		return false;
	while (left >= sizeof(struct uw_log_read)) {
		size_t used = read_len((const struct uw_log_read *)at);

		if (used > left)
			return false;
		at += used;
		left -= used;
		n++;
	}
	return !left && n == log->n_reads;
}

static void forget_oldest(struct logs *logs)
{
	struct kept *k = logs->oldest;

	logs->oldest = k->next;
	if (!k->next)
		logs->newest = &logs->oldest;
	logs->len -= k->log.len;
	free(k);
}

static int on_log(void *ctx, void *data, size_t len)
{
	const struct uw_log *log = data;
	struct logs *logs = ctx;
	struct kept *k;

	if (len < sizeof(*log) || !is_whole(log, len))
		return 0;
	k = malloc(offsetof(struct kept, log) + len);
	if (!k)
		return 0;
	memcpy(&k->log, log, len);
	k->next = NULL;
	*logs->newest = k;
	logs->newest = &k->next;
	logs->len += log->len;
	while (logs->len > MAX_KEPT_LEN)
		forget_oldest(logs);
	return 0;
}

int logs_new(struct logs **out, int ring_fd)
{
	struct logs *logs = calloc(1, sizeof(*logs));

	if (!logs)
		return -ENOMEM;
	logs->newest = &logs->oldest;
	logs->ring = ring_buffer__new(ring_fd, on_log, logs, NULL);
	if (!logs->ring) {
		free(logs);
		return -errno;
	}
	*out = logs;
	return 0;
}

void logs_free(struct logs **logs)
{
	if (!*logs)
		return;
	while ((*logs)->oldest)
		forget_oldest(*logs);
	free((*logs)->given);
	ring_buffer__free((*logs)->ring);
	free(TAKE_PTR(*logs));
}

/*
 * Removes the log of a sample from the pending logs and returns it; frees older logs of the
 * same CPU.
 */
static struct kept *take(struct logs *logs, const struct uw_sample *sample)
{
	struct kept **at = &logs->oldest, *found = NULL;

	while (*at) {
		struct kept *k = *at;

		if (k->log.cpu != sample->cpu || k->log.time_ns > sample->time_ns) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		logs->len -= k->log.len;
		if (k->log.time_ns == sample->time_ns && !found)
			found = k;
		else
			free(k);
	}
	logs->newest = at;
	return found;
}

const struct uw_log *logs_find(struct logs *logs, const struct uw_sample *sample)
{
	free(logs->given);
	ring_buffer__consume(logs->ring);
	logs->given = take(logs, sample);
	return logs->given ? &logs->given->log : NULL;
}
