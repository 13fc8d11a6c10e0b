/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs an external unwinder, which is a program that gets the path of a case and prints the frames
 * that it finds. docs/guides/plugins.md is for authors of such programs.
 *
 *	stop --> SLOT.core in a private folder --> PROGRAM SLOT.core --> answer --> verdict
 *
 * Each query starts a process. Two processes run concurrently while the case continues: this is
 * possible because a stop is copied when the plug-in is queried, and the reply arrives some stops
 * later.
 */

#include "../case/error.h"
#include "../cpu/cpu.h"
#include "answer.h"

#define PLUGIN_MAX_TIMEOUT_S 3600

struct sim_plugin;

/* Result of a query. A reply, valid only during the callback. */
struct plugin_reply {
	const struct sim_stop *stop; /* copy of the stop, made at the query */
	const struct plugin_answer *answer; /* has no frames if there is no answer */
	const char *why; /* the reason why there is no answer; NULL if there is an answer */
	enum plugin_verdict verdict; /* PLUGIN_WRONG if there is no answer */
};

/* Receives replies. plugin_ask() and plugin_settle() return a nonzero result of the listener. */
struct plugin_listener {
	int (*reply)(void *ctx, const struct plugin_reply *reply);
	void *ctx;
};

/**
 * sim_plugin_open() - prepare a program for use as a plug-in
 * @program:	path of the program; PATH is not searched
 * @timeout_s:	time limit of a run, 1 .. PLUGIN_MAX_TIMEOUT_S
 * @out:	freed by sim_plugin_close()
 * @error:	set on failure
 *
 * Return: 0; -ENOENT or -EACCES if there is no such program or it can't be executed; another
 * negative errno if it can't be run here.
 */
int sim_plugin_open(const char *program, u32 timeout_s, struct sim_plugin **out,
		    struct sim_error *error);

/**
 * plugin_ask() - query the program for a stop
 * @c:		the case, whose current state is @target
 * @stop:	copied
 * @listener:	receives replies to earlier queries
 * @error:	set if the program can't be queried
 *
 * Waits only if two programs are running already.
 *
 * Return: 0, the listener's result, or a negative errno with @error set: -EOPNOTSUPP if the
 * program can't be started here.
 */
int plugin_ask(struct sim_plugin *p, const struct sim_case *c, const struct sim_target *target,
	       const struct sim_stop *stop, const struct plugin_listener *listener,
	       struct sim_error *error);

/**
 * plugin_settle() - wait for the replies to all queries
 * @listener:	receives the replies; NULL: end the runs and drop the replies
 *
 * Return: 0 or the listener's result. No program runs afterwards.
 */
int plugin_settle(struct sim_plugin *p, const struct plugin_listener *listener);

/**
 * sim_plugin_close() - free a plug-in; *@p may be NULL
 *
 * Return: 0, or -EIO if the private folder could not be removed.
 */
int sim_plugin_close(struct sim_plugin **p);
