// SPDX-License-Identifier: BSD-2-Clause

/*
 * Events are opened per CPU, not per thread, because an event for a thread starts late and
 * costs a file descriptor, and the program itself can filter samples by thread.
 *
 * The CPU clock event has a fixed period, so the program can detect missed runs
 * (uw_count_missed). The hardware cycles event, used if there is a PMU, has no fixed period.
 */

#include "sampler_state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "../../inspect/util/cleanup.h"

static struct perf_event_attr clock_event(const struct sampler *s, bool cycles)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
	};

	if (cycles) {
		attr.freq = 1;
		attr.sample_freq = s->config.hz;
	} else {
		attr.sample_period = s->period_ns;
	}
	return attr;
}

static struct perf_event_attr breakpoint_event(u64 addr)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = addr,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.exclude_kernel = 1,
		.disabled = 1,
	};
}

static int open_event(struct perf_event_attr *attr, u32 cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

bool events_have_cycles(const struct sampler *s)
{
	struct perf_event_attr attr = clock_event(s, true);
	_cleanup_close_ int fd = open_event(&attr, 0);

	return fd >= 0;
}

int events_start(struct sampler *s, u32 i)
{
	struct perf_event_attr attr =
		s->config.n_at ? breakpoint_event(s->config.at_addrs[i % s->n_per_cpu])
			       : clock_event(s, s->uses_cycles);
	int fd = open_event(&attr, i / s->n_per_cpu);

	if (fd == -ENODEV)
		return 0; /* offline */
	if (fd < 0)
		return fd;
	s->event_fds[i] = fd;
	s->links[i] = bpf_program__attach_perf_event(s->program.on_sample, fd);
	return s->links[i] ? 0 : -errno; /* attaching the program enables the event */
}

void events_stop(struct sampler *s, u32 i)
{
	if (s->event_fds[i] < 0)
		return;
	ioctl(s->event_fds[i], PERF_EVENT_IOC_DISABLE, 0);
	if (s->links[i])
		bpf_link__destroy(TAKE_PTR(s->links[i])); /* closes the event */
	else
		close(s->event_fds[i]);
	s->event_fds[i] = -1;
}
