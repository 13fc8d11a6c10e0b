/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * An external unwinder as a program: the program gets the path of a case, and prints the frames
 * that it finds. docs/guides/plugins.md is for authors of such programs.
 *
 *	stop --> SLOT.core in a private folder --> PROGRAM SLOT.core --> answer --> verdict
 *
 * Each query starts a process, so two run at once while the case continues: a stop is copied when
 * it is queried, and its reply arrives some stops later.
 */

#include "../case/error.h"
#include "../cpu/cpu.h"
#include "answer.h"

#define PLUGIN_MAX_TIMEOUT_S 3600

struct sim_plugin;

/* Result of a query. Valid during the callback only. */
struct plugin_reply {
	const struct sim_stop *stop; /* as it was at the query */
	const struct plugin_answer *answer; /* without frames if there is no answer */
	const char *why; /* reason why there is no answer; NULL if there is one */
	enum plugin_verdict verdict; /* PLUGIN_WRONG without an answer */
};

/* Receives replies; plugin_ask() and plugin_settle() pass a nonzero result on. */
struct plugin_listener {
	int (*reply)(void *ctx, const struct plugin_reply *reply);
	void *ctx;
};

/**
 * sim_plugin_open() - prepare a program as plug-in
 * @program:	its path; PATH is not searched
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
 * @c:		the case; @target is its current state
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
 * @listener:	receives the replies; NULL: end the runs and drop their replies
 *
 * Return: 0 or the listener's result; nothing runs any more.
 */
int plugin_settle(struct sim_plugin *p, const struct plugin_listener *listener);

/**
 * sim_plugin_close() - free a plug-in; *@p may be NULL
 *
 * Return: 0, or -EIO if the private folder could not be removed.
 */
int sim_plugin_close(struct sim_plugin **p);
