/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Somebody else's unwinder as a program: it gets the path of a case, and prints the
 * frames that it finds. docs/guides/plugins.md is its author's view.
 *
 *	stop --> SLOT.core in a private folder --> PROGRAM SLOT.core --> answer --> verdict
 *
 * A run costs a process, so two go on at once while the case goes on: a stop is copied
 * when it is asked about, and its reply comes some stops later.
 */

#include "../case/error.h"
#include "../cpu/cpu.h"
#include "answer.h"

#define PLUGIN_MAX_TIMEOUT_S 3600

struct sim_plugin;

/* What became of a stop. Valid during the call only. */
struct plugin_reply {
	const struct sim_stop *stop; /* as it was asked about */
	const struct plugin_answer *answer; /* no frames, if there was none */
	const char *why; /* why there was none; NULL: there was one */
	enum plugin_verdict verdict; /* PLUGIN_WRONG without an answer */
};

/* Who gets the replies; a non-zero result is passed on by plugin_ask() or plugin_settle(). */
struct plugin_listener {
	int (*reply)(void *ctx, const struct plugin_reply *reply);
	void *ctx;
};

/**
 * sim_plugin_open() - make ready to run a program
 * @program:	its path; nothing is searched
 * @timeout_s:	how long a run may take, 1 .. PLUGIN_MAX_TIMEOUT_S
 * @out:	ends with sim_plugin_close()
 * @error:	why not
 *
 * Return: 0; -ENOENT or -EACCES when there is no such program or it can't be executed;
 * another negative errno when it can't be run here.
 */
int sim_plugin_open(const char *program, u32 timeout_s, struct sim_plugin **out,
		    struct sim_error *error);

/**
 * plugin_ask() - have the program look at a stop
 * @c:		the case; @target is what it has become by now
 * @stop:	copied
 * @listener:	gets replies to earlier stops
 * @error:	why the program can't be asked
 *
 * Waits only when two programs run already.
 *
 * Return: 0, what the listener returned, or a negative errno with @error set:
 * -EOPNOTSUPP when the program can't be started here.
 */
int plugin_ask(struct sim_plugin *p, const struct sim_case *c, const struct sim_target *target,
	       const struct sim_stop *stop, const struct plugin_listener *listener,
	       struct sim_error *error);

/**
 * plugin_settle() - wait for the replies to all that was asked
 * @listener:	NULL: end the runs, nobody wants to know
 *
 * Return: 0 or what the listener returned; nothing runs any more.
 */
int plugin_settle(struct sim_plugin *p, const struct plugin_listener *listener);

/**
 * sim_plugin_close() - NULL is fine
 *
 * Return: 0, or -EIO when the private folder could not be removed.
 */
int sim_plugin_close(struct sim_plugin **p);
