// SPDX-License-Identifier: BSD-2-Clause

#include "log.h"

#include <string.h>
#include <unistd.h>

#include "../../core/flight.h"
#include "../../inspect/flight/fl_chrome.h"

static _Thread_local struct fl_names *to_names;
static _Thread_local u64 to_n_words;

void flight_log_to(const struct flight_control *control, struct flight_ring *ring, u64 n_slots,
		   struct fl_names *names, u64 n_name_words)
{
	fl_thread = (struct fl_thread){ control, ring, n_slots - 1 };
	to_names = names;
	to_n_words = n_name_words;
}

static void say(enum flight_event event, enum flight_phase phase, u32 pid, u64 value)
{
	u64 d[] = { flight_now(), (u64)pid << 32 | pid, value };

	flight_log(event, phase, 0, d, 3);
}

static void add_name(u32 pid, enum fl_name_tag tag, const char *name)
{
	if (to_names && name)
		fl_names_add(to_names, to_n_words, (u8)tag, (u64)pid << 32 | pid, flight_now(),
			     name, strlen(name));
}

void flight_log_process(u32 pid, const char *name)
{
	add_name(pid, FL_NAME_PROCESS, name);
	say(FLIGHT_PROCESS, FLIGHT_ENTRY, pid, (u64)pid << 32 | pid);
}

void flight_log_mask(u64 mask)
{
	say(FLIGHT_MASK, FLIGHT_START, (u32)getpid(), mask);
}

void flight_log_name(u32 pid, const char *name)
{
	add_name(pid, FL_NAME_PROCESS, name);
}

void flight_log_exit(u32 pid)
{
	say(FLIGHT_PROCESS, FLIGHT_EXIT, pid, 0);
}

void flight_log_runtime(u32 pid, const char *runtime)
{
	add_name(pid, FL_NAME_RUNTIME, runtime);
	say(FLIGHT_RUNTIME, FLIGHT_START, pid, (u64)pid << 32 | pid);
}

void flight_log_tables(u32 pid, u32 n)
{
	say(FLIGHT_TABLES, FLIGHT_START, pid, n);
}

void flight_log_dropped(u32 pid)
{
	say(FLIGHT_CACHE, FLIGHT_STOP, pid, 0);
}
