/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Files with unwind information, by module. Unwind information is the call frame information of an
 * ELF file, or the runtime functions of a ReadyToRun image. For each file, this contains the pages
 * of code, the pages that were loaded at least once, and a reader.
 *
 * Memory is limited: ROW_MAX_FILES files of some hundred bytes each, plus one bit for each page of
 * code, and ROW_MAX_OPEN_FILES readers. The least recently used reader is closed and opened again
 * when it is needed.
 */

#include "../../inspect/unwind/cfi.h"
#include "../../inspect/unwind/trampoline.h"
#include "row_images.h"

#include <sys/types.h>

#define ROW_MAX_FILES 2048
#define ROW_MAX_OPEN_FILES 64
#define ROW_IDLE_PAGES 16384 /* 64 MiB of code */
#define ROW_MAX_FILE_PAGES (1u << 18) /* 1 GiB of code; code beyond this limit has no rows */

struct row_files;

struct row_file {
	u32 module;
	bool has_none; /* there is no file, or it has no unwind information; do not try again */
	u32 first_page, n_pages; /* pages of the file that contain code */
	u32 next, end; /* the pages that background loading has not reached yet */
	bool is_given_up; /* background loading has stopped */
	u32 n_missed;
	uid_t uid; /* owner, after the file was opened */
	struct rules_share rules; /* max 0: not set yet */
	u32 costly_first, costly_n; /* pages */
	u64 *loaded; /* one bit for each of the n_pages pages; the bit is set if the page was loaded
		      * at least once; NULL: the file was never opened */
	u64 used; /* last use, in the cache's clock */
	struct elf_file *elf; /* NULL: closed, or not an ELF file */
	struct elf_file *debug; /* NULL: there is no debug file, or it is not needed */
	bool has_debug; /* the search for a debug file has ended */
	struct cfi *cfi;
	struct r2r_rows *r2r; /* NULL: closed, or not a ReadyToRun image */
	struct trampoline trampoline; /* the code of a file of copies; end_off 0: another file */
	struct row_images images; /* ReadyToRun images inside an ELF file */
	u32 end_page; /* end of the file's own code; the code of the images is after this page */
};

/*
 * Gets an open file of a module. @debug: if true, gets the separate debug file of the module
 * instead.
 *
 * Return: a borrowed descriptor; -EINPROGRESS while the debug file is searched for; another
 * negative errno if no file is available now.
 */
typedef int row_open_fn(u32 module, bool debug, void *data);

/*
 * Code whose unwind information comes from a runtime, not from the file. Borrowed for the lifetime
 * of row_files.
 */
struct row_code {
	u64 off, len; /* range in the file */
	struct cfi_provider provider;
};

/* Return: false if the module's file has no such code. */
typedef bool row_code_fn(u32 module, struct row_code *code, void *data);

struct row_source {
	row_open_fn *open;
	row_code_fn *code; /* NULL: no such code */
	void *data;
};

int row_files_new(struct row_files **files, const struct row_source *source);
void row_files_free(struct row_files **files);

/* Return: the file of a module, added if new; NULL if out of memory. Valid until the next call. */
struct row_file *row_files_get(struct row_files *files, u32 module);

/* Return: the file that @is_better prefers to all others, or NULL. */
struct row_file *row_files_best(struct row_files *files,
				bool (*is_better)(const struct row_file *f,
						  const struct row_file *than));

/* Adds an image that is mapped from the file, after the file's own code. */
void row_file_add_image(struct row_file *f, const struct row_image *image);

/**
 * row_files_open() - find the pages of a file that contain code
 *
 * Requests the module's file again at each call, because the file may have been changed after it
 * was mapped.
 *
 * Return: 0, -ENOENT (the file will never have rows), or a temporary error (-ESTALE, -ENOMEM,
 * an error of reading).
 */
int row_files_open(struct row_files *files, struct row_file *f);

/**
 * row_files_read() - read the rows of one page
 * @rules:	table to which the page's rules are added
 * @rows:	room for UW_MAX_PAGE_ROWS
 *
 * If a file has no call frame information, the call frame information of its debug file is used.
 * The file has no rows until the search for the debug file has ended.
 *
 * Return: as row_files_open(); -EINPROGRESS (the debug file is still searched for).
 */
int row_files_read(struct row_files *files, struct row_file *f, u32 page, struct rules *rules,
		   u32 *rows, u32 *n);

/*
 * Whether @page is a page of V8's builtins. Reading the rows of such a page takes 1 ms or more, so
 * they are read only when a walk needs them. The file must have been opened before.
 */
bool row_file_is_costly(const struct row_file *f, u32 page);

/* Marks a page as loaded. Return: whether it had been loaded before. */
bool row_file_loaded(struct row_file *f, u32 page);
