/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A runtime is one struct of functions, by which the recorder, `unspool ps` and the simulator use
 * V8 and CoreCLR.
 *
 *	file      detect               struct runtime_build, shared by its processes
 *	process   open, place          struct runtime
 *	mapping   claim                struct uw_mapping, for the walk
 *	page      rows                 unwind rows of code that the file does not describe
 *	frame     name, awaiters       struct prof_frame
 *	sample    learn, classify
 *	thread    forget
 *
 * Arguments and results are values. Files and memory are passed as struct elf_file and struct
 * target, and table entries for the walk go out through struct runtime_host. A runtime does not
 * depend on the session, so a process without privileges can call it.
 *
 * Code that no runtime claims is native. loader/symbols/ names it (Go with lines), and loader/jit/
 * names code of other JITs by the files that they write for perf.
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

/* Optional parts of detect(). */
enum runtime_wants {
	RUNTIME_WANTS_ACTIVITY = 1 << 0, /* functions of the file for classify(): takes time */
	RUNTIME_WANTS_ASYNC = 1 << 1, /* awaiters */
};

/* The runtime in one file. It owns its strings. */
struct runtime_build {
	const struct runtime_ops *ops;
	void *of; /* private to the runtime */
	u32 wants; /* enum runtime_wants */
	const char *name; /* "Node.js 24.21.0" */
	const char *why; /* the reason why its frames have no names; NULL: they have */
	const char *doubt; /* NULL: none */
	bool has_info; /* @info goes into the walk's table of builds */
	struct v8_info info;
	u64 code_off, code_len; /* the code in the file with rows from the runtime; len 0: none */
	struct source_maps *maps; /* of its scripts; NULL: none was wanted yet */
	bool is_misread; /* the memory of a process was not laid out as expected */
};

/* The process and file of a runtime. */
struct runtime_home {
	u32 pid; /* 0: not a running process; its files are not opened */
	u32 module; /* its file, as in struct uw_mapping */
	u16 info_idx; /* of its build's info, in the walk's table */
	bool wants_async; /* report awaiters */
	bool has_bias;
	u64 bias; /* address in the process minus link-time address of its file */
};

/* An executable mapping of a process. */
struct runtime_mapping {
	struct uw_mapping map; /* module 0: none, or not opened yet */
	const char *path; /* NULL: none */
	bool is_anon;
	bool was_there; /* at the last layout of the mappings */
};

/* Takes a runtime's table entries for the walk. */
struct runtime_host {
	/* Adds an entry to the table of core/dotnet/await.h. */
	void (*await)(void *data, const struct dotnet_await *e);
	/* A ReadyToRun image at @off of a module's file, with code in these pages of the file. */
	bool (*has_image)(void *data, u32 module, u32 first_page);
	void (*image)(void *data, u32 module, u64 off, u32 first_page, u32 end_page);
	void *data;
};

/* The runtime in one image of a process. The caller of runtime_open() sets the last two. */
struct runtime {
	const struct runtime_ops *ops;
	struct runtime_build *build; /* borrowed */
	struct runtime_home home;
	struct target *memory; /* borrowed; NULL: not readable yet */
	const struct runtime_host *host; /* borrowed; NULL: there is no walk */
};

/* A place in native code. Unknown parts are 0 or NULL. */
struct runtime_native {
	u32 module;
	u64 off; /* in its file */
	const char *module_name, *function, *thread;
};

/* Takes a frame, borrowed until it returns. 0, or a negative errno that ends the naming. */
typedef int runtime_frame_fn(const struct prof_frame *f, void *data);

#define RUNTIME_GONE 1 /* a frame has no name: the process is not readable (any more) */

/* Optional functions may be NULL. */
struct runtime_ops {
	u32 functions, stubs; /* kinds of its frames: bits by enum uw_kind */
	u32 awaiting; /* the same for awaiters */
	enum prof_kind kind; /* of its functions */
	u64 min_file_len; /* a smaller file does not contain the runtime */
	bool renews; /* it calls target_renew(), so pages of the target may be kept */
	bool wants_symbols; /* symbols of its file are needed for its first name */

