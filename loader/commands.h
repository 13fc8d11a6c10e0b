/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The sub-commands. argv[0] is "unspool NAME"; the result is the exit status. */
int cmd_record(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_ps(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_flight(int argc, char **argv);
int cmd_jitdump(int argc, char **argv);
