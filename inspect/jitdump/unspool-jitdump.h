/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Records the code that a JIT has compiled: writes names, code, lines and unwind data to
 * jit-PID.dump, for perf and other readers of jitdumps. Any JIT can use this library; link with
 * -lunspool-jitdump.
 *
 *	struct jdw *w;
 *	jdw_open(NULL, &w);
 *	jdw_add(w, &(struct jdw_code){ .name = "f", .addr = addr, .code = code, .size = size });
 *
 * There is one file per process: every jdw_open() returns the same writer, until jdw_close() has
 * been called as often as jdw_open(). All functions are thread-safe. After fork() the child
 * writes to a new file, which starts with a copy of the live code.
 *
 * Records are written at once and completely: a process that is killed leaves complete
 * records and at most one that is truncated. A record that cannot be written, for example on
 * a full disk, is removed completely and counted; the program continues.
 *
 * Functions return 0 or a negative errno.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct jdw;

/* Options that are all zero suit most programs. */
struct jdw_options {
	/*
	 * Directory of jit-PID.dump. If it is NULL, $JITDUMPDIR is used, or /tmp if that variable
	 * is not set. perf must also be able to write to this directory.
	 */
	const char *dir;
	/*
	 * Path of the file to use instead, which must not exist. If this is set, there is no
	 * executable mapping for perf and no copy in a child, and another jdw_open() does not
	 * return this writer. This option is for tools that write the jitdump of another process.
	 */
	const char *path;
	uint32_t machine; /* EM_* of the code; 0: this program's own */
	uint32_t pid; /* used only with path; 0: this process */
	int with_close; /* write a CLOSE record at the last jdw_close(); perf ignores records
			 * after it */
	int delete_at_close;
	int swap; /* write in the other byte order, to test readers; used only with path */
	uint64_t (*clock)(void *data); /* NULL: CLOCK_MONOTONIC in ns, as with perf -k 1 */
	/* Called with a line of text for each loss or omission, at most a few times a second. NULL:
	 * no reports. Called without locks of the writer. */
	void (*report)(void *data, const char *words);
	void *data;
};

/**
 * jdw_open() - open the process's writer, or share it if it is open
 * @options:	NULL: all options are zero. Only the options of the first caller are used
 * @out:	close with jdw_close()
 *
 * Return: 0; -EPERM when the directory is mounted noexec, so that perf cannot be notified of the
 * file; or the errno of creating the file.
 */
int jdw_open(const struct jdw_options *options, struct jdw **out);

/* @w may be NULL. The file stays. */
void jdw_close(struct jdw **w);

struct jdw_line {
	uint64_t addr; /* start of a line in the code */
	const char *file;
	uint32_t line, column; /* from 1; a line of 0 is unknown and is omitted */
};

struct jdw_code {
	const char *name;
	uint64_t addr; /* address at run time */
	const void *code; /* the code's bytes, which may be elsewhere in memory */
	size_t size;
	const struct jdw_line *lines; /* in any order; lines outside the code are omitted */
	size_t n_lines;
	const void *eh_frame, *eh_frame_hdr; /* NULL: none */
	size_t eh_frame_size, eh_frame_hdr_size;
	uint64_t mapped_size; /* unused bytes after the code (see the specification); may be 0 */
};

/**
 * jdw_add() - record code that is about to run
 * @c:		copied
 *
 * Call this before the code can be reached, because samples before the call have no name. The
 * writer forgets older code at these addresses.
 *
 * Return: 0; -EINVAL for code without a name or beyond the address space; -E2BIG for 2 GiB or
 * more; or the errno of writing, in which case the code is counted as lost.
 */
int jdw_add(struct jdw *w, const struct jdw_code *c);

/*
 * Records that the code at @from now runs at @to. Return: 0, -ENOENT if no code is known at @from,
 * or the errno of writing.
 */
int jdw_move(struct jdw *w, uint64_t from, uint64_t to);

/*
 * Forgets code that starts in a freed range. The format has no record for freed code, so only the
 * file of a child changes.
 */
void jdw_forget(struct jdw *w, uint64_t addr, uint64_t size);

/* A range of code that an image describes. */
struct jdw_range {
	const char *name; /* name for code that has no name in the image; may be NULL */
	uint64_t addr;
	const void *code;
	size_t size;
};

struct jdw_image {
	const void *bytes; /* an ELF file with DWARF 2 to 5, in memory */
	size_t size;
	uint64_t bias; /* address at run time minus address in the image */
	const struct jdw_range *ranges; /* code outside these ranges is not written */
	size_t n_ranges;
	const char *prefix; /* prefix of every name from the image; NULL: none */
	const char *fallback; /* format, with one %u, for the name of code without a name; NULL:
			       * "code[%u]" */
	int one_record; /* one record per range; each line's file has "::function" appended */
};

/* Statistics of an image. */
struct jdw_image_result {
	uint32_t records; /* written */
	uint32_t with_lines; /* records with lines */
	uint32_t outside; /* functions outside all ranges */
	uint32_t overlapping; /* functions that overlap another; omitted */
	uint32_t nameless; /* records whose name was made from @fallback */
	uint32_t broken_units; /* compilation units that could not be read */
};

/**
 * jdw_add_image() - record all code that an image describes
 * @result:	may be NULL
 *
 * Walks the image once. Each part of each function is recorded as code with lines; the rest of a
 * range is recorded under the range's name.
 *
 * Return: 0, even if functions were omitted (see @result); -EINVAL if @image is not an ELF image or
 * is not linked (ET_REL); or the first error of writing.
 */
int jdw_add_image(struct jdw *w, const struct jdw_image *image, struct jdw_image_result *result);

struct jdw_counts {
	uint64_t records, bytes; /* written to the file */
	uint64_t lost; /* failed calls of jdw_add() and jdw_move() */
	uint64_t live; /* pieces of code */
};

void jdw_counts(struct jdw *w, struct jdw_counts *out);

/* The file's path; valid until the last close or a fork. */
const char *jdw_path(struct jdw *w);

#ifdef __cplusplus
}
#endif
