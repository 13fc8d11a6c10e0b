/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Tells perf, and whoever else reads jitdumps, what a JIT has compiled: names, code,
 * lines and unwind data go to jit-PID.dump. For any JIT; link with -lunspool-jitdump.
 *
 *	struct jdw *w;
 *	jdw_open(NULL, &w);
 *	jdw_add(w, &(struct jdw_code){ .name = "f", .addr = addr, .code = code, .size = size });
 *
 * One file a process: every jdw_open() gives the same writer, until as many jdw_close()
 * have been called. All functions may be called by any thread. After fork() the child
 * goes on in a file of its own, with what was live copied.
 *
 * What is written appears at once and whole: a process that is killed leaves whole
 * records and at most one that is cut at the end. What can't be written, such as on a
 * full disk, is taken back whole and counted; the program goes on.
 *
 * Functions return 0 or a negative errno.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct jdw;

/* All zero is what most want. */
struct jdw_options {
	/* Where jit-PID.dump goes; NULL: $JITDUMPDIR, else /tmp. perf must be able to write
	 * there, too. */
	const char *dir;
	/* This very file instead, which must not exist. No marker, no copy in a child, and
	 * nobody else's jdw_open() gives it: for tools that write what is not their own. */
	const char *path;
	uint32_t machine; /* EM_* of the code; 0: this program's own */
	uint32_t pid; /* with path: 0 is this process */
	int with_close; /* write a CLOSE when the last user closes. perf ignores what follows */
	int delete_at_close;
	int swap; /* the other byte order; for tests of readers. Only with path */
	uint64_t (*clock)(void *data); /* NULL: CLOCK_MONOTONIC in ns, which perf -k 1 has */
	/* Told what was skipped or lost, a line at a time; at most a few times a second. NULL:
	 * nobody is. May be called under no lock of the writer's. */
	void (*report)(void *data, const char *words);
	void *data;
};

/**
 * jdw_open() - begin, or join
 * @options:	NULL: all zero. Only those of the first caller count
 * @out:	close with jdw_close()
 *
 * Return: 0; -EPERM when the folder is mounted noexec, so that perf can't be told of the
 * file; or what making it gave.
 */
int jdw_open(const struct jdw_options *options, struct jdw **out);

/* NULL is fine. The file stays. */
void jdw_close(struct jdw **w);

struct jdw_line {
	uint64_t addr; /* where in the code a line begins */
	const char *file;
	uint32_t line, column; /* from 1; 0: unknown, such a line is left out */
};

struct jdw_code {
	const char *name;
	uint64_t addr; /* where it runs */
	const void *code; /* its bytes, which may lie elsewhere */
	size_t size;
	const struct jdw_line *lines; /* in any order; what is not in the code is left out */
	size_t n_lines;
	const void *eh_frame, *eh_frame_hdr; /* NULL: none */
	size_t eh_frame_size, eh_frame_hdr_size;
	uint64_t mapped_size; /* see the format: unused bytes behind the code, 0 is right */
};

/**
 * jdw_add() - code that is about to run
 * @c:		copied
 *
 * To be called before the code can be reached: a sample before it has no name. What lay
 * at these addresses before is gone with it.
 *
 * Return: 0; -EINVAL: no name, or code that leaves the address space; -E2BIG: 2 GiB or
 * more; or why it could not be written: it is counted as lost then.
 */
int jdw_add(struct jdw *w, const struct jdw_code *c);

/* The code that begins at @from now runs at @to. -ENOENT: there is none. */
int jdw_move(struct jdw *w, uint64_t from, uint64_t to);

/* What begins in the range is freed. The format has no record for it: a child is not told. */
void jdw_forget(struct jdw *w, uint64_t addr, uint64_t size);

/* Where code lies that an image describes. */
struct jdw_range {
	const char *name; /* for what the image has no name for; may be NULL */
	uint64_t addr;
	const void *code;
	size_t size;
};

struct jdw_image {
	const void *bytes; /* an ELF file with DWARF 2 to 5, in memory */
	size_t size;
	uint64_t bias; /* address at run time less the one in the image */
	const struct jdw_range *ranges; /* what is outside of them is not written */
	size_t n_ranges;
	const char *prefix; /* of every name that the image gives; NULL: none */
	const char *fallback; /* for code without a name: one %u, NULL: "code[%u]" */
	int one_record; /* a record a range, each line's file with "::function" behind it */
};

/* What became of an image. */
struct jdw_image_result {
	uint32_t records; /* that were written */
	uint32_t with_lines; /* of them */
	uint32_t outside; /* functions that are in no range */
	uint32_t overlapping; /* functions in the way of another, left out */
	uint32_t nameless; /* records with a fallback for a name */
	uint32_t broken_units; /* compilation units that could not be read */
};

/**
 * jdw_add_image() - all code that an image describes
 * @result:	may be NULL
 *
 * Walks the image once. Each part of each function becomes code, with its lines; what
 * is left over of a range, too, by the range's name.
 *
 * Return: 0 also if functions were left out, which @result tells; -EINVAL: no ELF image
 * or one that is not linked (ET_REL); the first error of writing.
 */
int jdw_add_image(struct jdw *w, const struct jdw_image *image, struct jdw_image_result *result);

struct jdw_counts {
	uint64_t records, bytes; /* in the file */
	uint64_t lost; /* calls of jdw_add() and jdw_move() whose record could not be written */
	uint64_t live; /* pieces of code */
};

void jdw_counts(struct jdw *w, struct jdw_counts *out);

/* The file's path; valid until the last close or a fork. */
const char *jdw_path(struct jdw *w);

#ifdef __cplusplus
}
#endif
