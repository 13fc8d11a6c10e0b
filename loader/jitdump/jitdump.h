/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The words after `unspool jitdump`, and what they share. argv[0] is "unspool jitdump WORD". */

#include "../../inspect/jitdump/jd_file.h"
#include "../../inspect/util/cli_fields.h"

int jitdump_dump(int argc, char **argv);
int jitdump_check(int argc, char **argv);
int jitdump_repair(int argc, char **argv);
int jitdump_to_perfmap(int argc, char **argv);
int jitdump_from_elf(int argc, char **argv);
int jitdump_tail(int argc, char **argv);
int jitdump_elf(int argc, char **argv);

/* When nothing else is said: after all records, before the end of what still lives. */
#define JITDUMP_AT_END (~0ull - 1)

/**
 * jitdump_open() - read a jitdump, or say in one line why not
 *
 * Return: CLI_OK, or CLI_FAILURE after an error was printed.
 */
int jitdump_open(struct jd_file *f, const char *path);

/* CLOCK_MONOTONIC, if the file was written since the machine started; else 0: unknown. */
u64 jitdump_now(const char *path);

/* Whether this process has the file open, so writes it, but not mapped executable. */
bool jitdump_is_unmapped(const char *path, u32 pid);

/* EM_* by number or by a name as x86_64; 0: there is none. */
u32 jitdump_machine(const char *word);

struct out_job;

/**
 * jitdump_write() - what a job writes, to a file or to stdout
 * @path:	NULL or "-": stdout
 *
 * Return: CLI_OK, or CLI_FAILURE after an error was printed.
 */
int jitdump_write(const struct out_job *job, const char *path);

/* For --at: seconds as dump prints them. 0, or EINVAL for argp. */
error_t jitdump_set_time(struct cli_parse *p, const char *arg, void *member);

/* A name as it may be printed: in a buffer that the next four calls leave alone. */
const char *jitdump_safe(const char *name);

/* Flushes stdout; CLI_OK, or CLI_FAILURE after an error was printed. */
int jitdump_flush(void);
