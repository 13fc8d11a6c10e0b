/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The sub-commands. argv[0] is "unspool-sim NAME"; each function returns the exit status. */

int cmd_run(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_add(int argc, char **argv);
