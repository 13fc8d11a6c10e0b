/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The files that processes execute, each known once whatever the number of processes
 * and mappings: what it is called, its build id, its functions.
 *
 * A file is who it is by device, inode, size and time of change, so a rebuilt library
 * is another module. Ids are handed out once and never again: when a module had to make
 * room, its id finds nothing.
 *
 * Budget: MODULES_MAX modules of about 400 bytes; MODULES_MAX_OPEN files are kept open
 * (a deleted file can be read as long); MODULES_MAX_TABLES symbol tables with
 * MODULES_MAX_FUNCTIONS functions in all, 16 bytes and a descriptor (Go: two) a table;
 * LINES_CACHE_BYTES of lines (lines_cache.h); the helper's memory is a process's of its own
 * (helper.h). What was not used for longest goes first, and comes back when it is wanted again.
 */

#include "../process/process.h"

#define MODULES_MAX 2048
#define MODULES_MAX_OPEN 256
#define MODULES_MAX_TABLES 128
#define MODULES_MAX_FUNCTIONS (1u << 20) /* 16 MiB; Node.js 24 has 117,000 */
#define MODULE_NONE 0xffffffffu /* of a mapping: asked, and there is nothing */

struct modules;

struct module_info {
	u32 id;
	const char *path; /* as it was mapped; "[vdso]" */
	const char *name; /* the last part of it */
	const char *build_id; /* hex, or NULL */
	bool is_vdso;
	bool is_elf;
};

int modules_new(struct modules **m);
void modules_free(struct modules **m);

/* From now on debug files that are missing are fetched (debuginfod.h). 0 or -ENOMEM. */
int modules_fetch(struct modules *m);

/**
 * modules_open() - the module behind a mapping
 * @m:		cache
 * @p:		whose mapping it is, dead or alive
 * @map:	mapping; its `module` remembers the answer
 * @id:		the module's id
 *
 * The file is opened as map_file_open() does; one that isn't ELF is a module without
 * symbols.
 *
 * Return: 0, -ENOENT (no file, or none that is sure to be the one that was mapped:
 * remembered), or an error that may pass: -EMFILE, -ENFILE, -ENOMEM.
 */
int modules_open(struct modules *m, const struct process *p, struct mapping *map, u32 *id);

/**
 * modules_preload() - read a file's symbols before a process maps it
 * @fd:		open file; borrowed
 *
 * Reading those of a large binary takes a tenth of a second, in which nothing else is
 * done: this is for when there is time.
 *
 * Return: 0, or what reading gave.
 */
int modules_preload(struct modules *m, int fd, const char *path, u32 *id);

/* The same for a module that is known. */
int modules_load_symbols(struct modules *m, u32 id);

/* A module by id, valid until the next modules_open(); NULL for an unknown id. */
const struct module_info *modules_info(struct modules *m, u32 id);

/**
 * modules_stamp() - what tells a module's file from what was there under its name before
 * @size, @changed_ns: of its content
 *
 * Return: false: it is not one of code that could be read.
 */
bool modules_stamp(struct modules *m, u32 id, u64 *size, u64 *changed_ns);

/*
 * The module's file, borrowed until the next modules_open(); -ESTALE if it is closed by now, or
 * was written to.
 */
int modules_fd(struct modules *m, u32 id);

/**
 * modules_debug_fd() - the file with what was stripped from a module's
 *
 * Its debug file, else what .gnu_debugdata holds. The helper is asked for it, as for lines.
 *
 * Return: the descriptor, borrowed until the next modules_open(); -EINPROGRESS (not known yet,
 * ask again after modules_take_answers()), -ENOENT (there is none).
 */
int modules_debug_fd(struct modules *m, u32 id);

/**
 * modules_symbol() - the function at an offset of a module's file
 * @off_in_file: of a return address: minus one
 * @name:	demangled, at least one byte of room
 * @len:	its size
 * @off:	from the function's first byte
 *
 * Return: 0, -ENOENT (no function is there, or there are no symbols), -ESTALE (no
 * such module any more, or its file was changed), or what reading gave.
 */
int modules_symbol(struct modules *m, u32 id, u64 off_in_file, char *name, size_t len, u64 *off);

/*
 * Lines and inlined functions come from another process (helper.h), and so do the functions of
 * a stripped file from its debug file. Nobody waits for them: first modules_is_ready(), which asks,
 * then modules_take_answers(), until it is.
 */
struct module_frame {
	const char *name; /* NULL: unknown */
	const char *file; /* NULL: unknown */
	u32 line, column; /* 0: unknown */
	u32 start_line; /* of the function; 0: unknown */
	bool inlined; /* into the next one */
};

#define MODULES_MAX_FRAMES 128

/**
 * modules_is_ready() - is all known that will be known of an offset in a module's file?
 * @pid:	a process that maps it: in its root debug files are looked for
 */
bool modules_is_ready(struct modules *m, u32 pid, u32 id, u64 off_in_file);

/* Takes what was answered; waits @wait_ms for a first answer if something was asked. */
void modules_take_answers(struct modules *m, int wait_ms);

/**
 * modules_frames() - the functions at an offset of a module's file, by all that is known by now
 * @off_in_file: of a return address: minus one
 * @name:	room of @len bytes for the name of the outermost one
 * @v:		innermost first; strings are borrowed until modules_take_answers()
 * @n:		1 to MODULES_MAX_FRAMES
 *
 * Return: 0, -ENOENT (nothing is known: not even the function's name), or as modules_symbol().
 */
int modules_frames(struct modules *m, u32 id, u64 off_in_file, char *name, size_t len,
		   struct module_frame *v, u32 *n);

/* The modules without lines or names that they should have, and why. */
void modules_each_problem(const struct modules *m,
			  void (*fn)(const struct module_info *info, const char *why, void *data),
			  void *data);

/* Processor time of the helper. */
u64 modules_helper_cpu_ns(const struct modules *m);

/* Figures for tests and benchmarks. */
struct modules_usage {
	u32 n_modules, n_open, n_tables;
	u64 n_functions;
};
struct modules_usage modules_usage(const struct modules *m);
