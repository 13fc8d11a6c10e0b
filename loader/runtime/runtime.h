/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A runtime is one struct of functions. The recorder, `unspool ps` and the simulator know V8,
 * CoreCLR and their kind by it alone.
 *
 *	file      detect               struct runtime_build, shared by its processes
 *	process   open, place          struct runtime
 *	mapping   claim                struct uw_mapping, for the walk
 *	page      rows                 unwind rows of code that the file does not describe
 *	frame     name, awaiters       struct prof_frame
 *	sample    learn, classify
 *	thread    forget
 *
 * Arguments and results are values. Files and memory come as struct elf_file and struct target,
 * and what a runtime has for the walk goes out by struct runtime_host: a runtime never sees the
 * session, so that a process without rights can be what calls it.
 *
 * Native code is what no runtime claims: loader/symbols/ names it, Go's with lines, and
 * loader/jit/ what other JITs have put down for perf.
 */

#include "../../core/uw_frame.h"
#include "../../core/v8/v8_info.h"
#include "../../core/dotnet/dotnet_info.h"
#include "../../inspect/unwind/cfi.h"
#include "../../inspect/target/map_list.h"
#include "../../inspect/target/target.h"
#include "../profile/profile.h"

struct runtime_ops;
struct v8_asked;
struct source_maps;

/* For what detect() is asked. */
enum runtime_wants {
	RUNTIME_WANTS_ACTIVITY = 1 << 0, /* classify() by the file's functions: takes time */
	RUNTIME_WANTS_ASYNC = 1 << 1, /* awaiters */
};

/* The runtime in one file. Strings are its own. */
struct runtime_build {
	const struct runtime_ops *ops;
	void *of; /* the runtime's own */
	u32 wants; /* enum runtime_wants */
	const char *name; /* "Node.js 24.21.0" */
	const char *why; /* its frames can't be named; NULL: they can */
	const char *doubt; /* NULL: none */
	bool has_info; /* for the walk, in its table of builds */
	struct v8_info info;
	u64 code_off, code_len; /* in the file: of that code it has the rows; len 0: of none */
	struct source_maps *maps; /* of its scripts; NULL: none was wanted yet */
	bool is_misread; /* in a process, memory was not laid out as expected */
};

/* Where a runtime runs. */
struct runtime_home {
	u32 pid; /* 0: it does not run, and its files are not looked for */
	u32 module; /* its file, as in struct uw_mapping */
	u16 info_idx; /* of its build's info */
	bool wants_async; /* awaiters are wanted */
	bool has_bias;
	u64 bias; /* address in the process minus link-time address of its file */
};

/* An executable mapping of a process. */
struct runtime_mapping {
	struct uw_mapping map; /* module 0: it has none, or it was not looked for yet */
	const char *path; /* NULL: none */
	bool is_anon;
	bool was_there; /* when the mappings were laid out before */
};

/* Takes what a runtime has for the walk. */
struct runtime_host {
	/* An entry of the table that core/dotnet/await.h looks things up in. */
	void (*await)(void *data, const struct dotnet_await *e);
	/* A ReadyToRun image at @off of a module's file, whose code is in these pages of it. */
	bool (*has_image)(void *data, u32 module, u32 first_page);
	void (*image)(void *data, u32 module, u64 off, u32 first_page, u32 end_page);
	void *data;
};

/* The runtime in one image of a process. Whoever opened it sets the last two. */
struct runtime {
	const struct runtime_ops *ops;
	struct runtime_build *build; /* borrowed */
	struct runtime_home home;
	struct target *memory; /* borrowed; NULL: it can't be read yet */
	const struct runtime_host *host; /* borrowed; NULL: there is no walk */
};

/* A place in native code, as far as it is known: the rest is 0 or NULL. */
struct runtime_native {
	u32 module;
	u64 off; /* in its file */
	const char *module_name, *function, *thread;
};

/* Takes a frame, borrowed until it returns; what is not 0 ends it, a negative errno. */
typedef int runtime_frame_fn(const struct prof_frame *f, void *data);

#define RUNTIME_GONE 1 /* nothing can be said of a frame: the process can't be read (any more) */

