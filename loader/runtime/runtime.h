/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A runtime (V8 or CoreCLR) is one struct of functions. The recorder, `unspool ps` and the
 * simulator call these functions.
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
 * target, and table entries for the walk are passed to struct runtime_host. A runtime does not
 * depend on the session, so a process without privileges can use it.
 *
 * Code that no runtime claims is native. Names in native code come from loader/symbols/, and for
 * Go, so do lines. Names in code of other JITs come from loader/jit/, which reads the files that
 * JITs write for perf.
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
struct deferred_maps;

/* Optional parts of detect(). */
enum runtime_wants {
	RUNTIME_WANTS_ACTIVITY = 1 << 0, /* find the functions that classify() needs in the file;
					  * this takes time */
	RUNTIME_WANTS_ASYNC = 1 << 1, /* find awaiters */
};

/* The runtime in one file. The struct owns its strings. */
struct runtime_build {
	const struct runtime_ops *ops;
	void *of; /* private to the runtime */
	u32 wants; /* enum runtime_wants */
	const char *name; /* "Node.js 24.21.0" */
	const char *why; /* the reason why frames of the runtime have no names; NULL: the frames
			  * have names */
	const char *doubt; /* NULL: none */
	bool has_info; /* info must be added to the walk's table of builds */
	struct v8_info info;
	u64 code_off, code_len; /* range of the code in the file for which rows() makes the rows;
				 * len 0: there is none */
	struct deferred_maps *maps; /* source maps of the scripts, borrowed; NULL: frames keep their
				     * positions in generated code */
	bool is_misread; /* the memory of some process did not have the expected layout */
};

/* The process and file of a runtime. */
struct runtime_home {
	u32 pid; /* 0: there is no running process, so no files of the process are opened */
	u32 module; /* module of the runtime's file, as in struct uw_mapping */
	u16 info_idx; /* index of the build's info in the walk's table */
	bool wants_async; /* report awaiters */
	bool has_bias;
	u64 bias; /* address in the process minus link-time address in the file */
};

/* An executable mapping of a process. */
struct runtime_mapping {
	struct uw_mapping map; /* map.module 0: no file, or the file is not opened yet */
	const char *path; /* NULL: none */
	bool is_anon;
	bool was_there; /* the mapping existed when the mappings were last processed */
};

/* Receives table entries that a runtime makes for the walk. */
struct runtime_host {
	/* Adds an entry to the table of core/dotnet/await.h. */
	void (*await)(void *data, const struct dotnet_await *e);
	/*
	 * has_image() returns whether an image with code at @first_page was added. image() adds the
	 * ReadyToRun image at offset @off of the module's file; the code of the image is in the
	 * pages @first_page to @end_page - 1 of this file.
	 */
	bool (*has_image)(void *data, u32 module, u32 first_page);
	void (*image)(void *data, u32 module, u64 off, u32 first_page, u32 end_page);
	void *data;
};

/* The runtime in one image of a process. The caller of runtime_open() sets @memory and @host. */
struct runtime {
	const struct runtime_ops *ops;
	struct runtime_build *build; /* borrowed */
	struct runtime_home home;
	struct target *memory; /* borrowed; NULL: not readable yet */
	const struct runtime_host *host; /* borrowed; NULL: no walk needs table entries */
};

/* A place in native code. Unknown parts are 0 or NULL. */
struct runtime_native {
	u32 module;
	u64 off; /* offset in the module's file */
	const char *module_name, *function, *thread;
};

/*
 * Receives a named frame, which is borrowed until the function returns. Return: 0, or a negative
 * errno that ends the naming.
 */
typedef int runtime_frame_fn(const struct prof_frame *f, void *data);

#define RUNTIME_GONE 1 /* no name, because the process is not readable or has ended */

