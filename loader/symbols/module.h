/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The files that processes execute: name, build id, functions. A file is one module, no matter how
 * many processes map it and how often.
 *
 * Device, inode, size and time of change identify a file, so a rebuilt library is a new module. Ids
 * are never reused, so the id of an evicted module stays invalid.
 *
 * Memory is limited: MODULES_MAX modules of about 400 bytes; MODULES_MAX_OPEN open files (a deleted
 * file is readable while open); MODULES_MAX_TABLES symbol tables with MODULES_MAX_FUNCTIONS
 * functions in total, with 16 bytes for each function and one descriptor for each table (one more
 * for Go, and one more if a function has no name); LINES_CACHE_BYTES of lines (lines_cache.h). The
 * helper is a separate process with its own limit (helper.h). The least recently used data is freed
 * first; when freed data is needed, it is read again.
 */

#include "../../inspect/util/budget.h"
#include "../process/process.h"

#define MODULES_MAX 2048
#define MODULES_MAX_OPEN 256
#define MODULES_MAX_TABLES 128
#define MODULES_MAX_FUNCTIONS (1u << 20) /* 16 MiB; Node.js 24 has 117,000 */
#define MODULE_NONE 0xffffffffu /* for a mapping that was looked up and has no module */

struct modules;

struct module_info {
	u32 id;
	const char *path; /* as mapped; "[vdso]" */
	const char *name; /* last component of path */
	const char *build_id; /* hex, or NULL */
	bool is_vdso;
	bool is_elf;
};

int modules_new(struct modules **m);
void modules_free(struct modules **m);

/* Enables fetching of missing debug files (debuginfod.h). Return: 0 or -ENOMEM. */
int modules_fetch(struct modules *m);

/**
 * modules_open() - get the module of a mapping
 * @m:		cache
 * @p:		process of the mapping, dead or alive
 * @map:	mapping; its member module caches the result
 * @id:		the module's id
 *
 * Opens the file like map_file_open(); a file that isn't ELF is a module without symbols.
 *
 * Return: 0, -ENOENT (there is no file, or the file may not be the mapped one; this result is
 *     cached), or a temporary error: -EMFILE, -ENFILE, -ENOMEM.
 */
int modules_open(struct modules *m, const struct process *p, struct mapping *map, u32 *id);

/**
 * modules_preload() - read a file's symbols before a process maps it
 * @fd:		open file; borrowed
 *
 * Reading the symbols of a large binary blocks the caller for 0.1 s, so call this only when there
 * is time.
 *
 * Return: 0, or an error of reading.
 */
int modules_preload(struct modules *m, int fd, const char *path, u32 *id);

/**
 * modules_begin_reading() - limit the CPU time for reading a module's file
 * modules_end_reading() - close the file if reading it took too long
 *
 * Such a module has no symbols and no rows.
 */
void modules_begin_reading(const struct modules *m, struct budget *b);
void modules_end_reading(struct modules *m, u32 id, struct budget *b);

/* Reads the symbols of a module that is already in the cache. */
int modules_load_symbols(struct modules *m, u32 id);

/* A module by id, valid until the next modules_open(); NULL for an unknown id. */
const struct module_info *modules_info(struct modules *m, u32 id);

/**
 * modules_stamp() - get size and time of change, which distinguish files of the same name
 * @size, @changed_ns:	size and time of change of the file's content
 *
 * Return: false if the module has no readable file with code.
 */
bool modules_stamp(struct modules *m, u32 id, u64 *size, u64 *changed_ns);

/*
 * Return: the module's file, borrowed until the next modules_open(); -ESTALE if it was closed
 * or has been written.
 */
int modules_fd(struct modules *m, u32 id);

/**
 * modules_debug_fd() - get the file that has the information stripped from a module
 *
 * The result is the module's debug file, or else the file in .gnu_debugdata. The helper searches
 * for these files.
 *
 * Return: the descriptor, borrowed until the next modules_open(); -EINPROGRESS (the helper is still
 * searching; try again after modules_take_answers()), -ENOENT (there is none).
 */
int modules_debug_fd(struct modules *m, u32 id);

/**
 * modules_symbol() - find the function at an offset of a module's file
 * @off_in_file:	offset; for a return address, subtract one
 * @name:	receives the demangled name; at least one byte
 * @len:	size of @name
 * @off:	receives the offset from the function's first byte
 *
 * Return: 0, -ENOENT (no function there, or no symbols), -ESTALE (the module was evicted, or
 * its file has changed), or an error of reading.
 */
int modules_symbol(struct modules *m, u32 id, u64 off_in_file, char *name, size_t len, u64 *off);

/* A function of a module's file, which may have no name. */
struct module_start {
	u64 off; /* offset of the function's first byte in the file; 0: unknown */
	u64 addr; /* link-time address of the offset that was looked up */
};

/**
 * modules_start() - find the start of the function at an offset of a module's file
 * @off_in_file:	offset; for a return address, subtract one
 *
 * Return: 0, also if only the address is known; otherwise as modules_symbol().
 */
int modules_start(struct modules *m, u32 id, u64 off_in_file, struct module_start *start);

/*
 * The helper process (helper.h) supplies lines and inlined functions, and for a stripped file the
 * functions in its debug file. Call modules_is_ready(), which requests this data, and
 * modules_take_answers() until modules_is_ready() returns true.
 */
struct module_frame {
	const char *name; /* NULL: unknown */
	const char *file; /* NULL: unknown */
	u32 line, column; /* 0: unknown */
	u32 start_line; /* first line of the function; 0: unknown */
	bool inlined; /* inlined into the next frame */
};

#define MODULES_MAX_FRAMES 128

/**
 * modules_is_ready() - check whether all requests for an offset in a module's file are done
 * @pid:	a process that maps the module; debug files are searched for under the root of this
 *	process
 */
bool modules_is_ready(struct modules *m, u32 pid, u32 id, u64 off_in_file);

/* Processes answers; waits up to @wait_ms for the first answer if requests are pending. */
void modules_take_answers(struct modules *m, int wait_ms);

/**
 * modules_frames() - get the functions at an offset of a module's file from the data received so
 *	far
 * @off_in_file:	offset; for a return address, subtract one
 * @name:	room of @len bytes for the name of the outermost function
 * @v:		receives the frames, innermost first; strings are borrowed until
 *	modules_take_answers()
 * @n:		set to the number of frames, 1 to MODULES_MAX_FRAMES
 *
 * Return: 0, -ENOENT (not even the function's name is known), or as modules_symbol().
 */
int modules_frames(struct modules *m, u32 id, u64 off_in_file, char *name, size_t len,
		   struct module_frame *v, u32 *n);

/* Calls @fn for each module that lacks expected lines or names; @why is the reason. */
void modules_each_problem(const struct modules *m,
			  void (*fn)(const struct module_info *info, const char *why, void *data),
			  void *data);

/* CPU time used by the helper. */
u64 modules_helper_cpu_ns(const struct modules *m);

/* Statistics for tests and benchmarks. */
struct modules_usage {
	u32 n_modules, n_open, n_tables;
	u64 n_functions;
};
struct modules_usage modules_usage(const struct modules *m);