/* Optional functions are NULL where there is nothing to do. */
struct runtime_ops {
	u32 functions, stubs; /* kinds of its frames: bits by enum uw_kind */
	u32 awaiting; /* the same of objects that wait */
	enum prof_kind kind; /* of its functions */
	u64 min_file_len; /* a smaller file holds none */
	bool renews; /* it calls target_renew(), so pages of the target may be kept */
	bool wants_symbols; /* of its file, before its first frame is named */

	/**
	 * detect() - the runtime in a file
	 * @b:		ops and wants are set; keeps nothing of @elf
	 *
	 * Return: 0, -ENOENT, -ENOTSUP (@b says why) or another negative errno.
	 */
	int (*detect)(struct runtime_build *b, struct elf_file *elf);
	void (*free_build)(struct runtime_build *b);
	/* Rows of [code_off, code_off + code_len); @provider: @of of the build. Optional. */
	describe_fn *rows;
	/* What there is to report of a build that was used, in one line; false: nothing. Optional.
	 */
	bool (*report)(const struct runtime_build *b, char *text, size_t len);
	/* Is this file, by its path, no program's but memory for the runtime's code? Optional. */
	bool (*is_code_file)(const char *path);

	size_t len; /* of its struct for a process, of which struct runtime is the first member */
	bool needs_bias; /* without it there is no such runtime */
	/* Frees what is in the struct. Optional. */
	void (*close)(struct runtime *rt);
	/* Is anonymous memory a copy of the code of its build's file, @fd? Optional. */
	bool (*is_copy)(const struct runtime *rt, int fd, u64 start_addr, u64 len);
	/* Appends what a mapping is to the walk. 1, 0 (not the runtime's) or -ENOMEM. */
	int (*claim)(struct runtime *rt, const struct runtime_mapping *m, struct map_list *l);
	/* All mappings, sorted: lays over them what the runtime itself knows. 0 or -ENOMEM.
	 * Optional. */
	int (*place)(struct runtime *rt, struct map_list *l);
	/**
	 * name() - name frame @i of a sample, which is one of the runtime's kinds
	 *
	 * Return: 0, RUNTIME_GONE (@fn was not called) or what @fn returned.
	 */
	int (*name)(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
		    void *data);
	/* From now on @tell hears how each name is found. Optional. */
	void (*explain)(struct runtime *rt, void (*tell)(void *ctx, const struct v8_asked *asked),
			void *ctx);
	/* Does the name of frame @i depend on more than the frame itself? Optional. */
	bool (*is_fleeting)(const struct uw_sample *s, u32 i);
	/* Names what awaits frame @i - 1, given the objects from frame @i on. Optional. */
	int (*awaiters)(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
			void *data);
	/*
	 * Gives the walk what it lacked in a sample. True: there is code that place() was not told
	 * of. Optional.
	 */
	bool (*learn)(struct runtime *rt, const struct uw_sample *s);
	/* What is done at a place in native code; PROF_ACT_NATIVE: nothing is known. Optional. */
	enum prof_activity (*classify)(const struct runtime *rt, const struct runtime_native *at);
	/* A thread has ended, and with it its objects: names must be read anew. Optional. */
	void (*forget)(struct runtime *rt);
};

/**
 * runtime_build_new() - the runtime in a file, if it is this one
 * @b:		new build, free with runtime_build_free(); set to NULL unless 0 or -ENOTSUP
 * @wants:	enum runtime_wants
 *
 * Return: as detect().
 */
int runtime_build_new(struct runtime_build **b, const struct runtime_ops *ops, struct elf_file *elf,
		      u32 wants);
void runtime_build_free(struct runtime_build **b);

/* The runtime in a process; free with runtime_free(). 0, -ENOENT (not there) or -ENOMEM. */
int runtime_open(struct runtime **rt, struct runtime_build *b, const struct runtime_home *home);
void runtime_free(struct runtime **rt);

/* Why the walk could not identify a frame, NULL: it did. */
const char *runtime_reason(const struct uw_frame *f);

/* A frame that can't be named. */
struct prof_frame runtime_unnamed(const struct runtime_ops *ops, const struct uw_frame *f,
				  const char *why);