/* Optional functions may be NULL. */
struct runtime_ops {
	u32 functions, stubs; /* kinds of the runtime's frames, one bit for each enum uw_kind */
	u32 awaiting; /* kinds of the runtime's awaiters, one bit for each enum uw_kind */
	enum prof_kind kind; /* kind of the runtime's functions */
	u64 min_file_len; /* a smaller file does not contain the runtime */
	bool renews; /* the runtime calls target_renew(), so pages of the target may be cached */
	bool wants_symbols; /* symbols of the runtime's file are needed before the first frame
			     * can be named */

	/**
	 * detect() - detect the runtime in a file
	 * @b:		the result; the caller has set ops and wants; after the call, @b must not
	 *		refer to @elf
	 *
	 * Return: 0, -ENOENT, -ENOTSUP (@b has the reason) or another negative errno.
	 */
	int (*detect)(struct runtime_build *b, struct elf_file *elf);
	void (*free_build)(struct runtime_build *b);
	/*
	 * Rows of [code_off, code_off + code_len). @provider is the build's member "of". Optional.
	 */
	describe_fn *rows;
	/*
	 * Writes a one-line warning about a build that was used. Return: false if there is no
	 * warning. Optional.
	 */
	bool (*report)(const struct runtime_build *b, char *text, size_t len);
	/* Whether the file with this path is memory for the runtime's code. Optional. */
	bool (*is_code_file)(const char *path);

	size_t len; /* length of the runtime's own struct for a process, whose first member is
		     * struct runtime */
	bool needs_bias; /* runtime_open() fails without the load bias */
	/* Frees the members of the struct. Optional. */
	void (*close)(struct runtime *rt);
	/* Whether anonymous memory is a copy of the code in the build's file, @fd. Optional. */
	bool (*is_copy)(const struct runtime *rt, int fd, u64 start_addr, u64 len);
	/*
	 * Appends a mapping to @l as the walk needs it. Return: 1, 0 (not the runtime's mapping) or
	 * -ENOMEM.
	 */
	int (*claim)(struct runtime *rt, const struct runtime_mapping *m, struct map_list *l);
	/*
	 * In the sorted list of mappings, replaces parts by the ranges of code in the runtime's
	 * tables. Return: 0 or -ENOMEM. Optional.
	 */
	int (*place)(struct runtime *rt, struct map_list *l);
	/**
	 * name() - name frame @i of a sample; the frame's kind is one of the runtime's kinds
	 *
	 * Return: 0, RUNTIME_GONE (@fn was not called) or what @fn returned.
	 */
	int (*name)(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
		    void *data);
	/* Sets a function that is called from now on for each step of finding a name. Optional. */
	void (*explain)(struct runtime *rt,
			void (*on_resolver)(void *ctx, const struct v8_asked *asked), void *ctx);
	/* Whether the name of frame @i depends on more than the frame itself. Optional. */
	bool (*is_fleeting)(const struct uw_sample *s, u32 i);
	/*
	 * Names the awaiters of frame @i - 1; the frames from @i on are the awaiting objects.
	 * Optional.
	 */
	int (*awaiters)(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
			void *data);
	/*
	 * Adds table entries that the walk lacked in a sample. Return: whether the sample has
	 * frames in code that was not in the mappings at the last call of place(). Optional.
	 */
	bool (*learn)(struct runtime *rt, const struct uw_sample *s);
	/* The activity at a place in native code; PROF_ACT_NATIVE: unknown. Optional. */
	enum prof_activity (*classify)(const struct runtime *rt, const struct runtime_native *at);
	/* Drops cached names, because a thread and its objects are gone. Optional. */
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

/*
 * Opens the runtime in a process; free with runtime_free(). Return: 0, -ENOENT (the runtime is not
 * in the process) or -ENOMEM.
 */
int runtime_open(struct runtime **rt, struct runtime_build *b, const struct runtime_home *home);
void runtime_free(struct runtime **rt);

/* The reason why the walk could not identify a frame; NULL: the walk identified the frame. */
const char *runtime_reason(const struct uw_frame *f);

/* Makes a frame that has no name, with the reason @why. */
struct prof_frame runtime_unnamed(const struct runtime_ops *ops, const struct uw_frame *f,
				  const char *why);