	/**
	 * detect() - the runtime in a file
	 * @b:		ops and wants are set; keeps nothing of @elf
	 *
	 * Return: 0, -ENOENT, -ENOTSUP (@b has the reason) or another negative errno.
	 */
	int (*detect)(struct runtime_build *b, struct elf_file *elf);
	void (*free_build)(struct runtime_build *b);
	/* Rows of [code_off, code_off + code_len); @provider: @of of the build. Optional. */
	describe_fn *rows;
	/* Writes a one-line warning about a build that was used; false: none. Optional. */
	bool (*report)(const struct runtime_build *b, char *text, size_t len);
	/* Is the file with this path memory for the runtime's code? Optional. */
	bool (*is_code_file)(const char *path);

	size_t len; /* of its struct for a process, of which struct runtime is the first member */
	bool needs_bias; /* runtime_open() fails without the load bias */
	/* Frees the members of the struct. Optional. */
	void (*close)(struct runtime *rt);
	/* Is anonymous memory a copy of the code in its build's file, @fd? Optional. */
	bool (*is_copy)(const struct runtime *rt, int fd, u64 start_addr, u64 len);
	/* Appends a mapping as the walk needs it. 1, 0 (not the runtime's) or -ENOMEM. */
	int (*claim)(struct runtime *rt, const struct runtime_mapping *m, struct map_list *l);
	/* Lays ranges from the runtime's tables over all mappings, which are sorted. 0 or -ENOMEM.
	 * Optional. */
	int (*place)(struct runtime *rt, struct map_list *l);
	/**
	 * name() - name frame @i of a sample, whose kind is one of the runtime's
	 *
	 * Return: 0, RUNTIME_GONE (@fn was not called) or what @fn returned.
	 */
	int (*name)(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
		    void *data);
	/* From now on @tell is called for each step of finding a name. Optional. */
	void (*explain)(struct runtime *rt, void (*tell)(void *ctx, const struct v8_asked *asked),
			void *ctx);
	/* Does the name of frame @i depend on more than the frame itself? Optional. */
	bool (*is_fleeting)(const struct uw_sample *s, u32 i);
	/* Names the awaiters of frame @i - 1, which are the objects from frame @i on. Optional. */
	int (*awaiters)(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
			void *data);
	/*
	 * Adds table entries that the walk lacked in a sample. True: there is code that is not in
	 * the mappings of place(). Optional.
	 */
	bool (*learn)(struct runtime *rt, const struct uw_sample *s);
	/* The activity at a place in native code; PROF_ACT_NATIVE: unknown. Optional. */
	enum prof_activity (*classify)(const struct runtime *rt, const struct runtime_native *at);
	/* A thread and its objects are gone: drops cached names. Optional. */
	void (*forget)(struct runtime *rt);
};

/**
 * runtime_build_new() - detect one runtime in a file
 * @b:		new build, free with runtime_build_free(); set to NULL unless 0 or -ENOTSUP
 * @wants:	enum runtime_wants
 *
 * Return: see detect().
 */
int runtime_build_new(struct runtime_build **b, const struct runtime_ops *ops, struct elf_file *elf,
		      u32 wants);
void runtime_build_free(struct runtime_build **b);

/* Opens the runtime in a process; free with runtime_free(). 0, -ENOENT (not there) or -ENOMEM. */
int runtime_open(struct runtime **rt, struct runtime_build *b, const struct runtime_home *home);
void runtime_free(struct runtime **rt);

/* The reason why the walk could not identify a frame; NULL: it did. */
const char *runtime_reason(const struct uw_frame *f);

/* A frame without a name, for the reason @why. */
struct prof_frame runtime_unnamed(const struct runtime_ops *ops, const struct uw_frame *f,
				  const char *why);
