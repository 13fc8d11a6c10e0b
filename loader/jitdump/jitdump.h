/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The subcommands of `unspool jitdump`, and functions that they share. */

#include "../../inspect/jitdump/jd_file.h"
#include "../../inspect/util/cli_fields.h"

int jitdump_dump(int argc, char **argv);
int jitdump_check(int argc, char **argv);
int jitdump_repair(int argc, char **argv);
int jitdump_to_perfmap(int argc, char **argv);
int jitdump_from_elf(int argc, char **argv);
int jitdump_tail(int argc, char **argv);
int jitdump_elf(int argc, char **argv);

/* Default for --at: a time after all records, at which the code that exists at the end is live. */
#define JITDUMP_AT_END (~0ull - 1)

/**
 * jitdump_open() - read a jitdump; print an error message on failure
 *
 * Return: CLI_OK, or CLI_FAILURE after an error was printed.
 */
int jitdump_open(struct jd_file *f, const char *path);

/* Current CLOCK_MONOTONIC time if the file was written since boot, else 0. */
u64 jitdump_now(const char *path);

/*
 * Return: whether process @pid has the file open, as the writer of a jitdump has, but has not
 * mapped it as executable.
 */
bool jitdump_is_unmapped(const char *path, u32 pid);

/* Converts a number or a name such as x86_64 to EM_*; 0: unknown. */
u32 jitdump_machine(const char *word);

struct out_job;

/**
 * jitdump_write() - write the content of a job to a file or to stdout
 * @path:	NULL or "-": stdout
 *
 * Return: CLI_OK, or CLI_FAILURE after an error was printed.
 */
int jitdump_write(const struct out_job *job, const char *path);

/* For --at: parses seconds as `dump` prints them. Returns 0, or EINVAL for argp. */
error_t jitdump_set_time(struct cli_parse *p, const char *arg, void *member);

/* Returns a printable copy of a name. The next four calls do not overwrite it. */
const char *jitdump_safe(const char *name);

/* Flushes stdout; CLI_OK, or CLI_FAILURE after an error was printed. */
int jitdump_flush(void);
