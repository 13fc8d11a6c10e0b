/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The files whose unwind information (an ELF file's call frame information, a ReadyToRun
 * image's runtime functions) is of interest, by module: which of their
 * pages hold code, which of those were loaded once, and the reader of each.
 *
 * Budget: ROW_MAX_FILES files of some hundred bytes and a bit a page of code;
 * ROW_MAX_OPEN_FILES readers, of which the one that was not used for longest is closed
 * and opened again when it is wanted.
 */

#include "../../inspect/unwind/cfi.h"
#include "row_images.h"

#define ROW_MAX_FILES 2048
#define ROW_MAX_OPEN_FILES 64
#define ROW_IDLE_PAGES 16384 /* 64 MiB of code */
#define ROW_MAX_FILE_PAGES (1u << 18) /* of code: 1 GiB; what lies beyond has no rows */

struct row_files;

struct row_file {
	u32 module;
	bool has_none; /* no such file, or nothing in it: asking again is no use */
	u32 first_page, n_pages; /* of the file, that hold code */
	u32 next, end; /* of those pages, what is left for the background */
	bool is_given_up; /* by the background */
	u32 n_missed;
	u32 costly_first, costly_n; /* pages */
	u64 *loaded; /* a bit a page of n_pages: it was, once; NULL: never opened */
	u64 used; /* by the cache's clock */
	struct elf_file *elf; /* NULL: closed, or no ELF file */
	struct elf_file *debug; /* NULL: none, or not needed */
	bool has_debug; /* that is settled */
	struct cfi *cfi;
	struct r2r_rows *r2r; /* NULL: closed, or no ReadyToRun image */
	struct row_images images; /* in what is an ELF file */
	u32 end_page; /* of its own code; images lie behind */
};

/*
 * An open file of a module, borrowed; a negative errno when it can't be had now. @debug: the file
 * with what was stripped from it, -EINPROGRESS while that is looked for.
 */
typedef int row_open_fn(u32 module, bool debug, void *data);

/* Code that its file does not describe, but a runtime; borrowed for as long as there are files. */
struct row_code {
	u64 off, len; /* in the file */
	struct cfi_provider provider;
};

/* False: a module's file has no such code. */
typedef bool row_code_fn(u32 module, struct row_code *code, void *data);

struct row_source {
	row_open_fn *open;
	row_code_fn *code; /* NULL: none is known */
	void *data;
};

int row_files_new(struct row_files **files, const struct row_source *source);
void row_files_free(struct row_files **files);

/* The file of a module, made if need be; NULL without memory. Valid until the next call. */
struct row_file *row_files_get(struct row_files *files, u32 module);

/* For each file; what @fn returns last that is not NULL. */
struct row_file *row_files_best(struct row_files *files,
				bool (*is_better)(const struct row_file *f,
						  const struct row_file *than));

/* An image is mapped from it, behind its own code. */
void row_file_add_image(struct row_file *f, const struct row_image *image);

/**
 * row_files_open() - find out what pages of a file hold code
 *
 * The module's file is asked for each time: it may have been written to since it was mapped.
 *
 * Return: 0, -ENOENT (it never has any rows), or an error that may pass (-ESTALE, -ENOMEM,
 * what reading gave).
 */
int row_files_open(struct row_files *files, struct row_file *f);

/**
 * row_files_read() - the rows of one page
 * @rules:	where its rules are entered
 * @rows:	room for UW_MAX_PAGE_ROWS
 *
 * A file without call frame information has that of its debug file, and no rows before it is
 * known whether there is one.
 *
 * Return: as row_files_open(); -EINPROGRESS.
 */
int row_files_read(struct row_files *files, struct row_file *f, u32 page, struct rules *rules,
		   u32 *rows, u32 *n);

/*
 * A page of V8's builtins: it takes 1 ms and more to read, so it is read only when a walk comes
 * there. The file was opened once.
 */
bool row_file_is_costly(const struct row_file *f, u32 page);

/* A page that was read is with the walk now. Was it there before? */
bool row_file_loaded(struct row_file *f, u32 page);
